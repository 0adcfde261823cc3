"""Runs the program of a native tool: an argument list made from its template, never a shell."""

from __future__ import annotations

import os
import subprocess
import threading
from contextlib import suppress
from dataclasses import replace
from typing import IO, Any

from toolc import argv
from toolc.ir import Arguments, Opaque, Operation
from toolc.runtime import result
from toolc.runtime.cancellation import WORDS
from toolc.runtime.result import Failed, Result
from toolc.runtime.surroundings import Connection, Execution, Surroundings

_CHUNK = 65_536
# Seconds for output that is still under way when the program has ended; what it left running may hold the pipe.
_LINGER = 1.0


class Programs:
    """Runs programs in the folder of the config; they do not get the variables with secrets of other sources."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._settings = surroundings.settings
        self._folder = surroundings.root
        self._hidden = surroundings.hidden

    def call(self, operation: Operation, arguments: Arguments, connection: Connection, execution: Execution) -> Result:
        """Run the program, all arguments as JSON on its stdin; an exit code other than 0 is an error. Raises Failed."""
        words = self._words(operation, arguments)
        try:
            process = subprocess.Popen(  # noqa: S603 (an argument list by the tool's author, no shell)
                words,
                cwd=self._folder,
                env={name: value for name, value in os.environ.items() if name not in self._hidden},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "its arguments cannot be passed on"
            raise Failed(f"{words[0]} cannot be started: {reason}.") from None
        try:
            assert process.stdin is not None
            output, errors = (_Kept(pipe, execution.most_bytes) for pipe in (process.stdout, process.stderr))
            given = result.written(arguments).encode("utf-8", "backslashreplace")
            threading.Thread(target=_write, args=(process.stdin, given), daemon=True).start()
            with execution.cancelling.ends(lambda: _stop(process)):
                code = process.wait(self._settings.timeout)
        except subprocess.TimeoutExpired:
            _stop(process)
            raise Failed(f"{words[0]} did not end within {self._settings.timeout:g} s and was stopped.") from None
        except BaseException:  # Ctrl-C reaches toolc alone: the program is in a session of its own
            _stop(process)
            raise
        if execution.cancelling.cancelled:
            raise Failed(WORDS)
        text, told = output.text(), errors.text()
        if code:
            size = output.size + errors.size
            return replace(
                result.error("\n".join(part for part in (f"Exit code {code}.", told, text) if part)),
                unread=output.cut or errors.cut,
                size=size,
            )
        shown = output if text else errors
        return replace(result.text(text or told or "Done; it printed nothing."), unread=shown.cut, size=shown.size)

    def preview(self, operation: Operation, arguments: Arguments, connection: Connection) -> dict[str, Any]:
        """The argument list, and what stands on stdin."""
        return {"run": self._words(operation, arguments), "stdin": arguments}

    def close(self) -> None:
        """Nothing stays open."""

    def _words(self, operation: Operation, arguments: Arguments) -> list[str]:
        call = operation.call
        assert isinstance(call, Opaque)
        if not call.run:
            raise Failed(f"`{operation.id}` is carried out by the agent's own runtime; toolc has no `run` for it.")
        known = operation.input.get("properties", {})
        if unknown := [name for word in argv.words(call.run) for name in argv.named(word) if name not in known]:
            raise Failed(f"The `run` of this tool names `{unknown[0]}`, which is none of its arguments.")
        try:
            words = list(argv.filled(call.run, arguments))
        except ValueError as error:
            raise Failed(f"{error}.") from None
        # `./check` is a path, from the folder of the config; `check` is looked for on PATH.
        return [str(self._folder / words[0]), *words[1:]] if "/" in words[0] else words


class _Kept:
    """What a pipe gives, as much of it as is kept; the rest is read and dropped, so that the program can go on."""

    def __init__(self, pipe: IO[bytes] | None, most: int) -> None:
        self._most = most
        self._parts: list[bytes] = []
        self.size = 0
        self._thread = threading.Thread(target=self._read, args=(pipe,), daemon=True)
        self._thread.start()

    def _read(self, pipe: IO[bytes]) -> None:
        with suppress(OSError, ValueError):
            while part := pipe.read1(_CHUNK):  # type: ignore[attr-defined]
                if (room := self._most - self.size) > 0:
                    self._parts.append(part[:room])
                self.size += len(part)
        pipe.close()

    def text(self) -> str:
        """The text so far."""
        self._thread.join(_LINGER)
        return b"".join(self._parts).decode("utf-8", "replace").rstrip("\n")

    @property
    def cut(self) -> bool:
        """Whether there was more."""
        return self.size > self._most


def _write(pipe: IO[bytes], given: bytes) -> None:
    with suppress(OSError, ValueError):
        pipe.write(given)
    with suppress(OSError, ValueError):
        pipe.close()


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the program and what it has started."""
    try:
        os.killpg(process.pid, 9)
    except (OSError, AttributeError):
        process.kill()
    process.wait()
