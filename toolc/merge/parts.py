"""What goes into a merged tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from toolc.ir import Operation, Tool

# What the parts of a tool are about: a thing itself, `also` what belongs to it, `only` that; things whose names begin
# with it (`compound`); or whatever its `name` covers.
Spread = Literal["", "also", "only", "compound", "name"]


@dataclass(frozen=True, slots=True)
class Part:
    """One operation that goes into a merged tool: its action, its verb, and its own model-facing tool."""

    action: str
    verb: str
    tool: Tool
    operation: Operation


@dataclass(frozen=True, slots=True)
class Pins:
    """What the lock fixed for a tool: the selector's name and, by operation id, {merged name: original name}."""

    select: str = ""
    args: Mapping[str, Mapping[str, str]] | None = None
