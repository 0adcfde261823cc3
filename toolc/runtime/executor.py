"""Carries out calls of a bundle's tools: dispatches each to the carrier of its kind, and returns what it gives."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolc.bundle import variables
from toolc.ir import Arguments, Opaque, Operation
from toolc.runtime import result
from toolc.runtime.cancellation import WORDS, Cancellation
from toolc.runtime.capping import FARTHEST, OFFSET, Portion, capped, sound
from toolc.runtime.files import Files
from toolc.runtime.result import Failed, Result
from toolc.runtime.secrets import Secrets
from toolc.runtime.surroundings import Carrier, Connection, Execution, Progress, Settings, Surroundings

if TYPE_CHECKING:
    from toolc.runtime import Bundle

CONFIG = "toolc.yaml"
# Kind of call → module and class; imported with the first call of the kind.
CARRIERS = {
    "http": ("http", "Http"),
    "mcp": ("upstream", "Servers"),
    "opaque": ("opaque", "Programs"),
    "sql": ("sql", "Databases"),
}


class Executor:
    """Carries out calls; use it as a context manager, or `close` it. Calls may come from several threads.

    files: folders from which `file:PATH` arguments may be sent. root: the folder that programs and files of the config
    are relative to; without it, the nearest one above the bundle that has a toolc.yaml, or the current folder.
    warn: told what whoever runs this should know, such as a database user with more rights than it needs.
    """

    def __init__(
        self,
        bundle: Bundle,
        *,
        files: Sequence[str | Path] = (),
        root: Path | None = None,
        settings: Settings | None = None,
        warn: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.bundle = bundle
        self._surroundings = Surroundings(
            settings or Settings(),
            Secrets(),
            Files(files),
            (root or _root(bundle.folder)).resolve(),
            frozenset(variables(bundle.catalog.connections)),
            warn,
        )
        self._carriers: dict[str, Carrier] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Executor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End what was opened for calls: connections and servers."""
        with self._lock:
            for carrier in self._carriers.values():
                carrier.close()
            self._carriers.clear()

    def call(
        self,
        name: str,
        arguments: Arguments,
        cancelling: Cancellation | None = None,
        progress: Progress | None = None,
    ) -> Result:
        """Carry out a call of a tool. What goes wrong is a result too, with a text to repair the call from.

        cancelling: ends the call when another thread says so. progress: told by an upstream MCP server how far it is,
        in another thread.
        """
        from toolc.runtime import Refused

        cancelling = cancelling or Cancellation()
        portion = Portion(0, self._surroundings.settings.most_bytes)
        try:
            arguments, offset = self._without_offset(name, arguments)
            operation, meant = self._resolved(name, arguments)
            portion = self._portion(name, operation, offset)
            execution = Execution(cancelling, portion.kept, progress and self._cleaned(progress))
            if cancelling.cancelled:
                raise Failed(WORDS)
            done = self._carrier(operation).call(operation, meant, self._connection(operation), execution)
        except (Refused, Failed) as problem:
            done = result.error(WORDS if cancelling.cancelled else str(problem))
        return capped(self._surroundings.secrets.cleaned(sound(done)), portion)

    def preview(self, name: str, arguments: Arguments) -> dict[str, Any]:
        """What `call` would send, with `${NAME}` for every secret; raises Refused and Failed. Nothing is sent."""
        operation, meant = self._resolved(name, self._without_offset(name, arguments)[0])
        shown = self._carrier(operation).preview(operation, meant, self._connection(operation))
        return {"operation": operation.id, **shown}

    def can(self, operation: Operation) -> bool:
        """Whether toolc carries out this operation; if not, only the agent's own runtime does."""
        return not isinstance(operation.call, Opaque) or bool(operation.call.run)

    def _cleaned(self, progress: Progress) -> Progress:
        """The same without secrets."""
        redact = self._surroundings.secrets.redact
        return lambda done, total, words: progress(done, total, words and redact(words))

    def _resolved(self, name: str, arguments: Arguments) -> tuple[Operation, Arguments]:
        resolution = self.bundle.resolve(name, arguments)
        return self.bundle.catalog.operations[resolution.operation], resolution.arguments

    def _without_offset(self, name: str, arguments: Arguments) -> tuple[Arguments, Any]:
        """The arguments of a call, and where it goes on in its answer; None where it begins."""
        if not self._resumes(name) or not isinstance(arguments, dict) or OFFSET not in arguments:
            return arguments, None
        return {key: value for key, value in arguments.items() if key != OFFSET}, arguments[OFFSET]

    def _resumes(self, name: str) -> bool:
        """Whether the argument that goes on in an answer is none of the tool's own."""
        tool = self.bundle.tool(name)
        return tool is not None and OFFSET not in tool.input_schema.get("properties", {})

    def _portion(self, name: str, operation: Operation, offset: Any) -> Portion:
        resumable = self._resumes(name) and bool(operation.hints.read_only.value)
        if offset is not None and not resumable:
            raise Failed(f"`{OFFSET}` repeats a call to go on in its answer, and this call does more than read.")
        if offset is not None and not (type(offset) in (int, float) and 0 <= offset < math.inf):
            raise Failed(f"`{OFFSET}` is the number that the answer before named.")
        return Portion(min(int(offset or 0), FARTHEST), self._surroundings.settings.most_bytes, resumable)

    def _connection(self, operation: Operation) -> Connection:
        return self.bundle.catalog.connections.get(operation.source, {})

    def _carrier(self, operation: Operation) -> Carrier:
        kind = operation.call.kind
        with self._lock:
            if kind not in self._carriers:
                module, name = CARRIERS[kind]
                self._carriers[kind] = getattr(import_module(f"toolc.runtime.{module}"), name)(self._surroundings)
            return self._carriers[kind]


def _root(folder: Path) -> Path:
    places = folder.resolve().parents
    return next((place for place in places if (place / CONFIG).is_file()), Path.cwd())
