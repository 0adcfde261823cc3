"""Every rule against its own cases: what has to fire fires at its place, everything else stays silent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from toolc import config, pipeline, registry
from toolc.diagnostics import Report

FOLDER = Path(__file__).parent / "rules"
HEADINGS = ("What it does", "Why it is bad", "Example", "Use instead", "When it is wrong")
CASES = [
    pytest.param(path.stem, case, id=f"{path.stem}: {case['name']}")
    for path in sorted(FOLDER.glob("*.yaml"))
    for case in yaml.safe_load(path.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(("rule", "case"), CASES)
def test_case(rule: str, case: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "tools.yaml").write_text(yaml.safe_dump({"tools": case["tools"]}), encoding="utf-8")
    data = {"version": 1, "name": "case", "sources": {"core": {"type": "tools", "path": "tools.yaml"}}}
    (tmp_path / "toolc.yaml").write_text(yaml.safe_dump(data | case.get("config", {})), encoding="utf-8")
    report = Report()
    found = [*pipeline.lint(config.load(tmp_path / "toolc.yaml", report)).findings, *report.diagnostics]
    fired = [finding.origin.pointer for finding in found if finding.rule == rule and finding.origin is not None]
    assert fired == case["expect"]


@pytest.mark.parametrize("name", registry.names("rules"))
def test_a_rule_has_its_parts(name: str) -> None:
    module = registry.load("rules", name)
    text = module.__doc__ or ""
    missing = [heading for heading in HEADINGS if f"\n{heading}\n" not in text]
    assert not missing
    assert module.STAGE in ("source", "catalog", "target")
    assert (FOLDER / f"{name}.yaml").is_file(), "a rule needs cases that must fire and cases that must stay silent"
    expectations = [bool(case.values[1]["expect"]) for case in CASES if case.values[0] == name]
    assert True in expectations
    assert False in expectations


@pytest.mark.parametrize("name", registry.names("targets"))
def test_a_target_has_its_parts(name: str) -> None:
    module = registry.load("targets", name)
    assert module.__doc__
    assert module.LIMITS.source, "limits need their source and date"
    assert module.Options()
    assert callable(module.render)
    assert callable(module.emit)


@pytest.mark.parametrize("name", registry.names("sources"))
def test_a_source_has_its_parts(name: str) -> None:
    module = registry.load("sources", name)
    assert module.__doc__
    assert callable(module.read)
    assert callable(module.recognise)
    for field in module.Options.__dataclass_fields__.values():
        assert field.metadata.get("doc") or field.metadata.get("key") is False, field.name
