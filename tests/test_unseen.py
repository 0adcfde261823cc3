"""No command shows a character that a terminal obeys or hides, wherever it comes from: it is escaped everywhere."""

from __future__ import annotations

import json
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest
import yaml

from toolc import cli

# A colour, a hyperlink (OSC 8), a title (8-bit OSC), bidi controls, zero width, tags, a line separator, a bell.
EVIL = "\x1b[31m\x1b]8;;http://e\x1b\\x\x9d0;t\x9c\u202egnp\u202c\u2067\u200b\u2060\ufeff\U000e0072\u2028\x07\x08\r"
FILE = f"t{EVIL.replace('/', '')}.json"
TOOLS = {
    "tools": [
        {
            "name": "a" + EVIL,
            "description": "d" + EVIL,
            "inputSchema": {
                "type": "object",
                "properties": {"p" + EVIL: {"type": "strng" + EVIL, "description": EVIL, "enum": ["e" + EVIL]}},
                "required": ["q" + EVIL],
            },
        },
        {"name": "get_mail", "description": "Read a mail. " + EVIL, "inputSchema": {"type": "object"}},
        {"name": "get_mail", "inputSchema": {"type": "object"}},
    ]
}
GOOD = {
    "tools": [
        {
            "name": "mail_read",
            "description": "Read a mail by its id. " + EVIL,
            "inputSchema": {"type": "object", "properties": {"id": {"type": "integer", "description": "Id." + EVIL}}},
        },
        {"name": "other" + EVIL, "description": "Look up.", "inputSchema": {"type": "object", "properties": {}}},
    ]
}
API = {
    "openapi": "3.1.0",
    "info": {"title": "t" + EVIL, "version": "1"},
    "paths": {"/a" + EVIL: {"get": {"operationId": "g" + EVIL, "parameters": [{"name": "n", "in": "q" + EVIL}]}}},
}
SQL = 'CREATE TABLE "t\u202e\x1b[31m" (id int primary key, "c\u200b" text);\nCREATE TABLE q\u202e (;\n'
YAML = "tools:\n  - {name: 'k\u202e', \"key\\e[31m\u202e\": 1, descriptin: \u200b}\n  - {name: *b\u202e}\n"
SKILL = "---\nname: x\u202e\ndescription: \u200b\nk\u202e: 1\n---\nbody\x1b[31m\n"
ALLOWED = "\n\ufe0f"
Capture = pytest.CaptureFixture[str]


def unseen(text: str) -> set[str]:
    """Characters of the categories that show nothing by themselves (Unicode: Cc, Cf, Co, Cs, Zl, Zp)."""
    hidden = ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")
    return {f"U+{ord(c):04X}" for c in text if c not in ALLOWED and unicodedata.category(c) in hidden}


def shows_nothing_unseen(capsys: Capture, *arguments: str) -> int:
    code = cli.run(list(arguments))
    said = capsys.readouterr()
    for text in said:
        assert unseen(text) == set(), arguments[:3]
        assert "internal error" not in text
    assert said.out or said.err
    return code


def write(folder: Path, **files: Any) -> None:
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        (folder / {"evil": FILE, "config": "toolc.yaml"}.get(name, name.replace("_", "."))).write_text(text)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("format", ["text", "json", "sarif", "github"])
def test_lint_in_every_format(format: str, folder: Path, capsys: Capture) -> None:
    write(folder, evil=TOOLS, a_yaml=YAML, b_sql=SQL, c_json=API, d_json='{"tools": [\x1b[31m\u202e')
    (folder / "sk\u202e").mkdir()
    (folder / "sk\u202e" / "SKILL.md").write_text(SKILL)
    for path in (".", FILE, "a.yaml", "b.sql", "c.json", "d.json", "sk\u202e"):
        assert shows_nothing_unseen(capsys, "lint", "--preset", "all", "--all", "--format", format, path) in (1, 2)


def test_fixes_and_tokens(folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, evil=TOOLS, b_sql=SQL, c_json=API)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)  # into a file a diff goes as it is
    shows_nothing_unseen(capsys, "lint", "--diff", ".")
    for arguments in (["--by", "tool"], ["--by", "group"], ["--by", "source"], ["--format", "json"]):
        shows_nothing_unseen(capsys, "tokens", *arguments, ".")
    shows_nothing_unseen(capsys, "lint", "--fix", ".")


@pytest.mark.parametrize(
    "arguments",
    [
        ["x"],
        ["lint", "--x"],
        ["lint", "x"],
        ["lint", "--select", "x"],
        ["lint", "--format", "x"],
        ["lint", "--format", "sarif:/nonexistent/x/"],
        ["lint", "--preset", "x"],
        ["lint", "--target", "x"],
        ["lint", "--fail-on", "x"],
        ["tokens", "x"],
        ["tokens", "--by", "x"],
        ["build", "x"],
        ["diff", "--against", "x"],
        ["show", "x", "--bundle", "x"],
        ["search", "x", "--bundle", "x"],
        ["resolve", "x", "{x"],
        ["call", "x", "x"],
        ["pull", "x"],
        ["serve", "x"],
        ["verify", "--bundle", "x"],
        ["migrate", "x"],
        ["init", "--from", "x"],
        ["rules", "explain", "x"],
        ["rules", "evaluate", "x"],
        ["examples", "propose", "x"],
    ],
)
def test_what_was_typed(arguments: list[str], folder: Path, capsys: Capture) -> None:
    write(folder, evil=TOOLS)
    typed = [
        argument.replace("x", "x" + EVIL) if argument not in ("examples", "explain") else argument
        for argument in arguments
    ]
    assert shows_nothing_unseen(capsys, *typed) == 2


