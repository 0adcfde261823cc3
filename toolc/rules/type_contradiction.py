"""A description that claims another type than the schema has.

What it does
    Compares explicit phrases ("an array of …", "must be an integer", "boolean flag") with the type of the parameter,
    and "array of objects" with that of its entries. Silent where the text also names the real type, where text says how
    a string is written inside (comma-separated, JSON, encoded), and for ordinary words: "number of the invoice",
    "index".

Why it is bad
    It is the one fault of a definition with a measured effect on task success: 13 to 29 points on three small models
    (agentgauge's figures, read November 2026). A model follows the prose, and the call is refused.

Example
    labels: {type: string, description: An array of label names to attach.}

Use instead
    labels: {type: array, items: {type: string}, description: Names of the labels to attach.}

When it is wrong
    If the server takes both forms: say so in the schema with anyOf.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.claims import contradicted_entries, contradicted_type, value_types
from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject, spoken

STAGE = "source"
CATEGORY = "descriptions"
SEVERITY = Severity.error
SILENCES = ("undocumented-param",)


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a parameter or nested property, at its schema."""
    for operation in subject.operations:
        defs = operation.input.get("$defs", {})
        for path, schema in subject.nodes(operation.input):
            text = schema.get("description")
            # of items the text often speaks of the list around them
            if not isinstance(text, str) or not path or path[-1] == "items":
                continue
            types = value_types(schema, defs)
            what = spoken(path, operation.name)
            if claim := contradicted_type(text, types):
                said = f"{what} is said to be {_with_article(claim.type)} ({claim.words!r}), but its type is"
            elif types == {"array"} and (claim := contradicted_entries(text, value_types(schema.get("items"), defs))):
                said = f"the entries of {what} are said to be {claim.type}s ({claim.words!r}), but their type is"
                types = value_types(schema["items"], defs)
            else:
                continue
            yield Diagnostic(
                "type-contradiction",
                SEVERITY,
                f"{said} {' or '.join(sorted(types))}",
                operation.place("input", *path),
                help="make the schema say what the text says, or mend the text; models follow the text",
                subject=operation.id,
            )


def _with_article(word: str) -> str:
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"
