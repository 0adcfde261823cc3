"""What SQL expressions come to, where that can be told from the text: literals, with the casts around them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from math import isfinite
from typing import Any

from toolc.sources.database.lexer import Token, tokens
from toolc.sources.database.model import Default, Dialect, Type

NO_LITERAL = object()
_MORE_TYPE_WORDS = frozenset({"VARYING", "PRECISION", "WITHOUT", "WITH", "TIME", "ZONE", "LOCAL"})
_HEX = re.compile(r"0[xX]([0-9a-fA-F]+)|[xX]'([0-9a-fA-F]*)'")
_CONSTANTS = {"TRUE": True, "FALSE": False, "NULL": None}
# Longer expressions are not looked into.
_LONGEST = 4000


def default_of(sql: str, dialect: Dialect, type: Type | None = None) -> Default:
    """A default from its SQL text; with a type, the value is what a column of that type keeps."""
    if len(sql) > _LONGEST:
        return Default(sql)
    found = plain([token for token in tokens(sql, dialect) if token.kind != "end"])
    if type is not None and type.name in ("bit", "varbit") and (bits := _bits(found, type)):
        return Default(sql, True, bits)
    if type is not None and dialect == "mysql" and len(found) == 1 and (digits := _HEX.fullmatch(found[0].text)):
        value = _of_bytes(digits[1] or digits[2], type)
    else:
        value = literal(found)
    if value is not NO_LITERAL and type is not None and value is not None:
        value = _kept(value, type)
    return Default(sql) if value is NO_LITERAL else Default(sql, True, value)


def _bits(found: Sequence[Token], type: Type) -> str:
    """The digits of B'101' as a column of bits keeps them; empty for anything else."""
    found = unwrapped(found)
    if len(found) != 1 or (found[0].text[:1] not in ("b", "B") and found[0].text[:2].lower() != "0b"):
        return ""
    digits = found[0].name if found[0].kind == "string" else found[0].name[2:]
    return digits.zfill(type.arguments[0] if type.name == "bit" and type.arguments else 1)


def _of_bytes(digits: str, type: Type) -> Any:
    """What MySQL's 0x4142 or X'4142' is in a column of a type: a text, or a number."""
    if type.name in _NUMBERS or type.name in ("boolean", "bit"):
        return int(digits or "0", 16)
    try:
        return bytes.fromhex(digits.zfill(len(digits) + len(digits) % 2)).decode()
    except ValueError:
        return NO_LITERAL


def literal(found: Sequence[Token]) -> Any:
    """The value of a literal as JSON, or of a sum or product of whole numbers; `NO_LITERAL` if it is anything else."""
    found = unwrapped(found)
    if len(found) == 2 and found[0].text in ("+", "-") and found[1].kind == "number":
        number = literal(found[1:])
        return number if found[0].text == "+" or number is NO_LITERAL else -number
    if len(found) > 1 and all(token.kind == "string" and token.text[:1] not in ("x", "X", "b", "B") for token in found):
        return "".join(token.name for token in found)  # texts in a row are one
    if len(found) == 2 and found[0].upper in ("DATE", "TIME", "TIMESTAMP") and found[1].kind == "string":
        return found[1].name
    if len(found) != 1:
        return _calculated(found)
    token = found[0]
    if token.kind == "string" and token.text[:1] not in ("x", "X", "b", "B"):
        return token.name
    if token.kind == "quoted" and token.text.startswith('"'):
        return token.name  # SQLite takes it as text
    if token.kind == "string" and token.text[:1] in ("b", "B") and not token.name.strip("01"):
        return int(token.name or "0", 2)
    return _number(token.text) if token.kind == "number" else _CONSTANTS.get(token.upper, NO_LITERAL)


def plain(found: Sequence[Token]) -> list[Token]:
    """Without casts, and without brackets around single names and literals: `((x)::text)` is `x`."""
    out: list[Token] = []
    index = 0
    while index < len(found):
        token = found[index]
        if token.text == "::":
            if out and index + 1 < len(found) and found[index + 1].upper in _NUMBER_TYPES:
                out[-1:] = _as_number(out[-1])
            index = _behind_type(found, index + 1)
            continue
        if token.text == ")" and len(out) > 1 and out[-2].text == "(" and not _calls(out[:-2][-1:]):
            out[-2:] = out[-1:]
        else:
            out.append(token)
        index += 1
    return out


