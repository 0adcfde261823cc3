"""`lint --diff` says what `--fix` writes, byte for byte, and writes nothing itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

from toolc import cli
from toolc.edits.difference import encode_like

# Both rules change this text, each in a round of its own.
LEAD = "This tool allows you to send <b>größe</b> to the hall\tof fame."
MENDED = "Send größe to the hall"
YAML = f"""\
# ünder us
tools:
  - name: send
    description: "{LEAD}"   # said twice
    input: {{type: object, $schema: 'http://json-schema.org/draft-07/schema#', properties: {{}}}}
  # the end
"""
JSON = json.dumps(
    {"tools": [{"name": "send", "description": LEAD, "inputSchema": {"type": "object", "$schema": "x"}}]},
    ensure_ascii=False,
    indent="\t",
)
FORMS = {
    "plain": lambda text: text.encode(),
    "crlf": lambda text: text.replace("\n", "\r\n").encode(),
    "byte order mark": lambda text: text.replace("\n", "\r\n").encode("utf-8-sig"),
    "no end": lambda text: text.rstrip("\n").encode(),
    "crlf without end": lambda text: text.rstrip("\n").replace("\n", "\r\n").encode(),
    "mixed": lambda text: text.replace("\n", "\r\n", 2).encode(),
    "one line": lambda text: " ".join(text.split("\n")).encode() if text.startswith("{") else text.encode(),
    "separators in the text": lambda text: text.replace("hall", "hall\u2028\x85of").encode(),
}


@pytest.mark.parametrize("tool", ["patch", "git"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("name", "text"), [("my tools.yaml", YAML), ("tools.json", JSON)])
def test_the_diff_makes_what_fix_writes(tmp_path: Path, name: str, text: str, form: str, tool: str) -> None:
    before = FORMS[form](text)
    file = tmp_path / name
    file.write_bytes(before)
    shown = lint(tmp_path, name, "--diff")
    assert shown.returncode == 1
    assert file.read_bytes() == before
    command = ["patch", "-p1", "--binary"] if tool == "patch" else ["git", "-c", "core.autocrlf=false", "apply"]
    made = subprocess.run(command, cwd=tmp_path, input=shown.stdout, capture_output=True)
    assert made.returncode == 0, made.stdout + made.stderr
    patched = file.read_bytes()
    file.write_bytes(before)
    assert lint(tmp_path, name, "--fix").returncode == 0
    assert file.read_bytes() == patched != before
    if "separators" not in form:
        assert MENDED.encode() in patched
    again = lint(tmp_path, name, "--diff")
    assert (again.returncode, again.stdout) == (0, b"")


def lint(folder: Path, *args: str) -> subprocess.CompletedProcess[bytes]:
    """`toolc lint` as a process, whose output is bytes."""
    environment = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
        "HOME": str(folder / "home"),
        "XDG_CACHE_HOME": str(folder.parent / "cache"),
    }
    command = [sys.executable, "-m", "toolc", "lint", *args, "--preset", "all", "--fail-on", "never"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True)


def test_fixes_of_several_files_and_of_the_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sources = "sources: {a: {type: tools, path: a.yaml}, b: {type: tools, path: b.yaml, vendored: true}}\n"
    Path("toolc.yaml").write_text(f"version: 1\nname: t\n{sources}")
    Path("a.yaml").write_text(YAML)
    Path("b.yaml").write_text(YAML.replace("send", "push"))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    shown = lint(tmp_path, "--diff").stdout
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert subprocess.run(["patch", "-p1", "--binary"], input=shown, capture_output=True).returncode == 0
    patched = {name: Path(name).read_bytes() for name in before}
    assert patched["b.yaml"] == before["b.yaml"]
    assert b"overrides" in patched["toolc.yaml"]
    for name, data in before.items():
        Path(name).write_bytes(data)
    cli.run(["lint", "--fix", "--preset", "all"])
    assert {name: Path(name).read_bytes() for name in before} == patched


def test_lines_that_stay_keep_their_ends() -> None:
    assert encode_like("a\nB\nc\nd", b"a\r\nb\nc\rd") == b"a\r\nB\r\nc\rd"
    assert encode_like("a\nx\n", "\ufeffa\r\nb\r\n".encode("utf-16")[2:]) == b"\xff\xfe" + "a\r\nx\r\n".encode(
        "utf-16-le"
    )
    assert encode_like("\u0d0d\n", "\u0d0d".encode("utf-16")) == "\u0d0d\n".encode("utf-16")
