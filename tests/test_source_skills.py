"""The `skills` source: folders with SKILL.md."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from toolc import config, pipeline
from toolc.diagnostics import Report, UserError
from toolc.ir import Opaque
from toolc.sources import Context, Reading, skills

FIXTURES = Path(__file__).parent / "fixtures" / "sources"


def read(base: Path, path: str = "skills") -> tuple[Reading, Report]:
    report = Report()
    return skills.read(skills.Options(path=path), Context("sops", base, base, report)), report


def write(folder: Path, text: str) -> None:
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(text, encoding="utf-8")


def skill(name: str) -> str:
    return f"---\nname: {name}\ndescription: Does {name}.\n---\nBody.\n"


def places(report: Report) -> list[tuple[str, str, int]]:
    return [(d.rule, d.origin.source, d.origin.line) for d in report.diagnostics if d.origin]


def test_skills_at_any_depth() -> None:
    reading, report = read(FIXTURES)
    pdf, release = reading.operations
    assert not report.diagnostics
    assert (pdf.id, pdf.name) == ("sops:pdf-forms", "pdf-forms")
    assert pdf.description == "Fill PDF forms and flatten them."
    assert pdf.input == {"type": "object", "properties": {}, "additionalProperties": False}
    assert pdf.call == Opaque()
    assert (pdf.hints.effect, pdf.hints.read_only.basis, pdf.hints.read_only.reason) == (
        "read",
        "inferred",
        "reading a skill",
    )
    assert pdf.extra["body"] == "# PDF forms\n\nRun `scripts/fill.py`."
    assert pdf.extra["files"] == ["scripts/fill.py"]
    assert pdf.extra["license"] == "Apache-2.0"
    assert pdf.extra["allowed-tools"] == ["read", "bash"]
    script = (FIXTURES / "skills" / "pdf-forms" / "scripts" / "fill.py").read_text(encoding="utf-8").rstrip()
    facts = 'license: Apache-2.0\nallowed-tools: ["read", "bash"]\nFiles: scripts/fill.py'
    assert pdf.extra["appendix"] == f"{facts}\n\nscripts/fill.py:\n```\n{script}\n```"
    assert release.description == "Cut a release: tag, notes, announcement."
    assert release.origin.source == "skills/team/release/SKILL.md"
    assert reading.source.files == ("skills/pdf-forms/SKILL.md", "skills/team/release/SKILL.md")


def test_the_folder_of_one_skill() -> None:
    reading, _ = read(FIXTURES, "skills/pdf-forms")
    assert [operation.name for operation in reading.operations] == ["pdf-forms"]


def test_broken_skills_cost_themselves_only(tmp_path: Path) -> None:
    top = tmp_path / "skills"
    write(top / "a", skill("good"))
    write(top / "b", "# no front matter\n")
    write(top / "c", "---\nname: c\ndescription: [open\n---\n")
    write(top / "d", "---\nname: d\ndescription: '  '\n---\n")
    write(top / "e", skill("good"))
    write(top / "f", "---\ndescription: Named by its folder.\n---\n")
    write(top / "g", "---\nname: 3\ndescription: A number.\n---\n")
    write(top / "h", "---\n- a list\n---\n")
    write(top / "i", "---\nname: endless\ndescription: No end.\n")
    write(top / "j", "")
    (top / "j" / "SKILL.md").write_bytes(b"---\nname: \xff\n---\n")
    write(top / "k", skill("big") + "x" * skills.LARGEST)
    reading, report = read(tmp_path)
    assert [operation.name for operation in reading.operations] == ["good", "f"]
    assert places(report) == [
        ("invalid-front-matter", "skills/b/SKILL.md", 1),
        ("invalid-yaml", "skills/c/SKILL.md", 4),
        ("missing-description", "skills/d/SKILL.md", 0),
        ("duplicate-name", "skills/e/SKILL.md", 0),
        ("missing-name", "skills/f/SKILL.md", 0),
        ("wrong-type", "skills/g/SKILL.md", 0),
        ("invalid-front-matter", "skills/h/SKILL.md", 2),
        ("invalid-front-matter", "skills/i/SKILL.md", 1),
        ("unreadable-file", "skills/j/SKILL.md", 2),
        ("input-limit", "skills/k/SKILL.md", 0),
    ]


def test_what_is_told_of_a_skill_before_and_after_it_is_chosen(tmp_path: Path) -> None:
    description = "Fills forms " + "and checks them " * 20
    write(tmp_path / "skills" / "a", f"---\nname: a\ndescription: {description}\nmetadata: {{v: 1}}\n---\nDo it.\n")
    (tmp_path / "skills" / "a" / "run.sh").write_text("echo '````'\n")
    (tmp_path / "skills" / "a" / "form.pdf").write_bytes(b"%PDF\0")
    (tmp_path / "skills" / "a" / "odd.py").write_bytes(b"\xff")
    sources = {"sops": {"type": "skills", "path": "skills"}}
    (tmp_path / "toolc.yaml").write_text(json.dumps({"version": 1, "name": "t", "sources": sources}))
    result = pipeline.build(config.load(tmp_path, Report()))
    (tool,) = result.catalog.tools
    assert tool.details == (
        "Do it.\n\nmetadata: {\"v\": 1}\nFiles: form.pdf, odd.py, run.sh\n\nrun.sh:\n`````\necho '````'\n`````"
    )
    stubs = next(file.text for file in result.files if file.path == "stubs.md")
    (line,) = [line for line in stubs.splitlines() if line.startswith("a: ")]
    assert 100 < len(line.removeprefix("a: ")) <= 120
    assert sorted(result.lock.inputs) == ["skills/a/SKILL.md", "skills/a/run.sh", "toolc.yaml"]


def test_windows_line_ends(tmp_path: Path) -> None:
    write(tmp_path / "skills", "")
    (tmp_path / "skills" / "SKILL.md").write_bytes(skill("crlf").replace("\n", "\r\n").encode())
    reading, report = read(tmp_path)
    assert [operation.description for operation in reading.operations] == ["Does crlf."]
    assert not report.diagnostics


def test_links_stay_inside(tmp_path: Path) -> None:
    root = tmp_path / "project"
    write(root / "skills" / "own", skill("own"))
    write(root / "shared" / "linked", skill("linked"))
    write(tmp_path / "outside" / "secret", skill("secret"))
    (root / "skills" / "inner").symlink_to(root / "shared")
    (root / "skills" / "loop").symlink_to(root / "skills")
    (root / "skills" / "outer").symlink_to(tmp_path / "outside")
    (root / "skills" / "own" / "key.pem").symlink_to(tmp_path / "outside" / "secret" / "SKILL.md")
    (root / "skills" / "file").mkdir()
    (root / "skills" / "file" / "SKILL.md").symlink_to(tmp_path / "outside" / "secret" / "SKILL.md")
    reading, report = read(root)
    assert [operation.name for operation in reading.operations] == ["linked", "own"]
    assert reading.operations[1].extra["files"] == []
    assert [rule for rule, _, _ in places(report)] == ["outside-link", "outside-link"]


def test_folders_that_hold_none(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist"):
        read(tmp_path)
    (tmp_path / "skills").write_text("a file")
    with pytest.raises(UserError, match="is no folder"):
        read(tmp_path)
    (tmp_path / "empty").mkdir()
    reading, report = read(tmp_path, "empty")
    assert reading.operations == ()
    assert [rule for rule, _, _ in places(report)] == ["empty-source"]
    with pytest.raises(UserError, match="names no folder"):
        read(tmp_path, "")


def test_recognise() -> None:
    assert skills.recognise(skill("a"))
    assert not skills.recognise("---\ntitle: a blog post\n---\n")
    assert not skills.recognise({"description": "a mapping"})


def test_a_skill_that_is_broken_is_told_once(tmp_path: Path) -> None:
    """What is wrong with the only skill is all there is to say: it was found, and the source is the right one."""
    write(tmp_path / "skills" / "one", "---\nname: one\n---\nBody.\n")
    (tmp_path / "toolc.yaml").write_text("version: 1\nname: t\nsources: {sops: {type: skills, path: skills}}\n")
    report = Report()
    pipeline.reading.read(config.load(tmp_path / "toolc.yaml", report), report)
    assert [item.rule for item in report.diagnostics] == ["missing-description"]
    (tmp_path / "skills" / "one" / "SKILL.md").unlink()
    report = Report()
    pipeline.reading.read(config.load(tmp_path / "toolc.yaml", report), report)
    assert [item.rule for item in report.diagnostics] == ["empty-source"]
