"""`toolc lint` as a user runs it: what is let pass, baselines, fixes, formats, the cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from toolc import cli, pipeline

TOOLS = """\
tools:
  # what the team calls itself
  - name: sync
    input: {type: object, properties: {}}   # nothing
  - name: pull
    description: Fetch new mail.
    input: {type: object, properties: {}}
"""
CONFIG = """\
version: 1
name: test
# where they come from
sources:
  core: {type: tools, path: tools.yaml}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.yaml").write_text(TOOLS)
    (tmp_path / "toolc.yaml").write_text(CONFIG)
    return tmp_path


NEW = "  - {name: new, description: Fetch mail that came in today., input: {type: object, properties: {}}}\n"
ALLOW = """\
lint:
  # as agreed
  allow:
    core:sync: {missing-description: ours}  # yes
    core:pull:
      missing-description: gone
      over-budget: gone
"""
Capture = pytest.CaptureFixture[str]


def found(capsys: Capture, *arguments: str) -> list[str]:
    """`rule file:line` of each finding."""
    cli.run(["lint", "--format", "json", *arguments])
    data = json.loads(capsys.readouterr().out)
    return [f"{item['rule']} {item['file']}:{item['line']}" for item in data["diagnostics"]]


def test_a_finding_is_shown_at_its_line(project: Path, capsys: Capture) -> None:
    assert found(capsys, "--select", "missing-description") == ["missing-description tools.yaml:3"]
    assert found(capsys, "--select", "missing-description", "tools.yaml") == ["missing-description tools.yaml:3"]
    assert found(capsys, "--ignore", "missing-description", "tools.yaml") == []


@pytest.mark.parametrize(
    "old_and_new",
    [
        ("  - name: sync", "  # toolc: allow missing-description -- ours alone\n  - name: sync"),
        ("  - name: sync", "  - name: sync # toolc: allow missing-description: ours alone"),
        ("  - name: sync", "  - name: sync\n    x-toolc-allow: {missing-description: ours alone}"),
    ],
)
@pytest.mark.parametrize("path", ["toolc.yaml", "tools.yaml"])
def test_let_pass_beside_the_tool(project: Path, capsys: Capture, old_and_new: tuple[str, str], path: str) -> None:
    (project / "tools.yaml").write_text(TOOLS.replace(*old_and_new))
    assert found(capsys, path) == []
    cli.run(["lint", "--format", "json", path])
    (passed,) = json.loads(capsys.readouterr().out)["suppressed"]
    assert (passed["rule"], passed["reason"]) == ("missing-description", "ours alone")


def test_let_pass_in_the_config(project: Path, capsys: Capture) -> None:
    allow = 'lint: {allow: {"core:sync": {missing-description: ours alone}}}\n'
    (project / "toolc.yaml").write_text(CONFIG + allow)
    assert found(capsys) == []


def test_what_lets_nothing_pass_is_reported(project: Path, capsys: Capture) -> None:
    (project / "toolc.yaml").write_text(CONFIG + 'lint: {allow: {"core:pull": {missing-description: no more}}}\n')
    (project / "tools.yaml").write_text(
        TOOLS.replace("- name: pull", "- name: pull # toolc: allow missing-descripton -- a slip").replace(
            "  - name: sync", "  # toolc: allow missing-description\n  - name: sync"
        )
    )
    assert sorted(found(capsys)) == [
        "missing-description tools.yaml:4",
        "unknown-rule tools.yaml:6",
        "unused-suppression toolc.yaml:6",
        "unused-suppression tools.yaml:3",
    ]
    cli.run(["lint"])
    assert "did you mean `missing-description`?" in capsys.readouterr().out


