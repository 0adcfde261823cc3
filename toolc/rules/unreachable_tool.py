"""A tool that no profile and no tier gives to anyone.

What it does
    Where profiles are declared, reports tools that none of them selects and that are not loaded always.

Why it is bad
    It is built, checked and paid for in reviews, and no agent can call it.

Example
    profiles: {reviewer: {select: ["github:*"]}}, and a source `shop` that no profile names

Use instead
    a profile that selects it, or no source

When it is wrong
    If agents also use the bundle without a profile.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject
from toolc.select import select

STAGE = "catalog"
CATEGORY = "redundancy"
SEVERITY = Severity.note
PRESETS = ("strict",)


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool."""
    profiles = subject.config.profiles
    if not profiles:
        return
    operations = list(subject.operations)
    reached: set[str] = set()
    for profile in profiles.values():
        for chosen in (profile.select, profile.allow):
            if chosen.entries:
                reached |= set(select(operations, chosen.entries).ids)
            elif chosen is profile.select and not profile.extends:
                return  # a profile that names nothing has everything
    for tool in subject.tools:
        if tool.tier != "always" and not any(operation.id in reached for operation in tool.operations):
            yield Diagnostic(
                "unreachable-tool",
                SEVERITY,
                f"no profile gives `{tool.name}` to anyone",
                tool.origin,
                tool.related,
                help="select it in a profile, or leave the operation out",
                subject=tool.name,
            )