def _as_number(token: Token) -> list[Token]:
    """A text that is cast to a number, as PostgreSQL writes it down: `'-5'::integer`."""
    if token.kind != "string" or _signed(token.name) is NO_LITERAL:
        return [token]
    digits = token.name.strip().lstrip("+-")
    number = Token("number", digits, token.start, digits, digits)
    return [Token("sign", "-", token.start, "-", "-"), number] if token.name.strip().startswith("-") else [number]


def unwrapped(found: Sequence[Token]) -> Sequence[Token]:
    """Without brackets around the whole."""
    depth = 0
    while depth < len(found) // 2 and found[depth].text == "(" and found[-1 - depth].text == ")":
        depth += 1
    if not depth:
        return found
    lowest = level = 0  # how many of the outer brackets stay open to the end
    inner = found[depth : len(found) - depth]
    for token in inner:
        level += {"(": 1, ")": -1}.get(token.text, 0)
        lowest = min(lowest, level)
    kept = -lowest
    return found[depth - kept : len(found) - depth + kept]


def _calls(before: Sequence[Token]) -> bool:
    """Whether brackets behind this token hold arguments or a list."""
    return (
        bool(before) and before[0].kind in ("word", "quoted") and before[0].upper not in ("AND", "OR", "NOT", "CHECK")
    )


def _behind_type(found: Sequence[Token], index: int) -> int:
    index += 1
    while index + 1 < len(found) and found[index].text == ".":
        index += 2
    while index < len(found) and found[index].upper in _MORE_TYPE_WORDS:
        index += 1
    while index < len(found) and found[index].text in ("(", "["):
        closing = ")" if found[index].text == "(" else "]"
        while index < len(found) and found[index].text != closing:
            index += 1
        index += 1
    while index < len(found) and found[index].upper in _MORE_TYPE_WORDS:
        index += 1
    return index


def _calculated(found: Sequence[Token]) -> Any:
    """Sums of products of whole numbers."""
    if len(found) % 2 == 0 or len(found) < 3 or any(token.text not in ("+", "-", "*") for token in found[1::2]):
        return NO_LITERAL
    total, sign, product = 0, 1, _number(found[0].text)
    for operator, operand in zip(found[1::2], found[2::2], strict=True):
        value = _number(operand.text)
        if not isinstance(value, int) or not isinstance(product, int) or abs(product) > 10**30:
            return NO_LITERAL
        if operator.text == "*":
            product *= value
        else:
            total, sign, product = total + sign * product, 1 if operator.text == "+" else -1, value
    return total + sign * product


def _number(text: str) -> Any:
    try:
        return int(text, {"0x": 16, "0b": 2}.get(text[:2].lower(), 10))
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return NO_LITERAL
    return number if isfinite(number) else NO_LITERAL  # JSON has no NaN and no infinity


def _kept(value: Any, type: Type) -> Any:
    """A literal as a column keeps it; `NO_LITERAL` if that cannot be told."""
    if type.dimensions:
        return [] if value == "{}" else NO_LITERAL
    if type.name in ("json", "jsonb") and isinstance(value, str):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return NO_LITERAL
    if type.name == "boolean":
        text = str(value).lower()
        return True if text in ("true", "t", "1", "yes", "on") else False if text in _FALSE else NO_LITERAL
    if type.name in _MOMENTS and str(value).lower() in _SPECIAL:
        return NO_LITERAL
    if type.name in _NUMBERS and isinstance(value, bool):
        return int(value)
    if type.name in _NUMBERS and isinstance(value, str):
        return _signed(value)
    return value


def _signed(text: str) -> Any:
    text = text.strip()
    number = _number(text.lstrip("+-"))
    return -number if text.startswith("-") and number is not NO_LITERAL else number


_NUMBER_TYPES = frozenset(
    {"SMALLINT", "INTEGER", "INT", "BIGINT", "NUMERIC", "DECIMAL", "REAL", "DOUBLE", "FLOAT", "INT2", "INT4", "INT8"}
)
_MOMENTS = frozenset({"date", "time", "timetz", "timestamp", "timestamptz"})
_SPECIAL = ("now", "today", "tomorrow", "yesterday", "allballs", "epoch", "infinity", "-infinity")  # of PostgreSQL
_FALSE = ("false", "f", "0", "no", "off")
_NUMBERS = frozenset({"smallint", "integer", "bigint", "tinyint", "mediumint", "numeric", "real", "double", "float"})