def test_a_name_that_is_no_rule_is_an_error_wherever_it_stands(project: Path, capsys: Capture) -> None:
    (project / "more.yaml").write_text("version: 1\nlint: {levels: {missing-descripton: note}}\n")
    text = "include: [more.yaml]\nlint:\n  ignore: [heavy-tol]\n  allow: {'core:*': {over-budgt: ours}}\n"
    (project / "toolc.yaml").write_text(CONFIG + text)
    (project / "tools.yaml").write_text(
        TOOLS.replace("- name: pull", "- name: pull\n    x-toolc-allow: {thin-descripton: ours}").replace(
            "  - name: sync", "  # toolc: allow dead-def -- ours\n  - name: sync"
        )
    )
    expected = {
        "missing-description": "more.yaml:2:17",
        "heavy-tool": "toolc.yaml:8:12",
        "over-budget": "toolc.yaml:9:22",
        "thin-description": "tools.yaml:7:21",
        "dead-defs": "tools.yaml:3:3",
    }
    cli.run(["lint", "--format", "json"])
    told = [each for each in json.loads(capsys.readouterr().out)["diagnostics"] if each["rule"] == "unknown-rule"]
    assert {each["severity"] for each in told} == {"error"}
    places = {each["message"].split("`")[3]: f"{each['file']}:{each['line']}:{each['column']}" for each in told}
    assert places == expected
    assert cli.run(["build"]) == 0
    said = capsys.readouterr().err
    assert said.count("unknown-rule") == 2
    assert "toolc.yaml:8:12: error unknown-rule: `heavy-tol` is no lint rule; did you mean `heavy-tool`?" in said


def test_what_a_reader_reports_can_be_named_like_a_rule(project: Path, capsys: Capture) -> None:
    described = "- name: sync\n    description: Bring all mail up to date.\n    inptu: 1"
    (project / "tools.yaml").write_text(TOOLS.replace("- name: sync", described))
    assert found(capsys) == ["unknown-key tools.yaml:5"]
    assert found(capsys, "--ignore", "unknown-key") == []
    assert found(capsys, "--select", "unknown-key") == ["unknown-key tools.yaml:5"]
    for lint in ("{ignore: [unknown-key]}", "{levels: {unknown-key: off}}"):
        (project / "toolc.yaml").write_text(f"{CONFIG}lint: {lint}\n")
        assert found(capsys) == []
        assert found(capsys) == []


def test_names_on_the_command_line(project: Path, capsys: Capture) -> None:
    for option in ("--select", "--ignore"):
        assert cli.run(["lint", option, "unknown-kye"]) == 2
        assert "`unknown-kye` is no lint rule" in capsys.readouterr().err
        assert cli.run(["lint", option, "missing_description"]) == 2
        assert "did you mean `missing-description`?" in capsys.readouterr().err


SHARING = """\
tools:
  - name: a_list
    description: List the apples of the farm.
    input: &shared
      type: object
      $schema: http://x
      properties:
        where: &where {type: string, description: "Where it <b>is</b> now, as the farm says it."}
        tags: {type: array, description: "What kind they are of, by colour."}
  - name: b_list
    description: List the pears of the garden.
    input: *shared
  - name: c_list
    description: List the plums of the yard.
    input:
      <<: *shared
      properties:
        there: *where
"""


def test_what_stands_once_in_the_text_is_found_once(project: Path, capsys: Capture) -> None:
    (project / "tools.yaml").write_text(SHARING)
    rules = ("array-without-items", "noise-keywords", "markup-noise", "open-object")
    asked = [each for rule in rules for each in ("--select", rule)]

    def seen() -> dict[str, list[tuple[int, int, int]]]:
        cli.run(["lint", "tools.yaml", "--format", "json", *asked])
        places: dict[str, list[tuple[int, int, int]]] = {}
        for item in json.loads(capsys.readouterr().out)["diagnostics"]:
            places.setdefault(item["rule"], []).append((item["line"], item["column"], item["count"]))
            assert item["related"] == []
        return places

    assert seen() == {
        "array-without-items": [(9, 9, 2)],
        "noise-keywords": [(6, 7, 3)],
        "markup-noise": [(8, 38, 3)],
        "open-object": [(4, 5, 2), (15, 5, 1)],
    }
    cli.run(["lint", "tools.yaml", "--fix", *asked])
    mended = SHARING.replace("      $schema: http://x\n", "").replace("<b>is</b>", "is")
    assert (project / "tools.yaml").read_text() == mended
    capsys.readouterr()
    assert seen().keys() == {"array-without-items", "open-object"}
    allowed = mended.replace('colour."}', 'colour."}  # toolc: allow array-without-items -- of texts')
    (project / "tools.yaml").write_text(allowed)
    assert seen().keys() == {"open-object"}


