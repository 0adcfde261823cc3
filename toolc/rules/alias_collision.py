"""A name that worked before is now the name of another tool.

What it does
    Compares names with what they meant: the names that operations had before they were merged, and the tools of the
    last build by `toolc.lock`. Reports a tool whose name belonged to operations that it does not have now, while
    another tool has them.

Why it is bad
    A saved prompt, an allow-list or a recorded call with that name runs another operation than the one it was written
    for, without an error.

Example
    overrides: {find_messages: {name: search}}, where `search` found pages in the last build

Use instead
    overrides: {find_messages: {name: message_search}}

When it is wrong
    When nobody used the old name yet: build afresh with `--repin`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject

STAGE = "catalog"
CATEGORY = "names"
SEVERITY = Severity.error


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding for each tool that took over a name."""
    holders = {operation.id: tool for tool in subject.tools for operation in tool.operations}
    before: dict[str, set[str]] = defaultdict(set)
    for tool in subject.tools:
        for operation in tool.operations:
            # one that kept its name counts too: a name that two sources had meant neither alone
            if len(tool.operations) > 1 or operation.name == tool.name:
                before[operation.name].add(operation.id)
    before |= {name: set(pin.actions.values()) for name, pin in subject.lock.tools.items()}
    for tool in subject.tools:
        meant = before.get(tool.name, set()) & holders.keys()
        if not meant or meant & {operation.id for operation in tool.operations}:
            continue
        other = holders[min(meant)]
        yield Diagnostic(
            "alias-collision",
            SEVERITY,
            f"`{tool.name}` meant {', '.join(sorted(meant))} before, which `{other.name}` has now",
            tool.place("name"),
            (*tool.related, *other.origins),
            help="give the tool another name with `name` in the source's overrides",
            subject=tool.name,
        )
