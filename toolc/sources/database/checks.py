"""What CHECK constraints say of single columns, as JSON Schema keywords."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolc.sources.database.model import Check
from toolc.sources.database.statements import Body, Token, tokens

_COMPARISONS = {">=": "minimum", ">": "exclusiveMinimum", "<=": "maximum", "<": "exclusiveMaximum"}
_NO_LITERAL = object()


@dataclass(slots=True)
class Checks:
    """Of one column: keywords, and the SQL text of what they do not say."""

    bounds: dict[str, Any] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)


def of_columns(body: Body) -> dict[str, Checks]:
    """The checks of a table by their column's name in lower case; one of several columns is in words at each."""
    columns = {item.name.lower() for item in body.items if item.name}
    found: dict[str, Checks] = {}
    for item in body.items:
        for expression in _expressions(item.tokens):
            for part in _split(_unwrapped(expression), "AND"):
                spoken = (token.name.lower() for token in part if token.kind in ("word", "quoted"))
                named = [name for name in dict.fromkeys(spoken) if name in columns]
                meaning = _meaning(part, named[0]) if len(named) == 1 else None
                for name in named:
                    checks = found.setdefault(name, Checks())
                    if meaning is not None and meaning.keys().isdisjoint(checks.bounds):
                        checks.bounds |= meaning
                    else:
                        checks.words.append(_sql(part))
    return found


def of_table(body: Body) -> tuple[Check, ...]:
    """The checks of a table, as SQL text."""
    columns = {item.name.lower(): item.name for item in body.items if item.name}
    found = []
    for item in body.items:
        for expression in _expressions(item.tokens):
            spoken = (token.name.lower() for token in expression if token.kind in ("word", "quoted"))
            named = tuple(columns[name] for name in dict.fromkeys(spoken) if name in columns)
            found.append(Check(_sql(expression), named))
    return tuple(found)


def value_of(sql: str) -> tuple[bool, Any]:
    """Whether an SQL text is a literal (no expression, no blob), and its value as JSON."""
    value = _literal(_unwrapped([token for token in tokens(sql) if token.kind != "comment"]))
    return (False, None) if value is _NO_LITERAL else (True, value)


def _literal(found: Sequence[Token]) -> Any:
    if len(found) == 2 and found[0].text in "+-" and found[1].kind == "number":
        number = _literal(found[1:])
        return number if found[0].text == "+" or number is _NO_LITERAL else -number
    if len(found) != 1:
        return _NO_LITERAL
    token = found[0]
    if token.kind == "string" or (token.kind == "quoted" and token.text.startswith('"')):
        return token.name
    if token.kind == "number":
        try:
            return int(token.text, 16 if token.text[:2] in ("0x", "0X") else 10)
        except ValueError:
            pass
        try:
            return float(token.text)
        except ValueError:
            return _NO_LITERAL
    return {"TRUE": True, "FALSE": False, "NULL": None}.get(token.upper, _NO_LITERAL)


def _expressions(found: Sequence[Token]) -> Iterator[list[Token]]:
    """What stands in the brackets behind each CHECK."""
    for index, token in enumerate(found):
        if token.upper == "CHECK" and index + 1 < len(found) and found[index + 1].text == "(":
            yield list(found[index + 2 : _closing(found, index + 1)])


def _closing(found: Sequence[Token], opening: int) -> int:
    """The index of the bracket that closes the one at `opening`."""
    depth = 0
    for index in range(opening, len(found)):
        depth += {"(": 1, ")": -1}.get(found[index].text, 0)
        if depth == 0:
            return index
    return len(found)


def _unwrapped(found: Sequence[Token]) -> Sequence[Token]:
    while len(found) > 1 and found[0].text == "(" and _closing(found, 0) == len(found) - 1:
        found = found[1:-1]
    return found


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
            parts.append(_unwrapped(found[start:index]))
            start = index + 1
    return [*parts, _unwrapped(found[start:])]


def _names(token: Token, name: str) -> bool:
    return token.kind in ("word", "quoted") and token.name.lower() == name


def _meaning(found: Sequence[Token], name: str) -> dict[str, Any] | None:
    """The keywords that say the same as one condition on the column, or None."""
    parts = _split(found, "OR")
    if len(parts) == 2:  # `x IS NULL OR …`: whether null is allowed is said by the column itself
        rest = [part for part in parts if [token.upper for token in part[1:]] != ["IS", "NULL"]]
        return _meaning(rest[0], name) if len(rest) == 1 else None
    if len(found) > 2 and _names(found[0], name):
        return _comparison(found[1:])
    shape = [token.upper for token in found[:4]]
    if len(found) > 5 and shape[:2] == ["LENGTH", "("] and _names(found[2], name) and shape[3] == ")":
        return _length(_comparison(found[4:]))
    return None


def _comparison(found: Sequence[Token]) -> dict[str, Any] | None:
    operator, rest = found[0].upper, found[1:]
    if operator == "IN" and rest[0].text == "(" and _closing(rest, 0) == len(rest) - 1:
        values = [_literal(part) for part in _by_comma(rest[1:-1])]
        if any(value is _NO_LITERAL for value in values):
            return None
        return {"enum": list(dict.fromkeys(value for value in values if value is not None))}
    if operator == "BETWEEN":
        middle = next((i for i, token in enumerate(rest) if token.upper == "AND"), None)
        if middle is None:
            return None
        low, high = _literal(rest[:middle]), _literal(rest[middle + 1 :])
        return {"minimum": low, "maximum": high} if _number(low) and _number(high) else None
    value = _literal(rest)
    if operator in _COMPARISONS and _number(value):
        return {_COMPARISONS[operator]: value}
    if operator in ("=", "==") and value is not _NO_LITERAL and value is not None:
        return {"enum": [value]}
    return None


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


def _by_comma(found: Sequence[Token]) -> list[Sequence[Token]]:
    parts: list[list[Token]] = [[]]
    for token in found:
        if token.text == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return list(parts)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _sql(found: Sequence[Token]) -> str:
    text = ""
    for token in found:
        glue = "" if not text or text.endswith(("(", ".")) or token.text in "(),." else " "
        text += glue + token.text
    return text