def test_a_fix_for_one_place_of_several_leaves_the_others(project: Path, capsys: Capture) -> None:
    """The text is the same, the finding is not: only one tool is called so."""
    text = SHARING.replace("  - name: b_list\n", "  - name: b_list\n    x-toolc-allow: {markup-noise: as agreed}\n")
    (project / "tools.yaml").write_text(text)
    cli.run(["lint", "tools.yaml", "--fix", "--select", "markup-noise"])
    assert (project / "tools.yaml").read_text() == text


def test_an_unused_allowance_is_not_judged_where_its_rule_does_not_run(project: Path, capsys: Capture) -> None:
    (project / "toolc.yaml").write_text(CONFIG + 'lint: {allow: {"core:pull": {missing-description: no more}}}\n')
    assert found(capsys, "--select", "unused-suppression") == []


def test_a_comment_inside_a_text_is_none(project: Path, capsys: Capture) -> None:
    text = '  - name: sync\n    run: [sh, "# toolc: allow missing-description -- no"]'
    (project / "tools.yaml").write_text(TOOLS.replace("  - name: sync", text))
    assert found(capsys, "tools.yaml") == ["missing-description tools.yaml:3"]


def test_a_vendored_file_cannot_let_anything_pass_and_gates_nothing(project: Path, capsys: Capture) -> None:
    (project / "toolc.yaml").write_text(CONFIG.replace("tools.yaml}", "tools.yaml, vendored: true}"))
    (project / "tools.yaml").write_text(
        TOOLS.replace("- name: sync", "- name: sync\n    x-toolc-allow: {missing-description: trust me}")
    )
    assert cli.run(["lint", "--format", "json"]) == 0
    (finding,) = json.loads(capsys.readouterr().out)["diagnostics"]
    assert (finding["rule"], finding["severity"]) == ("missing-description", "note")


def test_a_baseline_holds_until_what_it_knows_changes(project: Path, capsys: Capture) -> None:
    asked = ("tools.yaml", "--baseline", "known.json")
    assert cli.run(["lint", *asked]) == 1
    assert cli.run(["lint", *asked, "--update-baseline"]) == 0
    capsys.readouterr()
    assert found(capsys, *asked) == []
    moved = "# a line more\n" + TOOLS.replace(
        "tools:\n",
        "tools:\n  - {name: new, description: Fetch mail that came in today., input: {type: object, properties: {}}}\n",
    )
    (project / "tools.yaml").write_text(moved)
    assert found(capsys, *asked) == []
    (project / "tools.yaml").write_text(moved.replace("name: sync", "name: sync\n    hints: {read_only: true}"))
    assert found(capsys, *asked) == ["missing-description tools.yaml:5"]


