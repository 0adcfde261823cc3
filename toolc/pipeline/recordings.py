"""Recorded calls, read from a file with one JSON value a line, in whatever shape they were logged."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolc.diagnostics import Report
from toolc.ir import Origin, escape

# Keys under which logs keep the name of what was called and its arguments: toolc's own first, then Anthropic tool_use
# and OpenAI function_call, MCP, Gemini functionCall, Bedrock toolUse.
_NAMES = ("operation", "tool", "name", "tool_name", "toolName")
_ARGUMENTS = ("arguments", "input", "args", "tool_input", "toolInput")
# Definitions of tools look like calls, and results are no calls.
_PASSED_OVER = frozenset(
    {"tools", "functions", "toolConfig", "functionDeclarations", "result", "response", "output_schema"}
)
_DEEPEST = 40
_FAILED = ("error", "is_error", "isError")


@dataclass(frozen=True, slots=True)
class Recording:
    """One recorded call: the name it used, its arguments, and where it stands; is_operation: it says it names one."""

    name: str
    arguments: Mapping[str, Any]
    origin: Origin
    is_operation: bool = False


def read(data: bytes, shown: str, report: Report) -> list[Recording]:
    """All calls of a file; shown: its name for diagnostics. A line that holds none is reported at its place."""
    text = data.decode("utf-8-sig", "replace")
    whole = _whole(text)
    if whole is not None:
        return list(_calls(whole, Origin(shown), report))
    found: list[Recording] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        if "\ufffd" in line:
            column = line.index("\ufffd") + 1
            report.warning("invalid-recording", "this line is not UTF-8", Origin(shown, line=number, column=column))
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            column = getattr(error, "colno", 1)
            message = f"this line is no JSON: {getattr(error, 'msg', 'it is nested too deeply')}"
            report.warning(
                "invalid-recording",
                message,
                Origin(shown, line=number, column=column),
                help='write one JSON value a line: {"tool": NAME, "arguments": {…}}',
            )
            continue
        before = len(report.diagnostics)
        calls = list(_calls(value, Origin(shown, line=number, column=_start(line)), report))
        if not calls and len(report.diagnostics) == before:
            report.warning(
                "invalid-recording",
                "this line holds no call",
                Origin(shown, line=number, column=_start(line)),
                help="a call names its `tool` or `operation` and has `arguments`; logs of common APIs are read too",
            )
        found += calls
    return found


def _whole(text: str) -> Any:
    """The value of a file that is one JSON document over several lines, else None."""
    if text.lstrip()[:1] not in ("[", "{") or "\n" not in text.strip():
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _start(line: str) -> int:
    return len(line) - len(line.lstrip()) + 1


def _calls(value: Any, origin: Origin, report: Report, depth: int = 0) -> Iterator[Recording]:
    """Calls anywhere in a value, in the order in which they stand."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _calls(item, _below(origin, index), report, depth + 1)
        return
    if not isinstance(value, dict):
        return
    if any(value.get(key) not in (None, False) for key in _FAILED):
        report.note("failed-recording", "this call failed, so it is no example", origin)
        return
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
    key = next((key for key in _ARGUMENTS if key in value), None)
    if name is not None and key is not None:
        arguments = _arguments(value[key])
        if arguments is None:
            message = f"the arguments of this call of `{name}` are no JSON object"
            report.warning("invalid-recording", message, _below(origin, key))
        else:
            yield Recording(name, arguments, origin, "operation" in value)
        return
    if name is not None and len(value) == 1:
        yield Recording(name, {}, origin, "operation" in value)
        return
    for inner, item in value.items():
        if inner not in _PASSED_OVER:
            yield from _calls(item, _below(origin, inner), report, depth + 1)


def _arguments(value: Any) -> Mapping[str, Any] | None:
    """Arguments as an object; OpenAI sends them as text."""
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else {}
        except (ValueError, RecursionError):
            return None
    return {} if value is None else value if isinstance(value, dict) else None


def _below(origin: Origin, key: str | int) -> Origin:
    """A place inside; where the line is known, the line's start stays the place."""
    return origin if origin.line else Origin(origin.source, f"{origin.pointer}/{escape(str(key))}")
