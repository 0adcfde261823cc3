"""Carries out actions on tables: one statement a call, only what the bundle names, values bound, and nothing unbounded.

The layers (DATABASES §4): the database refuses writes of a read (a read-only transaction or file); one statement, sent
in a way that takes no second; identifiers only from the compiled binding, quoted; a time limit in the engine; rows and
bytes capped; a write that touches more than one row is rolled back.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from toolc.ir import Arguments, Operation, SqlCall
from toolc.runtime import result
from toolc.runtime.result import Failed, Result
from toolc.runtime.sql import address, engines, statement, values
from toolc.runtime.surroundings import Connection, Execution, Surroundings

READS = frozenset({"list", "count", "get"})


class Databases:
    """A connection a call: nothing of one call is left for the next, and a database that was away is found again."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._surroundings = surroundings
        self._checked: set[str] = set()

    def call(self, operation: Operation, arguments: Arguments, connection: Connection, execution: Execution) -> Result:
        """Carry out an action; raises Failed with the database's own words where it refuses."""
        call = _call(operation)
        if call.action in ("list_tables", "describe"):
            return result.text(described(call, arguments))
        built = statement.build(call, arguments)
        with self._opened(operation, call, connection) as engine, execution.cancelling.ends(engine.cancel):
            if call.action in READS:
                return self._read(engine, call, arguments, built)
            return self._written(engine, call, arguments, built)

    def preview(self, operation: Operation, arguments: Arguments, connection: Connection) -> dict[str, Any]:
        """The statement and the values that are bound."""
        call = _call(operation)
        if call.action in ("list_tables", "describe"):
            return {"answer": described(call, arguments)}
        built = statement.build(call, arguments)
        return {
            "database": address.shown(connection),
            "sql": built.sql,
            "values": [values.plain(v) for v in built.values],
        }

    def close(self) -> None:
        """Nothing stays open."""

    @contextmanager
    def _opened(self, operation: Operation, call: SqlCall, connection: Connection) -> Iterator[engines.Engine]:
        surroundings = self._surroundings
        target = address.resolve(operation.source, call.dialect, connection, surroundings.secrets, surroundings.root)
        engine = engines.opened(target, call.action in READS, surroundings.settings.timeout)
        try:
            if operation.source not in self._checked:
                self._checked.add(operation.source)
                if warning := engine.too_powerful():
                    surroundings.warn(f"warning: `{operation.source}` {warning}")
            yield engine
        finally:
            engine.close()

    def _read(self, engine: engines.Engine, call: SqlCall, arguments: Arguments, built: statement.Statement) -> Result:
        most = built.limit or 1
        rows: list[dict[str, Any]] = []
        size, more, wide = 0, False, False
        for names, raw in engine.rows(built.sql, built.values):
            row = {name: values.read(call.columns.get(name, {}), value) for name, value in zip(names, raw, strict=True)}
            size += len(result.written(row).encode("utf-8", "replace"))
            wide = size > self._surroundings.settings.most_bytes
            if more := len(rows) == most or wide:
                break
            rows.append(row)
        if call.action == "count":
            return result.data(rows[0])
        if call.action == "get":
            if wide:
                raise Failed(
                    f"The row is larger than {self._surroundings.settings.most_bytes:,} bytes: name fewer `columns`."
                )
            return result.data(rows[0]) if rows else result.error(_no_row(call, arguments))
        return replace(result.data({"rows": rows, **_rest(rows, more, wide, arguments)}), portioned=True)

    def _written(
        self, engine: engines.Engine, call: SqlCall, arguments: Arguments, built: statement.Statement
    ) -> Result:
        count, new_key = engine.write(built.sql, built.values, returning=built.returning)
        if call.action == "create":
            given = {name: arguments["values"][name] for name in call.key if name in arguments["values"]}
            named = {name: values.read(call.columns.get(name, {}), value) for name, value in new_key.items()}
            return result.data({"created": {**named, **given}} if named or given else {"created": True})
        if count == 0:
            return result.error(_no_row(call, arguments) + " Nothing was changed.")
        return result.data({f"{call.action.removesuffix('e')}ed": count})


def _call(operation: Operation) -> SqlCall:
    assert isinstance(operation.call, SqlCall)
    return operation.call


def _rest(rows: list[Any], more: bool, wide: bool, arguments: Arguments) -> dict[str, Any]:
    """What to say of rows that are not there."""
    if not more:
        return {}
    told: dict[str, Any] = {"truncated": True, "next_offset": arguments.get("offset", 0) + len(rows)}
    if wide:
        told["why"] = "the answer would be too large: name fewer `columns`, or ask for fewer rows"
    return told


def _no_row(call: SqlCall, arguments: Arguments) -> str:
    key = ", ".join(f"{name} {result.written(value)}" for name, value in arguments["key"].items())
    return f"There is no row in {call.table} with {key}."


def described(call: SqlCall, arguments: Arguments) -> str:
    """What the bundle knows of the tables; no database is asked."""
    if call.action == "describe":
        unknown = [name for name in arguments["tables"] if name not in call.texts]
        if unknown:
            raise Failed(f"There is no table {', '.join(unknown)}. There are: {', '.join(call.texts)}.")
        return "\n".join(call.texts[name] for name in arguments["tables"])
    words = str(arguments.get("search") or "").lower().split()
    lines = [f"{name}: {text}" if text else name for name, text in call.texts.items()]
    found = [line for line in lines if all(word in line.lower() for word in words)]
    return "\n".join(found) or f"No table fits {arguments.get('search')}. There are {len(lines)}."
