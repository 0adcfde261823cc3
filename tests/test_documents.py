"""Reading JSON and YAML: what text means, and what is refused where."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from toolc import documents
from toolc.diagnostics import Diagnostic, UserError
from toolc.documents import yaml as reader


@pytest.fixture(params=["CSafeLoader", "SafeLoader"])
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both of PyYAML's parsers: where libyaml is missing, the one in Python is used."""
    if not hasattr(yaml, request.param):
        pytest.skip("PyYAML was built without libyaml")
    monkeypatch.setattr(reader, "loader_class", lambda: getattr(yaml, request.param))


def refused(text: str, name: str) -> Diagnostic:
    with pytest.raises(UserError) as caught:
        documents.parse(text, name)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.help
    assert diagnostic.origin is not None
    assert diagnostic.origin.source == name
    return diagnostic


def place(diagnostic: Diagnostic) -> tuple[int, int]:
    assert diagnostic.origin is not None
    return diagnostic.origin.line, diagnostic.origin.column


# YAML 1.2.2 §10.3.2, the core schema; what YAML 1.1 reads otherwise; and our policy for leading zeros.
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("null", None),
        ("~", None),
        ("", None),
        ("NULL", None),
        ("nULL", "nULL"),
        ("true", True),
        ("FALSE", False),
        ("tRue", "tRue"),
        ("no", "no"),
        ("ON", "ON"),
        ("y", "y"),
        ("0", 0),
        ("-19", -19),
        ("+12", 12),
        ("0o17", 15),
        ("0x3A", 58),
        ("0777", "0777"),
        ("-007", "-007"),
        ("0b11", "0b11"),
        ("1_000", "1_000"),
        ("12:30:45", "12:30:45"),
        ("2024-01-31", "2024-01-31"),
        ("0.", 0.0),
        (".5", 0.5),
        ("-2E+05", -200000.0),
        ("12e03", 12000.0),
        ("1.10", 1.1),
        ("1.2.3", "1.2.3"),
        ("12345678901234567890123", 12345678901234567890123),
        ("'12'", "12"),
        ('"true"', "true"),
        ("!!str 12", "12"),
        ("!!int '12'", 12),
        ("!!float 3", 3.0),
        ("!!binary aGk=", "aGk="),
        ("!!set {a, b}", {"a": None, "b": None}),
        ("=", "="),
        ("[a, -b, +, .]", ["a", "-b", "+", "."]),
    ],
)
@pytest.mark.usefixtures("loader")
def test_yaml_scalars_mean_what_the_core_schema_says(text: str, value: object) -> None:
    data = documents.parse(f"value: {text}\n", "x.yaml")
    assert data == {"value": value}
    assert type(data["value"]) is type(value)


@pytest.mark.usefixtures("loader")
def test_keys_become_text_as_they_are_written() -> None:
    text = "200: a\n2024-01-31: b\ntrue: c\n~: d\n1.10: e\n0x1F: f\non: g\n&k 7: *k\n"
    keys = ["200", "2024-01-31", "true", "~", "1.10", "0x1F", "on", "7"]
    assert list(documents.parse(text, "x.yaml")) == keys
    assert documents.parse(text, "x.yaml")["7"] == 7


@pytest.mark.usefixtures("loader")
def test_merge_keys_are_expanded_and_own_keys_win() -> None:
    text = """
base: &base {a: 1, b: 2}
more: &more {b: 3, c: 4}
one: {<<: *base, b: own}
after: {b: own, <<: *base}
list: {<<: [*base, *more]}
deep: {<<: {<<: *base, d: 5}}
quoted: {"<<": kept}
"""
    data = documents.parse(text, "x.yaml")
    assert data["one"] == data["after"] == {"a": 1, "b": "own"}
    assert data["list"] == {"a": 1, "b": 2, "c": 4}
    assert data["deep"] == {"a": 1, "b": 2, "d": 5}
    assert data["quoted"] == {"<<": "kept"}


BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40))
FEW_BUT_LONG = "a: &a " + "x" * 1_000_000 + "\nb: [" + "*a, " * 100 + "]\n"