def test_a_baseline_knows_each_place_of_one_cause(project: Path, capsys: Capture) -> None:
    given = "{{type: object, properties: {{q: {{type: string, default: null}}}}}}"
    tool = f"  - {{{{name: find_{{0}}, description: Find {{0}} by its text., input: {given}}}}}\n"
    path = project / "tools.yaml"
    path.write_text("tools:\n" + tool.format("mail") + tool.format("notes"))
    asked = ("tools.yaml", "--select", "invalid-default", "--baseline", "known.json")
    assert cli.run(["lint", *asked, "--update-baseline"]) == 0
    capsys.readouterr()
    assert found(capsys, *asked) == []
    path.write_text("tools:\n" + "".join(map(tool.format, ("mail", "tasks", "notes", "files"))))
    cli.run(["lint", *asked, "--format", "json"])
    [new] = json.loads(capsys.readouterr().out)["diagnostics"]
    assert [new["line"], new["count"], *(place["line"] for place in new["related"])] == [3, 2, 5]
    assert cli.run(["lint", *asked]) == 1  # the same from the cache
    assert "1 in the baseline" in capsys.readouterr().out
    assert cli.run(["lint", *asked, "--fix"]) == 0
    assert path.read_text().count("default: null") == 2


def test_updating_a_baseline_keeps_what_still_applies(project: Path, capsys: Capture) -> None:
    (project / "other.yaml").write_text(TOOLS)
    (project / "third.yaml").write_text(TOOLS)
    assert (
        cli.run(["lint", "--baseline", "known.json", "--update-baseline", "tools.yaml", "other.yaml", "third.yaml"])
        == 0
    )
    before = (project / "known.json").read_text()
    assert before.count("missing-description") == 3
    (project / "third.yaml").unlink()
    (project / "tools.yaml").write_text(TOOLS.replace("- name: sync", "- name: sync\n    description: Sync all."))
    assert cli.run(["lint", "--baseline", "known.json", "--update-baseline", "tools.yaml"]) == 0
    lines = (project / "known.json").read_text().splitlines()
    known = [json.loads(line) for line in lines[1:]]
    assert [entry["file"] for entry in known if entry["rule"] == "missing-description"] == ["other.yaml"]
    assert cli.run(["lint", "--baseline", "toolc.yaml"]) == 2
    assert "is no baseline" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("[]", "this line is no finding"),
        ("{", "this line is no finding"),
        ('{"rule": "heavy-tool"}', "this line is no finding"),
        ('{"rule": "a", "tool": "a", "pointer": "", "content": "", "line": "3"}', "this line is no finding"),
        ('{"rule": "a", "tool": 1, "pointer": "", "content": ""}', "this line is no finding"),
        ("<<<<<<< HEAD", "a merge left its marks"),
    ],
)
def test_a_damaged_baseline_is_told_in_plain_words(project: Path, capsys: Capture, line: str, reason: str) -> None:
    (project / "known").write_text(f'{{"format": "toolc-baseline/1"}}\n{line}\n')
    assert cli.run(["lint", "--baseline", "known"]) == 2
    assert f"known:2:1: error invalid-baseline: known is no baseline: {reason}\n" in capsys.readouterr().err


def test_mending_an_unused_allowance_leaves_the_rest_alone(project: Path, capsys: Capture) -> None:
    before = CONFIG + ALLOW
    (project / "toolc.yaml").write_bytes(before.replace("\n", "\r\n").encode("utf-8-sig"))
    assert cli.run(["lint", "--diff"]) == 1
    assert "-      missing-description: gone" in capsys.readouterr().out
    assert (project / "toolc.yaml").read_bytes() == before.replace("\n", "\r\n").encode("utf-8-sig")
    assert cli.run(["lint", "--fix"]) == 0
    after = before.replace(
        "    core:pull:\n      missing-description: gone\n      over-budget: gone\n", "    core:pull: {}\n"
    )
    assert (project / "toolc.yaml").read_bytes() == after.replace("\n", "\r\n").encode("utf-8-sig")
    assert cli.run(["lint", "--fix"]) == 0
    assert (project / "toolc.yaml").read_bytes() == after.replace("\n", "\r\n").encode("utf-8-sig")


