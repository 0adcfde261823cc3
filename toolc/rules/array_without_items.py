"""An array that does not say what it holds.

What it does
    Reports a schema of type array without `items` or `prefixItems`. An error where Gemini or VS Code is a target.

Why it is bad
    Gemini and VS Code refuse the tool, OpenAI the whole request ("array schema missing items"; November 2026).
    Elsewhere a model guesses whether entries are texts, numbers or objects.

Example
    {"values": {"type": "array", "description": "Values to look for."}}

Use instead
    {"values": {"type": "array", "items": {"type": "string"}, "description": "Values to look for."}}

When it is wrong
    Where entries may be anything: say `items: {}` and the reason in words.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject, spoken

STAGE = "source"
CATEGORY = "schema"
SEVERITY = Severity.warning
REFUSING = ("gemini", "vscode", "openai", "openai-chat")


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding an array, nested ones included."""
    refusing = [target for target in REFUSING if target in subject.limits]
    # in a build what is emitted says `items: {}` where a runtime wants it
    level = Severity.error if refusing and subject.plain else SEVERITY
    for operation in subject.operations:
        for path, schema in subject.nodes(operation.input):
            kind = schema.get("type")
            is_array = kind == "array" or (isinstance(kind, list) and "array" in kind)
            if is_array and not schema.keys() & {"items", "prefixItems", "contains", "enum", "const", "$ref", "allOf"}:
                yield Diagnostic(
                    "array-without-items",
                    level,
                    f"{spoken(path, operation.name)} is an array that does not say what it holds"
                    + (f", which {', '.join(refusing)} refuse{'s' if len(refusing) == 1 else ''}" if refusing else ""),
                    operation.place("input", *path),
                    help="add `items` with the type of an entry",
                    subject=operation.id,
                )
