"""Tool lists that stand inside something else: a log, a recording of the network, a batch, a session."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from toolc.documents import DEEPEST
from toolc.schema.walk import Path
from toolc.sources.tools import shapes
from toolc.sources.tools.request import request_parts

# Without one of these, a text inside a log holds no tools.
_MARKS = ('"function', '"parameters"', "input_schema", "inputSchema", "unction_declarations")


def parts(data: Any) -> list[tuple[Path, Any]]:
    """What in a file holds tools, each with its place: all of it, or the parts that certainly do.

    JSON inside of texts is looked into, as network recordings (HAR) have bodies; its place goes on below the text's.
    """
    if shapes.is_tool(data) or request_parts(data) is not None:
        return [((), data)]
    if any(shapes.is_tool(entry) for _, entry in shapes.entries(data)):
        return [((), data)]
    return list(_search(data, (), 0)) or [((), data)]


def _search(data: Any, place: Path, depth: int) -> Iterator[tuple[Path, Any]]:
    if depth > DEEPEST:
        return
    if isinstance(data, str):
        for inner in _inside(data):
            yield from _search(inner, place, depth + 1)
        return
    if any(_is_defined(entry) for _, entry in shapes.entries(data)):
        yield place, data
        return
    children = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in children:
        if isinstance(value, dict | list | str):
            yield from _search(value, (*place, key), depth + 1)


def _is_defined(entry: Any) -> bool:
    """Whether an entry is the definition of a tool; a call of one has an `input` too, as a native definition has."""
    return shapes.is_tool(entry) and not (isinstance(entry.get("input"), dict) and "type" in entry)


def _inside(text: str) -> Iterator[Any]:
    """JSON that a text holds: as a whole, or as the data of server-sent events."""
    if not any(mark in text for mark in _MARKS):
        return
    for piece in [text] if text.lstrip()[:1] in ("{", "[") else text.splitlines():
        try:
            yield json.loads(piece.strip().removeprefix("data:"))
        except (ValueError, RecursionError):
            continue
