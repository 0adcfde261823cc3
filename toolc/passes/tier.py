"""Says when each tool is loaded, and which tools are activated together."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

from toolc.ir import Catalog, Group, Operation, SqlCall, Tier, Tool
from toolc.lexicon import lexicon, words
from toolc.passes.context import Context
from toolc.select import select

LARGEST_GROUP = 20  # operations of a source that are activated together, unless their names tell them apart
LEAST_GROUP = 3  # operations with one prefix that make a group


def apply(catalog: Catalog, context: Context) -> Catalog:
    """The catalog with tiers and groups: as declared, else by tag, prefix or source."""
    config = context.config
    operations = catalog.operations.values()
    always = set(select(operations, config.always.entries).ids) if config.always.entries else set()
    declared: dict[str, str] = {}
    for name, entry in config.groups.items():
        for operation_id in select(operations, entry.select.entries).ids:
            declared.setdefault(operation_id, name)
    automatic = _automatic(catalog, set(config.groups))
    tools = []
    for tool in catalog.tools:
        first = tool.operations[0]
        tier: Tier = "always" if first in always else "group" if first in declared else "deferred"
        group = declared.get(first) or _commonest([automatic[operation] for operation in tool.operations])
        tools.append(replace(tool, tier=tier, group=group))
    return replace(catalog, tools=tuple(tools), groups=_groups(tools, catalog, context))


def _automatic(catalog: Catalog, taken: set[str]) -> dict[str, str]:
    """A group by operation: its first tag, else the prefix of its name in a large source, else its source.

    A tag or prefix of two sources, or one with a declared name, is qualified.
    """
    plain = [operation for operation in catalog.operations.values() if not isinstance(operation.call, SqlCall)]
    tagged = {operation.id: operation.tags[0] for operation in plain if operation.tags}
    tagged |= _prefixes([operation for operation in plain if not operation.tags])
    owners: dict[str, set[str]] = defaultdict(set)
    for operation_id, tag in tagged.items():
        owners[tag].add(catalog.operations[operation_id].source)
    names = {source.name for source in catalog.sources} | taken
    result = {}
    for operation in catalog.operations.values():
        tag = tagged.get(operation.id, "")
        if not tag:
            result[operation.id] = operation.source
        elif len(owners[tag]) > 1 or tag in names - owners[tag]:
            result[operation.id] = f"{operation.source}: {tag}"
        else:
            result[operation.id] = tag
    return result


def _prefixes(operations: list[Operation]) -> dict[str, str]:
    """By operation the words that names of its source begin with: `web_data` of `web_data_x_posts`.

    Only in a source too large for one group, and only for words that set some operations apart: three or more, not all.
    """
    sources: dict[str, list[Operation]] = defaultdict(list)
    for operation in operations:
        sources[operation.source].append(operation)
    found: dict[str, str] = {}
    for members in sources.values():
        if len(members) <= LARGEST_GROUP:
            continue
        families: dict[str, list[Operation]] = defaultdict(list)
        for operation in members:
            said = words(operation.name)
            # A name that begins with a verb begins with nothing that it shares by belonging together.
            if len(said) > 1 and lexicon().at(said, 0) is None:
                families[said[0]].append(operation)
        for family in families.values():
            if LEAST_GROUP <= len(family) < len(members):
                prefix = _common([words(operation.name)[:-1] for operation in family])
                found |= {operation.id: "_".join(prefix) for operation in family}
    return found


def _common(names: list[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(first for first, *others in zip(*names, strict=False) if {first, *others} == {first})


def _commonest(names: list[str]) -> str:
    counts = Counter(names)
    return min(counts, key=lambda name: (-counts[name], len(name), name))  # of several the shortest: the most general


def _groups(tools: list[Tool], catalog: Catalog, context: Context) -> tuple[Group, ...]:
    members: dict[str, list[str]] = defaultdict(list)
    for tool in tools:
        members[tool.group].append(tool.name)
    texts = {source.name: source.description or source.title for source in catalog.sources}
    for source in catalog.sources:
        for tag, text in source.tag_descriptions.items():
            texts.setdefault(tag, text)
            texts[f"{source.name}: {tag}"] = text
    for name, entry in context.config.groups.items():
        texts[name] = entry.description
    return tuple(Group(name, texts.get(name, ""), tuple(sorted(members[name]))) for name in sorted(members))
