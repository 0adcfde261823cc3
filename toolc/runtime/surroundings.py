"""What calls are carried out in: limits, secrets, allowed folders; and the one shape of all that carries calls out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from toolc.ir import Arguments, Operation
from toolc.runtime.cancellation import Cancellation
from toolc.runtime.files import Files
from toolc.runtime.result import Result
from toolc.runtime.secrets import Secrets

Connection = Mapping[str, Any]
# Told how far a call is: what is done, of how much, and in words, as far as that is known.
Progress = Callable[[float, float | None, str | None], None]


@dataclass(frozen=True, slots=True)
class Settings:
    """timeout: seconds for one call, retries included. most_bytes: of an answer that are handed on."""

    timeout: float = 60.0
    most_bytes: int = 200_000


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What every kind of call is carried out in.

    root: the folder that programs and files of the config are relative to. hidden: variables with secrets, which no
    program is given. warn: told what whoever runs this should know.
    """

    settings: Settings
    secrets: Secrets
    files: Files
    root: Path
    hidden: frozenset[str] = frozenset()
    warn: Callable[[str], None] = print


@dataclass(frozen=True, slots=True)
class Execution:
    """One call that is carried out. cancelling: ends it. most_bytes: of its answer that are of any use.

    progress: whom to tell, None where nobody asked.
    """

    cancelling: Cancellation
    most_bytes: int
    progress: Progress | None = None


class Carrier(Protocol):
    """Carries out the calls of one kind; from several threads."""

    def __init__(self, surroundings: Surroundings) -> None: ...

    def call(self, operation: Operation, arguments: Arguments, connection: Connection, execution: Execution) -> Result:
        """Carry out a call whose arguments dispatch has accepted; raises Failed where there is nothing to hand on."""

    def preview(self, operation: Operation, arguments: Arguments, connection: Connection) -> dict[str, Any]:
        """What would be sent, with `${NAME}` for secrets; raises Failed where nothing would be."""

    def close(self) -> None:
        """End what was opened."""