@pytest.mark.parametrize(
    ("name", "text", "rule", "line", "column", "help"),
    [
        ("cut.json", '{"a": [1,', "invalid-json", 1, 10, "cut off"),
        ("comma.json", '{\n  "a": 1,\n}', "invalid-json", None, None, "omma"),
        ("comment.json", '{\n  // no\n  "a": 1}', "invalid-json", 2, 3, "no comments"),
        ("single.json", "{'a': 1}", "invalid-json", 1, 2, "double quotes"),
        ("two.json", "{}\n{}", "invalid-json", 2, 1, "one value"),
        ("open.json", '{"a": "b', "invalid-json", 1, 7, "closing quote"),
        ("break.json", '{"a": "b\nc"}', "invalid-json", 1, 9, "\\n"),
        ("nan.json", '{"a": "NaN", "b":\n [1, NaN]}', "invalid-json", 2, 6, "finite"),
        ("infinite.json", "[-Infinity]", "invalid-json", 1, 2, "finite"),
        ("overflow.json", "[1e999]", "invalid-json", 1, 2, "finite"),
        ("digits.json", "[" + "9" * 5000 + "]", "invalid-json", 1, 2, "finite"),
        ("half.json", '["\\ud83d\\ude00", "\\\\ud800",\n "\\udc00"]', "invalid-json", 2, 3, "both halves"),
        ("twice.json", '{"a": {"k": 1,\n"b": 2, "k": 3}}', "duplicate-key", 2, 9, "Keep one"),
        ("escaped.json", '{"a": 1, "\\u0061": 2}', "duplicate-key", 1, 10, "Keep one"),
        ("empty.json", " \n", "empty-file", 1, 1, "Write"),
        ("deep.json", "[" * 201 + "]" * 201, "input-limit", 1, 201, "Flatten"),
        ("huge.json", "[" * 50_000_000, "input-limit", 1, 201, "Flatten"),
        ("many.json", "[" + "{}," * 3_000_000 + "{}]", "input-limit", 1, 1, "Split"),
        ("huge.txt", "[" * 50_000_000, "input-limit", 1, 201, "Flatten"),
        ("empty.yaml", "# nothing\n---\n", "empty-file", 1, 1, "Write"),
        ("tab.yaml", "a:\n\tb: 1\n", "invalid-yaml", 2, 1, "tabs"),
        ("at.yaml", "a: 1\nb: @x\n", "invalid-yaml", 2, 4, "quotes"),
        ("colon.yaml", "é😀: b: c\n", "invalid-yaml", 1, 6, "quotes"),
        ("open.yaml", 'a: "b\n', "invalid-yaml", 2, 1, "closing quote"),
        ("flow.yaml", "a: {b: [1, 2]\nc: d\n", "invalid-yaml", 2, None, "Close the { of line 1, column 4"),
        ("list.yaml", "a: [b, {c: 1}\nd: e\n", "invalid-yaml", 2, None, "Close the [ of line 1, column 4"),
        ("two.yaml", "a: 1\n---\nb: 2\n", "invalid-yaml", 2, 1, "Keep one"),
        ("control.yaml", 'a: 1\nb: "\x07"\n', "invalid-yaml", 2, 5, "Remove"),
        ("tag.yaml", "a: !Ref x\n", "invalid-yaml", 1, 4, "plain YAML"),
        ("code.yaml", "a: !!python/object/apply:os.system [ls]\n", "invalid-yaml", 1, 4, "plain YAML"),
        ("wrong.yaml", "a: !!int x\n", "invalid-yaml", 1, 4, "tag"),
        ("key.yaml", "{[a]: 1}\n", "invalid-yaml", 1, 2, "text"),
        ("infinite.yaml", "a: .inf\n", "invalid-yaml", 1, 4, "quotes"),
        ("overflow.yaml", "a: 1e999\n", "invalid-yaml", 1, 4, "quotes"),
        ("digits.yaml", "a: " + "9" * 5000, "invalid-yaml", 1, 4, "quotes"),
        ("merge.yaml", "a: {<<: 3}\n", "invalid-yaml", 1, 9, "mapping"),
        ("twice.yaml", "200: a\nb: {}\n'200': c\n", "duplicate-key", 3, 1, "Keep one"),
        ("unknown.yaml", "a: *b\n", "invalid-yaml", 1, 4, "&b"),
        ("circle.yaml", "a: &a\n  - *a\n", "invalid-yaml", 2, 5, "circle"),
        ("circle-merge.yaml", "a: &a {<<: *a}\n", "invalid-yaml", 1, 12, "circle"),
        ("bomb.yaml", BOMB, "input-limit", None, None, "aliases"),
        ("long.yaml", FEW_BUT_LONG, "input-limit", 2, None, "aliases"),
        ("deep.yaml", "- " * 300 + "x", "input-limit", 1, 401, "Flatten"),
        ("huge.yaml", "[" * 5_000_000, "input-limit", 1, None, "Flatten"),
    ],
)
@pytest.mark.usefixtures("loader")
def test_bad_text_is_refused_where_it_stands(
    name: str, text: str, rule: str, line: int | None, column: int | None, help: str
) -> None:
    diagnostic = refused(text, name)
    assert diagnostic.rule == rule
    assert help in diagnostic.help
    found = place(diagnostic)
    assert found[0] == (line or found[0])
    assert found[1] == (column or found[1])
    assert min(found) >= 1


