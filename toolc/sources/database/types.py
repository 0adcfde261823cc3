"""What a column takes, as JSON Schema: the type map of every dialect.

Ranges are those of the manuals: PostgreSQL 18 chapter 8, MySQL 8.4 chapter 13, MariaDB 11 data types, T-SQL and Oracle
data types. SQLite stores what it is given; the declared type says what the application means, and that is what a model
should send.
"""

from __future__ import annotations

from typing import Any

from toolc.ir import Schema
from toolc.sources.database.model import Column, Dialect, Type

# Above this many digits a JSON number loses some on its way through a double.
_EXACT_DIGITS = 15
_BIG_INTEGER: Schema = {"type": ["integer", "string"], "pattern": r"^-?\d+$"}
_BIG_UNSIGNED: Schema = {"type": ["integer", "string"], "minimum": 0, "pattern": r"^\d+$"}
_DECIMAL_TEXT = r"^-?\d+(\.\d+)?$"
_TEXT: Schema = {"type": "string"}
MOMENT: Schema = {"type": "string", "description": "YYYY-MM-DD HH:MM:SS"}
_BASE64: Schema = {"type": "string", "contentEncoding": "base64"}

_BITS = {"tinyint": 8, "smallint": 16, "mediumint": 24, "integer": 32}
_TEXTS = frozenset(
    {"char", "varchar", "nchar", "nvarchar", "text", "tinytext", "mediumtext", "longtext", "clob", "nclob", "ntext"}
    | {"citext", "string", "name"}
)
_BINARIES = frozenset(
    {"bytea", "blob", "tinyblob", "mediumblob", "longblob", "binary", "varbinary", "image", "bfile", "rowversion"}
)
_SPATIAL = frozenset(
    {
        "geometry",
        "geography",
        "sdo_geometry",
        "geometrycollection",
        "geomcollection",
        "multipoint",
        "multilinestring",
        "multipolygon",
    }
)
# Spatial in MySQL; in PostgreSQL types of its own, written as text.
_SHAPES = frozenset({"point", "linestring", "polygon", "line", "lseg", "box", "path", "circle"})
_PLAIN_TEXT = frozenset(
    {"inet", "inet4", "inet6", "cidr", "macaddr", "macaddr8", "xml", "xmltype", "ltree", "lquery", "ltxtquery"}
    | {"tsquery", "jsonpath", "regclass", "regtype", "regproc", "regrole", "regnamespace", "pg_lsn", "xid", "tid"}
    | {"int4range", "int8range", "numrange", "tsrange", "tstzrange", "daterange", "int4multirange", "int8multirange"}
    | {"nummultirange", "tsmultirange", "tstzmultirange", "datemultirange", "sparsevec", "cube", "isbn", "rowid"}
    | {"urowid", "hierarchyid", "refcursor", "pg_snapshot", "txid_snapshot"}
)
_FIXED: dict[str, Schema] = {
    "boolean": {"type": "boolean"},
    "real": {"type": "number"},
    "double": {"type": "number"},
    "float": {"type": "number"},
    "date": {"type": "string", "format": "date"},
    "time": {"type": "string", "format": "time"},
    "timetz": {"type": "string", "format": "time"},
    "timestamp": MOMENT,
    "datetime": MOMENT,
    "timestamptz": {"type": "string", "format": "date-time"},
    "interval": {"type": "string", "description": "Such as 3 days 04:05:06"},
    "uuid": {"type": "string", "format": "uuid"},
    "guid": {"type": "string", "format": "uuid"},
    "json": {},
    "jsonb": {},
    "any": {},
    "sql_variant": {},
    "hstore": {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
    "oid": {"type": "integer", "minimum": 0, "maximum": 2**32 - 1},
    "year": {"type": "integer", "minimum": 0, "maximum": 2155},
}
_TYPE_OF: dict[type, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def schema_of(column: Column, dialect: Dialect) -> Schema:
    """What the column takes when it is not null, with what checks and comments say of it."""
    schema = of_type(column.type, dialect)
    if schema is None:
        schema = _TEXT
    if "enum" in column.bounds and not column.type.dimensions:
        schema = _enumerated(column.bounds["enum"], schema)
    else:
        # in one order, however the checks were written or kept
        bounds = {key: value for key, value in sorted(column.bounds.items()) if _applies(key, value, schema)}
        schema = {**schema, **bounds}
    said = [column.comment, schema.get("description", ""), *(f"Check: {text}" for text in _unsaid(column, schema))]
    description = " ".join(f"{text.rstrip('.')}." for text in said if text)
    rest = {key: value for key, value in schema.items() if key != "description"}
    return {**rest, "description": description} if description else rest


def of_type(kind: Type, dialect: Dialect) -> Schema | None:
    """What a type takes, or None for one that is not known."""
    item = _scalar(kind, dialect)
    if item is None and dialect == "sqlite":
        item = _by_affinity(kind.text)
    for _ in range(kind.dimensions if item is not None else 0):
        item = {"type": "array", "items": item}
    return item


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
    kinds = schema.get("type", list(_TYPE_OF.values()))
    kinds = kinds if isinstance(kinds, list) else [kinds]
    value = _converted(column.default.value, kinds, column.type)
    fits = _TYPE_OF.get(type(value)) in kinds or (isinstance(value, int) and "number" in kinds)
    return (
        value if fits and "contentEncoding" not in schema and value in schema.get("enum", [value]) else NotImplemented
    )


def is_binary(schema: Schema) -> bool:
    """Whether the column holds bytes, which are left out of reads unless asked for."""
    inner = schema.get("items", schema)
    return "contentEncoding" in inner


def is_writable(kind: Type, dialect: Dialect) -> bool:
    """Whether a value of the type can be given as JSON; search vectors and shapes only be read."""
    return not (kind.name in ("tsvector", "rowversion") or is_spatial(kind, dialect))


def is_spatial(kind: Type, dialect: Dialect) -> bool:
    """Whether it is a shape on a map, read as well-known text."""
    return dialect != "sqlite" and (kind.name in _SPATIAL or (dialect == "mysql" and kind.name in _SHAPES))


def short_name(column: Column, schema: Schema) -> str:
    """The type in one word, for the compact description of a table."""
    array = "[]" * column.type.dimensions
    for _ in range(column.type.dimensions):
        schema = schema.get("items", {})
    if "enum" in schema:
        return "|".join(str(value) for value in schema["enum"] if value is not None) + array
    if is_binary(schema):
        return "blob" + array
    if column.type.name in ("vector", "halfvec", "set", "interval"):
        return column.type.name + array
    if column.type.name in ("json", "jsonb"):
        return "json" + array
    if (given := schema.get("format")) in ("date", "time", "uuid", "date-time"):
        return ("datetime" if given == "date-time" else str(given)) + array
    if column.type.name in ("datetime", "timestamp"):
        return "datetime" + array
    kinds = schema.get("type", "any")
    kind = kinds if isinstance(kinds, str) else kinds[0]
    return {"integer": "int", "string": "text", "boolean": "bool"}.get(kind, kind) + array


def _scalar(kind: Type, dialect: Dialect) -> Schema | None:
    """What one value takes, whatever the dimensions."""
    name, size = kind.name, kind.arguments[0] if kind.arguments else None
    if name in _BITS:
        return _integer(name, kind.unsigned, dialect)
    if name == "bigint":
        return _BIG_UNSIGNED if kind.unsigned else _BIG_INTEGER
    if name == "numeric":
        return _decimal(kind, dialect)
    if name in ("money", "smallmoney"):
        return {"type": "string", "pattern": _DECIMAL_TEXT} if dialect != "sqlite" else _any_number()
    if name in _TEXTS:
        return _text(kind, size, dialect)
    if name in _BINARIES or (dialect == "sqlite" and name == "raw"):
        return {**_BASE64, "maxLength": -(-size // 3) * 4} if size and size > 0 else _BASE64
    if name in ("bit", "varbit"):
        return _bits(name, size, dialect)
    if kind.values or name in ("enum", "set"):
        item = {"type": "string", "enum": list(kind.values)} if kind.values else _TEXT
        return {"type": "array", "items": item, "uniqueItems": True} if name == "set" else item
    if name == "composite" or kind.fields:
        return _composite(kind.fields, dialect)
    if name in ("vector", "halfvec"):
        bounds = {"minItems": size, "maxItems": size} if size else {}
        return {"type": "array", "items": {"type": "number"}, **bounds}
    if name.startswith("interval"):
        return _FIXED["interval"]
    if name in _PLAIN_TEXT or name == "tsvector" or (dialect != "sqlite" and name in _SPATIAL | _SHAPES):
        return {**_TEXT, "description": "Well-known text"} if is_spatial(kind, dialect) else _TEXT
    if kind.unsigned and name in ("real", "double", "float"):
        return {"type": "number", "minimum": 0}
    if dialect == "sqlite" and name == "":
        return {}
    return _FIXED.get(name)


def _integer(name: str, unsigned: bool, dialect: Dialect) -> Schema:
    bits = _BITS[name]
    if dialect == "sqlite" and bits == 32:  # up to 64 bits, whatever the word
        return {"type": "integer", "minimum": 0} if unsigned else {"type": "integer"}
    low, high = (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    if bits == 8 and dialect == "tsql":
        low, high = 0, 255
    if bits == 8 and dialect == "sqlite":
        high = 255  # signed in MySQL and unsigned in SQL Server; SQLite keeps either
    return {"type": "integer", "minimum": low, "maximum": high}


def _any_number() -> Schema:
    return {"type": ["number", "string"], "pattern": _DECIMAL_TEXT}


def _decimal(kind: Type, dialect: Dialect) -> Schema:
    """numeric(precision, scale); without a precision any number, but in MySQL (10, 0) and in SQL Server (18, 0)."""
    arguments = kind.arguments or {"mysql": (10, 0), "tsql": (18, 0)}.get(dialect, ())
    if not arguments:
        return _any_number()
    precision, scale = arguments[0], arguments[1] if len(arguments) > 1 else 0
    if precision > _EXACT_DIGITS:
        if scale == 0:
            return _BIG_UNSIGNED if kind.unsigned else _BIG_INTEGER
        whole = precision - max(scale, 0)
        decimals = rf"(\.\d{{1,{scale}}})?" if scale > 0 else ""
        sign = "" if kind.unsigned else "-?"
        return {"type": "string", "pattern": rf"^{sign}\d{{1,{max(whole, 1) + max(-scale, 0)}}}{decimals}$"}
    limit = 10 ** (precision - scale)
    if scale == 0:
        return {"type": "integer", "minimum": 0 if kind.unsigned else 1 - limit, "maximum": limit - 1}
    low: Schema = {"minimum": 0} if kind.unsigned else {"exclusiveMinimum": -limit}
    said = f"At most {scale} decimals" if scale > 0 else f"Rounded to {10**-scale}s"
    return {"type": "number", **low, "exclusiveMaximum": limit, "description": said}


def _text(kind: Type, size: int | None, dialect: Dialect) -> Schema:
    if size is None:
        # a bare CHAR is one character long, the names of things in PostgreSQL 63
        size = {"char": 1, "nchar": 1, "name": 63}.get(kind.name) if dialect != "sqlite" else None
    if size is None or size <= 0:
        return _TEXT
    if kind.in_bytes:
        return {"type": "string", "maxLength": size, "description": f"At most {size} bytes"}
    return {"type": "string", "maxLength": size}


def _bits(name: str, size: int | None, dialect: Dialect) -> Schema:
    """Bits as text; a single one is a boolean but in PostgreSQL, where it is a string of bits too."""
    if name == "bit" and dialect != "postgres" and size in (None, 1):
        return {"type": "boolean"}
    if name == "varbit":
        return {"type": "string", "pattern": f"^[01]{{0,{size}}}$" if size else "^[01]*$"}
    return {"type": "string", "pattern": f"^[01]{{{size or 1}}}$"}


def _composite(fields: tuple[Column, ...], dialect: Dialect) -> Schema:
    properties = {field.name: nullable(of_type(field.type, dialect) or _TEXT) for field in fields}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _by_affinity(text: str) -> Schema | None:
    """What SQLite makes of a type name that it does not know (https://sqlite.org/datatype3.html, 3.1)."""
    upper = text.upper()
    if "INT" in upper:
        return {"type": "integer"}
    if any(word in upper for word in ("CHAR", "CLOB", "TEXT")):
        return _TEXT
    if "BLOB" in upper:
        return _BASE64
    if any(word in upper for word in ("REAL", "FLOA", "DOUB")):
        return {"type": "number"}
    return None


def _enumerated(values: list[Any], schema: Schema) -> Schema:
    kinds = list(dict.fromkeys(_TYPE_OF[type(value)] for value in values))
    if schema.get("type") == "boolean" and kinds == ["integer"]:
        return schema  # CHECK (done IN (0, 1)) is how SQLite spells a boolean
    return {"type": kinds[0] if len(kinds) == 1 else kinds, "enum": values} if values else schema


def _applies(keyword: str, value: Any, schema: Schema) -> bool:
    """Whether a bound means something for the type; a number compared with text never holds in the way it looks."""
    if keyword == "type":
        return "type" not in schema and value in ("object", "array")  # CHECK (jsonb_typeof(x) = 'object')
    kinds = schema.get("type", [])
    return ("string" in kinds) == keyword.endswith("Length") and kinds not in ("boolean", "array") and bool(kinds)


def _unsaid(column: Column, schema: Schema) -> list[str]:
    """Conditions that the schema does not say, as words."""
    dropped = [] if "enum" in column.bounds else [key for key in sorted(column.bounds) if key not in schema]
    return [*column.checks, *(f"{key} {column.bounds[key]}" for key in dropped)]


def _converted(value: Any, kinds: list[str], kind: Type) -> Any:
    """A literal as the column stores it: '0' in an integer column is 0, 1 in a boolean one true, '{}' of jsonb {}."""
    if isinstance(value, str) and (kind.name in ("json", "jsonb") or kind.dimensions or kind.name == "set"):
        return _parsed(value, kind)
    if kinds[0] == "boolean" and str(value).lower() in ("0", "1", "t", "f", "true", "false"):
        return str(value).lower() in ("1", "t", "true")
    if isinstance(value, str) and "string" not in kinds:
        for make in (int, float):
            try:
                return make(value)
            except ValueError:
                continue
    if kinds[0] == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value


def _parsed(value: str, kind: Type) -> Any:
    """The JSON of a text literal; of an array literal only the empty one is read."""
    import json

    if kind.dimensions:
        return [] if value.replace(" ", "") == "{}" else NotImplemented
    if kind.name == "set":
        return [part for part in value.split(",") if part]
    try:
        return json.loads(value)
    except ValueError:
        return NotImplemented
