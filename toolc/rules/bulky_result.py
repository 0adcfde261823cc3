"""A large result without a way to ask for less.

What it does
    Reports a list whose entries have more than 30 fields by the response schema, where no parameter chooses fields
    (fields, select, include, expand, view …). Strict preset only.

Why it is bad
    Thirty repositories of GitHub's list are about 60,000 tokens, most of them URLs that no model follows.

Example
    list_repos(per_page): array of objects with 90 fields

Use instead
    list_repos(per_page, fields: "Fields to return, e.g. name,language")

When it is wrong
    If the runtime cuts results to what is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import Schema
from toolc.lexicon import words
from toolc.rules import Subject
from toolc.schema.walk import definition

STAGE = "source"
CATEGORY = "results"
SEVERITY = Severity.note
PRESETS = ("strict",)
CHOOSING = frozenset(
    "fields field select include exclude expand view columns attributes properties format verbosity detail".split()
)


MOST_AROUND = 12  # properties of an object that is there for the list it holds


@dataclass(frozen=True, slots=True)
class Options:
    """The keys of the rule."""

    fields: int = field(default=30, metadata={"doc": "most fields of an entry", "min": 1})


def check(subject: Subject, options: Options) -> Iterator[Diagnostic]:
    """One finding an operation."""
    for operation in subject.operations:
        if operation.output is None or operation.hints.effect in ("write", "destructive"):
            continue
        if any(set(words(name)) & CHOOSING for name in operation.input.get("properties", {})):
            continue
        schema = operation.output()
        count = _fields_of_entry(schema) if schema else 0
        if count > options.fields:
            yield Diagnostic(
                "bulky-result",
                SEVERITY,
                f"each entry of `{operation.name}`'s result has {count} fields, and none can be left out",
                operation.origin,
                help="take a parameter that chooses fields, or cut the result in the runtime",
                subject=operation.id,
            )


def _fields_of_entry(schema: Schema) -> int:
    defs = schema.get("$defs", {})

    def of(inner: Any, depth: int = 0) -> Any:
        name = definition(inner.get("$ref")) if isinstance(inner, dict) else None
        return of(defs.get(name), depth + 1) if name is not None and depth < 5 else inner

    root = of(schema)
    if isinstance(root, dict) and len(root.get("properties") or ()) > MOST_AROUND:
        return 0  # one thing that has a list among much else
    arrays = (
        [root]
        if isinstance(root, dict) and root.get("type") == "array"
        else [of(inner) for inner in (root.get("properties") or {}).values()]
        if isinstance(root, dict)
        else []
    )
    counts = [
        len(entry["properties"])
        for array in arrays
        if isinstance(array, dict)
        and array.get("type") == "array"
        and isinstance(entry := of(array.get("items")), dict)
        and isinstance(entry.get("properties"), dict)
    ]
    return max(counts, default=0)
