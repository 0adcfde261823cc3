"""Tool sets of VS Code: files `*.toolsets.jsonc`, whose entries are `SERVER/TOOL`, `SERVER/*` or a server's name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolc.ir import Catalog, Tool
from toolc.pipeline.migrating.changes import Aspect, Change, Found, listed
from toolc.pipeline.migrating.names import Known
from toolc.pipeline.migrating.policy import Entry, Level


def recognise(data: Mapping[str, Any], name: str) -> bool:
    """Whether a file holds tool sets."""
    return name.endswith(".toolsets.jsonc") or (
        bool(data) and all(isinstance(own, dict) and isinstance(own.get("tools"), list) for own in data.values())
    )


def read(data: Mapping[str, Any], names: Sequence[Known], server: str) -> tuple[Found, ...]:
    """One aspect for each set."""
    found = []
    for name, own in data.items():
        texts = listed(own.get("tools")) if isinstance(own, dict) else []
        entries = tuple(_entry(text, (name, "tools"), names) for text in texts)
        said: dict[str, Level] = {key: "allow" for entry in entries for key in entry.operations}
        found.append(Found(entries, said, "it is not in the set"))
    return tuple(found)


def named(tool: Tool, server: str) -> str:
    """A tool as tool sets name it."""
    return f"{server}/{tool.name}"


def write(data: Mapping[str, Any], aspects: Sequence[Aspect], catalog: Catalog, server: str) -> list[Change]:
    """Each set with the new names in place of the old ones."""
    changes = []
    for found, verdicts in aspects:
        moved = {entry.text for entry in found.entries if entry.moves}
        touched = {key for entry in found.entries if entry.moves for key in entry.operations}
        if moved:
            keys = found.entries[0].keys
            left = [text for text in listed(data[keys[0]]["tools"]) if text not in moved]
            tools = [tool for tool in catalog.tools if touched & set(tool.operations)]
            new = [named(tool, server) for tool in tools if verdicts[tool.name].level == "allow"]
            changes.append(Change(keys, [*left, *(text for text in new if text not in left)]))
    return changes


def missing(data: Mapping[str, Any], catalog: Catalog, server: str) -> str:
    """Nothing: sets stand apart from servers."""
    return ""


def _entry(text: str, keys: tuple[str, ...], names: Sequence[Known]) -> Entry:
    old = [one for one in names if text in _forms(one) and not one.current]
    if not old and any(text in _forms(one) for one in names):
        return Entry(text, keys, "allow", kept="names tools as they are now")
    if not old:
        return Entry(text, keys, "allow", kept="names no tool of the bundle", unknown=True)
    operations = frozenset(key for one in old for key in one.operations)
    return Entry(text, keys, "allow", operations, broad="/" not in text or text.endswith("/*"))


def _forms(one: Known) -> tuple[str, ...]:
    return f"{one.server}/{one.tool}", f"{one.server}/*", one.server, f"mcp_{one.server}_{one.tool}"
