"""Strings that match a regular expression, read off its parse tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

MOST_REPEATS = 3  # beyond the least number of repeats


@lru_cache(maxsize=4096)
def samples(pattern: str) -> tuple[str, ...]:
    """A short and a longer match; empty for what Python cannot parse or this cannot follow (lookarounds).

    A pattern is searched for, not anchored (JSON Schema validation §6.3.3); every string is checked to match.
    """
    translated = re.sub(r"\\p\{[^}]*\}", "a", re.sub(r"\(\?<(?![=!])", "(?P<", pattern))
    try:
        compiled = re.compile(translated)
        tree: Any = re._parser.parse(translated)  # type: ignore[attr-defined]
    except (re.error, RecursionError, OverflowError):
        return ()
    found = []
    for extra in (0, 1, MOST_REPEATS):
        try:
            text = "".join(_walk(tree, extra, {}))
        except (NotImplementedError, RecursionError):
            continue
        if compiled.search(text) and text not in found:
            found.append(text)
    return tuple(found)


def _walk(tree: Any, extra: int, groups: dict[int, str]) -> Iterator[str]:
    for kind, value in tree:
        name = str(kind)
        if name == "LITERAL":
            yield chr(value)
        elif name == "NOT_LITERAL":
            yield "a" if value != ord("a") else "b"
        elif name == "ANY":
            yield "a"
        elif name == "IN":
            yield _member(value)
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, inner = value
            for _ in range(min(int(most), int(least) + extra)):
                yield from _walk(inner, extra, groups)
        elif name == "SUBPATTERN":
            text = "".join(_walk(value[3], extra, groups))
            if value[0] is not None:
                groups[value[0]] = text
            yield text
        elif name == "ATOMIC_GROUP":
            yield from _walk(value, extra, groups)
        elif name == "BRANCH":
            branches = value[1]
            yield from _walk(branches[extra % len(branches)], extra, groups)
        elif name == "GROUPREF":
            yield groups.get(value, "")
        elif name == "CATEGORY":
            yield _of_category(str(value))
        elif name == "AT" or (name == "ASSERT_NOT"):
            continue
        else:
            raise NotImplementedError(name)


def _member(items: Any) -> str:
    """A character of a class; for a negated one, the first printable that is not in it."""
    negated = bool(items) and str(items[0][0]) == "NEGATE"
    if not negated:
        kind, value = items[0]
        if str(kind) == "RANGE":
            return chr(value[0])
        return _of_category(str(value)) if str(kind) == "CATEGORY" else chr(value)
    source = re.compile("[" + "".join(map(_class_text, items[1:])) + "]")
    return next((c for c in map(chr, range(33, 127)) if not source.match(c)), "\u00e9")


def _class_text(item: Any) -> str:
    kind, value = str(item[0]), item[1]
    if kind == "RANGE":
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    if kind == "CATEGORY":
        return {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}.get(str(value).removeprefix("CATEGORY_"), "")
    return re.escape(chr(value))


def _of_category(name: str) -> str:
    return {
        "CATEGORY_DIGIT": "7",
        "CATEGORY_SPACE": " ",
        "CATEGORY_WORD": "w",
        "CATEGORY_NOT_DIGIT": "d",
        "CATEGORY_NOT_SPACE": "s",
        "CATEGORY_NOT_WORD": "-",
    }.get(name, "a")
