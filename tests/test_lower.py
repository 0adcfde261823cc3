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


@settings(max_examples=100, deadline=None)
@given(schema=ROOTS, instances=st.lists(OBJECTS, min_size=3, max_size=8))
def test_what_the_exact_schema_accepts_stays_accepted(schema: Any, instances: list[Any]) -> None:
    exact = Validator(schema)
    accepted = [instance for instance in instances if exact.accepts(instance)]
    for dialect in LOOSE:
        lowered = lower(schema, dialect).schema
        assert not invalid_because(lowered), dialect
        widened = Validator(with_nullable(lowered))
        assert [instance for instance in accepted if not widened.accepts(instance)] == [], dialect


CLOSED = st.recursive(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["string", "integer", "number", "boolean"])},
        optional={key: FLAT[key] for key in ("enum", "minimum", "exclusiveMaximum", "minLength", "format")},
    ),
    lambda inner: st.one_of(
        st.fixed_dictionaries({"type": st.just("array"), "items": inner}, optional={"uniqueItems": st.booleans()}),
        st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.dictionaries(st.sampled_from("pqr"), inner, min_size=1)},
            optional={"required": NAMES, "oneOf": st.just([{"type": "object"}, {"required": ["p"]}])},
        ),
        st.builds(lambda *branches: {"oneOf": list(branches)}, inner, inner),
    ),
    max_leaves=8,
).filter(lambda schema: schema.get("type") == "object")


def as_strict_models_write(schema: Any, instance: Any) -> Any:
    """The same arguments with null for everything left out."""
    if isinstance(instance, dict) and "properties" in schema:
        return {
            name: as_strict_models_write(form, instance[name]) if name in instance else None
            for name, form in schema["properties"].items()
        }
    if isinstance(instance, list) and "items" in schema:
        return [as_strict_models_write(schema["items"], item) for item in instance]
    return instance


@settings(max_examples=60, deadline=None)
@given(schema=CLOSED, instances=st.lists(OBJECTS, min_size=3, max_size=8))
def test_strict_modes_accept_what_is_declared(schema: Any, instances: list[Any]) -> None:
    exact = Validator(schema)
    declared = [
        instance
        for instance in instances
        if exact.accepts(instance) and Validator(lower(schema, "anthropic-strict").schema).accepts(instance)
    ]
    for instance in instances:
        if exact.accepts(instance) and instance.keys() <= schema["properties"].keys() and _is_flat(instance):
            assert instance in declared
    if not strict_problem(schema, "openai-strict"):
        closed = Validator(lower(schema, "openai-strict").schema)
        assert all(closed.accepts(as_strict_models_write(schema, i)) for i in declared if _is_flat(i))


def _is_flat(instance: dict[str, Any]) -> bool:
    return not any(isinstance(value, dict | list) for value in instance.values())


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
