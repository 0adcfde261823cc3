"""A description whose beginning says nothing of what the tool does.

What it does
    Reports a description of more than 160 characters that opens with a notice, a heading or a badge (permissions, beta,
    deprecation, "> [!NOTE]", a link) and has none of the words of the tool's name in its first 160 characters.

Why it is bad
    Stubs, search results and some harnesses show only the first 160 characters (Qwen Code; November 2026).

Example
    "**Note:** This endpoint is in public preview and subject to change. OAuth tokens need the repo scope to use it …"

Use instead
    "Lists the alerts of a repository. Public preview."

When it is wrong
    If the name alone is enough to find the tool.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.lexicon import lexicon, words
from toolc.rules import Subject

STAGE = "catalog"
CATEGORY = "descriptions"
SEVERITY = Severity.note
SHOWN = 160
_NOTICE = re.compile(
    r"\W*(?:\[!\w+\]|note\b|notice\b|important\b|warning\b|caution\b|beta\b|deprecated\b|experimental\b|requires?\b|access\b"
    r"|permissions?\b|prerequisites?\b|oauth\b|copyright\b|version\b|this (?:endpoint|tool|api|function) (?:is"
    r"|requires|needs)\b"
    r"|you must\b|before using\b|!?\[[^\]]*\]\()",
    re.I,
)


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool."""
    lex = lexicon()
    for tool in subject.tools:
        text = tool.description
        if len(text) <= SHOWN or not text.isascii() or not _NOTICE.match(text):
            continue
        begin = {lex.singular(word) for word in words(text[:SHOWN])}
        if not begin & {lex.singular(word) for word in words(tool.name) if len(word) > 2}:
            yield Diagnostic(
                "late-meaning",
                SEVERITY,
                f"the first {SHOWN} characters of `{tool.name}`'s description do not say what it does",
                tool.place("description"),
                tool.related,
                help="begin with what it does; put notices at the end",
                subject=tool.name,
            )
