"""Readers: each module here reads one kind of source into operations.

A member has `Options` (a frozen dataclass: the keys it takes in toolc.yaml beside those every source takes),
`read(options, context) -> Reading` and `recognise(data) -> bool` (whether parsed data looks like this kind); it may
have `refusal(data, origin) -> UserError | None`, which says of data that is near to its kind why it is not.
A reader never raises for bad content: what is bad costs that operation and gives a diagnostic; it raises UserError
only when the source as a whole cannot be read. A member whose sources can be live, on a network or in a process, has
`live(options, context) -> tuple[Live, ...]` besides; `read` then reads the snapshots, and no network. One that knows
where calls go has `connections(options, context)`: source → its entry in `Catalog.connections`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from toolc import documents
from toolc.diagnostics import Report
from toolc.ir import Operation, Source

if TYPE_CHECKING:
    from toolc.documents import Document
    from toolc.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Context:
    """What a reader may know of its surroundings.

    base: the folder that paths in its options are relative to. root: the config's folder, which origins are relative
    to and outside of which no `$ref` is followed. files: filled with the digest of every file read, by display path.
    """

    name: str
    base: Path
    root: Path
    report: Report
    strict: bool = False
    files: dict[str, str] = field(default_factory=dict)

    def document(self, path: str | Path, *, tools: bool = False) -> Document:
        """Read a JSON or YAML file named in the options and note its digest; raises UserError.

        tools: it is a list of tools, in which an entry that cannot be read is reported and costs only itself.
        """
        target = self.base / path
        document = documents.read(target, documents.display(target, self.root), self.report if tools else None)
        self.files[document.path] = document.digest
        return document


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader found. parts: one for each source that it stands for, where that is not itself."""

    source: Source
    operations: tuple[Operation, ...]
    parts: tuple[Reading, ...] = ()


@dataclass(frozen=True, slots=True)
class Live:
    """Something that answers over a network or from a process, and the file that keeps its answer.

    label: how progress and errors name it. where: its program or address without secrets. snapshot: relative to the
    context's base. timeout: seconds for all of it. fetch: asks it; what costs one operation goes to the report, and it
    raises UserError where there is no answer at all. A coroutine function keeps the timeout itself; a plain one runs in
    a thread, which is no longer waited for after it. Environment variables are read by `fetch` only. read: reads this
    snapshot, where the source's own `read` reads several.
    """

    label: str
    where: str
    snapshot: str
    timeout: int
    fetch: Callable[[Report], Snapshot | Awaitable[Snapshot]]
    read: Callable[[Context], Reading] | None = None
