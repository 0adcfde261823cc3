"""A tool with more than 15 parameters.

What it does
    Counts the parameters of a tool; those of an action tool by the action that takes most, if they say their actions.

Why it is bad
    Every optional parameter is a decision for the model and tokens on every turn; accuracy falls as they grow.

Example
    search_orders with 28 filters

Use instead
    The six that are used, or one `query` text with its syntax and an example

When it is wrong
    For an API whose filters are all needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject

STAGE = "catalog"
CATEGORY = "schema"
SEVERITY = Severity.note


@dataclass(frozen=True, slots=True)
class Options:
    """The keys of the rule."""

    parameters: int = field(default=15, metadata={"doc": "most parameters of a tool", "min": 1})


def check(subject: Subject, options: Options) -> Iterator[Diagnostic]:
    """One finding a tool."""
    for tool in subject.tools:
        properties = tool.schema.get("properties")
        own = len(properties) if isinstance(properties, dict) else 0
        if len(tool.operations) > 1:
            own = max(len(operation.input.get("properties", ())) for operation in tool.operations)
        if own > options.parameters:
            yield Diagnostic(
                "many-params",
                SEVERITY,
                f"`{tool.name}` has {own} parameters",
                tool.place("input"),
                tool.related,
                help="leave out those that nobody uses, or split the tool by what it is used for",
                subject=tool.name,
            )
