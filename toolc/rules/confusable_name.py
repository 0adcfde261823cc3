"""Two names that differ only in case or separators.

What it does
    Reports a tool whose name is that of an earlier tool up to upper and lower case, `_`, `-`, `.` and camelCase.

Why it is bad
    A model that writes `get_user` for `getUser` calls the wrong tool without noticing, and clients that turn `.` and
    `-` into `_` (Claude Code, opencode; November 2026) make one name of the two.

Example
    tools: [{name: get_user, …}, {name: getUser, …}]

Use instead
    tools: [{name: get_user, …}, {name: get_own_account, …}]

When it is wrong
    Hardly ever; if both names are fixed by others, load the two in different groups.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.lexicon import words
from toolc.rules import Seen, Subject, in_order

STAGE = "catalog"
CATEGORY = "names"
SEVERITY = Severity.warning
SILENCES = ("near-duplicate", "cross-source-duplicate")


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding for each tool that looks like an earlier one."""
    first: dict[str, Seen] = {}
    for tool in in_order(subject.tools):
        earlier = first.setdefault("".join(words(tool.name)) or tool.name, tool)
        if earlier.name != tool.name:
            yield Diagnostic(
                "confusable-name",
                SEVERITY,
                f"`{tool.name}` and `{earlier.name}` differ only in case or separators",
                tool.place("name"),
                (*tool.related, earlier.place("name"), *earlier.related),
                help="give one of them a name that says how it differs",
                subject=tool.name,
            )
