"""What a model-facing schema leaves out, and what its root demands in words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from toolc.cli import run
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


def test_an_endless_example_is_for_those_who_ask(tmp_path: Path) -> None:
    """A certificate of two pages stands in `details`, not in every list of tools."""
    body = {
        "type": "object",
        "properties": {
            "pem": {"type": "string", "examples": ["-----BEGIN " + "A" * 1000]},
            "day": {"type": "string", "examples": ["2024-01-31"]},
        },
    }
    operation = {
        "operationId": "certificate_create",
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": {"200": {"description": "ok"}},
    }
    spec = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {"/a": {"post": operation}}}
    (tmp_path / "api.json").write_text(json.dumps(spec), encoding="utf-8")
    config = {"version": 1, "name": "t", "sources": {"api": {"type": "openapi", "path": "api.json"}}}
    (tmp_path / "toolc.yaml").write_text(json.dumps(config), encoding="utf-8")
    assert run(["build", str(tmp_path / "toolc.yaml")]) == 0
    (tool,) = json.loads((tmp_path / "bundle/bundle.json").read_text(encoding="utf-8"))["tools"]
    properties = tool["input_schema"]["properties"]
    assert "examples" not in properties["pem"]
    assert properties["day"]["examples"] == ["2024-01-31"]
    assert "pem: for example -----BEGIN AAA" in tool["details"]


def test_needs_are_said_once_for_all_that_have_them() -> None:
    needs = {"a": ["x", "y"], "b": ["x", "y"], "x": ["y"], "y": ["x"], "c": ["x"]}
    assert root_words({"type": "object", "dependentRequired": needs}) == (
        "a, b need x, y. c needs x. x, y go together."
    )
