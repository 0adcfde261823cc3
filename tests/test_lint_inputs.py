"""`toolc lint` on whatever tools stand in: each finding is at the text it speaks of, in every format."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import Cli

from toolc import cli

PROPERTIES: dict[str, Any] = {
    "ids": {"type": "array", "description": "Orders to find."},
    "status": {"type": "string", "enum": ["open", "closed"], "description": "One of 'open', 'shut'."},
}
SCHEMA: dict[str, Any] = {"type": "object", "properties": PROPERTIES, "required": ["ids", "nope"]}
HEAD = {"name": "find_order", "description": "TODO"}
MCP = {**HEAD, "inputSchema": SCHEMA}
ANTHROPIC = {**HEAD, "input_schema": SCHEMA}
OPENAI = {"type": "function", "function": {**HEAD, "parameters": SCHEMA}}
RESPONSES = {"type": "function", **HEAD, "parameters": SCHEMA}
BEDROCK = {"toolSpec": {**HEAD, "inputSchema": {"json": SCHEMA}}}
USER = [{"role": "user", "content": "hi"}]
REQUEST = {"model": "claude", "max_tokens": 9, "tools": [ANTHROPIC], "messages": USER}
FLAT = {name: {"required": False, **each} for name, each in PROPERTIES.items()}
# What each finding speaks of: the key that stands at its place.
ALL = {"placeholder-text": "description", "array-without-items": "ids", "enum-contradiction": "status"}
REQUIRED = {"unknown-required": "nope"}


def capitals(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    return {key: value.upper() if key == "type" else capitals(value) for key, value in schema.items()}


GEMINI = {**HEAD, "parameters": capitals(SCHEMA)}
HAR = {"log": {"entries": [{"request": {"postData": {"text": json.dumps(REQUEST)}}}] * 2}}

DOCUMENTS: dict[str, Any] = {
    "mcp": [MCP],
    "mcp beside facts": {"name": "x", "stars": 3, "tools": [MCP]},
    "json-rpc": {"jsonrpc": "2.0", "id": 1, "result": {"tools": [MCP]}},
    "json-rpc pages": [{"jsonrpc": "2.0", "id": 1, "result": {"tools": [MCP], "nextCursor": "a"}}],
    "anthropic request": REQUEST,
    "anthropic batch": {"requests": [{"custom_id": "a", "params": REQUEST}]},
    "openai chat": {"model": "gpt", "messages": USER, "tools": [OPENAI]},
    "openai functions": {"model": "gpt", "messages": USER, "functions": [{**HEAD, "parameters": SCHEMA}]},
    "openai responses": {"model": "gpt", "input": "hi", "tools": [RESPONSES]},
    "openai assistant": {"id": "asst_1", "object": "assistant", "tools": [OPENAI, {"type": "code_interpreter"}]},
    "openai realtime": {"type": "session.update", "session": {"tools": [RESPONSES]}},
    "openai agents sdk": [{**HEAD, "params_json_schema": SCHEMA, "strict_json_schema": True}],
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "x"}]}], "tools": [{"functionDeclarations": [GEMINI]}]},
    "gemini snake": {"tools": [{"function_declarations": [GEMINI]}, {"google_search": {}}]},
    "gemini, one for a list": {"contents": {"parts": {"text": "x"}}, "tools": {"function_declarations": [GEMINI]}},
    "gemini live": {"setup": {"model": "gemini", "tools": [{"functionDeclarations": [GEMINI]}]}},
    "gemini declarations": [GEMINI],
    "bedrock": {"modelId": "x", "messages": USER, "toolConfig": {"tools": [BEDROCK]}},
    "bedrock tools": [BEDROCK],
    "langchain": [{**HEAD, "args_schema": SCHEMA, "return_direct": False}],
    "vercel": {"tools": {"find_order": {"description": "TODO", "inputSchema": {"jsonSchema": SCHEMA}}}},
    "vercel, version 4": {"tools": {"find_order": {"description": "TODO", "parameters": SCHEMA}}},
    "vs code": {"contributes": {"languageModelTools": [{**MCP, "description": "", "modelDescription": "TODO"}]}},
    "log line": {"ts": 2, "request": {"method": "POST", "body": REQUEST}},
    "body as text": {"ts": 2, "é😀": "\u2028", "request": {"body": "\n" + json.dumps(REQUEST, indent=1)}},
    "har": HAR,
    "telemetry": {"attributes": {"gen_ai.tool.definitions": json.dumps([OPENAI])}},
}
WITHOUT_REQUIRED: dict[str, Any] = {
    "cohere, version 1": {"message": "hi", "tools": [{**HEAD, "parameter_definitions": FLAT}]},
    "bedrock agent": {"functionSchema": {"functions": [{**HEAD, "parameters": FLAT}]}},
}
IN_TEXT = {"body as text": "body", "har": "text", "telemetry": "gen_ai.tool.definitions"}


def texts(data: Any) -> dict[str, str]:
    """The same data as files in several formats and layouts."""
    commented = "// ours\n" + json.dumps(data, indent=4).replace("{\n", "{ // begins\n").replace("\n    }", ",\n    }")
    written = {
        "a.json": json.dumps(data, indent=2, ensure_ascii=False),
        "minified.JSON": json.dumps(data, separators=(",", ":")),
        "tabs.txt": json.dumps(data, indent="\t"),
        "without-ending": json.dumps(data, indent=2),
        "commented.jsonc": commented,
        "b.yaml": yaml.safe_dump(data, sort_keys=False, allow_unicode=True),
        "flow.yml": yaml.safe_dump(data, sort_keys=False, default_flow_style=True, width=10**6),
    }
    if isinstance(data, dict):
        line = json.dumps(data)
        written |= {
            "c.ndjson": f'{{"started": true}}\n\n{line}\n',
            "app.log": f"started {{up}}\n2026-11-30T11:00:00Z [debug] sent {line}\nbye\n",
            "stream.txt": f"event: message\ndata: {line}\n\n",
        }
    return written


@pytest.mark.parametrize("name", [*DOCUMENTS, *WITHOUT_REQUIRED])
def test_every_finding_is_at_what_it_speaks_of(tmp_path: Path, findings: Findings, name: str) -> None:
    data = DOCUMENTS.get(name) or WITHOUT_REQUIRED[name]
    expected = ALL | (REQUIRED if name in DOCUMENTS else {})
    if name == "vs code":
        expected = {**expected, "placeholder-text": "modelDescription"}
    files = texts(data)
    for file, text in files.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
        found = findings(file, *(f"--select={rule}" for rule in expected))
        assert {each["rule"]: each["file"] for each in found} == dict.fromkeys(expected, file), (file, found)
        assert len(found) == len(expected), (file, found)
        lines = text.split("\n")
        for each in found:
            at = lines[each["line"] - 1][each["column"] - 1 :].lstrip("\\\"'")
            # Of JSON in a text of YAML, the text is as near as it gets.
            key = IN_TEXT.get(name, "") if file.endswith(("yaml", "yml")) else ""
            assert at.startswith(key or expected[each["rule"]]), (file, each, at[:40])


Findings = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Findings:
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> list[dict[str, Any]]:
        cli.run(["lint", "--no-cache", "--format", "json", "--fail-on", "never", *arguments])
        found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["diagnostics"]
        return found

    return run


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xef\xbb\xbf", b""])
def test_marks_and_line_ends_move_nothing(tmp_path: Path, findings: Findings, mark: bytes) -> None:
    text = json.dumps([MCP], indent=2).replace("\n", "\r\n")
    (tmp_path / "a.json").write_bytes(mark + text.encode("utf-16-le" if mark == b"\xff\xfe" else "utf-8"))
    places = {each["rule"]: (each["line"], each["column"]) for each in findings("a.json")}
    assert places["array-without-items"] == (8, 9)


def test_what_no_list_says_is_not_searched_for_in_folders(tmp_path: Path, findings: Findings) -> None:
    """Recordings in a test folder hold tools too; who lints the folder did not ask for them."""
    (tmp_path / "cassette.json").write_text(json.dumps({"request": {"body": REQUEST}}))
    (tmp_path / "tools.json").write_text(json.dumps([MCP]))
    assert {each["file"] for each in findings(".")} == {"tools.json"}


def test_a_call_in_a_log_is_no_definition(tmp_path: Path, toolc_cli: Cli) -> None:
    call = {"type": "tool_use", "id": "a", "name": "find_order", "input": {"ids": []}}
    answer = {"response": {"content": [call]}, "request": {"body": REQUEST}}
    (tmp_path / "log.json").write_text(json.dumps(answer))
    assert "in 1 tool " in toolc_cli("lint", "log.json").stdout.replace("\n", " ")
    (tmp_path / "log.json").write_text(json.dumps({"response": {"content": [call]}}))
    assert toolc_cli("lint", "log.json").returncode == 2


def test_folders_pass_over_what_is_installed_built_or_ignored(tmp_path: Path, findings: Findings) -> None:
    text = json.dumps([MCP])
    for folder in ("node_modules/a", "env/lib", ".hidden", "ignored", "out", "ours"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "tools.json").write_text(text)
    (tmp_path / "env" / "pyvenv.cfg").touch()
    (tmp_path / "out" / "bundle.json").write_text('{"format": "toolc-bundle/1"}')
    (tmp_path / ".gitignore").write_text("ignored/\n")
    assert {each["file"] for each in findings(".")} == {"ignored/tools.json", "ours/tools.json"}
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    assert {each["file"] for each in findings(".")} == {"ours/tools.json"}


def test_a_repository_that_came_as_a_folder_runs_no_program(tmp_path: Path, findings: Findings) -> None:
    (tmp_path / "tools.json").write_text(json.dumps([MCP]))
    (tmp_path / "spy").write_text(f"#!/bin/sh\ntouch '{tmp_path}/was-run'\n")
    (tmp_path / "spy").chmod(0o755)
    for command in (["init", "-q", "."], ["add", "tools.json"], ["config", "core.fsmonitor", f"{tmp_path}/spy"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    assert {each["file"] for each in findings(".")} == {"tools.json"}
    assert not (tmp_path / "was-run").exists()


CONFIG = "version: 1\nname: t\nsources:\n  core: {type: tools, path: tools.json}\n"


def test_a_file_that_a_config_names_is_read_there_alone(tmp_path: Path, findings: Findings) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "tools.json").write_text(json.dumps([MCP]))
    allow = "lint: {allow: {core:find_order: {placeholder-text: as agreed}}}\n"
    (tmp_path / "a" / "toolc.yaml").write_text(CONFIG + allow)
    for paths in ((".",), ("a/tools.json", "a/toolc.yaml")):
        rules = [each["rule"] for each in findings(*paths)]
        assert rules.count("array-without-items") == 1
        assert "placeholder-text" not in rules


def test_what_ends_a_lint_is_shown_at_its_own_config(tmp_path: Path, toolc_cli: Cli) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "toolc.yaml").write_text(CONFIG)
    (tmp_path / "b" / "tools.json").write_text(json.dumps([MCP]))
    assert "a/toolc.yaml:4" in toolc_cli("lint", ".").stderr


ENDPOINT = """\
openapi: 3.1.0
info: {title: t, version: "1"}
paths:
  /orders:
    post:
      operationId: createOrder
      description: Create an order for a customer.
      parameters:
        - name: pretty
          in: query
          description: Whether to indent the answer.
          schema: {type: boolean}
          example: true
        - name: since
          in: query
          description: Day of the order.
          schema: {type: string, format: date}
          example: 12-2026-01
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                count: {type: integer, description: How many.}
                due: {type: string, format: date-time, description: When it is due.}
            example:
              due: 2026-01-01T00:00:00Z
              count: many
      responses: {"201": {description: Created.}}
