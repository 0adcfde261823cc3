"""How values are written into a path, a query, a header or a form: the styles of OpenAPI (RFC 6570 for most of them).

Null means undefined, as in RFC 6570: it is left out, alone or inside a value. What no style defines, a list or object
inside a list or object, is written as JSON text, but for lists of Swagger 2.0 that say how (`nested`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import quote

Encode = Callable[[str], str]
Pair = tuple[str, str]

# Swagger 2.0's collection formats may stand anywhere; OpenAPI 3 has these in a query only.
_DELIMITERS = {"spaceDelimited": " ", "pipeDelimited": "|", "tabDelimited": "\t"}
_TRIPLET = re.compile(r"(%[0-9A-Fa-f]{2})")
_EXACT = 2**53  # the first integer that a float may have been rounded to


def explodes(style: str) -> bool:
    """OpenAPI's default of `explode`."""
    return style in ("form", "cookie")


def percent(text: str) -> str:
    """Every character but the unreserved ones percent-encoded."""
    return quote(text, safe="")


def field_name(name: str) -> str:
    """A name of a query or form; brackets stand as they are, as OpenAPI's own examples have them."""
    return quote(name, safe="[]$")


def reserved(keep: str) -> Encode:
    """An encoder for `allowReserved`: these characters and whole percent-encoded triplets pass as they are."""

    def encode(text: str) -> str:
        parts = _TRIPLET.split(text)
        return "".join(part if index % 2 else quote(part, safe=keep) for index, part in enumerate(parts))

    return encode


def text(value: Any) -> str:
    """A single value as text; an integer written as 1.0 is sent as 1, since many servers refuse the point."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    return compact(value)


def compact(value: Any) -> str:
    """JSON text in ASCII, so that it may stand in a header too; raises ValueError for what JSON has no number for."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


class _Written(str):
    """A list inside of a list, written already."""

    __slots__ = ()


def nested(value: Any, inner: Sequence[str], encode: Encode, kept: str = ",|") -> tuple[Any, Encode]:
    """The value with the lists inside of its list written, each in its style, and an encoder that leaves these alone.

    kept: delimiters that stand as they are.
    """
    if not inner or not isinstance(value, list):
        return value, encode
    found = [_Written(_joined(item, inner, encode, kept)) if isinstance(item, list) else item for item in value]
    return found, encode if encode is str else lambda text: text if isinstance(text, _Written) else encode(text)


def _joined(items: list[Any], inner: Sequence[str], encode: Encode, kept: str) -> str:
    delimiter = _DELIMITERS.get(inner[0], ",")
    written = (
        _joined(item, inner[1:], encode, kept) if isinstance(item, list) and inner[1:] else encode(text(item))
        for item in items
        if item is not None
    )
    return (delimiter if delimiter in kept or encode is str else percent(delimiter)).join(written)


def in_path(name: str, value: Any, style: str, explode: bool, encode: Encode) -> str:
    """The text that replaces a path variable."""
    if style == "label":
        joined = plain(value, explode, encode, "." if explode else ",")
        return "" if joined is None else "." + joined
    if style == "matrix":
        found = pairs(name, value, "form", explode, encode)
        return "".join(f";{key}={item}" if item else f";{key}" for key, item in found)
    delimiter = _DELIMITERS.get(style, "")
    return plain(value, explode, encode, percent(delimiter) if delimiter else ",") or ""


def in_header(value: Any, style: str, explode: bool) -> str | None:
    """The text of a header, as it is; None for no header."""
    return plain(value, explode, str, _DELIMITERS.get(style, ","))


def plain(value: Any, explode: bool, encode: Encode, delimiter: str) -> str | None:
    """A value without its name; `explode` joins the members of an object with `=`. None for nothing to write."""
    if isinstance(value, dict):
        members = [(encode(key), encode(text(item))) for key, item in value.items() if item is not None]
        parts = [f"{key}={item}" for key, item in members] if explode else [part for pair in members for part in pair]
        return delimiter.join(parts) if parts else None
    if isinstance(value, list):
        parts = [encode(text(item)) for item in value if item is not None]
        return delimiter.join(parts) if parts else None
    return None if value is None else encode(text(value))


def pairs(name: str, value: Any, style: str, explode: bool, encode: Encode) -> list[Pair]:
    """A value as names and values of a query, cookie or form, both encoded."""
    key = field_name(name) if encode is not str else name
    if style == "deepObject" and isinstance(value, dict | list):
        return list(_deep(key, value, encode))
    if explode and isinstance(value, list):
        return [(key, encode(text(item))) for item in value if item is not None]
    if explode and isinstance(value, dict):
        return [
            (encode(member), encode(text(item)))
            for member, held in value.items()
            for item in (held if isinstance(held, list) else [held])
            if item is not None
        ]
    # A pipe stands as it is, as OpenAPI's own examples have it; no URL can hold a space or a tab.
    delimiter = _DELIMITERS.get(style, ",")
    joined = plain(value, False, encode, delimiter if delimiter in ",|" else percent(delimiter))
    return [] if joined is None else [(key, joined)]


def _deep(key: str, value: Any, encode: Encode) -> Iterator[Pair]:
    """`key[member]=value`; deeper levels and lists, which OpenAPI leaves open, as `key[a][b]` and `key[0]`."""
    if isinstance(value, dict):
        for member, item in value.items():
            yield from _deep(f"{key}[{encode(member)}]", item, encode)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _deep(f"{key}[{index}]", item, encode)
    elif value is not None:
        yield key, encode(text(value))
