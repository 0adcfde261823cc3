"""Tool definitions in files: the native form, any vendor's list, or a whole captured API request."""

from __future__ import annotations

import glob
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolc.bind import did_you_mean
from toolc.diagnostics import Report, user_error
from toolc.ir import Origin, Source
from toolc.sources import Context, Reading
from toolc.sources.tools import shapes
from toolc.sources.tools.captured import parts
from toolc.sources.tools.definition import NATIVE, Definition
from toolc.sources.tools.operations import operations
from toolc.sources.tools.request import request_parts, uncounted_parts
from toolc.sources.tools.shapes import lists
from toolc.tokens import compact

__all__ = ["Options", "holds_tools", "lists", "parts", "read", "recognise", "request_parts", "uncounted_parts"]


@dataclass(frozen=True, slots=True)
class Options:
    """The keys of a `tools` source."""

    path: tuple[str, ...] = field(
        default=(), metadata={"doc": "file with tool definitions, or a list of files and patterns", "one": True}
    )


def read(options: Options, context: Context) -> Reading:
    """The tools of every file, in the order of their paths; the same name twice is reported."""
    definitions: list[Definition] = []
    namespaces: dict[str, str] = {}
    files: list[str] = []
    builtin = False
    for path in _paths(options, context):
        document = context.document(path, tools=True)
        files.append(document.path)
        origin = Origin(document.path)
        told: set[str] = set()
        for place, part in parts(document.data):
            found = shapes.find(part, origin.at(*place), context.report)
            if found is None and request_parts(part) is None:
                raise user_error("not-a-tool-list", *_expected(document.data, origin))
            if found is not None:
                _name_unknown_keys(part, found, origin.at(*place), context.report)
                # Each request of a recording tells the same tools again.
                definitions += [each for each in found.definitions if not place or _is_new(each, told)]
                namespaces |= found.namespaces
                builtin |= found.builtin
    result = operations(context.name, definitions, context.report)
    source = Source(
        context.name,
        "tools",
        separate=("read", "write"),
        tag_descriptions=namespaces,
        builtin=builtin,
        files=tuple(files),
        operations=len(result),
    )
    return Reading(source, result)


def _is_new(definition: Definition, told: set[str]) -> bool:
    text = compact([definition.body, definition.wrapper])
    told_before = text in told
    told.add(text)
    return not told_before


def recognise(data: Any) -> bool:
    """Whether data is a list of tools or a request with some; a list that an MCP server gave is not ours."""
    if shapes.is_mcp_list(data):
        return False
    if shapes.is_tool(data) or request_parts(data) is not None:
        return True
    if any(shapes.is_tool(entry) for _, entry in shapes.entries(data)):
        return True
    return any(place and _named(entries) for place, entries in shapes.lists(data))


def holds_tools(data: Any) -> bool:
    """Whether tools stand anywhere in data: in a log, a recording of the network, a batch, a session."""
    return any(place for place, _ in parts(data))


def _named(entries: list[Any]) -> bool:
    return bool(entries) and all(
        isinstance(entry, dict) and {"name", "description"} <= entry.keys() for entry in entries
    )


def _paths(options: Options, context: Context) -> list[str]:
    """The files that the options name, each once, patterns resolved in sorted order."""
    if not options.path:
        raise user_error(
            "missing-key",
            f"source `{context.name}` names no file",
            help='say which, for example path: ["tools/*.yaml"]',
        )
    paths: dict[str, None] = {}
    for pattern in options.path:
        if not glob.has_magic(pattern) or (context.base / pattern).is_file():
            paths[pattern] = None
            continue
        matches = [match for match in _glob(pattern, context.base) if (context.base / match).is_file()]
        if not matches:
            raise user_error(
                "unmatched-pattern", f"no file matches `{pattern}`{did_you_mean(pattern, _near(pattern, context.base))}"
            )
        paths |= dict.fromkeys(matches)
    return list(paths)


def _near(pattern: str, base: Path) -> list[str]:
    """Files that the pattern may have meant: those in its fixed folder, or in the folder above."""
    folder = Path(pattern).parent
    while glob.has_magic(str(folder)) or not (base / folder).is_dir():
        folder = folder.parent
    return [(folder / match).as_posix() for match in _glob("*.[jy]*", base / folder)]


def _glob(pattern: str, folder: Path) -> list[str]:
    """The paths below the folder that match, sorted, with `/`; unlike Path.glob it takes absolute patterns too."""
    return sorted(Path(match).as_posix() for match in glob.glob(pattern, root_dir=folder, recursive=True))  # noqa: PTH207


def _expected(data: Any, origin: Origin) -> tuple[str, Origin, str]:
    slip = did_you_mean("tools", map(str, data)) if isinstance(data, dict) and "tools" not in data else ""
    if isinstance(data, dict) and "tools" in data:
        return f"`tools` is a list of tool definitions, not {data['tools']!r:.40}", origin.at("tools"), ""
    return (
        f"this holds no tool definitions{slip}",
        origin,
        "expected is `tools: [{name, description, input}]`, or a tool list or request of Anthropic, OpenAI, Gemini, "
        "Bedrock or MCP",
    )


def _name_unknown_keys(data: Any, found: shapes.Found, origin: Origin, report: Report) -> None:
    """A native file has the key `tools` and no other."""
    if not isinstance(data, dict) or not isinstance(data.get("tools"), list):
        return
    if any(definition.shape is NATIVE for definition in found.definitions):
        for key in data:
            if key != "tools" and not str(key).startswith("x-") and not shapes.is_tool(data):
                report.warning(
                    "unknown-key", f"unknown key `{key}`; a tools file has only `tools`", origin.at(str(key))
                )
