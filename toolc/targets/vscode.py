"""VS Code: an MCP server for the workspace, and a tool set for each group.

`.vscode/mcp.json` stands in the workspace. The tool sets go into the folder of the user's profile that the command
`Chat: Configure Tool Sets` opens; each is then one entry in the tools picker, and `#NAME` in a prompt.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from toolc import launch
from toolc.ir import Catalog, File, Tool
from toolc.levels import one_line
from toolc.limits import Limits, fit, too_many
from toolc.targets import Emission, prepare, reading

LIMITS = Limits(
    source="VS Code docs; names with their prefix are cut at 64, a request takes 128 tools, November 2026",
    name_pattern=r"^[a-zA-Z0-9_.-]{1,128}$",
    name_warn=64,
    tools=128,
    dialect=launch.DIALECT,
)
_PREFIX_LENGTH = 18  # of `mcp_SERVER_`, cut there


@dataclass(frozen=True, slots=True)
class Options:
    """Options of `targets.vscode`."""

    server: str = field(default="toolc", metadata=launch.SERVER)
    command: tuple[str, ...] = field(default=("toolc",), metadata=launch.COMMAND)
    bundle: str = field(default="", metadata=launch.BUNDLE)
    icon: str = field(default="tools", metadata={"doc": "Product icon of the tool sets."})

    def __post_init__(self) -> None:
        launch.check_options(self.server, self.command)


def render(tool: Tool, options: Options) -> dict[str, Any]:
    """One tool as VS Code hands it to the model."""
    return launch.seen([fit(tool, LIMITS)], _prefix(options))[0]


def emit(catalog: Catalog, options: Options) -> Emission:
    """`.vscode/mcp.json` and `SERVER.toolsets.jsonc`."""
    prefix = _prefix(options)
    prepared = prepare(launch.served(catalog), launch.prefixed(LIMITS, prefix))
    start = launch.start(catalog, options.command, options.bundle, root="${workspaceFolder}/")
    server: dict[str, Any] = {"type": "stdio", "command": start.command, "args": list(start.args)}
    server["cwd"] = "${workspaceFolder}"
    if start.variables:
        server["env"] = start.env(lambda name: f"${{env:{name}}}")
    sets = _sets([one.tool for one in prepared.tools], catalog, options)
    return Emission(
        (
            File(".vscode/mcp.json", launch.document({"servers": {options.server: server}})),
            File(f"{options.server}.toolsets.jsonc", launch.document(sets)),
        ),
        loaded=reading(launch.seen(prepared.tools, prefix)),
        losses=prepared.losses,
        quarantined=prepared.quarantined,
        diagnostics=(*prepared.diagnostics, *too_many(len(prepared.tools), LIMITS)),
    )


def _prefix(options: Options) -> str:
    return f"mcp_{options.server.lower()}"[: _PREFIX_LENGTH - 1] + "_"


def _sets(tools: list[Tool], catalog: Catalog, options: Options) -> dict[str, Any]:
    """One a group, named after the server too: VS Code has sets of its own, such as `edit` and `search`."""
    members: dict[str, list[str]] = defaultdict(list)
    for tool in tools:
        members[tool.group].append(f"{options.server}/{tool.name}")
    texts = {group.name: one_line(group.description) for group in catalog.groups}
    names = launch.names_of(sorted(members))
    return {
        f"{options.server}-{names[group]}": {
            "tools": members[group],
            "description": texts.get(group) or f"Tools of {group or options.server}.",
            "icon": options.icon,
        }
        for group in sorted(members)
    }
