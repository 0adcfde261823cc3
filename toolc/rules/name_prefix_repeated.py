"""A name that repeats the prefix the harness puts before it.

What it does
    Reports, once a source, MCP tools whose names begin with the name of their server, where a named target shows them
    as `mcp__server__tool` or `server_tool`.

Why it is bad
    `mcp__asana__asana_tasks_search` says the product twice in every tool, in tokens on every turn and towards the
    limit of 64 characters.

Example
    server `asana`, tools `asana_tasks_search`, `asana_projects_search`, target `mcp`

Use instead
    tools `tasks_search`, `projects_search`

When it is wrong
    Where the same list also goes to an API that adds no prefix: Anthropic's guide asks for service and resource there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import McpCall
from toolc.lexicon import words
from toolc.rules import Seen, Subject

STAGE = "target"
CATEGORY = "names"
SEVERITY = Severity.note
# Targets whose consumers put the server's name before each tool (TARGETS, November 2026).
PREFIXING = frozenset({"mcp", "claude-code", "codex", "gemini-cli", "opencode", "vscode", "pi"})


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a server, if every named target prefixes."""
    targets = set(subject.limits)
    if not targets or not targets <= PREFIXING:
        return
    repeated: dict[str, list[Seen]] = defaultdict(list)
    for tool in subject.tools:
        call = tool.operations[0].call
        if isinstance(call, McpCall):
            prefix, name = words(call.server), words(tool.name)
            if prefix and name[: len(prefix)] == prefix and len(name) > len(prefix):
                repeated[call.server].append(tool)
    for server, tools in repeated.items():
        yield Diagnostic(
            "name-prefix-repeated",
            SEVERITY,
            f"{len(tools)} tool names begin with `{server}`, which {', '.join(sorted(targets))} puts before them"
            f" anyway",
            tools[0].place("name"),
            tuple(tool.place("name") for tool in tools[1:]),
            help=f"leave it out: `{tools[0].name}` is shown as `mcp__{server}__{tools[0].name}`",
            count=len(tools),
            cause=server,
        )
