"""The `mcp` source: saved tools/list results, annotations, and the verb lexicon's hints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolc.bind import Env
from toolc.diagnostics import Report, UserError
from toolc.hints import infer_from_name
from toolc.ir import Hints, McpCall
from toolc.schema.validator import invalid_because
from toolc.sources import Context, Reading, mcp

FIXTURES = Path(__file__).parent / "fixtures" / "sources"


def read(base: Path, options: mcp.Options) -> tuple[Reading, Report]:
    report = Report()
    return mcp.read(options, Context("shelf", base, base, report)), report


def read_tool(tmp_path: Path, **tool: Any) -> Hints:
    data = {"tools": [{"inputSchema": {"type": "object"}, **tool}]}
    (tmp_path / "list.json").write_text(json.dumps(data), encoding="utf-8")
    reading, _ = read(tmp_path, mcp.Options(path="list.json"))
    return reading.operations[0].hints


def test_a_saved_answer() -> None:
    reading, report = read(FIXTURES, mcp.Options(path="mcp.json"))
    listing, paint, delete = reading.operations
    assert reading.source.title == "shelf 1.2.0"
    assert reading.source.separate == ("read", "write", "destructive")
    assert reading.source.files == ("mcp.json",)
    assert (listing.id, listing.origin.pointer) == ("shelf:shelf_list", "/result/tools/0")
    assert listing.call == McpCall("shelf", "shelf_list")
    assert listing.input == {
        "type": "object",
        "properties": {"kind": {"$ref": "#/$defs/Kind"}, "size": {"$ref": "#/$defs/kind"}},
        "$defs": {"Kind": {"type": "string", "enum": ["wood", "steel"]}, "kind": {"$ref": "#/$defs/Kind"}},
    }
    assert listing.output is not None
    assert listing.output() == {
        "type": "object",
        "properties": {"shelves": {"type": "array", "items": {"type": "string"}}},
    }
    assert listing.extra["title"] == "Shelves"
    assert listing.extra["execution"] == {"taskSupport": "forbidden"}
    assert listing.extra["_meta"] == {"vendor/beta": True}
    assert paint.input["properties"]["color"]["pattern"] == r"^[\w\-.]+$"
    assert delete.input == {"type": "object", "properties": {}}
    assert [(finding.rule, finding.origin.pointer) for finding in report.diagnostics if finding.origin] == [
        ("partial-list", "/result/nextCursor")
    ]


def test_snapshot_and_bare_array(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text('[{"name": "a", "description": "A."}]')
    reading, report = read(tmp_path, mcp.Options(command="npx", snapshot="s.json"))
    assert reading.operations[0].origin.pointer == "/0"
    assert [finding.rule for finding in report.diagnostics] == ["missing-schema"]


# MCP 2025-06-18: readOnlyHint defaults to false, destructiveHint to true, and is meaningful only if not read-only.
ANNOTATIONS: list[tuple[str, dict[str, Any] | None, str]] = [
    ("shelf_list", {"readOnlyHint": True}, "read"),
    ("shelf_delete", {"readOnlyHint": True}, "read"),  # declared: the contradiction is for lint
    ("shelf_paint", {"readOnlyHint": False}, "destructive"),
    ("shelf_paint", {"readOnlyHint": False, "destructiveHint": False}, "write"),
    ("shelf_paint", {"destructiveHint": True}, "destructive"),
    ("shelf_update", {"destructiveHint": False}, "write"),
    ("shelf_get", {"openWorldHint": True}, "read"),
    ("shelf_get", {}, "read"),
    ("shelf_create", None, "write"),
    ("shelf_delete", None, "destructive"),
    ("shelf_manage", None, "unknown"),
]


@pytest.mark.parametrize(("name", "annotations", "effect"), ANNOTATIONS)
def test_effects(tmp_path: Path, name: str, annotations: dict[str, Any] | None, effect: str) -> None:
    assert read_tool(tmp_path, name=name, annotations=annotations).effect == effect


def test_declared_and_inferred_are_told_apart(tmp_path: Path) -> None:
    hints = read_tool(tmp_path, name="shelf_paint", annotations={"readOnlyHint": False, "openWorldHint": False})
    assert (hints.read_only.basis, hints.read_only.reason) == ("declared", "annotations.readOnlyHint")
    assert (hints.destructive.value, hints.destructive.basis) == (True, "inferred")
    assert "default" in hints.destructive.reason
    assert (hints.open_world.value, hints.idempotent.basis) == (False, "unknown")


NAMES: list[tuple[str, str, str]] = [
    ("getUser", "", "read"),
    ("list_dir", "", "read"),
    ("notion-create-page", "", "write"),
    ("asana_projects_search", "", "read"),
    ("issue_get", "", "read"),  # `issue` is the noun
    ("delete", "", "destructive"),
    ("browser.select_option", "", "write"),
    ("find_and_replace", "", "write"),
    ("get_and_delete_message", "", "destructive"),
    ("list_delete", "", "destructive"),  # `list` is the noun
    ("hubspot-list-objects", "List all objects.", "read"),
    ("hubspot-list-objects", "", "unknown"),
    ("jira_get_issue", "Get an issue.", "read"),  # `issue` is what is got
    ("mail_share", "", "write"),
    ("get_report", "Deletes the report after reading.", "unknown"),
    ("get_report", "Returns the report.", "read"),
    ("run_query", "", "unknown"),
    ("weather", "Get the weather.", "unknown"),
    ("", "", "unknown"),
]


@pytest.mark.parametrize(("name", "description", "effect"), NAMES)
def test_hints_from_names(name: str, description: str, effect: str) -> None:
    hints = infer_from_name(name, description)
    assert hints.effect == effect
    assert hints.read_only.reason


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        ({"mcpServers": {"files": {"command": "npx"}}}, "missing-snapshot"),
        ({"tool": []}, "not-a-tool-list"),
        ({"tools": {}}, "not-a-tool-list"),
        ({"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}}, "not-a-tool-list"),
        ("text", "not-a-tool-list"),
    ],
)
def test_files_that_are_no_list(tmp_path: Path, data: Any, rule: str) -> None:
    (tmp_path / "list.json").write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(UserError) as error:
        read(tmp_path, mcp.Options(path="list.json"))
    assert [finding.rule for finding in error.value.diagnostics] == [rule]


def test_a_live_server_needs_a_snapshot(tmp_path: Path) -> None:
    for options in (
        mcp.Options(command="npx"),
        mcp.Options(url="https://x.test/mcp", headers={"Authorization": Env("T")}),
    ):
        with pytest.raises(UserError) as error:
            read(tmp_path, options)
        (finding,) = error.value.diagnostics
        assert (finding.rule, "toolc pull shelf" in finding.help) == ("missing-snapshot", True)


def test_every_public_list_is_read_whole(shared: Path) -> None:
    tools = 0
    for path in sorted((shared / "corpus" / "mcp").glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        reading, report = read(path.parent, mcp.Options(path=path.name))
        assert mcp.recognise(data)
        assert [operation.name for operation in reading.operations] == [tool["name"] for tool in data["tools"]]
        assert not report.diagnostics
        assert not [operation.id for operation in reading.operations if invalid_because(operation.input)]
        assert {operation.input["type"] for operation in reading.operations} == {"object"}
        tools += len(reading.operations)
    assert tools == 684
