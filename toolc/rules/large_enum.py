"""An enum of more than 50 values.

What it does
    Reports an enum with more values than the limit, and what it costs; one that several tools repeat is one finding.

Why it is bad
    Time zones, currencies or product codes cost hundreds of tokens on every turn, and a model knows most of them
    anyway.

Example
    {"currency": {"type": "string", "enum": ["AED", "AFN", …]}}

Use instead
    {"currency": {"type": "string", "pattern": "^[A-Z]{3}$", "description": "ISO 4217 code, e.g. EUR."}}

When it is wrong
    Where values cannot be guessed and there is no tool to look them up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject, spoken
from toolc.tokens import compact

STAGE = "source"
CATEGORY = "cost"
SEVERITY = Severity.note


@dataclass(frozen=True, slots=True)
class Options:
    """The keys of the rule."""

    values: int = field(default=50, metadata={"doc": "most values of an enum", "min": 1})


def check(subject: Subject, options: Options) -> Iterator[Diagnostic]:
    """One finding an enum."""
    for operation in subject.operations:
        for path, schema in subject.nodes(operation.input):
            values = schema.get("enum")
            if isinstance(values, list) and len(values) > options.values:
                yield Diagnostic(
                    "large-enum",
                    SEVERITY,
                    f"the enum of {spoken(path, operation.name)} has {len(values)} values, "
                    f"{subject.counter.count(compact(values)):,} tokens",
                    operation.place("input", *path),
                    help="describe the form of the values, or offer a tool that looks them up",
                    subject=operation.id,
                    cause=f"{operation.source} {values}",
                )
