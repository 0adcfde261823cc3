"""A parameter of an action tool that does not say its actions.

What it does
    For tools with a selector (`action`, `operation` …): reports a tool most of whose optional parameters name no
    action, neither in their own text nor in that of the tool or selector. Tools that toolc merged say it by
    construction, and a schema with branches says it itself.

Why it is bad
    A flat schema cannot say "required for update", and no harness passes conditional keywords on (November 2026): the
    model has to guess which parameters go together.

Example
    card(action: create|move|archive, card_id: "Card id.", title: "Title.", column: "Column name.")

Use instead
    card_id: "Card id. Required: move, archive."; title: "Title. Required: create."; column: "Column name. Required:
    move."

When it is wrong
    If all parameters go with every action; say "for all actions" once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject
from toolc.selectors import selector, ungated

STAGE = "catalog"
CATEGORY = "schema"
SEVERITY = Severity.warning
SILENCES = ("undocumented-param",)
_ALL = re.compile(
    r"\b(?:all|every|any|each|both) (?:of the )?(?:actions?|operations?|commands?|modes?|methods?)\b", re.I
)


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool, at its schema."""
    for tool in subject.tools:
        if len(tool.operations) > 1 or (chosen := selector(tool.schema)) is None:
            continue
        optional = [
            name
            for name in tool.schema["properties"]
            if name != chosen.name and name not in tool.schema.get("required", ())
        ]
        open_ones = ungated(tool.schema, chosen, tool.description)
        if len(open_ones) < 2 or len(open_ones) * 2 <= len(optional) or _ALL.search(tool.description):
            continue
        shown = ", ".join(f"`{name}`" for name in open_ones[:3]) + (", …" if len(open_ones) > 3 else "")
        yield Diagnostic(
            "ungated-action-param",
            SEVERITY,
            f"`{tool.name}` does not say with which `{chosen.name}` {shown} go",
            tool.place("input"),
            tool.related,
            help='end each text with its actions: "Required: update, delete. Also: create."',
            subject=tool.name,
            count=len(open_ones),
        )
