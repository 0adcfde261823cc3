"""A build with nothing changed is not done again, and one with anything changed always is."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolc import pipeline, stamp
from toolc.cli import run

NOTE = {"name": "note", "description": "Notes.", "input": {"type": "object", "properties": {"a": {"type": "string"}}}}
SPEC = """
openapi: 3.1.0
info: {title: x, version: "1"}
paths:
  /a:
    post:
      operationId: op
      requestBody: {content: {application/json: {schema: {$ref: "parts/body.yaml"}}}}
      responses: {"200": {description: ok}}
"""
CONFIG = """
version: 1
name: t
include: [more/toolc.yaml]
sources:
  core: {type: tools, path: ["tools/*.json"]}
  api: {type: openapi, path: api.yaml}
  sops: {type: skills, path: skills}
  shop: {type: database, path: shop.db, dialect: sqlite}
profiles: {p: {max_effect: read}}
targets: {mcp: {}, anthropic: {}}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A config with every kind of source, built once."""
    monkeypatch.setenv("TOOLC_CACHE_DIR", str(tmp_path / "cache"))
    root = tmp_path / "project"
    for folder in ("tools", "parts", "skills/one/files", "more"):
        (root / folder).mkdir(parents=True)
    (root / "tools/a.json").write_text(json.dumps({"tools": [NOTE]}), encoding="utf-8")
    (root / "api.yaml").write_text(SPEC, encoding="utf-8")
    (root / "parts/body.yaml").write_text("type: object\nproperties: {x: {type: string}}\n", encoding="utf-8")
    skill = "---\nname: one\ndescription: Does one thing.\n---\nBody.\n"
    (root / "skills/one/SKILL.md").write_text(skill, encoding="utf-8")
    (root / "skills/one/files/extra.txt").write_text("extra", encoding="utf-8")
    more = "version: 1\nsources: {extra: {type: tools, path: extra.json}}\n"
    (root / "more/toolc.yaml").write_text(more, encoding="utf-8")
    other = {**NOTE, "name": "other"}
    (root / "more/extra.json").write_text(json.dumps({"tools": [other]}), encoding="utf-8")
    with sqlite3.connect(root / "shop.db") as connection:
        connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
    connection.close()
    (root / "toolc.yaml").write_text(CONFIG, encoding="utf-8")
    assert run(["build", str(root)]) == 0
    return root


@pytest.fixture
def again(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., bool]:
    """Runs a command line and says whether it built."""
    built: list[int] = []
    really = pipeline.build

    def counted(*arguments: Any, **options: Any) -> Any:
        built.append(1)
        return really(*arguments, **options)

    monkeypatch.setattr(pipeline, "build", counted)

    def build(*options: str) -> bool:
        built.clear()
        capsys.readouterr()
        run(["build", str(project), *options])
        said = capsys.readouterr().out
        assert bool(built) is not ("nothing changed" in said or (not built and "is what the config makes" in said))
        return bool(built)

    return build


def test_nothing_changed_is_not_built_again_nor_touched(project: Path, again: Callable[..., bool]) -> None:
    before = {path: path.stat().st_mtime_ns for path in project.rglob("*")}
    assert not again()
    assert not again("--check")
    assert {path: path.stat().st_mtime_ns for path in project.rglob("*")} == before


def test_a_file_that_was_only_touched_is_as_it_was(project: Path, again: Callable[..., bool]) -> None:
    os.utime(project / "api.yaml", (1, 1))
    assert not again()


def replaced(path: str, old: str, new: str) -> Callable[[Path], object]:
    def edit(root: Path) -> None:
        text = (root / path).read_text(encoding="utf-8")
        assert old in text
        (root / path).write_text(text.replace(old, new), encoding="utf-8")

    return edit


def in_database(root: Path) -> None:
    with sqlite3.connect(root / "shop.db") as connection:
        connection.execute("CREATE TABLE more (id INTEGER PRIMARY KEY)")
    connection.close()


@pytest.mark.parametrize(
    "edit",
    [
        replaced("toolc.yaml", "{max_effect: read}", "{max_effect: write}"),
        replaced("more/toolc.yaml", "version: 1\n", "version: 1\nalways: [other]\n"),
        replaced("more/extra.json", "Notes.", "Remarks."),
        replaced("tools/a.json", "Notes.", "Remarks."),
        replaced("parts/body.yaml", "x:", "x: {type: string}, y:"),
        replaced("skills/one/SKILL.md", "Body.", "Other body."),
        replaced("skills/one/files/extra.txt", "extra", "other"),
        in_database,
        lambda root: (root / "tools/b.json").write_text(json.dumps({"tools": [{**NOTE, "name": "b"}]})),
        lambda root: (root / "tools/a.json").unlink(),
        lambda root: (root / "skills/two").mkdir() or (root / "skills/two/SKILL.md").write_text("x"),
        lambda root: (root / "shop.db-wal").write_text("x"),
        replaced("bundle/stubs.md", "note", "nota"),
        lambda root: (root / "bundle/names.md").unlink(),
        lambda root: (root / "bundle/stray.txt").write_text("x"),
        replaced("toolc.lock", "core:note", "core:nota"),
        lambda root: (root / "toolc.lock").unlink(),
    ],
)
def test_whatever_is_changed_is_built_again(
    project: Path, again: Callable[..., bool], edit: Callable[[Path], object]
) -> None:
    edit(project)
    assert again()


@pytest.mark.parametrize(
    "options",
    [
        ["--repin"],
        ["--target", "mcp"],
        ["--profile", "p"],
        ["--strict"],
        ["--locked"],
        ["--lint"],
        ["-o", "elsewhere"],
    ],
)
def test_what_is_asked_otherwise_is_built(
    project: Path, again: Callable[..., bool], options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    assert again(*options)


def test_another_toolc_or_other_libraries_build_again(
    again: Callable[..., bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stamp, "__version__", "9.9.9")
    assert again()
    assert not again()
    monkeypatch.undo()


def test_code_or_data_that_changed_counts_as_another(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = stamp.code()
    data = project / "data"
    data.mkdir()
    monkeypatch.setattr(stamp.resources, "data", lambda kind: data)
    assert stamp.code() != first
    second = stamp.code()
    (data / "verbs.yaml").write_text("x", encoding="utf-8")
    assert stamp.code() != second


def test_a_failed_build_is_tried_again(project: Path, again: Callable[..., bool]) -> None:
    replaced("toolc.yaml", "targets:", "budgets: {tool: 1}\ntargets:")(project)
    assert again()
    assert again()


def test_a_missing_file_of_a_description_is_looked_for_again(project: Path, again: Callable[..., bool]) -> None:
    (project / "parts/body.yaml").unlink()
    assert again()
    assert again()


def test_a_damaged_stamp_costs_a_build_and_no_more(project: Path, tmp_path: Path, again: Callable[..., bool]) -> None:
    (kept,) = (tmp_path / "cache/builds").iterdir()
    for text in ("", "[]", '{"code": 1}', "{" * 10_000):
        kept.write_text(text, encoding="utf-8")
        assert again()
        assert not again()


def test_a_build_that_changed_the_lock_is_seen_once_more(project: Path, again: Callable[..., bool]) -> None:
    replaced("tools/a.json", "Notes.", "Remarks.")(project)
    assert again()  # with the lock of the build before
    assert again()  # with its own
    assert not again()


@pytest.mark.parametrize("named", ["many", "/dev/zero"])
def test_what_is_too_much_to_look_through_is_no_reason_to_wait_or_to_skip(
    tmp_path: Path, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stamp, "MOST_FILES", 3)
    (tmp_path / "many").mkdir()
    for number in range(5):
        (tmp_path / f"many/{number}").touch()
    picture = stamp.Picture()
    if named == "many":
        with pytest.raises(stamp.TooMuchError):
            picture.add(tmp_path, named)
    else:
        picture.add(tmp_path, named)
        assert picture.files[named] == ""
