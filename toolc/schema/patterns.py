"""Makes regular expressions usable by the validator's engine, or takes them out and says so.

JSON Schema takes ECMA-262 patterns. The engine refuses some that every browser takes (`[\\w-.]`) and some that come
from other languages (`\\Z`, atomic groups). A pattern that no engine here can run would cost its whole tool.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Protocol

from toolc.ir import Origin, Schema
from toolc.schema import walk
from toolc.schema.validator import invalid_because

RULE = "unusable-pattern"

LONGEST = 20_000  # characters; one of 10 million takes the engine 11 s and 3 GB

_QUANTIFIER = re.compile(r"\{\d+(?:,\d*)?\}")
_OPEN_COUNT = re.compile(r"\{,\d+\}")
_SURROGATES = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_BRACED = re.compile(r"\\[upPx]\{\w[\w=]*\}")
_CLASS_ESCAPES = frozenset("dDsSwW")


class Warns(Protocol):
    """What is needed of a `Report`, which is above this layer."""

    def warning(self, rule: str, message: str, origin: Origin | None = None, help: str = "") -> None:
        """Take a warning."""


def usable_patterns(schema: Schema, report: Warns, origin: Origin) -> Schema:
    """The schema with every pattern repaired or, with a warning, dropped; the same object if all are usable.

    A repair never changes what an ECMA engine would accept. A dropped `patternProperties` entry takes
    `additionalProperties` and `unevaluatedProperties` along: they would refuse what the entry let through.
    """
    if not any(_unusable(pattern) for _, inner in walk.descend(schema) for pattern in _patterns(inner)):
        return schema
    for path, inner in walk.descend(schema):
        for pattern in _patterns(inner):
            if _unusable(pattern) and repaired(pattern) is None:
                place = ("pattern",) if inner.get("pattern") == pattern else ("patternProperties", pattern)
                report.warning(
                    RULE,
                    f"the pattern `{pattern:.200}` cannot be run here and is left out",
                    origin.at(*path, *place),
                    help="write it as a JavaScript regular expression without look-behind tricks or very large counts",
                )
    return walk.rebuild(schema, _fix)


@lru_cache(maxsize=4096)
def repaired(pattern: str) -> str | None:
    """The pattern in a form that the engine takes and that means the same; None if there is none for certain."""
    if not _unusable(pattern):
        return pattern
    if len(pattern) > LONGEST:
        return None
    text = _SURROGATES.sub(_code_point, pattern)
    if text.endswith("\\Z") and not text.endswith("\\\\Z"):
        text = text[:-2] + "$"  # Python's end of text; nobody means the letter Z
    text = _rewrite(text)
    return None if _unusable(text) else text


@lru_cache(maxsize=16384)
def _unusable(pattern: str) -> bool:
    return len(pattern) > LONGEST or bool(invalid_because({"pattern": pattern}))


def _patterns(schema: Schema) -> list[str]:
    found = []
    if isinstance(pattern := schema.get("pattern"), str):
        found.append(pattern)
    if isinstance(holder := schema.get("patternProperties"), dict):
        found.extend(holder)
    return found


def _fix(schema: Schema) -> Schema:
    if not any(map(_unusable, _patterns(schema))):
        return schema
    result = dict(schema)
    if isinstance(pattern := result.get("pattern"), str):
        del result["pattern"]
        if (text := repaired(pattern)) is not None:
            result["pattern"] = text
    if isinstance(holder := result.get("patternProperties"), dict):
        kept = {text: value for key, value in holder.items() if (text := repaired(key)) is not None}
        result["patternProperties"] = kept
        if len(kept) < len(holder):
            result.pop("additionalProperties", None)
            result.pop("unevaluatedProperties", None)
    return result


def _code_point(match: re.Match[str]) -> str:
    high, low = (int(half, 16) for half in match.groups())
    return f"\\u{{{0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00):X}}}"


def _rewrite(pattern: str) -> str:
    """Escapes what ECMA takes literally without an escape and the engine does not."""
    out: list[str] = []
    index = 0
    while index < len(pattern):
        char = pattern[index]
        if braced := _BRACED.match(pattern, index):
            out.append(braced[0])
            index = braced.end()
        elif char == "\\":
            piece = _escape(pattern, index)
            out.append(piece if piece is not None else pattern[index : index + 2])
            index += 2
        elif pattern.startswith("[^]", index):
            out.append(r"[\s\S]")
            index += 3
        elif char == "[":
            end = _class_end(pattern, index)
            out.append(_rewrite_class(pattern[index:end]))
            index = end
        elif char == "{":
            literal = not _QUANTIFIER.match(pattern, index) and not _OPEN_COUNT.match(pattern, index)
            out.append("\\{" if literal else "{")
            index += 1
        else:
            out.append(char)
            index += 1
    return "".join(out)


def _escape(pattern: str, index: int, in_class: bool = False) -> str | None:
    """Another spelling of the escape at this place, or None to keep it."""
    following = pattern[index + 1 : index + 2]
    if following == "0" and not pattern[index + 2 : index + 3].isdigit():
        return r"\x00"
    if following == "b" and in_class:
        return r"\x08"
    return following if following and not following.isascii() else None


def _class_end(pattern: str, start: int) -> int:
    index = start + 1
    while index < len(pattern) and pattern[index] != "]":
        index += 2 if pattern[index] == "\\" else 1
    return index + 1


def _rewrite_class(text: str) -> str:
    """A bracket expression in which a hyphen beside `\\w` and its like is a plain hyphen, as browsers take it."""
    out: list[str] = []
    index = 0
    after_escape = False
    while index < len(text):
        char = text[index]
        if char == "\\":
            piece = _escape(text, index, in_class=True)
            out.append(piece if piece is not None else text[index : index + 2])
            after_escape = text[index + 1 : index + 2] in _CLASS_ESCAPES
            index += 2
            continue
        before_escape = text[index + 1 : index + 2] == "\\" and text[index + 2 : index + 3] in _CLASS_ESCAPES
        out.append("\\-" if char == "-" and (after_escape or before_escape) else char)
        after_escape = False
        index += 1
    return "".join(out)
