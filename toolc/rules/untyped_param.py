"""A parameter without a type.

What it does
    Reports a property whose schema says nothing of what values it takes: no type, enum, const, reference, combinator or
    shape. Silent where its text says that any JSON will do.

Why it is bad
    A model guesses between text, number and object; Gemini and OpenAI's strict mode refuse a property without a type
    (November 2026).

Example
    {"size": {"description": "Edge length in pixels."}}

Use instead
    {"size": {"type": "integer", "description": "Edge length in pixels."}}

When it is wrong
    Where any value is welcome: say "any JSON value" in its description.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject

STAGE = "source"
CATEGORY = "schema"
SEVERITY = Severity.warning
TELLING = frozenset(
    "type enum const $ref $dynamicRef anyOf oneOf allOf not if properties additionalProperties items prefixItems"
    " required"
    " patternProperties minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern"
    " minItems"
    " maxItems uniqueItems format contentEncoding contentMediaType".split()
)
_ANYTHING = re.compile(
    r"\bany\b(?:\W+\w+)?\W+(?:json|value|values|type|types|data|kind|object|structure|shape|format)\b|\bany json\b"
    r"|\bof any\b"
    r"|\barbitrary\b|\bjson (?:value|data|object|document|content|payload|body|schema)\b|\bjson[- ](?:serializable"
    r"|compatible)\b"
    r"|\bfree[- ]?form\b|\b(?:string|text|number|boolean|object|array|list|integer)s?,? (?:or|and/or) (?:an? )?"
    r"(?:string|text|number|boolean|object|array|list|integer|null|json)s?\b|\bvalid json\b|\bas json\b|\bdynamic\b"
    r"|\bdepends on\b|\bvaries\b|\bcan be (?:a |an )?(?:string|number|boolean|object|array)\b|\bwhatever\b"
    r"|\banything\b",
    re.I,
)


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a property, nested ones included."""
    for operation in subject.operations:
        for path, schema in subject.nodes(operation.input):
            if len(path) < 2 or path[-2] != "properties" or schema.keys() & TELLING:
                continue
            if _ANYTHING.search(f"{schema.get('description', '')} {schema.get('title', '')}"):
                continue
            yield Diagnostic(
                "untyped-param",
                SEVERITY,
                f"`{path[-1]}` of `{operation.name}` has no type",
                operation.place("input", *path),
                help='give it a type; if any value will do, say "any JSON value" in its description',
                subject=operation.id,
            )
