"""`toolc build` from the outside: what it writes, when it refuses, what it keeps."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from toolc.cli import run

MEMORY = """
tools:
  - name: memory_create
    description: Create a memory.
    input: {type: object, properties: {content: {type: string, description: Memory content.}}, required: [content]}
  - name: memory_update
    description: Update a memory.
    input:
      type: object
      properties: {id: {type: string, description: Memory id.}, content: {type: string, description: Memory content.}}
      required: [id, content]
  - name: memory_delete
    description: Delete a memory.
    input: {type: object, properties: {id: {type: string, description: Memory id.}}, required: [id]}
  - name: bash
    description: Run a command.
    input: {type: object, properties: {command: {type: string, description: Command line.}}, required: [command]}
"""
CONFIG = """
version: 1
name: demo
sources:
  core: {type: tools, path: tools.yaml}
always: ["core:bash"]
targets: {anthropic: {}, openai: {}, openai-chat: {}, gemini: {}, mcp: {}, pi: {}}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "tools.yaml").write_text(MEMORY, encoding="utf-8")
    (tmp_path / "toolc.yaml").write_text(CONFIG, encoding="utf-8")
    return tmp_path


def build(project: Path, *options: str) -> int:
    return run(["build", str(project / "toolc.yaml"), *options])


def bundle(project: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((project / "bundle/bundle.json").read_text(encoding="utf-8"))
    return data


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def edit(project: Path, name: str, old: str, new: str) -> None:
    text = (project / name).read_text(encoding="utf-8")
    assert old in text
    (project / name).write_text(text.replace(old, new), encoding="utf-8")


def test_the_bundle_has_every_part(project: Path) -> None:
    assert build(project) == 0
    data = bundle(project)
    assert data["format"] == "toolc-bundle/1"
    assert [operation["id"] for operation in data["operations"]] == [
        "core:bash",
        "core:memory_create",
        "core:memory_delete",
        "core:memory_update",
    ]
    assert {tool["name"]: tool["tier"] for tool in data["tools"]} == {"bash": "always", "memory_write": "deferred"}
    assert data["aliases"]["memory_delete"] == {"tool": "memory_write", "when": {"action": "delete"}}
    files = set(contents(project / "bundle"))
    assert {"index.md", "names.md", "stubs.md", "signatures.md", "search.json", "report.json"} <= files
    assert {f"targets/{name}/tools.json" for name in ("anthropic", "openai", "gemini", "mcp")} <= files
    report = json.loads((project / "bundle/report.json").read_text(encoding="utf-8"))
    tokens, saved = report["tokens"], report["saved"]
    assert saved["noise"] + saved["text"] + saved["merging"] == tokens["source"] - tokens["full"]
    assert saved["merging"] > 0


def test_two_builds_give_the_same_bytes_wherever_they_stand(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert build(project) == 0
    first = contents(project / "bundle")
    assert build(project) == 0
    assert contents(project / "bundle") == first
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "deep"
    shutil.copytree(project, elsewhere, ignore=shutil.ignore_patterns("bundle", "toolc.lock"))
    assert build(elsewhere) == 0
    assert contents(elsewhere / "bundle") == first


def test_check_names_what_differs(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert build(project, "--check") == 1
    assert build(project) == 0
    assert build(project, "--check") == 0
    (project / "bundle/stubs.md").write_text("edited by hand\n", encoding="utf-8")
    (project / "bundle/extra.txt").write_text("stray", encoding="utf-8")
    capsys.readouterr()
    assert build(project, "--check") == 1
    out = capsys.readouterr().out
    assert "stubs.md" in out
    assert "extra.txt" in out
    assert "names.md" not in out


@pytest.mark.parametrize(
    ("name", "old", "new", "code"),
    [
        ("toolc.yaml", "name: demo", "nane: demo", 2),
        ("toolc.yaml", "tools.yaml", "gone.yaml", 2),
        ("toolc.yaml", 'always: ["core:bash"]', 'always: ["core:bsh"]', 2),
        ("tools.yaml", "tools:", "tools: [", 2),
        ("toolc.yaml", "always:", "budgets: {always: 3}\nalways:", 1),
    ],
)
def test_a_failed_build_leaves_the_old_bundle(project: Path, name: str, old: str, new: str, code: int) -> None:
    assert build(project) == 0
    before = contents(project / "bundle"), (project / "toolc.lock").read_bytes()
    edit(project, name, old, new)
    assert build(project) == code
    assert (contents(project / "bundle"), (project / "toolc.lock").read_bytes()) == before
    assert not [
        path for path in project.iterdir() if path.name not in ("bundle", "toolc.lock", "toolc.yaml", "tools.yaml")
    ]


def test_a_new_operation_changes_no_other_tool(project: Path) -> None:
    edit(
        project,
        "tools.yaml",
        "tools:\n",
        "tools:\n  - {name: zap, description: Zap it., input: {type: object, properties: {}}}\n",
    )
    assert build(project) == 0
    before = {tool["name"]: tool for tool in bundle(project)["tools"]}
    takes = "{type: object, properties: {id: {type: string, description: Memory id.}}, required: [id]}"
    added = f"  - {{name: memory_archive, description: Archive a memory., input: {takes}}}\n"
    edit(project, "tools.yaml", "tools:\n", "tools:\n" + added)
    assert build(project) == 0
    after = {tool["name"]: tool for tool in bundle(project)["tools"]}
    assert set(after) >= set(before)
    assert after["zap"]["input_schema"] == before["zap"]["input_schema"]
    cases = {case["when"]["action"]: case["operation"] for case in after["memory_write"]["dispatch"]["cases"]}
    for case in before["memory_write"]["dispatch"]["cases"]:
        assert cases[case["when"]["action"]] == case["operation"]
    reached = [case["operation"] for tool in after.values() for case in tool["dispatch"]["cases"]]
    assert reached.count("core:memory_archive") == 1


def test_a_removed_operation_has_to_be_accepted(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert build(project) == 0
    text = (project / "tools.yaml").read_text(encoding="utf-8")
    start, end = text.index("  - name: memory_delete"), text.index("  - name: bash")
    (project / "tools.yaml").write_text(text[:start] + text[end:], encoding="utf-8")
    assert build(project) == 1
    assert "core:memory_delete" in capsys.readouterr().err
    edit(project, "toolc.yaml", "always:", 'accept: {"core:memory_delete": "not offered any more"}\nalways:')
    assert build(project) == 0
    assert [tool["name"] for tool in bundle(project)["tools"]] == ["bash", "memory_write"]


def test_locked_fails_when_an_input_changed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert build(project) == 0
    assert build(project, "--locked") == 0
    edit(project, "tools.yaml", "Run a command.", "Run one command.")
    capsys.readouterr()
    assert build(project, "--locked") == 1
    told = capsys.readouterr().err
    assert "tools.yaml (put back what it says, or build without --locked and commit toolc.lock)" in told


def test_clashing_names_are_qualified_and_no_alias_is_ambiguous(project: Path) -> None:
    (project / "other.yaml").write_text(
        "tools:\n  - {name: bash, description: A shell., input: {type: object, properties: {x: {type: string}}}}\n",
        encoding="utf-8",
    )
    edit(project, "toolc.yaml", "tools.yaml}", "tools.yaml}\n  other: {type: tools, path: other.yaml}")
    assert build(project) == 0
    data = bundle(project)
    assert {"core_bash", "other_bash", "memory_write"} == {tool["name"] for tool in data["tools"]}
    assert "bash" not in data["aliases"]


def test_a_profile_holds_nothing_foreign(project: Path) -> None:
    edit(project, "toolc.yaml", "always:", "profiles: {careful: {max_effect: write}}\nalways:")
    assert build(project) == 0
    texts = contents(project / "bundle/profiles/careful")
    assert {"bundle.json", "targets/anthropic/tools.json"} <= set(texts)
    assert not [name for name, text in texts.items() if b"memory_delete" in text or b'"delete"' in text]
    data = json.loads(texts["bundle.json"])
    write = next(tool for tool in data["tools"] if tool["name"] == "memory_write")
    assert write["input_schema"]["properties"]["action"]["enum"] == ["create", "update"]


def test_verify_proves_a_written_bundle_and_notices_a_changed_one(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build(project) == 0
    assert run(["verify", "--bundle", str(project / "bundle")]) == 0
    data = bundle(project)
    write = next(tool for tool in data["tools"] if tool["name"] == "memory_write")
    del write["input_schema"]["properties"]["content"]
    write["input_schema"]["additionalProperties"] = False
    (project / "bundle/bundle.json").write_text(json.dumps(data), encoding="utf-8")
    capsys.readouterr()
    assert run(["verify", "--bundle", str(project / "bundle")]) == 1
    assert "memory_write" in capsys.readouterr().err


def test_a_call_resolves_to_the_original_one(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert build(project) == 0
    where = ["--bundle", str(project / "bundle")]
    capsys.readouterr()
    assert run(["resolve", "memory_write", '{"action": "update", "id": "7", "content": "x"}', *where]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "operation": "core:memory_update",
        "arguments": {"id": "7", "content": "x"},
    }
    assert run(["resolve", "memory_write", '{"action": "update", "content": "x"}', *where]) == 1
    assert "`id` is required for update" in capsys.readouterr().err
    assert run(["search", "delete", "a", "memory", *where]) == 0
    assert capsys.readouterr().out.startswith("memory_write")


def replace_tools(project: Path, *tools: dict[str, Any]) -> None:
    (project / "tools.yaml").write_text(json.dumps({"tools": list(tools)}), encoding="utf-8")
    edit(project, "toolc.yaml", 'always: ["core:bash"]\n', "")


def test_a_made_name_never_takes_another_operations_legal_name(project: Path) -> None:
    text = {"type": "object", "properties": {"q": {"type": "string"}}}
    replace_tools(
        project,
        {"name": "search.items", "description": "Search all items.", "input": text},
        {"name": "search_items", "description": "Purge what is found.", "input": text},
    )
    assert build(project) == 0
    holders = {tool["dispatch"]["cases"][0]["operation"]: tool["name"] for tool in bundle(project)["tools"]}
    assert holders["core:search_items"] == "search_items"
    assert bundle(project)["aliases"]["search.items"]["tool"] == holders["core:search.items"]


def test_merged_operations_whose_names_clash_have_a_qualified_alias(project: Path) -> None:
    shutil.copy(project / "tools.yaml", project / "again.yaml")
    edit(project, "toolc.yaml", "tools.yaml}", "tools.yaml}\n  more: {type: tools, path: again.yaml}")
    assert build(project) == 0
    aliases = bundle(project)["aliases"]
    assert "memory_delete" not in aliases
    assert aliases["core_memory_delete"]["when"] == {"action": "delete"}
    assert aliases["more_memory_delete"]["tool"] == "more_memory_write"


def test_a_name_in_the_config_wins_over_the_lock(project: Path) -> None:
    assert build(project) == 0
    named = "tools.yaml, overrides: {bash: {name: shell}}}"
    edit(project, "toolc.yaml", "tools.yaml}", named)
    assert build(project) == 0
    assert {tool["name"] for tool in bundle(project)["tools"]} == {"shell", "memory_write"}


def test_a_given_name_that_another_operation_has_is_an_error(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(project, "toolc.yaml", "tools.yaml}", "tools.yaml, overrides: {memory_create: {name: memory_update}}}")
    assert build(project) == 2
    assert "name-taken" in capsys.readouterr().err


def test_classes_changed_in_the_config_are_obeyed_in_spite_of_the_lock(project: Path) -> None:
    edit(project, "toolc.yaml", "tools.yaml}", "tools.yaml, separate: []}")
    assert build(project) == 0
    assert {tool["name"] for tool in bundle(project)["tools"]} == {"bash", "memory"}
    edit(project, "toolc.yaml", "separate: []", "separate: [read, write, destructive]")
    assert build(project) == 1  # the tool `memory` would be gone
    assert build(project, "--repin") == 0
    assert {tool["name"] for tool in bundle(project)["tools"]} == {"bash", "memory_write", "memory_delete"}


def test_every_emitted_root_is_plain_and_what_is_built_verifies(project: Path) -> None:
    both = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    replace_tools(
        project,
        {
            "name": "find",
            "description": "Find.",
            "input": {**both, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        },
        {
            "name": "loop",
            "description": "Loop.",
            "input": {"type": "object", "properties": {"l": {"allOf": [{"$ref": "#/properties/l"}]}}},
        },
        {"name": "self", "description": "Self.", "input": {"$ref": "#"}},
    )
    assert build(project) == 0
    for tool in bundle(project)["tools"]:
        assert tool["input_schema"]["type"] == "object"
        assert not tool["input_schema"].keys() & {"anyOf", "oneOf", "allOf", "$ref"}
    assert "At least one of: a, b." in next(t["description"] for t in bundle(project)["tools"] if t["name"] == "find")
    assert run(["verify", "--bundle", str(project / "bundle")]) == 0
    assert run(["resolve", "find", "{}", "--bundle", str(project / "bundle")]) == 1


@pytest.mark.parametrize(
    "line",
    [
        '{"tool": 5, "tokens": [], "actions": 3}',
        '{"tool": "a", "tokens": 1, "actions": {"x": {}}}',
        '{"tool": "bad name!", "tokens": 1, "actions": {"": "core:bash"}}',
        "<<<<<<< ours",
        "not json",
    ],
)
def test_a_damaged_lock_is_named_at_its_line(project: Path, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert build(project) == 0
    lock = (project / "toolc.lock").read_text(encoding="utf-8").splitlines()
    (project / "toolc.lock").write_text("\n".join([*lock, line]) + "\n", encoding="utf-8")
    capsys.readouterr()
    assert build(project) == 2
    assert f"toolc.lock:{len(lock) + 1}:1: error invalid-lock" in capsys.readouterr().err


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data["operations"].pop(1),
        lambda data: data["operations"][0].update(name=None),
        lambda data: data["operations"][0]["input"].update(type=None),
        lambda data: data["tools"][1]["dispatch"]["cases"][0].update(when={}),
        lambda data: data["tools"][1].update(input_schema=[1]),
        lambda data: data["groups"][0].update(name=5),
        lambda data: data["aliases"].update(old={"tool": "gone", "when": {}}),
        lambda data: data.pop("format"),
    ],
)
def test_a_damaged_bundle_is_refused_without_a_traceback(
    project: Path, damage: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build(project) == 0
    data = bundle(project)
    damage(data)
    (project / "bundle/bundle.json").write_text(json.dumps(data), encoding="utf-8")
    where = ["--bundle", str(project / "bundle")]
    for command in (
        ["verify"],
        ["show", "memory_write"],
        ["resolve", "memory_write", '{"action": "delete", "id": "1"}'],
    ):
        capsys.readouterr()
        assert run([*command, *where]) == 2
        error = capsys.readouterr().err
        assert "invalid-bundle" in error
        assert "internal error" not in error


def test_what_a_terminal_would_obey_is_shown_escaped(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    replace_tools(
        project, {"name": "evil", "description": "a\x1b[31mb\u202ec", "input": {"type": "object", "properties": {}}}
    )
    assert build(project) == 0
    capsys.readouterr()
    assert run(["show", "evil", "--bundle", str(project / "bundle")]) == 0
    assert run(["resolve", "ev\x1b[31m\u202e", "{}", "--bundle", str(project / "bundle")]) == 1
    shown = capsys.readouterr()
    assert "\\x1b" in shown.out or "\\u001b" in shown.out
    assert not set("\x1b\u202e") & set(shown.out + shown.err)


def test_arguments_are_read_as_strictly_as_sources(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert build(project) == 0
    where = ["--bundle", str(project / "bundle")]
    for text in (
        '{"action": "create", "action": "delete", "id": "1"}',
        '{"action": NaN}',
        "[" * 100_000,
        '{"id": "\\ud800"}',
    ):
        capsys.readouterr()
        assert run(["resolve", "memory_write", text, *where]) == 2
        assert "internal error" not in capsys.readouterr().err


def test_a_spec_with_a_senseless_required_costs_no_more_than_that(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = {"type": "object", "properties": {"a": {"type": "string"}, "r": {"type": "string", "readOnly": True}}}
    content = {"application/json": {"schema": {**body, "required": ["a", {"x": 1}]}}}
    good = {"operationId": "look", "responses": {"200": {"description": "ok"}}}
    bad = {"operationId": "mk", "requestBody": {"content": content}, "responses": {"200": {"description": "ok"}}}
    spec = {"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": {"/c": {"get": good, "post": bad}}}
    (project / "api.json").write_text(json.dumps(spec), encoding="utf-8")
    edit(project, "toolc.yaml", "tools.yaml}", "tools.yaml}\n  api: {type: openapi, path: api.json}")
    assert build(project) == 0
    assert "internal error" not in capsys.readouterr().err
    assert "api:look" in {operation["id"] for operation in bundle(project)["operations"]}


def test_a_build_with_a_lock_tells_the_same_as_one_without(project: Path) -> None:
    open_one = {"name": "ping", "description": "Ping the server.", "input": {"type": "object"}}
    free = {
        "name": "item_create",
        "description": "Create an item.",
        "input": {"type": "object", "additionalProperties": True},
    }
    closed = {"name": "item_update", "description": "Update an item.", "input": {"type": "object", "properties": {}}}
    replace_tools(project, open_one, free, closed)
    assert build(project) == 0
    first = contents(project / "bundle")
    assert build(project) == 0
    assert contents(project / "bundle") == first
    assert "core:item_create" in json.loads(first["report.json"])["unmerged"]
