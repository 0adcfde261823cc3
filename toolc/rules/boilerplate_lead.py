"""A description that begins with words that every tool could begin with.

What it does
    Reports a lead such as "This tool allows you to", "This endpoint is used to" or "Use this tool to", and drops it
    with `--fix`, so that the text begins with the verb.

Why it is bad
    The first words are all that stubs, search results and some harnesses show (Qwen Code: 160 characters; November
    2026), and the phrase is paid for in every tool.

Example
    "This tool allows you to search for files by name."

Use instead
    "Search for files by name."

When it is wrong
    Never; what follows says the same alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Fix, Severity
from toolc.rules import Subject, text_edits

STAGE = "catalog"
CATEGORY = "descriptions"
SEVERITY = Severity.note
_LEAD = re.compile(
    r"\s*(?:(?:this|the)\s+(?:mcp\s+|api\s+)?(?:tool|function|endpoint|api|method|command|operation|action|call|resource)\s+"
    r"(?:(?:allows|lets|enables|permits|helps)(?:\s+(?:you|users?|the\s+user|callers?|clients?|agents?|the\s+model))?"
    r"(?:\s+to)?|(?:can\s+be|is|may\s+be)\s+used\s+to|provides?\s+(?:the\s+ability|a\s+way|functionality)\s+to"
    r"|will\s+(?:allow\s+you\s+to|let\s+you))"
    r"|use\s+this\s+(?:tool|function|endpoint|api|method|command|operation)\s+to"
    r"|(?:a|an)\s+(?:tool|function)\s+(?:that\s+(?:allows|lets)\s+you(?:\s+to)?|used\s+to|to))\s+(?=[a-z]+\b(?!ing\b))",
    re.I,
)
_GERUND = re.compile(r"[a-z]+ing\b", re.I)


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool, with the fix."""
    for tool in subject.tools:
        match = _LEAD.match(tool.description)
        if match is None or _GERUND.match(tool.description, match.end()):
            continue
        rest = tool.description[match.end() :]
        edits = text_edits(tool, ("description",), tool.description, rest[0].upper() + rest[1:])
        yield Diagnostic(
            "boilerplate-lead",
            SEVERITY,
            f"the description of `{tool.name}` begins with {' '.join(match[0].split())!r}",
            tool.place("description"),
            tool.related,
            help="begin with the verb",
            subject=tool.name,
            fix=Fix("begin with the verb", edits) if edits else None,
        )
