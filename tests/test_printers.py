"""What findings look like, for people and for programs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from toolc import cli, registry
from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import Origin
from toolc.printers import github as github_printer
from toolc.printers import json as json_printer
from toolc.printers import text as text_printer

TOOLS = """tools:
  - name: 中文_tool
    description: "a\u200bb"
\tx
"""

FINDINGS = [
    Diagnostic("no-place", Severity.note, "about nothing in particular"),
    Diagnostic("gone", Severity.warning, "the file is gone", Origin("gone.yaml", "/a")),
    Diagnostic(
        "missing-description",
        Severity.error,
        "it has no description",
        Origin("tools.json", "/tools/0/name"),
        related=tuple(Origin("tools.json", f"/tools/{number}") for number in range(5)),
        help="Say what it does.\nIn a sentence.",
        subject="core:read",
        count=12,
    ),
    Diagnostic("hidden", Severity.error, "`core:x` hides \u202e", Origin("tools.yaml", "", 3, 21), subject="core:x"),
    Diagnostic("tab", Severity.error, "a tab", Origin("tools.yaml", "", 4, 2)),
]

EXPECTED = """\
tools.json:2:13: error missing-description: core:read: it has no description (12 times)
  2 |  "tools": [{"name": "read"}]
    |             ^
  also: tools.json:2:12
  also: tools.json:2:2
  also: tools.json:2:2
  also: 2 more
  help: Say what it does.\\nIn a sentence.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tools.json").write_text('{\n "tools": [{"name": "read"}]\n}\n')
    (tmp_path / "tools.yaml").write_text(TOOLS)
    return tmp_path


def test_the_members() -> None:
    assert {"json", "text"} <= set(registry.names("printers"))


@pytest.mark.parametrize("name", registry.names("rules"))
def test_what_the_table_says_of_a_rule_is_the_first_line_of_its_page(name: str) -> None:
    page = registry.load("rules", name).__doc__ or ""
    assert registry.summary("rules", name) == page.strip().splitlines()[0]


def test_text_shows_place_line_and_help(folder: Path) -> None:
    assert text_printer.show([FINDINGS[2]], folder) == EXPECTED


def test_text_shows_what_it_cannot_place(folder: Path) -> None:
    assert text_printer.show(FINDINGS[:2], folder) == (
        "gone.yaml: warning gone: the file is gone\nnote no-place: about nothing in particular\n"
    )
    assert text_printer.show([], folder) == ""


def test_text_shows_nothing_unseen_and_points_below_it(folder: Path) -> None:
    assert text_printer.show(FINDINGS[3:], folder) == (
        "tools.yaml:3:21: error hidden: `core:x` hides \\u202e\n"
        '  3 |     description: "a\\u200bb"\n'
        "    |                          ^\n"
        "tools.yaml:4:2: error tab: a tab\n"
        "  4 |     x\n"
        "    |     ^\n"
    )


def test_text_counts_wide_signs_as_two_columns(folder: Path) -> None:
    finding = Diagnostic("x", Severity.note, "m", Origin("tools.yaml", "", 2, 13))
    assert text_printer.show([finding], folder).split("\n")[2] == "    | " + " " * 14 + "^"


