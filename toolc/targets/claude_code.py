"""Claude Code: an MCP server for the project, and permission rules that no old rule is widened by.

`.mcp.json` stands in the root of the project. `settings.json` is to be merged into `.claude/settings.json`: tools that
may destroy are asked for, also where a broader rule allows the server; `toolc migrate` carries rules over that were
written for the tools before merging.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from toolc import launch
from toolc.ir import Catalog, File, Tool
from toolc.limits import Limits, fit
from toolc.targets import Emission, prepare, reading

LIMITS = Limits(
    source="Claude Code 2.1 seen with a scripted model, and the Messages API behind it, November 2026",
    name_pattern=r"^[a-zA-Z0-9_-]{1,128}$",  # the API takes 128, the docs and other hosts of the models 64
    name_warn=64,
    deferral=True,
    dialect=launch.DIALECT,
)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of `targets.claude-code`."""

    server: str = field(default="toolc", metadata=launch.SERVER)
    command: tuple[str, ...] = field(default=("toolc",), metadata=launch.COMMAND)
    bundle: str = field(default="", metadata=launch.BUNDLE)
    allow: Literal["none", "read"] = field(
        default="none", metadata={"doc": "Tools that run without being asked for: none, or those that only read."}
    )

    def __post_init__(self) -> None:
        launch.check_options(self.server, self.command)


def render(tool: Tool, options: Options) -> dict[str, Any]:
    """One tool as Claude Code hands it to the model."""
    return launch.seen([fit(tool, LIMITS)], _prefix(options))[0]


def emit(catalog: Catalog, options: Options) -> Emission:
    """`.mcp.json` and `settings.json`."""
    prefix = _prefix(options)
    prepared = prepare(launch.served(catalog), launch.prefixed(LIMITS, prefix))
    start = launch.start(catalog, options.command, options.bundle)
    server: dict[str, Any] = {"type": "stdio", "command": start.command, "args": list(start.args)}
    if start.variables:
        # Without the default, a variable that is not set arrives as the text `${NAME}`.
        server["env"] = start.env(lambda name: f"${{{name}:-}}")
    upfront = launch.seen(prepared.always, prefix)
    standby = launch.seen(prepared.standby, prefix)
    names = "\n".join(tool["name"] for tool in standby)
    return Emission(
        (
            File(".mcp.json", launch.document({"mcpServers": {options.server: server}})),
            File(
                "settings.json", launch.document({"permissions": _rules([one.tool for one in prepared.tools], options)})
            ),
        ),
        loaded="\n".join(filter(None, (reading(upfront), names))),
        deferred=reading(standby),
        losses=prepared.losses,
        quarantined=prepared.quarantined,
        diagnostics=prepared.diagnostics,
    )


def _prefix(options: Options) -> str:
    return f"mcp__{options.server}__"


def _rules(tools: list[Tool], options: Options) -> dict[str, list[str]]:
    """A rule speaks for every action of a tool, and `ask` comes before `allow`."""
    named = [(_prefix(options) + tool.name, tool.hints.effect) for tool in tools]
    allowed = [name for name, effect in named if effect == "read" and options.allow == "read"]
    return {"allow": allowed, "ask": [name for name, effect in named if effect in ("destructive", "unknown")]}
