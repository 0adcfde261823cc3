"""Schemas of older dialects in draft 2020-12: what each keyword means comes from the specification named beside it."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolc.schema.upgrade import Dialect, to_2020_12
from toolc.schema.validator import Validator


def upgraded(schema: Any, dialect: Dialect) -> tuple[Any, list[tuple[str, str]]]:
    notes: list[tuple[str, str]] = []
    return to_2020_12(schema, dialect, lambda pointer, message: notes.append((pointer, message))), notes


@pytest.mark.parametrize(
    ("dialect", "old", "new"),
    [
        # OpenAPI 3.0.3, Schema Object
        ("openapi-3.0", {"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ("openapi-3.0", {"type": "string", "nullable": False}, {"type": "string"}),
        (
            "openapi-3.0",
            {"type": "string", "nullable": True, "enum": ["a"]},
            {"type": ["string", "null"], "enum": ["a", None]},
        ),
        ("openapi-3.0", {"type": "integer", "example": 3}, {"type": "integer", "examples": [3]}),
        ("openapi-3.0", {"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
        ("openapi-3.0", {"maximum": 1, "exclusiveMaximum": False}, {"maximum": 1}),
        # draft 04 and 07; 2020-12 §10.3.1, §8.2.4 and validation §6.5.4 for what became of them
        ("draft-04", {"exclusiveMinimum": True}, {}),
        ("draft-04", {"id": "http://a", "$schema": "http://json-schema.org/draft-04/schema#"}, {}),
        ("draft-07", {"exclusiveMinimum": 1, "minimum": 0}, {"exclusiveMinimum": 1, "minimum": 0}),
        ("draft-07", {"items": [{}, {"type": "null"}]}, {"prefixItems": [{}, {"type": "null"}]}),
        ("draft-07", {"items": [{}], "additionalItems": False}, {"prefixItems": [{}], "items": False}),
        ("draft-07", {"items": {}, "additionalItems": False}, {"items": {}}),
        ("draft-07", {"items": [], "additionalItems": {"type": "null"}}, {"items": {"type": "null"}}),
        (
            "draft-07",
            {"definitions": {"A": {}}, "$ref": "#/definitions/A"},
            {"$defs": {"A": {}}, "$ref": "#/$defs/A"},
        ),
        (
            "draft-07",
            {"dependencies": {"a": ["b"], "c": {"required": ["d"]}}},
            {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"required": ["d"]}}},
        ),
    ],
)
def test_keywords_of_older_dialects(dialect: Dialect, old: Any, new: Any) -> None:
    assert upgraded(old, dialect) == (new, [])
    nested, notes = upgraded({"properties": {"p": {"anyOf": [old]}}}, dialect)
    assert (nested, notes) == ({"properties": {"p": {"anyOf": [new]}}}, [])


def test_what_is_the_same_in_both_dialects_is_shared() -> None:
    same = {"type": "object", "properties": {"a": {"type": "string", "minLength": 1}}, "required": ["a"]}
    assert upgraded(same, "openapi-3.0")[0] is same
    outer, _ = upgraded({"allOf": [same, {"type": "string", "nullable": True}]}, "openapi-3.0")
    assert outer["allOf"][0] is same


def test_nullable_without_a_type_is_noted_where_it_stands() -> None:
    schema = {"properties": {"a/b": {"nullable": True, "allOf": [{"type": "string"}]}}}
    new, notes = upgraded(schema, "openapi-3.0")
    assert new == {"properties": {"a/b": {"allOf": [{"type": "string"}]}}}
    assert [pointer for pointer, _ in notes] == ["/properties/a~1b"]


def test_names_of_properties_are_no_keywords() -> None:
    schema = {"properties": {"nullable": {"type": "string"}, "example": {}, "id": {}, "definitions": {}, "items": {}}}
    assert upgraded(schema, "openapi-3.0") == (schema, [])


def test_values_that_hold_schemas_stay_as_they_are() -> None:
    value = {"nullable": True, "type": "file", "$ref": "#/definitions/A"}
    schema = {"default": value, "enum": [value], "const": value, "examples": [value]}
    assert upgraded(schema, "openapi-3.0") == (schema, [])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"type": "file"}, {"type": "string"}),
        ({"type": "Int64"}, {"type": "integer"}),
        ({"type": "any"}, {}),
        ({"type": "thing"}, {}),
        ({"type": ["string", "string", "thing"]}, {"type": ["string"]}),
        ({"minLength": "3", "maxLength": -1, "minimum": "0"}, {}),
        ({"enum": "a"}, {}),
        ({"required": ["a", "a"]}, {"required": ["a"]}),
        ({"required": "a"}, {"required": ["a"]}),
        ({"required": {"a": True}}, {}),
        ({"required": "yes"}, {}),
        (
            {"properties": {"a": {"required": True}, "b": {"required": False}}},
            {"properties": {"a": {}, "b": {}}, "required": ["a"]},
        ),
        ({"anyOf": []}, {}),
        ({"items": "string"}, {"items": {}}),
        ({"description": None, "title": 3}, {"title": "3"}),
        ({"examples": {"one": {"value": 1}, "two": 2}}, {"examples": [1, 2]}),
    ],
)
def test_what_no_dialect_has_is_repaired(old: Any, new: Any) -> None:
    assert upgraded(old, "openapi-3.0")[0] == new
    Validator(upgraded(old, "openapi-3.0")[0])


@pytest.mark.parametrize("required", ["a", 1, {"a": True}, ["a", 1]])
def test_what_was_required_and_cannot_be_is_told(required: Any) -> None:
    assert [place for place, _ in upgraded({"type": "object", "required": required}, "2020-12")[1]] == [""]


values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "abc"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=5,
)
draft_04 = st.recursive(
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["string", "integer", "object", "array", "null"]),
            "minimum": st.integers(-2, 2),
            "exclusiveMinimum": st.booleans(),
            "enum": st.lists(values, min_size=1, max_size=3),
        },
    ),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
            "items": inner | st.lists(inner, min_size=1, max_size=2),
            "additionalItems": st.booleans() | inner,
            "dependencies": st.dictionaries(st.sampled_from("ab"), inner | st.just(["b"]), max_size=2),
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "not": inner,
        },
    ),
    max_leaves=4,
)


@given(schema=draft_04, value=values)
@settings(max_examples=300, deadline=None)
def test_the_same_values_are_accepted(schema: Any, value: Any) -> None:
    if _lonely_exclusive(schema):
        return  # draft 04 forbids exclusiveMinimum without minimum
    new, _ = upgraded(schema, "draft-04")
    assert Validator(new).accepts(value) == jsonschema.Draft4Validator(schema).is_valid(value)


def _lonely_exclusive(schema: Any) -> bool:
    if isinstance(schema, dict):
        lonely = "exclusiveMinimum" in schema and "minimum" not in schema
        return lonely or any(map(_lonely_exclusive, schema.values()))
    return isinstance(schema, list) and any(map(_lonely_exclusive, schema))
