"""Lists of tools in which one entry cannot be read: it is named with its place, and the others are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolc import documents
from toolc.diagnostics import Report, UserError
from toolc.documents import Refused
from toolc.position import locate

DEEP = '{"y": ' + "[" * 250 + "]" * 250 + "}"
# A fault, and where in its entry it stands.
FAULTS = [
    ('{"name": "bad", "x": 1e400}', "1e400"),
    ('{"name": "bad", "x": -1e999}', "-1e999"),
    ('{"name": "bad", "x": NaN}', "NaN"),
    ('{"name": "bad", "x": [{"d": "a\\ud800"}]}', "\\ud800"),
    ('{"name": "bad", "\\udfff": 1}', "\\udfff"),
    ('{"x": {"a": 1, "a": 2}, "name": "bad"}', '"a": 2'),
    ('{"name": "bad", "x": ' + "9" * 5000 + "}", "999"),
]


def read(text: str) -> tuple[Any, Report]:
    report = Report()
    return documents.parse_entries(text, "list.json", report), report


@pytest.mark.parametrize(("entry", "spot"), FAULTS)
@pytest.mark.parametrize(
    ("before", "after", "path"),
    [
        ("[", "]", ()),
        ('{"tools": [', '], "more": 1}', ("tools",)),
        ('{"jsonrpc": "2.0", "result": {"tools": [', "]}}", ("result", "tools")),
        ('{"toolConfig": {"tools": [', "]}}", ("toolConfig", "tools")),
        ('{"tools": [{"functionDeclarations": [', "]}]}", ("tools", 0, "functionDeclarations")),
        ('{"tools": [{"type": "namespace", "name": "n", "tools": [', "]}]}", ("tools", 0, "tools")),
    ],
)
def test_one_entry_costs_itself(entry: str, spot: str, before: str, after: str, path: tuple[Any, ...]) -> None:
    text = f'{before}\n{{"name": "one"}},\n  {entry} ,\n{{"name": "two"}}{after}'
    data, report = read(text)
    for key in path:
        data = data[key]
    one, bad, two = data
    assert (one, two) == ({"name": "one"}, {"name": "two"})
    assert isinstance(bad, Refused)
    assert bad.name == "bad"
    (finding,) = report.diagnostics
    assert finding.origin is not None
    assert (finding.origin.line, finding.origin.column) == (3, 3 + entry.index(spot))
    assert finding.message.startswith("`bad` is left out: ")


def test_several_entries_and_depth() -> None:
    data, report = read(f'[{DEEP}, {{"name": "ok"}}, 1e400, {{"name": "bad", "x": Infinity}}]')
    assert [type(entry) for entry in data] == [Refused, dict, Refused, Refused]
    assert [finding.rule for finding in report.diagnostics] == ["input-limit", "invalid-json", "invalid-json"]


@pytest.mark.parametrize(
    "text",
    [
        '{"x": 1e400, "tools": []}',  # it stands beside the list
        '{"tools": [{"x": 1e400}]',  # the file is cut off
        '{"tools": [{"x": 1e400}, {"y" 1}]}',  # another is no JSON
        '{"paths": [{"x": 1e400}]}',  # no list of tools
        '{"name": "t", "input": {"enum": [1e400]}}',  # a list in a tool
        "1e400",
    ],
)
def test_what_costs_the_file(text: str) -> None:
    with pytest.raises(UserError):
        read(text)
    with pytest.raises(UserError):
        documents.parse(text, "list.json")


def test_what_is_right_is_read_as_ever() -> None:
    text = json.dumps({"tools": [{"name": "a", "x": [1.5, "\\ud83d\\ude00", {"tools": [None]}]}]})
    data, report = read(text)
    assert data == documents.parse(text, "list.json")
    assert not report.diagnostics


def test_comments_and_commas_as_editors_allow_them() -> None:
    text = '{\n  // a "comment"\n  "a": "// no comment", /* one\n more */ "b": ["x", /* here */ ], // "c": 1,\n}'
    data, report = read(text)
    assert data == {"a": "// no comment", "b": ["x"]}
    assert not report.diagnostics
    assert locate(text, "json", "/b/0") == (4, 16)
    with pytest.raises(UserError, match="not valid JSON"):
        documents.parse(text, "list.json")


def test_a_list_with_a_bad_tool_is_linted_and_built(tmp_path: Path, toolc_cli: Any) -> None:
    good = '{"name": "good", "description": "Do good.", "inputSchema": {"type": "object", "properties": {}}}'
    bad = '{"name": "bad", "description": "Count.", "inputSchema": {"type": "object", "maxProperties": 1e400}}'
    (tmp_path / "list.json").write_text(f'{{"tools": [\n{good},\n{bad}\n]}}')
    place = f"list.json:3:{bad.index('1e400') + 1}: error invalid-json: `bad` is left out"
    linted = toolc_cli("lint", "list.json")
    assert linted.returncode == 1
    assert place in linted.stdout
    assert "1 tool" in toolc_cli("tokens", "list.json").stdout
    sources = {"it": {"type": "mcp", "path": "list.json"}, "own": {"type": "tools", "path": "list.json"}}
    (tmp_path / "toolc.yaml").write_text(json.dumps({"version": 1, "name": "t", "sources": sources}))
    built = toolc_cli("build")
    assert built.returncode == 0
    assert place in built.stderr
    bundle = json.loads((tmp_path / "bundle" / "bundle.json").read_text())
    assert [operation["id"] for operation in bundle["operations"]] == ["it:good", "own:good"]
