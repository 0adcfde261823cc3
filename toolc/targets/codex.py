"""Codex: an MCP server for each group of tools, which it shows as a namespace with the group's text.

`config.toml` is to be merged into `.codex/config.toml` of a project that Codex trusts, or into `~/.codex/config.toml`.
Nothing is loaded up front: the model sees the namespaces and their texts, which are the servers' `instructions`, and
finds tools by search.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from toolc import launch
from toolc.ir import Catalog, File, Tool
from toolc.levels import one_line
from toolc.limits import Limits, fit
from toolc.targets import Emission, Prepared, prepare, reading

LIMITS = Limits(
    source="Codex 0.171 seen with a scripted model, and the Responses API behind it, November 2026",
    # Names stay as they are below their namespace; programs that join the two take 64.
    name_pattern=r"^[a-zA-Z0-9_-]{1,128}$",
    name_warn=64,
    deferral=True,
    namespaces=True,
    dialect=launch.DIALECT,
)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of `targets.codex`."""

    server: str = field(
        default="", metadata={"doc": "One server of this name for all tools, instead of one for each group."}
    )
    command: tuple[str, ...] = field(default=("toolc",), metadata=launch.COMMAND)
    bundle: str = field(default="", metadata=launch.BUNDLE)
    required: bool = field(default=True, metadata={"doc": "Codex does not start without the servers."})
    startup_timeout_sec: int = field(default=20, metadata={"doc": "Seconds for a server to start.", "min": 1})

    def __post_init__(self) -> None:
        launch.check_options(self.server or "toolc", self.command)


def render(tool: Tool, options: Options) -> dict[str, Any]:
    """One tool as it stands in its namespace."""
    server = options.server or launch.name_of(tool.group)
    return {"namespace": _namespace(server), **launch.seen([fit(tool, LIMITS)], "")[0]}


def emit(catalog: Catalog, options: Options) -> Emission:
    """`config.toml`."""
    offered = launch.served(catalog)
    texts = {group.name: one_line(group.description) for group in catalog.groups}
    tables, heads, parts = [], [], []
    for server, group, part in _servers(offered, options):
        prepared = prepare(part, launch.prefixed(LIMITS, f"{_namespace(server)}__"))
        parts.append(prepared)
        start = launch.start(part, options.command, options.bundle, group=group)
        tables.append(_table(server, _settings(start, prepared, options)))
        heads.append({"name": _namespace(server), "description": texts.get(group, "")})
    return Emission(
        (File("config.toml", "\n".join(tables)),),
        loaded=reading(heads),
        deferred=reading(tool for part in parts for tool in launch.seen(part.tools, "")),
        losses=tuple(loss for part in parts for loss in part.losses),
        quarantined=tuple(sorted(name for part in parts for name in part.quarantined)),
        diagnostics=tuple(diagnostic for part in parts for diagnostic in part.diagnostics),
    )


def _namespace(server: str) -> str:
    return f"mcp__{server.replace('-', '_')}"


def _servers(catalog: Catalog, options: Options) -> Iterable[tuple[str, str, Catalog]]:
    """Name, group and tools of each server."""
    if options.server:
        yield options.server, "", catalog
        return
    groups = sorted({tool.group for tool in catalog.tools})
    names = launch.names_of(groups)
    for group in groups:
        yield names[group], group, replace(catalog, tools=tuple(t for t in catalog.tools if t.group == group))


def _settings(start: launch.Start, prepared: Prepared, options: Options) -> dict[str, Any]:
    settings: dict[str, Any] = {"command": start.command, "args": list(start.args)}
    if start.variables:
        settings["env_vars"] = list(start.variables)
    settings |= {"required": options.required, "startup_timeout_sec": options.startup_timeout_sec}
    if prepared.quarantined:
        settings["disabled_tools"] = list(prepared.quarantined)
    return settings


def _table(server: str, settings: Mapping[str, Any]) -> str:
    """A table of TOML, which writes texts, lists, numbers and booleans as JSON does, but for one character."""
    values = {key: json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f") for key, value in settings.items()}
    lines = [f"{key} = {value}" for key, value in values.items()]
    return "\n".join((f"[mcp_servers.{server}]", *lines, ""))
