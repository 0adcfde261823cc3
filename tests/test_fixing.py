"""Fixes of findings in sources that the team cannot edit become overrides, and the config keeps its layout."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Cli

from toolc import config
from toolc.diagnostics import Diagnostic, Edit, Fix, Report, Severity
from toolc.ir import Operation
from toolc.pipeline import fixing, lint
from toolc.pipeline.reading import read

SPEC = """\
openapi: 3.1.0
info: {title: t, version: "1"}
paths:
  /pets/{id}:
    get:
      operationId: pets/get
      summary: Get a <b>pet</b>.
      parameters:
        - {name: id, in: path, required: true, description: The <i>id</i>., schema: {type: string}}
"""
CONFIG = """\
version: 1
name: test
sources:
  pets:   # not ours
    type: openapi
    path: spec.yaml   # as delivered
    vendored: true
# the end
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "spec.yaml").write_text(SPEC)
    (tmp_path / "toolc.yaml").write_text(CONFIG)
    return tmp_path


def operation(project: Path) -> Operation:
    return read(config.load(project, Report()), Report()).catalog.operations["pets:pets/get"]


def fixed(project: Path, *fixes: Fix) -> fixing.Fixes:
    """What the fixes of findings in the operation come to, written."""
    loaded = config.load(project, Report())
    found = [
        Diagnostic("x", Severity.note, "m", fix.edits[0].origin, subject="pets:pets/get", fix=fix) for fix in fixes
    ]
    made = fixing.fixes(found, lint(loaded), loaded)
    draft = fixing.Draft()
    draft.take(made, project, {})
    draft.write()
    return made


def test_texts_become_overrides(project: Path) -> None:
    pet = operation(project)
    description = Fix("x", (Edit(pet.place("description"), "Get a pet."),))
    parameter = Fix("x", (Edit(pet.place("input", "properties", "id", "description"), "The id."),))
    assert len(fixed(project, description, parameter).made) == 2
    assert (project / "spec.yaml").read_text() == SPEC
    added = """\
    overrides:
      pets/get:
        parameters:
          id:
            description: The id.
        description: Get a pet.
"""
    assert (project / "toolc.yaml").read_text() == CONFIG.replace("# the end\n", added + "# the end\n")
    after = operation(project)
    assert after.description == "Get a pet."
    assert after.input["properties"]["id"]["description"] == "The id."


def test_what_a_rule_says_as_an_override_is_written_as_it_says(project: Path) -> None:
    place = operation(project).place("hints")
    assert fixed(project, Fix("x", (Edit(place, True),), {"hints": {"destructive": True}})).made
    assert operation(project).hints.destructive.value is True
    assert (project / "spec.yaml").read_text() == SPEC


def test_what_no_override_can_say_is_left(project: Path) -> None:
    made = fixed(project, Fix("x", (Edit(operation(project).place("name"), remove=True),)))
    assert (len(made.made), len(made.left)) == (0, 1)
    assert (project / "spec.yaml").read_text() == SPEC
    assert (project / "toolc.yaml").read_text() == CONFIG


def test_a_list_of_filler_goes_as_a_whole(tmp_path: Path, toolc_cli: Cli) -> None:
    text = {"type": "string", "description": "Where it runs."}
    mixed, filler = text | {"examples": ["string", "eu-west"]}, text | {"examples": ["string", "str"]}
    schema = {"type": "object", "properties": {"a": mixed, "b": filler}}
    tool = {"name": "run_job", "description": "Runs the job.", "inputSchema": schema, "input_examples": [{"a": "foo"}]}
    file = tmp_path / "tools.json"
    file.write_text(json.dumps({"tools": [tool]}))
    toolc_cli("lint", "tools.json", "--select", "filler-example", "--fix")
    (mended,) = json.loads(file.read_text())["tools"]
    assert mended["inputSchema"]["properties"] == {"a": text | {"examples": ["eu-west"]}, "b": text}
    assert "input_examples" not in mended


def test_what_is_said_to_be_mended_is_mended(tmp_path: Path, toolc_cli: Cli) -> None:
    """A keyword in what a server said can be taken out nowhere; a word in the team's own list can."""
    schema = {"type": "object", "title": "args", "properties": {}}
    listed = {"tools": [{"name": "far", "description": "Fetch what is far.", "inputSchema": schema}]}
    (tmp_path / "far.json").write_text(json.dumps(listed))
    own = {"name": "near", "description": "Use this tool to fetch what is near.", "input_schema": schema}
    (tmp_path / "own.json").write_text(json.dumps([own]))
    (tmp_path / "own.txt").write_text(json.dumps([{**own, "name": "other"}]))
    (tmp_path / "toolc.yaml").write_text(
        "version: 1\nname: t\nsources:\n  far: {type: mcp, path: far.json, vendored: true}\n"
        "  own: {type: tools, path: own.json}\n  other: {type: tools, path: own.txt}\n"
    )
    before = toolc_cli("lint", "--all")
    assert before.stdout.count("noise-keywords: ") == 3
    assert "toolc lint --fix mends 2 " in before.stdout
    after = toolc_cli("lint", "--fix")
    assert " · 2 mended" in after.stdout
    assert "--fix" not in toolc_cli("lint").stdout
