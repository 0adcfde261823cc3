"""MCP over stdin and stdout: one message a line, calls side by side, everything else at once."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import IO, Any

from toolc.runtime.cancellation import Cancellation
from toolc.runtime.serving import Listing, protocol
from toolc.runtime.serving.protocol import CancellableCall

LARGEST = 64 * 1024**2
MOST_CALLS = 32
# Calls that wait for one of those to end.
MOST_WAITING = 1000
# Seconds for calls under way when the client has closed stdin; it ends the process soon after.
_LINGER = 5.0
# Seconds for what they started to end, once they are cancelled.
_FAREWELL = 2.0
_PARSE_ERROR, _INTERNAL_ERROR, _BUSY = -32700, -32603, -32000


def serve(listing: Listing, call: CancellableCall) -> None:
    """Answer until stdin ends."""
    # Whatever a library prints must not stand between messages.
    wire = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _Conversation(listing, call, wire).hold(sys.stdin.buffer)


@dataclass(eq=False, slots=True)
class _Request:
    """A call that waits or is under way."""

    message: dict[str, Any]
    cancelling: Cancellation = field(default_factory=Cancellation)


class _Conversation:
    def __init__(self, listing: Listing, call: CancellableCall, wire: IO[bytes]) -> None:
        self._listing, self._call, self._wire = listing, call, wire
        self._writing = threading.Lock()
        self._changed = threading.Condition()  # of the three below
        self._requests: dict[str, _Request] = {}
        self._waiting: deque[_Request] = deque()
        self._running = 0

    def hold(self, lines: IO[bytes]) -> None:
        try:
            for line in _lines(lines):
                try:
                    message = protocol.read(line)
                except ValueError as error:
                    self._send(protocol.failure(None, _PARSE_ERROR, f"this line cannot be read as JSON: {error}"))
                else:
                    self._take(message)
            self._linger(_LINGER)
        finally:  # also where a signal ends the process: nothing that a call has started outlasts it
            with self._changed:
                left = list(self._requests.values())
                self._waiting.clear()
            for request in left:
                self._cancel(request)
            self._linger(_FAREWELL)

    def _linger(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        with self._changed:
            while (self._running or self._waiting) and (left := end - time.monotonic()) > 0:
                self._changed.wait(left)

    def _take(self, message: Any) -> None:
        if protocol.is_cancel(message):
            with self._changed:
                request = self._requests.pop(_key(message["params"].get("requestId")), None)
                if request is not None and request in self._waiting:
                    self._waiting.remove(request)
            if request is not None:
                self._cancel(request)
        elif protocol.is_call(message):
            self._queue(message)
        elif (
            answer := protocol.answer(message, self._listing, partial(self._call, cancelling=Cancellation()))
        ) is not None:
            self._send(answer)

    def _queue(self, message: dict[str, Any]) -> None:
        key, request = _key(message["id"]), _Request(message)
        with self._changed:
            known, full = key in self._requests, len(self._waiting) == MOST_WAITING
            if not known and not full:
                self._requests[key] = request
                self._waiting.append(request)
                if self._running < MOST_CALLS:
                    self._running += 1
                    threading.Thread(target=self._work, daemon=True).start()
        if known:  # an answer with this id would be taken for that of the other call
            self._send(protocol.failure(None, protocol.INVALID_REQUEST, "a call with this id is under way"))
        elif full:
            self._send(protocol.failure(message["id"], _BUSY, f"{MOST_WAITING:,} calls wait: repeat it later"))

    def _work(self) -> None:
        """Carry out calls until none waits."""
        while True:
            with self._changed:
                if not self._waiting:
                    self._running -= 1
                    self._changed.notify_all()
                    return
                request = self._waiting.popleft()
            self._carry_out(request)

    def _carry_out(self, request: _Request) -> None:
        message = request.message
        try:
            token = protocol.progress_token(message)
            progress = None if token is None else partial(self._tell, request, token)
            call = partial(self._call, cancelling=request.cancelling, progress=progress)
            answer = protocol.answer(message, self._listing, call)
        except Exception as error:
            answer = protocol.failure(message["id"], _INTERNAL_ERROR, f"this is a bug in toolc: {type(error).__name__}")
        with self._changed:
            # A cancelled call gets no answer, and its id may be in use again.
            if self._requests.get(_key(message["id"])) is not request:
                return
            del self._requests[_key(message["id"])]
        if answer is not None:
            self._send(answer)

    def _tell(self, request: _Request, token: str | int, done: float, total: float | None, words: str | None) -> None:
        """How far a call is, as long as it is under way."""
        with self._changed:
            under_way = self._requests.get(_key(request.message["id"])) is request
        if under_way:
            self._send(protocol.progress(token, done, total, words))

    def _cancel(self, request: _Request) -> None:
        """In a thread, since telling a database takes time, and pings are answered meanwhile."""
        threading.Thread(target=request.cancelling.cancel, daemon=True).start()

    def _send(self, message: dict[str, Any]) -> None:
        line = protocol.written(message)
        with self._writing:
            try:
                self._wire.write(line)
                self._wire.flush()
            except OSError:  # the client is gone; stdin says so as well
                return


def _lines(pipe: IO[bytes]) -> Iterator[bytes]:
    """Lines that are not empty; in place of one that is too long, words that are no JSON."""
    while line := pipe.readline(LARGEST):
        rest = line
        while not rest.endswith(b"\n") and (rest := pipe.readline(LARGEST)):
            line = b"(too long)"
        if line.strip():
            yield line


def _key(value: Any) -> str:
    return json.dumps(value)
