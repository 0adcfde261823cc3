"""The engines that a statement runs on, each behind the same few methods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

from toolc.runtime.result import Failed
from toolc.runtime.sql.address import Target

# Dialect → module and what installs its driver.
_ENGINES = {"postgres": "postgres", "mysql": "mysql", "sqlite": "sqlite"}
MOST_WORDS = 500


class Engine(Protocol):
    """A connection for one call, opened to read or to write."""

    def rows(self, sql: str, values: Sequence[Any]) -> Iterator[tuple[Sequence[str], Sequence[Any]]]:
        """The columns' names and the values of each row, as they are asked for; raises Failed."""

    def write(self, sql: str, values: Sequence[Any], returning: Sequence[str]) -> tuple[int, Mapping[str, Any]]:
        """Rows touched, and the key of a new row; raises Failed, with nothing changed, if they are more than one."""

    def cancel(self) -> None:
        """End the statement that runs in another thread; there it raises Failed."""

    def too_powerful(self) -> str:
        """What the user may do beyond what tools need, in words for whoever runs this; `` for nothing."""

    def close(self) -> None:
        """End it; what was not committed is undone."""


def opened(target: Target, reads: bool, timeout: float) -> Engine:
    """A connection; raises Failed where there is none to be had."""
    try:
        engine: Engine = import_module(f"toolc.runtime.sql.{_ENGINES[target.dialect]}").connected(
            target, reads, timeout
        )
    except ModuleNotFoundError as error:
        need = (
            f"Calling this database needs the package `{error.name}`, which is not installed: pip install 'toolc[db]'."
        )
        raise Failed(need) from None
    return engine


def refused(error: object) -> Failed:
    """The failure that a database told, in its own words."""
    words = " ".join(str(error).split())
    return Failed(f"The database refused the call: {words[:MOST_WORDS]}")


def too_many(count: int) -> Failed:
    """The failure for a write with a key that is none."""
    return Failed(f"The key names {count} rows, and one call changes one row at most: nothing was changed.")
