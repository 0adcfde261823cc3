"""Permissions of opencode: `permission` and `tools` of an opencode.json, for all agents and for single ones.

Of the patterns that match a tool the last one holds (opencode 1.18, November 2026); without any a tool may be used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from toolc.ir import Catalog, Tool
from toolc.pipeline.migrating.changes import Aspect, Change, Found
from toolc.pipeline.migrating.names import Known, clean
from toolc.pipeline.migrating.policy import Entry, Level

STRICT: tuple[Level, ...] = ("allow", "ask", "deny")
_OTHERWISE = "no rule is made for it"
_TOOLS: dict[Any, Level] = {True: "allow", False: "deny"}


def recognise(data: Mapping[str, Any], name: str) -> bool:
    """Whether a file is a config of opencode."""
    return "opencode" in str(data.get("$schema", "")) or name in ("opencode.json", "opencode.jsonc")


def read(data: Mapping[str, Any], names: Sequence[Known], server: str) -> tuple[Found, ...]:
    """One aspect for all agents, and one for each agent with rules of its own, which come after those for all."""
    common = _entries(data, (), names, server)
    found = [Found(tuple(common), _said(common, names), _OTHERWISE)]
    for agent, own in _agents(data).items():
        entries = _entries(own, ("agent", agent), names, server)
        if entries:
            found.append(Found(tuple(entries), _said([*common, *entries], names), _OTHERWISE))
    return tuple(found)


def named(tool: Tool, server: str) -> str:
    """A tool as opencode calls it."""
    return f"{clean(server)}_{clean(tool.name)}"


def write(data: Mapping[str, Any], aspects: Sequence[Aspect], catalog: Catalog, server: str) -> list[Change]:
    """New permissions, after the others; a rule for a new name that is there already is never made milder."""
    changes = []
    for found, verdicts in aspects:
        touched = {key for entry in found.entries if entry.moves for key in entry.operations}
        holder = found.entries[0].keys[:-1] if found.entries else ()
        own = (_agents(data)[holder[1]] if holder else data).get("permission")
        there, new = _rules(own), {}
        for tool in catalog.tools:
            level, name = verdicts[tool.name].level, named(tool, server)
            before = _level(there.get(name))
            kept = before is not None and level and STRICT.index(before) >= STRICT.index(level)
            if touched & set(tool.operations) and level and not kept:
                new[name] = level
        if new and isinstance(own, str):
            changes.append(Change((*holder, "permission"), {**there, **new}))
        else:
            changes += [Change((*holder, "permission", name), level) for name, level in new.items()]
    return changes


def missing(data: Mapping[str, Any], catalog: Catalog, server: str) -> str:
    """Nothing: permissions stand apart from servers."""
    return ""


def _agents(data: Mapping[str, Any]) -> dict[str, Any]:
    agents = data.get("agent")
    return {key: own for key, own in agents.items() if isinstance(own, dict)} if isinstance(agents, dict) else {}


def _entries(data: Mapping[str, Any], holder: tuple[str, ...], names: Sequence[Known], server: str) -> list[Entry]:
    entries = []
    for key in ("tools", "permission"):
        for text, value in _rules(data.get(key)).items():
            level = _level(value)
            if level is not None:
                entries.append(_entry(text, (*holder, key), level, names, server))
    return entries


def _rules(value: Any) -> dict[str, Any]:
    """Rules by pattern; one word is the rule for everything."""
    if isinstance(value, str):
        return {"*": value}
    return value if isinstance(value, dict) else {}


def _level(value: Any) -> Level | None:
    """What a rule says; of rules for arguments the strictest, as a merged tool has others."""
    if isinstance(value, bool):
        return _TOOLS[value]
    inner = list(value.values()) if isinstance(value, dict) else [value]
    return next((level for level in reversed(STRICT) if level in inner), None)


def _entry(text: str, keys: tuple[str, ...], level: Level, names: Sequence[Known], server: str) -> Entry:
    matched = [one for one in names if _matches(text, one)]
    operations = frozenset(key for one in matched for key in one.operations)
    if not matched:
        return Entry(text, keys, level, kept="names no tool of the bundle", unknown=True)
    if all(one.current for one in matched):
        return Entry(text, keys, level, operations, kept="names tools as they are now")
    if fnmatchcase(f"{clean(server)}_", text):
        return Entry(text, keys, level, operations, kept="holds for the new tools as it stands")
    return Entry(text, keys, level, operations, broad="*" in text or "?" in text)


def _matches(text: str, one: Known) -> bool:
    return fnmatchcase(f"{clean(one.server)}_{clean(one.tool)}", text.replace("[", "[[]"))


def _said(entries: Sequence[Entry], names: Sequence[Known]) -> dict[str, Level]:
    """By operation what the last rule says, but what `tools` switched off stays off."""
    said: dict[str, Level] = {}
    for entry in entries:
        said |= dict.fromkeys(entry.operations, entry.level)
    off = (entry for entry in entries if entry.keys[-1] == "tools" and entry.level == "deny")
    return said | {key: "deny" for entry in off for key in entry.operations}
