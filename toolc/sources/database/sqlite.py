"""SQLite schemas, from DDL text or from a database file, through the real engine.

A database file is never run: its schema text is read from it and takes the same way as a schema file, so that no
module, trigger or corrupt page of it comes to life.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from toolc.diagnostics import Report, user_error
from toolc.ir import Origin
from toolc.sources.database import checks, statements
from toolc.sources.database.engine import Engine, reason
from toolc.sources.database.hidden import visible
from toolc.sources.database.literals import default_of
from toolc.sources.database.model import Check, Column, Database, ForeignKey, Key, Table
from toolc.sources.database.script import Made, Script
from toolc.sources.database.typenames import typed

_GENERATED: dict[int, Literal["virtual", "stored"]] = {2: "virtual", 3: "stored"}


def read(text: str, origin: Origin, report: Report, lines: bool = True) -> Database:
    """The tables and views that a schema text makes, in its order; hidden ones are noted.

    lines: whether places in the text are places in the file.
    """
    script = Script(text, origin, report, lines)
    try:
        script.run()
        tables = []
        for made in script.made:
            if (table := _table(script, made, report)) is not None:
                tables.append(table)
            else:
                script.lost += made.is_table
        script.check_sum(sum(table.kind != "view" for table in tables))
        return Database("sqlite", tuple(visible(_linked(tables, origin, report), report)))
    finally:
        script.engine.close()


def schema_of_file(path: Path, shown: str, report: Report) -> tuple[str, str]:
    """The schema text of a database file and its digest; raises UserError.

    The file is opened as unchangeable: no lock, no journal, no file beside it is made. The digest is that of the
    schema, so that it stands still while rows change.
    """
    import sqlite3

    origin = Origin(shown)
    with path.open("rb") as handle:
        if handle.read(16) != b"SQLite format 3\0":
            advice = "name a database file, or for a file with SQL text use `ddl`"
            raise user_error("unreadable-file", f"{shown} is no SQLite database", origin, help=advice)
    log = path.with_name(path.name + "-wal")
    if log.is_file() and log.stat().st_size:
        report.warning(
            "unsaved-changes",
            f"changes of the schema that still stand in {log.name} are not seen",
            origin,
            help="close the programs that use the database, or run PRAGMA wal_checkpoint(TRUNCATE) in it",
        )
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        rows = connection.execute(
            r"SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\_%' ESCAPE '\' "
            "AND type IN ('table', 'view', 'index') ORDER BY type = 'view', type = 'index', rowid"
        ).fetchall()
    except sqlite3.Error as error:
        raise user_error("unreadable-file", f"{shown} cannot be read: {error}", origin) from None
    finally:
        connection.close()
    text = "".join(f"{sql}\n;\n" for (sql,) in rows)
    return text, sha256(text.encode("utf-8", "replace")).hexdigest()


def _table(script: Script, made: Made, report: Report) -> Table | None:
    """What the engine knows of a table, with the comments and checks of its text."""
    import sqlite3

    engine = script.engine
    start = made.statement.start
    try:
        rows = engine.ask("SELECT * FROM pragma_table_xinfo(?)", made.name)
    except sqlite3.Error as error:
        message = f"`{made.name}` is left out: {reason(error)}"
        report.error("broken-statement", message, script.at(start, made.name))
        return None
    ((kind, sql),) = engine.ask("SELECT type, sql FROM sqlite_master WHERE name = ?", made.name)
    body = statements.body(sql) if kind == "table" and not made.module else statements.Body()
    indexes = engine.ask('SELECT name, "unique", origin, partial FROM pragma_index_list(?)', made.name)
    keys = sorted((row[5], row[1]) for row in rows if row[5])
    # A rowid alias is the one kind of primary key that needs no index.
    alias = len(keys) == 1 and all(origin != "pk" for _, _, origin, _ in indexes)
    columns = tuple(_columns(rows, body, alias))
    return Table(
        made.name,
        "view" if kind == "view" else "virtual" if made.module else "table",
        columns,
        tuple(column for _, column in keys),
        tuple(_unique(engine, indexes)),
        _foreign_keys(engine, made.name),
        tuple(_checks(body)),
        module=made.module,
        comment=body.comment,
        origin=script.at(start, made.name),
    )


def _columns(rows: Iterable[tuple[Any, ...]], body: statements.Body, alias: bool) -> Iterator[Column]:
    names = [item.name for item in body.items if item.name]
    checked = checks.of_columns((condition for item in body.items for condition in item.conditions()), names, "sqlite")
    comments = {item.name.lower(): item.comment for item in body.items}
    for _, name, declared, not_null, default, key, hidden in rows:
        limits = checked.get(name.lower(), checks.Checks())
        yield Column(
            name,
            typed(declared, "sqlite"),
            not_null=bool(not_null or key),
            default=default_of(default, "sqlite") if default else None,
            identity="by default" if alias and key else "",
            generated=_GENERATED.get(hidden, ""),
            bounds=limits.bounds,
            checks=tuple(limits.words),
            comment=comments.get(name.lower(), ""),
        )


def _checks(body: statements.Body) -> Iterator[Check]:
    columns = {item.name.lower(): item.name for item in body.items if item.name}
    for item in body.items:
        for condition in item.conditions():
            spoken = dict.fromkeys(token.name.lower() for token in condition if token.kind in ("word", "quoted"))
            yield Check(checks.sql(condition), tuple(columns[name] for name in spoken if name in columns))


def _unique(engine: Engine, indexes: list[tuple[Any, ...]]) -> Iterator[Key]:
    """The unique keys but the primary one, in the order they were made."""
    for index, unique, origin, partial in reversed(indexes):
        if unique and not partial and origin != "pk":
            rows = engine.ask("SELECT name FROM pragma_index_info(?) ORDER BY seqno", index)
            if all(name for (name,) in rows):  # an expression has no name
                yield Key(tuple(name for (name,) in rows), "" if origin == "u" else index, origin == "c")


def _foreign_keys(engine: Engine, name: str) -> tuple[ForeignKey, ...]:
    question = (
        'SELECT id, "table", "from", "to", on_delete, on_update FROM pragma_foreign_key_list(?) ORDER BY id DESC, seq'
    )
    keys: dict[int, ForeignKey] = {}
    for identity, table, column, target, *actions in engine.ask(question, name):
        deletes, updates = ("" if action == "NO ACTION" else action for action in actions)
        key = keys.get(identity, ForeignKey((), table, (), on_delete=deletes, on_update=updates))
        keys[identity] = replace(
            key, columns=(*key.columns, column), target=(*key.target, *([target] if target else []))
        )
    return tuple(keys.values())


def _linked(tables: list[Table], origin: Origin, report: Report) -> Iterator[Table]:
    """The tables with foreign keys that name their target as it is written there; unknown targets are reported."""
    named = {table.name.lower(): table for table in tables}
    for table in tables:
        keys = []
        for key in table.foreign_keys:
            target = named.get(key.table.lower())
            if target is None:
                message = f"{table.name}.{', '.join(key.columns)} refers to `{key.table}`, which is not defined here"
                report.warning("unknown-table", message, origin.at(table.name, key.columns[0]))
                continue
            keys.append(replace(key, table=target.name, target=key.target or target.primary_key))
        yield replace(table, foreign_keys=tuple(keys))
