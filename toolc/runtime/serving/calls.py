"""Calls of a served bundle, which is read with the first of them: until then the listing is enough."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from toolc.diagnostics import UserError
from toolc.runtime import Bundle, Executor, result
from toolc.runtime.cancellation import Cancellation
from toolc.runtime.result import Result
from toolc.runtime.surroundings import Progress, Settings


class Calls:
    """An executor that is made when it is needed.

    names: of the tools that are offered; others of the bundle are not called here.
    """

    def __init__(
        self,
        folder: Path,
        names: Collection[str],
        *,
        files: Sequence[Path] = (),
        settings: Settings,
        warn: Callable[[str], None],
    ) -> None:
        self._folder, self._names = folder, names
        self._files, self._settings, self._warn = files, settings, warn
        self._executor: Executor | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Calls:
        return self

    def __exit__(self, *_: object) -> None:
        if self._executor is not None:
            self._executor.close()

    def call(
        self, name: str, arguments: dict[str, Any], cancelling: Cancellation, progress: Progress | None = None
    ) -> Result:
        """Carry out a call."""
        try:
            executor = self._ready()
        except UserError as error:
            return result.error(" ".join(f"{item.message}. {item.help}" for item in error.diagnostics))
        tool = executor.bundle.tool(name)
        if tool is not None and tool.name not in self._names:
            return result.error(f"{name}: this server does not offer it.")
        return executor.call(name, arguments, cancelling, progress)

    def _ready(self) -> Executor:
        with self._lock:
            if self._executor is None:
                bundle = Bundle.load(self._folder)
                self._executor = Executor(bundle, files=self._files, settings=self._settings, warn=self._warn)
            return self._executor
