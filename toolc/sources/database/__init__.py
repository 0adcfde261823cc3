"""Databases: each table and action is an operation, read from DDL or from a database file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from toolc import documents
from toolc.bind import Env, did_you_mean
from toolc.diagnostics import user_error
from toolc.ir import Operation, Origin, Source
from toolc.sources import Context, Reading
from toolc.sources.database import operations, sqlite
from toolc.sources.database.model import Database

DIALECTS = ("sqlite",)
_PLANNED = ("postgres", "mysql", "mariadb", "oracle", "tsql")
_CREATE = re.compile(r"\bCREATE\s+(?:\w+\s+)?TABLE\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Options:
    """The keys of a `database` source."""

    ddl: str = field(default="", metadata={"doc": "file with the SQL statements that make the schema"})
    path: str = field(default="", metadata={"doc": "SQLite database file"})
    dialect: str = field(default="sqlite", metadata={"doc": "whose SQL the ddl is: sqlite"})
    url: Env | None = field(
        default=None, metadata={"doc": "a live database, as {env: NAME of the variable with its address}"}
    )
    snapshot: str = field(default="", metadata={"doc": "where the schema of the live database is kept; builds read it"})


def read(options: Options, context: Context) -> Reading:
    """The operations of every table that is not hidden, in the order of the schema."""
    _check_dialect(options)
    database, shown = _schema(options, context)
    tables = database.tables
    found: list[Operation] = []
    for table in tables:
        found.extend(operations.of_table(context.name, table, Origin(shown), context.report))
    if not tables:
        context.report.warning("empty-source", f"{shown} makes no table", Origin(shown))
    source = Source(
        context.name,
        "database",
        separate=("read", "write"),
        tag_descriptions={table.name: table.comment for table in tables if table.comment},
        files=(shown,),
        operations=len(found),
    )
    return Reading(source, tuple(found))


def recognise(data: Any) -> bool:
    """Whether data is the text of a schema; text is what a file gives that is neither JSON nor YAML."""
    return isinstance(data, str) and bool(_CREATE.search(data))


def _schema(options: Options, context: Context) -> tuple[Database, str]:
    """What the schema makes, and the file they came from as the user would name it."""
    name = options.ddl or options.path
    if not name or (options.ddl and options.path):
        raise _no_input(options, context.name)
    target = context.base / name
    shown = documents.display(target, context.root)
    if options.path and target.is_file():
        text, context.files[shown] = sqlite.schema_of_file(target, shown, context.report)
    else:
        text, context.files[shown] = documents.read_text(target, shown)
        if options.path:
            raise user_error("unreadable-file", f"{shown} is no SQLite database", Origin(shown))
    return sqlite.read(text, Origin(shown), context.report, lines=bool(options.ddl)), shown


def _check_dialect(options: Options) -> None:
    dialect = options.dialect.lower()
    if dialect in DIALECTS:
        return
    if dialect in _PLANNED or dialect in ("postgresql", "sqlserver", "mssql"):
        advice = "so far SQLite is read: `dialect: sqlite`; PostgreSQL and MySQL come in a later version"
        raise user_error("unsupported-dialect", f"schemas of {options.dialect} cannot be read yet", help=advice)
    slip = did_you_mean(options.dialect, (*DIALECTS, *_PLANNED))
    raise user_error("unsupported-dialect", f"unknown dialect `{options.dialect}`{slip}", help="known: sqlite")


def _no_input(options: Options, name: str) -> Exception:
    works = "name a schema file with `ddl: schema.sql`, or a SQLite file with `path: app.db`"
    if options.ddl and options.path:
        return user_error("conflicting-keys", f"source `{name}` has both `ddl` and `path`", help="keep one of them")
    if options.url or options.snapshot:
        return user_error("unsupported-input", f"source `{name}`: live databases cannot be read yet", help=works)
    return user_error("missing-key", f"source `{name}` names no schema", help=works)
