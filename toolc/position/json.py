"""Places in JSON text."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice

from toolc import documents
from toolc.documents import lines

_BLANK = re.compile(r"[ \t\r\n]*")
# One character of a text: two escapes for one outside of Unicode's first plane, one, or itself.
_SIGN = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|[^\\]", re.DOTALL)
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
        self._texts: dict[int, JsonIndex] = {}

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
            for depth, key in enumerate(keys):
                if self._text[value : value + 1] == '"':
                    return self._inside(value, keys[depth:], place), False
                place, value = self._member(value, key)
        except LookupError:  # no such member: the ancestor it is
            return place, False
        except (ValueError, RecursionError):
            return place, True
        return place, False

    def _inside(self, start: int, keys: list[str], holder: int) -> int:
        """The index of what stands in JSON that a text holds, as bodies of recorded requests are written."""
        known = self._texts.get(start)
        if known is None:
            known = self._texts[start] = JsonIndex(_scan(self._text, start)[0])
        found = known.find(keys)
        if found == known.find([]):
            return holder
        signs = _SIGN.finditer(self._text, start + 1)
        return next(islice(signs, found, None)).start()

    def _member(self, start: int, key: str) -> tuple[int, int]:
        members = self._members.get(start)
        if members is None:
            members = self._members[start] = _Members(self._skip(start + 1))
        while key not in members.seen:
            self._advance(self._text[start], members)
        return members.seen[key]

    def _advance(self, bracket: str, members: _Members) -> None:
        """Note one more member; raises LookupError where there is none, ValueError where the text is no JSON."""
        if bracket == "/":  # of a comment
            raise ValueError
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


class LinesIndex:
    """Finds values in text of which lines hold JSON: the first key counts those lines."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = lines.starts(text)
        self._inner: dict[int, JsonIndex] = {}

    def find(self, keys: list[str]) -> int:
        """The index of the key at this path, or of the value in a list, or of the nearest ancestor."""
        if not keys or not keys[0].isdecimal() or int(keys[0]) >= len(self._starts):
            return 0
        start = self._starts[int(keys[0])]
        if start not in self._inner:
            end = self._text.find("\n", start)
            self._inner[start] = JsonIndex(self._text[start : end if end >= 0 else None])
        return start + self._inner[start].find(keys[1:])
