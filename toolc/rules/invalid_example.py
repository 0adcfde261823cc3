"""An example that the tool itself would refuse.

What it does
    Validates every usage example of a tool against the schema of its input, and every example in a schema against the
    schema it stands in. What only breaks a `format` is left to example-contradicts-format.

Why it is bad
    Models copy examples: examples raised parameter accuracy from 72 to 90 % (Anthropic's figure), so a wrong one is
    worse than none. Anthropic refuses a tool whose `input_examples` do not validate (November 2026).

Example
    {"minutes": "60"} for {"minutes": {"type": "integer"}}

Use instead
    {"minutes": 60}

When it is wrong
    Never; if the server takes both forms, the schema should say so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import Operation, Origin
from toolc.rules import Subject, spoken
from toolc.schema.validator import Validator, Violation

STAGE = "source"
CATEGORY = "examples"
SEVERITY = Severity.error
SILENCES = ("example-contradicts-format", "filler-example")


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding an example: the first thing that is wrong with it."""
    for operation in subject.operations:
        told: set[Origin] = set()
        defs = operation.input.get("$defs", {})
        for path, schema in subject.nodes(operation.input):
            examples = schema.get("examples")
            if not path or not isinstance(examples, list) or not examples:
                continue
            plain = {key: value for key, value in schema.items() if key != "examples"}
            if not plain.keys() - {"description", "title", "default"}:
                continue
            validator = _validator({**plain, "$defs": defs} if defs else plain)
            for index, value in enumerate(examples if validator else ()):
                if not (found := validator.violations(value)):  # type: ignore[union-attr]
                    continue
                place = operation.place("input", *path, "examples", index)
                told.add(place)
                yield _finding(operation, place, found[0], f"an example of {spoken(path, operation.name)}")
        yield from _of_calls(operation, told)


def _of_calls(operation: Operation, told: set[Origin]) -> Iterator[Diagnostic]:
    """told: examples of parameters that were found; an endpoint's call put together from them says nothing new."""
    validator = _validator(operation.input) if operation.examples else None
    if validator is None:
        return
    for example in operation.examples:
        found = validator.violations(example.arguments)
        new = [violation for violation in found if not violation.path or example.place(violation.path[0]) not in told]
        if example.provenance != "derived" and new:
            first = min(new, key=lambda violation: len(violation.path) == 0)
            yield _finding(
                operation, example.place(*first.path) or operation.origin, first, f"an example of `{operation.name}`"
            )


def _validator(schema: Any) -> Validator | None:
    try:
        return Validator(schema)
    except ValueError:
        return None  # the schema itself is invalid, which another rule says


def _finding(operation: Operation, place: Origin, violation: Violation, what: str) -> Diagnostic:
    where = ".".join(map(str, violation.path))
    return Diagnostic(
        "invalid-example",
        SEVERITY,
        f"{what} is invalid: {f'`{where}`: ' if where else ''}{violation.message[:160]}",
        place,
        help="mend the example or the schema; models copy examples",
        subject=operation.id,
    )
