"""A tool name that is too long once a harness has put its prefix before it.

What it does
    Measures each name as the model's API will see it: alone for API targets, and as `mcp__server__tool` for the tools
    of an MCP server, where `server` is the name of the source. A saved list alone does not say how its server will be
    called; there the name counts with the shortest. More than 64 characters are reported.

Why it is bad
    APIs take 64 characters (Anthropic documents 64, OpenAI and Bedrock refuse more; November 2026). Claude Code, Codex,
    Qwen Code and Pi send `mcp__server__tool`; one long name can make the API refuse the request and break a whole
    session, and other clients cut names silently at 63 or 64, so that two tools can become one.

Example
    server `customer-relationship-production`, tool `list_archived_opportunities_with_related_contacts`

Use instead
    server `crm`, tool `list_archived_opportunities`

When it is wrong
    If no harness ever prefixes your names and no API limit applies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from toolc.config import source_name
from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import HttpCall, McpCall, Operation, SqlCall
from toolc.rules import Subject

STAGE = "target"
CATEGORY = "names"
SEVERITY = Severity.error
MOST = 64
SHORTEST = "mcp__s__"


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool: its name alone, else its name with the prefix of its server."""
    for tool in subject.tools:
        operation = tool.operations[0]
        if subject.plain and isinstance(operation.call, HttpCall | SqlCall):
            continue  # a build makes shorter names of endpoints and tables
        prefix, length = "", len(tool.name)
        if length <= MOST and isinstance(operation.call, McpCall):
            prefix = SHORTEST if subject.plain and _is_of_file(operation) else f"mcp__{operation.call.server}__"
            length += len(prefix)
        if length <= MOST:
            continue
        if not prefix:
            said = f"has {length} characters; APIs take {MOST}"
        elif prefix == SHORTEST:
            said = f"leaves no room for `mcp__server__`, which harnesses put before it; APIs take {MOST} characters"
        else:
            said = f"becomes `{prefix}{tool.name}` in a harness, which has {length} characters; APIs take {MOST}"
        yield Diagnostic(
            "name-too-long",
            SEVERITY,
            f"the name `{tool.name}` {said}",
            tool.place("name"),
            tool.related,
            help=f"shorten the tool's name{' or the server’s' if prefix else ''} by {length - MOST} characters",
            subject=tool.name,
        )


def _is_of_file(operation: Operation) -> bool:
    """Whether the name of the source is that of its file, which nobody gave to a server."""
    name = source_name(Path(operation.origin.source), ())
    return re.fullmatch(rf"{re.escape(name)}(_\d+)?", operation.source) is not None
