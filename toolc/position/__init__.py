"""Where a finding stands in the user's own file: from JSON pointer to line and column.

Stages keep pointers; the text is looked at again only when a finding is printed. Nothing here raises: a pointer that
leads nowhere gives its nearest ancestor, a file that cannot be read gives line 0.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Literal, Protocol

from toolc import documents, resources
from toolc.diagnostics import UserError
from toolc.ir import Origin
from toolc.position.json import JsonIndex
from toolc.position.sql import SqlIndex
from toolc.position.yaml import YamlIndex

Format = Literal["json", "yaml", "sql", "markdown", "text"]

_ENDINGS: dict[str, Format] = {".sql": "sql", ".ddl": "sql", ".md": "markdown"}
_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)(?:^---[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)


class Index(Protocol):
    """Finds places in one text, and remembers what it has seen of it."""

    def find(self, keys: list[str]) -> int:
        """The index in the text of the key (else of the value) at this path, or of its nearest ancestor."""
        ...


def locate(text: str, format: Format, pointer: str) -> tuple[int, int]:
    """The 1-based line and column at which the pointer's key stands, or its value where it has no key."""
    return _Text(text, format).place(pointer)


class Locator:
    """Finds findings in the files below a folder; each file is read once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._texts: dict[str, _Text | None] = {}

    def place(self, origin: Origin) -> tuple[int, int]:
        """Line and column, 1-based; (0, 0) if the file cannot be read."""
        if origin.line:
            return origin.line, max(origin.column, 1)
        text = self._text(origin.source)
        return text.place(origin.pointer) if text else (0, 0)

    def line(self, origin: Origin) -> str:
        """The line that the origin stands on, without its end; empty if it cannot be read."""
        text = self._text(origin.source)
        return text.line(self.place(origin)[0]) if text else ""

    def text(self, source: str) -> str:
        """The whole text of a file; empty if it cannot be read."""
        text = self._text(source)
        return text.text if text else ""

    def _text(self, source: str) -> _Text | None:
        if source not in self._texts:
            self._texts[source] = self._read(source)
        return self._texts[source]

    def _read(self, source: str) -> _Text | None:
        shipped = source.removeprefix("catalog:")
        path = self._root / source if shipped == source else resources.data("catalogs") / shipped
        if not source or not path.is_file():
            return None
        if (drafted := documents.drafted(path)) is not None:
            return _text_of(path.absolute(), (hash(drafted),))
        state = path.stat()
        return _text_of(path.absolute(), (state.st_ino, state.st_size, state.st_mtime_ns))


@lru_cache(maxsize=4)
def _text_of(path: Path, state: tuple[int, ...]) -> _Text | None:
    """A file, read once for all who look for places in it; state: what differs once it was written again."""
    try:
        text, _ = documents.read_text(path, path.name)
    except UserError:
        return None
    text = text.removeprefix("\ufeff")
    return _Text(text, _ENDINGS.get(path.suffix.lower()) or documents.recognise(path.name, text))


class _Text:
    """A text, with its lines and its index made when they are first asked for."""

    def __init__(self, text: str, format: Format) -> None:
        self.text = text
        self._format = format
        self._index: Index | None = None
        self._offset = 0
        self._ends: list[int] = []

    def place(self, pointer: str) -> tuple[int, int]:
        keys = [key.replace("~1", "/").replace("~0", "~") for key in pointer.split("/")[1:]]
        if self._index is None:
            self._index, self._offset = _index(self.text, self._format)
        at = self._offset + self._index.find(keys)
        line = bisect_left(self._line_ends(), at)
        return line + 1, at - (self._ends[line - 1] if line else -1)

    def line(self, number: int) -> str:
        ends = self._line_ends()
        if not 1 <= number <= len(ends):
            return ""
        return self.text[ends[number - 2] + 1 if number > 1 else 0 : ends[number - 1]]

    def _line_ends(self) -> list[int]:
        if not self._ends:
            lengths = accumulate(map(len, self.text.split("\n")))
            self._ends = [length + number for number, length in enumerate(lengths)]
        return self._ends


def _index(text: str, format: Format) -> tuple[Index, int]:
    """The index of what has a structure in the text, and where in the text that begins."""
    if format == "json":
        return JsonIndex(text), 0
    if format == "yaml":
        return YamlIndex(text), 0
    if format == "sql":
        return SqlIndex(text), 0
    if format == "markdown" and (front := _FRONT_MATTER.match(text)):
        return YamlIndex(front[1]), front.start(1)
    return _Whole(), 0


class _Whole:
    """A text in which a pointer cannot point."""

    def find(self, keys: list[str]) -> int:
        return 0
