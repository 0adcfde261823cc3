"""More than 30 tools loaded at once.

What it does
    Counts the tools that a model sees from the first turn on: the tier `always` of a build, or the whole of a plain
    tool list, without those that are marked `defer_loading`. Specs, databases and skills that are linted by
    themselves are no list that is loaded.

Why it is bad
    Models choose worse from long lists, and every definition is paid for on every turn. Vendors advise against more
    than 20 to 30 at once (Anthropic and OpenAI guides, read November 2026).

Example
    A tools/list of 74 tools

Use instead
    A handful in `always`, the others in groups or behind tool search

When it is wrong
    If the client that loads this list defers tools by itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import McpCall, Opaque
from toolc.rules import Seen, Subject, list_place

STAGE = "catalog"
CATEGORY = "cost"
SEVERITY = Severity.warning


@dataclass(frozen=True, slots=True)
class Options:
    """The keys of the rule."""

    tools: int = field(default=30, metadata={"doc": "most tools that are loaded from the start", "min": 1})


def check(subject: Subject, options: Options) -> Iterator[Diagnostic]:
    """One finding for a build; one a file for plain lists."""
    groups: dict[str, list[Seen]] = defaultdict(list)
    skills = {source.name for source in subject.catalog.sources if source.type == "skills"}
    for tool in subject.tools:
        operation = tool.operations[0]
        if tool.tier != "always" or (subject.plain and operation.source in skills):
            continue
        if subject.plain and not isinstance(operation.call, McpCall | Opaque):
            continue
        groups[tool.origin.source if subject.plain else ""].append(tool)
    for file, tools in groups.items():
        if len(tools) <= options.tools:
            continue
        place = list_place(tools) if file else subject.config.origin.at("always")
        yield Diagnostic(
            "too-many-loaded",
            SEVERITY,
            f"{len(tools)} tools are loaded at once, {sum(map(subject.tokens, tools)):,} tokens",
            place,
            help="load those that every task needs, and the others by group or search (`groups`, `defer_loading`)",
        )
