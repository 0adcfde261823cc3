"""Tool lists of Gemini CLI: `includeTools` and `excludeTools` of the servers in its settings.json.

The bundle's server gets an `includeTools` with the tools all of whose operations were offered before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolc.ir import Catalog, Tool
from toolc.pipeline.migrating.changes import Aspect, Change, Found, listed
from toolc.pipeline.migrating.names import Known
from toolc.pipeline.migrating.policy import Entry, Level

LISTS: tuple[tuple[str, Level], ...] = (("includeTools", "allow"), ("excludeTools", "deny"))


def recognise(data: Mapping[str, Any], name: str) -> bool:
    """Whether a file is a settings.json of Gemini CLI with lists of tools."""
    servers = data.get("mcpServers")
    return isinstance(servers, dict) and any(
        isinstance(own, dict) and {"includeTools", "excludeTools", "trust"} & own.keys() for own in servers.values()
    )


def read(data: Mapping[str, Any], names: Sequence[Known], server: str) -> tuple[Found, ...]:
    """What each old server offered; the operations of sources that are not in the file stay as the bundle has them."""
    entries: list[Entry] = []
    said: dict[str, Level] = {key: "allow" for one in names for key in one.operations}
    for old, own in data["mcpServers"].items():
        mine = [one for one in names if one.server == old and not one.current]
        if old == server or not isinstance(own, dict):
            continue
        for key, level in LISTS:
            entries += [_entry(text, ("mcpServers", old, key), level, mine) for text in listed(own.get(key))]
        if own.get("trust") is True and mine:
            why = f"speaks for a whole server; set it for `{server}` if all its tools are to run unasked"
            entries.append(Entry("trust", ("mcpServers", old), "allow", kept=why))
        offered = {one.tool for one in mine}
        if isinstance(own.get("includeTools"), list):
            offered &= {_bare(text) for text in listed(own["includeTools"])}
        for one in mine:
            if one.tool not in offered and not any(o.tool in offered and o.operations == one.operations for o in mine):
                for key in one.operations:
                    said.pop(key, None)
        said |= {key: "deny" for entry in entries if entry.level == "deny" for key in entry.operations}
    return (Found(tuple(entries), said, "it is not offered now"),)


def named(tool: Tool, server: str) -> str:
    """A tool as the lists name it."""
    return tool.name


def write(data: Mapping[str, Any], aspects: Sequence[Aspect], catalog: Catalog, server: str) -> list[Change]:
    """The list of the bundle's server; the old servers stay as they are."""
    [(_, verdicts)] = aspects
    if all(verdict.level == "allow" for verdict in verdicts.values()):
        return []
    before = data["mcpServers"].get(server, {})
    known = listed(before.get("includeTools")) if "includeTools" in before else [tool.name for tool in catalog.tools]
    left = [name for name in known if name not in verdicts or verdicts[name].level == "allow"]
    return [] if left == before.get("includeTools") else [Change(("mcpServers", server, "includeTools"), left)]


def missing(data: Mapping[str, Any], catalog: Catalog, server: str) -> str:
    """The server that has to be in the file before lists can be written for it; empty if it is there."""
    return "" if server in data["mcpServers"] else server


def _entry(text: str, keys: tuple[str, ...], level: Level, names: Sequence[Known]) -> Entry:
    operations = frozenset(key for one in names if one.tool == _bare(text) for key in one.operations)
    return Entry(
        text, keys, level, operations, unknown=not operations, kept="" if operations else "no tool of the bundle"
    )


def _bare(text: str) -> str:
    return text.partition("(")[0]
