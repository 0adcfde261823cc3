"""Makes operations of tables: list, count, get, create, update and delete, as far as a table allows each.

The input of an operation is exact: it names the columns that this one action takes. Tools may show less of it; what
several actions or tables share is put together by `passes.databases`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import pairwise
from typing import Any

from toolc.ir import Hint, Hints, Operation, Origin, Schema, SqlCall
from toolc.sources.database import types
from toolc.sources.database.compact import described
from toolc.sources.database.model import Dialect
from toolc.sources.database.offer import Field, Offer
from toolc.sources.database.virtual import is_text_search

MOST_ROWS = 1000
ROWS = 100
LONG = 12
FAR = 1_000_000
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
OPERATORS = ("=", "!=", "<", "<=", ">", ">=", "like", "in")
_OPERATOR: Schema = {"type": "string", "enum": list(OPERATORS)}
_SEARCH_OPERATOR: Schema = {"type": "string", "enum": [*OPERATORS, "match"]}
# A list goes with `in`; null with `=` and `!=` asks whether there is a value.
_VALUE: Schema = {"type": ["string", "number", "boolean", "null", "array"], "items": {"type": ["string", "number"]}}
_LIMIT: Schema = {"type": "integer", "minimum": 1, "maximum": MOST_ROWS, "default": ROWS}
_OFFSET: Schema = {"type": "integer", "minimum": 0}


def of_table(source: str, offer: Offer, dialect: Dialect, rank: int = 0) -> Iterator[Operation]:
    """The operations of a table in the order list, count, get, create, update, delete.

    rank: its place among the tables, those that most others refer to first. What is told of the table stands in
    `extra`: its name, rank, comment, and its description in few words.
    """
    extra = {"table": offer.name, "rank": rank, "comment": offer.table.comment, "described": described(offer)}
    about = f" {offer.table.comment.rstrip('.')}." if offer.table.comment else ""
    limits = {field.name: types.of_type(field.column.type, dialect) or {} for field in offer.fields}
    for action, text, schema in _actions(offer):
        yield Operation(
            f"{source}:{offer.name}.{action}",
            f"{offer.name}.{action}",
            text + about,
            schema,
            _call(offer, action, dialect),
            offer.origin,
            places=partial(_place, offer),
            hints=_HINTS[action],
            tags=(offer.name,),
            extra={**extra, "shown_input": _shown_input(schema, limits)},
        )


def _place(offer: Offer, path: tuple[str | int, ...]) -> Origin:
    """The column that a path into an operation speaks of, or the table."""
    columns = {field.name: field.origin for field in offer.fields}
    named = [columns[str(key)] for above, key in pairwise(path) if above == "properties" and key in columns]
    return named[-1] if named else offer.origin


def _call(offer: Offer, action: str, dialect: Dialect) -> SqlCall:
    """What an executor needs; the columns are those that the arguments of this action may name."""
    reads = action in ("list", "count", "get")
    return SqlCall(
        offer.table.name,
        action,
        {field.name: field.binding for field in offer.fields if _is_named(offer, field, action)},
        offer.key,
        offer.table.schema,
        dialect,
        shown=_shown(offer) if reads and action != "count" else (),
        limit=ROWS if action == "list" else 0,
        most=MOST_ROWS if action == "list" else 0,
    )


def _is_named(offer: Offer, field: Field, action: str) -> bool:
    if action == "create":
        return field.insert
    if action in ("update", "delete"):
        return field.name in offer.key or (action == "update" and field.update)
    return True


def _shown(offer: Offer) -> tuple[str, ...]:
    """The columns that a read gives unasked: all but those that hold bytes, if others are left."""
    plain = tuple(field.name for field in offer.fields if not types.is_binary(field.schema))
    return plain or tuple(field.name for field in offer.fields)


def _actions(offer: Offer) -> Iterator[tuple[str, str, Schema]]:
    """Each action that the table allows: its name, what it does, and its arguments."""
    name = offer.name
    yield "list", f"List {name} rows.", _object(_list(offer))
    yield "count", f"Count {name} rows.", _object({"where": _where(offer)})
    fields = {field.name: field for field in offer.fields}
    key = _object({name: fields[name].schema for name in offer.key}, offer.key)
    if offer.key:
        yield "get", f"Get one {name} row.", _object({"key": key, "columns": _columns(offer)}, ("key",))
    if offer.create:
        given = [field for field in offer.fields if field.insert]
        required = tuple(field.name for field in given if field.required)
        values = _object({field.name: _new(field) for field in given}, required)
        yield "create", f"Create one {name} row.", _object({"values": values}, ("values",))
    changed = [field for field in offer.fields if field.update and field.name not in offer.key]
    if offer.key and changed:
        values = {**_object({field.name: _changed(field) for field in changed}), "minProperties": 1}
        yield "update", f"Update one {name} row.", _object({"key": key, "values": values}, ("key", "values"))
    if offer.key and offer.delete:
        yield "delete", f"Delete one {name} row.", _object({"key": key}, ("key",))


def _shown_input(schema: Schema, limits: Mapping[str, Schema]) -> Schema:
    """What a model is shown of an input: each column once, and no words for what a refused call is told.

    Columns cost most of what a table costs, so only `where` names them in a read. limits: what the type of each column
    takes, whatever else is said of the column.
    """
    shown: dict[str, Schema] = {}
    for name, inner in schema["properties"].items():
        said = {"description": inner["description"]} if "description" in inner else {}
        if name == "where":
            condition = inner["items"]["properties"]
            operator = {"type": "string", "description": " ".join(condition["op"]["enum"])}
            parts = {"col": condition["col"], "op": operator, "value": {}}
            shown[name] = {"type": "array", "items": {"type": "object", "properties": parts}}
        elif name in ("columns", "order_by"):
            shown[name] = {"type": "array", "items": {"type": "string"}, **said}
        elif name in ("key", "values"):
            needed = {"required": inner["required"]} if name == "values" and "required" in inner else {}
            columns = {column: _lean(value, limits[column]) for column, value in inner["properties"].items()}
            shown[name] = {"type": "object", "properties": columns, **needed}
        else:
            shown[name] = {key: value for key, value in inner.items() if key == "type"}
    required = {"required": schema["required"]} if "required" in schema else {}
    return {"type": "object", "properties": shown, **required}


def _lean(schema: Schema, limits: Schema) -> Schema:
    """A column's schema without limits that nobody writes by: long lengths, and those of a type where they are far.

    A code of two letters keeps its length, a small integer its range; so does what a CHECK says. How digits stand in
    text goes without saying where a number is taken too.
    """
    lean = {key: value for key, value in schema.items() if not _is_far(key, value, limits)}
    return {**lean, "items": _lean(schema["items"], limits.get("items", {}))} if "items" in schema else lean


def _is_far(keyword: str, value: Any, limits: Schema) -> bool:
    if keyword == "maxLength":
        return bool(value > LONG)
    if keyword == "pattern":
        return bool(value == limits.get(keyword) and limits["type"] != "string")
    return keyword in _BOUNDS and bool(value == limits.get(keyword) and abs(value) > FAR)


def _changed(field: Field) -> Schema:
    """What a column takes in a row that exists."""
    return field.schema if field.column.not_null else types.nullable(field.schema)


def _new(field: Field) -> Schema:
    """What a column takes in a new row."""
    schema = _changed(field)
    default = types.default_of(field.column, field.schema)
    return schema if default is NotImplemented else {**schema, "default": default}


def _list(offer: Offer) -> dict[str, Schema]:
    names = [field.name for field in offer.fields]
    order = _names([*names, *(f"{name} desc" for name in names)])
    return {
        "where": _where(offer),
        "columns": _columns(offer),
        "order_by": {"type": "array", "items": order, "description": "column [desc]"},
        "limit": _LIMIT,
        "offset": _OFFSET,
    }


def _where(offer: Offer) -> Schema:
    operator = _SEARCH_OPERATOR if is_text_search(offer.table.module) else _OPERATOR
    condition = _object({"col": _columns_of(offer), "op": operator, "value": _VALUE}, ("col", "op", "value"))
    return {"type": "array", "items": condition}


def _columns(offer: Offer) -> Schema:
    shown = _shown(offer)
    left_out = [field.name for field in offer.fields if field.name not in shown]
    schema: Schema = {"type": "array", "minItems": 1, "items": _columns_of(offer)}
    return {**schema, "description": f"Default: all but {', '.join(left_out)}."} if left_out else schema


def _columns_of(offer: Offer) -> Schema:
    return _names([field.name for field in offer.fields])


def _names(names: list[str]) -> Schema:
    return {"type": "string", "enum": names}


def _object(properties: dict[str, Any], required: tuple[str, ...] = ()) -> Schema:
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = list(required)
    return {**schema, "additionalProperties": False}


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
