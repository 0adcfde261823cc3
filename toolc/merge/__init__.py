"""Makes one action tool out of several tools with one operation each; proves nothing, decides nothing about cost."""

from __future__ import annotations

from collections.abc import Sequence

from toolc import hints
from toolc.ir import Case, Dispatch, Operation, Schema, Tool
from toolc.lexicon import Lexicon
from toolc.merge.definitions import shared_definitions
from toolc.merge.description import description
from toolc.merge.parameters import parameters
from toolc.merge.parts import Part, Pins, Spread
from toolc.schema.identity import Fingerprints

__all__ = ["SELECTORS", "Part", "Pins", "Spread", "merge", "unmergeable"]

SELECTORS = ("action", "operation", "method", "op", "command")


def unmergeable(operation: Operation) -> str:
    """Why an operation can go into no merged tool, or an empty string."""
    schema = operation.input
    if schema.get("additionalProperties", False) is not False or "patternProperties" in schema:
        return "takes free keys"
    if not isinstance(schema.get("properties"), dict):
        return "takes alternatives or free keys without declared properties"
    return ""


def merge(
    name: str,
    nouns: Sequence[str],
    spread: Spread,
    parts: Sequence[Part],
    lexicon: Lexicon,
    marks: Fingerprints,
    pins: Pins | None = None,
) -> Tool:
    """The action tool; parts in any order, none `unmergeable`, each with an action of its own.

    nouns: what it is about, as in a sentence (`account keys`); spread: how far the parts are.
    """
    parts = sorted(parts, key=lambda part: lexicon.order(part.action))
    pins = pins or Pins()
    used = {key for part in parts for key in part.tool.input_schema["properties"]}
    select = pins.select if pins.select and pins.select not in used else _selector(used)
    schemas, defs = shared_definitions(parts, marks)
    merged = parameters(parts, schemas, {select, *used}, marks, pins)
    schema: Schema = {
        "type": "object",
        "properties": {select: {"type": "string", "enum": [part.action for part in parts]}, **merged.schemas},
        "required": [select, *merged.required],
    }
    if defs:
        schema["$defs"] = defs
    return Tool(
        name=name,
        description=description(nouns, spread, parts, lexicon),
        input_schema=schema,
        dispatch=Dispatch(
            (select,),
            tuple(Case({select: part.action}, part.operation.id, merged.renames[part.action]) for part in parts),
        ),
        origins=tuple(origin for part in parts for origin in part.tool.origins),
        hints=hints.join([part.tool.hints for part in parts]),
        details="\n\n".join(f"{part.action}: {part.tool.details}" for part in parts if part.tool.details),
    )


def _selector(used: set[str]) -> str:
    return next((name for name in SELECTORS if name not in used), None) or next(
        name for number in range(2, len(used) + 3) if (name := f"action_{number}") not in used
    )
