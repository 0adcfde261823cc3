"""SQLite: the file opened read-only or without making it, and an authorizer that lets through what tools need."""

from __future__ import annotations

import sqlite3  # noqa: TID253 (this module comes with the first call of a SQLite file)
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from toolc.runtime.result import Failed
from toolc.runtime.sql.address import Target
from toolc.runtime.sql.engines import refused, too_many

_STEPS = 10_000  # of the virtual machine between two looks at the clock
_READING = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE})
_WRITING = _READING | {sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE, sqlite3.SQLITE_TRANSACTION}
_REACHING_OUT = frozenset({"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"})


def connected(target: Target, reads: bool, timeout: float) -> Sqlite:
    """A connection to the file; raises Failed."""
    address = f"file:{quote(str(target.path))}?mode={'ro' if reads else 'rw'}"
    try:
        connection = sqlite3.connect(
            address, uri=True, timeout=timeout, isolation_level=None, check_same_thread=False, cached_statements=0
        )
    except sqlite3.Error as error:
        raise refused(error) from None
    return Sqlite(connection, reads, timeout)


class Sqlite:
    """One connection; see `Engine`."""

    def __init__(self, connection: sqlite3.Connection, reads: bool, timeout: float) -> None:
        self._connection = connection
        self._timeout = timeout
        # `mode=ro` still lets ATTACH make a file, and PRAGMA change the connection: only these actions pass.
        self._allowed = _READING if reads else _WRITING
        end = time.monotonic() + timeout
        if not reads:
            connection.execute("PRAGMA foreign_keys = ON")
        connection.set_authorizer(self._authorized)
        connection.set_progress_handler(lambda: int(time.monotonic() > end), _STEPS)

    def rows(self, sql: str, values: Sequence[Any]) -> Iterator[tuple[Sequence[str], Sequence[Any]]]:
        """Rows as they are asked for."""
        try:
            cursor = self._connection.execute(sql, tuple(values))  # takes one statement, and raises for a second
            names = [column[0] for column in cursor.description or ()]
            for row in cursor:
                yield names, row
        except (sqlite3.Error, OverflowError) as error:
            raise self._failure(error) from None

    def write(self, sql: str, values: Sequence[Any], returning: Sequence[str]) -> tuple[int, Mapping[str, Any]]:
        """Rows touched, and the key of a new row."""
        connection = self._connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            cursor = connection.execute(sql, tuple(values))
            given = cursor.fetchall() if returning else []
            count = len(given) if returning else cursor.rowcount
            cursor.close()
            if count > 1:
                connection.execute("ROLLBACK")
                raise too_many(count)
            connection.execute("COMMIT")
        except (sqlite3.Error, OverflowError) as error:
            raise self._failure(error) from None
        return count, dict(zip(returning, given[0], strict=True)) if given else {}

    def cancel(self) -> None:
        """End the statement that runs."""
        self._connection.interrupt()

    def too_powerful(self) -> str:
        """A file has no users."""
        return ""

    def close(self) -> None:
        """Undo what was not committed."""
        self._connection.close()

    def _authorized(self, action: int, first: str | None, second: str | None, *_: object) -> int:
        if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _REACHING_OUT:
            return sqlite3.SQLITE_DENY
        # A table's own schema is read where a virtual table or a key is checked.
        return sqlite3.SQLITE_OK if action in self._allowed else sqlite3.SQLITE_DENY

    def _failure(self, error: Exception) -> Failed:
        if "interrupted" in str(error):
            return Failed(f"The database did not answer within {self._timeout:g} s: ask for less.")
        return refused(error)
