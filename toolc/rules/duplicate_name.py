"""Two tools of one name in the same list.

What it does
    Reports the second tool, and every further one, that has the name of an earlier tool in the same list or bundle.
    Readers report it for one file; this rule also finds it between sources that are linted together.

Why it is bad
    APIs refuse a request with the same tool name twice (Anthropic, OpenAI; November 2026); a runtime that does not
    refuse it calls whichever it met last, so one of the two tools can never be reached.

Example
    tools: [{name: search, description: Search the wiki.}, {name: search, description: Search the chat.}]

Use instead
    tools: [{name: wiki_search, …}, {name: chat_search, …}]

When it is wrong
    Never for tools that are loaded together.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import McpCall, Origin
from toolc.rules import Subject, in_order

STAGE = "catalog"
CATEGORY = "names"
SEVERITY = Severity.error
SILENCES = ("confusable-name", "near-duplicate", "cross-source-duplicate", "duplicate-description")


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding for each tool whose name an earlier one has; each MCP server has a prefix of its own."""
    first: dict[str, Origin] = {}
    for tool in in_order(subject.tools):
        call = tool.operations[0].call
        name = f"{call.server}:{tool.name}" if isinstance(call, McpCall) else tool.name
        if name not in first:
            first[name] = tool.origin
            continue
        yield Diagnostic(
            "duplicate-name",
            SEVERITY,
            f"`{tool.name}` is defined twice",
            tool.place("name"),
            (first[name],),
            help=f"the first stands at {first[name].source}{first[name].pointer}; rename or remove one",
            subject=tool.name,
        )
