"""The address of a database: which dialect, which driver, and how to speak of it without its secrets."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from toolc.diagnostics import Report, UserError, user_error
from toolc.ir import Origin
from toolc.sources.database import sqlite as reader
from toolc.sources.database.model import Database, Dialect

# Scheme → dialect and the driver that the extra `db` brings.
SCHEMES: dict[str, tuple[Dialect, str]] = {
    "postgres": ("postgres", "postgresql+psycopg"),
    "postgresql": ("postgres", "postgresql+psycopg"),
    "mysql": ("mysql", "mysql+pymysql"),
    "mariadb": ("mysql", "mysql+pymysql"),
    "sqlite": ("sqlite", "sqlite"),
}
EXAMPLE = "postgresql://user@host:5432/name, mysql://user@host/name or sqlite:///file.db"


@dataclass(frozen=True, slots=True)
class Target:
    """A parsed address. url: SQLAlchemy's, with the driver. where: host and database. secrets: never to be shown."""

    dialect: Dialect
    url: Any
    where: str
    variable: str
    secrets: tuple[str, ...] = ()


def parse(url: str, variable: str) -> Target:
    """The target of an address; raises UserError, naming the variable it stands in and nothing of its text."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        parsed = make_url(url.strip())
        _ = parsed.port
    except (ArgumentError, ValueError):
        raise _wrong(variable, "is no address of a database") from None
    scheme = parsed.drivername.partition("+")[0].lower()
    if scheme not in SCHEMES:
        raise _wrong(variable, f"names a kind of database that cannot be read live: `{scheme}`")
    dialect, driver = SCHEMES[scheme]
    if dialect == "mysql" and not parsed.database:
        raise _wrong(variable, "names no database: it ends without `/name`")
    host = f"{parsed.host or 'localhost'}{f':{parsed.port}' if parsed.port else ''}"
    where = str(parsed.database) if dialect == "sqlite" else f"{host}/{parsed.database or ''}"
    secrets = [parsed.password, *(value for key, value in parsed.query.items() if "pass" in key.lower())]
    # the name of a driver in the address does not count: only those of the extra are there
    return Target(dialect, parsed.set(drivername=driver), where, variable, tuple(str(one) for one in secrets if one))


def sqlite(target: Target, origin: Origin, report: Report) -> tuple[Database, dict[str, Any]]:
    """A SQLite file, through its schema text."""
    import sqlite3

    path = Path(target.url.database or "")
    if not path.is_file():
        message = f"there is no database file where ${target.variable} points to"
        raise user_error("unreachable-database", message, help="a relative path is taken from where toolc is run")
    text, _ = reader.schema_of_file(path, path.name, report)
    database = reader.read(text, origin, report, lines=False)
    return database, {"name": "SQLite", "version": sqlite3.sqlite_version, "schema": sha256(text.encode()).hexdigest()}


def _wrong(variable: str, what: str) -> UserError:
    return user_error("wrong-address", f"what stands in ${variable} {what}", help=f"write it as {EXAMPLE}")
