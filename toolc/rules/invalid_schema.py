"""A schema that no runtime can use as it stands.

What it does
    Reports a tool whose emitted input schema is no valid JSON Schema (draft 2020-12). Source readers report under the
    same name what they could not read as a schema, and leave that operation out.

Why it is bad
    An invalid schema is refused by every validating runtime, Anthropic with an error 400 for the whole request
    (November 2026), and a model guesses what was meant.

Example
    {"name": "set", "input_schema": {"type": "object", "properties": {"size": {"type": "int"}}}}

Use instead
    {"name": "set", "input_schema": {"type": "object", "properties": {"size": {"type": "integer"}}}}

When it is wrong
    Never.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject
from toolc.schema.validator import invalid_because

STAGE = "catalog"
CATEGORY = "schema"
SEVERITY = Severity.error


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool: the first thing that is wrong with its schema; of plain files the reader has said it."""
    for tool in () if subject.plain else subject.tools:
        if reason := invalid_because(tool.schema):
            yield Diagnostic(
                "invalid-schema",
                SEVERITY,
                f"the input schema of `{tool.name}` is no valid JSON Schema: {reason}",
                tool.origin,
                tool.related,
                help="mend the schema in the source",
                subject=tool.name,
            )
