"""`anyOf`, `oneOf` or `allOf` at the root of an input schema.

What it does
    Reports combinators at the root of what is sent to a target that refuses them; without named targets for all, since
    no API takes them reliably. A build turns them into words and checks them at the call, so nothing is found there.

Why it is bad
    Anthropic answers 400 to the whole request, Claude Code drops the tool without a word, OpenAI refuses it (API
    answers and clients, November 2026). The schema is valid JSON Schema, so no validator warns.

Example
    {"type": "object", "properties": {…}, "anyOf": [{"required": ["title"]}, {"required": ["owner"]}]}

Use instead
    {"type": "object", "properties": {…}} with "Give at least one of title and owner." in the description

When it is wrong
    If every runtime of yours takes it: name them under `targets`.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import HttpCall, SqlCall
from toolc.rules import Subject
from toolc.schema.dialects import DIALECTS

STAGE = "target"
CATEGORY = "targets"
SEVERITY = Severity.error
SILENCES = ("unsupported-keyword", "lossy-lowering", "invalid-schema", "root-not-object")
COMBINATORS = ("anyOf", "oneOf", "allOf", "$ref")


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool and keyword, with all targets that refuse it."""
    refusing: dict[tuple[str, str], list[str]] = {}
    for target, tools in subject.sent.items():
        refused = DIALECTS[subject.limits[target].dialect].root
        for tool in tools:
            if subject.plain and isinstance(tool.operations[0].call, HttpCall | SqlCall):
                continue  # no list that is sent as it stands
            for keyword in COMBINATORS:
                if keyword in tool.schema and keyword in refused:
                    refusing.setdefault((tool.name, keyword), []).append(target)
    by_name = {tool.name: tool for tool in subject.tools}
    for (name, keyword), targets in refusing.items():
        tool = by_name[name]
        who = "model APIs refuse" if targets == ["portable"] else f"{', '.join(targets)} will not take"
        yield Diagnostic(
            "root-combinator",
            SEVERITY,
            f"`{name}` has `{keyword}` at the root of its schema, which {who}",
            tool.place("input", keyword),
            tool.related,
            help="declare all properties flat and say the rule in words; `toolc build` does both",
            subject=name,
        )
