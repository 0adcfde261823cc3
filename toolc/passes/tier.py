"""Says when each tool is loaded, and which tools are activated together."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

from toolc.ir import Catalog, Group, SqlCall, Tier, Tool
from toolc.passes.context import Context
from toolc.select import select


def apply(catalog: Catalog, context: Context) -> Catalog:
    """The catalog with tiers and groups: as declared, else by tag or source."""
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
    """A group by operation: its first tag, else its source; a tag of two sources, or a declared name, is qualified."""
    tagged = {o.id: o.tags[0] for o in catalog.operations.values() if o.tags and not isinstance(o.call, SqlCall)}
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


def _commonest(names: list[str]) -> str:
    counts = Counter(names)
    return min(counts, key=lambda name: (-counts[name], name))


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
