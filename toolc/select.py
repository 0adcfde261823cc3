"""The one selector grammar: which operations a list of entries names.

An entry is a glob on operation ids `source:name` (inside a source the part before the colon may be left out),
`tag:GLOB`, `path:GLOB`, `method:NAME`, `effect:read|write|destructive|unknown` or `deprecated`; `!` negates. A list
means the union of its plain entries (everything, if there are none) minus its `!` entries. Only `*` (any text, `/`
too) and `?` (one character) are wildcards, because ids hold brackets and braces. Only `method:` ignores case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from toolc.bind import did_you_mean, nearest
from toolc.diagnostics import Report
from toolc.ir import EFFECTS, HttpCall, Operation, Origin, Schema

# Words with a meaning of their own in an entry, so no source can have such a name.
KEYWORDS = ("tag", "path", "method", "effect", "deprecated")

# Looking for near misses among thousands of ids costs some 50 ms an entry; more than these would not be read anyway.
_MOST_NEAR_MISSES = 10


@dataclass(frozen=True, slots=True)
class Selector:
    """A list of entries as it stands in the config, and the place of each."""

    entries: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = ()

    @classmethod
    def from_data(cls, data: Any, origin: Origin, report: Report) -> Selector | None:
        """Read one entry or a list of them; an entry that can never mean anything is an error."""
        items = [data] if isinstance(data, str) else data or []
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            report.error("wrong-type", "here belongs a list of selectors, each a text", origin, help=_GRAMMAR)
            return None
        places = (origin,) if isinstance(data, str) else tuple(origin.at(index) for index in range(len(items)))
        reasons = [(reason, place) for item, place in zip(items, places, strict=True) if (reason := _fault(item))]
        for reason, place in reasons:
            report.error("invalid-selector", reason, place, help=_GRAMMAR)
        return None if reasons else cls(tuple(items), places)

    @classmethod
    def data_schema(cls) -> Schema:
        """A selector or a list of selectors."""
        entry = {"type": "string", "minLength": 1, "description": _GRAMMAR}
        return {"anyOf": [{"type": ["array", "null"], "items": entry}, entry]}

    def __add__(self, other: Selector) -> Selector:
        """Both lists, one after the other."""
        return Selector(self.entries + other.entries, self.origins + other.origins)


_GRAMMAR = (
    "a selector is `source:name` with * and ?, or tag:…, path:…, method:…, effect:read|write|destructive|unknown, "
    "deprecated; a leading ! takes away"
)


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A plain entry that names no operation: its place in the list and entries that would."""

    index: int
    entry: str
    near: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """What a list of entries names: ids in the order of the operations, and what is wrong with the list.

    idle: entries that take one operation away by its id, where there is none of it. invalid: place in the list → why
    the entry can never mean anything.
    """

    ids: tuple[str, ...]
    unmatched: tuple[Unmatched, ...] = ()
    idle: tuple[Unmatched, ...] = ()
    invalid: Mapping[int, str] = field(default_factory=dict)


def select(operations: Iterable[Operation], entries: Sequence[str], *, source: str | None = None) -> Selection:
    """The operations that a list names; source: the list stands inside this source, so ids need not name it."""
    pool = {operation.id: operation for operation in operations}
    chosen: set[str] = set()
    dropped: set[str] = set()
    unmatched: list[Unmatched] = []
    idle: list[Unmatched] = []
    invalid: dict[int, str] = {}
    plain = False
    for index, entry in enumerate(entries):
        if reason := _fault(entry):
            invalid[index] = reason
            continue
        found = _matches(entry.removeprefix("!"), pool, source)
        if entry.startswith("!"):
            dropped |= found
            if not found and _names_one(entry[1:]):
                idle.append(Unmatched(index, entry, _near(entry[1:], pool.values(), source)))
            continue
        plain = True
        chosen |= found
        if not found:
            near = _near(entry, pool.values(), source) if len(unmatched) < _MOST_NEAR_MISSES else ()
            unmatched.append(Unmatched(index, entry, near))
    # A list whose only plain entries are invalid names nothing, rather than everything.
    everything = not plain and not any(not entries[index].startswith("!") for index in invalid)
    ids = tuple(key for key in pool if (everything or key in chosen) and key not in dropped)
    return Selection(ids, tuple(unmatched), tuple(idle), invalid)


