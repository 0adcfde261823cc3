"""What a column takes, as JSON Schema (DATABASES: the type map), for the types that SQLite schemas declare.

SQLite stores what it is given; the declared type says what the application means, and that is what a model should send.
"""

from __future__ import annotations

import re
from typing import Any

from toolc.ir import Schema
from toolc.sources.database.model import Column

_DECLARED = re.compile(r"\s*([^()]*?)\s*(?:\(\s*(\d+)\s*(?:,\s*([+-]?\d+)\s*)?\))?\s*([^()]*)\Z")
# Above this many digits a JSON number loses some on its way through a double.
_EXACT_DIGITS = 15
_BIG_INTEGER: Schema = {"type": ["integer", "string"], "pattern": r"^-?\d+$"}
_DECIMAL_TEXT = r"^-?\d+(\.\d+)?$"
_MOMENT = {"type": "string", "description": "YYYY-MM-DD HH:MM:SS"}

_INTEGER_RANGES = {"TINYINT": 8, "SMALLINT": 16, "INT2": 16, "MEDIUMINT": 24, "INT4": 32}
_INTEGERS = frozenset({"INT", "INTEGER", *_INTEGER_RANGES})
_BIG_INTEGERS = frozenset({"BIGINT", "INT8", "UNSIGNED BIG INT", "LONG"})
_TEXTS = frozenset(
    {"TEXT", "CLOB", "TINYTEXT", "MEDIUMTEXT", "LONGTEXT", "CHAR", "CHARACTER", "VARCHAR", "NCHAR", "NVARCHAR"}
    | {
        "NATIVE CHARACTER",
        "VARYING CHARACTER",
        "CHARACTER VARYING",
        "STRING",
        "CITEXT",
        "NTEXT",
        "VARCHAR2",
        "NVARCHAR2",
    }
)
_DECIMALS = frozenset({"NUMERIC", "DECIMAL", "NUMBER", "DEC", "MONEY", "CURRENCY", "SMALLMONEY"})
_FLOATS = frozenset({"REAL", "DOUBLE", "DOUBLE PRECISION", "FLOAT", "FLOAT4", "FLOAT8"})
_BINARIES = frozenset({"BLOB", "BINARY", "VARBINARY", "TINYBLOB", "MEDIUMBLOB", "LONGBLOB", "BYTEA", "IMAGE"})
_FIXED: dict[str, Schema] = {
    "BOOLEAN": {"type": "boolean"},
    "BOOL": {"type": "boolean"},
    "DATE": {"type": "string", "format": "date"},
    "TIME": {"type": "string", "format": "time"},
    "DATETIME": _MOMENT,
    "TIMESTAMP": _MOMENT,
    "TIMESTAMP WITHOUT TIME ZONE": _MOMENT,
    "TIMESTAMPTZ": {"type": "string", "format": "date-time"},
    "TIMESTAMP WITH TIME ZONE": {"type": "string", "format": "date-time"},
    "UUID": {"type": "string", "format": "uuid"},
    "GUID": {"type": "string", "format": "uuid"},
    "JSON": {},
    "JSONB": {},
    "ANY": {},
    "": {},
}
_TYPE_OF = {bool: "boolean", int: "integer", float: "number", str: "string"}


def schema_of(column: Column) -> Schema:
    """What the column takes when it is not null, with what checks and comments say of it."""
    schema = _declared(column.type.text)
    if schema is None:
        schema = _by_affinity(column.type.text)
    if schema is None:
        schema = {"type": "string"}
    if "enum" in column.bounds:
        schema = _enumerated(column.bounds["enum"], schema)
    else:
        schema = {**schema, **{key: value for key, value in column.bounds.items() if _applies(key, schema)}}
    said = [column.comment, schema.get("description", ""), *(f"Check: {text}" for text in _unsaid(column, schema))]
    description = " ".join(f"{text.rstrip('.')}." for text in said if text)
    rest = {key: value for key, value in schema.items() if key != "description"}
    return {**rest, "description": description} if description else rest


def nullable(schema: Schema) -> Schema:
    """The same, or null."""
    if "type" not in schema:
        return schema
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    result = {**schema, "type": [*kinds, "null"]}
    if "enum" in schema:
        result["enum"] = [*schema["enum"], None]
    return result


def default_of(column: Column, schema: Schema) -> Any:
    """The default as JSON, `NotImplemented` if it is an expression, null, or not of the column's type."""
    if column.default is None or not column.default.literal or column.default.value is None:
        return NotImplemented
    value = column.default.value
    kinds = schema.get("type", list(_TYPE_OF.values()))
    kinds = kinds if isinstance(kinds, list) else [kinds]
    value = _converted(value, kinds)
    fits = _TYPE_OF[type(value)] in kinds or (isinstance(value, int) and "number" in kinds)
    return value if fits and value in schema.get("enum", [value]) else NotImplemented


def is_binary(schema: Schema) -> bool:
    """Whether the column holds bytes, which are left out of reads unless asked for."""
    return "contentEncoding" in schema


def is_known(text: str) -> bool:
    """Whether a declared type says what the column takes."""
    return _declared(text) is not None or _by_affinity(text) is not None


