"""An endpoint without an `operationId`.

What it does
    Reports an OpenAPI operation that has no `operationId`; its tool is named after method and path.

Why it is bad
    The name of the tool then changes with every change of the path, and with it allow-lists, prompts and recorded
    calls.

Example
    paths: {/orders/{id}: {get: {summary: One order}}}

Use instead
    paths: {/orders/{id}: {get: {operationId: get_order, summary: One order}}}

When it is wrong
    If the override `name` in toolc.yaml fixes the name already.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import HttpCall
from toolc.rules import Subject

STAGE = "source"
CATEGORY = "names"
SEVERITY = Severity.note


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding an operation."""
    for operation in subject.operations:
        if (
            isinstance(operation.call, HttpCall)
            and not operation.pinned_name
            and not operation.extra.get("operation_id")
        ):
            yield Diagnostic(
                "missing-operation-id",
                SEVERITY,
                f"{operation.call.method} {operation.call.path} has no operationId; its tool is named after the two",
                operation.origin,
                help="give it an operationId, or a `name` in the source's overrides",
                subject=operation.id,
            )
