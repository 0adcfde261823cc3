"""A tool name with characters that a runtime refuses.

What it does
    Compares every tool name with what the named targets accept; where none is named, with what all API targets take:
    `^[a-zA-Z0-9_-]{1,64}$`. In a build the name that is emitted counts.

Why it is bad
    Anthropic's API answers 400 to the whole request for a name with a dot, so one tool breaks every turn; OpenAI and
    Bedrock take the same characters. MCP alone also allows dots (SEP-986). Seen in the vendors' SDK types and API
    answers, November 2026.

Example
    {"name": "tickets.close", "description": "Close one ticket.", "inputSchema": {"type": "object"}}

Use instead
    {"name": "tickets_close", "description": "Close one ticket.", "inputSchema": {"type": "object"}}

When it is wrong
    If no runtime of yours is among the targets: name those you have under `targets`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import HttpCall, SqlCall
from toolc.rules import Subject

STAGE = "target"
CATEGORY = "names"
SEVERITY = Severity.error
SILENCES = ("name-too-long",)
PORTABLE = r"^[a-zA-Z0-9_-]{1,64}$"
LONG = re.compile(r"[a-zA-Z0-9_-]{65,}")


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool, with all targets that refuse its name; lengths are left to name-too-long.

    In a build a target says so itself of what it leaves out.
    """
    if not subject.plain:
        return
    patterns = {
        target: re.compile(PORTABLE if target == "portable" else limits.name_pattern)
        for target, limits in subject.limits.items()
    }
    for tool in subject.tools:
        refused = [target for target, pattern in patterns.items() if not pattern.fullmatch(tool.name)]
        if not refused or LONG.fullmatch(tool.name) or isinstance(tool.operations[0].call, HttpCall | SqlCall):
            continue  # the names of endpoints and tables are made into tool names by a build
        odd = "".join(dict.fromkeys(re.findall(r"[^a-zA-Z0-9_-]", tool.name)))
        why = f"has {odd!r} in it" if odd else "does not begin with a letter or _"
        who = "most runtimes refuse" if refused == ["portable"] else f"{', '.join(refused)} will not take"
        yield Diagnostic(
            "name-charset",
            SEVERITY,
            f"the name `{tool.name}` {why}, which {who}",
            tool.place("name"),
            tool.related,
            help="use letters, digits, _ and - only: rename it in the source, or give `name` in the source's overrides",
            subject=tool.name,
        )
