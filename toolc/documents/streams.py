"""Saved exchanges with a server that are not one JSON value: messages one a line, and the event stream of HTTP.

In a file whose name says that it is JSON neither is read (`lines` reads others), as editors and other programs take it
for broken. Which line to keep is said instead.
"""

from __future__ import annotations

import json
import re
from typing import Any

from toolc.diagnostics import UserError
from toolc.documents.faults import fault

# Fields of server-sent events (WHATWG HTML §9.2.6), before the first data.
_EVENTS = re.compile(r"(?:(?:(?:event|id|retry):.*|:.*|)\n)*data: ?[{\[]")


def is_event_stream(text: str) -> bool:
    """Whether a text is what an HTTP server sends as `text/event-stream`, with JSON in it."""
    return _EVENTS.match(text) is not None


def refusal(text: str, shown: str) -> UserError | None:
    """The error for a text that is one of the two; None for any other text."""
    if is_event_stream(text):
        found = [number for number, line in _lines(text) if line.startswith("data:") and _lists_tools(line[5:])]
        message = f"{shown} is an event stream, as a server sends it over HTTP, and no JSON"
        return _error(text, shown, message, found, "what stands behind `data:` in ")
    lines = [(number, line) for number, line in _lines(text) if line.strip()]
    if len(lines) < 2 or not all(_is_whole(line) for _, line in lines[:2]):
        return None
    found = [number for number, line in lines if _lists_tools(line)]
    if not found and '"jsonrpc"' not in text:
        return None
    message = f"{shown} holds {len(lines):,} JSON values, one a line, and toolc reads one"
    return _error(text, shown, message, found, "")


def _error(text: str, shown: str, message: str, found: list[int], what: str) -> UserError:
    if not found:
        advice = f"Save {what}the line that is meant in a file of its own, ending in .json."
        return fault("invalid-json", text, shown, 0, message, advice)
    at = sum(len(line) + 1 for line in text.split("\n")[: found[0] - 1])
    if len(found) == 1:
        advice = f"Save {what}line {found[0]}, the answer to tools/list, in a file of its own, ending in .json."
    else:
        which = ", ".join(map(str, found[:9])) + (", …" if len(found) > 9 else "")
        advice = f"Save {what}lines {which}, the answers to tools/list, as one JSON list in a file ending in .json."
    return fault("invalid-json", text, shown, at, message, advice)


def _lines(text: str) -> list[tuple[int, str]]:
    return list(enumerate(text.split("\n"), 1))


def _is_whole(line: str) -> bool:
    return line.lstrip()[:1] in ("{", "[") and _value(line) is not None


def _lists_tools(line: str) -> bool:
    if '"tools"' not in line:
        return False
    value = _value(line)
    messages = value if isinstance(value, list) else [value]
    return any(
        isinstance(holder, dict) and isinstance(holder.get("tools"), list)
        for message in messages
        if isinstance(message, dict)
        for holder in (message, message.get("result"))
    )


def _value(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
