"""Gemini CLI: an MCP server in its settings, with the tools that it takes from it.

`settings.json` is to be merged into `.gemini/settings.json` of the project. All tools are loaded from the start, and
`includeTools` names them, so that what joins the bundle later is looked at first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from toolc import launch
from toolc.ir import Catalog, File, Tool
from toolc.limits import Limits, fit, too_many
from toolc.targets import Emission, prepare, reading

LIMITS = Limits(
    source="Gemini CLI 0.61, which cuts longer names in the middle at 63, and the API behind it, November 2026",
    name_pattern=r"^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$",
    name_warn=63,
    param_pattern=r"^[a-zA-Z0-9_]{1,64}$",
    tools=512,
    dialect=launch.DIALECT,
)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of `targets.gemini-cli`."""

    server: str = field(default="toolc", metadata=launch.SERVER)
    command: tuple[str, ...] = field(default=("toolc",), metadata=launch.COMMAND)
    bundle: str = field(default="", metadata=launch.BUNDLE)

    def __post_init__(self) -> None:
        launch.check_options(self.server, self.command)
        if "_" in self.server:
            raise ValueError(f"`{self.server}`: Gemini CLI cannot tell a server with _ in its name from its tools")


def render(tool: Tool, options: Options) -> dict[str, Any]:
    """One tool as Gemini CLI hands it to the model."""
    return launch.seen([fit(tool, LIMITS)], _prefix(options))[0]


def emit(catalog: Catalog, options: Options) -> Emission:
    """`settings.json`."""
    prefix = _prefix(options)
    prepared = prepare(launch.served(catalog), launch.prefixed(LIMITS, prefix))
    start = launch.start(catalog, options.command, options.bundle)
    server: dict[str, Any] = {"command": start.command, "args": list(start.args)}
    if start.variables:
        # What looks like a secret is kept from servers unless it is named.
        server["env"] = start.env(lambda name: f"${{{name}:-}}")
    server["includeTools"] = [one.tool.name for one in prepared.tools]
    return Emission(
        (File("settings.json", launch.document({"mcpServers": {options.server: server}})),),
        loaded=reading(launch.seen(prepared.tools, prefix)),
        losses=prepared.losses,
        quarantined=prepared.quarantined,
        diagnostics=(*prepared.diagnostics, *too_many(len(prepared.tools), LIMITS)),
    )


def _prefix(options: Options) -> str:
    return f"mcp_{options.server}_"
