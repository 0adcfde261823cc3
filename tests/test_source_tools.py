"""The `tools` source: every vendor's shape, and what becomes of broken definitions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolc.diagnostics import Report, Severity, UserError
from toolc.ir import Opaque, Operation
from toolc.schema.patterns import repaired, usable_patterns
from toolc.schema.validator import Validator, invalid_because
from toolc.sources import Context, Reading, tools

FIXTURES = Path(__file__).parent / "fixtures" / "sources"


def read(base: Path, *paths: str) -> tuple[Reading, Report]:
    report = Report()
    return tools.read(tools.Options(path=paths), Context("t", base, base, report)), report


def read_data(tmp_path: Path, data: Any) -> tuple[dict[str, Operation], list[tuple[str, str]]]:
    (tmp_path / "tools.json").write_text(json.dumps(data), encoding="utf-8")
    reading, report = read(tmp_path, "tools.json")
    found = [(finding.rule, finding.origin.pointer if finding.origin else "") for finding in report.diagnostics]
    return {operation.name: operation for operation in reading.operations}, found


def findings(report: Report) -> list[tuple[str, str, str]]:
    return [(d.rule, d.severity.name, d.origin.pointer if d.origin else "") for d in report.diagnostics]


def test_native_form() -> None:
    reading, report = read(FIXTURES, "native.yaml")
    lamp, switch = reading.operations
    assert not report.diagnostics
    assert (lamp.id, lamp.name, lamp.description) == ("t:lamp_get", "lamp_get", "Read the state of a lamp.")
    assert lamp.input == {
        "type": "object",
        "properties": {"id": {"type": "string", "description": "Lamp id."}},
        "required": ["id"],
    }
    assert lamp.call == Opaque(("lampctl", "get", "{id}"))
    assert [(e.arguments, e.provenance, e.origin.pointer) for e in lamp.examples if e.origin] == [
        ({"id": "hall"}, "authored", "/tools/0/examples/0")
    ]
    assert lamp.extra["results"] == {"keep": True}
    assert (lamp.hints.effect, lamp.hints.read_only.basis) == ("read", "inferred")
    assert (switch.hints.effect, switch.hints.read_only.basis, switch.hints.idempotent.value) == (
        "write",
        "declared",
        True,
    )
    assert list(switch.input["properties"]) == ["on"]  # YAML 1.1 would read the key as true
    assert reading.source.separate == ("read", "write")
    assert reading.source.files == ("native.yaml",)


def test_anthropic_request() -> None:
    reading, report = read(FIXTURES, "anthropic.json")
    (event,) = reading.operations
    assert event.origin.pointer == "/tools/0"
    assert event.input["required"] == ["title", "start"]
    assert [(e.provenance, e.origin.pointer) for e in event.examples if e.origin] == [
        ("source", "/tools/0/input_examples/0")
    ]
    assert event.extra["strict"] is True
    assert event.extra["cache_control"] == {"type": "ephemeral"}
    assert findings(report) == [("builtin-tool", "note", "/tools/1"), ("builtin-tool", "note", "/tools/2")]
    assert "web_search_20250305" in report.diagnostics[0].message


def test_openai_chat_request() -> None:
    reading, report = read(FIXTURES, "openai-chat.json")
    (weather,) = reading.operations
    assert weather.name == "get_weather"
    assert weather.origin.pointer == "/tools/0/function"
    assert weather.input["additionalProperties"] is False
    assert weather.extra["strict"] is True
    assert findings(report) == [("free-text-tool", "warning", "/tools/1")]


def test_openai_responses_request_with_namespaces() -> None:
    reading, report = read(FIXTURES, "openai-responses.json")
    assert [(o.name, o.tags) for o in reading.operations] == [
        ("now", ()),
        ("billing.list", ("billing",)),
        ("crm.list", ("crm",)),
    ]
    assert reading.operations[0].input == {"type": "object", "properties": {}}
    assert reading.operations[1].origin.pointer == "/tools/1/tools/0"
    assert reading.operations[1].extra["defer_loading"] is True
    assert reading.source.tag_descriptions == {"billing": "Invoices and payments.", "crm": "Customers."}
    assert findings(report) == [("builtin-tool", "note", "/tools/3")]


def test_gemini_request_in_protobuf_json() -> None:
    reading, report = read(FIXTURES, "gemini.json")
    lend, find = reading.operations
    assert lend.input == {
        "type": "object",
        "properties": {
            "isbn": {"type": "string", "minLength": 10, "description": "ISBN."},
            "days": {"type": ["integer", "null"]},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
        },
        "required": ["isbn"],
    }
    assert lend.origin.pointer == "/tools/0/functionDeclarations/0"
    assert lend.output is not None
    assert lend.output() == {"type": "object", "properties": {"due": {"type": "string"}}}
    assert find.input["properties"]["words"] == {"type": ["string", "null"]}
    assert findings(report) == [("builtin-tool", "note", "/tools/1")]


def test_gemini_in_snake_case(tmp_path: Path) -> None:
    parameters = {"type": "OBJECT", "properties": {"a": {"any_of": [{"type": "STRING"}, {"type": "NUMBER"}]}}}
    data = {"config": {"tools": [{"function_declarations": [{"name": "f", "parameters": parameters}]}]}}
    found, problems = read_data(tmp_path, data)
    assert found["f"].input["properties"]["a"] == {"anyOf": [{"type": "string"}, {"type": "number"}]}
    assert not problems


def test_bedrock_request() -> None:
    reading, report = read(FIXTURES, "bedrock.json")
    (book,) = reading.operations
    assert book.name == "ticket_book"
    assert book.origin.pointer == "/toolConfig/tools/0/toolSpec"
    assert book.input["properties"] == {"count": {"type": "integer"}}
    assert findings(report) == [("builtin-tool", "note", "/toolConfig/tools/1")]


REQUESTS = {
    "anthropic.json": (
        "You keep the calendar.",
        'Plan a standup.\nNine is free.\nevent_create\n{"title":"Standup"}\nstart is missing',
        {"image": 1},
    ),
    "openai-chat.json": (
        "Answer in French.",
        'Weather in Lyon?\nget_weather\n{"city":"Lyon"}\n11 degrees',
        {"image_url": 1},
    ),
    "openai-responses.json": (
        "Be brief.\nNever guess.",
        'Open invoices?\nLook them up.\nlist\n{"open":true}\n[]',
        {"encrypted reasoning": 1},
    ),
    "gemini.json": (
        "You are a librarian.",
        'Lend me a book.\nlend_book\n{"isbn":"1"}\nlend_book\n{"due":"2026-12-24"}',
        {"inline data": 1},
    ),
    "bedrock.json": (
        "You sell tickets.",
        'Two for Friday.\nticket_book\n{"count":2}\n{"ok":true}',
        {"document": 1},
    ),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_request_parts(name: str) -> None:
    data = json.loads((FIXTURES / name).read_text(encoding="utf-8"))
    system, messages, uncounted = REQUESTS[name]
    assert tools.request_parts(data) == {"system": system, "messages": messages}
    assert tools.uncounted_parts(data) == uncounted


def test_a_malformed_request_is_read_as_far_as_it_goes() -> None:
    data = {"messages": [{"role": {"of": "nobody"}, "content": [None, 3, {"type": ["text"], "text": "hi"}]}]}
    assert tools.request_parts(data) == {"system": "", "messages": "3\nhi"}


@pytest.mark.parametrize("name", ["native.yaml", "mcp.json"])
def test_a_list_without_messages_is_no_request(name: str) -> None:
    from toolc import documents

    assert tools.request_parts(documents.read(FIXTURES / name, name).data) is None


def test_recognise() -> None:
    from toolc import documents

    for name in (*REQUESTS, "native.yaml"):
        assert tools.recognise(documents.read(FIXTURES / name, name).data), name
    assert not tools.recognise(documents.read(FIXTURES / "mcp.json", "mcp.json").data)  # it is for `mcp`
    assert tools.recognise([{"name": "f", "input_schema": {"type": "object"}}])
    assert tools.recognise({"type": "function", "name": "f", "parameters": {"type": "object"}})
    for other in (
        {"name": "left-pad", "version": "1.0.0", "description": "a package.json"},
        [{"name": "Ann", "description": "a person"}],
        {"openapi": "3.1.0", "paths": {}},
        {"version": 1, "sources": {}},
        "text",
        None,
    ):
        assert not tools.recognise(other), other


def test_single_definition_and_bare_array(tmp_path: Path) -> None:
    tool = {"name": "f", "description": "F.", "input_schema": {"type": "object", "properties": {}}}
    found, _ = read_data(tmp_path, tool)
    assert found["f"].origin.pointer == ""
    found, _ = read_data(tmp_path, [tool])
    assert found["f"].origin.pointer == "/0"


def test_broken_definitions_cost_themselves_only(tmp_path: Path) -> None:
    good: dict[str, Any] = {"type": "object", "properties": {}}
    found, problems = read_data(
        tmp_path,
        {
            "tools": [
                {"description": "no name", "input": good},
                {"name": "f", "description": "F.", "input": good},
                {"name": "f", "description": "again", "input": good},
                "text",
                {"name": "g", "input": ["no schema"]},
                {"name": "h", "input": {"type": "string"}},
                {"name": "i", "input": {"type": "object", "properties": {"a": {"$ref": "#/$defs/nowhere"}}}},
                {"name": "j", "input": {"type": "object", "properties": {"a": {"$ref": "https://x.test/a.json"}}}},
                {"name": "k", "description": ["no text"], "input": good, "examples": [3], "run": "ls"},
                {},
            ]
        },
    )
    assert list(found) == ["f", "k"]
    assert problems == [
        ("wrong-type", "/tools/3"),
        ("missing-name", "/tools/0"),
        ("duplicate-name", "/tools/2/name"),
        ("invalid-schema", "/tools/4/input"),
        ("root-not-object", "/tools/5/input/type"),
        ("unresolved-ref", "/tools/6/input/properties/a/$ref"),
        ("unresolved-ref", "/tools/7/input/properties/a/$ref"),
        ("wrong-type", "/tools/8/description"),
        ("wrong-type", "/tools/8/run"),
        ("invalid-example", "/tools/8/examples/0"),
        ("missing-name", "/tools/9"),
    ]


def test_an_invalid_keyword_is_named_at_its_schema(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "strng"}, "m": {"type": "integer", "minimum": "1"}}}
    found, problems = read_data(tmp_path, [{"name": "f", "input_schema": schema}])
    assert problems == [
        ("invalid-schema", "/0/input_schema/properties/n"),
        ("invalid-schema", "/0/input_schema/properties/m"),
    ]
    assert not invalid_because(found["f"].input)
    assert found["f"].extra["input_as_written"] == schema


def test_unknown_keys_are_kept_or_named(tmp_path: Path) -> None:
    native = {"name": "f", "descripton": "F.", "hints": {"readonly": True}, "x-owner": "ops"}
    found, problems = read_data(tmp_path, {"tools": [native], "extra": 1})
    assert problems == [
        ("unknown-key", "/extra"),
        ("unknown-key", "/tools/0/descripton"),
        ("unknown-key", "/tools/0/hints/readonly"),
    ]
    assert found["f"].extra["x-owner"] == "ops"
    vendor = {
        "name": "f",
        "description": "F.",
        "input_schema": {"type": "object"},
        "brand_new": 1,
        "defer_loadin": True,
    }
    found, problems = read_data(tmp_path, [vendor])
    assert problems == [("unknown-key", "/0/defer_loadin")]
    assert found["f"].extra["brand_new"] == 1


def test_schemas_of_older_drafts_and_references(tmp_path: Path) -> None:
    tree = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$ref": "#/definitions/Root",
        "definitions": {
            "Root": {
                "type": "object",
                "properties": {
                    "pair": {"type": "array", "items": [{"type": "string"}, {"type": "integer"}]},
                    "child": {"$ref": "#/definitions/Root"},
                },
                "required": ["pair"],
            },
            "Unused": {"$ref": "#/definitions/gone"},
        },
    }
    found, problems = read_data(tmp_path, [{"name": "f", "input_schema": tree}])
    assert not problems
    schema = found["f"].input
    assert schema["type"] == "object"
    assert schema["required"] == ["pair"]
    assert set(schema["$defs"]) == {"Root"}
    check = Validator(schema)
    assert check.accepts({"pair": ["a", 1], "child": {"pair": ["b", 2]}})
    assert not check.accepts({"pair": ["a", 1], "child": {"pair": [2, "b"]}})


def test_a_root_combinator_stays(tmp_path: Path) -> None:
    schema = {"properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    found, problems = read_data(tmp_path, [{"name": "f", "input_schema": schema}])
    assert not problems
    assert found["f"].input == {"type": "object", **schema}


def test_a_root_all_of_is_written_out_only_if_that_is_exact(tmp_path: Path) -> None:
    open_parts = {"allOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {}}, "required": ["b"]}]}
    closed = {"allOf": [{"properties": {"a": {}}, "additionalProperties": False}, {"required": ["b"]}]}
    found, _ = read_data(tmp_path, [{"name": "f", "input_schema": open_parts}, {"name": "g", "input_schema": closed}])
    assert found["f"].input == {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {}},
        "required": ["b"],
    }
    assert found["g"].input["allOf"] == closed["allOf"]


def test_globs(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / f"{name}.yaml").write_text(f"tools: [{{name: {name}_get, description: Get {name}.}}]")
    reading, report = read(tmp_path, "*.yaml", "a.yaml")
    assert [operation.name for operation in reading.operations] == ["a_get", "b_get"]
    assert not report.diagnostics
    with pytest.raises(UserError, match=r"no file matches `tols/\*\.yaml`"):
        read(tmp_path, "tols/*.yaml")
    with pytest.raises(UserError, match="does not exist"):
        read(tmp_path, "c.yaml")
    with pytest.raises(UserError, match="names no file"):
        read(tmp_path)


@pytest.mark.parametrize("text", ["tool: []", "tools: {a: 1}", "just text", "3"])
def test_a_file_without_tools(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.yaml").write_text(text)
    with pytest.raises(UserError) as error:
        read(tmp_path, "t.yaml")
    assert error.value.diagnostics[0].rule == "not-a-tool-list"


# What ECMA-262 (Annex B) makes of each pattern: one text it takes and one it refuses.
PATTERNS = {
    r"^[\w-.]+$": ("a-b.c", "a b"),
    r"^[+-\d]+$": ("+-1", ","),
    r"^{\w+}$": ("{a}", "a"),
    r"^[^]$": ("\n", "ab"),
    r"^ab\Z": ("ab", "ab\n"),
    r"^[\b]$": ("\b", "b"),
    "^\\\u00e9$": ("é", "e"),
    r"^\uD83D\uDE00{2}$": ("😀😀", "😀"),
}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_are_repaired(pattern: str) -> None:
    good, bad = PATTERNS[pattern]
    assert invalid_because({"pattern": pattern}), "the engine takes it: no repair is needed any longer"
    report = Report()
    schema = usable_patterns({"properties": {"p": {"pattern": pattern}}}, report, read_origin())
    check = Validator(schema["properties"]["p"])
    assert check.accepts(good)
    assert not check.accepts(bad)
    assert not report.diagnostics


def test_unusable_patterns_are_dropped_and_named() -> None:
    report = Report()
    schema = {
        "properties": {"p": {"type": "string", "pattern": "(?>a)b", "maxLength": 3}, "q": {"pattern": "^x$"}},
        "patternProperties": {"(": {"type": "string"}, "^ok": {}},
        "additionalProperties": False,
    }
    assert usable_patterns(schema, report, read_origin()) == {
        "properties": {"p": {"type": "string", "maxLength": 3}, "q": {"pattern": "^x$"}},
        "patternProperties": {"^ok": {}},
    }
    assert findings(report) == [
        ("unusable-pattern", "warning", "/s/patternProperties/("),
        ("unusable-pattern", "warning", "/s/properties/p/pattern"),
    ]
    fine = {"properties": {"q": {"pattern": "^x$"}}}
    assert usable_patterns(fine, report, read_origin()) is fine
    assert repaired("a{,3}") is None  # Python means at most 3, ECMA means the text itself


def read_origin() -> Any:
    from toolc.ir import Origin

    return Origin("f.json", "/s")


def test_lint_cases_are_read(shared: Path) -> None:
    base = shared / "cases" / "lint"
    for path in sorted(base.glob("*.yaml")):
        reading, report = read(base, path.name)
        from toolc import documents

        definitions = documents.read(path, path.name).data["tools"]
        lost = [finding for finding in report.diagnostics if finding.severity == Severity.error]
        assert len(reading.operations) + len(lost) == len(definitions), path.name
