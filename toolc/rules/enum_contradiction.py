"""A description that lists values which the schema refuses.

What it does
    Reads the closed lists that a text announces ("one of 'low', 'normal' or 'urgent'", "allowed values: a, b") and
    reports those with a value that is not in the enum. Names of other parameters or of tools are no values, and case
    does not count.

Why it is bad
    A model takes its values from the prose, and the call is refused. Contradictions between text and schema cost 13
    to 29 points of task success on three small models (agentgauge's figures, read November 2026).

Example
    priority: {enum: [low, medium, high], description: "One of 'low', 'normal' or 'urgent'."}

Use instead
    priority: {enum: [low, medium, high], description: How urgent the card is.}

When it is wrong
    If the list names labels that people see and the enum has their codes; then say which code means which.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.claims import allowed_values, listed_values, value_types
from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject, spoken
from toolc.tokens import compact

STAGE = "source"
CATEGORY = "descriptions"
SEVERITY = Severity.error


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a parameter or nested property, at its schema."""
    tools = {operation.name.lower() for operation in subject.operations}
    for operation in subject.operations:
        defs = operation.input.get("$defs", {})
        nodes = list(subject.nodes(operation.input))
        names = {str(key).lower() for _, schema in nodes for key in schema.get("properties", ()) or ()}
        for path, schema in nodes:
            text = schema.get("description")
            if not isinstance(text, str) or not path:
                continue
            values = allowed_values(schema, defs)
            if not values:
                continue
            known = {str(value).lower() for value in values} | {compact(value).strip('"').lower() for value in values}
            if "null" in value_types(schema, defs):
                known |= {"null", "none"}
            for claim in listed_values(text):
                items = [item.lower() for item in claim.items]
                strange = [item for item, low in zip(claim.items, items, strict=True) if low not in known]
                if not strange or any(item in names or item in tools for item in items):
                    continue
                if len(strange) == len(items) and not (claim.quoted and len(items) > 1):
                    continue  # plain words that share nothing with the enum may describe it
                yield Diagnostic(
                    "enum-contradiction",
                    SEVERITY,
                    f"the text of {spoken(path, operation.name)} offers {', '.join(map(repr, strange))}, "
                    f"which its enum refuses ({', '.join(map(str, values[:8]))}{', …' if len(values) > 8 else ''})",
                    operation.place("input", *path),
                    help="list the same values in both, or leave the list out of the text: the enum is shown anyway",
                    subject=operation.id,
                )
                break
