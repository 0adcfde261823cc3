"""An asyncio loop on a thread of its own, for libraries that can be ended in time only there."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from toolc.runtime import cancellation
from toolc.runtime.cancellation import Cancellation
from toolc.runtime.result import Failed

Given = TypeVar("Given")


class Background:
    """The loop; `run` may be used from several threads."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(_Unjoined())
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, Given], cancelling: Cancellation) -> Given:
        """What the coroutine gives; it is cancelled with its call, and Failed is raised."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            with cancelling.ends(future.cancel):
                return future.result()
        except CancelledError:
            raise Failed(cancellation.WORDS) from None

    def close(self, farewell: Coroutine[Any, Any, object], seconds: float) -> None:
        """Do a last thing, for some seconds at most, and end the loop."""
        with suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(farewell, self._loop).result(seconds)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(seconds)
        if not self._loop.is_running():
            self._loop.close()


class _Unjoined(ThreadPoolExecutor):
    """Runs each thing in a thread that nobody waits for: looking up a name can outlast everything."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **keys: Any) -> Future[Any]:
        future: Future[Any] = Future()

        def carry_out() -> None:
            try:
                found = work(*args, **keys)
            except BaseException as error:
                _settle(future.set_exception, error)
            else:
                _settle(future.set_result, found)

        threading.Thread(target=carry_out, daemon=True).start()
        return future


def _settle(settle: Callable[[Any], None], outcome: Any) -> None:
    with suppress(Exception):  # it was cancelled
        settle(outcome)
