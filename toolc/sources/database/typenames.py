"""Type names: one spelling for what dialects call the same type by several names.

Sources: PostgreSQL 18 manual, 8.1 and appendix; MySQL 8.4 and MariaDB 11 manuals, data types;
T-SQL reference, data types; Oracle 23 SQL reference, data types.
SQLite keeps any word; the ones it shares with others are read as those.
"""

from __future__ import annotations

import re

from toolc.sources.database.model import Dialect, Type

_SHAPE = re.compile(
    r"""\s*(?P<before>(?:"(?:[^"]|"")*"|[^()\[\]'"])*?)\s*(?:\((?P<inside>(?:[^()'"]|'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*")*)\))?"""
    r"""(?P<after>[^()\[\]]*)(?P<array>(?:\s*\[\s*\d*\s*\])*)\s*\Z""",
    re.DOTALL,
)
_LONGEST = 20_000
_STRING = re.compile(r"""'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*\"""", re.DOTALL)
_WORDS = re.compile(r'(?:"(?:[^"]|"")*"|[^\s"])+')
_PARTS = re.compile(r'"((?:[^"]|"")*)"|[^"]+')
_ALIASES = {
    "int": "integer",
    "int2": "smallint",
    "int4": "integer",
    "int8": "bigint",
    "dec": "numeric",
    "decimal": "numeric",
    "fixed": "numeric",
    "number": "numeric",
    "character": "char",
    "bpchar": "char",
    "character varying": "varchar",
    "char varying": "varchar",
    "varying character": "varchar",
    "national character": "nchar",
    "national char": "nchar",
    "national character varying": "nvarchar",
    "national char varying": "nvarchar",
    "national varchar": "nvarchar",
    "native character": "nchar",
    "binary varying": "varbinary",
    "character large object": "clob",
    "binary large object": "blob",
    "bool": "boolean",
    "double precision": "double",
    "float4": "real",
    "float8": "double",
    "time without time zone": "time",
    "time with time zone": "timetz",
    "timestamp without time zone": "timestamp",
    "timestamp with time zone": "timestamptz",
    "bit varying": "varbit",
}
_BY_DIALECT: dict[Dialect, dict[str, str]] = {
    "postgres": {
        "serial": "integer",
        "serial4": "integer",
        "bigserial": "bigint",
        "serial8": "bigint",
        "smallserial": "smallint",
        "serial2": "smallint",
        "float": "double",
    },
    "mysql": {
        "int1": "tinyint",
        "int3": "mediumint",
        "middleint": "mediumint",
        "serial": "bigint",
        "real": "double",
        "float4": "float",
        "long": "mediumtext",
        "long varchar": "mediumtext",
        "long varbinary": "mediumblob",
        "char byte": "binary",
    },
    "sqlite": {"unsigned big int": "bigint"},
    "tsql": {
        "bit": "boolean",
        "uniqueidentifier": "uuid",
        "timestamp": "rowversion",
        "sysname": "nvarchar",
        "datetimeoffset": "timestamptz",
        "datetime2": "timestamp",
        "datetime": "timestamp",
        "float": "double",
        "smalldatetime": "timestamp",
        "image": "blob",
    },
    "oracle": {
        "varchar2": "varchar",
        "nvarchar2": "nvarchar",
        "date": "timestamp",
        "raw": "varbinary",
        "long": "clob",
        "long raw": "blob",
        "binary_float": "real",
        "binary_double": "double",
        "float": "double",
        "real": "double",
        "timestamp with local time zone": "timestamptz",
        "smallint": "numeric",
        "integer": "numeric",
        "int": "numeric",
    },
}
_MYSQL_INTEGERS = frozenset({"tinyint", "smallint", "mediumint", "integer", "bigint"})
# Words behind a type that say nothing of what it takes.
_NOISE = frozenset({"signed", "zerofill", "unsigned", "binary", "ascii", "unicode"})
# Types whose length is 1 where none is said.
_ONE_BY_DEFAULT = frozenset({"char", "nchar", "bit", "binary"})
_ORACLE_WHOLE = frozenset({"smallint", "integer", "int"})


