"""MCP over stdin and stdout: one message a line, calls side by side, everything else at once."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from typing import IO, Any

from toolc.runtime.serving import Listing, protocol
from toolc.runtime.serving.protocol import Call

LARGEST = 64 * 1024**2
MOST_CALLS = 32
# Seconds for calls under way when the client has closed stdin; it ends the process soon after.
_LINGER = 5.0
_PARSE_ERROR = -32700


def serve(listing: Listing, call: Call) -> None:
    """Answer until stdin ends."""
    # Whatever a library prints must not stand between messages.
    wire = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _Conversation(listing, call, wire).hold(sys.stdin.buffer)


class _Conversation:
    def __init__(self, listing: Listing, call: Call, wire: IO[bytes]) -> None:
        self._listing, self._call, self._wire = listing, call, wire
        self._writing = threading.Lock()
        self._room = threading.Semaphore(MOST_CALLS)
        self._cancelled: set[str] = set()
        self._under_way: dict[str, threading.Thread] = {}

    def hold(self, lines: IO[bytes]) -> None:
        while line := lines.readline(LARGEST):
            if not line.strip():
                continue
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                self._send(protocol.failure(None, _PARSE_ERROR, "this line is no JSON"))
                continue
            self._take(message)
        end = time.monotonic() + _LINGER
        for thread in list(self._under_way.values()):
            thread.join(max(0.0, end - time.monotonic()))

    def _take(self, message: Any) -> None:
        if isinstance(message, dict) and message.get("method") == "notifications/cancelled":
            params = message.get("params")
            if isinstance(params, dict) and (key := _key(params.get("requestId"))) in self._under_way:
                self._cancelled.add(key)
        elif isinstance(message, dict) and protocol.is_call(message) and "id" in message:
            self._room.acquire()
            thread = threading.Thread(target=self._carry_out, args=(message,), daemon=True)
            self._under_way[_key(message["id"])] = thread
            thread.start()
        elif (answer := protocol.answer(message, self._listing, self._call)) is not None:
            self._send(answer)

    def _carry_out(self, message: dict[str, Any]) -> None:
        key = _key(message["id"])
        try:
            answer = protocol.answer(message, self._listing, self._call)
        except Exception as error:
            answer = protocol.failure(message["id"], -32603, f"this is a bug in toolc: {type(error).__name__}")
        finally:
            self._room.release()
        cancelled = key in self._cancelled
        self._cancelled.discard(key)
        self._under_way.pop(key, None)
        if answer is not None and not cancelled:
            self._send(answer)

    def _send(self, message: dict[str, Any]) -> None:
        # ASCII, so that half a character cannot stop it
        line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        with self._writing:
            try:
                self._wire.write(line)
                self._wire.flush()
            except OSError:  # the client is gone; stdin says so as well
                return


def _key(value: Any) -> str:
    return json.dumps(value, default=str)
