"""An input that the server sets itself.

What it does
    Reports properties marked `readOnly: true` in an input schema. The OpenAPI reader takes them out of request bodies,
    so there only lists of tools have them.

Why it is bad
    "readOnly" means that the value comes back and is never sent: servers ignore or refuse it, and the model spends
    tokens on making it up.

Example
    {"id": {"type": "integer", "readOnly": true}, "title": {"type": "string"}}

Use instead
    {"title": {"type": "string"}}

When it is wrong
    If the mark was meant for people who fill in a form; take the mark away then.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject

STAGE = "source"
CATEGORY = "schema"
SEVERITY = Severity.warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a property."""
    for operation in subject.operations:
        for path, schema in subject.nodes(operation.input):
            if path and path[-1] != "items" and schema.get("readOnly") is True and path[-2:-1] == ("properties",):
                yield Diagnostic(
                    "read-only-input",
                    SEVERITY,
                    f"`{path[-1]}` is read-only, but an input of `{operation.name}`",
                    operation.place("input", *path),
                    help="leave it out of the input, or take the mark away",
                    subject=operation.id,
                )
