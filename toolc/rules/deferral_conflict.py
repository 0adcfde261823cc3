"""Tools deferred in a way that the API refuses.

What it does
    Reports a list in which every tool is deferred, and a tool that is both deferred and a cache breakpoint.

Why it is bad
    Anthropic answers 400 to the whole request in both cases: at least one tool must be loaded, and `cache_control`
    has no meaning on a tool that is not there (API answers, November 2026).

Example
    tools: [{name: a, defer_loading: true}, {name: b, defer_loading: true, cache_control: {type: ephemeral}}]

Use instead
    tools: [{type: tool_search_tool_regex_20251119, name: tool_search_tool_regex}, {name: a, defer_loading: true}, …]

When it is wrong
    If the list is only a part of what is sent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Seen, Subject, list_place

STAGE = "target"
CATEGORY = "targets"
SEVERITY = Severity.error


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool, and one a file for the first case; a build adds the search tool itself."""
    if not subject.plain:
        return
    files: dict[str, list[Seen]] = defaultdict(list)
    for tool in subject.tools:
        files[tool.origin.source].append(tool)
        if tool.tier == "deferred" and tool.operations[0].extra.get("cache_control"):
            yield Diagnostic(
                "deferral-conflict",
                SEVERITY,
                f"`{tool.name}` is deferred and a cache breakpoint",
                tool.origin.at("cache_control"),
                help="put `cache_control` on the last tool that is not deferred",
                subject=tool.name,
            )
    searched = {source.name for source in subject.catalog.sources if source.builtin}
    for tools in files.values():
        if tools[0].operations[0].source in searched:
            continue
        if all(tool.tier == "deferred" and "defer_loading" in tool.operations[0].extra for tool in tools):
            yield Diagnostic(
                "deferral-conflict",
                SEVERITY,
                f"all {len(tools)} tools of the list are deferred, so there is none to find them with",
                list_place(tools),
                help="load at least one, such as the API's tool search",
            )
