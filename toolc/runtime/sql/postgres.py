"""PostgreSQL: a read-only transaction, a statement timeout, and the extended protocol, which takes one statement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import psycopg

from toolc.runtime.result import Failed
from toolc.runtime.sql.address import Target
from toolc.runtime.sql.engines import refused, too_many

# Seconds for the server to take that a statement is cancelled.
_CANCEL = 5.0
_POWERS = """
SELECT concat_ws(', ', CASE WHEN rolsuper THEN 'is a superuser' END,
                 CASE WHEN rolbypassrls THEN 'bypasses row security' END,
                 CASE WHEN rolcreaterole THEN 'may make roles' END, CASE WHEN rolcreatedb THEN 'may make databases' END)
FROM pg_roles WHERE rolname = current_user
"""


def connected(target: Target, reads: bool, timeout: float) -> Postgres:
    """A connection; raises Failed."""
    options = f"-c statement_timeout={int(timeout * 1000)} -c idle_in_transaction_session_timeout={int(timeout * 1000)}"
    if reads:
        options += " -c default_transaction_read_only=on"
    try:
        connection = psycopg.connect(
            target.url,
            autocommit=True,
            connect_timeout=max(2, int(timeout)),
            application_name="toolc",
            options=" ".join(part for part in (target.options.get("options", ""), options) if part),
            client_encoding="utf8",
        )
    except psycopg.Error as error:
        raise Failed(f"The database of {target.variable} cannot be reached: {_words(error)}") from None
    return Postgres(connection, reads, timeout)


class Postgres:
    """One connection; see `Engine`."""

    def __init__(self, connection: psycopg.Connection[Any], reads: bool, timeout: float) -> None:
        self._connection = connection
        self._reads = reads
        self._timeout = timeout

    def rows(self, sql: str, values: Sequence[Any]) -> Iterator[tuple[Sequence[str], Sequence[Any]]]:
        """Rows as the server makes them, in a transaction that cannot write."""
        try:
            self._begin()
            with self._connection.cursor() as cursor:
                # Streams, always by the extended protocol; the rest is not fetched when nobody asks for it.
                for row in cursor.stream(sql.encode(), values):
                    yield [column.name for column in cursor.description or ()], row
        except (psycopg.Error, UnicodeError, ValueError) as error:
            raise self._failure(error) from None

    def write(self, sql: str, values: Sequence[Any], returning: Sequence[str]) -> tuple[int, Mapping[str, Any]]:
        """Rows touched, and the key of a new row."""
        try:
            self._begin()
            with self._connection.cursor() as cursor:
                cursor.execute(sql.encode(), values, prepare=True)
                count = cursor.rowcount
                given = cursor.fetchall() if returning else []
            self._connection.execute("ROLLBACK" if count > 1 else "COMMIT")
        except (psycopg.Error, UnicodeError, ValueError) as error:
            raise self._failure(error) from None
        if count > 1:
            raise too_many(count)
        return count, dict(zip(returning, given[0], strict=True)) if given else {}

    def cancel(self) -> None:
        """Ask the server to end the statement that runs."""
        self._connection.cancel_safe(timeout=_CANCEL)

    def too_powerful(self) -> str:
        """Rights of the role that no tool needs."""
        try:
            row = self._connection.execute(_POWERS).fetchone()
        except psycopg.Error:
            return ""
        return (
            f"is called by a role that {row[0]}: give it one that may do only what its tools do"
            if row and row[0]
            else ""
        )

    def close(self) -> None:
        """Undo what was not committed."""
        self._connection.close()

    def _begin(self) -> None:
        self._connection.execute("BEGIN READ ONLY" if self._reads else "BEGIN READ WRITE")

    def _failure(self, error: Exception) -> Failed:
        if isinstance(error, psycopg.errors.QueryCanceled):
            return Failed(f"The database did not answer within {self._timeout:g} s: ask for less.")
        return refused(_words(error))


def _words(error: Exception) -> str:
    """What the server said, with its detail and hint."""
    told = getattr(error, "diag", None)
    parts = [told.message_primary, told.message_detail, told.message_hint] if told is not None else []
    return ". ".join(part.rstrip(".") for part in parts if part) or str(error)
