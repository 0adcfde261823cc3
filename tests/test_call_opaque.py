"""Programs of native tools: argument lists from templates, no shell, ended in time, capped."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bundles import built
from conftest import Cli

from toolc.argv import filled
from toolc.runtime import Executor, Settings

SHOW = "import json, os, sys; print(json.dumps([sys.argv[1:], json.load(sys.stdin), os.getcwd(), sorted(os.environ)]))"
TEXTS = {"type": "array", "items": {"type": "string"}}
PROPERTIES = {"text": {"type": "string"}, "paths": TEXTS, "depth": {"type": "integer"}, "all": {"type": "boolean"}}
INPUT = {"type": "object", "properties": PROPERTIES, "additionalProperties": False}


def tool(name: str, run: list[str] | None, **keys: Any) -> dict[str, Any]:
    hints = {"hints": {"read_only": True}}
    return {"name": name, "description": "Do it.", "input": INPUT, **hints, **({"run": run} if run else {}), **keys}


def tools(folder: Path, *found: dict[str, Any], **sources: Any) -> Executor:
    (folder / "tools.json").write_text(json.dumps({"tools": found}))
    own = {"type": "tools", "path": "tools.json"}
    return Executor(
        built(folder, sources={"own": own, **sources}, consolidate={"enabled": False}), settings=Settings(5)
    )


def test_no_shell_and_the_folder_of_the_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_TOKEN", "of another source")
    other = {"type": "openapi", "path": "api.json", "auth": {"bearer": {"env": "OTHER_TOKEN"}}}
    path = {"/": {"get": {"operationId": "ask", "responses": {"200": {"description": "ok"}}}}}
    (tmp_path / "api.json").write_text(json.dumps({"openapi": "3.1.0", "info": {}, "paths": path}))
    run = [sys.executable, "-c", SHOW, "--depth={depth}", "{text}", "{paths}", "{{}}"]
    text = "$(touch hit); `id` | cat > hit && \"x\" 'y' \n*"
    with tools(tmp_path, tool("show", run), other=other) as executor:
        result = executor.call("show", {"text": text, "paths": ["a b", "c"]})
        shown = executor.preview("show", {"depth": 2})
    words, given, folder, variables = json.loads(result.text)
    assert words == [text, "a b", "c", "{}"]  # no --depth, as none was given
    assert given == {"text": text, "paths": ["a b", "c"]}
    assert folder == str(tmp_path.resolve())
    assert "PATH" in variables
    assert "OTHER_TOKEN" not in variables
    assert not (tmp_path / "hit").exists()
    assert shown == {"operation": "own:show", "run": [*run[:3], "--depth=2", "{}"], "stdin": {"depth": 2}}


@pytest.mark.parametrize(
    ("template", "arguments", "words"),
    [
        (["rg", "--json", ["-e", "{text}"]], {"text": "-v"}, ["rg", "--json", "-e", "-v"]),
        (["rg", ["-e", "{text}"], "x"], {}, ["rg", "x"]),
        (["rg", ["-g", "{paths}"]], {"paths": ["-a", "b"]}, ["rg", "-g", "-a", "-g", "b"]),
        (["rg", ["-g", "{paths}"]], {"paths": []}, ["rg"]),
        (["rg", "--json", "{text}"], {"text": "a-v"}, ["rg", "--json", "a-v"]),
        (["rg", "--", "{text}"], {"text": "-v"}, ["rg", "--", "-v"]),
        (["rg", "--text={text}"], {"text": "-v"}, ["rg", "--text=-v"]),
        (["rg", "{depth}"], {"depth": -3}, ["rg", "-3"]),
        (["rg", "{all}", "x{text}y{depth}"], {"all": True, "depth": 1}, ["rg", "true", "xy1"]),
        (["rg", "{paths}"], {"paths": []}, ["rg"]),
    ],
)
def test_templates(template: list[Any], arguments: dict[str, Any], words: list[str]) -> None:
    assert list(filled(template, arguments)) == words


@pytest.mark.parametrize(
    ("template", "arguments"),
    [
        (["rg", "{text}"], {"text": "--pre=evil"}),
        (["rg", "{paths}"], {"paths": ["a", "-o"]}),
        (["rg", "-e", "{paths}"], {"paths": ["a", "--pre=evil"]}),
        (["rg", "--json", "{text}"], {"text": "--pre=evil"}),
        (["rg", "-e", "{text}"], {"text": "-v"}),
        (["rg", ["-e", "{depth}"], "{text}"], {"text": "-v", "depth": 1}),
        (["rg", "{all}{text}"], {"text": "-v"}),
        (["rg", "{text}.txt"], {"text": "-f"}),
    ],
)
def test_a_value_does_not_become_an_option(template: list[Any], arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="cannot begin with `-`"):
        list(filled(template, arguments))


def test_what_a_template_leaves_open_is_told_by_the_build(tmp_path: Path, toolc_cli: Cli) -> None:
    (tmp_path / "tools.yaml").write_text(
        """tools:
  - name: search
    description: Search.
    input:
      type: object
      properties:
        {text: {type: string}, deep: {type: integer}, how: {enum: [a, b]}, paths: {type: array, items: {type: string}}}
    run:
      - rg
      - --json
      - "{text}"
      - -d
      - "{deep}"
      - -h
      - "{how}"
      - [-g, "{paths}"]
      - "{txet}"
      - --
      - "{paths}"
  - {name: any, description: Run it., input: {type: object, properties: {text: {type: string}}}, run: ["{text}"]}