def typed(text: str, dialect: Dialect) -> Type:
    """The type that a text such as `character varying(30)[]` or `enum('a','b')` declares.

    User-defined types keep their name, folded as the dialect folds it; what they stand for is filled in elsewhere.
    """
    match = _SHAPE.match(text) if len(text) < _LONGEST else None
    if match is None:
        return Type(text, text.lower())
    words = [*_WORDS.findall(match["before"]), *_WORDS.findall(match["after"])]
    lower = [_folded(word, dialect) for word in words]
    dimensions = match["array"].count("[")
    if "array" in lower and dialect == "postgres":
        dimensions = max(dimensions, 1)
        lower = lower[: lower.index("array")]
    if lower[:1] in (["enum"], ["set"]) and match["inside"] is not None:
        values = tuple(_unquoted(value) for value in _STRING.findall(match["inside"]))
        return Type(text, lower[0], values=values)
    unsigned = "unsigned" in lower or (dialect == "mysql" and "zerofill" in lower)
    name = " ".join(lower)
    if name not in _BY_DIALECT[dialect] and name not in _ALIASES:
        name = " ".join(word for word in lower if word not in _NOISE or len(lower) == 1)
    return _known(text, name, match["inside"], dialect, unsigned, dimensions)


def _folded(word: str, dialect: Dialect) -> str:
    """A word of a type in lower case, but for names in quotes; types of the system need no schema."""
    if word == '"char"':
        return word  # PostgreSQL's type of one byte
    parts = [match[0].lower() if match[1] is None else match[1].replace('""', '"') for match in _PARTS.finditer(word)]
    if dialect == "oracle":  # "SYS"."XMLTYPE" is the type that is written without quotes too
        parts = [part.lower() for part in parts]
    return "".join(parts).removeprefix("pg_catalog.").removeprefix("sys.")


def _known(text: str, name: str, inside: str | None, dialect: Dialect, unsigned: bool, dimensions: int) -> Type:
    words = (inside or "").split()
    arguments = tuple(int(number.replace("*", "38")) for number in re.findall(r"[+-]?\d+|\*", inside or ""))
    table = _BY_DIALECT[dialect]
    if name.startswith("interval "):
        name, arguments = "interval", ()
    given = name
    name = table.get(name) or _ALIASES.get(name, name)
    if dialect in ("postgres", "mysql"):
        name = name.removeprefix("n") if name in ("nchar", "nvarchar") else name
    if dialect == "postgres" and given == "float" and arguments:
        name, arguments = ("real" if arguments[0] <= 24 else "double"), ()
    if dialect == "mysql" and name in _MYSQL_INTEGERS:
        if name == "tinyint" and arguments == (1,) and not unsigned:
            name = "boolean"
        arguments = ()  # the width of its display
    if name == "year" or (dialect == "mysql" and name in ("text", "blob")):
        arguments = ()  # MySQL's TEXT(100) is the smallest type of text that has room for so much
    if not arguments and name in _ONE_BY_DEFAULT and given != "bpchar" and dialect != "sqlite":
        arguments = (1,)
    if dialect == "mysql" and given == "serial":
        unsigned = True
    if dialect == "tsql" and given == "sysname":
        arguments = (128,)
    if dialect == "tsql" and inside is None and given in ("varchar", "nvarchar", "varbinary"):
        arguments = (1,)
    if dialect == "oracle" and given in _ORACLE_WHOLE:
        arguments = (38, 0)
    in_bytes = dialect == "oracle" and name in ("varchar", "char") and "char" not in [word.lower() for word in words]
    if name in ("binary", "varbinary"):
        in_bytes = True
    return Type(text, name, arguments, unsigned, in_bytes, dimensions)


def _unquoted(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value[1:-1].replace(value[0] * 2, value[0]))