@pytest.mark.parametrize(
    ("before", "columns"),
    [
        ("abc", 3),
        ("名前", 4),
        ("ｱｲ", 2),  # halfwidth
        ("e\u0301n\u0308", 2),
        ("กำกี", 3),  # U+0E35 is a mark of combining class 0; U+0E33 takes a column
        ("😀", 2),
        ("\t\t", 8),
        ("\u202e\u200b", 12),  # shown as escapes
        ("\x1b[31m", 10),
        ("\U000e0072", 10),
    ],
)
def test_the_caret_stands_below_the_place(before: str, columns: int, tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text(f"x{before}HERE\n", encoding="utf-8")
    finding = Diagnostic("x", Severity.note, "m", Origin("a.sql", "", 1, len(before) + 2))
    caret = text_printer.show([finding], tmp_path).split("\n")[2]
    assert caret == "    | " + " " * (1 + columns) + "^"


def test_a_frame_of_wide_signs_is_no_wider_than_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("名" * 300 + "\u200b" * 5 + "HERE" + "前" * 300, encoding="utf-8")
    finding = Diagnostic("x", Severity.note, "m", Origin("a.sql", "", 1, 306))
    _, line, caret, _ = text_printer.show([finding], tmp_path, width=60).split("\n")
    taken = sum(2 if sign in "名前" else 1 for sign in line)
    assert 58 <= taken - len("  1 | ……") <= 60
    assert sum(2 if sign in "名前" else 1 for sign in line.partition("HERE")[0]) == caret.index("^")


def test_the_caret_stands_below_the_place_in_a_terminal_of_any_encoding(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("x" * 80 + "名é… HERE", encoding="utf-8")
    finding = Diagnostic("x", Severity.note, "m", Origin("a.sql", "", 1, 85))
    for encoding, expected in (("ascii", "\\u540d\\xe9... HERE"), ("latin-1", "\\u540dé... HERE")):
        _, line, caret, _ = text_printer.show([finding], tmp_path, encoding=encoding).split("\n")
        assert line.startswith("  1 | ...xxx")
        assert line.endswith(expected)
        assert line[caret.index("^") :] == "HERE"


def test_text_shows_a_window_of_a_long_line(folder: Path) -> None:
    (folder / "long.json").write_text('["' + "a" * 1000 + '", "here", "' + "b" * 1000 + '"]')
    _, line, caret, _ = text_printer.show(
        [Diagnostic("x", Severity.note, "m", Origin("long.json", "/1"))], folder
    ).split("\n")
    assert line == "  1 | …" + "a" * 57 + '", "here", "' + "b" * 31 + "…"
    assert line[caret.index("^") :].startswith('"here"')


def test_a_place_behind_the_end_of_a_line_is_shown_at_its_end(folder: Path) -> None:
    finding = Diagnostic("x", Severity.error, "m", Origin("tools.json", "", 3, 99))
    assert text_printer.show([finding], folder) == "tools.json:3:99: error x: m\n  3 | }\n    |  ^\n"


def test_json_holds_every_field(folder: Path) -> None:
    shown = json.loads(json_printer.show(FINDINGS, folder))
    assert shown["format"] == "toolc-diagnostics/1"
    assert [item["rule"] for item in shown["diagnostics"]][-2:] == ["gone", "no-place"]
    first = next(item for item in shown["diagnostics"] if item["rule"] == "missing-description")
    assert first == {
        "rule": "missing-description",
        "severity": "error",
        "message": "it has no description",
        "file": "tools.json",
        "line": 2,
        "column": 13,
        "pointer": "/tools/0/name",
        "subject": "core:read",
        "help": "Say what it does.\nIn a sentence.",
        "count": 12,
        "fix": "",
        "related": [
            {"file": "tools.json", "line": 2, "column": column, "pointer": f"/tools/{number}"}
            for number, column in enumerate([12, 2, 2, 2, 2])
        ],
    }
    nowhere = shown["diagnostics"][-1]
    assert (nowhere["file"], nowhere["line"], nowhere["column"], nowhere["related"]) == ("", 0, 0, [])


def documented(root: Path) -> Any:
    """The validator of the schema that docs/lint-json.md shows."""
    (schema,) = re.findall(
        r"```json\n(.*?)```", (root / "docs" / "lint-json.md").read_text(encoding="utf-8"), re.DOTALL
    )
    return jsonschema.Draft202012Validator(json.loads(schema))


def test_json_is_what_its_page_says(folder: Path, root: Path) -> None:
    validator = documented(root)
    text = json_printer.show(FINDINGS, folder, [(FINDINGS[0], "meant so"), (FINDINGS[2], "in the baseline")])
    assert [error.message for error in validator.iter_errors(json.loads(text))] == []
    assert list(validator.iter_errors({"format": "toolc-diagnostics/1", "diagnostics": [{"rule": "x"}]}))


@pytest.mark.parametrize("name", ["openapi/slack.json", "openapi/petstore-2.0.json", "ddl/sakila_mysql.sql", "mcp"])
def test_json_of_public_files_is_what_its_page_says(
    name: str, shared: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cli.run(["lint", "--preset", "all", "--format", "json", str(shared / "corpus" / name)])
    shown = json.loads(capsys.readouterr().out)
    assert shown["diagnostics"]
    assert [error.message for error in documented(root).iter_errors(shown)] == []


def commands(findings: list[Diagnostic], root: Path) -> list[tuple[str, dict[str, str], str]]:
    """Level, properties and text of each workflow command, read as the runner of GitHub Actions reads them.

    Source: actions/runner, ActionCommand.TryParseV2 and its two tables of escapes.
    """
    read = []
    for line in github_printer.show(findings, root).removesuffix("\n").split("\n"):
        assert line.startswith("::")
        head, _, data = line[2:].partition("::")
        level, _, rest = head.partition(" ")
        pairs = dict(pair.split("=", 1) for pair in rest.split(",") if pair)
        for escape, sign in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
            pairs = {key: value.replace(escape, sign) for key, value in pairs.items()}
            data = data.replace(escape, sign) if escape in ("%0D", "%0A", "%25") else data
        read.append((level, pairs, data))
    return read


def test_github_commands_read_back_as_what_was_meant(tmp_path: Path) -> None:
    name = "a b,c:d=100%25;é.json"
    (tmp_path / name).write_text("{}")
    finding = Diagnostic(
        "x", Severity.error, "100% of %0A ::error::no\r, a=b", Origin(name), help="Do\nthis", subject="s:op", count=3
    )
    ((level, properties, text),) = commands([finding], tmp_path)
    assert (level, properties) == ("error", {"file": name, "line": "1", "col": "1", "title": "toolc x"})
    assert text == "s:op: 100% of %0A ::error::no\\r, a=b (3 times)\nDo\nthis"


def test_github_shows_no_file_for_what_has_no_place(tmp_path: Path) -> None:
    assert commands([FINDINGS[0]], tmp_path) == [("notice", {"title": "toolc no-place"}, "about nothing in particular")]
    assert github_printer.show([], tmp_path) == ""


def test_github_says_when_there_are_more_than_it_shows(tmp_path: Path) -> None:
    """Ten a level are shown: errors first, each rule once before any a second time, and how many there are."""
    often = [Diagnostic("often", Severity.error, f"m{index:02}") for index in range(12)]
    other = [Diagnostic("rare", Severity.error, "r"), *(Diagnostic("w", Severity.warning, f"w{i}") for i in range(10))]
    read = commands([*other, *often], tmp_path)
    assert [level for level, _, _ in read] == ["error"] * 14 + ["warning"] * 10
    assert [text for _, _, text in read[:2]] == ["m00", "r"]
    assert read[9][2].startswith("13 errors in all")
    assert len({text for _, _, text in read}) == 24


def test_github_names_files_from_the_top_of_the_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    ((_, properties, _),) = commands([Diagnostic("x", Severity.note, "m", Origin("a.json"))], tmp_path / "sub")
    assert properties["file"] == "sub/a.json"


def test_json_is_ascii(folder: Path) -> None:
    text = json_printer.show(FINDINGS, folder)
    assert text.isascii()
    assert text.endswith("}\n")
    assert json.loads(json_printer.show([], folder)) == {"format": "toolc-diagnostics/1", "diagnostics": []}


def test_text_shows_no_credential_of_the_line(tmp_path: Path) -> None:
    line = '{"env": {"API_KEY": "sk-live-0123456789", "REGION": "eu-west-1"}, "Authorization": "Bearer abcdefgh.ijkl"}'
    (tmp_path / "mcp.json").write_text(f'{line}\n{{"token": "${{env:TOKEN_NAME}}", "max_tokens": 12345}}\n')
    shown = text_printer.show([Diagnostic("x", Severity.error, "m", Origin("mcp.json", "", 1, 1))], tmp_path, width=200)
    assert "sk-live" not in shown
    assert "abcdefgh" not in shown
    assert '"API_KEY": "••••••••••••••••••", "REGION": "eu-west-1"' in shown
    shown = text_printer.show([Diagnostic("x", Severity.error, "m", Origin("mcp.json", "", 2, 1))], tmp_path)
    assert '{"token": "${env:TOKEN_NAME}", "max_tokens": 12345}' in shown
