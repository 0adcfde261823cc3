"""Which changes of an input break its callers, and in what words. The expected answers are worked out by hand."""

from __future__ import annotations

import copy
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from toolc.schema.narrowing import narrowings

S, INT = {"type": "string"}, {"type": "integer"}
NODE = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "v": S}}


def obj(required: list[str] | None = None, /, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def said(old: Any, new: Any) -> list[str]:
    return [str(found) for found in narrowings(old, new)]


WIDER = [
    (obj(a=S), obj(a=S, b=S)),  # a new optional parameter
    (obj(["a"], a=S), obj(a=S)),  # no longer required
    (obj(a=S), obj(a={"type": ["string", "null"]})),
    (obj(a=INT), obj(a={"type": "number"})),
    (obj(a={"type": "string", "enum": ["x", "y"]}), obj(a={"type": "string", "enum": ["y", "x", "z"]})),
    (obj(a={"type": "string", "enum": ["x"]}), obj(a=S)),
    (obj(a={"type": "string", "enum": ["ab"]}), obj(a={"type": "string", "pattern": "^a", "minLength": 2})),
    (obj(a={"const": "x"}), obj(a={"enum": ["x", "y"]})),
    (obj(a={"type": "boolean"}), obj(a={"type": "boolean", "enum": [True, False]})),
    (obj(a={"type": "integer", "minimum": 5}), obj(a={"type": "integer", "minimum": 1})),
    (obj(a={"type": "integer", "maximum": 5}), obj(a={"type": "integer", "exclusiveMaximum": 6})),
    (obj(a={"type": "integer", "format": "int32"}), obj(a={"type": "integer", "format": "int64"})),
    (obj(a={"type": "integer", "exclusiveMinimum": 0}), obj(a={"type": "integer", "minimum": 1})),
    (obj(a={"type": "integer", "exclusiveMaximum": 3, "maximum": 9}), obj(a={"type": "integer", "maximum": 2})),
    (obj(a=INT), obj(a={"type": "integer", "format": "int64", "multipleOf": 1})),
    (obj(a={"type": "integer", "multipleOf": 4}), obj(a={"type": "integer", "multipleOf": 2})),
    (obj(a={"enum": ["x", "y"]}), obj(a={"oneOf": [{"const": "y", "title": "Y"}, {"const": "x", "title": "X"}]})),
    (obj(a={"type": "boolean"}), obj(a={"anyOf": [{"const": True}, {"const": False}]})),
    (obj(a={"type": "string", "format": "date"}), obj(a=S)),
    (obj(a={"type": "string", "description": "x"}), obj(a={"type": "string", "description": "y", "default": "z"})),
    (obj(a=S), obj(a={"anyOf": [S, {"type": "null"}]})),
    (obj(a={"type": ["string", "null"]}), obj(a={"anyOf": [S, {"type": "null"}]})),
    (obj(a={"anyOf": [obj(b=S), S]}), obj(a={"anyOf": [S, obj(b=S, c=INT)]})),  # inside an alternative, too
    (obj(a={"allOf": [obj(b=S), obj(c=S)]}), obj(a=obj(b=S, c=S, d=S))),
    (obj(a={"type": "array", "items": obj(b=S)}), obj(a={"type": "array", "items": obj(b=S, c=S)})),
    ({**obj(a={"$ref": "#/$defs/T"}), "$defs": {"T": S}}, obj(a=S)),
    (
        {**obj(n={"$ref": "#/$defs/Node"}), "$defs": {"Node": NODE}},
        {
            **obj(n={"$ref": "#/$defs/Node"}),
            "$defs": {"Node": {**NODE, "properties": {**NODE["properties"], "w": S}}},  # type: ignore[dict-item]
        },
    ),
    (obj(), obj(a=S)),
    ({**obj(a=S), "additionalProperties": True}, obj(a=S, b=INT)),
]


@pytest.mark.parametrize(("old", "new"), WIDER)
def test_what_takes_no_less_is_no_narrowing(old: Any, new: Any) -> None:
    assert said(old, new) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (obj(a=S), obj(["a"], a=S), ["`a` is newly required"]),
        (obj(a=S), obj(["b"], a=S, b=S), ["`b` is newly required"]),
        (obj(a=S, b=S), obj(a=S), ["`b` is gone"]),
        (obj(a=S), obj(a=INT), ["`a` is integer now (was string)"]),
        (obj(a={"type": "number"}), obj(a=INT), ["`a` is integer now (was number)"]),
        (obj(a={"type": ["string", "null"]}), obj(a=S), ["`a` no longer takes null"]),
        (obj(a={}), obj(a=S), ["`a` only takes string now"]),
        (obj(a={"enum": ["x", "y"]}), obj(a={"enum": ["x"]}), ['`a` no longer takes "y"']),
        (obj(a=S), obj(a={"type": "string", "enum": ["x"]}), ['`a` only takes "x" now']),
        (obj(a={"type": "boolean"}), obj(a={"const": True}), ["`a` no longer takes false"]),
        (
            obj(a={"type": "integer", "maximum": 100}),
            obj(a={"type": "integer", "maximum": 50}),
            ["`a` has a tighter maximum: 50 (was 100)"],
        ),
        (obj(a=S), obj(a={"type": "string", "maxLength": 9}), ["`a` has a tighter maxLength: 9"]),
        (obj(a=S), obj(a={"type": "string", "pattern": "^x"}), ['`a` has a new pattern: "^x"']),
        (
            obj(a={"type": "string", "format": "date"}),
            obj(a={"type": "string", "format": "uuid"}),
            ['`a` has a new format: "uuid" (was "date")'],
        ),
        (obj(a=obj(b=obj(c=S))), obj(a=obj(b=obj(["c"], c=S))), ["`a.b.c` is newly required"]),
        (
            obj(a={"type": "array", "items": {"enum": [1, 2, 3]}}),
            obj(a={"type": "array", "items": {"enum": [1]}}),
            ["`a[]` no longer takes 2, 3"],
        ),
        (
            obj(a={"anyOf": [S, INT]}),
            obj(a={"anyOf": [S, {"type": "null"}]}),
            ["`a` is string now (was integer)"],
        ),
        (obj(a={"anyOf": [obj(b=S), S]}), obj(a={"anyOf": [obj(["b"], b=S), S]}), ["`a.b` is newly required"]),
        (
            {**obj(n={"$ref": "#/$defs/Node"}), "$defs": {"Node": NODE}},
            {**obj(n={"$ref": "#/$defs/Node"}), "$defs": {"Node": {**NODE, "required": ["v"]}}},
            ["`n.v` is newly required"],
        ),
        (
            {**obj(), "additionalProperties": S},
            {**obj(), "additionalProperties": INT},
            ["`*` is integer now (was string)"],
        ),
        (
            {**obj(), "additionalProperties": True},
            {**obj(), "additionalProperties": False},
            ["the input takes no undeclared keys any more"],
        ),
        (obj(a=S), {**obj(a=S), "minProperties": 1}, ["the input has a tighter minProperties: 1"]),
        (
            obj(a=S, b=S),
            {**obj(a=S, b=S), "dependentRequired": {"a": ["b"]}},
            ["the input has other rules (dependentRequired)"],
        ),
        (
            obj(a=S, b=S),
            {**obj(a=S, b=S), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
            ["the input needs a or b now"],
        ),
    ],
)
def test_what_takes_less_is_named(old: Any, new: Any, expected: list[str]) -> None:
    assert said(old, new) == expected


