"""The command line: what is printed where, and the exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

from toolc import cli, config, registry
from toolc.cli import console
from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import Origin
from toolc.pipeline import Choice, LintResult
from toolc.schema.validator import invalid_because

TOOLS = """\
tools:
  - name: note_create
    description: Write a note.
    input:
      {type: object, required: [text], properties: {text: {type: string, description: What to note. Zeile für Zeile.}}}
  - name: note_delete
    description: Delete a note.
    input: {type: object, required: [id], properties: {id: {type: string, description: Note id.}}}
"""
CONFIG = "version: 1\nname: notes\nsources: {notes: {type: tools, path: tools.yaml}}\ntargets: {anthropic: {}}\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a config and its tools, which is the current one."""
    (tmp_path / "toolc.yaml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "tools.yaml").write_text(TOOLS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_command_has_the_help_that_the_list_shows() -> None:
    for name, line in cli.COMMANDS.items():
        command = import_module(f"toolc.cli.{name}").command
        assert isinstance(command, click.Command)
        assert (command.name, command.short_help) == (name, line)
        assert command.help


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["biuld"], "Did you mean 'build'?"),
        (["build", "--chek"], "--check"),
        (["lint", "--format", "jsn"], "did you mean `json`?"),
        (["build", "--target", "antropic"], "did you mean `anthropic`?"),
        (["build", "--locked", "--repin"], "contradict"),
        (["resolve", "note_create", "{"], "not valid JSON"),
        (["resolve", "note_create", "[]"], "JSON object"),
        (["init", "--from", "memry", "x"], "did you mean `memory`?"),
        (["lint", "tools.yml"], "tools.yaml"),
        (["lint", "--ignore", "missing-descripton", "tools.yaml"], "did you mean `missing-description`?"),
        (["build", "nowhere"], "toolc init"),
        (["show", "note_create"], "toolc build"),
    ],
)
def test_a_bad_request_ends_with_2_and_says_what_to_do(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    before = files(project)
    assert cli.run(arguments) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert told in output.err
    assert "Traceback" not in output.err
    assert files(project) == before


def test_no_config_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    for command in ("build", "lint", "tokens"):
        assert cli.run([command]) == 2
        assert "toolc init" in capsys.readouterr().err


def test_a_mistake_in_the_config_is_shown_with_its_line(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "toolc.yaml").write_text(CONFIG + "alwayz: []\n", encoding="utf-8")
    assert cli.run(["build"]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert "toolc.yaml:5:1" in output.err
    assert "did you mean `always`" in output.err


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("broken.json", b'{"tools":\n [}', "2:3"),
        ("broken.yaml", b"tools: [a\nb: c", "2:2"),
        ("binary.json", bytes(range(256)), ""),
        ("empty.yaml", b"", "1:1"),
        ("deep.json", b"[" * 100_000, "1:"),
    ],
)
@pytest.mark.parametrize("command", ["lint", "tokens", "build"])
def test_a_file_that_cannot_be_read(
    project: Path, capsys: pytest.CaptureFixture[str], command: str, name: str, content: bytes, place: str
) -> None:
    (project / name).write_bytes(content)
    assert cli.run([command, name]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(f"{name}:{place}")
    assert "internal error" not in output.err


def test_build_check_show_search_resolve_verify(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["build", "--check"]) == 1
    output = capsys.readouterr()
    assert {"missing bundle.json", "missing toolc.lock"} <= set(output.out.splitlines())
    assert output.err.splitlines()[-1].startswith("failed: ")
    assert not (project / "bundle").exists()

    assert cli.run(["build"]) == 0
    assert (project / "bundle" / "bundle.json").is_file()
    assert (project / "toolc.lock").is_file()
    before = files(project)
    assert cli.run(["build", "--check"]) == 0
    assert cli.run(["build"]) == 0
    assert files(project) == before

    capsys.readouterr()
    assert cli.run(["resolve", "note_delete", '{"id": "7"}']) == 0
    assert json.loads(capsys.readouterr().out) == {"operation": "notes:note_delete", "arguments": {"id": "7"}}
    assert cli.run(["resolve", "note_delete", '{"ident": "7"}']) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert "`id`" in output.err

    assert cli.run(["search", "delete", "note", "--format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) >= 1
    assert cli.run(["show", "notes:note_create"]) == 0
    assert "notes:note_create" in capsys.readouterr().out
    assert cli.run(["show", "notes:note_create", "--target", "anthropic"]) == 0
    assert "input_schema" in json.loads(capsys.readouterr().out)
    assert cli.run(["show", "notes:note_crate"]) == 2
    assert "did you mean `notes:note_create`" in capsys.readouterr().err
    assert cli.run(["verify"]) == 0

    (project / "bundle" / "bundle.json").write_text("{}", encoding="utf-8")
    assert cli.run(["verify"]) == 2
    assert cli.run(["build", "--check"]) == 1
    assert "changed bundle.json: line 1" in capsys.readouterr().out


def test_a_failed_build_leaves_the_old_bundle(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["build"]) == 0
    before = files(project / "bundle")
    (project / "toolc.yaml").write_text(CONFIG + "budgets: {tool: 1}\n", encoding="utf-8")
    assert cli.run(["build"]) == 1
    assert "budget" in capsys.readouterr().err.splitlines()[-1]
    assert files(project / "bundle") == before


def finding(severity: Severity, rule: str = "missing-description") -> Diagnostic:
    return Diagnostic(rule, severity, "it is wrong", Origin("tools.yaml", "/tools/0"))


@pytest.mark.parametrize(
    ("found", "arguments", "code"),
    [
        ([], [], 0),
        ([Severity.note], [], 0),
        ([Severity.note, Severity.warning], [], 1),
        ([Severity.warning], ["--fail-on", "error"], 0),
        ([Severity.note], ["--fail-on", "note"], 1),
        ([Severity.error], ["--fail-on", "never"], 0),
    ],
)
def test_the_gate_of_lint(
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    found: list[Severity],
    arguments: list[str],
    code: int,
) -> None:
    result = LintResult(tuple(finding(severity) for severity in found))
    monkeypatch.setattr("toolc.pipeline.lint", lambda *_: result)
    assert cli.run(["lint", *arguments]) == code
    output = capsys.readouterr()
    assert (output.err.splitlines()[-1].startswith("failed: ") if output.err else False) == (code == 1)


def test_lint_takes_configs_files_and_folders(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[list[str]] = []

    def lint(loaded: config.Config, _: Choice) -> LintResult:
        looked_at.append(list(loaded.sources))
        return LintResult(())

    monkeypatch.setattr("toolc.pipeline.lint", lint)
    (project / "more").mkdir()
    (project / "more" / "api.json").write_text('{"openapi": "3.1.0", "paths": {}}')
    (project / "more" / "package.json").write_text('{"name": "x"}')
    (project / "more" / "broken.json").write_text("{")
    assert cli.run(["lint", ".", "tools.yaml", "more"]) == 0
    assert looked_at == [["notes"], ["api"]]  # tools.yaml is read with the config that names it
    assert cli.run(["lint", "more/package.json"]) == 2
    assert cli.run(["lint", "more/broken.json"]) == 2
    assert cli.run(["lint", "--skip-other", "more/package.json", "more/broken.json"]) == 0


def test_a_finding_of_a_config_elsewhere_is_shown_from_here(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("toolc.pipeline.lint", lambda *_: LintResult((finding(Severity.error),)))
    monkeypatch.chdir(project.parent)
    assert cli.run(["lint", project.name]) == 1
    assert f"{project.name}/tools.yaml:2:5" in capsys.readouterr().out


@pytest.mark.parametrize("by", ["tool", "source", "group"])
def test_tokens_of_a_file_add_up(project: Path, capsys: pytest.CaptureFixture[str], by: str) -> None:
    assert cli.run(["tokens", "tools.yaml", "--by", by, "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["encoding"] == "o200k_base"
    assert sum(row["tokens"] for row in data[f"{by}s"]) == data["totals"]["tools"] > 0


def test_tokens_of_a_captured_request_tell_its_parts_apart(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    request = {
        "model": "m",
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "Hello there, write a note please."}],
        "tools": [
            {"name": "light", "description": "L.", "input_schema": {"type": "object"}},
            {"name": "heavy", "description": "Very heavy. " * 40, "input_schema": {"type": "object"}},
        ],
    }
    (project / "request.json").write_text(json.dumps(request))
    assert cli.run(["tokens", "request.json", "--top", "1"]) == 0
    output = capsys.readouterr().out
    assert "heavy" in output
    assert "light" not in output
    assert all(part in output for part in ("tools ", "system ", "messages ", "o200k_base", "estimates", "1 more"))


def tokens_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, dict[str, Any]]:
    assert cli.run(["tokens", "--format", "json", *arguments]) == 0
    return {row["name"]: row for row in json.loads(capsys.readouterr().out)["tools"]}


def test_tokens_tell_text_from_structure(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = {"type": "object", "properties": {"size": {"type": "integer"}}}
    said = {"type": "object", "properties": {"size": {"type": "integer", "description": "How many pieces to cut."}}}
    tools = [
        {"name": "cut", "description": "", "input_schema": schema},
        {"name": "cut_it", "description": "Cut a thing into pieces.", "input_schema": schema},
        {"name": "cut_up", "description": "", "input_schema": said},
    ]
    (project / "list.json").write_text(json.dumps(tools))
    rows = tokens_of(capsys, "list.json")
    assert [rows["cut"][part] for part in ("description", "parameters")] == [0, 0]
    assert rows["cut"]["structure"] == rows["cut"]["tokens"]
    assert rows["cut_it"]["description"] > 4
    assert rows["cut_it"]["parameters"] == 0
    assert rows["cut_up"]["parameters"] > 4
    assert rows["cut_up"]["description"] == 0
    for row in rows.values():
        assert row["description"] + row["parameters"] + row["structure"] == row["tokens"]


def test_tokens_count_tools_that_take_free_text(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grammar = {"type": "grammar", "syntax": "lark", "definition": "start: WORD+ " * 20}
    tools = [
        {"type": "function", "name": "light", "parameters": {"type": "object"}},
        {"type": "custom", "name": "patch", "description": "Apply a patch.", "format": grammar},
        {"type": "custom", "custom": {"name": "run", "description": "Run code."}},
    ]
    (project / "list.json").write_text(json.dumps({"tools": tools}))
    rows = tokens_of(capsys, "list.json")
    assert set(rows) == {"light", "patch", "run"}
    assert rows["patch"]["tokens"] > 60 > rows["run"]["tokens"] > rows["run"]["description"] > 0


def test_tokens_of_a_config_tell_what_was_saved_and_what_grew(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["build"]) == 0
    capsys.readouterr()
    before = tokens_of(capsys)
    assert all(row["change"] == 0 and row["locked"] == row["tokens"] for row in before.values())
    for row in before.values():
        assert row["apart"] - sum(row["saved"].values()) == row["tokens"]
    text = (project / "tools.yaml").read_text(encoding="utf-8")
    (project / "tools.yaml").write_text(text.replace("description: ", "description: Really and truly and always ", 1))
    grown = tokens_of(capsys)
    assert sorted(row["change"] > 0 for row in grown.values())[-1]
    assert {name: row["tokens"] - row["change"] for name, row in grown.items()} == {
        name: row["tokens"] for name, row in before.items()
    }
    stubs = tokens_of(capsys, "--level", "stub")
    assert all(stubs[name]["tokens"] < row["tokens"] for name, row in grown.items())


@pytest.mark.parametrize("name", config.catalogs())
def test_init_copies_a_catalog_and_never_overwrites(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    folder = tmp_path / "new"
    assert cli.run(["init", "--from", name, str(folder)]) == 0
    before = files(folder)
    assert "toolc.yaml" in before
    assert cli.run(["init", "--from", name, str(folder)]) == 2
    assert cli.run(["init", str(folder)]) == 2
    assert files(folder) == before
    assert "nothing was written" in capsys.readouterr().err


def test_init_names_the_sources_it_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolc.diagnostics import Report

    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "my api.json").write_text('{"openapi": "3.1.0", "paths": {}}')
    (tmp_path / "tools.yaml").write_text(TOOLS, encoding="utf-8")
    (tmp_path / "package.json").write_text('{"name": "x"}')
    monkeypatch.chdir(tmp_path)
    assert cli.run(["init"]) == 0
    loaded = config.load(tmp_path, Report())
    assert {name: (entry.type, entry.options.path) for name, entry in loaded.sources.items()} == {
        "tools": ("tools", ("tools.yaml",)),
        "my_api": ("openapi", "specs/my api.json"),
    }


def test_lists_name_every_member(capsys: pytest.CaptureFixture[str]) -> None:
    for kind in ("rules", "targets"):
        assert cli.run([kind]) == 0
        lines = capsys.readouterr().out.splitlines()
        listed = [line.split()[0] for line in lines]
        assert set(registry.names(kind)) <= set(listed)  # type: ignore[arg-type]
        assert all(len(line.split()) > 3 for line in lines)


def test_schema_prints_a_valid_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["schema"]) == 0
    assert invalid_because(json.loads(capsys.readouterr().out)) == ""


def test_a_bug_is_one_line_and_a_request_to_report_it(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("boom\nmore")

    monkeypatch.setattr("toolc.pipeline.lint", fail)
    assert cli.run(["lint"]) == 2
    error = capsys.readouterr().err
    assert error.splitlines()[0] == "internal error: RuntimeError: boom"
    assert "report" in error
    assert "Traceback" not in error
    monkeypatch.setenv("TOOLC_DEBUG", "1")
    assert cli.run(["lint"]) == 2
    assert "Traceback" in capsys.readouterr().err


def start(*arguments: str, **environment: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "toolc", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
    )


def test_a_closed_pipe_is_quiet() -> None:
    with start("schema") as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_columns_of_a_table_stand_below_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    console.table([("1", "名前", "a"), ("10", "e\u0301", "b"), ("100", "x\u202e", "c")], right=1)
    assert capsys.readouterr().out == "  1  名前     a\n 10  e\u0301        b\n100  x\\u202e  c\n"


def in_shell(command: str, **environment: str) -> tuple[int, str]:
    """Exit code, and what went to stderr, of `toolc COMMAND` with redirections as a shell has them."""
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"} | environment
    result = subprocess.run(
        ["/bin/sh", "-c", f'"{sys.executable}" -m toolc {command}'], env=clean, capture_output=True, text=True
    )
    return result.returncode, result.stderr


OUTPUTS = ["lint", "lint --format json", "lint --format github", "tokens", "rules", "schema", "--help", "--version"]


@pytest.mark.parametrize("command", OUTPUTS)
@pytest.mark.parametrize("environment", [{}, {"PYTHONUNBUFFERED": "1"}])
def test_a_full_disk_behind_stdout_is_said(project: Path, command: str, environment: dict[str, str]) -> None:
    code, error = in_shell(f"{command} >/dev/full", **environment)
    assert (code, error.splitlines()[-1]) == (2, "error: the output cannot be written: No space left on device")
    assert "Traceback" not in error


@pytest.mark.parametrize("command", OUTPUTS)
def test_a_closed_stdout_is_as_good_as_none(project: Path, command: str) -> None:
    code, error = in_shell(f"{command} >&-")
    assert code == in_shell(f"{command} >/dev/null")[0]
    assert "internal error" not in error


@pytest.mark.parametrize("streams", ["2>&-", "2>/dev/full", ">&- 2>&- <&-"])
@pytest.mark.parametrize(("command", "code"), [("lint", 1), ("lint nothere", 2), ("nope", 2), ("tokens", 0)])
def test_nobody_to_tell_is_no_fault(project: Path, command: str, code: int, streams: str) -> None:
    (project / "tools.yaml").write_text("tools: [{name: pull, input: {type: object, properties: {}}}]\n")
    assert in_shell(f"{command} {streams}")[0] == code


@pytest.mark.parametrize("command", ["--help", "--version", "lint --help"])
def test_help_into_a_closed_pipe_is_quiet(command: str) -> None:
    with start(*command.split()) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 141


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_a_terminal_of_any_encoding_gets_json_that_parses(encoding: str) -> None:
    out, err = start("schema", PYTHONIOENCODING=encoding).communicate()
    assert err == b""
    assert json.loads(out.decode(encoding))["title"] == "toolc.yaml"


def test_help_in_a_terminal_that_knows_only_ascii(project: Path) -> None:
    (project / "toolc.yaml").write_text(CONFIG + "äöü→: 1\n", encoding="utf-8")
    process = start("build", PYTHONIOENCODING="ascii")
    _, err = process.communicate()
    assert process.returncode == 2
    assert b"unknown key" in err
    assert b"internal error" not in err


def test_an_interrupt_ends_with_130_and_no_traceback(project: Path) -> None:
    os.mkfifo(project / "slow.yaml")
    process = start("lint", "slow.yaml")
    with (project / "slow.yaml").open("wb"):  # opens once the command has begun to read, and gives it nothing
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"Traceback" not in err


def test_what_is_wrong_with_a_call_on_the_command_line_is_not_told_of_a_file(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["build"]) == 0
    capsys.readouterr()
    assert cli.run(["resolve", "note_delete", "{id: 7}"]) == 2
    assert "argument JSON:1:2: error invalid-json: argument JSON is not valid JSON" in capsys.readouterr().err
    assert cli.run(["resolve", "note_delete", "id"]) == 2  # no YAML either
    assert "invalid-json" in capsys.readouterr().err
    assert cli.run(["call", "note_delete", "--profile", "p"]) == 2
    assert "`toolc build` writes those that toolc.yaml declares" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("before", "after", "advice"),
    [
        ("{anthropic: {}}", "[anthropic]", "Runtime to emit for → its options."),
        ("version: 1\n", "", "Version of this format: 1."),
        ("path: tools.yaml", "path: tools.yaml, vendored: maybe", "The team cannot edit this source"),
    ],
)
def test_what_a_key_takes_is_said_where_it_is_given_something_else(
    project: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, advice: str
) -> None:
    (project / "toolc.yaml").write_text(CONFIG.replace(before, after), encoding="utf-8")
    assert cli.run(["build"]) == 2
    assert f"help: {advice}" in capsys.readouterr().err


def test_init_takes_skills_that_stand_side_by_side_for_one_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("skills/refund", "skills/incident", "skills/incident/inner", "apart/one", "top"):
        (tmp_path / folder).mkdir(parents=True)
        text = f"---\nname: {Path(folder).name}\ndescription: Does it.\n---\nBody.\n"
        (tmp_path / folder / "SKILL.md").write_text(text)
    assert cli.run(["init"]) == 0
    lines = [line for line in (tmp_path / "toolc.yaml").read_text().splitlines() if "type: skills" in line]
    assert lines == [
        "  one: {type: skills, path: apart/one}",
        "  skills: {type: skills, path: skills}",
        "  top: {type: skills, path: top}",
    ]
    assert cli.run(["build"]) == 0
    found = json.loads((tmp_path / "bundle" / "report.json").read_text())["sources"]
    assert {name: entry["operations"] for name, entry in found.items()} == {"one": 1, "skills": 3, "top": 1}


@pytest.mark.parametrize("command", ["lint", "tokens"])
def test_a_folder_without_tools_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "package.json").write_text('{"name": "x"}')
    monkeypatch.chdir(tmp_path)
    for folder in ("empty", "other"):
        assert cli.run([command, folder]) == 0
        shown = capsys.readouterr()
        assert f"there is nothing to read tools from in {folder}" in shown.err
        assert "0 tools" in shown.out
