"""Cancelling a call that is under way, from another thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from toolc.runtime.result import Failed

WORDS = "The call was cancelled; what it had done by then stands."


class Cancellation:
    """Whether one call is cancelled, and what ends it."""

    def __init__(self) -> None:
        self._endings: list[Callable[[], object]] = []
        self._lock = threading.Lock()
        self.cancelled = False

    def cancel(self) -> None:
        """End the call; may take a moment, as databases and programs are told."""
        with self._lock:  # what is ended does not close meanwhile
            self.cancelled = True
            for end in self._endings:
                with suppress(Exception):  # whatever it ends may have ended by itself
                    end()

    @contextmanager
    def ends(self, end: Callable[[], object]) -> Iterator[None]:
        """While this lasts, cancelling does `end`; raises Failed in a call that is cancelled already."""
        with self._lock:
            if self.cancelled:
                with suppress(Exception):  # as in `cancel`: a database may not be there to be told
                    end()
                raise Failed(WORDS)
            self._endings.append(end)
        try:
            yield
        finally:
            with self._lock:
                self._endings.remove(end)
