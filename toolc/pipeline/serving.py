"""`serve.json`: what `toolc serve` says of a bundle before it has read the rest, as a client waits for it."""

from __future__ import annotations

import json

from toolc import bundle, launch, registry
from toolc.ir import Catalog, File
from toolc.levels import one_line
from toolc.schema.lower import lower


def served(catalog: Catalog) -> File:
    """The tools that toolc can carry out, as target `mcp` lists them but in `launch.DIALECT`, and groups' texts."""
    mcp = registry.load("targets", "mcp")
    offered = launch.served(catalog)
    tools = json.loads(mcp.emit(offered, mcp.Options()).files[0].text)["tools"]
    for tool in tools:
        tool["inputSchema"] = lower(tool["inputSchema"], launch.DIALECT).schema
    held = {tool.group for tool in offered.tools}
    groups = {group.name: one_line(group.description) for group in catalog.groups if group.name in held}
    told = [f"{name}: {text}" for name, text in groups.items() if text and text != name]
    head = {"format": bundle.SERVED_FORMAT, "name": catalog.name, "instructions": "\n".join(told), "groups": groups}
    lines = ",\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
    return File(bundle.SERVED, f'{json.dumps(head, ensure_ascii=False)[:-1]}, "tools": [\n{lines}\n]}}\n')
