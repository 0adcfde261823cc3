"""Live databases: what a server's catalog says of its tables, in the same terms as a schema file says it.

SQLAlchemy gives the connections, the drivers and, for PostgreSQL, keys and checks (`Inspector.get_multi_*`); queries on
the catalog give what it does not: types as the database writes them, partitions, privileges, comments of views. In
MySQL all of it comes from information_schema: SHOW CREATE TABLE, which the Inspector reads one table at a time, asks
for rights on the whole table that a role with rights on columns does not have. A SQLite file is read as its schema
text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolc.diagnostics import Report
from toolc.ir import Origin
from toolc.sources.database.model import Database
from toolc.sources.database.servers import address, mysql, postgres
from toolc.sources.database.servers.connection import connected, without_extra


@dataclass(frozen=True, slots=True)
class Reflected:
    """A database, and the name and version of the server that answered."""

    database: Database
    server: dict[str, Any]


def reflect(url: str, variable: str, report: Report, schemas: tuple[str, ...] = (), timeout: int = 30) -> Reflected:
    """What stands behind an address; raises UserError with one diagnostic and nothing of the address but the place.

    variable: where the address came from, for messages. schemas: those to read; all but the system's if empty.
    """
    with without_extra():
        target = address.parse(url, variable)
    origin = Origin("")
    if target.dialect == "sqlite":
        return Reflected(*address.sqlite(target, origin, report))
    with connected(target, timeout) as connection:
        if target.dialect == "postgres":
            return Reflected(*postgres.read(connection, schemas, report))
        return Reflected(*mysql.read(connection, report))
