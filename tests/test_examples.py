"""Examples: what is emitted, what is refused and where that is said, and what is proposed from recorded calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from toolc.cli import run
from toolc.diagnostics import Report
from toolc.pipeline import recordings
from toolc.schema.masking import Masking
from toolc.schema.validator import Validator

SECRET = "Zq7-hunter2"


def masked(schema: dict[str, Any], arguments: dict[str, Any], *safe: str) -> dict[str, Any]:
    whole = {"type": "object", **schema}
    result = Masking(whole, frozenset(safe)).mask(arguments)
    assert result is not None
    assert Validator(whole).accepts(result.arguments)
    return result.arguments


def one(schema: dict[str, Any], value: Any, name: str = "field") -> Any:
    return masked({"properties": {name: schema}}, {name: value})[name]


TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"type": "string", "enum": ["open", "closed"]}, "open", "open"),
        ({"anyOf": [{"const": "all"}, {"type": "string", "format": "date"}]}, "all", "all"),
        ({"oneOf": [{"enum": ["a"]}, {"enum": ["b"]}]}, "b", "b"),
        ({"type": "boolean"}, True, True),
        ({"type": "integer"}, 42, 42),
        ({"type": "number"}, 19.99, 19.99),
        ({"type": ["string", "null"]}, None, None),
        (TEXT, SECRET, "<field>"),
        ({"type": "string", "minLength": 10}, SECRET, "<field>xxx"),
        ({"type": "string", "maxLength": 3}, "abc", "fie"),
        ({"type": "string", "format": "email"}, "jane@corp.com", "user@example.com"),
        ({"type": "string", "format": "date"}, "2025-03-04", "2026-01-31"),
        ({"type": "string", "format": "date-time"}, "2025-03-04T05:06:07Z", "2026-01-31T09:30:00Z"),
        ({"type": "string", "contentEncoding": "base64"}, "c2VjcmV0", "ZXhhbXBsZQ=="),
        # no format declared, but the value shows one
        (TEXT, "2025-03-04", "2026-01-31"),
        (TEXT, "jane@corp.com", "user@example.com"),
        (TEXT, "https://corp.internal/x?token=1", "https://example.com/path"),
        (TEXT, "4111111111111111", "1234567890123456"),
        ({"type": "string", "pattern": "^[A-Z]{2}-[0-9]{2}$"}, "ZZ-99", "AA-00"),
        # what the schema itself says is public
        ({"type": "string", "examples": ["octocat"]}, SECRET, "octocat"),
        ({"type": "string", "default": "main"}, "main", "main"),
        # numbers that may name somebody
        ({"type": "integer"}, 4111111111111111, 123456789012345),
        ({"type": "array", "items": TEXT}, [SECRET, SECRET + "2", "x"], ["<field>"]),
        ({"type": "array", "items": {"enum": ["a", "b", "c"]}}, ["c", "a", "b"], ["c", "a"]),
        (
            {"type": "object", "properties": {"k": TEXT, "n": {"type": "integer"}}},
            {"k": SECRET, "n": 1},
            {"k": "<k>", "n": 1},
        ),
        ({"type": "object"}, {"jane@corp.com": 5}, {"key_1": 5}),
        ({"type": "object", "additionalProperties": TEXT}, {SECRET: SECRET}, {"key_1": "<text>"}),
        ({}, {"a": [SECRET]}, {"key_1": ["<text>"]}),
        ({"type": "object", "required": ["id"]}, {"id": SECRET}, {"id": "<id>"}),
    ],
)
def test_what_masking_keeps(schema: dict[str, Any], value: Any, expected: Any) -> None:
    assert one(schema, value) == expected


@pytest.mark.parametrize("name", ["phone_number", "cardNumber", "account", "ssn"])
def test_a_number_that_names_somebody_is_masked_however_short(name: str) -> None:
    assert one({"type": "integer"}, 4321, name) == 1234
    assert one({"type": "integer", "minimum": 4000}, 4321, name) != 4321


def test_a_place_is_rounded() -> None:
    assert one({"type": "number"}, 52.520008, "latitude") == 53


def test_a_safe_field_keeps_its_value_by_name_or_by_path() -> None:
    schema = {"properties": {"repo": TEXT, "by": {"type": "object", "properties": {"repo": TEXT, "name": TEXT}}}}
    call = {"repo": "app", "by": {"repo": "lib", "name": "jane"}}
    assert masked(schema, call, "repo") == {"repo": "app", "by": {"repo": "lib", "name": "<name>"}}
    assert masked(schema, call, "by.name") == {"repo": "<repo>", "by": {"repo": "<repo>", "name": "jane"}}


def test_items_that_must_differ_differ_after_masking() -> None:
    schema = {"type": "array", "items": TEXT, "minItems": 3, "uniqueItems": True}
    result = one(schema, ["jane", "joe", "jim"])
    assert len(set(result)) == 3
    assert not {"jane", "joe", "jim"} & set(result)


_LEAVES = st.none() | st.booleans() | st.integers(-99, 99)
_VALUES = st.recursive(
    _LEAVES | st.just(SECRET),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", SECRET, "b c"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["x", "y", SECRET]), _VALUES, max_size=3))
def test_no_text_of_a_call_survives_an_open_schema(call: dict[str, Any]) -> None:
    schema = {
        "type": "object",
        "properties": {"x": {}, "y": {"type": ["string", "array", "object", "null", "number", "boolean"]}},
    }
    result = Masking(schema).mask(call)
    assert result is not None
    assert SECRET not in json.dumps(result.arguments)


CALL = {"name": "note_write", "args": {"n": 1}}


@pytest.mark.parametrize(
    "line",
    [
        {"tool": "note_write", "arguments": {"n": 1}},
        {"operation": "note_write", "arguments": {"n": 1}, "at": "2026-01-01"},
        {"type": "tool_use", "id": "t1", "name": "note_write", "input": {"n": 1}},
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "x"}, {"type": "tool_use", "name": "note_write", "input": {"n": 1}}],
        },
        {"tool_calls": [{"type": "function", "function": {"name": "note_write", "arguments": '{"n": 1}'}}]},
        {"choices": [{"message": {"tool_calls": [{"function": {"name": "note_write", "arguments": '{"n": 1}'}}]}}]},
        {"type": "function_call", "name": "note_write", "arguments": '{"n": 1}', "call_id": "c"},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "note_write", "arguments": {"n": 1}}},
        {"candidates": [{"content": {"parts": [{"functionCall": {"name": "note_write", "args": {"n": 1}}}]}}]},
        {
            "output": {
                "message": {"content": [{"toolUse": {"toolUseId": "u", "name": "note_write", "input": {"n": 1}}}]}
            }
        },
        {
            "tools": [{"name": "other", "input": {}}],
            "messages": [{"content": [{"name": "note_write", "input": {"n": 1}}]}],
        },
    ],
)
def test_shapes_of_recorded_calls(line: dict[str, Any]) -> None:
    report = Report()
    (found,) = recordings.read(json.dumps(line).encode(), "calls.jsonl", report)
    assert (found.name, found.arguments) == ("note_write", {"n": 1})
    assert report.diagnostics == []


def test_bad_lines_are_told_at_their_place() -> None:
    report = Report()
    text = (
        b'{"tool": "a", "arguments": {}}\n\n  {"tool": "b", "arguments": }\n{"x": 1}\n'
        b'{"tool": "c", "arguments": "[1]"}\n\xff\n'
    )
    found = recordings.read(text, "calls.jsonl", report)
    assert [call.name for call in found] == ["a"]
    places = [(d.origin.source, d.origin.line, d.origin.column) for d in report.diagnostics if d.origin]
    # the comma-less value of the third line is missed at its closing brace
    assert places == [("calls.jsonl", 3, 30), ("calls.jsonl", 4, 1), ("calls.jsonl", 5, 1), ("calls.jsonl", 6, 1)]


TOOLS = """
tools:
  - name: memory_create
    description: Create a memory.
    input:
      type: object
      properties:
        content: {type: string, description: What is to be remembered from here on.}
        kind: {type: string, enum: [fact, plan], description: Which shelf of the memory it belongs on.}
      required: [content]
  - name: memory_update
    description: Update a memory.
    input:
      type: object
      properties:
        id: {type: string, format: uuid, description: Memory id.}
        content: {type: string, description: What is to be remembered from here on.}
        kind: {type: string, enum: [fact, plan], description: Which shelf of the memory it belongs on.}
      required: [id, content]
  - name: remind
    description: Remind me.
    input:
      type: object
      properties: {text: {type: string}, day: {type: string, format: date}}
      required: [text]
