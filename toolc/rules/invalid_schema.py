"""A schema that no runtime can use as it stands.

What it does
    Reports a tool whose emitted input schema is no valid JSON Schema (draft 2020-12), or whose root is no plain object:
    `type` other than `object`, or a `$ref`, `anyOf`, `oneOf` or `allOf` at the root. Source readers report under the
    same name what they could not read as a schema, and leave that operation out.

Why it is bad
    Anthropic answers 400 to the whole request for a root oneOf, allOf or anyOf, so one tool breaks every turn; MCP
    wants `type: object` (both seen November 2026). An invalid schema is refused by every validating runtime.

Example
    {"name": "set", "input_schema": {"type": "object", "properties": {"size": {"type": "int"}}}}

Use instead
    {"name": "set", "input_schema": {"type": "object", "properties": {"size": {"type": "integer"}}}}

When it is wrong
    For a root combinator, if all your runtimes take it; allow it by selector.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import Schema
from toolc.rules import Subject
from toolc.schema.validator import invalid_because

STAGE = "catalog"
CATEGORY = "schema"
SEVERITY = Severity.error
COMBINATORS = ("anyOf", "oneOf", "allOf", "$ref")


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool: the first thing that is wrong with its schema."""
    for tool in subject.tools:
        if reason := _fault(tool.schema):
            yield Diagnostic(
                "invalid-schema",
                SEVERITY,
                f"the input schema of `{tool.name}` {reason}",
                tool.origin,
                tool.related,
                help="mend the schema in the source",
                subject=tool.name,
            )


def _fault(schema: Schema) -> str:
    if reason := invalid_because(schema):
        return f"is no valid JSON Schema: {reason}"
    if schema.get("type") != "object":
        return "has a root that is no object"
    found = [keyword for keyword in COMBINATORS if keyword in schema]
    return f"has {', '.join(found)} at its root" if found else ""
