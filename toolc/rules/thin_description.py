"""A description too short to choose by.

What it does
    Reports a description of fewer than four words where the tool has two parameters or more, or a sibling with the same
    words in its name. A short text that is complete is no finding.

Why it is bad
    A model chooses by the description; two words that several tools could have leave it to guess. But length is no
    virtue: longer texts cost steps and made 17 % of cases worse (arXiv 2602.14878), so there is no minimum for all.

Example
    {"name": "transfer", "description": "Transfers it.", "inputSchema": {"properties": {"from": …, "to": …}}}

Use instead
    {"name": "transfer", "description": "Move money between two of the user's accounts."}

When it is wrong
    Where parameters and name say the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import HttpCall
from toolc.lexicon import lexicon, words
from toolc.rules import Subject

STAGE = "catalog"
CATEGORY = "descriptions"
SEVERITY = Severity.note
FEWEST = 4


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool."""
    lex = lexicon()
    same = Counter(frozenset(map(lex.singular, words(tool.name))) for tool in subject.tools)
    for tool in subject.tools:
        count = len(tool.description.split())
        if isinstance(tool.operations[0].call, HttpCall):
            continue  # method and path say the rest
        if not 0 < count < FEWEST or not tool.description.isascii():
            continue
        siblings = same[frozenset(map(lex.singular, words(tool.name)))] > 1
        if siblings or len(tool.schema.get("properties") or ()) >= 2:
            yield Diagnostic(
                "thin-description",
                SEVERITY,
                f"`{tool.name}` is described in {count} word{'s' * (count > 1)}",
                tool.place("description"),
                tool.related,
                help="say what it works on and what comes back",
                subject=tool.name,
            )
