"""Which changes of an input break its callers, and in what words. The expected answers are worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

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