def instances(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that a schema of this grammar takes."""
    if "anyOf" in schema:
        return st.one_of([instances(branch) for branch in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema["type"] == "integer":
        return st.integers(schema.get("minimum", -9), schema.get("maximum", 9))
    if schema["type"] == "array":
        return st.lists(instances(schema["items"]), max_size=2)
    if schema["type"] == "object":
        required = set(schema.get("required", ()))
        inner = {key: instances(value) for key, value in schema["properties"].items()}
        return st.fixed_dictionaries(
            {key: value for key, value in inner.items() if key in required},
            optional={key: value for key, value in inner.items() if key not in required},
        )
    return {"string": st.text(max_size=3), "boolean": st.booleans(), "null": st.none()}[schema["type"]]


def closed(properties: dict[str, Any], required: set[str]) -> dict[str, Any]:
    kept = sorted(required & properties.keys())
    return {"type": "object", "properties": properties, "required": kept, "additionalProperties": False}


def bounded(low: int | None, high: int | None) -> dict[str, Any]:
    bounds = {"minimum": low, "maximum": None if high is None else high + 5}
    return INT | {key: value for key, value in bounds.items() if value is not None}


LEAVES = st.one_of(
    st.sampled_from([S, {"type": "boolean"}, {"type": "null"}]),
    st.builds(bounded, st.none() | st.integers(-4, 0), st.none() | st.integers(-4, 0)),
    st.lists(st.sampled_from(["a", "b", "", 1, True, None]), min_size=1, max_size=3).map(
        lambda values: {"enum": values}
    ),
)
NAMES = st.sampled_from("xyz")
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        inner.map(lambda items: {"type": "array", "items": items}),
        st.lists(inner, min_size=1, max_size=2).map(lambda branches: {"anyOf": branches}),
        st.builds(closed, st.dictionaries(NAMES, inner, max_size=2), st.sets(NAMES)),
    ),
    max_leaves=4,
)


@st.composite
def edited(draw: st.DrawFn, schema: dict[str, Any]) -> dict[str, Any]:
    """The schema, wider, narrower, or another inside."""
    how = draw(st.sampled_from(["same", "other", "wider", "inside", "inside", "inside"]))
    if how == "other":
        return draw(SCHEMAS)
    if how == "wider":
        return {"anyOf": draw(st.permutations([schema, draw(LEAVES)]))}
    if how == "same":
        return schema
    if "anyOf" in schema:
        return {"anyOf": [draw(edited(branch)) for branch in schema["anyOf"]]}
    if "enum" in schema:
        return {"enum": [*schema["enum"], *draw(st.lists(st.sampled_from(["a", "c", 2]), max_size=1))]}
    if schema["type"] == "array":
        return {**schema, "items": draw(edited(schema["items"]))}
    if schema["type"] == "object":
        inner = {key: draw(edited(value)) for key, value in schema["properties"].items()}
        more = draw(st.dictionaries(NAMES, LEAVES, max_size=1))
        return closed({**more, **inner}, set(schema["required"]) - draw(st.sets(NAMES, max_size=1)))
    return schema


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(old=SCHEMAS, data=st.data())
def test_where_nothing_is_narrowed_every_old_value_is_taken(old: Any, data: st.DataObject) -> None:
    """Judged by an independent validator; what is called narrowed may be caution, and is not looked at."""
    new = data.draw(edited(old))
    assume(not narrowings(old, new))
    value = data.draw(instances(old))
    jsonschema.Draft202012Validator(new).validate(value)


@given(schema=SCHEMAS)
def test_a_schema_is_as_wide_as_itself(schema: Any) -> None:
    assert narrowings(schema, copy.deepcopy(schema)) == []
