"""Permission rules of Claude Code: `permissions.allow`, `ask` and `deny` of a settings.json.

How rules match was seen with Claude Code 2.1 and a scripted model (November 2026): a rule is `mcp__SERVER`,
`mcp__SERVER__TOOL`, or a pattern with `*`; in `allow` only the part after the server may be a pattern; text in brackets
makes a rule that matches no MCP tool. `deny` comes before `ask`, and `ask` before `allow`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from toolc.ir import Catalog, Tool
from toolc.pipeline.migrating.changes import Aspect, Change, Found, listed
from toolc.pipeline.migrating.names import Known
from toolc.pipeline.migrating.policy import Entry, Level

LEVELS: tuple[Level, ...] = ("allow", "ask", "deny")


def recognise(data: Mapping[str, Any], name: str) -> bool:
    """Whether a file is a settings.json of Claude Code."""
    rules = data.get("permissions")
    return isinstance(rules, dict) and any(isinstance(rules.get(level), list) for level in LEVELS)


def read(data: Mapping[str, Any], names: Sequence[Known], server: str) -> tuple[Found, ...]:
    """The entries in their order, and what held for each operation."""
    rules = data.get("permissions", {})
    entries = [_entry(text, level, names, server) for level in LEVELS for text in listed(rules.get(level))]
    said: dict[str, Level] = {}
    for level in LEVELS:  # the stricter ones last, as they hold
        said |= {key: level for entry in entries if entry.level == level for key in entry.operations}
    return (Found(tuple(entries), said, "it is asked for now"),)


def named(tool: Tool, server: str) -> str:
    """A rule for one tool."""
    return f"mcp__{server}__{tool.name}"


def write(data: Mapping[str, Any], aspects: Sequence[Aspect], catalog: Catalog, server: str) -> list[Change]:
    """The new lists. Old entries of `ask` and `deny` stay: they hold as long as the old servers are configured."""
    [(found, verdicts)] = aspects
    rules = data.get("permissions", {})
    touched = {key for entry in found.entries if entry.moves for key in entry.operations}
    tools = [tool for tool in catalog.tools if touched & set(tool.operations)]
    gone = {entry.text for entry in found.entries if entry.level == "allow" and entry.moves}
    changes = []
    for level in LEVELS:
        old = rules[level] if isinstance(rules.get(level), list) else []
        left = [text for text in old if level != "allow" or text not in gone]
        new = [named(tool, server) for tool in tools if verdicts[tool.name].level == level]
        lists = [*left, *(text for text in new if text not in left)]
        if lists != old:
            changes.append(Change(("permissions", level), lists))
    return changes


def missing(data: Mapping[str, Any], catalog: Catalog, server: str) -> str:
    """Nothing: rules stand apart from servers."""
    return ""


def _entry(text: str, level: Level, names: Iterable[Known], server: str) -> Entry:
    keys = ("permissions", level)
    if not text.startswith("mcp__") and not (text.startswith("*") and level != "allow"):
        return Entry(text, keys, level, kept="is about no MCP tool")
    if "(" in text:
        return Entry(text, keys, level, kept="matches no MCP tool, as it has brackets", unknown=True)
    matched = [one for one in names if _matches(text, one, level)]
    old = [one for one in matched if not one.current]
    # An allowed name that stands for an old tool and for a new one too was meant for the old, which does less.
    meant = old if old and level == "allow" else matched
    operations = frozenset(key for one in meant for key in one.operations)
    if matched and not old:
        return Entry(text, keys, level, operations, kept="names tools as they are now")
    if matched and level != "allow" and fnmatchcase(f"mcp__{server}__", text):
        return Entry(text, keys, level, operations, kept="holds for the new tools as it stands")
    if not matched:
        return Entry(text, keys, level, kept="names no tool of the bundle", unknown=True)
    return Entry(text, keys, level, operations, broad="*" in text or text.count("__") == 1)


def _matches(text: str, one: Known, level: Level) -> bool:
    own = f"mcp__{one.server}"
    if text == own:
        return True
    if level == "allow":
        rest = text.removeprefix(f"{own}__")
        return rest != text and fnmatchcase(one.tool, rest.replace("[", "[[]").replace("?", "[?]"))
    return fnmatchcase(f"{own}__{one.tool}", text.replace("[", "[[]").replace("?", "[?]"))
