"""Makes operations of tables: list, count, get, create, update and delete, as far as a table allows each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from toolc.diagnostics import Report
from toolc.ir import Hint, Hints, Operation, Origin, Schema, SqlCall
from toolc.sources.database import types
from toolc.sources.database.model import Column, Table
from toolc.sources.database.sensitive import is_sensitive
from toolc.sources.database.virtual import is_text_search

MOST_ROWS = 1000
OPERATORS = ("=", "!=", "<", "<=", ">", ">=", "like", "in")
_OPERATOR: Schema = {"type": "string", "enum": list(OPERATORS)}
_SEARCH_OPERATOR: Schema = {"type": "string", "enum": [*OPERATORS, "match"]}
# A list goes with `in`; null with `=` and `!=` asks whether there is a value.
_VALUE: Schema = {"type": ["string", "number", "boolean", "null", "array"], "items": {"type": ["string", "number"]}}
_LIMIT: Schema = {"type": "integer", "minimum": 1, "maximum": MOST_ROWS, "default": 100}
_OFFSET: Schema = {"type": "integer", "minimum": 0}


@dataclass(frozen=True, slots=True)
class _Offered:
    """What of a table is offered.

    schemas: of the columns that a model may see, when they are not null. key: the columns that name one row, or none.
    locked: whether no row can be created, as a column that it needs is left out.
    """

    table: Table
    columns: tuple[Column, ...]
    schemas: dict[str, Schema]
    key: tuple[str, ...]
    locked: bool


def of_table(source: str, table: Table, origin: Origin, report: Report) -> Iterator[Operation]:
    """The operations of a table in the order list, count, get, create, update, delete; what is left out is reported."""
    offered = _offered(table, origin, report)
    if not offered.columns:
        message = f"`{table.name}` has no column that a model may see; no tool is made of it"
        report.warning("hidden-table", message, origin.at(table.name))
        return
    extra = {"table": table.name, "compact": compact(offered)}
    seen = tuple(column.name for column in offered.columns)
    written = tuple(column.name for column in offered.columns if not column.supplied)
    about = f" {table.comment.rstrip('.')}." if table.comment else ""
    for action, text, schema, names in _actions(offered, seen, written):
        yield Operation(
            f"{source}:{table.name}.{action}",
            f"{table.name}.{action}",
            text + about,
            schema,
            SqlCall(table.name, action, names, offered.key),
            origin.at(table.name),
            places=partial(_place, origin.at(table.name), seen),
            hints=_HINTS[action],
            tags=(table.name,),
            extra=extra,
        )


def _place(table: Origin, columns: Sequence[str], path: tuple[str | int, ...]) -> Origin:
    """The column that a path into an operation speaks of, or the table."""
    return next((table.at(key) for key in reversed(path) if key in columns), table)


def _actions(
    offered: _Offered, seen: tuple[str, ...], written: tuple[str, ...]
) -> Iterator[tuple[str, str, Schema, tuple[str, ...]]]:
    """Each action that the table allows: its name, what it does, its arguments, and the columns these may name."""
    table = offered.table.name
    yield "list", f"List {table} rows.", _object(_list(offered, seen)), seen
    yield "count", f"Count {table} rows.", _object({"where": _where(offered, seen)}), seen
    key = _object({name: offered.schemas[name] for name in offered.key}, offered.key)
    if offered.key:
        arguments = {"key": key, "columns": _columns(offered, seen)}
        yield "get", f"Get one {table} row.", _object(arguments, ("key",)), seen
    if offered.table.kind != "table":
        return
    values = _object({name: _new(offered, name) for name in written}, _required(offered, written))
    if written and not offered.locked:
        yield "create", f"Create a new {table} row.", _object({"values": values}, ("values",)), written
    changeable = tuple(name for name in written if name not in offered.key)
    if offered.key and changeable:
        values = {**_object({name: _changed(offered, name) for name in changeable}), "minProperties": 1}
        arguments = {"key": key, "values": values}
        yield "update", f"Update one {table} row.", _object(arguments, ("key", "values")), changeable
    if offered.key:
        yield "delete", f"Delete one {table} row.", _object({"key": key}, ("key",)), ()


def _offered(table: Table, origin: Origin, report: Report) -> _Offered:
    """Leave out sensitive columns, and say so; choose the key."""
    schemas: dict[str, Schema] = {}
    hidden: set[str] = set()
    locked = False
    for column in table.columns:
        place = origin.at(table.name, column.name)
        schema = types.schema_of(column)
        if not types.is_known(column.type.text) and table.kind != "view":
            message = f"the type `{column.type.text}` of {table.name}.{column.name} is not known and read as text"
            report.note("unknown-type", message, place)
        if is_sensitive(column.name, schema):
            hidden.add(column.name)
            needed = not column.optional and table.kind == "table"
            locked = locked or needed
            _name_hidden(table, column, needed, place, report)
        else:
            schemas[column.name] = _with_reference(schema, table, column)
    keys = table.keys() if table.kind != "view" else iter(())
    key = next((key for key in keys if hidden.isdisjoint(key)), ())
    columns = tuple(column for column in table.columns if column.name in schemas)
    return _Offered(table, columns, schemas, key, locked)


def _name_hidden(table: Table, column: Column, needed: bool, place: Origin, report: Report) -> None:
    consequence = "; as a row cannot do without it, create is not offered" if needed else ""
    if column.name in table.primary_key:
        consequence += "; nor can the primary key name a row"
    report.warning(
        "sensitive-column",
        f"{table.name}.{column.name} looks like a secret and is left out{consequence}",
        place,
        help="rename the column if it holds none, or leave it to a tool of your own",
    )


def _with_reference(schema: Schema, table: Table, column: Column) -> Schema:
    """The schema, saying which row of another table the column names."""
    for key in table.foreign_keys:
        if column.name in key.columns:
            index = key.columns.index(column.name)
            target = f"→ {key.table}.{key.target[index] if index < len(key.target) else '?'}"
            said = schema.get("description", "")
            return {**schema, "description": f"{said} {target}".strip()}
    return schema


def _required(offered: _Offered, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(column.name for column in offered.columns if column.name in names and not column.optional)


def _column(offered: _Offered, name: str) -> Column:
    return next(column for column in offered.columns if column.name == name)


def _changed(offered: _Offered, name: str) -> Schema:
    """What a column takes in a row that exists."""
    schema = offered.schemas[name]
    return schema if _column(offered, name).not_null else types.nullable(schema)


def _new(offered: _Offered, name: str) -> Schema:
    """What a column takes in a new row."""
    schema = _changed(offered, name)
    default = types.default_of(_column(offered, name), offered.schemas[name])
    return schema if default is NotImplemented else {**schema, "default": default}


def _list(offered: _Offered, seen: tuple[str, ...]) -> dict[str, Schema]:
    order = _object({"col": _names(seen), "desc": {"type": "boolean"}}, ("col",))
    return {
        "where": _where(offered, seen),
        "columns": _columns(offered, seen),
        "order_by": {"type": "array", "items": order},
        "limit": _LIMIT,
        "offset": _OFFSET,
    }


def _where(offered: _Offered, seen: tuple[str, ...]) -> Schema:
    operator = _SEARCH_OPERATOR if is_text_search(offered.table.module) else _OPERATOR
    condition = _object({"col": _names(seen), "op": operator, "value": _VALUE}, ("col", "op", "value"))
    return {"type": "array", "items": condition}


def _columns(offered: _Offered, seen: tuple[str, ...]) -> Schema:
    binary = [name for name in seen if types.is_binary(offered.schemas[name])]
    schema: Schema = {"type": "array", "minItems": 1, "items": _names(seen)}
    if binary and len(binary) < len(seen):
        schema["description"] = f"Default: all but {', '.join(binary)}."
    return schema


def _names(seen: tuple[str, ...]) -> Schema:
    return {"type": "string", "enum": list(seen)}


def _object(properties: dict[str, Any], required: tuple[str, ...] = ()) -> Schema:
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = list(required)
    return {**schema, "additionalProperties": False}


def compact(offered: _Offered) -> str:
    """The table in one line: `film(film_id int!, language_id int! >language.language_id)`; `!` = not null."""
    parts = []
    for column in offered.columns:
        text = f"{column.name} {types.short_name(column, offered.schemas[column.name])}{'!' if column.not_null else ''}"
        for key in offered.table.foreign_keys:
            if column.name in key.columns and len(key.target) == len(key.columns):
                text += f" >{key.table}.{key.target[key.columns.index(column.name)]}"
                break
        parts.append(text)
    return f"{offered.table.name}({', '.join(parts)})"


def _hints(statement: str, read_only: bool, destructive: bool, idempotent: bool) -> Hints:
    reason = f"SQL {statement}"
    return Hints(
        Hint(read_only, "inferred", reason),
        Hint(destructive, "inferred", reason),
        Hint(idempotent, "inferred", reason),
        Hint(False, "inferred", "a database of your own"),
    )


_READ = _hints("SELECT", read_only=True, destructive=False, idempotent=True)
_HINTS = {
    "list": _READ,
    "count": _READ,
    "get": _READ,
    "create": _hints("INSERT", read_only=False, destructive=False, idempotent=False),
    "update": _hints("UPDATE", read_only=False, destructive=False, idempotent=True),
    "delete": _hints("DELETE", read_only=False, destructive=True, idempotent=True),
}
