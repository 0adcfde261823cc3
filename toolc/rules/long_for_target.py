"""A description that a target cuts or refuses.

What it does
    Measures descriptions against the length that each named target takes: 1,024 characters for OpenAI, 2,048 for Claude
    Code. In a build the target itself says which description it cut, and where.

Why it is bad
    OpenAI's chat completions refused longer ones in 2024 and 2025; Claude Code cuts at 2,048 to 4,096 characters
    where a tool is not deferred (2.1, November 2026). What is cut is lost without a word.

Example
    A description of 3,000 characters whose last line says that the call cannot be undone

Use instead
    That line first, and the rest in `details`

When it is wrong
    If the end of the text does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject

STAGE = "target"
CATEGORY = "targets"
SEVERITY = Severity.warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool, with the targets that are too narrow for it."""
    if not subject.plain:
        return
    caps = {
        target: limits.description_length
        for target, limits in subject.limits.items()
        if target != "portable" and limits.description_length
    }
    for tool in subject.tools:
        narrow = [target for target, most in caps.items() if len(tool.description) > most]
        if narrow:
            yield Diagnostic(
                "long-for-target",
                SEVERITY,
                f"the description of `{tool.name}` has {len(tool.description):,} characters, "
                + ", ".join(f"{target} takes {caps[target]:,}" for target in narrow),
                tool.place("description"),
                tool.related,
                help="put what matters first, and shorten the rest",
                subject=tool.name,
            )
