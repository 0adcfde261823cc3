"""Any program that reads an `mcp.json`: one server, started on the bundle.

`mcp.json` has the key `mcpServers`, as most programs read it (Cursor, Windsurf, Claude Desktop, Cline and others). Few
of them agree on how a variable of the environment is named there, so `reference` says it; a program that knows none
takes the variables over from its own environment, or hands on the text as it stands, which toolc then takes for a
variable that is not set.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from toolc import launch
from toolc.ir import Catalog, File, Tool
from toolc.limits import Limits, fit
from toolc.targets import Emission, prepare, reading

LIMITS = Limits(
    source="the longest prefix in use is mcp__SERVER__ before 64 characters in all (Claude Code, Codex, Cline), "
    "November 2026",
    name_pattern=r"^[A-Za-z0-9._-]{1,128}$",
    name_warn=64,
    param_pattern=r"^[\s\S]+$",
    dialect=launch.DIALECT,
)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of `targets.mcp-json`."""

    server: str = field(default="toolc", metadata=launch.SERVER)
    command: tuple[str, ...] = field(default=("toolc",), metadata=launch.COMMAND)
    bundle: str = field(default="", metadata=launch.BUNDLE)
    reference: Literal["${NAME}", "${env:NAME}", "none"] = field(
        default="${NAME}",
        metadata={"doc": "How the program names an environment variable; `none` leaves `env` out."},
    )

    def __post_init__(self) -> None:
        launch.check_options(self.server, self.command)


def render(tool: Tool, options: Options) -> dict[str, Any]:
    """One tool as the server offers it."""
    return launch.seen([fit(tool, LIMITS)], "")[0]


def emit(catalog: Catalog, options: Options) -> Emission:
    """`mcp.json`."""
    limits = launch.prefixed(LIMITS, f"mcp__{options.server}__")
    prepared = prepare(launch.served(catalog), limits)
    start = launch.start(catalog, options.command, options.bundle)
    server: dict[str, Any] = {"command": start.command, "args": list(start.args)}
    if options.reference != "none" and start.variables:
        server["env"] = start.env(lambda name: options.reference.replace("NAME", name))
    return Emission(
        (File("mcp.json", launch.document({"mcpServers": {options.server: server}})),),
        loaded=reading(launch.seen(prepared.tools, "")),
        losses=prepared.losses,
        quarantined=prepared.quarantined,
        diagnostics=prepared.diagnostics,
    )
