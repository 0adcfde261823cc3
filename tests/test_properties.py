"""Random families: whatever is merged keeps every call; an independent validator (jsonschema) says what is valid."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from toolc.dispatch import Dispatcher, Refusal, Resolution
from toolc.ir import Case, Dispatch, Opaque, Operation, Origin, Schema, Tool
from toolc.lexicon import lexicon
from toolc.merge import Part, merge, unmergeable
from toolc.schema.generate import Generator
from toolc.schema.identity import Fingerprints
from toolc.schema.normalise import normalise
from toolc.schema.subsumes import subsumes
from toolc.verify import Prover

ORIGIN = Origin("tools.yaml")
SETTINGS = settings(
    max_examples=60,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
NAMES = ["id", "name", "format", "action", "operation", "limit", "labels", "create_id"]
ACTIONS = ["get", "create", "update", "delete", "zap"]
TEXTS = st.sampled_from(["", "An id.", "An id of a thing.", "Either way."])


def leaves() -> st.SearchStrategy[Schema]:
    return st.one_of(
        st.builds(
            lambda low, more: {"type": "string", "minLength": low, "maxLength": low + more},
            st.integers(0, 2),
            st.integers(0, 3),
        ),
        st.builds(
            lambda low, more: {"type": "integer", "minimum": low, "maximum": low + more},
            st.integers(-2, 2),
            st.integers(0, 4),
        ),
        st.builds(
            lambda values: {"type": "string", "enum": values},
            st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, unique=True),
        ),
        st.sampled_from(
            [
                {"type": "boolean", "default": False},
                {"type": ["string", "null"]},
                {"type": "number", "exclusiveMinimum": 0},
                {"const": "fixed"},
                {"type": "string", "pattern": "^[ab]+$"},
                {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None, "title": "Id"},
                {},
            ]
        ),
    )


def nested() -> st.SearchStrategy[Schema]:
    return st.recursive(
        leaves(),
        lambda inner: st.one_of(
            st.builds(lambda items: {"type": "array", "items": items, "maxItems": 3}, inner),
            st.builds(
                lambda one, two, need, closed: {
                    "type": "object",
                    "properties": {"x": one, "y": two},
                    "required": need,
                    **({"additionalProperties": False} if closed else {}),
                },
                inner,
                inner,
                st.sampled_from([[], ["x"], ["x", "y"]]),
                st.booleans(),
            ),
            st.builds(lambda one, two: {"anyOf": [one, two]}, inner, inner),
            st.builds(
                lambda one, two, need, more: {
                    "allOf": [
                        {"type": "object", "properties": {"x": one}, "required": need},
                        {"properties": {"y": two}, **more},
                    ]
                },
                inner,
                inner,
                st.sampled_from([["x"], ["y"]]),
                st.sampled_from([{}, {"type": "object"}, {"maxProperties": 2}, {"minProperties": 1}]),
            ),
        ),
        max_leaves=4,
    )


@st.composite
def inputs(draw: st.DrawFn) -> Schema:
    names = draw(st.lists(st.sampled_from(NAMES), max_size=4, unique=True))
    properties: Schema = {name: dict(draw(nested())) for name in names}
    for name in names:
        if text := draw(TEXTS):
            properties[name]["description"] = text
    schema: Schema = {"type": "object", "properties": properties}
    if need := [name for name in names if draw(st.booleans())]:
        schema["required"] = need
    if draw(st.booleans()):
        schema["additionalProperties"] = draw(st.sampled_from([False, False, True]))
    if len(names) > 1 and draw(st.integers(0, 4)) == 0:
        schema["anyOf"] = [{"required": [names[0]]}, {"required": [names[1]]}]
    if names and draw(st.integers(0, 3)) == 0:
        properties[names[0]] = {"$ref": "#/$defs/Node"}
        kind = draw(st.sampled_from(["string", "integer"]))
        node = {
            "type": "object",
            "properties": {"value": {"type": kind}, "kids": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
        }
        schema["$defs"] = {"Node": {**node, "required": ["value"]}, "Unused": {"type": "null"}}
    return schema


VALUES: list[Any] = [
    None,
    True,
    0,
    1,
    3,
    -2,
    1.5,
    "",
    "a",
    "ab",
    "abc",
    "fixed",
    [],
    ["a"],
    [1, 2],
    {},
    {"x": "a"},
    {"x": 1, "y": "b"},
]
VALUES += [{"value": "v"}, {"value": 1, "kids": [{"value": 2}]}, {"value": "v", "kids": [{"value": 3}]}]


@st.composite
def families(draw: st.DrawFn) -> list[Operation]:
    actions = draw(st.lists(st.sampled_from(ACTIONS), min_size=2, max_size=4, unique=True))
    return [Operation(f"s:{a}", a, f"{a} it.", draw(inputs()), Opaque(), ORIGIN) for a in actions]


def single(operation: Operation) -> Tool:
    dispatch = Dispatch((), (Case({}, operation.id),))
    return Tool(operation.name, operation.description, normalise(operation.input), dispatch, (ORIGIN,))


def arguments_for(draw: st.DrawFn, schema: Schema) -> dict[str, Any]:
    names = [*schema["properties"], "stranger"]
    chosen = draw(st.lists(st.sampled_from(names), unique=True, max_size=len(names)))
    return {name: draw(st.sampled_from(VALUES)) for name in chosen}


@SETTINGS
@given(st.data(), families())
def test_a_merged_family_keeps_every_call_and_refuses_every_other(data: st.DataObject, family: list[Operation]) -> None:
    members = [operation for operation in family if not unmergeable(operation)]
    if len(members) < 2:
        return
    operations = {operation.id: operation for operation in members}
    parts = [Part(operation.name, operation.name, single(operation), operation) for operation in members]
    tool = merge("thing_write", ("thing",), "", parts, lexicon(), Fingerprints())
    assert Prover(operations).prove(tool).problems == ()
    dispatcher = Dispatcher([tool], operations)
    accepts = Draft202012Validator(tool.input_schema)
    for operation in members:
        judge = Draft202012Validator(operation.input)
        for _ in range(8):
            arguments = arguments_for(data.draw, operation.input)
            if "stranger" in arguments:
                del arguments["stranger"]  # merged tools take only what is declared
            call = dispatcher.express(tool, operation.id, arguments)
            result = dispatcher.resolve("thing_write", call)
            if judge.is_valid(arguments):
                assert accepts.is_valid(call)
                assert result == Resolution(operation.id, arguments)
            elif isinstance(result, Resolution):
                # only a null that means absent may be taken away, and what is left has to be valid
                assert judge.is_valid(result.arguments)
                assert None in _leaves(arguments)
    properties = tool.input_schema["properties"]
    for select in tool.dispatch.select:
        assert isinstance(dispatcher.resolve("thing_write", {select: "no such action"}), Refusal)
        assert select not in {name for operation in members for name in operation.input["properties"]}
        assert set(properties[select]["enum"]) == {operation.name for operation in members}


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in _leaves(item)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in _leaves(item)]
    return [value]


@SETTINGS
@given(st.data(), inputs())
def test_normalising_changes_no_verdict(data: st.DataObject, schema: Schema) -> None:
    before, after = Draft202012Validator(schema), Draft202012Validator(normalise(schema))
    assert normalise(normalise(schema)) == normalise(schema)
    for _ in range(15):
        arguments = arguments_for(data.draw, schema)
        assert before.is_valid(arguments) == after.is_valid(arguments), arguments


@SETTINGS
@given(inputs(), inputs())
def test_a_yes_of_subsumes_is_never_wrong(one: Schema, other: Schema) -> None:
    for general in one["properties"].values():
        for specific in other["properties"].values():
            if subsumes(general, specific, one.get("$defs"), other.get("$defs")) != "yes":
                continue
            judge = Draft202012Validator({**general, "$defs": one.get("$defs", {})})
            source = Draft202012Validator({**specific, "$defs": other.get("$defs", {})})
            wrong = [value for value in VALUES if source.is_valid(value) and not judge.is_valid(value)]
            assert not wrong


@SETTINGS
@given(inputs())
def test_a_schema_subsumes_itself(schema: Schema) -> None:
    assert subsumes(schema, schema, schema.get("$defs"), schema.get("$defs")) == "yes"
    assert subsumes(normalise(schema), schema, normalise(schema).get("$defs"), schema.get("$defs")) != "no"


@SETTINGS
@given(inputs())
def test_most_generated_calls_are_valid_and_there_is_one_for_every_satisfiable_schema(schema: Schema) -> None:
    judge = Draft202012Validator(schema)
    calls = list(Generator().valid_calls(schema))
    valid = [call for call in calls if judge.is_valid(call)]
    satisfiable = all(schema["properties"][name] != {"not": {}} for name in schema.get("required", ()))
    assert valid or not satisfiable
    assert len(valid) >= len(calls) / 3


def test_generated_calls_hold_what_is_required_undeclared_and_what_a_format_says() -> None:
    schema = {"type": "object", "properties": {"day": {"type": "string", "format": "date"}}, "required": ["day", "x"]}
    calls = list(Generator().valid_calls(schema))
    assert calls
    assert all(call.keys() == {"day", "x"} and date.fromisoformat(call["day"]) for call in calls)
    assert list(Generator().valid_calls({**schema, "additionalProperties": False})) == []


def test_subsumes_ends_in_alternatives_that_refer_back_to_each_other() -> None:
    def folder(bound: int) -> Schema:
        parent = {"oneOf": [{"type": "string"}, {"$ref": "#/$defs/folder"}]}
        return {"folder": {"type": "object", "properties": {"size": {"maximum": bound}, "parent": parent}}}

    one = {"oneOf": [{"type": "integer"}, {"$ref": "#/$defs/folder"}]}
    assert subsumes(one, one, folder(9), {**folder(9), "unused": {}}) == "yes"
    assert subsumes(one, one, folder(9), folder(8)) == "yes"
    assert subsumes(one, one, folder(8), folder(9)) != "yes"


def test_subsumes_remembers_what_did_not_fit_in_one_alternative() -> None:
    narrow, wide = {"properties": {"n": {"maximum": 1}}}, {"properties": {"n": {"maximum": 2}}}
    general = {"properties": {"a": {"anyOf": [{"$ref": "#/$defs/n"}, {"type": "object"}]}, "b": {"$ref": "#/$defs/n"}}}
    specific = {"properties": {"a": {"type": "object", "$ref": "#/$defs/w"}, "b": {"$ref": "#/$defs/w"}}}
    assert subsumes(general, specific, {"n": narrow}, {"w": wide}) == "no"


@pytest.mark.parametrize(
    "value",
    [
        {"type": "string", "minLength": 1, "maxLength": 256, "pattern": "a"},
        {"type": "number", "minimum": 0, "exclusiveMaximum": 2, "multipleOf": 0.5},
        {"type": "array", "items": {"type": "integer"}, "minItems": 1, "uniqueItems": True},
        {"type": "object", "required": ["a"], "minProperties": 1, "propertyNames": {"maxLength": 3}},
        {"enum": ["auto", "none"]},
    ],
)
def test_subsumes_sees_that_alternatives_of_a_value_and_null_are_one_schema_with_both_types(value: Schema) -> None:
    exact = {"anyOf": [value, {"type": "null"}]}
    shown = normalise({"properties": {"a": exact}})["properties"]["a"]
    assert subsumes(shown, exact) == "yes"
    assert subsumes(exact, shown) == "yes"
    assert subsumes(value, exact) != "yes"
