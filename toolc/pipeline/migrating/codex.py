"""Tools of Codex: `enabled_tools`, `disabled_tools` and approval modes of the servers in its config.toml."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from toolc import launch
from toolc.ir import Catalog, Tool
from toolc.pipeline.migrating.changes import Aspect, Change, Found, listed
from toolc.pipeline.migrating.names import Known
from toolc.pipeline.migrating.policy import Entry, Level

SERVERS = "mcp_servers"
_MODES: dict[Any, Level] = {"approve": "allow", "prompt": "ask"}
_WRITTEN: dict[Any, str] = {"allow": "approve", "ask": "prompt"}


def recognise(data: Mapping[str, Any], name: str) -> bool:
    """Whether a file is a config.toml of Codex."""
    return name.endswith(".toml") and isinstance(data.get(SERVERS), dict)


def read(data: Mapping[str, Any], names: Sequence[Known], server: str) -> tuple[Found, ...]:
    """Two aspects: which tools are offered, and which are approved without asking or always asked for."""
    offered: list[Entry] = []
    modes: list[Entry] = []
    said: dict[str, Level] = {key: "allow" for one in names for key in one.operations}
    for old, own in data[SERVERS].items():
        mine = [one for one in names if one.server == old and not one.current]
        if not isinstance(own, dict) or _is_ours(own):
            continue
        enabled = own.get("enabled_tools")
        offered += [_entry(text, (SERVERS, old, "enabled_tools"), "allow", mine) for text in listed(enabled)]
        offered += [
            _entry(text, (SERVERS, old, "disabled_tools"), "deny", mine) for text in listed(own.get("disabled_tools"))
        ]
        whole = frozenset(key for one in mine for key in one.operations)
        if isinstance(enabled, list) or own.get("enabled") is False:
            on = {key for entry in offered if entry.keys[:2] == (SERVERS, old) for key in entry.operations}
            for key in whole - (on if own.get("enabled") is not False else set()):
                said.pop(key, None)
        modes += _modes(own, old, mine, whole)
    said |= {key: "deny" for entry in offered if entry.level == "deny" for key in entry.operations}
    approved: dict[str, Level] = {}
    for entry in modes:
        for key in entry.operations:
            if entry.kept:
                approved.pop(key, None)
            else:
                approved[key] = entry.level
    return (
        Found(tuple(offered), said, "it is not offered now"),
        Found(tuple(modes), approved, "it is now left to Codex"),
    )


def named(tool: Tool, server: str) -> str:
    """A tool as the lists name it."""
    return tool.name


def write(data: Mapping[str, Any], aspects: Sequence[Aspect], catalog: Catalog, server: str) -> list[Change]:
    """`enabled_tools` and approval modes of the bundle's servers; the old servers stay as they are."""
    (_, on), (modes, approved) = aspects
    asked = {key for entry in modes.entries if entry.moves for key in entry.operations}
    changes = []
    for name, tools in _servers(data, catalog, server).items():
        own = data[SERVERS].get(name, {})
        names = [tool.name for tool in tools if on[tool.name].level == "allow"]
        if len(names) < len(tools) and own.get("enabled_tools") != names:
            changes.append(Change((SERVERS, name, "enabled_tools"), names))
        for tool in tools:
            mode = _WRITTEN.get(approved[tool.name].level)
            before = own.get("tools", {}).get(tool.name, {}).get("approval_mode") if isinstance(own, dict) else None
            if mode and asked & set(tool.operations) and before is None:
                changes.append(Change((SERVERS, name, "tools", tool.name, "approval_mode"), mode))
    return changes


def missing(data: Mapping[str, Any], catalog: Catalog, server: str) -> str:
    """The first server that has to be in the file before anything can be written for it."""
    wanted = _servers(data, catalog, server)
    return next((name for name in wanted if not _is_ours(data[SERVERS].get(name, {}))), "")


def _servers(data: Mapping[str, Any], catalog: Catalog, server: str) -> dict[str, list[Tool]]:
    """The bundle's servers as the target names them: one where the file has it, else one for each group."""
    if _is_ours(data[SERVERS].get(server, {})) and "--group" not in data[SERVERS][server]["args"]:
        return {server: list(catalog.tools)}
    groups = launch.names_of(sorted({tool.group for tool in catalog.tools}))
    return {name: [tool for tool in catalog.tools if tool.group == group] for group, name in groups.items()}


def _is_ours(own: Any) -> bool:
    """Whether a server is one that toolc serves a bundle with, whatever its name."""
    return isinstance(own, dict) and "serve" in listed(own.get("args"))


def _entry(text: str, keys: tuple[str, ...], level: Level, names: Sequence[Known]) -> Entry:
    operations = frozenset(key for one in names if one.tool == text for key in one.operations)
    return Entry(
        text, keys, level, operations, unknown=not operations, kept="" if operations else "no tool of the bundle"
    )


def _modes(own: Mapping[str, Any], old: str, names: Sequence[Known], whole: frozenset[str]) -> list[Entry]:
    """The approval modes of a server, that of the whole first, so that those of single tools hold over it."""
    found = []
    level = _MODES.get(own.get("default_tools_approval_mode"))
    if level and whole:
        found.append(Entry("default_tools_approval_mode", (SERVERS, old), level, whole, broad=True))
    tools = own.get("tools")
    for text, settings in tools.items() if isinstance(tools, dict) else ():
        mode = settings.get("approval_mode") if isinstance(settings, dict) else None
        if mode is not None:
            entry = _entry(text, (SERVERS, old, "tools"), _MODES.get(mode, "ask"), names)
            # Any other mode takes back what stands for the whole server.
            found.append(entry if mode in _MODES else replace(entry, kept=f"`{mode}` leaves it to Codex"))
    return found
