"""Two tools with the same description.

What it does
    Reports tools whose descriptions are identical up to case, space and punctuation, once for each text.

Why it is bad
    By what it reads, a model cannot tell them apart, and tool search ranks them alike.

Example
    {"name": "ticket_close", "description": "Handle a ticket."}, {"name": "ticket_open", "description": "Handle a
    ticket."}

Use instead
    "Close a ticket and record the closing note.", "Open a ticket for a customer."

When it is wrong
    For a deprecated twin that is about to go; leave it out with `!deprecated`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.lexicon import words
from toolc.rules import Seen, Subject, in_order

STAGE = "catalog"
CATEGORY = "descriptions"
SEVERITY = Severity.warning
SILENCES = ("near-duplicate", "cross-source-duplicate")


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding for each text that several tools have, at the second of them."""
    groups: dict[tuple[str, ...], list[Seen]] = defaultdict(list)
    for tool in in_order(subject.tools):
        if key := words(tool.description):
            groups[key].append(tool)
    for tools in groups.values():
        if len(tools) > 1:
            second = tools[1]
            more = f" and {len(tools) - 2} more" if len(tools) > 2 else ""
            yield Diagnostic(
                "duplicate-description",
                SEVERITY,
                f"`{second.name}` has the same description as `{tools[0].name}`{more}: {_shown(second.description)!r}",
                second.place("description"),
                tuple(tool.place("description") for tool in tools if tool is not second),
                help="say in each what it does and the other does not",
                subject=second.name,
                count=len(tools),
            )


def _shown(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= 60 else f"{plain[:59].rstrip()}…"
