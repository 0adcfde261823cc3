"""`lint --fix` on real files: once is enough, nothing that can be mended is left, and the bundle stays what it was."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli

TEXTS = frozenset({"description", "title", "default", "$schema", "examples", "details", "tokens"})
FILES = {
    "mcp/hubspot-mcp.json": {"noise-keywords", "markup-noise"},
    "mcp/redis-mcp.json": {"noise-keywords"},
    "mcp/workspace-mcp.json": {"invalid-default"},
    "openapi/notion-official-3.1.json": {"markup-noise"},
    "openapi/slack.json": {"markup-noise"},
}


@pytest.mark.parametrize("name", FILES)
def test_fixes_of_real_files(shared: Path, tmp_path: Path, toolc_cli: Cli, name: str) -> None:
    file = tmp_path / "source.json"
    shutil.copyfile(shared / "corpus" / name, file)
    assert fixable(toolc_cli) == FILES[name]
    before = bundle(tmp_path, toolc_cli, name.partition("/")[0])
    toolc_cli("lint", file.name, "--preset", "all", "--fix", "--fail-on", "never")
    mended = file.read_bytes()
    assert fixable(toolc_cli) == set()
    toolc_cli("lint", file.name, "--preset", "all", "--fix", "--fail-on", "never")
    assert file.read_bytes() == mended
    assert bundle(tmp_path, toolc_cli, name.partition("/")[0]) == before


def fixable(toolc_cli: Cli) -> set[str]:
    """The rules of the findings that `--fix` would mend."""
    run = toolc_cli("lint", "source.json", "--preset", "all", "--format", "json", "--fail-on", "never")
    return {finding["rule"] for finding in json.loads(run.stdout)["diagnostics"] if finding["fix"]}


def bundle(folder: Path, toolc_cli: Cli, kind: str) -> Any:
    """Operations and how calls reach them, without texts."""
    source = {"type": kind, "path": "source.json"}
    config = {"version": 1, "name": "t", "sources": {"s": source}, "consolidate": {"enabled": False}}
    (folder / "toolc.yaml").write_text(json.dumps(config))
    (folder / "toolc.lock").unlink(missing_ok=True)
    toolc_cli("build")
    data = json.loads((folder / "bundle" / "bundle.json").read_text())
    return bare([data["operations"], [[tool["name"], tool["dispatch"]] for tool in data["tools"]], data["aliases"]])


def bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: bare(inner) for key, inner in value.items() if key not in TEXTS}
    return [bare(inner) for inner in value] if isinstance(value, list) else value
