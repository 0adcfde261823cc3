"""Lowering only widens, says what it lost, and leaves nothing a runtime refuses."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolc.schema import walk
from toolc.schema.dialects import Dialect
from toolc.schema.lower import lower, strict_problem, untyped
from toolc.schema.validator import Validator, invalid_because

DIALECTS = get_args(Dialect)
STRICT = ("anthropic-strict", "openai-strict")
LOOSE = tuple(dialect for dialect in DIALECTS if dialect not in STRICT)

# Values and schemas from small pools, so that schemas both accept and refuse often.
SCALARS = st.sampled_from(["", "a", "bb", "ccc", 0, 1, 2, 5, 1.5, True, False, None])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("pqr"), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.sampled_from("pqr"), VALUES, max_size=3)
TYPES = ["string", "integer", "number", "boolean", "null", "array", "object"]
NAMES = st.lists(st.sampled_from("pqr"), max_size=2, unique=True)
FLAT: dict[str, Any] = {
    "type": st.sampled_from(TYPES) | st.lists(st.sampled_from(TYPES), min_size=1, max_size=3, unique=True),
    "enum": st.lists(SCALARS, min_size=1, max_size=4, unique_by=repr),
    "const": SCALARS,
    "minimum": st.sampled_from([0, 1, 1.5]),
    "maximum": st.sampled_from([1, 2, 5]),
    "exclusiveMinimum": st.sampled_from([0, 0.5, 1]),
    "exclusiveMaximum": st.sampled_from([1.5, 2, 5]),
    "minLength": st.sampled_from([0, 1, 2]),
    "pattern": st.sampled_from(["^a", "b"]),
    "minItems": st.sampled_from([0, 1]),
    "uniqueItems": st.booleans(),
    "required": NAMES,
    "minProperties": st.just(1),
    "format": st.just("date"),
    "description": st.just("Text."),
    "dependentRequired": st.dictionaries(st.sampled_from("pq"), NAMES, max_size=1),
}
REFS = st.sampled_from([{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}])


def _composed(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(st.sampled_from("pqr"), inner | st.booleans(), max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": FLAT["type"],
            "required": NAMES,
            "properties": named,
            "additionalProperties": st.booleans() | inner,
            "patternProperties": st.dictionaries(st.sampled_from(["^p", "q"]), inner, max_size=2),
            "items": inner | st.booleans(),
            "prefixItems": some,
            "contains": inner,
            "minContains": st.just(0),
            "maxContains": st.just(1),
            "anyOf": some,
            "oneOf": some,
            "allOf": some,
            "not": inner,
            "if": inner,
            "then": inner,
            "else": inner,
            "unevaluatedProperties": st.booleans(),
            "dependentSchemas": st.dictionaries(st.sampled_from("pq"), inner, max_size=1),
            "propertyNames": st.just({"enum": ["p", "q", ""]}),
            "$ref": st.sampled_from(["#/$defs/A", "#/$defs/B"]),
        },
    ).map(lambda schema: dict(list(schema.items())[:5]))


SCHEMAS = st.recursive(
    st.fixed_dictionaries({}, optional=FLAT).map(lambda schema: dict(list(schema.items())[:3])) | REFS,
    _composed,
    max_leaves=8,
)
ROOTS = st.builds(
    lambda root, a, b: {**root, "$defs": {"A": a, "B": b}},
    st.one_of(_composed(SCHEMAS), SCHEMAS),
    SCHEMAS,
    SCHEMAS,
)


def with_nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """`nullable` as Gemini means it, in JSON Schema."""

    def read(node: dict[str, Any]) -> dict[str, Any]:
        rest = {key: value for key, value in node.items() if key != "nullable"}
        return {"anyOf": [rest, {"type": "null"}]} if node.get("nullable") else node

    return walk.rebuild(schema, read)


@pytest.mark.parametrize("dialect", LOOSE)
@settings(max_examples=150, deadline=None)
@given(schema=ROOTS, instances=st.lists(OBJECTS, min_size=3, max_size=8))
def test_what_the_exact_schema_accepts_stays_accepted(dialect: Dialect, schema: Any, instances: list[Any]) -> None:
    lowered = lower(schema, dialect).schema
    assert not invalid_because(lowered)
    exact, widened = Validator(schema), Validator(with_nullable(lowered))
    for instance in instances:
        assert widened.accepts(instance) or not exact.accepts(instance), instance
