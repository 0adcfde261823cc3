"""A description of more than 300 tokens.

What it does
    Counts the description alone, and reports those above the limit.

Why it is bad
    It is paid for on every turn in which the tool is loaded. What a model needs only while it uses the tool can stand
    in a skill or in the answer of the first call.

Example
    A description with a tutorial, five examples and the history of the endpoint

Use instead
    Two or three sentences; `descriptions: lead` in toolc.yaml keeps the rest in `details`

When it is wrong
    For a tool that replaces a prompt, such as a planner, whose text was measured to help.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject

STAGE = "catalog"
CATEGORY = "cost"
SEVERITY = Severity.note
SHORTEST = 1.5  # characters a token in the densest text; below it nothing needs counting


@dataclass(frozen=True, slots=True)
class Options:
    """The keys of the rule."""

    tokens: int = field(default=300, metadata={"doc": "most tokens of a description", "min": 1})


def check(subject: Subject, options: Options) -> Iterator[Diagnostic]:
    """One finding a tool."""
    for tool in subject.tools:
        if len(tool.description) <= options.tokens * SHORTEST:
            continue
        count = subject.counter.count(tool.description)
        if count > options.tokens:
            yield Diagnostic(
                "long-description",
                SEVERITY,
                f"the description of `{tool.name}` has {count:,} tokens, more than {options.tokens}",
                tool.place("description"),
                tool.related,
                help="keep what a model needs to choose and call the tool",
                subject=tool.name,
            )
