"""Where a finding stands in the user's own file: from JSON pointer to line and column.

Stages keep pointers; the text is looked at again only when a finding is printed. Nothing here raises: a pointer that
leads nowhere gives its nearest ancestor, a file that cannot be read gives line 0.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from pathlib import Path
from typing import Literal, Protocol

from toolc import documents, resources
from toolc.diagnostics import UserError
from toolc.ir import Origin, escape, unescape
from toolc.position.json import JsonIndex, LinesIndex
from toolc.position.sql import SqlIndex
from toolc.position.yaml import YamlIndex

Format = Literal["json", "lines", "yaml", "sql", "markdown", "text"]

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

    def first(self, origin: Origin) -> Origin:
        """Where in YAML that is written which stands here by an alias or `<<`; any other place as it is."""
        text = self._text(origin.source) if origin.pointer and not origin.line else None
        pointer = text.first(origin.pointer) if text else origin.pointer
        return origin if pointer == origin.pointer else Origin(origin.source, pointer)

    def line(self, origin: Origin) -> str:
        """The line that the origin stands on, without its end; empty if it cannot be read."""
        text = self._text(origin.source)
        if text is None:
            return ""
        return text.numbered(origin.line) if origin.line else text.line(origin.pointer)

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
    """A text, with its index made when it is first asked for."""

    def __init__(self, text: str, format: Format) -> None:
        self.text = text
        self._format = format
        self._index: Index | None = None
        self._offset = 0
        self._known = [(0, 1)]  # sorted: indexes in the text, and their lines
        self._lines: list[str] = []

    def place(self, pointer: str) -> tuple[int, int]:
        at = self._at(pointer)
        return self._line_of(at), at - self.text.rfind("\n", 0, at)

    def line(self, pointer: str) -> str:
        """The line on which a pointer's place stands, without its end."""
        at = self._at(pointer)
        end = self.text.find("\n", at)
        return self.text[self.text.rfind("\n", 0, at) + 1 : end if end >= 0 else None]

    def numbered(self, number: int) -> str:
        """The line of this number, without its end; empty where the text has fewer."""
        if not self._lines:
            self._lines = self.text.split("\n")
        return self._lines[number - 1] if 1 <= number <= len(self._lines) else ""

    def first(self, pointer: str) -> str:
        index = self._indexed() if self._format == "yaml" else None
        keys = index.first(_keys(pointer)) if isinstance(index, YamlIndex) else ()
        return "".join(f"/{escape(key)}" for key in keys) if keys else pointer

    def _at(self, pointer: str) -> int:
        return self._indexed().find(_keys(pointer)) + self._offset

    def _indexed(self) -> Index:
        if self._index is None:
            self._index, self._offset = _index(self.text, self._format)
        return self._index

    def _line_of(self, at: int) -> int:
        """The line of an index, counted from the nearest one that is known: few are asked for, in texts of any size."""
        after = bisect_left(self._known, (at,))
        if self._known[after : after + 1] and self._known[after][0] == at:
            return self._known[after][1]
        start, line = self._known[after - 1]
        if after < len(self._known) and self._known[after][0] - at < at - start:
            start, line = self._known[after]
            line -= self.text.count("\n", at, start)
        else:
            line += self.text.count("\n", start, at)
        self._known.insert(after, (at, line))
        return line


def _keys(pointer: str) -> list[str]:
    return [unescape(key) for key in pointer.split("/")[1:]]


def _index(text: str, format: Format) -> tuple[Index, int]:
    """The index of what has a structure in the text, and where in the text that begins."""
    if format == "json":
        return JsonIndex(text), 0
    if format == "lines":
        return LinesIndex(text), 0
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
