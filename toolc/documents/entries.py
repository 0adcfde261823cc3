"""Lists whose entries are read one by one: a value that is refused costs the entry it stands in, not the file."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from toolc.diagnostics import Diagnostic, UserError
from toolc.documents.faults import DEEPEST, fault, too_deep, twice
from toolc.ir import Origin

# Where lists of tools stand: a list or request of Anthropic, OpenAI, Gemini, MCP; a JSON-RPC answer; Bedrock; Gemini's
# SDK; OpenAI before 2024. An entry may hold a list itself: Gemini's declarations, OpenAI's namespaces.
PLACES = (("tools",), ("result", "tools"), ("toolConfig", "tools"), ("config", "tools"), ("functions",))
DECLARATIONS = ("functionDeclarations", "function_declarations")
_INNER = (*DECLARATIONS, "tools")

TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
# A pair of surrogates, one that stands alone (group 1), or any other escape.
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)")

Parse = Callable[[str, str], Any]


@dataclass(frozen=True, slots=True)
class Refused:
    """Stands in a list for an entry with a value that is refused. name: its own, where it has one; reason: why."""

    name: str
    reason: str = field(compare=False)
    origin: Origin = field(compare=False)  # which moves where lines above it do
    rule: str = field(compare=False)


def parse(text: str, shown: str, strict: Parse) -> tuple[Any, list[Refused]]:
    """The data of a JSON text, with `Refused` for entries that strict reading refuses; raises UserError."""
    try:
        return strict(text, shown), []
    except UserError as error:
        spans = _spans(text, shown)
        if not spans:
            raise
        pieces, end = [], 0
        for span in spans:
            pieces += [text[end : span.start], "null"]
            end = span.end
        try:
            data = strict("".join((*pieces, text[end:])), shown)
        except UserError:
            raise error from None
        refused = []
        for span in spans:
            holder = data
            for key in span.path[:-1]:
                holder = holder[key]
            cause = span.cause
            holder[span.path[-1]] = entry = Refused(span.name, cause.message, cause.origin or Origin(shown), cause.rule)
            refused.append(entry)
        return data, refused


@dataclass(slots=True)
class _Span:
    """An entry with a fault: its path, where it stands in the text, the first fault in it, and its name."""

    path: tuple[Any, ...]
    start: int
    end: int
    cause: Diagnostic
    name: str = ""


@dataclass(slots=True)
class _Frame:
    """An open mapping or list: where it begins, the key or index it is at, where that value begins, keys seen."""

    is_list: bool
    start: int
    at: Any = None
    value: int | None = None
    keys: set[str] | None = None
    name: str = ""


def _spans(text: str, shown: str) -> list[_Span]:
    """The entries of lists of tools that hold a fault, in their order; none where a fault stands outside of them."""
    frames: list[_Frame] = []
    found: list[_Span] = []
    open_until: int | None = None  # depth of the list whose entry is already known to be bad
    last, last_at = "", 0
    for match in TOKEN.finditer(text):
        part, index = match[0], match.start()
        frame = frames[-1] if frames else None
        if frame and frame.value is None and part not in ":,]}" and (frame.is_list or frame.at is not None):
            frame.value = index
        if part in "{[":
            frames.append(_Frame(part == "[", index, 0 if part == "[" else None, None, set()))
        elif part in ",]}" and frame is not None:
            if open_until == len(frames):
                found[-1].end = index
                open_until = None
            if part == ",":
                frame.at, frame.value = (frame.at + 1 if frame.is_list else None), None
            else:
                frames.pop()
                continue
        before, place, last, last_at = last, last_at, part, index
        if part[0] == '"' and frame and frame.at == "name" and not frame.is_list and len(part) < 200:
            frame.name = _key(part)
        if open_until is not None:
            if part == ":" and frame is not None and not frame.is_list:
                frame.at, frame.value = _key(before), None
            if len(frames) == open_until + 1 and frame and frame.name:
                found[-1].name = frame.name
            continue
        problem = _problem(text, shown, part, place if part == ":" else index, frame, before, len(frames))
        if part == ":" and frame is not None and not frame.is_list:
            frame.at, frame.value = _key(before), None
        if problem is None:
            continue
        depth = _list_of_entries(frames)
        if depth is None:
            return []
        start = frames[depth].value
        path = tuple(frame.at for frame in frames[: depth + 1])
        name = next((frame.name for frame in frames[depth + 1 : depth + 3] if frame.name), "")
        found.append(_Span(path, index if start is None else start, len(text), problem.diagnostics[0], name))
        open_until = depth + 1
    return found if open_until is None else []


def _problem(
    text: str, shown: str, part: str, index: int, frame: _Frame | None, last: str, depth: int
) -> UserError | None:
    """What is refused at one token, if anything."""
    if part in "{[" and depth > DEEPEST:
        return too_deep(text, shown, index)
    if part == ":" and frame is not None and frame.keys is not None:
        key = _key(last)
        if key in frame.keys:
            return twice(text, shown, index, key)
        frame.keys.add(key)
    if part[0] == '"' and "\\u" in part:
        return half_character(text, shown, index, part)
    if part[0] not in '"{}[],:tfn' and not is_number(part):
        return no_number(text, shown, index, part)
    return None


def _list_of_entries(frames: list[_Frame]) -> int | None:
    """The place among the open values of the innermost list of tools."""
    keys = tuple(frame.at for frame in frames)
    first = next((depth for depth, frame in enumerate(frames) if frame.is_list), None)
    if first is None or (first and keys[:first] not in PLACES):
        return None
    inner = first + 2
    if inner < len(frames) and frames[inner].is_list and keys[first + 1] in _INNER:
        return inner
    return first


def _key(part: str) -> str:
    try:
        return str(json.loads(part))
    except ValueError:
        return part


def is_number(part: str) -> bool:
    """Whether a token is a number that JSON can carry."""
    try:
        return math.isfinite(float(part)) if set(part) & set(".eE") else int(part) is not None
    except ValueError:
        return False


def no_number(text: str, shown: str, index: int, part: str) -> UserError:
    """The error for a token that is no finite number."""
    message = f"{part if len(part) < 40 else part[:40] + '…'} is not a number that JSON can carry"
    return fault("invalid-json", text, shown, index, message, "Write a finite number, or text in quotes.")


def half_character(text: str, shown: str, index: int, part: str) -> UserError | None:
    """The error for a text, which begins at the index, with one half of a surrogate pair, if it has any."""
    for match in _ESCAPE.finditer(part):
        if match[1]:
            message = f"\\{match[1]} is half of a character"
            advice = "Write the character itself, or both halves of its escape."
            return fault("invalid-json", text, shown, index + match.start(), message, advice)
    return None
