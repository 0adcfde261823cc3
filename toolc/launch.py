"""How a program that takes MCP servers starts `toolc serve` on a bundle, and what its model then reads."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from toolc.bundle import variables
from toolc.ir import Catalog, Opaque, Tool
from toolc.limits import Dialect, Fitted, Limits

# Of the schemas that `toolc serve` offers. Programs hand them on to any model: Claude Code drops a tool with oneOf,
# anyOf or allOf at the root unsaid, OpenAI refuses a request with an array that does not say its items (November 2026).
DIALECT: Dialect = "openai"

# What `metadata` of the options says that every such target has.
SERVER = {"doc": "Name of the server there; permission rules and prefixes of tool names are made of it."}
COMMAND = {"doc": "How toolc is started, with the arguments before `serve`: [uvx, toolc]."}
BUNDLE = {
    "doc": "Folder of the bundle as the program sees it; without it the `out` of toolc.yaml, from the root of the "
    "project that toolc.yaml stands in."
}
_SERVER = re.compile(r"[A-Za-z][A-Za-z0-9-]*(_[A-Za-z0-9-]+)*")


@dataclass(frozen=True, slots=True)
class Start:
    """A command line with the names of the environment variables that it needs."""

    command: str
    args: tuple[str, ...]
    variables: tuple[str, ...]

    def env(self, reference: Callable[[str], str]) -> dict[str, str]:
        """Variable → how the program is told to take it over from its own environment."""
        return {name: reference(name) for name in self.variables}


def start(catalog: Catalog, command: tuple[str, ...], bundle: str, root: str = "", group: str = "") -> Start:
    """The start of `toolc serve` for the bundle of a catalog, or for one of its groups.

    It is given the variables that calls of the catalog's tools read, and no others.
    bundle: an option, see BUNDLE. root: what the program writes before a path from the project's root.
    """
    place = catalog.place
    args = [*command[1:], "serve", bundle or root + place.folder]
    args += ["--profile", place.profile] if place.profile else []
    args += ["--group", group] if group else []
    sources = {catalog.operations[key].source for tool in catalog.tools for key in tool.operations}
    connections = [catalog.connections[source] for source in sources if source in catalog.connections]
    return Start(command[0], tuple(args), tuple(sorted({*variables(connections)})))


def check_options(server: str, command: tuple[str, ...]) -> None:
    """Raise ValueError for a server name that programs would rewrite, or that could not be told from a tool's."""
    if not _SERVER.fullmatch(server):
        raise ValueError(
            f"`{server}` is no server name: letters, digits, - and single _, a letter first; `__` separates it from "
            "the names of tools"
        )
    if not command or not command[0]:
        raise ValueError("`command` names no program")


def name_of(text: str) -> str:
    """A text as a server name; `tools` if nothing of it is left."""
    plain = re.sub(r"[^A-Za-z0-9-]+", "_", text).strip("_-")
    return plain if _SERVER.fullmatch(plain) else f"tools_{plain}".rstrip("_")


def names_of(texts: Iterable[str]) -> dict[str, str]:
    """A server name for each text, in order; those that would be alike get a number."""
    names: dict[str, str] = {}
    for text in texts:
        plain, number = name_of(text), 1
        while (name := plain if number == 1 else f"{plain}_{number}") in names.values():
            number += 1
        names[text] = name
    return names


def served(catalog: Catalog) -> Catalog:
    """Only the tools that `toolc serve` offers: those that toolc can carry out a call of."""
    tools = tuple(tool for tool in catalog.tools if _can(tool, catalog))
    return catalog if len(tools) == len(catalog.tools) else replace(catalog, tools=tools)


def _can(tool: Tool, catalog: Catalog) -> bool:
    calls = [catalog.operations[key].call for key in tool.operations if key in catalog.operations]
    return any(not isinstance(call, Opaque) or call.run for call in calls)


def prefixed(limits: Limits, prefix: str) -> Limits:
    """Limits of names that the program puts a prefix before."""
    return replace(limits, prefix=prefix)


def seen(fitted: Iterable[Fitted], prefix: str) -> list[dict[str, Any]]:
    """The tools as the program hands them on to its model, in their order."""
    return [
        {"name": prefix + one.tool.name, "description": one.description, "input_schema": one.input_schema}
        for one in fitted
    ]


def document(data: Mapping[str, Any]) -> str:
    """JSON as people keep it in config files."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
