"""A tool name that is too long once a harness has put its prefix before it.

What it does
    Measures each name as the model's API will see it: alone for API targets, and as `mcp__server__tool` for the tools
    of an MCP server, where `server` is the name of the source. More than 64 characters are reported.

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

from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import HttpCall, McpCall, SqlCall
from toolc.rules import Subject

STAGE = "target"
CATEGORY = "names"
SEVERITY = Severity.error
MOST = 64


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool: its name alone, else its name with the prefix of its server."""
    for tool in subject.tools:
        call = tool.operations[0].call
        if subject.plain and isinstance(call, HttpCall | SqlCall):
            continue  # a build makes shorter names of endpoints and tables
        prefix = f"mcp__{call.server}__" if isinstance(call, McpCall) else ""
        if len(tool.name) > MOST:
            said, length = f"the name `{tool.name}`", len(tool.name)
        elif prefix and len(prefix) + len(tool.name) > MOST:
            said, length = f"the name `{tool.name}` becomes `{prefix}{tool.name}` in a harness, which", 0
            length = len(prefix) + len(tool.name)
        else:
            continue
        yield Diagnostic(
            "name-too-long",
            SEVERITY,
            f"{said} has {length} characters; APIs take {MOST}",
            tool.place("name"),
            tool.related,
            help=f"shorten the tool's name{' or the server’s' if prefix else ''} by {length - MOST} characters",
            subject=tool.name,
        )
