"""How JSON stands for the values of columns: bound on the way in, read on the way out, by the form of each column.

The forms are those of the table in `toolc.sources.database.binding`, which writes them into the bundle.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Mapping
from typing import Any

Binding = Mapping[str, Any]
# More digits than a float keeps.
_DIGITS = 15


def bound(binding: Binding, given: Any) -> Any:
    """The value to bind; raises ValueError for one that has no form."""
    if given is None:
        return None
    match binding["form"]:
        case "json":
            return json.dumps(given, ensure_ascii=False)
        case "vector":
            return json.dumps(given)
        case "base64":
            return _bytes(given)
        case "boolean":
            return int(given)
        case "bits":
            return int(given, 2)
        case "set":
            return ",".join(given)
        case "map":
            return ", ".join(
                f"{_hstore(key)}=>{'NULL' if text is None else _hstore(text)}" for key, text in given.items()
            )
        case "array":
            return [bound(binding["items"], item) for item in given]
        case "row":
            return tuple(bound(part, given.get(part["name"])) for part in binding["fields"])
        case "text" | "number":
            return given if isinstance(given, str) else json.dumps(given)
    return given


def read(binding: Binding, value: Any) -> Any:
    """The JSON value of what a driver gave."""
    if value is None:
        return None
    match binding.get("form"):
        case "json" | "row" | "vector":
            return _parsed(value)
        case "map":
            return _from_hstore(str(value))
        case "base64":
            return base64.b64encode(value if isinstance(value, bytes | memoryview) else str(value).encode()).decode()
        case "boolean":
            return bool(int.from_bytes(value) if isinstance(value, bytes) else value)
        case "bits":
            return f"{int.from_bytes(value):0{binding['size']}b}"
        case "set":
            return str(value).split(",") if value else []
        case "number":
            return _number(value)
        case "array" if isinstance(value, str):
            return _parsed(value)
        case "array":
            return [read(binding["items"], item) for item in value]
        case "text":
            return _text(value)
    return plain(value)


def plain(value: Any) -> Any:
    """A value that JSON can hold."""
    if isinstance(value, bytes | bytearray | memoryview):
        try:
            return bytes(value).decode()
        except UnicodeDecodeError:
            return base64.b64encode(bytes(value)).decode()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value if isinstance(value, bool | int | float | str | None) else str(value)


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _number(value: Any) -> Any:
    """A number where a float or JSON's readers keep all its digits, else its text."""
    text = _text(value)
    digits = text.strip("-").replace(".", "")
    if not digits.isdecimal() or len(digits.lstrip("0")) > _DIGITS:
        return text
    return float(text) if "." in text else int(text)


def _parsed(value: Any) -> Any:
    try:
        return json.loads(value)
    except (TypeError, ValueError):
        return plain(value)  # SQLite keeps any text in a column of JSON


def _bytes(given: Any) -> bytes:
    try:
        return base64.b64decode("".join(str(given).split()), validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("it has to be base64 text") from None


def _hstore(text: str) -> str:
    escaped = str(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _from_hstore(text: str) -> dict[str, str | None]:
    """What hstore writes as text: `"a"=>"1", "b"=>NULL`, with JSON's escapes of quotes and backslashes."""
    decoder = json.JSONDecoder(strict=False)
    found: dict[str, str | None] = {}
    place = 0
    while place < len(text):
        key, place = decoder.raw_decode(text, place)
        place += len("=>")
        if text.startswith("NULL", place):
            found[key], place = None, place + 4
        else:
            found[key], place = decoder.raw_decode(text, place)
        place += len(", ")
    return found
