"""What was saved of an exchange with an MCP server is read, or refused with what it is and what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolc import cli, config
from toolc.diagnostics import Report, UserError
from toolc.pipeline.reading import read

TOOL = {"name": "now", "description": "Get the weather.", "inputSchema": {"type": "object", "properties": {}}}
OTHER = TOOL | {"name": "soon"}
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "s", "version": "1"},
}
Capture = pytest.CaptureFixture[str]


def answer(result: Any, id: int = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "result": result}


def failure(code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": message}}


LOG = "\n".join(
    json.dumps(each)
    for each in (
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}},
        answer(INITIALIZE, 0),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        answer({"tools": [TOOL]}),
    )
)
STREAM = f"event: message\nid: 1\ndata: {json.dumps(answer({'tools': [TOOL]}))}\n\n"


def operations(folder: Path, text: str, name: str = "saved.json") -> tuple[list[str], list[str]]:
    """The names of the tools that a source of type mcp has, and the rules of what was reported."""
    (folder / name).write_text(text)
    (folder / "toolc.yaml").write_text(f"version: 1\nname: t\nsources: {{s: {{type: mcp, path: {name}}}}}\n")
    report = Report()
    found = read(config.load(folder, report), report).catalog.operations.values()
    return [operation.name for operation in found], [each.rule for each in report.diagnostics]


@pytest.mark.parametrize(
    ("data", "names", "told"),
    [
        (answer({"tools": [TOOL]}), ["now"], []),
        (answer({"tools": [TOOL], "nextCursor": "2"}), ["now"], ["partial-list"]),
        ([answer({"tools": [TOOL]})], ["now"], []),
        (
            [answer(INITIALIZE, 0), answer({"tools": [TOOL], "nextCursor": "2"}), answer({"tools": [OTHER]}, 2)],
            ["now", "soon"],
            [],
        ),
        (
            [answer({"tools": [TOOL]}), answer({"tools": [OTHER], "nextCursor": "3"}, 2)],
            ["now", "soon"],
            ["partial-list"],
        ),
        ([answer({"tools": [TOOL]}), failure(-32600, "no")], ["now"], []),
        (answer({"tools": [{"name": "now", "description": "Get it."}]}), ["now"], ["missing-schema"]),
        (answer({"tools": []}), [], ["empty-source"]),
    ],
)
def test_what_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, data: Any, names: list[str], told: list[str]
) -> None:
    assert operations(tmp_path, json.dumps(data)) == (names, told)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "toolc.yaml").unlink()
    code = cli.run(["lint", "saved.json", "--format", "json", "--ignore", "duplicate-description", "--no-cache"])
    if names:
        found = json.loads(capsys.readouterr().out)["diagnostics"]
        assert (code, [each["rule"] for each in found]) == (1 if told else 0, told)
    else:
        assert (code, "this lists no tools" in capsys.readouterr().err) == (2, True)


@pytest.mark.parametrize(
    ("data", "pointer", "said"),
    [
        (failure(-32601, "Method not found"), "/error", "this is an error that a server answered: Method not found"),
        (failure(-32601, "Method not found"), "/error", "asked before `initialize`"),
        ({"error": {"code": -32000, "message": "no"}}, "/error", "an error that a server answered: no"),
        ({"jsonrpc": "2.0", "id": 1, "error": "boom"}, "/error", "an error that a server answered: boom"),
        (answer({"tools": None}), "/result/tools", "`tools` is a list, not null"),
        ({"result": {"tools": None}}, "/result/tools", "`tools` is a list, not null"),
        ({"tools": None}, "/tools", "`tools` is a list, not null"),
        (answer({"tools": {"now": TOOL}}), "/result/tools", "`tools` is a list, not {"),
        (answer(INITIALIZE), "/result", "this is the answer to `initialize`, not to `tools/list`"),
        (answer({"content": []}), "/result", "this is the answer to `tools/call`"),
        (answer({"tool": [TOOL]}), "/result", "has no `tools`; did you mean `tool`?"),
        (answer("x"), "/result", "`result` is no object"),
        ({"jsonrpc": "2.0", "id": 1}, "", "`result` is missing"),
        (
            {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
            "/method",
            "this is a request `tools/list`, not an answer",
        ),
        ({"jsonrpc": "2.0", "method": "x"}, "/method", "this is a notification `x`"),
        (
            [answer(INITIALIZE), failure(1, "no")],
            "",
            "none of these 2 messages lists tools: the answer to `initialize`",
        ),
    ],
)
def test_what_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, data: Any, pointer: str, said: str
) -> None:
    with pytest.raises(UserError) as caught:
        operations(tmp_path, json.dumps(data))
    (error,) = caught.value.diagnostics
    assert (error.rule, error.origin and error.origin.pointer) == ("not-a-tool-list", pointer)
    assert said in f"{error.message} {error.help}"
    assert "`toolc pull` asks it" in error.help
    (tmp_path / "toolc.yaml").unlink()
    monkeypatch.chdir(tmp_path)
    for command in ("lint", "tokens"):
        assert cli.run([command, "saved.json"]) == 2
        shown = capsys.readouterr().err
        assert error.message in shown
        assert "not-a-tool-list" in shown
    assert cli.run(["lint", "saved.json", "--skip-other"]) == 0
    assert "skipped 1 file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        (LOG, ":5:1", "holds 5 JSON values, one a line, and toolc reads one"),
        (LOG, ":5:1", "Save line 5, the answer to tools/list, in a file of its own"),
        (f"{LOG}\n{LOG}\n", ":5:1", "Save lines 5, 10, the answers to tools/list, as one JSON list"),
        (LOG.rpartition("\n")[0], ":1:1", "Save the line that is meant"),
        (STREAM, ":3:1", "is an event stream, as a server sends it over HTTP, and no JSON"),
        (STREAM.replace("\n", "\r\n"), ":3:1", "Save what stands behind `data:` in line 3, the answer to tools/list"),
        (STREAM.partition("id: 1\n")[2], ":1:1", "is an event stream"),
    ],
)
def test_logs_and_streams_that_say_they_are_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, text: str, place: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    name = "saved.json"
    (tmp_path / name).write_bytes(text.encode())
    assert cli.run(["lint", name]) == 2
    first = capsys.readouterr().err
    assert f"{name}{place}: error invalid-json" in first
    assert said in first
    (tmp_path / "toolc.yaml").write_text(f"version: 1\nname: t\nsources: {{s: {{type: mcp, path: {name}}}}}\n")
    assert cli.run(["build"]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("name", ["saved.jsonl", "saved.log", "saved.txt"])
@pytest.mark.parametrize("text", [LOG, f"{LOG}\n\n{LOG}\n", STREAM, STREAM.replace("\n", "\r\n")])
def test_logs_and_streams_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    assert operations(tmp_path, text, name)[0] == ["now"]
    (tmp_path / "toolc.yaml").unlink()
    assert cli.run(["lint", name]) == 0


def test_other_json_is_not_taken_for_an_exchange(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """What is found in a folder is passed over, as before."""
    monkeypatch.chdir(tmp_path)
    texts = {"a": json.dumps(failure(1, "no")), "b": LOG, "c": STREAM, "d": json.dumps({"error": "x", "code": 1})}
    for name, text in texts.items():
        (tmp_path / f"{name}.json").write_text(text)
    (tmp_path / "tools.json").write_text(json.dumps({"tools": [TOOL]}))
    assert cli.run(["lint", "."]) == 0
    assert "skipped 4 files" in capsys.readouterr().err


def test_a_tools_file_in_an_answer_has_no_unknown_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "saved.json").write_text(json.dumps(answer({"tools": [{"name": "now", "description": "Get it."}]})))
    (tmp_path / "toolc.yaml").write_text("version: 1\nname: t\nsources: {s: {type: tools, path: saved.json}}\n")
    report = Report()
    read(config.load(tmp_path, report), report)
    assert "unknown-key" not in [each.rule for each in report.diagnostics]
