"""An input that takes keys it does not declare.

What it does
    Reports a tool whose input schema does not say `additionalProperties: false`. Off by default.

Why it is bad
    A misspelt argument passes silently. But JSON Schema leaves objects open unless told, nearly all public tools do,
    and dispatch of a bundle refuses unknown keys of merged tools anyway.

Example
    {"type": "object", "properties": {"city": {"type": "string"}}}

Use instead
    {"type": "object", "properties": {"city": {"type": "string"}}, "additionalProperties": false}

When it is wrong
    For tools that take free keys.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject

STAGE = "source"
CATEGORY = "schema"
SEVERITY = Severity.note
PRESETS = ()


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding an operation with parameters."""
    for operation in subject.operations:
        schema = operation.input
        if schema.get("properties") and "additionalProperties" not in schema and "unevaluatedProperties" not in schema:
            yield Diagnostic(
                "open-object",
                SEVERITY,
                f"`{operation.name}` takes keys that it does not declare",
                operation.place("input"),
                help="add `additionalProperties: false`",
                subject=operation.id,
            )
