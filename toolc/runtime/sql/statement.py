"""The one SQL statement of a call: identifiers from the compiled binding, quoted; every value bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolc.ir import Arguments, SqlCall
from toolc.runtime.result import Failed
from toolc.runtime.sql import values

_OPERATORS = {"=": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "like": "LIKE", "match": "MATCH"}
# Forms that are read as text, so that no driver makes an object of its own of them.
_AS_TEXT = frozenset({"text", "json", "map", "vector"})


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL with placeholders, and their values in order.

    limit: the most rows that are handed on; the statement asks for one more. returning: the names of what an INSERT
    gives back.
    """

    sql: str
    values: tuple[Any, ...]
    limit: int = 0
    returning: tuple[str, ...] = ()


def build(call: SqlCall, arguments: Arguments) -> Statement:
    """The statement of a call whose arguments dispatch has accepted; raises Failed for a value that has no form."""
    try:
        made = _Builder(call).build(arguments)
        _check_characters(made.values)
        return made
    except UnicodeEncodeError:
        raise Failed("The arguments hold half a character (a lone surrogate), which cannot be sent.") from None
    except ValueError as error:
        raise Failed(f"A value cannot be stored: {error}.") from None


def _check_characters(given: Sequence[Any]) -> None:
    """Raise UnicodeEncodeError for text that no driver can send."""
    for value in given:
        if isinstance(value, str):
            value.encode()
        elif isinstance(value, list | tuple):
            _check_characters(value)


