"""A description that only says the name again.

What it does
    Compares the words of description and name without case, plural, the -s of verbs, and articles; reports a tool whose
    description has no other word. Silent for a tool without parameters that is described in four words or more.

Why it is bad
    It costs tokens and tells a model nothing that the name did not: not which invoice, not what changes, not what comes
    back. Descriptions are what models choose tools by.

Example
    {"name": "update_invoice", "description": "Update invoice."}

Use instead
    {"name": "update_invoice", "description": "Change due date or address of an invoice that was not sent yet."}

When it is wrong
    Where name and parameters really say all there is; then allow it with that reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import HttpCall
from toolc.lexicon import lexicon, words
from toolc.rules import Subject

STAGE = "catalog"
CATEGORY = "descriptions"
SEVERITY = Severity.warning
SILENCES = ("thin-description", "boilerplate-lead", "late-meaning")
ARTICLES = frozenset("a an the this tool function".split())


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool; an endpoint's name is made from its summary as often as not, so those are left out."""
    lex = lexicon()
    for tool in subject.tools:
        text = tool.description
        if not text.strip() or len(text) > 120 or not text.isascii():
            continue
        if len(tool.operations) > 1 or isinstance(tool.operations[0].call, HttpCall):
            continue
        said = [lex.singular(word) for word in words(text) if word not in ARTICLES]
        if not said or (not tool.schema.get("properties") and len(text.split()) >= 4):
            continue
        known = {lex.singular(word) for word in words(tool.name)}
        if set(said) <= known:
            yield Diagnostic(
                "name-as-description",
                SEVERITY,
                f"the description of `{tool.name}` only says its name again: {' '.join(text.split())!r}",
                tool.place("description"),
                tool.related,
                help="say what it works on, what changes, and what comes back",
                subject=tool.name,
            )
