"""How a text lays out its mappings and lists: where each member begins and ends."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

_BLANK = re.compile(r"\s*")


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """One stretch of the text, and what it becomes."""

    start: int
    end: int
    text: str


@dataclass(slots=True)
class Part:
    """One member of a mapping or list.

    start: of its key, else of its value; value, end: of its value; after: of what follows the colon of a key in YAML.
    """

    key: str
    start: int
    value: int
    end: int
    after: int = -1
    node: Any = None


@dataclass(slots=True)
class Holder:
    """A mapping or list between brackets, or in YAML's block form. start, end: of the whole of it."""

    mapping: bool
    flow: bool
    start: int
    end: int
    parts: list[Part]

    def index(self, key: str) -> int | None:
        """Which of its parts has this key."""
        return next((index for index, part in enumerate(self.parts) if part.key == key), None)


class Layout(Protocol):
    """What a format says of a text; `set` and `remove` raise LookupError for a place that is not there."""

    def first(self, keys: Sequence[str]) -> tuple[str, ...]:
        """The path to what stands at a path, by where it is written: another only where YAML has an alias."""
        ...

    def set(self, keys: Sequence[str], value: Any) -> list[Change]:
        """The changes after which the value stands at the path; missing mappings on the way are made."""
        ...

    def remove(self, holder: Sequence[str], keys: Iterable[str]) -> list[Change]:
        """The changes after which the members of the holder at a path are gone."""
        ...


def runs(holder: Holder, keys: Iterable[str]) -> list[tuple[int, int]]:
    """The members with these keys as ranges of neighbours (first, last)."""
    indexes = sorted(index for index in map(holder.index, set(keys)) if index is not None)
    if not indexes:
        raise LookupError
    found: list[tuple[int, int]] = []
    for index in indexes:
        if found and found[-1][1] == index - 1:
            found[-1] = (found[-1][0], index)
        else:
            found.append((index, index))
    return found


def remove_between_brackets(holder: Holder, keys: Iterable[str]) -> list[Change]:
    """What takes members out of a list with commas: with the comma after them, at the end with the one before."""
    parts = holder.parts
    changes = []
    for first, last in runs(holder, keys):
        if last + 1 < len(parts):
            changes.append(Change(parts[first].start, parts[last + 1].start, ""))
        elif first:
            changes.append(Change(parts[first - 1].end, parts[last].end, ""))
        else:
            changes.append(Change(holder.start + 1, holder.end - 1, ""))
    return changes


def add_between_brackets(text: str, holder: Holder, key: str, value: str) -> Change:
    """What puts one more member at the end, spaced like those before it."""
    entry = f"{json.dumps(key, ensure_ascii=text.isascii())}: {value}"
    if not holder.parts:
        return Change(holder.start + 1, holder.end - 1, entry)
    last = holder.parts[-1]
    before = holder.parts[-2].end if len(holder.parts) > 1 else holder.start
    gap = text[before : last.start]
    if len(holder.parts) == 1 and "\n" not in gap:
        gap = " "
    space = _BLANK.match(gap.lstrip().removeprefix(",").removeprefix("{"))
    blank = gap[len(gap.rstrip()) :] if gap.strip() in (",", "{", "") else (space[0] if space else " ")
    return Change(last.end, last.end, f",{blank or ' '}{entry}")


def nested(keys: Sequence[str], value: Any) -> Any:
    """The value inside a mapping for each key."""
    for key in reversed(keys):
        value = {key: value}
    return value


def line_start(text: str, index: int) -> int:
    """Where the line of an index begins."""
    return text.rfind("\n", 0, index) + 1


def line_end(text: str, index: int) -> int:
    """Where the next line begins."""
    end = text.find("\n", index)
    return len(text) if end < 0 else end + 1
