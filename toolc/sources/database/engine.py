"""SQLite as a reader of untrusted schema text: a database in memory that can reach nothing outside of it."""

from __future__ import annotations

import re
from typing import Any

# Steps of SQLite's virtual machine for one statement; creating a table takes some hundred.
MOST_STEPS = 2_000_000
# Questions to the authorizer for one statement: what a view of views of views expands to while it is prepared.
MOST_QUESTIONS = 200_000
# Bytes of one value or row.
LONGEST = 16 * 1024 * 1024
# Functions that reach files or code; none is in Python's SQLite by default, but it may be linked with another.
FILE_FUNCTIONS = frozenset({"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"})

_ACTIONS = (
    *("CREATE_TABLE", "CREATE_INDEX", "CREATE_VIEW", "DROP_TABLE", "DROP_INDEX", "DROP_VIEW", "ALTER_TABLE"),
    *("READ", "SELECT", "INSERT", "UPDATE", "DELETE", "REINDEX", "RECURSIVE"),
)
_MISSING = re.compile(r"no such (function|collation sequence): (.+)")
_STAND_INS = 50
_REASONS = {"interrupted": "it runs without an end", "not authorized": "it does more than create structure"}


class Engine:
    """A fenced connection. Every statement runs behind an allow-list of actions and with a budget of steps."""

    def __init__(self) -> None:
        import sqlite3

        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        self._allowed = frozenset(getattr(sqlite3, f"SQLITE_{name}") for name in _ACTIONS)
        self._connection.execute("PRAGMA temp_store = MEMORY")
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)

    def close(self) -> None:
        """Forget everything."""
        self._connection.close()

    def ask(self, sql: str, *values: str) -> list[tuple[Any, ...]]:
        """The rows that answer a question of ours, which may use PRAGMA functions; raises sqlite3.Error."""
        return self._run(sql, values, asking=True)

    def attempt(self, sql: str) -> str:
        """Run a statement of the schema; why it cannot be done, or an empty string.

        Functions and collations that the application would bring get stand-ins: none is called while tables are made.
        """
        import sqlite3

        for _ in range(_STAND_INS):
            try:
                self._run(sql)
            except (sqlite3.Error, sqlite3.Warning) as error:
                missing = _MISSING.match(str(error))
                if missing is None:
                    return reason(error)
                name = missing[2].strip("\"'")
                if missing[1] == "function":
                    self._connection.create_function(name, -1, lambda *_: None, deterministic=True)
                else:
                    self._connection.create_collation(name, lambda left, right: (left > right) - (left < right))
            else:
                return ""
        return "it needs too many functions that only the application has"

    def _run(self, sql: str, values: tuple[str, ...] = (), asking: bool = False) -> list[tuple[Any, ...]]:
        import sqlite3

        questions = steps = 0

        def authorize(action: int, _first: str | None, second: str | None, *_: str | None) -> int:
            nonlocal questions
            questions += 1
            if action == sqlite3.SQLITE_FUNCTION:
                allowed = str(second).lower() not in FILE_FUNCTIONS
            else:
                allowed = action in self._allowed or (asking and action == sqlite3.SQLITE_PRAGMA)
            return sqlite3.SQLITE_OK if allowed and questions <= MOST_QUESTIONS else sqlite3.SQLITE_DENY

        def step() -> int:
            nonlocal steps
            steps += 1
            return int(steps > MOST_STEPS // 1000)

        self._connection.set_authorizer(authorize)
        self._connection.set_progress_handler(step, 1000)
        try:
            return self._connection.execute(sql, values).fetchall()
        finally:
            self._connection.set_authorizer(None)
            self._connection.set_progress_handler(None, 0)


def reason(error: Exception) -> str:
    """What the engine says, in words about the schema."""
    return _REASONS.get(str(error), str(error))


def quoted(name: str) -> str:
    """An identifier as SQL text."""
    return '"' + name.replace('"', '""') + '"'
