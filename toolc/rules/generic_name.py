"""A name of one word that could mean anything.

What it does
    Reports a tool whose whole name is a word such as `get`, `run`, `process`, `data` or `helper`, and names the source
    as what is missing. Words that agents know as tools (bash, read, write, edit, grep, ls, think …) are no finding, and
    neither is a tool that a harness shows under its server's name.

Why it is bad
    Beside the tools of other sources nothing tells what `get` gets; Anthropic's guide for tool writers asks for names
    with service and resource (read November 2026).

Example
    {"name": "process", "description": "Send an invoice to the accounting system."}

Use instead
    {"name": "invoice_submit", "description": "Send an invoice to the accounting system."}

When it is wrong
    In a list that stands alone and in which the word is the only thing an agent can do.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import McpCall
from toolc.rules import Subject

STAGE = "catalog"
CATEGORY = "names"
SEVERITY = Severity.note
VAGUE = frozenset(
    "get set put post do process handle manage helper util utility data info tool function func action main test misc"
    " default generic call invoke perform operate operation handler item object value thing stuff api request".split()
)


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool, where no server name comes before it."""
    for tool in subject.tools:
        if tool.name.lower() in VAGUE and not isinstance(tool.operations[0].call, McpCall):
            yield Diagnostic(
                "generic-name",
                SEVERITY,
                f"the name `{tool.name}` does not say what it works on",
                tool.place("name"),
                tool.related,
                help="name the thing too: `invoice_submit` rather than `process`",
                subject=tool.name,
            )
