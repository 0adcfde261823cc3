"""The end of what a server writes to stderr, whatever length the whole has."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_KEPT = 4096
_LINES = 8


class StandardError:
    """Reads a pipe in a thread of its own, so that a server that writes much neither waits nor fills the disk."""

    def __init__(self) -> None:
        self._end = b""
        self._threads: list[threading.Thread] = []

    @contextmanager
    def file(self) -> Iterator[TextIO]:
        """The file to give to the server, which must have ended when this is left."""
        reading, writing = os.pipe()
        thread = threading.Thread(target=self._read, args=(reading,), daemon=True)
        thread.start()
        self._threads.append(thread)
        with os.fdopen(writing, "w", encoding="utf-8") as file:
            yield file

    def tail(self) -> str:
        """Its last lines. A grandchild may still hold the pipe; it is not waited for."""
        for thread in self._threads:
            thread.join(0.2)
        end = self._end.decode("utf-8", "replace")
        if len(self._end) == _KEPT:  # cut: from the next whole word, which might be half of a secret
            end = re.sub(r"^\S*\s?", "… ", end)
        lines = [line.rstrip() for line in end.splitlines() if line.strip()]
        return " | ".join(lines[-_LINES:])

    def _read(self, reading: int) -> None:
        with os.fdopen(reading, "rb", buffering=0) as pipe:
            while chunk := pipe.read(65536):
                self._end = (self._end + chunk)[-_KEPT:]
