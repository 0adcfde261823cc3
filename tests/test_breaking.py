"""A build refuses what breaks callers, unless the config says why it may."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolc.cli import run

ID, TEXT = {"id": {"type": "string"}}, {"text": {"type": "string"}}
STATE = {"state": {"type": "string", "enum": ["open", "closed"]}}
MORE = {"state": {"type": "string", "enum": ["open", "closed", "new"]}}


def tool(name: str, required: list[str], /, hints: Any = None, **properties: Any) -> dict[str, Any]:
    takes = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "description": f"Does {name} to it.", "input": takes} | ({"hints": hints} if hints else {})


def notes() -> list[dict[str, Any]]:
    """Three that become `note_write`, and `ping`."""
    return [
        tool("note_create", ["text"], **TEXT, **STATE),
        tool("note_update", ["id"], **ID, **TEXT, **STATE),
        tool("note_delete", ["id"], **ID),
        tool("ping", [], hints={"read_only": True}, host={"type": "string"}),
    ]


def project(folder: Path, tools: list[dict[str, Any]], **config: Any) -> Path:
    (folder / "tools.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")
    settings = {"version": 1, "name": "t", "sources": {"s": {"type": "tools", "path": "tools.json"}}, **config}
    (folder / "toolc.yaml").write_text(json.dumps(settings), encoding="utf-8")
    return folder / "toolc.yaml"


def drop(name: str) -> Any:
    return lambda tools: tools.remove(next(entry for entry in tools if entry["name"] == name))


def change(name: str, /, **values: Any) -> Any:
    def edit(tools: list[dict[str, Any]]) -> None:
        next(entry for entry in tools if entry["name"] == name).update(values)

    return edit


def change_input(name: str, /, **values: Any) -> Any:
    def edit(tools: list[dict[str, Any]]) -> None:
        next(entry for entry in tools if entry["name"] == name)["input"].update(values)

    return edit


BREAKING = [
    (drop("note_delete"), "s:note_delete", "is gone (was `note_write` action delete)"),
    (change("ping", name="pong"), "s:ping", "is `s:pong` now"),
    (change_input("note_update", required=["id", "text"]), "s:note_update", "`text` is newly required"),
    (change_input("note_create", properties=TEXT), "s:note_create", "`state` is gone"),
    (
        change_input("ping", properties={"host": {"type": "string", "enum": ["a", "b"]}}),
        "s:ping",
        '`host` only takes "a", "b" now',
    ),
    (
        change_input("ping", properties={"host": {"type": "integer"}}),
        "s:ping",
        "`host` is integer now (was string)",
    ),
    (change("ping", hints={"read_only": False, "destructive": False}), "s:ping", "was read, is write"),
]


@pytest.mark.parametrize(("edit", "operation", "words"), BREAKING)
def test_what_breaks_callers_fails_until_it_is_accepted(
    tmp_path: Path, edit: Any, operation: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    config = project(tmp_path, notes())
    assert run(["build", str(config)]) == 0
    before = (tmp_path / "toolc.lock").read_bytes(), (tmp_path / "bundle/bundle.json").read_bytes()
    tools = notes()
    edit(tools)
    project(tmp_path, tools)
    for options in ([], ["--check"], ["--repin"]):
        capsys.readouterr()
        assert run(["build", str(config), *options]) == 1
        said = capsys.readouterr().err
        assert "breaking-change" in said
        assert f"`{operation}`: " in said
        assert words in said
        assert said.rstrip().endswith("(`toolc diff` shows it all); nothing was written")
    assert ((tmp_path / "toolc.lock").read_bytes(), (tmp_path / "bundle/bundle.json").read_bytes()) == before
    project(tmp_path, tools, accept={operation: "agreed with all callers"})
    assert run(["build", str(config)]) == 0
    project(tmp_path, tools)
    assert run(["build", str(config)]) == 0  # the lock has it now


@pytest.mark.parametrize(
    "edit",
    [
        lambda tools: tools.append(tool("look", [], hints={"read_only": True}, where={"type": "string"})),
        lambda tools: tools.append(tool("note_archive", ["id"], **ID)),
        change("ping", description="Says whether a host answers."),
        change_input("note_update", required=[]),
        change_input("ping", properties={"host": {"type": ["string", "null"]}, "port": {"type": "integer"}}),
        lambda tools: [entry["input"]["properties"].update(MORE) for entry in tools[:2]],
        change("note_create", hints={"destructive": False}),
    ],
)
def test_what_breaks_nobody_is_built(tmp_path: Path, edit: Any) -> None:
    config = project(tmp_path, notes())
    assert run(["build", str(config)]) == 0
    tools = notes()
    edit(tools)
    project(tmp_path, tools)
    assert run(["build", str(config)]) == 0


def test_a_tool_that_would_be_called_otherwise_breaks_and_repin_takes_the_new_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = project(tmp_path, notes())
    assert run(["build", str(config)]) == 0
    project(tmp_path, notes(), consolidate={"keep": ["s:note_delete"]})
    assert run(["build", str(config)]) == 1
    said = capsys.readouterr().err
    assert "`s:note_delete`: was `note_write` action delete, is `note_delete`" in said
    assert "--repin" in said
    assert run(["build", str(config), "--repin"]) == 0
    assert run(["build", str(config), "--check"]) == 0


def test_a_name_given_in_the_config_breaks_nobody_as_the_old_one_is_an_alias(tmp_path: Path) -> None:
    config = project(tmp_path, notes())
    assert run(["build", str(config)]) == 0
    source = {"type": "tools", "path": "tools.json", "overrides": {"ping": {"name": "are_you_there"}}}
    project(tmp_path, notes(), sources={"s": source})
    assert run(["build", str(config)]) == 0


def test_an_accepted_operation_accepts_nothing_for_another(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = project(tmp_path, notes())
    assert run(["build", str(config)]) == 0
    tools = notes()
    drop("note_delete")(tools)
    change_input("ping", required=["host"])(tools)
    project(tmp_path, tools, accept={"s:note_delete": "dropped"})
    capsys.readouterr()
    assert run(["build", str(config)]) == 1
    said = capsys.readouterr().err
    assert "`s:ping`: `host` is newly required" in said
    assert "`s:note_delete`" not in said
    project(tmp_path, tools, accept={"s:note_delete": "dropped", "s:ping": "hosts are needed now"})
    assert run(["build", str(config)]) == 0


def test_an_accept_that_accepts_nothing_is_told(tmp_path: Path) -> None:
    from toolc import config as configs
    from toolc import pipeline
    from toolc.diagnostics import Report

    config = project(tmp_path, notes(), accept={"s:note_delet": "typo"})
    assert run(["build", str(config)]) == 0
    tools = notes()
    drop("note_delete")(tools)
    project(tmp_path, tools, accept={"s:note_delet": "typo"})
    result = pipeline.build(configs.load(config, Report()))
    assert [(d.rule, d.message) for d in result.diagnostics if d.rule == "unused-accept"] == [
        ("unused-accept", "`s:note_delet` has no breaking change to accept; did you mean `s:note_delete`?")
    ]
    assert result.failed


def test_a_name_that_would_lead_to_another_operation_breaks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = project(tmp_path, notes())
    assert run(["build", str(config)]) == 0
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"tools": [tool("note_delete", ["all"], all={"type": "boolean"})]}), encoding="utf-8")
    sources = {"s": {"type": "tools", "path": "tools.json"}, "o": {"type": "tools", "path": "other.json"}}
    project(tmp_path, notes(), sources=sources)
    capsys.readouterr()
    assert run(["build", str(config)]) == 1
    assert "`s:note_delete`: the name `note_delete` now calls `o:note_delete`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda lines: [*lines, "<<<<<<< HEAD"], "a merge conflict"),
        (lambda lines: [*lines, lines[-1]], "stands in line"),
        (lambda lines: lines[:-1], "the line of `s:ping` is missing"),
        (lambda lines: [line for line in lines if '"tool":"ping"' not in line], "`s:ping` is in no tool"),
        (lambda lines: [line.replace('"effect":"read"', '"effect":"harmless"') for line in lines], "wrong type"),
        (lambda lines: ['{"format": "toolc-lock/0"}', *lines[1:]], "its format is 'toolc-lock/0'"),
        (lambda lines: [line.replace('"schema":{', '"shape":{') for line in lines], "'schema' is missing"),
    ],
)
def test_a_damaged_lock_is_told_at_its_line(
    tmp_path: Path, damage: Any, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    config = project(tmp_path, notes())
    assert run(["build", str(config)]) == 0
    lock = tmp_path / "toolc.lock"
    lock.write_text("\n".join(damage(lock.read_text(encoding="utf-8").splitlines())) + "\n", encoding="utf-8")
    capsys.readouterr()
    assert run(["build", str(config)]) == 2
    said = capsys.readouterr().err
    assert "toolc.lock:" in said
    assert "invalid-lock" in said
    assert words in said


def test_a_newcomer_that_makes_its_tool_worse_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tools = notes()
    drop("note_delete")(tools)
    config = project(tmp_path, tools)
    assert run(["build", str(config)]) == 0
    project(tmp_path, notes())
    capsys.readouterr()
    assert run(["diff", str(config), "--format", "json"]) == 0
    changes = json.loads(capsys.readouterr().out)["changes"]
    assert ("effect", "makes `note_write` destructive (was write)") in {(c["kind"], c["words"]) for c in changes}


def test_a_lock_without_contracts_still_pins_names(tmp_path: Path) -> None:
    config = project(tmp_path, notes())
    assert run(["build", str(config)]) == 0
    lock = tmp_path / "toolc.lock"
    lines = [line for line in lock.read_text(encoding="utf-8").splitlines() if not line.startswith('{"operation"')]
    lock.write_text("\n".join(lines).replace('"note_write"', '"note_change"') + "\n", encoding="utf-8")
    assert run(["build", str(config)]) == 0
    assert '"tool":"note_change"' in lock.read_text(encoding="utf-8")


def test_what_callers_cannot_notice_is_no_change(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = project(tmp_path, notes())
    assert run(["build", str(config)]) == 0
    tools = notes()
    change_input("ping", additionalProperties=False)(tools)  # no parameter that is declared is refused
    project(tmp_path, tools)
    capsys.readouterr()
    assert run(["diff", str(config)]) == 0
    assert "nothing changed for callers" in capsys.readouterr().out


def test_an_effect_that_is_said_to_be_milder_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = project(tmp_path, notes())
    assert run(["build", str(config)]) == 0
    tools = notes()
    change("note_delete", hints={"read_only": False, "destructive": False})(tools)
    project(tmp_path, tools)
    capsys.readouterr()
    assert run(["diff", str(config)]) == 0
    assert "s:note_delete (was destructive, is write)" in capsys.readouterr().out


def test_both_sides_of_a_merge_may_leave_two_digests_of_a_file(tmp_path: Path) -> None:
    config = project(tmp_path, notes())
    assert run(["build", str(config)]) == 0
    lock = tmp_path / "toolc.lock"
    before = lock.read_text(encoding="utf-8")
    first, *rest = before.splitlines()
    other = '{"input":"tools.json","digest":"0123"}'
    lock.write_text("\n".join([first, other, *rest]) + "\n", encoding="utf-8")
    assert run(["build", str(config), "--check"]) == 1
    assert run(["build", str(config)]) == 0
    assert lock.read_text(encoding="utf-8") == before


def test_each_break_is_told_where_its_author_can_mend_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Gone: at the source; renamed: at the new name; an effect that is not known any more: with what tells it."""
    takes = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}

    def write(*tools: tuple[str, str]) -> None:
        entries = [{"name": name, "description": text, "input": takes} for name, text in tools]
        (tmp_path / "tools.json").write_text(json.dumps({"tools": entries}))
        (tmp_path / "toolc.yaml").write_text(
            "version: 1\nname: t\nsources:\n  s: {type: tools, path: tools.json}\ntargets: {anthropic: {}}\n"
        )

    write(("list_tickets", "List tickets of one queue."), ("ping", "Tell whether it is up."))
    assert run(["build", str(tmp_path / "toolc.yaml")]) == 0
    write(("list_tickets", "Open tickets of one queue."))
    capsys.readouterr()
    assert run(["build", str(tmp_path / "toolc.yaml")]) == 1
    said = capsys.readouterr().err
    assert f"{tmp_path.as_posix()}/toolc.yaml:4:3: error breaking-change: `s:ping`: is gone" in said
    assert "was read, is unknown (`list` in the name, but the description begins with `open`; `hints` say it)" in said


def test_a_renamed_endpoint_is_told_at_its_new_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def write(name: str) -> None:
        get = {"summary": "Tell whether it is up.", "responses": {}} | ({"operationId": name} if name else {})
        spec = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {"/health": {"get": get}}}
        (tmp_path / "api.json").write_text(json.dumps(spec, indent=1))
        (tmp_path / "toolc.yaml").write_text(
            "version: 1\nname: t\nsources: {s: {type: openapi, path: api.json}}\ntargets: {anthropic: {}}\n"
        )

    write("")
    assert run(["build", str(tmp_path / "toolc.yaml")]) == 0
    write("getHealth")
    capsys.readouterr()
    assert run(["build", str(tmp_path / "toolc.yaml")]) == 1
    said = capsys.readouterr().err
    assert f"{tmp_path.as_posix()}/api.json:9:4: error breaking-change: `s:get /health`: is `s:getHealth` now" in said
