"""A `$ref` that leads nowhere.

What it does
    Reports a reference whose definition is not in the schema that is given to the model. Readers report under the same
    name what they cannot resolve in a source, and leave that operation out.

Why it is bad
    A validating runtime refuses the tool; others show a parameter without a type. Other files and URLs are never read
    by a model's API.

Example
    {"type": "object", "properties": {"size": {"$ref": "#/$defs/Size"}}}

Use instead
    {"type": "object", "properties": {"size": {"$ref": "#/$defs/Size"}}, "$defs": {"Size": {"type": "integer"}}}

When it is wrong
    Never.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import Schema, unescape
from toolc.rules import Subject

STAGE = "catalog"
CATEGORY = "schema"
SEVERITY = Severity.error


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a reference; in plain files the reader has looked already."""
    for tool in () if subject.plain else subject.tools:
        for path, schema in subject.nodes(tool.schema):
            reference = schema.get("$ref")
            if isinstance(reference, str) and not _leads_somewhere(reference, tool.schema):
                yield Diagnostic(
                    "unresolved-ref",
                    SEVERITY,
                    f"`$ref: {reference}` in `{tool.name}` leads nowhere",
                    tool.place("input", *path, "$ref"),
                    tool.related,
                    help="put the definition under `$defs` of the same schema",
                    subject=tool.name,
                )


def _leads_somewhere(reference: str, root: Schema) -> bool:
    if not reference.startswith("#"):
        return False
    here: Any = root
    for key in map(unescape, reference[1:].split("/")[1:]):
        if isinstance(here, list) and key.isdigit() and int(key) < len(here):
            here = here[int(key)]
        elif isinstance(here, dict) and key in here:
            here = here[key]
        else:
            return False
    return True
