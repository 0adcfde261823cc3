"""A description that states another default than the schema.

What it does
    Compares a default given in words as a number, true, false or in quotes ("defaults to 10") with `default`. Silent
    for conditions ("defaults to 10 if …"), several defaults, and a default of null.

Why it is bad
    A model leaves the parameter out because of one of the two, and gets the other.

Example
    limit: {type: integer, default: 25, description: Rows to return. Defaults to 10.}

Use instead
    limit: {type: integer, default: 25, description: Rows to return.}

When it is wrong
    If client and server each have a default of their own; say which is which.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.claims import allowed_values, claimed_default, says
from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject, spoken

STAGE = "source"
CATEGORY = "descriptions"
SEVERITY = Severity.warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a parameter or nested property, at its schema."""
    for operation in subject.operations:
        defs = operation.input.get("$defs", {})
        for path, schema in subject.nodes(operation.input):
            text, value = schema.get("description"), schema.get("default")
            if not isinstance(text, str) or value is None or not path:
                continue
            choices = frozenset(str(choice).lower() for choice in allowed_values(schema, defs) or ())
            claim = claimed_default(text, choices)
            if claim is not None and not says(claim, value):
                yield Diagnostic(
                    "default-contradiction",
                    SEVERITY,
                    f"the text of {spoken(path, operation.name)} says the default is {claim}, the schema says"
                    f" {value!r}",
                    operation.place("input", *path),
                    help="leave the default out of the text: the schema shows it",
                    subject=operation.id,
                )
