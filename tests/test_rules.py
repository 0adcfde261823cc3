"""Every rule against its own cases: what has to fire fires at its place, everything else stays silent."""

from __future__ import annotations

from dataclasses import replace
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
    report = Report()
    choice = pipeline.Choice(preset="all", locked="toolc.lock" in case.get("files", {}))
    found = [*pipeline.lint(_config(case, tmp_path, report), choice).findings, *report.diagnostics]
    fired = [finding for finding in found if finding.rule == rule]
    assert [finding.origin.pointer for finding in fired if finding.origin is not None] == case["expect"]
    for finding, level in zip(fired, case.get("levels", ()), strict=False):
        assert finding.severity.name == level
    said = " ".join(finding.message for finding in fired)
    assert all(words in said for words in case.get("says", ()))


def _config(case: dict[str, Any], folder: Path, report: Report) -> config.Config:
    """The config that a case gives, or else one for its files as they stand.

    files: other files, by name. type: kind of source that the plain file is. targets: what it is meant for.
    """
    for name, content in case.get("files", {}).items():
        text = content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
        (folder / name).write_text(text, encoding="utf-8")
    if "tools" in case:
        text = yaml.safe_dump({"tools": case["tools"]}, sort_keys=False, allow_unicode=True)
        (folder / "tools.yaml").write_text(text, encoding="utf-8")
    if "config" in case:
        data = {"version": 1, "name": "case", "sources": {"core": {"type": "tools", "path": "tools.yaml"}}}
        (folder / "toolc.yaml").write_text(yaml.safe_dump(data | case["config"]), encoding="utf-8")
        return config.load(folder / "toolc.yaml", report)
    names = [*case.get("files", ()), *(["tools.yaml"] if "tools" in case else ())]
    kind = case.get("type", "tools")
    entries = [{"type": kind, "path": str(folder / name)} for name in names if name != "toolc.lock"]
    plain = config.for_files(entries, folder)
    targets = {
        name: config.TargetEntry(name, registry.load("targets", name).Options(), folder, plain.origin)
        for name in case.get("targets", ())
    }
    return replace(plain, targets=targets, runtime_has=tuple(case.get("runtime_has", ())))


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
