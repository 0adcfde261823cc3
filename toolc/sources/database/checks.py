"""What CHECK constraints say of single columns, as JSON Schema keywords."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolc.sources.database.lexer import Token
from toolc.sources.database.literals import NO_LITERAL, literal, plain, unwrapped
from toolc.sources.database.model import Dialect

_COMPARISONS = {">=": "minimum", ">": "exclusiveMinimum", "<=": "maximum", "<": "exclusiveMaximum"}
_LENGTHS = ("LENGTH", "CHAR_LENGTH", "CHARACTER_LENGTH", "LEN")
_JSON_KINDS = {"object": "object", "array": "array", "string": "string", "number": "number", "boolean": "boolean"}
# Longer conditions are told in words only, and those longer still not at all in full.
_LONGEST = 3000


@dataclass(slots=True)
class Checks:
    """Of one column: keywords, and the SQL text of what they do not say."""

    bounds: dict[str, Any] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)


def of_columns(conditions: Iterable[Sequence[Token]], columns: Iterable[str], dialect: Dialect) -> dict[str, Checks]:
    """What conditions say of each column, by its name in lower case; one on several columns is in words at each."""
    known = {column.lower() for column in columns}
    found: dict[str, Checks] = {}
    for condition in conditions:
        whole = len(condition) > _LONGEST
        for part in [condition] if whole else _split(unwrapped(plain(condition)), "AND"):
            spoken = (token.name.lower() for token in part if token.kind in ("word", "quoted"))
            named = [name for name in dict.fromkeys(spoken) if name in known]
            meaning = _meaning(part, named[0]) if len(named) == 1 and not whole else None
            if meaning and dialect == "mysql" and part[0].upper == "LENGTH":
                meaning = None  # of bytes there
            for name in named:
                checks = found.setdefault(name, Checks())
                if meaning is not None and meaning.keys().isdisjoint(checks.bounds):
                    checks.bounds |= meaning
                else:
                    checks.words.append(sql(part))
    return found


def sql(found: Sequence[Token]) -> str:
    """Tokens as SQL text with single blanks."""
    parts: list[str] = []
    before = "("
    for token in found:
        text = token.text
        glued = before in ("(", ".", "[", "::") or text in ("(", ")", ",", ".", "[", "]", "::")
        parts.append(text if glued else f" {text}")
        before = text
    return "".join(parts)


def _closing(found: Sequence[Token], opening: int) -> int:
    """The index of the bracket that closes the one at `opening`."""
    depth = 0
    for index in range(opening, len(found)):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(found[index].text, 0)
        if depth == 0:
            return index
    return len(found)


def _split(found: Sequence[Token], joint: str) -> list[Sequence[Token]]:
    """The operands of a chain of AND or OR outside brackets; the AND of BETWEEN does not join conditions."""
    depth, between, start = 0, False, 0
    parts: list[Sequence[Token]] = []
    for index, token in enumerate(found):
        depth += {"(": 1, ")": -1, "CASE": 1, "END": -1}.get(token.upper, 0)
        if depth:
            continue
        if joint == "AND" and token.upper == "OR":
            return [found]
        if token.upper == "BETWEEN":
            between = True
        elif token.upper == "AND" and between:
            between = False
        elif token.upper == joint:
            parts.append(unwrapped(found[start:index]))
            start = index + 1
    return [*parts, unwrapped(found[start:])]


def _names(token: Token, name: str) -> bool:
    return token.kind in ("word", "quoted") and token.name.lower() == name


def _meaning(found: Sequence[Token], name: str) -> dict[str, Any] | None:
    """The keywords that say the same as one condition on the column, or None."""
    parts = _split(found, "OR")
    if len(parts) > 1:
        return _either(parts, name)
    if len(found) > 2 and _names(found[0], name):
        return _comparison(found[1:])
    shape = [token.upper for token in found[:4]]
    if len(found) > 4 and shape[1] == "(" and _names(found[2], name):
        if shape[0] in _LENGTHS and shape[3] == ")":
            return _length(_comparison(found[4:]))
        if shape[0] in ("JSONB_TYPEOF", "JSON_TYPEOF") and shape[3] == ")":
            return _json_kind(_comparison(found[4:]))
        if shape[0] == "REGEXP_LIKE" and shape[3] == "," and len(found) == 6:
            return _pattern(found[4])
    return {} if shape[:2] == ["JSON_VALID", "("] else None


def _either(parts: list[Sequence[Token]], name: str) -> dict[str, Any] | None:
    """`x IS NULL OR …` (whether null is allowed is said by the column itself), or `x = 1 OR x = 2`."""
    rest = [part for part in parts if [token.upper for token in part[1:]] != ["IS", "NULL"]]
    if len(rest) == 1:
        return _meaning(rest[0], name)
    values: list[Any] = []
    for part in rest:
        meaning = _comparison(part[1:]) if len(part) > 2 and _names(part[0], name) else None
        if meaning is None or meaning.keys() != {"enum"}:
            return None
        values += meaning["enum"]
    return {"enum": list(dict.fromkeys(values))}


def _comparison(found: Sequence[Token]) -> dict[str, Any] | None:
    if len(found) < 2:
        return None
    operator, rest = found[0].upper, found[1:]
    if operator == "IN" and rest[0].text == "(" and _closing(rest, 0) == len(rest) - 1:
        return _one_of(rest[1:-1])
    if operator == "=" and rest[0].upper == "ANY" and len(rest) > 3:
        inside = unwrapped(rest[1:])
        if [token.upper for token in inside[:2]] == ["ARRAY", "["] and inside[-1].text == "]":
            return _one_of(inside[2:-1])
        return None
    if operator == "BETWEEN":
        middle = next((i for i, token in enumerate(rest) if token.upper == "AND"), None)
        if middle is None:
            return None
        low, high = literal(rest[:middle]), literal(rest[middle + 1 :])
        return {"minimum": low, "maximum": high} if _is_number(low) and _is_number(high) else None
    if operator in ("~", "REGEXP", "RLIKE") and len(rest) == 1:
        return _pattern(rest[0])
    value = literal(rest)
    if operator in _COMPARISONS and _is_number(value):
        return {_COMPARISONS[operator]: value}
    if operator in ("=", "==") and value is not NO_LITERAL and value is not None:
        return {"enum": [value]}
    return None


def _one_of(found: Sequence[Token]) -> dict[str, Any] | None:
    values = [literal(part) for part in _by_comma(found)]
    if any(value is NO_LITERAL for value in values):
        return None
    return {"enum": list(dict.fromkeys(value for value in values if value is not None))}


def _pattern(token: Token) -> dict[str, Any] | None:
    """A regular expression, if JSON Schema reads it alike: no classes of POSIX, no flags inside."""
    if token.kind != "string" or "[[:" in token.name or "(?" in token.name or "\\m" in token.name:
        return None
    return {"pattern": token.name}


def _length(bounds: dict[str, Any] | None) -> dict[str, Any] | None:
    """Bounds on a length, as JSON Schema says them."""
    if bounds is None:
        return None
    if "enum" in bounds:
        sizes = bounds["enum"]
        return {"minLength": sizes[0], "maxLength": sizes[0]} if len(sizes) == 1 and isinstance(sizes[0], int) else None
    steps = {
        "minimum": ("minLength", 0),
        "exclusiveMinimum": ("minLength", 1),
        "maximum": ("maxLength", 0),
        "exclusiveMaximum": ("maxLength", -1),
    }
    if not all(isinstance(value, int) for value in bounds.values()):
        return None
    return {steps[key][0]: max(value + steps[key][1], 0) for key, value in bounds.items()}


def _json_kind(bounds: dict[str, Any] | None) -> dict[str, Any] | None:
    kinds = [_JSON_KINDS.get(kind) for kind in (bounds or {}).get("enum", [])]
    if not kinds or None in kinds:
        return None
    return {"type": kinds[0] if len(kinds) == 1 else kinds}


def _by_comma(found: Sequence[Token]) -> list[Sequence[Token]]:
    parts: list[list[Token]] = [[]]
    for token in found:
        if token.text == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return list(parts)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