@pytest.mark.parametrize(
    "entry",
    [
        {"x" + EVIL: 1},
        {"include": ["catalog:x" + EVIL]},
        {"include": ["x" + EVIL]},
        {"targets": {"t" + EVIL: {}}},
        {"targets": {"anthropic": {"k" + EVIL: 1}}},
        {"profiles": {"p" + EVIL: {"select": ["q" + EVIL]}}},
        {"budgets": {"b" + EVIL: 1}},
        {"lint": {"options": {"r" + EVIL: {"k" + EVIL: 1}}}},
        {"lint": {"options": {"long-description": {"k" + EVIL: 1}}}},
        {"lint": {"allow": {"core:x" + EVIL: {"rule" + EVIL: "why" + EVIL}}}},
        {"groups": {"g" + EVIL: {"description": EVIL, "select": ["core:x" + EVIL]}}},
        {"always": ["core:" + EVIL]},
        {"name": "n" + EVIL},
        {"sources": {"s" + EVIL: {"type": "tools", "path": "x" + EVIL}}},
        {"sources": {"s": {"type": "x" + EVIL}}},
        {
            "sources": {
                "s": {"type": "tools", "path": FILE, "select": ["x" + EVIL], "overrides": {"y" + EVIL: {"z" + EVIL: 1}}}
            }
        },
        {"sources": {"s": {"type": "mcp", "command": "x" + EVIL, "env": ["A" + EVIL]}}},
        {"sources": {"s": {"type": "openapi", "url": "http://x" + EVIL}}},
    ],
)
def test_a_config(entry: dict[str, Any], folder: Path, capsys: Capture) -> None:
    config = {"version": 1, "name": "n", "sources": {"core": {"type": "tools", "path": FILE}}} | entry
    write(folder, evil=TOOLS, config=yaml.safe_dump(config, allow_unicode=True, sort_keys=False))
    for command in (["lint", "--format", "text"], ["build"], ["diff"], ["pull"]):
        shows_nothing_unseen(capsys, *command)


def test_a_bundle(folder: Path, capsys: Capture) -> None:
    config = {
        "version": 1,
        "name": "n",
        "sources": {"core": {"type": "tools", "path": FILE}},
        "groups": {"g": {"description": "d" + EVIL, "select": ["core:mail_read"]}},
        "targets": {"anthropic": {}, "mcp": {}},
    }
    write(folder, evil=GOOD, config=yaml.safe_dump(config, allow_unicode=True))
    assert shows_nothing_unseen(capsys, "build") == 0
    names = [tool["name"] for tool in json.loads(Path("bundle/bundle.json").read_text())["tools"]]
    for name in (*names, "core:mail_read", "core:other" + EVIL, "g", "x" + EVIL):
        shows_nothing_unseen(capsys, "show", name)
        shows_nothing_unseen(capsys, "show", name, "--target", "mcp")
        shows_nothing_unseen(capsys, "resolve", name, json.dumps({"id": EVIL, "x" + EVIL: 1}))
        shows_nothing_unseen(capsys, "call", name, json.dumps({"id": 1}), "--dry-run")
    shows_nothing_unseen(capsys, "search", "mail")
    shows_nothing_unseen(capsys, "verify")
    changed = {"tools": [{**GOOD["tools"][0], "description": "Else. " + EVIL}]}
    write(folder, evil=changed)
    for command in (
        ["diff"],
        ["diff", "--format", "markdown"],
        ["diff", "--format", "json"],
        ["build"],
        ["build", "--check"],
    ):
        shows_nothing_unseen(capsys, *command)
    calls = [json.dumps({"tool": "mail_read", "arguments": {"id": EVIL}}, ensure_ascii=False), "bad" + EVIL]
    write(folder, calls_jsonl="\n".join(calls))
    shows_nothing_unseen(capsys, "examples", "propose", "calls.jsonl")
    rules = {"permissions": {"allow": ["mcp__core__mail_read", "mcp__x" + EVIL]}}
    (folder / ".claude").mkdir()
    (folder / ".claude" / "settings.json").write_text(json.dumps(rules, ensure_ascii=False))
    shows_nothing_unseen(capsys, "migrate", ".claude/settings.json")


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85", "\x0b", "\x1c", "\r"])
def test_a_lock_with_signs_that_end_lines_elsewhere_is_read_again(sign: str, folder: Path) -> None:
    tools = [{"name": f"a{sign}b", "description": "Fetch mail.", "inputSchema": {"type": "object", "properties": {}}}]
    (folder / f"t{sign}.json").write_text(json.dumps({"tools": tools}))
    config = {"version": 1, "name": "n", "sources": {"core": {"type": "tools", "path": f"t{sign}.json"}}}
    write(folder, config=yaml.safe_dump(config))
    assert cli.run(["build"]) == 0
    assert cli.run(["build", "--check"]) == 0
    assert cli.run(["lint", "--fail-on", "never"]) == 0
