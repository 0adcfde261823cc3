"""A required name that is no property.

What it does
    Reports names under `required` that are not among the properties beside it, where nothing else could declare them
    (combinators, patternProperties, additionalProperties). There is no fix: to take the name out would change which
    calls are valid, and only the server's author knows which of the two was meant.

Why it is bad
    Usually a slip or a left-over. The model cannot know what the value should be; strict modes refuse the schema. It
    has no measured effect on task success by itself (agentgauge), so it is a warning.

Example
    {"properties": {"path": {"type": "string"}}, "required": ["path", "file"]}

Use instead
    {"properties": {"path": {"type": "string"}}, "required": ["path"]}

When it is wrong
    If the server really takes an undeclared value: declare it.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import Operation, Origin, Schema
from toolc.rules import Subject, spoken
from toolc.schema.walk import Path

STAGE = "source"
CATEGORY = "schema"
SEVERITY = Severity.warning
SILENCES = ("untyped-param",)
ELSEWHERE = frozenset({"allOf", "anyOf", "oneOf", "$ref", "patternProperties", "if", "dependentSchemas"})
BRANCHES = frozenset({"allOf", "anyOf", "oneOf", "if", "then", "else", "not", "dependentSchemas"})


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a name."""
    for operation in subject.operations:
        for name, schema in operation.input.get("properties", {}).items():
            if schema == {} and _is_in_required(place := operation.place("input", "properties", name)):
                yield _finding(operation, (), name, place)
        for path, schema in subject.nodes(operation.input):
            for index, name in _unknown(path, schema):
                yield _finding(operation, path, name, operation.place("input", *path, "required", index))


def _is_in_required(place: Origin) -> bool:
    """Whether a place is an entry of `required`: a field of a body that nothing but that declares."""
    return place.pointer.rpartition("/")[0].endswith("/required")


def _finding(operation: Operation, path: Path, name: str, place: Origin) -> Diagnostic:
    return Diagnostic(
        "unknown-required",
        SEVERITY,
        f"{spoken(path, operation.name)} requires `{name}`, which is no property of it",
        place,
        help="declare it under `properties`, or take it out of `required`",
        subject=operation.id,
    )


def _unknown(path: Path, schema: Schema) -> Iterator[tuple[int, str]]:
    required, properties = schema.get("required"), schema.get("properties")
    if not isinstance(required, list) or not isinstance(properties, dict) or not properties:
        return
    if schema.keys() & ELSEWHERE or schema.get("additionalProperties", False) is not False:
        return
    if any(isinstance(step, str) and step in BRANCHES and not _is_name(path, n) for n, step in enumerate(path)):
        return
    yield from ((i, name) for i, name in enumerate(required) if isinstance(name, str) and name not in properties)


def _is_name(path: Path, index: int) -> bool:
    """Whether a step is the name of a property rather than a keyword."""
    return index > 0 and path[index - 1] in ("properties", "$defs")
