"""The layout of JSON text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from toolc import documents
from toolc.edits.layout import (
    Change,
    Holder,
    Part,
    add_between_brackets,
    line_start,
    nested,
    remove_between_brackets,
)

_BLANK = re.compile(r"[ \t\r\n]*")
# A stretch without blanks or a text, of what is taken out.
_STRETCH = re.compile(r'(?:[^\s"]|"[^"\\]*(?:\\.[^"\\]*)*")+')
_INDENT = re.compile(r"^[ \t]+(?=\S)", re.MULTILINE)
_scan = json.JSONDecoder().raw_decode


class JsonLayout:
    """Reads the members of those objects and arrays that are asked for; comments, which editors allow, stay."""

    def __init__(self, text: str) -> None:
        self._written = text
        self._text = text = text if _is_strict(text) else documents.blanked(text)
        self._holders: dict[int, Holder] = {}
        first = _INDENT.search(text)
        self._indent = first[0] if first else None

    def first(self, keys: Sequence[str]) -> tuple[str, ...]:
        """See `Layout.first`."""
        return tuple(keys)

    def set(self, keys: Sequence[str], value: Any) -> list[Change]:
        """See `Layout.set`."""
        at = self._skip(0)
        for depth, key in enumerate(keys):
            if self._text.startswith("null", at):
                rendered = self._rendered(nested(keys[depth:], value), at)
                return [Change(at, at + len("null"), rendered)]
            holder = self._holder(at)
            index = holder.index(key)
            if index is None:
                if not holder.mapping:
                    raise LookupError
                inside = holder.parts[-1].start if holder.parts else holder.start
                rendered = self._rendered(nested(keys[depth + 1 :], value), inside)
                return [add_between_brackets(self._text, holder, key, rendered)]
            at = holder.parts[index].value
        end = _scan(self._text, at)[1]
        return [Change(at, end, self._rendered(value, at))]

    def remove(self, holder: Sequence[str], keys: Iterable[str]) -> list[Change]:
        """See `Layout.remove`."""
        at = self._skip(0)
        for key in holder:
            found = self._holder(at)
            index = found.index(key)
            if index is None:
                raise LookupError
            at = found.parts[index].value
        changes = remove_between_brackets(self._holder(at), keys)
        return [piece for change in changes for piece in self._around_comments(change)]

    def _around_comments(self, change: Change) -> Iterator[Change]:
        """The change without the comments and blanks at its ends, which may speak of what stays."""
        start, end = change.start, change.end
        if self._text[start:end] == self._written[start:end]:
            yield change
            return
        for match in _STRETCH.finditer(self._text, start, end):
            yield Change(match.start(), match.end(), "")

    def _rendered(self, value: Any, at: int) -> str:
        """The value as the file is written: on one line or indented, in ASCII or not."""
        plain = self._text.isascii()
        if self._indent is None or not isinstance(value, dict | list) or not value:
            return json.dumps(value, ensure_ascii=plain)
        margin = _BLANK.match(self._text, line_start(self._text, at))
        lines = json.dumps(value, ensure_ascii=plain, indent=self._indent).split("\n")
        return f"\n{margin[0] if margin else ''}".join(lines)

    def _holder(self, start: int) -> Holder:
        """The object or array that begins here; raises LookupError where another value does."""
        if start in self._holders:
            return self._holders[start]
        bracket = self._text[start : start + 1]
        if bracket not in ("{", "["):
            raise LookupError
        parts: list[Part] = []
        at = self._skip(start + 1)
        while self._text[at] not in "}]":
            key, value = str(len(parts)), at
            if bracket == "{":
                key, end = _scan(self._text, at)
                value = self._skip(self._skip(end) + 1)
            end = _scan(self._text, value)[1]
            parts.append(Part(key, at, value, end))
            at = self._skip(end)
            if self._text[at] == ",":
                at = self._skip(at + 1)
        holder = self._holders[start] = Holder(bracket == "{", True, start, at + 1, parts)
        return holder

    def _skip(self, index: int) -> int:
        match = _BLANK.match(self._text, index)
        return match.end() if match else index


def _is_strict(text: str) -> bool:
    """Whether a text has no comments; the scanner in C says so in a quarter of the time that taking them out takes."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
