"""Readers: each module here reads one kind of source into operations.

A member has `Options` (a frozen dataclass: the keys it takes in toolc.yaml beside those every source takes),
`read(options, context) -> Reading` and `recognise(data) -> bool` (whether parsed data looks like this kind).
A reader never raises for bad content: what is bad costs that operation and gives a diagnostic; it raises UserError
only when the source as a whole cannot be read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from toolc import documents
from toolc.diagnostics import Report
from toolc.ir import Operation, Source

if TYPE_CHECKING:
    from toolc.documents import Document


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

    def document(self, path: str | Path) -> Document:
        """Read a JSON or YAML file named in the options and note its digest; raises UserError."""
        target = self.base / path
        document = documents.read(target, documents.display(target, self.root))
        self.files[document.path] = document.digest
        return document


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader found."""

    source: Source
    operations: tuple[Operation, ...]
