"""opencode: an MCP server in its config, and permissions for tools that may destroy.

`opencode.json` stands in the root of the project, or is merged into the one there. All tools are loaded from the start.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from toolc import launch
from toolc.ir import Catalog, File, Tool
from toolc.limits import Limits, fit, too_many
from toolc.targets import Emission, prepare, reading

LIMITS = Limits(
    source="opencode 1.18, which hands names on as they are to providers that take 64 characters, November 2026",
    tools=128,
    dialect=launch.DIALECT,
)
_SCHEMA = "https://opencode.ai/config.json"


@dataclass(frozen=True, slots=True)
class Options:
    """Options of `targets.opencode`."""

    server: str = field(default="toolc", metadata=launch.SERVER)
    command: tuple[str, ...] = field(default=("toolc",), metadata=launch.COMMAND)
    bundle: str = field(default="", metadata=launch.BUNDLE)
    ask: bool = field(default=True, metadata={"doc": "Ask before each call of a tool that may destroy."})

    def __post_init__(self) -> None:
        launch.check_options(self.server, self.command)


def render(tool: Tool, options: Options) -> dict[str, Any]:
    """One tool as opencode hands it to the model."""
    return launch.seen([fit(tool, LIMITS)], _prefix(options))[0]


def emit(catalog: Catalog, options: Options) -> Emission:
    """`opencode.json`."""
    prefix = _prefix(options)
    prepared = prepare(launch.served(catalog), launch.prefixed(LIMITS, prefix))
    start = launch.start(catalog, options.command, options.bundle)
    server: dict[str, Any] = {"type": "local", "command": [start.command, *start.args], "enabled": True}
    if start.variables:
        server["environment"] = start.env(lambda name: f"{{env:{name}}}")
    # The last rule that matches holds; a tool that providers refuse would cost the whole request.
    rules = {prefix + name: "deny" for name in prepared.quarantined}
    if options.ask:
        asked = (one.tool for one in prepared.tools if one.tool.hints.effect in ("destructive", "unknown"))
        rules |= {prefix + tool.name: "ask" for tool in asked}
    config: dict[str, Any] = {"$schema": _SCHEMA, "mcp": {options.server: server}}
    return Emission(
        (File("opencode.json", launch.document(config | ({"permission": rules} if rules else {}))),),
        loaded=reading(launch.seen(prepared.tools, prefix)),
        losses=prepared.losses,
        quarantined=prepared.quarantined,
        diagnostics=(*prepared.diagnostics, *too_many(len(prepared.tools), LIMITS)),
    )


def _prefix(options: Options) -> str:
    return f"{options.server}_"
