"""A specification that changes: what has a name keeps it, and its bytes, whatever comes and goes beside it."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from toolc import config, lock
from toolc.diagnostics import Report
from toolc.ir import Catalog, Operation, Tool
from toolc.lock import Lock
from toolc.pipeline.compiling import Compiled, compile_catalog
from toolc.pipeline.reading import read
from toolc.tokens import Counter

CORPUS = Path(__file__).parents[2] / "shared" / "corpus" / "openapi"
SPECS = ["asana.json", "digitalocean.json"]


def shown(tool: Tool) -> str:
    return json.dumps([tool.name, tool.description, tool.input_schema])


def pins(compiled: Compiled) -> Lock:
    return lock.read(lock.render(lock.of(compiled.catalog, compiled.tokens, {})), "toolc.lock")


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("seed", [1, 2])
def test_an_operation_that_comes_or_goes_moves_no_other(name: str, seed: int, tmp_path: Path) -> None:
    if not (CORPUS / name).is_file():
        pytest.skip("the public specifications are not here")
    (tmp_path / name).symlink_to(CORPUS / name)
    data = {"version": 1, "name": "t", "sources": {"api": {"type": "openapi", "path": name}}}
    (tmp_path / "toolc.yaml").write_text(json.dumps(data), encoding="utf-8")
    settings = config.load(tmp_path / "toolc.yaml", Report())
    catalog = read(settings, Report()).catalog
    gone = set(random.Random(seed).sample(sorted(catalog.operations), 4))

    def compiled(operations: dict[str, Operation], before: Lock) -> Compiled:
        part: Catalog = replace(catalog, operations=operations)
        with Counter("o200k_base") as counter:
            return compile_catalog(part, settings, Report(), counter, before)

    everything = dict(catalog.operations)
    less = {key: value for key, value in everything.items() if key not in gone}
    old = compiled(less, Lock())
    new = compiled(everything, pins(old))
    again = compiled(less, pins(new))
    tools = {tool.name: tool for tool in new.catalog.tools}
    for tool in old.catalog.tools:
        joined = set(tools[tool.name].operations) - set(tool.operations)
        assert joined <= gone
        if not joined:
            assert shown(tools[tool.name]) == shown(tool)
        cases = {case.operation: case for case in tools[tool.name].dispatch.cases}
        assert all(cases[case.operation] == case for case in tool.dispatch.cases)
    kept = {tool.name: tool for tool in again.catalog.tools}
    for tool in new.catalog.tools:
        if gone.isdisjoint(tool.operations):
            assert shown(kept[tool.name]) == shown(tool)