def choose(
    operations: Iterable[Operation],
    selector: Selector,
    report: Report,
    *,
    source: str | None = None,
    parts: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> tuple[str, ...]:
    """The ids that a selector of the config names; entries that name nothing are reported where they stand.

    parts: the sources that one entry of the config makes, where these are several (the servers of an `mcp.json`).
    """
    selection = select(operations, selector.entries, source=source)
    for index, reason in selection.invalid.items():
        report.error("invalid-selector", reason, selector.origins[index], help=_GRAMMAR)
    for miss in selection.unmatched:
        slip = _several(miss.entry, parts)
        if not slip and miss.near:
            slip = f"; did you mean {' or '.join(f'`{name}`' for name in miss.near)}?"
        where = f"operation of source `{source}`" if source else "operation"
        report.error(
            "unmatched-selector", f"`{miss.entry}` names no {where}{slip}", selector.origins[miss.index], help=_GRAMMAR
        )
    for miss in selection.idle:
        slip = f"; did you mean {' or '.join(f'`!{name}`' for name in miss.near)}?" if miss.near else ""
        advice = "take it out, or correct the name"
        report.warning(
            "idle-selector", f"`{miss.entry}` takes nothing away{slip}", selector.origins[miss.index], help=advice
        )
    return selection.ids


def _several(entry: str, parts: Mapping[str, Sequence[str]]) -> str:
    """What is amiss with an entry that takes a file of several servers for a source."""
    name, colon, value = entry.partition(":")
    if not colon or name not in parts:
        return ""
    meant = " or ".join(f"`{part}:{value}`" for part in parts[name][:3]) + (" …" if len(parts[name]) > 3 else "")
    return f": each server in `{name}` is a source of its own; did you mean {meant}?"


def _names_one(entry: str) -> bool:
    """Whether an entry is the id or name of one operation."""
    return entry != "deprecated" and entry.partition(":")[0] not in KEYWORDS and not {"*", "?"} & set(entry)


def _fault(entry: str) -> str:
    """Why an entry can never mean anything, or an empty string."""
    body = entry.removeprefix("!")
    if not body:
        return "a selector is empty"
    keyword, colon, value = body.partition(":")
    if keyword not in KEYWORDS or (keyword == "deprecated" and not colon):
        return ""
    if keyword == "deprecated":
        return f"`{entry}`: `deprecated` takes no value"
    if not value:
        return f"`{entry}`: nothing after the colon" if colon else ""
    if keyword == "effect" and value not in EFFECTS:
        return f"`{entry}`: an effect is one of {', '.join(EFFECTS)}{did_you_mean(value, EFFECTS)}"
    return ""


def _matches(body: str, pool: Mapping[str, Operation], source: str | None) -> set[str]:
    keyword, colon, value = body.partition(":")
    if body == "deprecated":
        return {key for key, operation in pool.items() if operation.deprecated}
    if colon and keyword in KEYWORDS:
        test = _test(value.upper() if keyword == "method" else value)
        return {key for key, operation in pool.items() if any(map(test, _values(keyword, operation)))}
    wanted = body if source is None or body.startswith(f"{source}:") else f"{source}:{body}"
    if "*" not in wanted and "?" not in wanted:
        return {wanted} & pool.keys()
    # An id may hold a `*` itself; then its own text is a glob that it matches.
    return set(filter(_test(wanted), pool))


def _values(keyword: str, operation: Operation) -> tuple[str, ...]:
    """What an operation has to set against the value of an entry."""
    if keyword == "tag":
        return operation.tags
    if keyword == "effect":
        return (operation.hints.effect,)
    if not isinstance(operation.call, HttpCall):
        return ()
    return (operation.call.path,) if keyword == "path" else (operation.call.method.upper(),)


@lru_cache(maxsize=1024)
def _test(glob: str) -> Callable[[str], object]:
    """Whether a text matches a glob, in time linear in the text for every glob.

    Each piece between two `*` is taken where it stands first and never looked for again: an atomic group.
    """
    if "*" not in glob and "?" not in glob:
        return glob.__eq__
    first, *rest = (".".join(map(re.escape, piece.split("?"))) for piece in re.split(r"\*+", glob))
    middle = "".join(f"(?>.*?{piece})" for piece in rest[:-1])
    return re.compile(first + middle + (f".*{rest[-1]}" if rest else ""), re.DOTALL).fullmatch


def _near(entry: str, operations: Iterable[Operation], source: str | None) -> tuple[str, ...]:
    """Entries like this one that would match."""
    keyword, colon, value = entry.partition(":")
    if colon and keyword in KEYWORDS:
        values = sorted({item for operation in operations for item in _values(keyword, operation)})
        return tuple(f"{keyword}:{item}" for item in nearest(value.strip("*"), values))
    sources = sorted({operation.source for operation in operations})
    if colon and value and keyword not in sources and (meant := nearest(keyword, [*KEYWORDS, *sources])):
        return tuple(f"{known}:{value}" for known in meant)
    names = {operation.name if source else operation.id: operation for operation in operations}
    wanted = entry.removeprefix(f"{source}:").replace("*", "").replace("?", "")
    same = tuple(key for key, operation in names.items() if operation.name == wanted and not source)
    return same[:3] or nearest(wanted, names)
