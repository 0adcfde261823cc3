"""A tool with the name of one that the runtime brings itself.

What it does
    Reports a tool named like a built-in tool of a target that is named in the config, where that target puts no prefix
    before it. Without named targets: like a server tool of the APIs (`web_search`, `tool_search` …).

Why it is bad
    The runtime refuses the second definition, or one of the two hides the other: the model then calls yours for its own
    file tool, or the other way round. Names read off the harnesses and SDK types in November 2026 (Pi 1.6: read, bash,
    edit, write; Anthropic: web_search, web_fetch, code_execution, tool_search_tool_regex; OpenAI: tool_search,
    web_search, code_interpreter …).

Example
    targets: {pi: {}}, and a tool named `read` that reads a sensor

Use instead
    a tool named `read_sensor`

When it is wrong
    If you mean to replace the built-in tool: allow it by selector.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import McpCall
from toolc.rules import Subject

STAGE = "target"
CATEGORY = "names"
SEVERITY = Severity.warning

_ANTHROPIC = frozenset(
    "web_search web_fetch code_execution bash_code_execution text_editor_code_execution str_replace_based_edit_tool"
    " str_replace_editor memory computer tool_search_tool_regex tool_search_tool_bm25 tool_search".split()
)
_OPENAI = frozenset(
    "web_search web_search_preview file_search code_interpreter image_generation computer_use_preview local_shell"
    " apply_patch tool_search multi_tool_use python".split()
)
BUILTINS = {
    "anthropic": _ANTHROPIC,
    "openai": _OPENAI,
    "openai-chat": _OPENAI,
    "gemini": frozenset({"google_search", "code_execution", "url_context", "google_maps", "file_search"}),
    "pi": frozenset({"read", "bash", "edit", "write", "grep", "find", "ls", "tool_search"}),
    "portable": frozenset(
        {"web_search", "web_fetch", "tool_search", "code_execution", "code_interpreter", "local_shell"}
    ),
}


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool, with the targets that have a tool of this name; MCP tools come with a prefix."""
    for tool in subject.tools:
        operation = tool.operations[0]
        if isinstance(operation.call, McpCall) or "type" in operation.extra:
            continue  # prefixed by the harness, or the vendor's own tool declared by its type
        own = [
            target
            for target in subject.limits
            if tool.name in BUILTINS.get(target, ()) and tool.name not in subject.config.runtime_has
        ]
        if own and (own != ["portable"] or len(subject.tools) > 1):
            yield Diagnostic(
                "shadowed-builtin",
                SEVERITY,
                f"`{tool.name}` is also the name of a built-in tool of "
                + ("the model APIs" if own == ["portable"] else ", ".join(own)),
                tool.place("name"),
                tool.related,
                help="name it after what it works on, with `name` in the source's overrides if you cannot edit it",
                subject=tool.name,
            )
