"""A default that the schema itself refuses.

What it does
    Validates every `default` against the schema it stands in; a source's defaults of null are one finding with their
    number and places, since one generator wrote them all. `--fix` drops such a default: left out is what it means.

Why it is bad
    Clients and models send the advertised default, and the call is refused.

Example
    {"company": {"type": "string", "default": null}}

Use instead
    {"company": {"type": "string"}}

When it is wrong
    Never; if null is a value of its own, say `type: [string, "null"]`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolc.diagnostics import Diagnostic, Edit, Fix, Severity
from toolc.ir import Schema
from toolc.rules import Subject, is_exact, spoken
from toolc.schema.validator import Validator

STAGE = "source"
CATEGORY = "schema"
SEVERITY = Severity.error
SILENCES = ("default-contradiction", "type-contradiction")
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
}
_PLAIN = frozenset({"type", "default", "description", "title", "examples", "deprecated", "readOnly", "writeOnly"})


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a default."""
    for operation in subject.operations:
        defs = operation.input.get("$defs", {})
        for path, schema in subject.nodes(operation.input):
            if "default" not in schema or not path or path[-1] in ("default", "examples", "enum", "const"):
                continue
            value = schema["default"]
            reason = _refused(value, schema, defs)
            if not reason:
                continue
            place = operation.place("input", *path, "default")
            exact = value is None and is_exact(place, "default")
            drop = Fix("drop the default", (Edit(place, remove=True),)) if exact else None
            yield Diagnostic(
                "invalid-default",
                SEVERITY,
                f"the default of {spoken(path, operation.name)} is invalid: {reason}",
                place,
                help="drop it, or make the schema accept it",
                subject=operation.id,
                fix=drop,
                cause=f"{operation.source} null" if value is None else "",
            )


def _refused(value: Any, schema: Schema, defs: Schema) -> str:
    """Why the value is invalid; plain types are looked at without a validator, which is slow to make."""
    kind = schema.get("type")
    if isinstance(kind, str) and kind in _TYPES and not schema.keys() - _PLAIN:
        if isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool)):
            return ""
        if kind == "integer" and isinstance(value, float) and value.is_integer():
            return ""
        return f"{value!r:.60} is no {kind}" if value is not None else f"null is no {kind}"
    try:
        found = Validator({**schema, "$defs": defs} if defs else schema).violations(value)
    except ValueError:
        return ""
    return found[0].message if found else ""
