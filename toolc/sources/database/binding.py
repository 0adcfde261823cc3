"""How JSON stands for the values of a column: what an executor needs to bind them and to read them back.

The form of a column, in `SqlCall.columns`:

| form | JSON | bound as | read as |
|---|---|---|---|
| value | text, number, boolean | itself | itself |
| boolean | true, false | 1, 0 | not 0 |
| text | text (or number) | text, cast to the type | cast to text |
| number | number or text | itself, cast to the type | number; text above 15 digits |
| json | anything | its JSON text, cast to the type | cast to text, parsed |
| base64 | text | the bytes | the bytes |
| bits | text of 0 and 1 | the number it writes in base 2 | its digits, as many as `size` |
| array | list, nested once a dimension | list of bound `items`, cast to the type | list; as text[] if items are text |
| set | list | text joined with `,` | split at `,` |
| vector | list of numbers | text `[1,2]`, cast to the type | cast to text, parsed |
| row | object | ROW of the bound `fields`, in their order, cast to the type | to_jsonb, parsed |
| map | object of text | its hstore text `"a"=>"1"`, cast to the type | cast to text, parsed |
| wkt | text | never | ST_AsText |

Only PostgreSQL needs the casts (`CAST(? AS type)`): there a bound text has no type of its own. `type` is a name without
a length, empty where there is none to be had. `compare: text` marks
types without `=` and `<` in PostgreSQL: conditions and order take the column's text. A condition takes its value in the
form of the column, `in` a list of them; null with `=` and `!=` means IS NULL and IS NOT NULL; `like` compares text;
`match` is SQLite's full-text search.
"""

from __future__ import annotations

import re
from typing import Any

from toolc.ir import Schema
from toolc.sources.database import types
from toolc.sources.database.model import Dialect, Type

Binding = dict[str, Any]

# What CAST takes in PostgreSQL. Without lengths: a cast to varchar(3) or bit(3) cuts without a word, a column refuses.
_CASTS = {"char": "bpchar", "nchar": "bpchar", "nvarchar": "varchar", "bit": "varbit", "double": "double precision"}
_PART = re.compile(r"""\w+|"(?:[^"]|"")+\"""")
_USER_TYPE = re.compile(rf"(?:{_PART.pattern})(?:\.(?:{_PART.pattern}))?")
# PostgreSQL has no `=` or no `<` for these.
_UNCOMPARED = frozenset(
    {"json", "xml", "point", "line", "lseg", "box", "path", "polygon", "circle", "jsonpath", "tsquery", "refcursor"}
)
_PLAIN = frozenset({"smallint", "integer", "boolean", "real", "double", "text", "varchar", "char", "citext", "name"})
_NUMBERS = frozenset({"numeric", "bigint", "money"})


def of_column(name: str, kind: Type, dialect: Dialect) -> Binding:
    """The column, its type in the database's own words, and the form of its values."""
    binding = _named(name, kind, dialect)
    if dialect == "postgres" and (kind.name in _UNCOMPARED) and not kind.dimensions:
        binding["compare"] = "text"
    return binding


def _named(name: str, kind: Type, dialect: Dialect) -> Binding:
    return {"name": name, "type": _cast(kind, dialect), **of_type(kind, dialect)}


def of_type(kind: Type, dialect: Dialect) -> Binding:
    """The form of a type, with that of its items or fields."""
    binding = _form(kind, dialect)
    for _ in range(kind.dimensions):
        binding = {"form": "array", "items": binding}
    return binding


def _form(kind: Type, dialect: Dialect) -> Binding:
    schema = types.of_type(kind, dialect) if not kind.dimensions else {}
    if kind.name in ("json", "jsonb"):
        return {"form": "json"}
    if types.is_spatial(kind, dialect):
        return {"form": "wkt"}
    if schema is not None and "contentEncoding" in schema:
        return {"form": "base64"}
    if kind.fields or kind.name == "composite":
        fields = [
            {"name": field.name, "type": _cast(field.type, dialect), **of_type(field.type, dialect)}
            for field in kind.fields
        ]
        return {"form": "row", "fields": fields}
    special = {"set": "set", "vector": "vector", "halfvec": "vector", "hstore": "map"}
    if kind.name in special:
        return {"form": special[kind.name]}
    if kind.name == "bit" and dialect == "mysql" and kind.arguments not in ((), (1,)):
        return {"form": "bits", "size": kind.arguments[0]}
    if kind.name in ("boolean", "bit") and dialect in ("sqlite", "mysql"):
        return {"form": "boolean"}
    if dialect == "postgres":
        number = kind.name in _NUMBERS and kind.name != "money"
        return {"form": "value" if kind.name in _PLAIN else "number" if number else "text"}
    return {"form": "number" if kind.name in _NUMBERS else "value" if _is_native(schema) else "text"}


def _is_native(schema: Schema | None) -> bool:
    """Whether a driver gives and takes the value as JSON has it; moments come as objects of their own."""
    if schema is None:
        return False
    return "format" not in schema and schema is not types.MOMENT


def _cast(kind: Type, dialect: Dialect) -> str:
    """The type in the words of the database, without a length; empty for words that are no name.

    An executor puts it into SQL as it stands, and a schema file is anybody's text.
    """
    if dialect != "postgres":
        return kind.name
    array = "[]" * kind.dimensions
    if kind.name in ("enum", "composite") or kind.domain or types.of_type(kind, dialect) is None:
        text = kind.text.removesuffix(array).strip()
        words = (part if part.startswith('"') else part.lower() for part in _PART.findall(text))
        return f"{'.'.join(words).removeprefix('public.')}{array}" if _USER_TYPE.fullmatch(text) else ""
    return f"{_CASTS.get(kind.name, kind.name)}{array}"
