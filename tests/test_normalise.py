"""What a model-facing schema leaves out, and what its root demands in words."""

from __future__ import annotations

from typing import Any

from toolc.schema.normalise import normalise
from toolc.schema.phrases import root_words


def test_examples_that_show_nothing_are_left_out() -> None:
    properties: dict[str, Any] = {
        "p": {"type": "string", "enum": ["a", "b"], "examples": ["a"]},
        "q": {"type": "string", "examples": ["2024-01-31", " ", None]},
        "r": {"type": "boolean", "examples": [True]},
        "s": {"type": "integer", "default": 20, "examples": [20, 0]},
    }
    assert normalise({"type": "object", "properties": properties})["properties"] == {
        "p": {"type": "string", "enum": ["a", "b"]},
        "q": {"type": "string", "examples": ["2024-01-31"]},
        "r": {"type": "boolean"},
        "s": {"type": "integer", "default": 20, "examples": [0]},
    }


def test_needs_are_said_once_for_all_that_have_them() -> None:
    needs = {"a": ["x", "y"], "b": ["x", "y"], "x": ["y"], "y": ["x"], "c": ["x"]}
    assert root_words({"type": "object", "dependentRequired": needs}) == (
        "a, b need x, y. c needs x. x, y go together."
    )