"""
    )
    (tmp_path / "toolc.yaml").write_text("version: 1\nname: t\nsources: {own: {type: tools, path: tools.yaml}}\n")
    done = toolc_cli("build")
    assert done.stderr.count("unclear-option") == 1
    assert "tools.yaml:11:9" in done.stderr
    assert 'insert `--` before it: --json, --, "{text}"' in done.stderr
    assert 'write both as one entry: [--json, "{text}"]' in done.stderr
    assert "tools.yaml:17:9" in done.stderr
    assert "`run` names `txet`, which is no argument; did you mean `text`?" in done.stderr
    assert "the program in `run` is no argument of the call" in done.stderr
    assert toolc_cli("call", "search", '{"text": "--pre=x"}').stderr == (
        "The `run` of this tool names `txet`, which is none of its arguments.\n"
    )


def test_what_goes_wrong_is_told(tmp_path: Path) -> None:
    python = [sys.executable, "-c"]
    with tools(
        tmp_path,
        tool("fails", [*python, "import sys; sys.exit('no such thing')"]),
        tool("gone", ["no-such-program-7"]),
        tool("theirs", None),
        tool("slip", [*python, "1", "{txet}"]),
        tool("silent", [*python, "1"]),
    ) as executor:
        said = {name: executor.call(name, {}) for name in ("fails", "gone", "theirs", "silent")}
        slip = executor.call("slip", {})
    assert said["fails"].text == "Exit code 1.\nno such thing"
    assert said["gone"].text == "no-such-program-7 cannot be started: No such file or directory."
    assert "the agent's own runtime" in said["theirs"].text
    assert said["silent"].text == "Done; it printed nothing."
    assert "names `txet`" in slip.text
    assert [result.is_error for result in said.values()] == [True, True, True, False]


def test_time_and_size_have_an_end(tmp_path: Path) -> None:
    loud = "import sys\nfor _ in range(300): sys.stdout.write('x' * 10_000)"
    child = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"
    with tools(
        tmp_path, tool("loud", [sys.executable, "-c", loud]), tool("slow", [sys.executable, "-c", child])
    ) as executor:
        cut = executor.call("loud", {})
        before = time.monotonic()
        stopped = executor.call("slow", {})
    assert cut.text == "x" * 200_000 + (
        "\n[cut after 200,000 of 3,000,000 bytes: ask for less, by filters, fields or pages, "
        'or call again with "_offset": 200000]'
    )
    assert time.monotonic() - before < 30
    assert stopped.is_error
    assert "did not end within 5 s and was stopped" in stopped.text


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with tools(tmp_path, tool("show", [sys.executable, "-c", SHOW, "{text}"])):
        yield tmp_path


def test_the_command(folder: Path, toolc_cli: Cli) -> None:
    done = toolc_cli("call", "show", '{"text": "hi"}')
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)[0] == ["hi"]
    piped = toolc_cli("call", "show", "-", "--format", "json", input='{"text": "hi"}')
    result = json.loads(piped.stdout)
    assert (result["isError"], json.loads(result["content"][0]["text"])[1]) == (False, {"text": "hi"})
    wrong = toolc_cli("call", "show", '{"txt": "hi"}')
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert wrong.stderr == "show: `txt` is not known. Did you mean `text`?\n"
    dry = toolc_cli("call", "show", '{"text": "hi"}', "--dry-run")
    assert json.loads(dry.stdout)["run"][-1] == "hi"
    assert toolc_cli("call", "show", "[]").returncode == 2
    assert toolc_cli("call", "show", "--profile", "nobody").stderr.startswith("error")
