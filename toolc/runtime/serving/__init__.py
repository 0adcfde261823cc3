"""Serves a bundle over MCP: what it offers comes from `serve.json`, calls go through the executor."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolc import __version__
from toolc.bundle import SERVED, SERVED_FORMAT
from toolc.diagnostics import user_error

GROUP = "toolc/group"


@dataclass(frozen=True, slots=True)
class Listing:
    """What a server says of itself, ready before the bundle is read: tools are entries of `tools/list`."""

    name: str
    instructions: str
    tools: Sequence[Mapping[str, Any]]

    @property
    def info(self) -> dict[str, Any]:
        """`serverInfo`."""
        return {"name": self.name, "version": __version__}

    @property
    def names(self) -> frozenset[str]:
        """Of the tools."""
        return frozenset(str(tool["name"]) for tool in self.tools)


def listing(folder: Path, group: str = "") -> Listing:
    """The listing of a bundle, or of one of its groups; raises UserError where there is none."""
    path = folder / SERVED
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["format"] != SERVED_FORMAT:
            raise ValueError(f"its format is {data['format']}")
        name, groups, tools = data["name"], data["groups"], data["tools"]
    except FileNotFoundError:
        message = f"{folder.as_posix()} holds no {SERVED}"
        raise user_error("missing-file", message, help="run `toolc build` first") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        message = f"{path.as_posix()} cannot be read: {error!r}"
        raise user_error("invalid-bundle", message, help="build it again") from None
    if not group:
        return Listing(name, data["instructions"], tools)
    if group not in groups:
        message = f"the bundle has no group `{group}`"
        raise user_error("unknown-group", message, help=f"groups: {', '.join(groups) or 'none'}")
    own = [tool for tool in tools if tool.get("_meta", {}).get(GROUP) == group]
    return Listing(f"{name}-{group}", groups[group], own)
