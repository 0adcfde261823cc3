"""Databases: each table and action is an operation, read from DDL, from a database file, or from a live server.

A live one is asked by `toolc pull`; builds read the snapshot that it leaves, which holds the structure and no rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from toolc import address, documents, snapshot
from toolc.bind import Env, did_you_mean
from toolc.diagnostics import Report, user_error
from toolc.ir import Operation, Origin, Source
from toolc.snapshot import Snapshot
from toolc.sources import Context, Live, Reading
from toolc.sources.database import ddl, dialects, operations, sqlite, stored
from toolc.sources.database.compact import summary
from toolc.sources.database.model import Database, Dialect
from toolc.sources.database.offer import Choice, Offer, offers, referenced

Form = Literal["auto", "table", "database"]
_CREATE = re.compile(r"\bCREATE\s+(?:\w+\s+){0,3}TABLE\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Options:
    """The keys of a `database` source."""

    ddl: str = field(default="", metadata={"doc": "file with the SQL statements that make the schema"})
    path: str = field(default="", metadata={"doc": "SQLite database file"})
    dialect: str = field(
        default="", metadata={"doc": "whose SQL the ddl is: postgres, mysql, sqlite, tsql, oracle; guessed if absent"}
    )
    url: Env | None = field(
        default=None,
        metadata={"doc": "a live database that `toolc pull` reads, as {env: NAME of the variable with its address}"},
    )
    schemas: tuple[str, ...] = field(
        default=(), metadata={"doc": "schemas of a live database to read; all that are not the system's, if absent"}
    )
    timeout: int = field(default=30, metadata={"doc": "seconds to wait for a live database", "min": 1})
    snapshot: str = field(
        default="",
        metadata={"doc": "where pull keeps its structure, and builds read it (default snapshots/<source>.json)"},
    )
    title: str = field(default="", metadata={"doc": "what the database holds, in a few words: `DVD rental`"})
    form: Form = field(
        default="auto",
        metadata={
            "doc": "a few tools for each `table`, a few for the whole `database`, or by the number of tables (`auto`)"
        },
    )
    hide: tuple[str, ...] = field(
        default=(), metadata={"doc": "tables and columns to leave out, as globs on `table` or `table.column`"}
    )
    show: tuple[str, ...] = field(
        default=(),
        metadata={"doc": "columns that hold no secret though their names look so, as globs on `table.column`"},
    )


def read(options: Options, context: Context) -> Reading:
    """The operations of every table that is not hidden, in the order of the schema."""
    database, shown = _schema(options, context)
    origin = Origin(shown)
    offered = list(offers(database, origin, context.report, Choice(options.hide, options.show)))
    if not database.tables:
        context.report.warning("empty-source", f"{shown} makes no table", origin)
    ranks = {name: rank for rank, name in enumerate(referenced(offered))}
    found: list[Operation] = []
    for offer in offered:
        found.extend(operations.of_table(context.name, offer, database.dialect, ranks[offer.name]))
    source = Source(
        context.name,
        "database",
        title=options.title,
        description=_about(options.title, offered),
        separate=("read", "write"),
        form=options.form,
        tag_descriptions={offer.name: offer.table.comment for offer in offered if offer.table.comment},
        vendored=not (options.ddl or options.path),
        files=(shown,),
        operations=len(found),
    )
    return Reading(source, tuple(found))


def live(options: Options, context: Context) -> tuple[Live, ...]:
    """The database behind `url`, if there is one."""
    if options.url is None:
        return ()
    _check_inputs(options, context.name)
    path = options.snapshot or snapshot.default_path(context.name)
    fetch = partial(_fetch, context.name, options)
    return (Live(context.name, address.shown(options.url), path, options.timeout, fetch),)


def connections(options: Options, context: Context) -> dict[str, dict[str, Any]]:
    """Where calls go: the file, or the variable with the address; of a schema file alone, `<SOURCE>_URL`."""
    if options.path:
        return {context.name: {"path": documents.display(context.base / options.path, context.root)}}
    variable = options.url.env if options.url is not None else default_variable(context.name)
    return {context.name: {"url": {"env": variable}}}


def default_variable(source: str) -> str:
    """The environment variable with the address of a database of which only the schema is named."""
    plain = re.sub(r"\W+", "_", source).strip("_").upper()
    return f"{'_' * (plain[:1].isdigit() or not plain)}{plain}_URL"


def _fetch(name: str, options: Options, report: Report) -> Snapshot:
    from toolc.sources.database.servers import reflect

    variable = options.url.env if options.url is not None else ""
    found = reflect(address.variable(variable, f"source `{name}`"), variable, report, options.schemas, options.timeout)
    return Snapshot("database", found.server, stored.encode(found.database))


def _about(title: str, offered: list[Offer]) -> str:
    """`DVD rental (16 tables: film, …)`: the stub of a database."""
    told = summary(offered)
    return f"{title} ({told})" if title else told


def recognise(data: Any) -> bool:
    """Whether data is the text of a schema; text is what a file gives that is neither JSON nor YAML."""
    return isinstance(data, str) and bool(_CREATE.search(data))


def _schema(options: Options, context: Context) -> tuple[Database, str]:
    """What the schema makes, and the file they came from as the user would name it."""
    _check_inputs(options, context.name)
    if not (options.ddl or options.path):
        return _snapshot(options, context)
    target = context.base / (options.ddl or options.path)
    shown = documents.display(target, context.root)
    if options.path and target.is_file():
        text, context.files[shown] = sqlite.schema_of_file(target, shown, context.report)
    else:
        text, context.files[shown] = documents.read_text(target, shown)
        if options.path:
            raise user_error("unreadable-file", f"{shown} is no SQLite database", Origin(shown))
    origin = Origin(shown)
    dialect = "sqlite" if options.path else _dialect(options, text, origin, context)
    if dialect == "sqlite":
        return sqlite.read(text, origin, context.report, lines=bool(options.ddl)), shown
    return ddl.read(text, dialect, origin, context.report), shown


def _snapshot(options: Options, context: Context) -> tuple[Database, str]:
    """The structure that `pull` kept; raises UserError where there is none."""
    path = options.snapshot or snapshot.default_path(context.name)
    if not (context.base / path).is_file():
        raise snapshot.missing(context.name, documents.display(context.base / path, context.root))
    document = context.document(path)
    snapshot.check(document, "database", context.report)
    origin = Origin(document.path)
    if not isinstance(document.data, dict):
        raise user_error("wrong-snapshot", "this is no snapshot of a database", origin, help="pull it again")
    data = {key: value for key, value in document.data.items() if key != snapshot.KEY}
    return stored.decode(data, origin), document.path


def _dialect(options: Options, text: str, origin: Origin, context: Context) -> Dialect:
    """The dialect that the options name, or the one that the text looks like."""
    given = options.dialect.lower()
    if given in dialects.NAMES:
        return dialects.NAMES[given]
    if given:
        slip = did_you_mean(given, dialects.NAMES)
        known = "known: postgres, mysql, sqlite, tsql, oracle"
        raise user_error("unsupported-dialect", f"unknown dialect `{options.dialect}`{slip}", help=known)
    dialect, words = dialects.detect(text)
    told = f", as it has {', '.join(f'`{word}`' for word in words)}" if words else ""
    message = f"{origin.source} is read as SQL of {dialects.SHOWN[dialect]}{told}"
    context.report.note("guessed-dialect", message, origin, help=f"say `dialect: {dialect}` in the source to be sure")
    return dialect


def _check_inputs(options: Options, name: str) -> None:
    """Raise UserError unless exactly one input is named."""
    live = "url" if options.url is not None else "snapshot" if options.snapshot else ""
    named = [key for key in ("ddl", "path") if getattr(options, key)] + ([live] if live else [])
    if len(named) == 1:
        return
    if named:
        message = f"source `{name}` has both `{named[0]}` and `{named[1]}`"
        raise user_error("conflicting-keys", message, help="keep one of them")
    works = (
        "name a schema file with `ddl: schema.sql`, a SQLite file with `path: app.db`, or a live database with `url`"
    )
    raise user_error("missing-key", f"source `{name}` names no schema", help=works)