class _Builder:
    def __init__(self, call: SqlCall) -> None:
        self._call = call
        self._dialect = call.dialect
        self._values: list[Any] = []

    def build(self, arguments: Arguments) -> Statement:
        call = self._call
        table = ".".join(self._quoted(part) for part in (call.schema, call.table) if part)
        match call.action:
            case "create":
                return self._insert(table, arguments["values"])
            case "update":
                changes = ", ".join(
                    f"{self._column(name)} = {self._value(name, new)}" for name, new in arguments["values"].items()
                )
                sql = f"UPDATE {table} SET {changes} WHERE {self._key(arguments['key'])}"  # noqa: S608
            case "delete":
                sql = f"DELETE FROM {table} WHERE {self._key(arguments['key'])}"  # noqa: S608
            case "get" | "list" | "count":
                return self._select(table, arguments)
            case _:
                raise Failed(f"The bundle names an action on a table that this version does not know: {call.action}.")
        return Statement(sql, tuple(self._values))

    def _insert(self, table: str, given: Mapping[str, Any]) -> Statement:
        columns = ", ".join(map(self._column, given))
        held = ", ".join(self._value(name, value) for name, value in given.items())
        if given:
            sql = f"INSERT INTO {table} ({columns}) VALUES ({held})"  # noqa: S608
        else:
            sql = f"INSERT INTO {table} " + ("() VALUES ()" if self._dialect == "mysql" else "DEFAULT VALUES")  # noqa: S608
        # MySQL has no RETURNING; there the driver tells the one column that the database numbers.
        new = tuple(name for name in self._call.key if name not in given)
        known = [name for name in new if name in self._call.columns]
        if known and self._dialect != "mysql":
            sql += " RETURNING " + ", ".join(map(self._shown, known))
        return Statement(sql, tuple(self._values), returning=tuple(known) if self._dialect != "mysql" else new)

    def _select(self, table: str, arguments: Arguments) -> Statement:
        call = self._call
        shown = arguments.get("columns") or call.shown
        what = "COUNT(*) AS count" if call.action == "count" else ", ".join(map(self._shown, dict.fromkeys(shown)))
        sql = f"SELECT {what} FROM {table}"  # noqa: S608
        if call.action == "get":
            return Statement(f"{sql} WHERE {self._key(arguments['key'])}", tuple(self._values), 1)
        if conditions := [self._condition(part) for part in arguments.get("where") or ()]:
            sql += f" WHERE {' AND '.join(conditions)}"
        if call.action == "count":
            return Statement(sql, tuple(self._values), 1)
        if order := [self._order(entry) for entry in arguments.get("order_by") or ()]:
            sql += f" ORDER BY {', '.join(order)}"
        limit = min(int(arguments.get("limit") or call.limit), call.most)
        sql += f" LIMIT {limit + 1} OFFSET {int(arguments.get('offset') or 0)}"
        return Statement(sql, tuple(self._values), limit)

    def _key(self, key: Mapping[str, Any]) -> str:
        missing = [name for name in self._call.key if key.get(name) is None]
        if missing or not self._call.key:
            raise Failed(f"`key` has to name one row: {', '.join(missing) or 'the table has no key'}.")
        return " AND ".join(f"{self._column(name)} = {self._value(name, key[name])}" for name in self._call.key)

    def _condition(self, part: Mapping[str, Any]) -> str:
        name, operator, given = part["col"], part["op"], part["value"]
        if given is None:
            if operator not in ("=", "!="):
                raise Failed(f"`where`: null goes with = and != only, not with {operator}.")
            return f"{self._column(name)} IS {'NOT ' if operator == '!=' else ''}NULL"
        if isinstance(given, list) != (operator == "in"):
            raise Failed(
                f"`where`: a list goes with `in`, and `in` with a list; {operator} has {type(given).__name__}."
            )
        text = operator == "like" or self._binding(name).get("compare") == "text"
        if operator == "in":
            if not given:
                raise Failed("`where`: `in` needs at least one value.")
            return f"{self._column(name, text)} IN ({', '.join(self._value(name, item, text) for item in given)})"
        return f"{self._column(name, text)} {_OPERATORS[operator]} {self._value(name, given, text)}"

    def _order(self, entry: str) -> str:
        name = entry if entry in self._call.columns else entry.removesuffix(" desc")
        return self._column(name, self._binding(name).get("compare") == "text") + (" DESC" if name != entry else "")

    def _binding(self, name: str) -> Mapping[str, Any]:
        if name not in self._call.columns:
            raise Failed(f"`{name}` is no column that this call may name.")
        return self._call.columns[name]

    def _quoted(self, name: str) -> str:
        mark = "`" if self._dialect == "mysql" else '"'
        if "\0" in name:
            raise Failed("A name in the bundle holds a character that no database takes.")
        # The drivers of servers take `%` for a placeholder.
        text = name if self._dialect == "sqlite" else name.replace("%", "%%")
        return f"{mark}{text.replace(mark, mark * 2)}{mark}"

    def _column(self, name: str, as_text: bool = False) -> str:
        found = self._quoted(self._binding(name)["name"])
        return f"CAST({found} AS {'char' if self._dialect == 'mysql' else 'text'})" if as_text else found

    def _value(self, name: str, given: Any, as_text: bool = False) -> str:
        binding = self._binding(name)
        self._values.append(str(given) if as_text else values.bound(binding, given))
        if self._dialect == "sqlite":
            return "?"
        kind = "text" if as_text else binding.get("type")
        return f"CAST(%s AS {kind.replace('%', '%%')})" if self._dialect == "postgres" and kind else "%s"

    def _shown(self, name: str) -> str:
        """A column as it is read, under the name that the caller knows."""
        binding = self._binding(name)
        form, item = binding["form"], ""
        inner = binding
        while "items" in inner:
            inner = inner["items"]
            item = inner["form"]
        as_name = f" AS {self._quoted(name)}"
        if form == "wkt":
            return f"ST_AsText({self._column(name)}){as_name}"
        if "row" in (form, item):
            return f"CAST(to_jsonb({self._column(name)}) AS text){as_name}"
        if item == "text":
            return f"CAST({self._column(name)} AS text[]){as_name}"
        return self._column(name, form in _AS_TEXT) + as_name
