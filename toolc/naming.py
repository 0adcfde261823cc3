"""Tool names: legal, unique, the same whatever order operations come in; and the old names that keep working."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b

from toolc.ir import TOOL_NAME, Alias, Operation, Tool

LEGAL = re.compile(TOOL_NAME)
LONGEST_MADE = 48


@dataclass(frozen=True, slots=True)
class Wish:
    """A tool that wants a name. choices: best first, the last may be numbered. fixed: pinned by user or lock.

    own: the only choice is the legal name of its one operation, so nobody else may have it. spare: taken where all
    choices belong to somebody.
    """

    key: str
    source: str
    choices: tuple[str, ...]
    fixed: bool = False
    own: bool = False
    spare: str = ""


def single_name(operation: Operation) -> str:
    """What a tool of this one operation is called: the source's name if it is legal, else one made from it."""
    if operation.pinned_name:
        return operation.pinned_name
    return operation.name if LEGAL.fullmatch(operation.name) else made_name(operation.name)


@lru_cache(maxsize=16384)
def made_name(text: str, longest: int = LONGEST_MADE) -> str:
    """A name of `[a-z0-9_]` with at most `longest` characters; what is cut is told apart by a hash."""
    # ß and the like have no decomposition, so lower() alone would drop them
    folded = unicodedata.normalize(
        "NFKD", text.replace("ß", "ss").replace("æ", "ae").replace("ø", "o").replace("ł", "l")
    )
    lost = any(character.isalnum() and not character.isascii() for character in folded)
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", folded) if re.search(r"[^A-Za-z0-9_-]", text) else folded
    name = re.sub(r"[^a-z0-9]+", "_", "".join(c for c in spaced if c.isascii()).lower()).strip("_")
    if name[:1].isdigit():
        name = f"n{name}"
    if not lost and 0 < len(name) <= longest:
        return name
    mark = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=3).hexdigest()
    head = name[: longest - 7].rpartition("_")[0] if len(name) > longest - 7 else name
    return f"{head or name[: longest - 7] or 'tool'}_{mark}"


def merged_choices(nouns: Sequence[str], suffix: str, extra: str, path: Sequence[str] = ()) -> tuple[str, ...]:
    """Names for a merged tool: last noun and class, then more nouns before it; extra tells splits apart.

    Last, the segments of its path as they stand: `/user/keys` and `/users/{id}/keys` differ in no singular.
    """
    tail = "_".join(part for part in (extra, suffix) if part)
    stems = ["_".join(nouns[-count:]) for count in range(1, len(nouns) + 1)]
    if path:
        stems.append("_".join((*path[:-1], nouns[-1])))
    names = []
    room = LONGEST_MADE - len(tail) - 1
    for stem in map(made_name, stems):
        # too long: without its first words, so that the thing and the class can still be read
        while len(stem) > room and "_" in stem:
            stem = stem.partition("_")[2]
        names.append(stem)
    names.append(made_name(stems[-1], room) if stems else "")
    names = [f"{stem}_{tail}" if tail else stem for stem in names if stem]
    return tuple(dict.fromkeys(names)) or (tail or "tool",)


def assign(wishes: Sequence[Wish], reserved: Iterable[str] = ()) -> dict[str, str]:
    """A name for every wish, by key; no two alike, and independent of the order of the wishes.

    reserved: legal names of operations. Only a tool of that one operation may have such a name, or whoever was allowed
    to call the one would call the other.
    """
    kept = frozenset(reserved)
    wishes = [wish if wish.own or wish.fixed else _yielding(wish, kept) for wish in wishes]
    names: dict[str, str] = {}
    for source in sorted({wish.source for wish in wishes}):
        names.update(_inside([wish for wish in wishes if wish.source == source]))
    fixed = {wish.key for wish in wishes if wish.fixed}
    owners: dict[str, set[str]] = defaultdict(set)
    for wish in wishes:
        owners[names[wish.key]].add(wish.source)
    shared = {name for name, sources in owners.items() if len(sources) > 1}
    for wish in wishes:
        if names[wish.key] in shared and wish.key not in fixed:
            names[wish.key] = qualified(wish.source, names[wish.key])
    return _numbered(wishes, names, kept)


def qualified(source: str, name: str) -> str:
    """The name that tells which source it is of."""
    whole = f"{source}_{name}"
    return whole if LEGAL.fullmatch(whole) else made_name(whole)


def _yielding(wish: Wish, reserved: frozenset[str]) -> Wish:
    """The wish without choices that belong to somebody; what is left, which may be numbered, may be the spare one."""
    free = tuple(name for name in wish.choices if name not in reserved)
    return replace(wish, choices=free or (wish.spare or wish.choices[-1],))


def _inside(wishes: list[Wish]) -> dict[str, str]:
    """Names inside one source: whoever has other choices gives way, all sides of a clash alike."""
    level = {wish.key: 0 for wish in wishes}
    for _ in range(max((len(wish.choices) for wish in wishes), default=0)):
        holders = defaultdict(list)
        for wish in wishes:
            holders[wish.choices[level[wish.key]]].append(wish)
        for clashing in holders.values():
            if len(clashing) > 1:
                for wish in clashing:
                    if level[wish.key] + 1 < len(wish.choices):
                        level[wish.key] += 1
    return {wish.key: wish.choices[level[wish.key]] for wish in wishes}


def _numbered(wishes: Sequence[Wish], names: dict[str, str], reserved: frozenset[str]) -> dict[str, str]:
    """Clashes that are left are numbered in the order of their keys, but who has a right to the name keeps it."""
    order = sorted(wishes, key=lambda wish: (not wish.fixed, not wish.own, wish.key))
    wanted = Counter(names[wish.key] for wish in wishes)
    taken = {name for name, count in wanted.items() if count == 1}
    result = {}
    for wish in order:
        name = names[wish.key]
        foreign = name in reserved and not wish.own and not wish.fixed
        if foreign or (wanted[name] > 1 and name in taken):
            used = taken | wanted.keys() | reserved
            number = next(n for n in range(2, len(used) + 3) if f"{name}_{n}" not in used)
            name = f"{name}_{number}"
        taken.add(name)
        result[wish.key] = name
    return result


def aliases(tools: Iterable[Tool], operations: Mapping[str, Operation]) -> dict[str, Alias]:
    """Old names whose tool or arguments differ now.

    A name that operations of several sources had leads nowhere; each has `<source>_<name>` instead.
    """
    tools = list(tools)
    taken = {tool.name for tool in tools}
    written = Counter(operation.name for operation in operations.values())
    made = Counter(name for operation in operations.values() for name in _made_names(operation))
    found: dict[str, Alias] = {}
    for tool in tools:
        for case in tool.dispatch.cases:
            operation = operations[case.operation]
            alias = Alias(tool.name, dict(case.when))
            names = [operation.name] if written[operation.name] == 1 else []
            names += [name for name in _made_names(operation) if made[name] == 1 and name not in written]
            if not names and tool.dispatch.select:
                names = [qualified(operation.source, operation.name)]
            for name in names:
                if name not in taken and (name not in found or name in names[:1]):
                    found[name] = alias
    return dict(sorted(found.items()))


def _made_names(operation: Operation) -> Iterator[str]:
    if not LEGAL.fullmatch(operation.name):
        yield made_name(operation.name)
