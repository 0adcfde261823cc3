"""A number such as `1.0` is an integer to JSON Schema (2020-12, 6.1.1), and goes out as one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolc.schema.integers import as_integers

WHOLE = {"type": "integer"}
DEFS = {"n": WHOLE, "tree": {"properties": {"n": {"$ref": "#/$defs/n"}, "next": {"$ref": "#/$defs/tree"}}}}


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        (WHOLE, 3.0, "3"),
        (WHOLE, 1e3, "1000"),
        ({"type": ["integer", "null"]}, -0.0, "0"),
        ({"type": "number"}, 3.0, "3.0"),
        ({"type": ["integer", "number"]}, 3.0, "3.0"),
        ({}, 3.0, "3.0"),
        (True, 3.0, "3.0"),
        ({"items": WHOLE, "prefixItems": [{"type": "number"}]}, [1.0, 2.0], "[1.0, 2]"),
        (
            {"additionalProperties": WHOLE, "properties": {"a": {"type": "number"}}},
            {"a": 1.0, "b": 2.0},
            '{"a": 1.0, "b": 2}',
        ),
        ({"anyOf": [{"type": "string"}, {"allOf": [WHOLE]}]}, 1.0, "1"),
        (
            {"oneOf": [{"properties": {"n": WHOLE}}, {"properties": {"m": WHOLE}}]},
            {"n": 1.0, "m": 2.0},
            '{"n": 1, "m": 2}',
        ),
        ({"$ref": "#/$defs/tree", "$defs": DEFS}, {"next": {"next": {"n": 4.0}}}, '{"next": {"next": {"n": 4}}}'),
        ({"$ref": "#/$defs/loop", "$defs": {"loop": {"$ref": "#/$defs/loop"}}}, 1.0, "1.0"),
        ({"properties": {"a": WHOLE}}, {"a": True, "b": "1.0"}, '{"a": true, "b": "1.0"}'),
    ],
)
def test_integers(schema: Any, value: Any, expected: str) -> None:
    assert json.dumps(as_integers(value, schema)) == expected
