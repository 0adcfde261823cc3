"""A tool that costs more than 1,000 tokens.

What it does
    Counts each tool in the canonical form (compact JSON of name, description, input schema) and reports those over the
    limit, with the part that costs most.

Why it is bad
    A tool is paid for on every turn in which it is loaded. Ten of these cost as much as a page of source code.

Example
    A `send_message` tool with a schema of 4,000 tokens for every kind of block

Use instead
    A tool for the plain case and one for the others; `details` for long texts; `$defs` for what repeats

When it is wrong
    For the one tool an agent is made of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Seen, Subject
from toolc.schema.walk import reachable
from toolc.tokens import compact

STAGE = "catalog"
CATEGORY = "cost"
SEVERITY = Severity.warning
SHORTEST = 1.5  # characters a token in the densest text; below it nothing needs counting


@dataclass(frozen=True, slots=True)
class Options:
    """The keys of the rule."""

    tokens: int = field(default=1000, metadata={"doc": "most tokens of a tool", "min": 1})


def check(subject: Subject, options: Options) -> Iterator[Diagnostic]:
    """One finding a tool."""
    for tool in subject.tools:
        if len(tool.description) + len(compact(tool.schema)) <= options.tokens * SHORTEST:
            continue
        tokens = subject.tokens(tool)
        if tokens > options.tokens:
            yield Diagnostic(
                "heavy-tool",
                SEVERITY,
                f"`{tool.name}` costs {tokens:,} tokens; {_heaviest(tool, subject)}",
                tool.origin,
                tool.related,
                help="shorten that part, split the tool, or load it only when it is needed",
                subject=tool.name,
            )


def _heaviest(tool: Seen, subject: Subject) -> str:
    """The part with the most characters, and its tokens; to count all would take as long as the rest of the rule."""
    defs = {name: compact(schema) for name, schema in tool.schema.get("$defs", {}).items()}
    parts = {"its description": [tool.description]}
    properties = tool.schema.get("properties")
    for name, schema in properties.items() if isinstance(properties, dict) else ():
        inner = reachable(schema, tool.schema["$defs"]) if defs and isinstance(schema, dict) else []
        text = f"`{name}` with what it refers to" if inner else f"`{name}`"
        parts[text] = [compact(schema), *(defs[key] for key in inner)]
    if old := tool.schema.get("definitions"):
        parts["what is under its `definitions`"] = [compact(old)]
    part, texts = max(parts.items(), key=lambda item: sum(map(len, item[1])))
    return f"{part} takes {sum(map(subject.counter.count, texts)):,}"
