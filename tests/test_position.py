"""From a pointer to line and column in the user's own text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from toolc import documents
from toolc.ir import Origin, escape
from toolc.position import Format, Locator, locate
from toolc.position.json import JsonIndex
from toolc.position.visible import visible

JSON = """{
  "info": {"title": "Größe 😀", "a/b": [1, {"x~y": null}]},
  "paths" : {
    "/pets/{id}": {"get": {"description": "a \\" { [ , b"}},
    "": [[], {}, "last"]
  }
}
"""

YAML = """# head
base: &base
  in: query
  schema: {type: integer}
200: ok
"quo\\u0074ed": [a, {b: c}]
use:
  <<: *base
  name: limit
same: *base
list:
- <<: [*base]
  own: 1
😀é: {k: v}
"""

SQL = """-- CREATE TABLE comment (a int);
CREATE TABLE public.shelf (
    id integer NOT NULL, -- a, b
    "Unit, Price" numeric(9,2) CHECK ("Unit, Price" > 0),
    label text DEFAULT 'CREATE TABLE text (a int)'
);
create view `Long ""Names` as select 1;
COPY shelf (id) FROM stdin;
O'Fallon CREATE TABLE data (a int);
\\.
CREATE TABLE IF NOT EXISTS [dbo].[Order Lines] ([key] int, PRIMARY KEY ([key]), `say ``hi``` int)
CREATE TABLE billing.shelf (iban text);
CREATE FUNCTION f() RETURNS int AS $body$ CREATE TABLE body (a int); $body$;
SELECT 'x' LIKE 'y' ESCAPE '\\'; CREATE TABLE last (a int); -- it's
CREATE INDEX i ON last (a);
"""

SKILL = """---
name: pdf
metadata:
  tools: [a, b]
---
# name: no
"""


@pytest.mark.parametrize(
    ("text", "format", "pointer", "place"),
    [
        (JSON, "json", "", (1, 1)),
        (JSON, "json", "/info", (2, 3)),
        (JSON, "json", "/info/title", (2, 12)),
        (JSON, "json", "/info/a~1b", (2, 32)),
        (JSON, "json", "/info/a~1b/0", (2, 40)),
        (JSON, "json", "/info/a~1b/1/x~0y", (2, 44)),
        (JSON, "json", "/paths/~1pets~1{id}/get/description", (4, 28)),
        (JSON, "json", "/paths/", (5, 5)),
        (JSON, "json", "/paths//2", (5, 18)),
        (JSON, "json", "/paths//3", (5, 5)),  # the nearest ancestor, here and below
        (JSON, "json", "/paths//0/0", (5, 10)),
        (JSON, "json", "/paths//1/a", (5, 14)),
        (JSON, "json", "/paths//2/x", (5, 18)),
        (JSON, "json", "/info/none/deeper", (2, 3)),
        ('{"a":1,"b":[1,{"c":2}]}', "json", "/b/1/c", (1, 16)),
        ('{"a": [1,', "json", "/a/1", (1, 2)),
        ('{"a" 1}', "json", "/a/b", (1, 2)),
        ("nothing", "json", "/a", (1, 1)),
        ("", "json", "/a", (1, 1)),
        (YAML, "yaml", "/base/schema/type", (4, 12)),
        (YAML, "yaml", "/200", (5, 1)),
        (YAML, "yaml", "/quoted/1/b", (6, 21)),
        (YAML, "yaml", "/use/in", (3, 3)),
        (YAML, "yaml", "/use/schema/type", (4, 12)),
        (YAML, "yaml", "/use/name", (9, 3)),
        (YAML, "yaml", "/same/in", (3, 3)),
        (YAML, "yaml", "/list/0", (12, 3)),
        (YAML, "yaml", "/list/0/in", (3, 3)),
        (YAML, "yaml", "/list/0/own", (13, 3)),
        (YAML, "yaml", "/😀é/k", (14, 6)),
        (YAML, "yaml", "/list/7/x", (11, 1)),
        ("a: &a {x: 1}\nb:\n  x: 2\n  <<: *a\n", "yaml", "/b/x", (3, 3)),
        ("a: [", "yaml", "/a", (1, 1)),
        ("a: &a [*a]", "yaml", "/a/0/0/0/1", (1, 4)),
        ("a: &a {<<: *a, b: 1}", "yaml", "/a/c", (1, 1)),
        (SQL, "sql", "", (1, 1)),
        (SQL, "sql", "/shelf", (2, 14)),
        (SQL, "sql", "/SHELF/ID", (3, 5)),
        (SQL, "sql", "/public.shelf/Unit, Price", (4, 5)),
        (SQL, "sql", "/shelf/label", (5, 5)),
        (SQL, "sql", "/shelf/none", (2, 14)),
        (SQL, "sql", '/Long ""Names', (7, 13)),
        (SQL, "sql", "/Order Lines/key", (11, 49)),
        (SQL, "sql", "/dbo.Order Lines/say `hi`", (11, 81)),
        (SQL, "sql", "/billing.shelf/iban", (12, 29)),
        (SQL, "sql", "/last/a", (14, 52)),
        (SQL, "sql", "/comment", (1, 17)),  # only the fallback looks into comments, text and data
        (SQL, "sql", "/none", (1, 1)),
        ("CREATE TABLE a (x int, 'oops); CREATE TABLE b (y int);", "sql", "/b/y", (1, 48)),
        (SKILL, "markdown", "/name", (2, 1)),
        (SKILL, "markdown", "/metadata/tools/1", (4, 14)),
        (SKILL, "markdown", "/none", (2, 1)),
        ("# name: no", "markdown", "/name", (1, 1)),
        ("a\nb", "text", "/b", (1, 1)),
    ],
)
def test_a_pointer_is_found_in_the_text(text: str, format: Format, pointer: str, place: tuple[int, int]) -> None:
    assert locate(text, format, pointer) == place


def test_no_member_is_passed_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    passed: list[int] = []

    def scan(text: str, index: int) -> tuple[object, int]:
        passed.append(index)
        return json.JSONDecoder().raw_decode(text, index)

    monkeypatch.setattr("toolc.position.json._scan", scan)
    index = JsonIndex(json.dumps({f"k{number}": [{"v": number}] * 20 for number in range(50)}))
    for _ in range(2):
        for number in (49, 0, 25, 26):
            assert index.find([f"k{number}", "19", "v"]) > 0
    # Keys and values of the root (but not its last value), 19 items and one key in each of the four lists.
    assert len(passed) == 50 + 49 + 4 * (19 + 1)
    assert len(set(passed)) == len(passed)
    # What lies inside a value that has to be passed is not scanned again either.
    passed.clear()
    index = JsonIndex('{"a": {"b": [1, {"c": 2}, 3], "d": 4}, "e": [[], {}], "z": 5}')
    assert [index.find(keys) for keys in (["a", "b", "1", "c"], ["e", "0"], ["z"], ["a", "d"])] == [17, 45, 54, 30]
    assert len(set(passed)) == len(passed)


def test_places_in_files(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "a.json").write_bytes(b'\xef\xbb\xbf{\r\n  "a": 1\r\n}')
    (tmp_path / "b.yml").write_text("x: 1\n")
    (tmp_path / "noending").write_text('{"k": 1}')
    (tmp_path / "SKILL.md").write_text(SKILL)
    (tmp_path / "shop.db").write_bytes(b"SQLite format 3\0")
    locator = Locator(tmp_path)
    assert locator.place(Origin("specs/a.json", "/a")) == (2, 3)
    assert locator.line(Origin("specs/a.json", "/a")) == '  "a": 1'
    assert locator.line(Origin("specs/a.json", "", 3, 1)) == "}"
    assert locator.place(Origin("b.yml", "/x")) == (1, 1)
    assert locator.place(Origin("noending", "/k")) == (1, 2)
    assert locator.place(Origin("SKILL.md", "/metadata/tools")) == (4, 3)
    assert locator.place(Origin("b.yml", "/x", 7, 0)) == (7, 1)
    assert locator.line(Origin("b.yml", "", 7, 1)) == ""
    for unreadable in ("shop.db", "none.yaml", "specs", "", "a\0b"):
        assert locator.place(Origin(unreadable, "/x")) == (0, 0)
        assert locator.line(Origin(unreadable, "/x")) == ""


def test_places_in_a_shipped_catalog(root: Path) -> None:
    text = (root / "catalogs/coding-agent/toolc.yaml").read_text()
    line = text.split("\n").index("version: 1") + 1
    assert Locator(Path("elsewhere")).place(Origin("catalog:coding-agent/toolc.yaml", "/version")) == (line, 1)


@pytest.mark.parametrize("name", ["github.json", "uspto-3.0.yaml"])
def test_every_path_of_a_public_description_is_found(shared: Path, name: str) -> None:
    text = (shared / "corpus/openapi" / name).read_text()
    lines = text.split("\n")
    locator = Locator(shared / "corpus/openapi")
    paths = documents.parse(text, name)["paths"]
    for path in sorted(paths, key=lambda path: path[::-1]):  # there and back in the file, as findings ask
        origin = Origin(name, f"/paths/{escape(path)}")
        line, column = locator.place(origin)
        assert locator.line(origin) == lines[line - 1]
        assert lines[line - 1][column - 1 :].lstrip("\"'").startswith(path)


def test_unseen_characters_are_shown_as_escapes() -> None:
    assert visible("a\x1b[31m\r\n\tb\x85") == "a\\u001b[31m\\r\\n\\tb\\u0085"
    assert (
        visible("\u202eevil\u2066 \u200bzero\u200d \ufeff\u00ad")
        == "\\u202eevil\\u2066 \\u200bzero\\u200d \\ufeff\\u00ad"
    )
    assert visible("\U000e0041\U000e0100\ud800\ue000") == "\\U000e0041\\U000e0100\\ud800\\ue000"
    assert visible("Größe 中文 a\u0301 ⚠\ufe0f 😀") == "Größe 中文 a\u0301 ⚠\ufe0f 😀"
    assert visible("a\ufe0f⚠\ufe0f\ufe0f") == "a\\ufe0f⚠\ufe0f\\ufe0f"


@pytest.mark.parametrize(
    ("pointer", "first"),
    [
        ("/b", "/a"),
        ("/b/x", "/a/x"),
        ("/b/x/y", "/a/x/y"),
        ("/c/x", "/a/x"),
        ("/c/z", "/c/z"),
        ("/c/z/0", "/a"),
        ("/c/z/0/none", "/a/none"),
        ("/c/t", "/d~1e"),
        ("/none", "/none"),
        ("", ""),
    ],
)
def test_what_an_alias_stands_for_is_written_at_its_anchor(tmp_path: Path, pointer: str, first: str) -> None:
    text = "a: &a {x: {y: 1}}\nb: *a\nd/e: &t text\nc:\n  <<: *a\n  z: [*a]\n  t: *t\n"
    (tmp_path / "f.yaml").write_text(text)
    assert Locator(tmp_path).first(Origin("f.yaml", pointer)) == Origin("f.yaml", first)
    (tmp_path / "f.json").write_text('{"b": 1}')
    assert Locator(tmp_path).first(Origin("f.json", pointer)) == Origin("f.json", pointer)