def _declared(text: str) -> Schema | None:
    """What a declared type takes, or None if it is not known."""
    match = _DECLARED.match(text)
    if match is None:
        return None
    words = f"{match[1]} {match[4]}".upper().split()
    unsigned = "UNSIGNED" in words
    name = " ".join(word for word in words if word not in ("UNSIGNED", "SIGNED", "ZEROFILL"))
    size, scale = (int(group) if group else None for group in (match[2], match[3]))
    if " ".join(words) in _BIG_INTEGERS or name in _BIG_INTEGERS:
        return {**_BIG_INTEGER, "minimum": 0, "pattern": r"^\d+$"} if unsigned else _BIG_INTEGER
    if name in _INTEGERS:
        return _integer(_INTEGER_RANGES.get(name), unsigned)
    if name in _TEXTS:
        return {"type": "string", "maxLength": size} if size else {"type": "string"}
    if name in _DECIMALS:
        return _decimal(size, scale or 0)
    if name in _FLOATS:
        return {"type": "number", "minimum": 0} if unsigned else {"type": "number"}
    if name in _BINARIES:
        return {"type": "string", "contentEncoding": "base64"}
    return _FIXED.get(name)


def _by_affinity(text: str) -> Schema | None:
    """What SQLite makes of a type name that it does not know (https://sqlite.org/datatype3.html, 3.1)."""
    upper = text.upper()
    if "INT" in upper:
        return {"type": "integer"}
    if any(word in upper for word in ("CHAR", "CLOB", "TEXT")):
        return {"type": "string"}
    if "BLOB" in upper:
        return {"type": "string", "contentEncoding": "base64"}
    if any(word in upper for word in ("REAL", "FLOA", "DOUB")):
        return {"type": "number"}
    return None


def short_name(column: Column, schema: Schema) -> str:
    """The type in one word, for the compact description of a table."""
    if "enum" in schema:
        return "|".join(str(value) for value in schema["enum"] if value is not None)
    if is_binary(schema):
        return "blob"
    if (given := schema.get("format")) in ("date", "time", "uuid", "date-time"):
        return "datetime" if given == "date-time" else str(given)
    if column.type.text.upper().startswith(("DATETIME", "TIMESTAMP")):
        return "datetime"
    kinds = schema.get("type", "any")
    kind = kinds if isinstance(kinds, str) else kinds[0]
    return {"integer": "int", "string": "text", "boolean": "bool"}.get(kind, kind)


def _integer(bits: int | None, unsigned: bool) -> Schema:
    if bits is None:
        return {"type": "integer", "minimum": 0} if unsigned else {"type": "integer"}
    low, high = (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    if bits == 8:
        high = 255  # TINYINT is signed in MySQL and unsigned in SQL Server; SQLite keeps either
    return {"type": "integer", "minimum": low, "maximum": high}


def _decimal(precision: int | None, scale: int) -> Schema:
    if precision is None:
        return {"type": ["number", "string"], "pattern": _DECIMAL_TEXT}
    if precision > _EXACT_DIGITS:
        if scale == 0:
            return _BIG_INTEGER
        return {"type": "string", "pattern": rf"^-?\d{{1,{max(precision - scale, 1)}}}(\.\d{{1,{scale}}})?$"}
    limit = 10 ** (precision - scale)
    if scale == 0:
        return {"type": "integer", "minimum": 1 - limit, "maximum": limit - 1}
    return {
        "type": "number",
        "exclusiveMinimum": -limit,
        "exclusiveMaximum": limit,
        "description": f"At most {scale} decimals" if scale > 0 else f"Rounded to {10**-scale}s",
    }


def _enumerated(values: list[Any], schema: Schema) -> Schema:
    kinds = list(dict.fromkeys(_TYPE_OF[type(value)] for value in values))
    if schema.get("type") == "boolean" and kinds == ["integer"]:
        return schema  # CHECK (done IN (0, 1)) is how SQLite spells a boolean
    return {"type": kinds[0] if len(kinds) == 1 else kinds, "enum": values} if values else schema


def _applies(keyword: str, schema: Schema) -> bool:
    """Whether a bound means something for the type; a number compared with text never holds in the way it looks."""
    kinds = schema.get("type", [])
    return ("string" in kinds) == keyword.endswith("Length") and kinds != "boolean" and bool(kinds)


def _unsaid(column: Column, schema: Schema) -> list[str]:
    """Conditions that the schema does not say, as words."""
    dropped = [] if "enum" in column.bounds else [key for key in column.bounds if key not in schema]
    return [*column.checks, *(f"{key} {column.bounds[key]}" for key in dropped)]


def _converted(value: Any, kinds: list[str]) -> Any:
    """A literal as the column's affinity stores it: '0' in an integer column is 0, 1 in a boolean one is true."""
    if kinds[0] == "boolean" and value in (0, 1, "0", "1"):
        return bool(int(value))
    if isinstance(value, str) and "string" not in kinds:
        for make in (int, float):
            try:
                return make(value)
            except ValueError:
                continue
    if kinds[0] == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value