"""


def test_an_example_of_a_call_is_at_the_argument_that_is_wrong(tmp_path: Path, findings: Findings) -> None:
    """A call is put together from the examples of parameters and body, each in its place."""
    (tmp_path / "api.yaml").write_text(ENDPOINT)
    found = findings("api.yaml", "--select=invalid-example", "--select=example-contradicts-format")
    places = {each["line"]: each["rule"] for each in found}
    assert places == {
        ENDPOINT.split("\n").index("          example: 12-2026-01") + 1: "example-contradicts-format",
        ENDPOINT.split("\n").index("              count: many") + 1: "invalid-example",
    }


def test_a_column_called_like_a_part_of_a_tool(tmp_path: Path, findings: Findings) -> None:
    (tmp_path / "s.sql").write_text("CREATE TABLE film (\n  id int PRIMARY KEY,\n  description text\n);\n")
    found = findings("s.sql", "--select=thin-description", "--preset=all")
    assert {each["line"] for each in found} == {1}


COMMENTED = """\
// what the team has
{"tools": [
  {"name": "a", "description": "", "description": "twice", "inputSchema": {"type": "object"}},
  // known
  {"name": "b", "description": "", "x-toolc-allow": {"missing-description": "known"},
   "inputSchema": {"type": "object"}},
  {"name": "c", "description": "This tool allows you to get the order of the day.", // short
   "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#", /* of all */ "type": "object"},},
]}
"""


def test_comments_and_a_tool_that_cannot_be_read_stop_neither_reasons_nor_fixes_nor_baselines(
    tmp_path: Path, findings: Findings, toolc_cli: Cli
) -> None:
    file = tmp_path / "a.json"
    file.write_text(COMMENTED)
    assert "duplicate-key" in {each["rule"] for each in findings("a.json")}
    assert "1 let pass" in toolc_cli("lint", "a.json", "--preset=all", "--fix").stdout
    mended = file.read_text()
    assert '"description": "Get the order of the day.", // short' in mended
    assert "$schema" not in mended
    assert '/* of all */ "type": "object"' in mended
    assert mended.count("//") == 3
    toolc_cli("lint", "a.json", "--baseline=known.jsonl", "--update-baseline")
    assert toolc_cli("lint", "a.json", "--baseline=known.jsonl").returncode == 0