def test_formats_with_files(project: Path, capsys: Capture) -> None:
    formats = ["--format", "text", "--format", "sarif:out/lint.sarif", "--format", "json:lint.json"]
    assert cli.run(["lint", *formats]) == 1
    assert "missing-description" in capsys.readouterr().out
    assert json.loads((project / "lint.json").read_text())["format"] == "toolc-diagnostics/1"
    log = json.loads((project / "out" / "lint.sarif").read_text())
    assert log["runs"][0]["results"][0]["ruleId"] == "missing-description"
    assert cli.run(["lint", "--format", "json", "--format", "sarif"]) == 2
    assert "only one of them can go to stdout" in capsys.readouterr().err
    assert cli.run(["lint", "--format", "srif:x"]) == 2
    assert "did you mean `sarif`?" in capsys.readouterr().err


def test_github_gets_errors_first_and_nothing_raw(project: Path, capsys: Capture) -> None:
    (project / "tools.yaml").write_text(TOOLS + "  - {name: 'a,b:\u202e', descriptin: x, input: {}}\n")
    cli.run(["lint", "--format", "github", "tools.yaml"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("::error file=tools.yaml,line=3,col=5,title=toolc missing-description::`sync` does not")
    levels = [line.split()[0] for line in lines]
    assert levels == sorted(levels, key=["::error", "::warning", "::notice"].index)
    assert all("\u202e" not in line for line in lines)
    assert any("%0A" in line for line in lines)


def test_where_formats_may_go(project: Path, capsys: Capture) -> None:
    assert cli.run(["lint", "--format", "json:-", "--format", "text:new/deep/out.txt"]) == 1
    assert json.loads(capsys.readouterr().out)["diagnostics"]
    assert (project / "new" / "deep" / "out.txt").read_text().startswith("tools.yaml:3:5: error missing-description")
    assert not (project / "-").exists()
    assert cli.run(["lint", "--format", "json:-", "--format", "text"]) == 2
    assert cli.run(["lint", "--format", "json:a", "--format", "sarif:./a"]) == 2
    assert "the same file" in capsys.readouterr().err
    assert cli.run(["lint", "--format", "json:tools.yaml/x"]) == 2
    assert "cannot write tools.yaml/x" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["tools.yaml", "toolc.yaml", "./tools.yaml", "known.json"])
def test_findings_are_never_written_over_what_is_looked_at(name: str, project: Path, capsys: Capture) -> None:
    cli.run(["lint", "--baseline", "known.json", "--update-baseline"])
    before = (project / name).read_bytes()
    for _ in range(2):  # looked at, and served from the cache
        assert cli.run(["lint", "--baseline", "known.json", "--format", f"json:{name}"]) == 2
        assert "not one to write to" in capsys.readouterr().err
    assert (project / name).read_bytes() == before


def test_findings_may_be_written_into_the_folder_that_is_looked_at(project: Path) -> None:
    (project / "toolc.yaml").unlink()
    assert [cli.run(["lint", ".", "--format", "json:found.json"]) for _ in range(3)] == [1, 1, 1]


@pytest.mark.parametrize("printer", ["text", "json", "sarif", "github"])
@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_every_format_on_a_terminal_that_is_not_utf8(project: Path, printer: str, encoding: str, root: Path) -> None:
    (project / "tools.yaml").write_text(TOOLS + "  - {name: 名, descriptin: ü→, input: {}}\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONPATH": str(root)}
    command = [sys.executable, "-m", "toolc", "lint", "--format", printer, "tools.yaml"]
    result = subprocess.run(command, env=environment, capture_output=True)
    assert result.returncode == 1
    assert b"internal error" not in result.stderr
    assert "sync" in result.stdout.decode(encoding)


def test_a_narrow_terminal_gets_narrow_frames(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    long = '{"tools": [{"name": "sync", "inputSchema": {"type": "object", "properties": {}}, "title": "%s"}]}' % (
        "x" * 200
    )
    (project / "long.json").write_text(long)
    monkeypatch.setenv("COLUMNS", "50")
    cli.run(["lint", "long.json"])
    frames = [line for line in capsys.readouterr().out.splitlines() if " | " in line]
    assert frames
    assert all(len(line) <= 50 for line in frames)


def test_the_second_run_is_served_from_the_cache(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    assert cli.run(["lint"]) == 1
    first = capsys.readouterr()
    real = pipeline.lint
    monkeypatch.setattr("toolc.pipeline.lint", lambda *_: pytest.fail("looked again"))
    assert cli.run(["lint"]) == 1
    assert capsys.readouterr() == first
    monkeypatch.setattr("toolc.pipeline.lint", real)
    (project / "tools.yaml").write_text(TOOLS.replace("name: sync", "name: sync\n    description: Sync all."))
    assert cli.run(["lint"]) == 0


def test_a_damaged_cache_does_no_harm(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    cache = project / "cache"
    monkeypatch.setenv("TOOLC_CACHE_DIR", str(cache))
    assert cli.run(["lint"]) == 1
    for content in ("", "{", "[]", '{"format": "toolc-lint-cache/1", "files": {}, "folders": []}'):
        for entry in (cache / "lint").glob("*.json"):
            entry.write_text(content)
        assert cli.run(["lint"]) == 1
    monkeypatch.setenv("TOOLC_CACHE_DIR", "/dev/null/nowhere")
    assert cli.run(["lint"]) == 1
    assert "internal" not in capsys.readouterr().err


def test_a_new_file_of_a_pattern_is_seen(project: Path, capsys: Capture) -> None:
    (project / "toolc.yaml").write_text(CONFIG.replace("path: tools.yaml", "path: 'defs/*.yaml'"))
    (project / "defs").mkdir()
    (project / "defs" / "a.yaml").write_text("tools: [{name: a, description: Do a., input: {}}]\n")
    assert found(capsys) == []
    (project / "defs" / "b.yaml").write_text("tools: [{name: b, input: {}}]\n")
    assert found(capsys) == ["missing-description defs/b.yaml:1"]


def test_a_hook_judges_a_file_as_its_config_says(project: Path, capsys: Capture) -> None:
    """Given with --skip-other, a file that a toolc.yaml above it names is looked at with that config, and it alone."""
    (project / "other.yaml").write_text("tools: [{name: other, input: {type: object, properties: {}}}]\n")
    (project / "apart").mkdir()
    (project / "apart" / "more.yaml").write_text("tools: [{name: more, input: {type: object, properties: {}}}]\n")
    sources = "sources: {core: {type: tools, path: tools.yaml}, second: {type: tools, path: ['o*.yaml']}}\n"
    allow = 'lint: {allow: {"core:sync": {missing-description: ours}}}\n'
    (project / "toolc.yaml").write_text("version: 1\nname: test\n" + sources + allow)
    hook = "--skip-other"
    assert found(capsys, hook, "tools.yaml") == []
    assert found(capsys, hook, "other.yaml") == ["missing-description other.yaml:1"]
    assert found(capsys, hook, "apart/more.yaml") == ["missing-description apart/more.yaml:1"]
    both = ["missing-description apart/more.yaml:1", "missing-description other.yaml:1"]
    assert found(capsys, hook, "tools.yaml", "./other.yaml", "apart/more.yaml") == both
    assert found(capsys, hook, "toolc.yaml", "tools.yaml", "other.yaml", "apart/more.yaml") == both
    (project / "toolc.yaml").write_text("version: 1\nname: test\n" + sources)
    assert found(capsys, hook, "tools.yaml") == ["missing-description tools.yaml:3"]
    (project / "apart" / "toolc.yaml").write_text(
        "version: 1\nname: n\nsources: {m: {type: tools, path: more.yaml, vendored: true}}\n"
    )
    assert cli.run(["lint", hook, "apart/more.yaml"]) == 0


def test_a_hook_takes_a_snapshot_for_what_it_is(project: Path, capsys: Capture) -> None:
    """What a server said is its own: no finding in it fails a commit, though no key names the file."""
    (project / "snapshots").mkdir()
    text = '{"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}'
    (project / "snapshots" / "far.json").write_text(text)
    (project / "toolc.yaml").write_text(
        "version: 1\nname: n\nsources: {far: {type: mcp, url: 'https://e.example/mcp'}}\n"
    )
    assert cli.run(["lint", "--skip-other", "snapshots/far.json"]) == 0
    assert "internal" not in capsys.readouterr().err


@pytest.mark.parametrize(("key", "folder"), [("", "snapshots/team"), (", snapshot: kept", "kept")])
def test_a_hook_takes_the_snapshots_of_the_servers_in_a_file_for_what_they_are(
    project: Path, capsys: Capture, key: str, folder: str
) -> None:
    (project / "mcp.json").write_text('{"mcpServers": {"far": {"command": "far"}}}')
    (project / "toolc.yaml").write_text(f"version: 1\nname: n\nsources: {{team: {{type: mcp, path: mcp.json{key}}}}}\n")
    (project / folder).mkdir(parents=True)
    text = '{"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}'
    (project / folder / "far.json").write_text(text)
    assert cli.run(["lint", "--skip-other", f"{folder}/far.json"]) == 0
    assert f"{folder}/far.json:1:12: note missing-description" in capsys.readouterr().out


def test_a_bundle_is_no_source_again(project: Path, capsys: Capture) -> None:
    """The bundle is committed too; what is found in its sources is not found in each of its files once more."""
    (project / "toolc.yaml").write_text(
        "version: 1\nname: n\nsources: {s: {type: tools, path: tools.yaml}}\n"
        "targets: {anthropic: {}, openai: {}}\nprofiles: {p: {select: ['s:*']}}\n"
    )
    assert cli.run(["build"]) == 0
    written = [str(file.relative_to(project)) for file in sorted((project / "bundle").rglob("*.json"))]
    assert "bundle/profiles/p/targets/openai/tools.json" in written
    capsys.readouterr()
    assert cli.run(["lint", "--skip-other", *written]) == 0
    assert f"skipped {len(written)} files" in capsys.readouterr().err
    for named in ("bundle", "bundle/bundle.json", "bundle/profiles/p"):
        assert cli.run(["lint", named]) == 2
        assert f"{named} was written by `toolc build`" in capsys.readouterr().err
    # what others call bundle.json is looked at
    (project / "bundle" / "bundle.json").write_text('{"tools": [{"name": "a", "input_schema": {"type": "object"}}]}')
    assert cli.run(["lint", "--skip-other", "bundle/bundle.json"]) == 1


def test_what_a_pass_and_a_rule_find_is_one_finding(project: Path, capsys: Capture) -> None:
    parameter = {"name": "id", "in": "path", "required": True, "description": "Id of it."}
    parameter["schema"] = {"type": "integer", "examples": ["y"]}
    get = {"operationId": "get_a", "summary": "Read an a with its parts.", "parameters": [parameter]}
    spec = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {"/a/{id}": {"get": get}}}
    (project / "spec.json").write_text(json.dumps(spec))
    (project / "toolc.yaml").write_text("version: 1\nname: t\nsources: {t: {type: openapi, path: spec.json}}\n")
    assert cli.run(["lint", "--format", "json"]) == 1
    shown = json.loads(capsys.readouterr().out)["diagnostics"]
    assert [each["rule"] for each in shown if each["severity"] == "error"] == ["invalid-example"]


def test_a_file_is_written_though_nobody_reads_the_rest(project: Path) -> None:
    """`toolc lint --format text --format sarif:… | head`: what stdout does costs no file."""
    command = [sys.executable, "-m", "toolc", "lint", "--format", "text", "--format", "json:found.json"]
    process = subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    process.stdout.close()
    process.wait(60)
    assert json.loads((project / "found.json").read_text())["diagnostics"]
