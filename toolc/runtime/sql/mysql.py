"""MySQL and MariaDB: a read-only transaction, a time limit in the server, no second statement, strict values.

A read-only transaction there still lets DDL through; no call can express any, and the user's grants have the last word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import pymysql
from pymysql.constants import CLIENT
from pymysql.cursors import SSCursor

from toolc.runtime.result import Failed
from toolc.runtime.sql.address import Target
from toolc.runtime.sql.engines import refused, too_many

_POWERS = re.compile(r"\b(ALL PRIVILEGES|SUPER|FILE|CREATE USER|SHUTDOWN|PROCESS|RELOAD)\b")
# Seconds for the server to take that a statement is cancelled.
_CANCEL = 5.0
_TOO_LATE = (1969, 3024, 2013)  # MariaDB's and MySQL's limit, and a connection that timed out


def connected(target: Target, reads: bool, timeout: float) -> Mysql:
    """A connection; raises Failed."""
    try:
        connection = _dialled(target, timeout)
    except (pymysql.Error, OSError, RuntimeError, ValueError) as error:
        raise Failed(f"The database of {target.variable} cannot be reached: {_words(error)}") from None
    try:
        return Mysql(connection, target, reads, timeout)
    except pymysql.Error as error:
        connection.close()
        raise refused(_words(error)) from None


class Mysql:
    """One connection; see `Engine`."""

    def __init__(self, connection: Any, target: Target, reads: bool, timeout: float) -> None:
        self._connection = connection
        self._target = target
        self._reads = reads
        self._timeout = timeout
        maria = "mariadb" in str(connection.get_server_info()).lower()
        limit = f"max_statement_time = {timeout}" if maria else f"max_execution_time = {int(timeout * 1000)}"
        with connection.cursor() as cursor:
            # Without these a value that does not fit is cut without a word, and `"` would not be text.
            cursor.execute(
                f"SET SESSION {limit}, sql_mode = "
                "'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'"
            )
            if reads:
                cursor.execute("SET SESSION TRANSACTION READ ONLY")

    def rows(self, sql: str, values: Sequence[Any]) -> Iterator[tuple[Sequence[str], Sequence[Any]]]:
        """Rows as the server makes them, in a transaction that cannot write."""
        try:
            self._begin()
            cursor = self._connection.cursor(SSCursor)
            cursor.execute(sql, tuple(values))
            names = [column[0] for column in cursor.description or ()]
            while (row := cursor.fetchone()) is not None:
                yield names, row
        except (pymysql.Error, UnicodeError, ValueError) as error:
            raise self._failure(error) from None

    def write(self, sql: str, values: Sequence[Any], returning: Sequence[str]) -> tuple[int, Mapping[str, Any]]:
        """Rows touched, and the key of a new row."""
        try:
            self._begin()
            with self._connection.cursor() as cursor:
                count = cursor.execute(sql, tuple(values))
                number = cursor.lastrowid
            self._connection.rollback() if count > 1 else self._connection.commit()
        except (pymysql.Error, UnicodeError, ValueError) as error:
            raise self._failure(error) from None
        if count > 1:
            raise too_many(count)
        return count, {returning[0]: number} if len(returning) == 1 and number else {}

    def cancel(self) -> None:
        """End the statement that runs; only another connection of the same user can."""
        other = _dialled(self._target, _CANCEL)
        try:
            with other.cursor() as cursor:
                cursor.execute(f"KILL QUERY {int(self._connection.thread_id())}")
        finally:
            other._force_close()

    def too_powerful(self) -> str:
        """Grants of the user that no tool needs."""
        with suppress(pymysql.Error), self._connection.cursor() as cursor:
            cursor.execute("SHOW GRANTS")
            everywhere = [str(row[0]) for row in cursor.fetchall() if " ON *.* " in str(row[0])]
            found = sorted({match for grant in everywhere for match in _POWERS.findall(grant)})
            if found:
                return f"is called by a user with {', '.join(found)}: give it one that may do only what its tools do"
        return ""

    def close(self) -> None:
        """End at once: the rest of a result that was cut is not read."""
        self._connection._force_close()  # a closing that is polite would read every row that is left

    def _begin(self) -> None:
        with self._connection.cursor() as cursor:
            cursor.execute("START TRANSACTION READ ONLY" if self._reads else "START TRANSACTION READ WRITE")

    def _failure(self, error: Exception) -> Failed:
        if error.args and error.args[0] in _TOO_LATE:
            return Failed(f"The database did not answer within {self._timeout:g} s: ask for less.")
        return refused(_words(error))


def _dialled(target: Target, timeout: float) -> Any:
    """A connection without any settings; raises what the driver does."""
    seconds = max(2, int(timeout) + 1)
    return pymysql.connect(
        host=target.host or "localhost",
        port=target.port or 3306,
        user=target.user or None,
        password=target.password,
        database=target.name,
        charset="utf8mb4",
        autocommit=True,
        connect_timeout=seconds,
        read_timeout=seconds,
        write_timeout=seconds,
        program_name="toolc",
        # Not MULTI_STATEMENTS; and an update that changes nothing still found its row.
        client_flag=CLIENT.FOUND_ROWS,
        **_tls(target.options),
    )


def _tls(options: Mapping[str, str]) -> dict[str, Any]:
    """What the address says of encryption."""
    named = {key: options[key] for key in ("ssl_ca", "ssl_cert", "ssl_key") if key in options}
    if options.get("ssl", "").lower() in ("1", "true") and not named:
        return {"ssl": {"check_hostname": True}}
    return named


def _words(error: Exception) -> str:
    return str(error.args[1]) if len(error.args) > 1 else str(error)
