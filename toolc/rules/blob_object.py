"""An object parameter that says nothing of its keys.

What it does
    Reports an object without properties or a schema for further keys, where its text does not say either that keys are
    free (a map, metadata, headers …).

Why it is bad
    A model has to invent the keys.

Example
    {"order": {"type": "object", "description": "The order."}}

Use instead
    {"order": {"type": "object", "properties": {"sku": {"type": "string"}, "count": {"type": "integer"}}}}

When it is wrong
    Where keys are free: say so in the description, or with `additionalProperties: {type: string}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject

STAGE = "source"
CATEGORY = "schema"
SEVERITY = Severity.note
SHAPED = frozenset(
    "properties patternProperties $ref allOf anyOf oneOf enum const propertyNames minProperties if examples"
    " default".split()
)
_FREE = re.compile(
    r"\b(?:maps?|mapping|dictionary|dict|pairs?|keyed|keys?|any|arbitrary|free|custom|extra|additional|json|metadata|headers?"
    r"|labels?|tags?|variables?|attributes|annotations|environment|env|fields?|e\.g|example|such as|like|name to|by"
    r" name|schema"
    r"|filters?|properties|options|params|parameters|arguments|args|query string)\b|[`{]",
    re.I,
)
_FREE_NAME = re.compile(
    r"meta|header|label|tag|env|var|attribute|annotation|extra|custom|propert|field|param|arg|option|data|map$"
)


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a property, nested ones included."""
    for operation in subject.operations:
        for path, schema in subject.nodes(operation.input):
            if schema.get("type") != "object" or path[-2:-1] != ("properties",) or schema.keys() & SHAPED:
                continue
            more = schema.get("additionalProperties")
            if (isinstance(more, dict) and more) or more is False or _FREE_NAME.search(str(path[-1]).lower()):
                continue
            if not _FREE.search(str(schema.get("description", ""))):
                yield Diagnostic(
                    "blob-object",
                    SEVERITY,
                    f"`{path[-1]}` of `{operation.name}` is an object that does not say its keys",
                    operation.place("input", *path),
                    help="declare its properties, or say that its keys are free",
                    subject=operation.id,
                )
