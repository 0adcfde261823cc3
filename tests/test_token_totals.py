"""`toolc tokens`, `report.json` and budgets speak of the same figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli

CONFIG = """\
version: 1
name: t
sources:
  core: {type: tools, path: tools.json}
  sops: {type: skills, path: skills}
targets: {mcp: {}}
"""
TOOLS = [
    {"name": f"{verb}_{noun}", "description": f"{verb.title()} the {noun} of a customer, with all that belongs to it."}
    | {"input": {"type": "object", "properties": {"id": {"type": "string", "description": f"Which {noun}."}}}}
    for verb in ("get", "list", "delete")
    for noun in ("order", "invoice", "parcel")
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "toolc.yaml").write_text(CONFIG)
    (tmp_path / "tools.json").write_text(json.dumps({"tools": TOOLS}))
    (tmp_path / "skills" / "returns").mkdir(parents=True)
    long = "Take back a parcel that a customer does not want, check what is in it, and pay the money back to the card."
    (tmp_path / "skills" / "returns" / "SKILL.md").write_text(f"---\nname: returns\ndescription: {long}\n---\nDo it.\n")
    return tmp_path


def figures(toolc_cli: Cli, *arguments: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(toolc_cli("tokens", "--format", "json", *arguments).stdout)
    return data


def test_all_figures_add_up_and_agree(project: Path, toolc_cli: Cli) -> None:
    assert toolc_cli("build").returncode == 0
    report = json.loads((project / "bundle" / "report.json").read_text())["tokens"]
    for by in ("tool", "source", "group"):
        data = figures(toolc_cli, "--by", by)
        rows = data[f"{by}s"]
        assert sum(row["tokens"] for row in rows) == data["totals"]["tools"] == report["full"]
        assert sum(row["apart"] for row in rows) == report["source"]
        for row in rows:
            assert row["description"] + row["parameters"] + row["structure"] == row["tokens"]
            assert row["apart"] - sum(row["saved"].values()) == row["tokens"]
    for level, file in {"name": "names", "stub": "stubs", "signature": "signatures"}.items():
        data = figures(toolc_cli, "--level", level)
        assert sum(data["totals"].values()) == report[file]
        assert sum(row["tokens"] for row in data["tools"]) == data["totals"]["tools"]


def test_the_budget_of_stubs_is_that_of_the_file(project: Path, toolc_cli: Cli) -> None:
    toolc_cli("build")
    stubs = json.loads((project / "bundle" / "report.json").read_text())["tokens"]["stubs"]
    (project / "toolc.yaml").write_text(f"{CONFIG}budgets: {{stubs: {stubs}}}\n")
    assert toolc_cli("build").returncode == 0
    (project / "toolc.yaml").write_text(f"{CONFIG}budgets: {{stubs: {stubs - 1}}}\n")
    run = toolc_cli("build")
    assert run.returncode == 1
    assert f"all stubs: {stubs:,} tokens, 1 over the budget of {stubs - 1:,}" in run.stdout + run.stderr
