"""Reads a bundle and answers calls; knows nothing of the compiler.

Importing it loads the standard library; the one JSON Schema validator comes with the first call, and what carries out
a call (an HTTP client, database drivers, the MCP SDK) with the first call of its kind.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toolc import bundle
from toolc.diagnostics import user_error
from toolc.dispatch import Dispatcher, Refusal, Resolution
from toolc.ir import Catalog, Tool
from toolc.runtime.executor import Executor
from toolc.runtime.result import DEEPEST, Failed, Result, is_deep
from toolc.runtime.search import Index
from toolc.runtime.surroundings import Settings
from toolc.schema.integers import as_integers


class Refused(Exception):  # noqa: N818 - it says what happened, not that something broke
    """A call that is not carried out; its text says what is wrong and what is allowed, for a model to repair."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


class Bundle:
    """A compiled catalog, ready to answer."""

    def __init__(self, catalog: Catalog, folder: Path, documents: Sequence[dict[str, Any]]) -> None:
        self.catalog = catalog
        self.folder = folder
        self._dispatcher = Dispatcher(catalog.tools, catalog.operations, catalog.aliases)
        self._index = Index(documents)

    @classmethod
    def load(cls, folder: str | Path) -> Bundle:
        """Read a bundle folder; raises UserError for one that is none."""
        folder = Path(folder)
        catalog = bundle.load(folder)
        try:
            documents = json.loads((folder / "search.json").read_text(encoding="utf-8"))["documents"]
            return cls(catalog, folder, documents)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            message = f"{folder.as_posix()} has no search.json that can be read: {error!r}"
            raise user_error("invalid-bundle", message, help="build it again") from None

    def tools(self, target: str) -> Any:
        """What a target takes, as written by the build: the content of its `tools.json`."""
        path = self.folder / "targets" / target / "tools.json"
        if not path.is_file():
            found = sorted(entry.name for entry in (self.folder / "targets").glob("*"))
            raise user_error(
                "missing-target", f"the bundle has no target `{target}`", help=f"it has: {', '.join(found) or 'none'}"
            )
        return json.loads(path.read_text(encoding="utf-8"))

    def tool(self, name: str) -> Tool | None:
        """A tool by its name or an old name of one of its operations."""
        alias = self.catalog.aliases.get(name)
        return self._dispatcher.tools.get(alias.tool if alias else name)

    def resolve(self, name: str, arguments: dict[str, Any]) -> Resolution:
        """The original call that a call of a tool means; raises Refused."""
        if is_deep([arguments]):
            raise Refused(Refusal(name, (f"The arguments are nested more than {DEEPEST} levels deep.",)))
        result = self._dispatcher.resolve(name, arguments)
        if isinstance(result, Refusal):
            raise Refused(result)
        schema = self.catalog.operations[result.operation].input
        return Resolution(result.operation, as_integers(result.arguments, schema))

    def search(self, query: str, limit: int = 10) -> list[tuple[str, str]]:
        """(name, stub) of the tools that fit the words best, best first."""
        return self._index.search(query, limit)


__all__ = ["Bundle", "Executor", "Failed", "Refused", "Resolution", "Result", "Settings"]
