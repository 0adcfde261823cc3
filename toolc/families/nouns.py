"""Families of MCP and native tools: by the words of the name that are no verb, in the singular."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from toolc.families.member import RELATIONS, Family, Member, unique, without
from toolc.ir import Operation
from toolc.lexicon import Found, Lexicon, words

FEWEST_ALIKE = 3  # names that have to begin alike before a verb behind that beginning is taken for theirs


@dataclass(frozen=True, slots=True)
class _Name:
    """A name in parts. start: words of the product before it. things: the words that say what it is about."""

    operation: Operation
    parts: tuple[str, ...]
    start: int
    found: Found | None
    things: tuple[str, ...]


def by_noun(operations: Sequence[Operation], lexicon: Lexicon) -> list[Family]:
    """Every operation in the family of its noun; `prometheus label` stands below `prometheus` in the source's tree."""
    parts = {operation.id: words(operation.name) for operation in operations if words(operation.name)}
    prefix = _product_prefix(list(parts.values()), lexicon)
    product = next((_as_written(o.name, prefix) for o in operations if _begins(parts.get(o.id, ()), prefix)), "")
    begins = Counter(name[:length] for name in parts.values() for length in range(1, len(name) + 1))
    names = []
    for operation in operations:
        if own := parts.get(operation.id):
            start = len(prefix) if _begins(own, prefix) else 0
            found = _verb(own, start, begins, lexicon)
            names.append(_Name(operation, own, start, found, _things(own, start, found, lexicon)))
    # a word is known to be a thing if a name with a verb puts it first; `press` of `press_key` may be anything
    things = {lexicon.singular(name.things[0]) for name in names if name.found and name.things}
    families: dict[tuple[str, ...], list[Member]] = defaultdict(list)
    for name in names:
        written = name.things
        # as it is where the name goes on with `to` or `from`: `docx_to_html`
        is_bare = not name.found and not name.start and not (len(written) > 2 and written[1] in RELATIONS)
        if is_bare and lexicon.singular(written[0]) not in things:
            written = ("_".join(written[:2]), *written[2:])
        path = tuple("_".join(map(lexicon.singular, word.split("_"))) for word in written)
        if name.start:
            path, written = (product, *path), (product, *written)
        member = reading(name.operation, path, lexicon, name.found, name.start)
        said = "_".join(name.parts[name.found.start : name.found.stop]) if name.found else ""
        families[path].append(replace(member, path=path, written=written, nouns=path, spoken=said))
    if families.keys() <= {(product,)}:
        product = ""  # `memory_create`, `memory_get` and no more: what stands before every verb is the noun
    return [
        Family(
            members[0].operation.source,
            path or ("", members[0].operation.name),
            ("_".join(path),),
            tuple(members),
            path,
            product=product if product and path[0] == product else "",
        )
        for path, members in families.items()
        if path
    ]


def _begins(own: tuple[str, ...], prefix: tuple[str, ...]) -> bool:
    return bool(prefix) and own[: len(prefix)] == prefix and len(own) > len(prefix)


def _as_written(name: str, prefix: tuple[str, ...]) -> str:
    """The product as the name writes it: `n8n`, which is two words."""
    text = next(name[:stop] for stop in range(1, len(name) + 1) if words(name[:stop]) == prefix)
    return "_".join(part for part in re.split(r"[^a-z0-9]+", text.lower()) if part)


def _verb(own: tuple[str, ...], start: int, begins: Counter[tuple[str, ...]], lexicon: Lexicon) -> Found | None:
    """The verb where a name has one, or behind what several names begin with (`scraping_browser_click_ref`)."""
    if found := lexicon.first(own, start):
        return found
    for place in range(start + 1, len(own)):
        found = lexicon.at(own, place)
        if found and begins[own[:place]] >= FEWEST_ALIKE and own[place] not in lexicon.also_nouns:
            return found
    # `cookie_set` beside `cookie_get`: a word that may be a noun is the verb where its sibling has one
    found = lexicon.at(own, len(own) - 1) if len(own) > start + 1 else None
    return found if found and any(begins[*own[:-1], verb[0]] for verb in lexicon.verbs if verb[0] != own[-1]) else None


def _things(own: tuple[str, ...], start: int, found: Found | None, lexicon: Lexicon) -> tuple[str, ...]:
    """The words that say what a name is about: neither its verb nor words that only say which or how many."""
    rest = (*own[start : found.start], *own[found.stop :]) if found else own[start:]
    things = [word for word in rest if word not in lexicon.qualifiers]
    while len(things) > 1 and things[0] in RELATIONS:
        things = things[1:]  # `import_to_google_doc`
    return tuple(things) or (() if found else rest)  # `update_many` says nothing of what


def reading(
    operation: Operation, nouns: tuple[str, ...], lexicon: Lexicon, found: Found | None = None, start: int = 0
) -> Member:
    """The operation with the action names that its own name gives, without the words of the family's noun."""
    parts = words(operation.name)
    found = found or lexicon.first(parts, start)
    if found is None:
        rest = without(parts[start:], nouns, lexicon) or parts[start:]
        return Member(operation, unique("_".join(rest), "_".join(parts)), "")
    before = without(parts[start : found.start], nouns, lexicon)
    rest = (*before, *without(parts[found.stop :], nouns, lexicon))
    spoken = "_".join(parts[found.start : found.stop])
    first = "_".join((*before, spoken))
    return Member(operation, unique(first, spoken, "_".join((spoken, *rest)), "_".join(parts)), found.verb.name)


def _product_prefix(names: list[tuple[str, ...]], lexicon: Lexicon) -> tuple[str, ...]:
    """The first words of most names (`browser`, `n8 n`), if the first is no verb."""
    prefix: tuple[str, ...] = ()
    while True:
        inside = [name for name in names if name[: len(prefix)] == prefix and len(name) > len(prefix) + 1]
        counts = Counter(name[len(prefix)] for name in inside)
        if not counts:
            return prefix
        word, count = max(counts.items(), key=lambda item: (item[1], item[0]))
        verb = lexicon.verbs.get((word,))
        if verb is not None and (verb.order < 7 or word not in lexicon.also_nouns):
            return prefix
        if count < max(2, 0.6 * len(names)):
            return prefix
        prefix = (*prefix, word)