"""


def project(folder: Path, **more: Any) -> Path:
    (folder / "tools.yaml").write_text(TOOLS, encoding="utf-8")
    data = {"version": 1, "name": "demo", "sources": {"core": {"type": "tools", "path": "tools.yaml"}}, **more}
    (folder / "toolc.yaml").write_text(json.dumps(data, indent=1), encoding="utf-8")
    return folder


def build(folder: Path) -> dict[str, Any]:
    assert run(["build", str(folder / "toolc.yaml")]) == 0
    data: dict[str, Any] = json.loads((folder / "bundle/bundle.json").read_text(encoding="utf-8"))
    return data


def examples(data: dict[str, Any]) -> dict[str, list[Any]]:
    return {tool["name"]: [(e["provenance"], e["arguments"]) for e in tool["examples"]] for tool in data["tools"]}


def test_propose_include_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project(tmp_path))
    assert any(alias == "memory_update" for alias in build(tmp_path)["aliases"])
    lines = [
        # a merged tool, an old name behind a harness's prefix, an operation
        {"tool": "memory_write", "arguments": {"action": "create", "content": SECRET, "kind": "plan"}},
        {
            "name": "mcp__demo__memory_update",
            "input": {"id": "0e37df36-f698-11e6-8dd4-cb9ced3df976", "content": SECRET},
        },
        {"operation": "core:remind", "arguments": {"text": SECRET, "day": "2025-02-03"}},
        {"operation": "core:remind", "arguments": {"text": "says nothing"}},
        {"tool": "memory_write", "arguments": {"action": "burn"}},
        {"tool": "memori_write", "arguments": {}},
    ]
    Path("calls.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert run(["examples", "propose", "calls.jsonl"]) == 0
    said = capsys.readouterr()
    assert "calls.jsonl:5:1" in said.err
    assert "calls.jsonl:6:1" in said.err
    assert "did you mean `memory_write`" in said.err
    text = Path("examples.yaml").read_text(encoding="utf-8")
    assert SECRET not in text
    assert yaml.safe_load(text)["examples"] == {
        "core:memory_create": [{"content": "<content>", "kind": "plan"}],
        "core:memory_update": [{"id": "123e4567-e89b-12d3-a456-426614174000", "content": "<content>"}],
        "core:remind": [{"text": "<text>", "day": "2026-01-31"}],
    }
    assert run(["examples", "propose", "calls.jsonl"]) == 2  # never over a file that somebody may have edited

    project(tmp_path, include=["./examples.yaml"], targets={"anthropic": {}})
    found = examples(build(tmp_path))
    assert found["memory_write"] == [
        ("recorded", {"action": "create", "content": "<content>", "kind": "plan"}),
        ("recorded", {"action": "update", "id": "123e4567-e89b-12d3-a456-426614174000", "content": "<content>"}),
    ]
    assert found["remind"] == [("recorded", {"text": "<text>", "day": "2026-01-31"})]
    tools = json.loads((tmp_path / "bundle/targets/anthropic/tools.json").read_text(encoding="utf-8"))
    (remind,) = [tool for tool in tools if tool["name"] == "remind"]
    assert remind["input_examples"] == [{"text": "<text>", "day": "2026-01-31"}]


def test_nothing_to_propose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project(tmp_path))
    build(tmp_path)
    Path("calls.jsonl").write_text('{"tool": "remind", "arguments": {"text": "x"}}\n', encoding="utf-8")
    assert run(["examples", "propose", "calls.jsonl"]) == 1
    assert not Path("examples.yaml").exists()


def test_few_and_different_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project(tmp_path))
    build(tmp_path)
    calls = [{"content": f"n{n}", "kind": "fact"} for n in range(5)] + [
        {"content": "a"},
        {"content": "b", "kind": "plan"},
    ]
    text = "\n".join(json.dumps({"operation": "core:memory_create", "arguments": call}) for call in calls)
    Path("calls.jsonl").write_text(text, encoding="utf-8")
    assert run(["examples", "propose", "calls.jsonl", "--most", "5", "-o", "x.yaml"]) == 0
    assert yaml.safe_load(Path("x.yaml").read_text(encoding="utf-8"))["examples"] == {
        "core:memory_create": [{"content": "<content>", "kind": "fact"}, {"content": "<content>", "kind": "plan"}]
    }


@pytest.mark.parametrize(
    ("given", "rule", "place"),
    [
        ({"text": 5}, "invalid-example", "/sources/core/overrides/remind/examples/0/text"),
        (
            {"text": "x", "day": "12/01/2026"},
            "example-contradicts-format",
            "/sources/core/overrides/remind/examples/0/day",
        ),
    ],
)
def test_an_example_that_is_wrong_is_told_at_its_place(tmp_path: Path, given: Any, rule: str, place: str) -> None:
    from toolc import config
    from toolc.pipeline import build as build_all

    overrides = {"remind": {"examples": [given, {"text": "Buy milk", "day": "2026-02-01"}]}}
    folder = project(tmp_path, sources={"core": {"type": "tools", "path": "tools.yaml", "overrides": overrides}})
    result = build_all(config.load(folder / "toolc.yaml", Report()))
    assert [(d.rule, d.origin.pointer) for d in result.diagnostics if d.origin] == [(rule, place)]
    (tool,) = [tool for tool in result.catalog.tools if tool.name == "remind"]
    assert [e.arguments for e in tool.examples] == [{"text": "Buy milk", "day": "2026-02-01"}]
    assert result.report["examples"]["left_out"] == {"invalid": 1}


def test_figures_of_examples(tmp_path: Path) -> None:
    wanted = {"core:memory_create": [{"content": "Likes tea", "kind": "fact"}]}
    data = build(project(tmp_path, examples=wanted))
    report = json.loads((tmp_path / "bundle/report.json").read_text(encoding="utf-8"))
    assert examples(data)["memory_write"] == [
        ("recorded", {"action": "create", "content": "Likes tea", "kind": "fact"})
    ]
    assert report["examples"]["provenance"] == {"recorded": 1}
    assert report["examples"]["actions"] == 2
    assert report["examples"]["uncovered"] == {"memory_write": ["update"]}


def test_an_example_of_an_unknown_operation_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = project(tmp_path, examples={"core:remnd": [{"text": "x"}]})
    assert run(["build", str(folder / "toolc.yaml")]) == 2
    assert "did you mean `core:remind`" in capsys.readouterr().err


def openapi(folder: Path, operation: dict[str, Any]) -> dict[str, Any]:
    spec = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/things/{kind}": {"post": {"operationId": "make", "responses": {}, **operation}}},
    }
    (folder / "api.json").write_text(json.dumps(spec), encoding="utf-8")
    (folder / "toolc.yaml").write_text(
        "{version: 1, name: t, sources: {api: {type: openapi, path: api.json}}}", encoding="utf-8"
    )
    return build(folder)


def body(example: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string"}}}
    return {"requestBody": {"content": {"application/json": {"schema": schema, "example": example}}}}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ({"const": "small"}, [("source", {"kind": "small", "n": 7})]),
        ({"enum": ["only"]}, [("source", {"kind": "only", "n": 7})]),
        ({"type": "string", "default": "plain"}, [("source", {"kind": "plain", "n": 7})]),
        ({"enum": ["one", "two"]}, []),  # which of them is not for us to say
        ({"type": "string"}, []),
    ],
)
def test_an_example_without_its_path_parameters_is_completed_only_by_the_schema(
    tmp_path: Path, kind: dict[str, Any], expected: list[Any]
) -> None:
    parameter = {"name": "kind", "in": "path", "required": True, "schema": kind}
    data = openapi(tmp_path, {"parameters": [parameter], **body({"n": 7})})
    assert examples(data)["make"] == expected
    report = json.loads((tmp_path / "bundle/report.json").read_text(encoding="utf-8"))
    assert report["examples"]["left_out"].get("incomplete", 0) == (0 if expected else 1)


def test_filler_of_a_source_is_no_example(tmp_path: Path) -> None:
    parameter = {"name": "kind", "in": "path", "required": True, "schema": {"type": "string"}, "example": "string"}
    assert examples(openapi(tmp_path, {"parameters": [parameter], **body({"n": 0, "s": "string"})}))["make"] == []


@pytest.mark.parametrize(
    ("day", "others", "expected"),
    [
        (
            {"type": "string", "format": "date"},
            {"mode": {"enum": ["fast", "slow"]}},
            {"day": "2026-01-31", "mode": "fast"},
        ),
        ({"type": "string", "format": "date"}, {"name": {"type": "string"}}, None),  # a name would be made up
        ({"type": "string", "format": "uuid"}, {}, None),  # the type says it all
        ({"type": "string", "format": "date"}, {"until": {"type": "string", "format": "date"}}, None),  # an empty span
        (
            {"type": "string", "examples": ["first Monday"]},
            {"when": {"type": "string", "format": "time"}},
            {"day": "first Monday", "when": "09:30:00Z"},
        ),
    ],
)
def test_derived_examples_tell_what_types_do_not(
    tmp_path: Path, day: dict[str, Any], others: dict[str, Any], expected: Any
) -> None:
    properties = {"day": day, **others}
    tool = {
        "name": "plan",
        "description": "Plan it.",
        "inputSchema": {"type": "object", "properties": properties, "required": [*properties]},
    }
    (tmp_path / "list.json").write_text(json.dumps({"tools": [tool]}), encoding="utf-8")
    (tmp_path / "toolc.yaml").write_text(
        "{version: 1, name: t, sources: {s: {type: mcp, path: list.json}}}", encoding="utf-8"
    )
    assert examples(build(tmp_path))["plan"] == ([("derived", expected)] if expected else [])
