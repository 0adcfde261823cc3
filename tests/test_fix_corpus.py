"""`lint --fix` on real files: once is enough, nothing that can be mended is left, and the bundle stays what it was.

Equivalent is a bundle with the same operations, that is the same calls and exact schemas but for texts, in which every
call that a tool of the bundle before took leads to the same original call, and what it refused is refused. With the
lock, which pins tools, that holds under the old names; without it, other texts may make other merges pay, and every
operation is in one tool that is proven.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli

from toolc import bundle
from toolc.dispatch import Dispatcher, Refusal, Resolution
from toolc.ir import Catalog
from toolc.pipeline import verify_bundle
from toolc.verify import Prover

TEXTS = frozenset({"description", "title", "default", "$schema", "examples"})
FILES = {
    "mcp/hubspot-mcp.json": {"noise-keywords"},
    "mcp/workspace-mcp.json": {"invalid-default"},
    "mcp/brightdata-mcp.json": {"noise-keywords"},
    "openapi/box.json": {"filler-example", "markup-noise"},
    "openapi/notion-official-3.1.json": {"markup-noise"},
    "openapi/slack.json": {"markup-noise"},
}
# Of each operation so many calls; the proof of the build tries them all.
CALLS = 4


@pytest.mark.parametrize("name", FILES)
def test_fixes_of_real_files(shared: Path, tmp_path: Path, toolc_cli: Cli, name: str) -> None:
    file = tmp_path / "source.json"
    shutil.copyfile(shared / "corpus" / name, file)
    assert fixable(toolc_cli) == FILES[name]
    source = {"type": name.partition("/")[0], "path": "source.json"}
    (tmp_path / "toolc.yaml").write_text(json.dumps({"version": 1, "name": "t", "sources": {"s": source}}))
    before = built(tmp_path, toolc_cli)
    toolc_cli("lint", file.name, "--preset", "all", "--fix", "--fail-on", "never")
    mended = file.read_bytes()
    assert fixable(toolc_cli) == set()
    toolc_cli("lint", file.name, "--preset", "all", "--fix", "--fail-on", "never")
    assert file.read_bytes() == mended
    pinned = built(tmp_path, toolc_cli)
    assert operations(pinned) == operations(before)
    assert pinned.aliases == before.aliases
    compare_calls(before, pinned)
    (tmp_path / "toolc.lock").unlink()
    assert operations(built(tmp_path, toolc_cli)) == operations(before)
    assert verify_bundle(tmp_path / "bundle").diagnostics == []


def fixable(toolc_cli: Cli) -> set[str]:
    """The rules of the findings that `--fix` would mend."""
    run = toolc_cli("lint", "source.json", "--preset", "all", "--format", "json", "--fail-on", "never")
    return {finding["rule"] for finding in json.loads(run.stdout)["diagnostics"] if finding["fix"]}


def built(folder: Path, toolc_cli: Cli) -> Catalog:
    """What the config is built into, merged as by default."""
    run = toolc_cli("build")
    assert run.returncode == 0, run.stderr
    return bundle.load(folder / "bundle")


def operations(catalog: Catalog) -> dict[str, Any]:
    """What each operation does and takes, without texts."""
    return {key: (operation.call, bare(operation.input)) for key, operation in catalog.operations.items()}


def bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: bare(inner) for key, inner in value.items() if key not in TEXTS or isinstance(inner, dict)}
    return [bare(inner) for inner in value] if isinstance(value, list) else value


def compare_calls(before: Catalog, after: Catalog) -> None:
    """Calls of each tool of before, made of those of its operations, mean the same after."""
    old, new = (Dispatcher(each.tools, each.operations, each.aliases) for each in (before, after))
    prover = Prover(before.operations, old)
    tried = 0
    for tool in before.tools:
        for case in tool.dispatch.cases:
            for arguments in prover.valid_calls(case.operation)[:CALLS]:
                call = old.express(tool, case.operation, arguments)
                assert new.resolve(tool.name, call) == Resolution(case.operation, arguments)
                tried += 1
            for arguments in prover.invalid_calls(case.operation)[:CALLS]:
                call = old.express(tool, case.operation, arguments)
                if isinstance(old.resolve(tool.name, call), Refusal):
                    assert isinstance(new.resolve(tool.name, call), Refusal)
    assert tried > len(before.operations)
