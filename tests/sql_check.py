"""Runs a `SqlCall` with bound values only: what an executor has to do, as short as it can be, to show that the binding
suffices. Identifiers come from the call, values never stand in the text."""

from __future__ import annotations

import base64
import json
from typing import Any

from toolc.ir import SqlCall


def run(connection: Any, call: SqlCall, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows that the call gives; connection: a DBAPI one of the call's dialect."""
    sql, values = statement(call, arguments)
    cursor = connection.cursor()
    cursor.execute(sql, values)
    names = [column[0] for column in cursor.description or ()]
    return [
        {name: _read(call.columns.get(name, {}), value) for name, value in zip(names, row, strict=True)}
        for row in (cursor.fetchall() if names else ())
    ]


def statement(call: SqlCall, arguments: dict[str, Any]) -> tuple[str, list[Any]]:
    """The SQL of a call and the values to bind, in order."""
    values: list[Any] = []

    def quoted(name: str) -> str:
        mark = "`" if call.dialect == "mysql" else '"'
        return f"{mark}{name.replace(mark, mark * 2)}{mark}"

    def column(name: str, as_text: bool = False) -> str:
        found = quoted(call.columns[name]["name"])
        return f"CAST({found} AS {'char' if call.dialect == 'mysql' else 'text'})" if as_text else found

    def value(name: str, given: Any, as_text: bool = False) -> str:
        binding = call.columns[name]
        values.append(given if as_text else _bound(binding, given))
        mark = "?" if call.dialect == "sqlite" else "%s"
        return f"CAST({mark} AS {'text' if as_text else binding['type']})" if call.dialect == "postgres" else mark

    def shown(name: str) -> str:
        binding = call.columns[name]
        form, item = binding["form"], ""
        while "items" in binding:
            item = (binding := binding["items"])["form"]
        if form == "wkt":
            return f"ST_AsText({column(name)}) AS {quoted(name)}"
        if "row" in (form, item):
            return f"CAST(to_jsonb({column(name)}) AS text) AS {quoted(name)}"
        if item == "text":
            return f"CAST({column(name)} AS text[]) AS {quoted(name)}"
        return f"{column(name, form in ('text', 'json', 'map', 'vector'))} AS {quoted(name)}"

    def condition(part: dict[str, Any]) -> str:
        name, operator, given = part["col"], part["op"], part["value"]
        if given is None:
            return f"{column(name)} IS {'NOT ' if operator == '!=' else ''}NULL"
        text = operator == "like" or call.columns[name].get("compare") == "text"
        if operator == "in":
            return f"{column(name, text)} IN ({', '.join(value(name, item, text) for item in given)})"
        return f"{column(name, text)} {'<>' if operator == '!=' else operator} {value(name, given, text)}"

    def key() -> str:
        return " AND ".join(f"{column(name)} = {value(name, given)}" for name, given in arguments["key"].items())

    table = ".".join(quoted(part) for part in (call.schema, call.table) if part)
    given = arguments.get("values", {})
    if call.action == "create":
        columns = ", ".join(map(column, given))
        return f"INSERT INTO {table} ({columns}) VALUES ({', '.join(value(*item) for item in given.items())})", values
    if call.action == "update":
        changes = ", ".join(f"{column(name)} = {value(name, new)}" for name, new in given.items())
        return f"UPDATE {table} SET {changes} WHERE {key()}", values
    if call.action == "delete":
        return f"DELETE FROM {table} WHERE {key()}", values
    what = (
        "COUNT(*) AS count" if call.action == "count" else ", ".join(map(shown, arguments.get("columns", call.shown)))
    )
    where = key() if call.action == "get" else " AND ".join(map(condition, arguments.get("where", ())))
    sql = f"SELECT {what} FROM {table}" + (f" WHERE {where}" if where else "")
    if order := [(name.removesuffix(" desc"), name.endswith(" desc")) for name in arguments.get("order_by", ())]:
        as_text = {name: call.columns[name].get("compare") == "text" for name, _ in order}
        sql += " ORDER BY " + ", ".join(column(name, as_text[name]) + " DESC" * desc for name, desc in order)
    if call.limit:
        sql += f" LIMIT {int(arguments.get('limit', call.limit))} OFFSET {int(arguments.get('offset', 0))}"
    return sql, values


def _bound(binding: dict[str, Any], given: Any) -> Any:
    if given is None:
        return None
    match binding["form"]:
        case "json":
            return json.dumps(given)
        case "base64":
            return base64.b64decode(given)
        case "boolean":
            return int(given)
        case "bits":
            return int(given, 2)
        case "set":
            return ",".join(given)
        case "vector":
            return json.dumps(given)
        case "map":
            return ", ".join(
                f"{json.dumps(key)}=>{json.dumps(text) if text else 'NULL'}" for key, text in given.items()
            )
        case "array":
            return [_bound(binding["items"], item) for item in given]
        case "row":
            return tuple(_bound(field, given.get(field["name"])) for field in binding["fields"])
        case "text" | "number":
            return str(given)
    return given


def _read(binding: dict[str, Any], value: Any) -> Any:
    if value is None:
        return None
    match binding.get("form"):
        case "json" | "row":
            return json.loads(value)
        case "base64":
            return base64.b64encode(value).decode()
        case "boolean":
            return bool(int.from_bytes(value) if isinstance(value, bytes) else value)
        case "bits":
            return f"{int.from_bytes(value):0{binding['size']}b}"
        case "set":
            return value.split(",") if value else []
        case "vector":
            return json.loads(value)
        case "number":
            text = str(value)
            return (float(text) if "." in text else int(text)) if len(text.strip("-")) <= 15 else text
        case "array" if isinstance(value, str):
            return json.loads(value)
        case "array":
            return value
        case "text":
            return str(value)
    return value
