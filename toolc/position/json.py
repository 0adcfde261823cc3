"""Places in JSON text."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass, field

from toolc import documents

_BLANK = re.compile(r"[ \t\r\n]*")
# Skips a value at the speed of the scanner in C, some 60 MB/s.
_scan = json.JSONDecoder().raw_decode


@dataclass(slots=True)
class _Members:
    """The members of one object or list seen so far: key → (place of the key, place of the value).

    next: where the member after them begins, if that is known; last: the value before it that is still to be passed;
    end: where the object or list ends, once all of it was passed.
    """

    next: int | None
    last: int | None = None
    end: int | None = None
    seen: dict[str, tuple[int, int]] = field(default_factory=dict)


class JsonIndex:
    """Walks down to a value, over its earlier siblings; what was passed once is not scanned again."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._blanked = False  # whether comments were taken out, which stand in the files of some editors
        self._members: dict[int, _Members] = {}

    def find(self, keys: list[str]) -> int:
        """The index of the key at this path, or of the value in a list, or of the nearest ancestor."""
        place, broken = self._find(keys)
        if broken and not self._blanked:
            self._blanked = True
            if (plain := documents.blanked(self._text)) != self._text:
                self._text, self._members = plain, {}
                place, _ = self._find(keys)
        return place

    def _find(self, keys: list[str]) -> tuple[int, bool]:
        """The index, and whether the text before it is not JSON, so that a member may have been missed."""
        place = value = self._skip(0)
        try:
            for key in keys:
                place, value = self._member(value, key)
        except LookupError:  # no such member: the ancestor it is
            return place, False
        except (ValueError, RecursionError):
            return place, True
        return place, False

    def _member(self, start: int, key: str) -> tuple[int, int]:
        members = self._members.get(start)
        if members is None:
            members = self._members[start] = _Members(self._skip(start + 1))
        while key not in members.seen:
            self._advance(self._text[start], members)
        return members.seen[key]

    def _advance(self, bracket: str, members: _Members) -> None:
        """Note one more member; raises LookupError where there is none, ValueError where the text is no JSON."""
        if members.last is not None:
            end = self._skip(self._end(members.last))
            members.last = None
            if self._text[end : end + 1] == ",":
                members.next = self._skip(end + 1)
            else:
                self._close(bracket, members, end)
        if members.next is None:
            raise LookupError
        place = value = members.next
        members.next = None
        if self._text[place : place + 1] in ("]", "}", ""):
            self._close(bracket, members, place)
            raise LookupError
        if bracket == "{":
            key, end = _scan(self._text, place)
            value = self._skip(self._skip(end) + 1)
        elif bracket == "[":
            key = str(len(members.seen))
        else:
            raise LookupError
        members.seen[key] = (place, value)
        members.last = value

    def _close(self, bracket: str, members: _Members, at: int) -> None:
        """Note where an object or list ends; raises ValueError where it does not."""
        if self._text[at : at + 1] != {"{": "}", "[": "]"}.get(bracket):
            raise ValueError
        members.end = at + 1

    def _end(self, start: int) -> int:
        """Where a value ends; what was passed of it before is not scanned again."""
        members = self._members.get(start)
        if members is None or self._text[start] not in "{[":
            return _scan(self._text, start)[1]
        with suppress(LookupError):
            while members.end is None:
                self._advance(self._text[start], members)
        if members.end is None:
            raise ValueError
        return members.end

    def _skip(self, index: int) -> int:
        match = _BLANK.match(self._text, index)
        return match.end() if match else index
