"""Tools that cost more than in the last build.

What it does
    Compares each tool's tokens, and all of them together, with `toolc.lock`, and reports what grew by more than 5 %.
    The lock is written by the next build, so a growth is told once, where the change is reviewed.

Why it is bad
    Definitions grow a sentence at a time; nobody sees it in a diff of prose.

Example
    issue_write: 812 tokens in the lock, 1,120 now

Use instead
    Shorter texts; or build and commit the lock, to accept the growth on purpose

When it is wrong
    When operations were added: the message says how many tokens are from new tools.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject

STAGE = "catalog"
CATEGORY = "cost"
SEVERITY = Severity.warning


@dataclass(frozen=True, slots=True)
class Options:
    """The keys of the rule."""

    percent: int = field(default=5, metadata={"doc": "growth that is let pass", "min": 0})
    tokens: int = field(default=20, metadata={"doc": "growth in tokens that is let pass for one tool", "min": 0})


def check(subject: Subject, options: Options) -> Iterator[Diagnostic]:
    """One finding a tool that grew, and one for all tools together."""
    before = {name: pin.tokens for name, pin in subject.lock.tools.items() if pin.tokens}
    if not before:
        return
    factor = 1 + options.percent / 100
    now = {tool.name: subject.tokens(tool) for tool in subject.tools}
    for tool in subject.tools:
        old, new = before.get(tool.name, 0), now[tool.name]
        if old and new > old * factor and new - old > options.tokens:
            yield Diagnostic(
                "budget-regression",
                SEVERITY,
                f"`{tool.name}` costs {new:,} tokens, {old:,} in the last build (+{new / old - 1:.0%})",
                tool.origin,
                tool.related,
                help="shorten what was added, or build and commit toolc.lock to accept it",
                subject=tool.name,
            )
    total, last = sum(now.values()), sum(before.values())
    if total > last * factor:
        added = sum(tokens for name, tokens in now.items() if name not in before)
        yield Diagnostic(
            "budget-regression",
            SEVERITY,
            f"all tools cost {total:,} tokens, {last:,} in the last build (+{total / last - 1:.0%}; "
            f"{added:,} are from new tools)",
            subject.config.origin,
            help="build and commit toolc.lock to accept it",
            cause="total",
        )
