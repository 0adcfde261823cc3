"""All rules over all labelled cases: nothing is missed, nothing is wrong; and the page of rules is current."""

from __future__ import annotations

from pathlib import Path

from toolc import registry, rules
from toolc.pipeline.evaluating import Evaluation, evaluate, rates
from toolc.pipeline.pages import markdown


def check(result: Evaluation) -> None:
    assert (result.missed, result.false) == ([], [])
    assert rates(result.rules.values()) == (1.0, 1.0)


def test_own_cases(root: Path) -> None:
    result = evaluate(root / "tests" / "rules")
    check(result)
    assert set(result.rules) == set(registry.names("rules"))


def test_shared_cases(shared: Path) -> None:
    folder = shared / "cases" / "lint"
    result = evaluate(folder)
    check(result)
    assert result.cases == len(list(folder.glob("*.yaml")))


def test_what_is_missed_or_wrong_is_counted(tmp_path: Path) -> None:
    tool = "{name: a, description: '', input_schema: {type: object, properties: {}}}"
    (tmp_path / "one.yaml").write_text(
        f"slug: one\ntools: [{tool}]\nexpect: [{{rule: heavy-tool, path: /tools/0}}]\nsilent: [missing-description]\n"
    )
    result = evaluate(tmp_path)
    assert [(each["rule"], each["path"]) for each in result.missed] == [("heavy-tool", "/tools/0")]
    assert [each["rule"] for each in result.false] == ["missing-description"]
    assert rates(result.rules.values()) == (0.0, 0.0)


def test_the_page_of_rules_is_current(root: Path) -> None:
    page = markdown([rules.load(name) for name in registry.names("rules")])
    made = (root / "docs" / "rules.md").read_text(encoding="utf-8")
    assert made == page, "make it again: python -m toolc rules --format markdown > docs/rules.md"
