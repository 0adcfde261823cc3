"""Lowering only widens, says what it lost, and leaves nothing a runtime refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolc.schema import walk
from toolc.schema.dialects import Dialect
from toolc.schema.lower import lower, strict_problem, untyped
from toolc.schema.validator import Validator, invalid_because

DIALECTS = get_args(Dialect)
STRICT = ("anthropic-strict", "openai-strict")
LOOSE = tuple(dialect for dialect in DIALECTS if dialect not in STRICT)

# Small schemas that between them use every keyword, put together at random; all of them are tried on every instance.
LEAVES: list[Any] = [
    {},
    *({"type": kind} for kind in ("string", "integer", "number", "boolean", "null", "array", "object")),
    {"type": ["string", "null"]},
    {"type": ["integer", "array"], "minItems": 1},
    {"type": "integer", "exclusiveMinimum": 0.5},
    {"type": "integer", "exclusiveMaximum": 1.5},
    {"type": "number", "exclusiveMinimum": 0, "minimum": 1},
    {"minimum": 1},
    {"minimum": 2},
    {"maximum": 1},
    {"maximum": 2},
    {"minLength": 1},
    {"minLength": 2, "pattern": "^b", "format": "date"},
    {"enum": ["", "a"]},
    {"enum": ["a", None]},
    {"enum": ["a", "bb"]},
    {"enum": [1, "a"]},
    {"type": ["string", "integer"], "enum": ["a", "bb"]},
    {"const": "a"},
    {"const": 1},
    {"const": None},
    {"type": "array", "items": {"enum": ["", "a"]}, "uniqueItems": True},
    {"prefixItems": [{"type": "integer"}], "items": {"type": "string"}},
    {"type": "array", "prefixItems": [{"type": "string"}], "items": False},
    {"minProperties": 1, "propertyNames": {"enum": ["p", ""]}},
    {"required": ["p"]},
    {"required": ["q"]},
    {"dependentRequired": {"p": ["q"]}, "description": "Text."},
    {"$ref": "#/$defs/A"},
    {"$ref": "#/$defs/B"},
]
VALUES: list[Any] = ["", "a", "bb", 0, 1, 2, 1.5, True, None, [], [""], ["a", "bb"], [1, "a"], {}, {"p": ""}, {"q": 1}]
INSTANCES = [{}, *({key: value} for key in "pqr" for value in VALUES)]
INSTANCES += [{"p": first, "q": second} for first in VALUES for second in VALUES]


# Every way to put schemas into a schema.
SHAPES: list[Callable[[Any, Any], Any]] = [
    lambda x, y: {"properties": {"p": x, "q": y}},
    lambda x, y: {"properties": {"p": x}, "additionalProperties": False},
    lambda x, y: {"properties": {"p": x}, "additionalProperties": y},
    lambda x, y: {"properties": {"p": x}, "patternProperties": {"^p": y}, "additionalProperties": False},
    lambda x, y: {"properties": {"p": x, "q": y}, "anyOf": [{"required": ["p"]}, {"required": ["q"]}]},
    lambda x, y: {"anyOf": [{"properties": {"p": x}}, {"properties": {"q": y}, "required": ["q"]}]},
    lambda x, y: {"oneOf": [{"properties": {"p": x}, "additionalProperties": False}, {"properties": {"p": y}}]},
    lambda x, y: {"allOf": [{"patternProperties": {"p": x}}, {"patternProperties": {"q": y}}]},
    lambda x, y: {
        "patternProperties": {"p": x},
        "allOf": [{"patternProperties": {"p|q": y}, "additionalProperties": False}],
    },
    lambda x, y: {"allOf": [{"properties": {"p": x}}, {"properties": {"p": y}}], "unevaluatedProperties": False},
    lambda x, y: {"anyOf": [x, y]},
    lambda x, y: {"oneOf": [x, y]},
    lambda x, y: {"oneOf": [x, {"type": "null"}]},
    lambda x, y: {"allOf": [x, y]},
    lambda x, y: {**x, "allOf": [y]},
    lambda x, y: {**x, "anyOf": [y, {"type": "boolean"}]},
    lambda x, y: {"not": x},
    lambda x, y: {"if": x, "then": y},
    lambda x, y: {"if": x, "then": y, "else": {"type": "boolean"}},
    lambda x, y: {"contains": x, "maxContains": 1, "minContains": 0},
    lambda x, y: {"type": "array", "items": x},
    lambda x, y: {"type": ["array", "string"], "prefixItems": [x], "items": y},
    lambda x, y: {"dependentSchemas": {"p": x}},
    lambda x, y: {"properties": {"p": True, "q": False, "r": x}},
]


def narrowed(schema: Any) -> list[Any]:
    """The instances that a dialect refuses though the exact schema accepts them, with the dialect."""
    exact = Validator(schema)
    accepted = [instance for instance in INSTANCES if exact.accepts(instance)]
    found = []
    for dialect in LOOSE:
        lowered = lower(schema, dialect).schema
        assert not invalid_because(lowered), (dialect, schema)
        widened = Validator(with_nullable(lowered))
        found += [(dialect, instance) for instance in accepted if not widened.accepts(instance)]
    return found


def with_nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """`nullable` as Gemini means it, in JSON Schema."""

    def read(node: dict[str, Any]) -> dict[str, Any]:
        rest = {key: value for key, value in node.items() if key != "nullable"}
        return {"anyOf": [rest, {"type": "null"}]} if node.get("nullable") else node

    return walk.rebuild(schema, read)


@pytest.mark.parametrize("place", ["root", "property"])
def test_each_keyword_in_each_place_is_only_ever_widened(place: str) -> None:
    """Neighbours among the leaves share keywords, so merging them means something."""
    defs = {"A": {"type": "integer"}, "B": {"enum": ["", "a"]}}
    for leaf, neighbour in zip(LEAVES, [*LEAVES[1:], LEAVES[0]], strict=True):
        for shape in SHAPES:
            schema = shape(leaf, neighbour)
            schema = schema if place == "root" else {"properties": {"p": schema}}
            assert narrowed({**schema, "$defs": defs}) == [], schema


def nested(leaves: list[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        st.sampled_from(leaves),
        lambda inner: st.builds(lambda shape, x, y: shape(x, y), st.sampled_from(SHAPES), inner, inner),
        max_leaves=6,
    )


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(root=nested(LEAVES), a=nested(LEAVES[:-2]), b=nested(LEAVES[:-2]))
def test_what_the_exact_schema_accepts_stays_accepted(root: Any, a: Any, b: Any) -> None:
    recursive = {**b, "properties": {"p": {"$ref": "#/$defs/B"}, "q": b}}
    assert narrowed({**root, "$defs": {"A": a, "B": recursive}}) == []


CLOSED = st.builds(
    lambda properties, required, more: {"type": "object", "properties": properties, "required": required, **more},
    st.dictionaries(
        st.sampled_from("pqr"),
        st.sampled_from([leaf for leaf in LEAVES if {"type", "enum", "const"} & leaf.keys()])
        | st.builds(lambda *pair: {"oneOf": list(pair)}, *[st.sampled_from(LEAVES[1:5])] * 2),
        min_size=1,
    ),
    st.lists(st.sampled_from("pqr"), max_size=2, unique=True),
    st.sampled_from([{}, {"anyOf": [{"required": ["p"]}, {"required": ["q"]}]}, {"minProperties": 1}]),
)


@settings(max_examples=100, deadline=None)
@given(schema=CLOSED)
def test_strict_modes_accept_every_call_with_declared_keys(schema: Any) -> None:
    exact = Validator(schema)
    names = schema["properties"]
    accepted = [i for i in INSTANCES if exact.accepts(i) and i.keys() <= names.keys()]
    if not strict_problem(schema, "anthropic-strict"):
        closed = Validator(lower(schema, "anthropic-strict").schema)
        assert [instance for instance in accepted if not closed.accepts(instance)] == []
    if not strict_problem(schema, "openai-strict"):
        closed = Validator(lower(schema, "openai-strict").schema)
        nulled = [{name: instance.get(name) for name in names} for instance in accepted]  # null for what is left out
        assert [instance for instance in nulled if not closed.accepts(instance)] == []


def test_a_schema_that_needs_nothing_comes_back_as_it_was() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string", "minLength": 1}, "b": {"type": "array", "items": {"type": "integer"}}},
        "required": ["a"],
        "additionalProperties": False,
    }
    for dialect in LOOSE[:-2]:
        assert lower(schema, dialect).schema == schema
        assert lower(schema, dialect).losses == ()


def test_root_alternatives_become_words_where_only_the_required_names_differ() -> None:
    schema = {
        "type": "object",
        "properties": {"id": {"type": "string"}, "owner": {"type": "string"}, "name": {"type": "string"}},
        "anyOf": [{"required": ["id"]}, {"required": ["owner", "name"]}],
    }
    lowered = lower(schema, "anthropic")
    assert lowered.schema == {
        "type": "object",
        "properties": schema["properties"],
        "description": "Needs one of: id; owner and name.",
    }
    assert [(loss.pointer, loss.keyword, loss.went) for loss in lowered.losses] == [("/anyOf", "anyOf", "words")]


def test_root_alternatives_show_all_their_properties() -> None:
    closed = {"type": "object", "additionalProperties": False}
    schema = {
        "oneOf": [
            {"$ref": "#/$defs/ById"},
            {**closed, "properties": {"name": {"type": "string"}, "dry": {"type": "boolean"}}, "required": ["dry"]},
        ],
        "$defs": {"ById": {**closed, "properties": {"id": {"type": "string"}, "dry": {}}, "required": ["id", "dry"]}},
    }
    lowered = lower(schema, "openai")
    assert lowered.schema == {
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "dry": {"anyOf": [{}, {"type": "boolean"}]},
            "name": {"type": "string"},
        },
        "required": ["dry"],
        "additionalProperties": False,
    }
    assert [(loss.keyword, loss.went) for loss in lowered.losses] == [("oneOf", "dispatch")]


def test_root_reference_and_all_of_are_written_into_the_root_without_loss() -> None:
    schema = {
        "$ref": "#/$defs/Base",
        "allOf": [{"properties": {"b": {"type": "string"}}, "required": ["b"]}],
        "$defs": {"Base": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}},
    }
    lowered = lower(schema, "anthropic")
    assert lowered.schema == {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
        "required": ["a", "b"],
    }
    assert lowered.losses == ()


def test_gemini_takes_no_empty_enum_value() -> None:
    schema = {"type": "object", "properties": {"sort": {"enum": ["", "asc"], "description": "Order."}}}
    lowered = lower(schema, "gemini")
    assert lowered.schema["properties"]["sort"] == {"description": 'Order. One of: "", asc.', "type": "string"}
    assert [(loss.pointer, loss.went) for loss in lowered.losses] == [("/properties/sort/enum", "words")]


def test_gemini_parameters_have_no_json_schema_keywords() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "v": {"const": "x"}}, "required": ["v"]}
    schema = {
        "type": "object",
        "properties": {
            "count": {"type": "integer", "exclusiveMinimum": 0},
            "ratio": {"type": ["number", "null"], "exclusiveMaximum": 1},
            "id": {"type": ["string", "integer"], "minLength": 1},
            "when": {"type": "string", "format": "uuid"},
            "level": {"enum": [1, 2]},
            "who": {"oneOf": [{"type": "null"}, {"$ref": "#/$defs/Node"}]},
            "tags": {"type": "array", "uniqueItems": True, "items": {"type": "string"}},
        },
        "required": ["count", "gone"],
        "additionalProperties": False,
        "$defs": {"Node": node},
    }
    lowered = lower(schema, "gemini-openapi")
    properties = lowered.schema["properties"]
    assert lowered.schema.keys() == {"type", "properties", "required"}
    assert lowered.schema["required"] == ["count"]
    assert properties["count"] == {"type": "integer", "minimum": 1}
    assert properties["ratio"] == {"type": "number", "nullable": True, "maximum": 1, "description": "Less than 1."}
    assert properties["id"] == {"anyOf": [{"type": "string", "minLength": 1}, {"type": "integer"}]}
    assert properties["when"] == {"type": "string", "description": "Format: uuid."}
    assert properties["level"] == {"type": "integer", "description": "One of: 1, 2."}
    assert properties["tags"] == {"type": "array", "items": {"type": "string"}, "description": "No duplicates."}
    inner = {"type": "object"}  # the definition is written out once; inside itself only its type is left
    assert properties["who"] == {
        "type": "object",
        "nullable": True,
        "properties": {"next": inner, "v": {"type": "string", "enum": ["x"]}},
        "required": ["v"],
    }
    assert untyped(lowered.schema) == ""
    assert ("/properties/who/properties/next/$ref", "dispatch") in {(x.pointer, x.went) for x in lowered.losses}


def test_untyped_values_are_found_where_gemini_parameters_refuse_them() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "array"}}}
    assert untyped(lower(schema, "gemini-openapi").schema) == "/properties/a/items"


def test_openai_strict_requires_everything_and_takes_null_for_what_is_left_out() -> None:
    schema = {
        "type": "object",
        "properties": {
            "q": {"type": "string", "minLength": 1, "description": "Query."},
            "kind": {"type": "string", "enum": ["a", "b"], "description": "Kind."},
            "opts": {"type": "object", "properties": {"n": {"type": "integer", "default": 5}}},
        },
        "required": ["q"],
    }
    assert strict_problem(schema, "openai-strict") == ""
    assert lower(schema, "openai-strict").schema == {
        "type": "object",
        "properties": {
            "q": {"type": "string", "description": "Query. Not empty."},
            "kind": {"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "null"}], "description": "Kind."},
            "opts": {
                "type": ["object", "null"],
                "properties": {"n": {"type": ["integer", "null"], "description": "Default: 5."}},
                "required": ["n"],
                "additionalProperties": False,
            },
        },
        "required": ["q", "kind", "opts"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("properties", "said"),
    [
        ({"a": {"type": "object"}}, "free keys"),
        ({"a": {"type": "object", "additionalProperties": {"type": "string"}}}, "free keys"),
        ({"a": {}}, "any value"),
        ({"a": {"type": "array", "items": {}}}, "any value"),
        ({"milestone": {"type": ["integer", "null"]}}, "milestone"),
    ],
)
def test_what_strict_mode_cannot_say(properties: Any, said: str) -> None:
    schema = {"type": "object", "properties": properties, "required": sorted({"a"} & properties.keys())}
    assert said in strict_problem(schema, "openai-strict")


def test_a_recursive_schema_is_refused_by_anthropic_strict_only() -> None:
    node = {"type": "object", "properties": {"child": {"$ref": "#/$defs/N"}}}
    schema = {"type": "object", "properties": {"n": {"$ref": "#/$defs/N"}}, "required": ["n"], "$defs": {"N": node}}
    assert "itself" in strict_problem(schema, "anthropic-strict")
    assert strict_problem(schema, "openai-strict") == ""


@pytest.mark.parametrize("keyword", ["allOf", "anyOf"])
def test_definitions_that_double_at_each_step_end(keyword: str) -> None:
    defs = {
        f"D{n}": {keyword: [{"$ref": f"#/$defs/D{n + 1}"}, {"$ref": f"#/$defs/D{n + 1}", "title": "x"}]}
        for n in range(40)
    }
    schema = {"$ref": "#/$defs/D0", "properties": {"a": {"$ref": "#/$defs/D0"}}, "$defs": {**defs, "D40": {}}}
    for dialect in DIALECTS:
        assert lower(schema, dialect).schema["type"] == "object"