@pytest.mark.parametrize("depth", [1, 200])
def test_nesting_up_to_the_limit_is_read(depth: int) -> None:
    text = "[" * depth + "]" * depth
    assert documents.parse(text, "x.json") == documents.parse(text, "x.yaml")


# JSON whose text YAML can hold: no control characters, nothing that only YAML takes for a line break.
PLAIN = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Zl", "Zp"), exclude_characters="\ufeff\ufffe\uffff")
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | PLAIN,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(PLAIN, inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(VALUES)
def test_json_is_read_as_it_was_written(value: Any) -> None:
    assert documents.parse(json.dumps(value), "x.json") == value
    assert documents.parse(json.dumps(value, ensure_ascii=False), "x.json") == value


@settings(deadline=None)
@given(VALUES)
def test_json_is_yaml_too(value: Any) -> None:
    assert documents.parse(json.dumps([value], ensure_ascii=False, indent=1), "x.yaml") == [value]


def test_public_descriptions_are_read_as_the_standard_library_reads_them(shared: Path) -> None:
    path = shared / "corpus/openapi/digitalocean.json"
    document = documents.read(path, "digitalocean.json")
    assert document.data == json.loads(path.read_bytes())
    assert document.format == "json"
    assert documents.parse(path.read_text(), "same.yaml") == document.data


@pytest.mark.parametrize(
    ("name", "text", "format"),
    [("a.JSON", "a: 1", "json"), ("a.yml", "{}", "yaml"), ("a", " [1]", "json"), ("a.txt", "a: [1]", "yaml")],
)
def test_the_ending_decides_the_format_then_the_first_sign(name: str, text: str, format: str) -> None:
    assert documents.recognise(name, text) == format


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks_and_line_ends(tmp_path: Path, encoding: str) -> None:
    data = "name: Größe 😀\r\nitems:\r- a\n".encode(encoding)
    (tmp_path / "a.yaml").write_bytes(data)
    document = documents.read(tmp_path / "a.yaml", "a.yaml")
    assert document.data == {"name": "Größe 😀", "items": ["a"]}
    assert document.text == "name: Größe 😀\nitems:\n- a\n"
    assert document.digest == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize(
    ("data", "line", "column"),
    [
        ("a: 1\nb: 'é".encode("latin-1"), 2, 5),
        (b"\x89PNG\r\n\x1a\n", 1, 1),
        (b"a: b\nc\0d", 2, 2),
        ('{"a": 1}'.encode("utf-16-le"), 1, 2),
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, data: bytes, line: int, column: int) -> None:
    (tmp_path / "a.yaml").write_bytes(data)
    with pytest.raises(UserError) as caught:
        documents.read(tmp_path / "a.yaml", "sub/a.yaml")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.rule == "unreadable-file"
    assert place(diagnostic) == (line, column)
    assert "sub/a.yaml" in diagnostic.message


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "a.json").open("wb") as handle:
        handle.truncate(documents.LARGEST + 1)
    with pytest.raises(UserError, match="larger than 64 MB"):
        documents.read(tmp_path / "a.json", "a.json")


@pytest.mark.parametrize(
    ("shown", "help"),
    [
        ("specs/gihub.json", "Did you mean specs/github.json?"),
        ("specs/GITHUB.JSON", "Did you mean specs/github.json?"),
        ("spec/github.json", "Did you mean specs?"),
        ("../other/x.json", "Did you mean"),
        ("specs/zzz.json", "That folder has: github.json."),
        ("zzz/zzz.json", "The folder zzz does not exist."),
        ("specs/github.json/x", "Check the path."),
    ],
)
def test_a_missing_file_names_the_nearest(tmp_path: Path, shown: str, help: str) -> None:
    (tmp_path / "others").mkdir()
    specs = tmp_path / "work" / "specs"
    specs.mkdir(parents=True)
    (specs / "github.json").write_text("{}")
    with pytest.raises(UserError) as caught:
        documents.read(tmp_path / "work" / shown, shown)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.rule == "missing-file"
    assert help in diagnostic.help
    assert str(tmp_path) not in diagnostic.message + diagnostic.help


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        documents.read(tmp_path, "specs")
    assert caught.value.diagnostics[0].rule == "unreadable-file"
    assert caught.value.diagnostics[0].help == "Name a file in it."


def test_display_is_relative_to_the_root(tmp_path: Path) -> None:
    assert documents.display(tmp_path / "a" / "b.json", tmp_path) == "a/b.json"
    assert documents.display(tmp_path / "x.json", tmp_path / "a") == "../x.json"
    assert documents.display(tmp_path / "a" / ".." / "x.json", tmp_path) == "x.json"
