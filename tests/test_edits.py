"""Edits change what they name and nothing around it."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from toolc import documents, edits
from toolc.diagnostics import Edit
from toolc.documents import Format
from toolc.edits.difference import unified
from toolc.ir import Origin

YAML = """\
# the tools
tools:
  - name: a   # first
    description: |
      Say <b>hello</b>.

      Twice.
    # about the input
    input: {type: object, title: A, properties: {x: {type: string}}}
  # the second
  - description: "Go."
    name: 'b'
    input: &shared
      type: object
      # noise
      $schema: http://x
      properties: {}
  - name: c
    description: *go
"""


def edit(pointer: str, *value: Any) -> Edit:
    return Edit(Origin("f", pointer), value[0]) if value else Edit(Origin("f", pointer), remove=True)


CASES: list[tuple[str, Format, str, list[Edit], str]] = [
    ("the first of an object", "json", '{"a": 1, "b": 2}', [edit("/a")], '{"b": 2}'),
    ("the last of an object", "json", '{"a": 1, "b": 2}', [edit("/b")], '{"a": 1}'),
    ("all of an object", "json", '{"o": {"a": 1, "b": 2}}', [edit("/o/a"), edit("/o/b")], '{"o": {}}'),
    ("over lines", "json", '{\n  "a": 1,\n  "b": [\n    2\n  ]\n}\n', [edit("/b")], '{\n  "a": 1\n}\n'),
    ("entries of an array", "json", '{"l": [1, 2, 3, 4]}', [edit("/l/1"), edit("/l/3")], '{"l": [1, 3]}'),
    ("a text", "json", '{"a": "old", "b": 2}', [edit("/a", 'n"w')], '{"a": "n\\"w", "b": 2}'),
    ("a text beside others than ASCII", "json", '{"a": "ö"}', [edit("/a", "ü")], '{"a": "ü"}'),
    (
        "a key that is missing", "json", '{\n  "a": 1\n}',
        [edit("/b", {"c": 2})],
        '{\n  "a": 1,\n  "b": {\n    "c": 2\n  }\n}',
    ),
    ("a key in an empty object", "json", '{"o": {}}', [edit("/o/b", True)], '{"o": {"b": true}}'),
    (
        "comments in JSON, as editors allow them", "json",
        '// all\n{"a": 1, // of a\n "b": 2, /* of c */ "c": 3, // end\n}\n',
        [edit("/b"), edit("/a", 4)],
        '// all\n{"a": 4, // of a\n   /* of c */ "c": 3, // end\n}\n',
    ),
    ("the last before a comma", "json", '{"a": 1, /* of b */ "b": 2, }', [edit("/b")], '{"a": 1 /* of b */  , }'),
    (
        "a comment behind the sign of a block text", "yaml", "a: >-  # why\n  old\n  text\nb: |  # how\n  x\n",
        [edit("/a", "new"), edit("/b", "y\n")],
        "a: >-  # why\n  new\nb: |  # how\n  y\n",
    ),
    (
        "comments above neighbours that go", "yaml", "a: 1\n# of b\nb: 2\n# of c\nc: 3\n# of d\nd: 4\n",
        [edit("/b"), edit("/c")],
        "a: 1\n# of b\n# of c\n# of d\nd: 4\n",
    ),
    (
        "a comment behind the key of what goes", "yaml", "a:  # of a\n  b: 1\nc: 2\n",
        [edit("/a/b")],
        "a: {}  # of a\nc: 2\n",
    ),
    ("the outer of two", "json", '{"a": {"b": 1}, "c": 2}', [edit("/a/b", 3), edit("/a")], '{"c": 2}'),
    ("escaped keys", "json", '{"a/b": {"~c": 1}}', [edit("/a~1b/~0c", 2)], '{"a/b": {"~c": 2}}'),
    ("a line of YAML", "yaml", "a: 1\n# b\nb: 2 # two\nc: 3\n", [edit("/b")], "a: 1\n# b\nc: 3\n"),
    ("before a comment", "yaml", "a: 1\n# of b\nb: 2\n", [edit("/a")], "# of b\nb: 2\n"),
    ("a block of YAML", "yaml", "a:\n  x: 1\n\n# of b\nb: 2\n", [edit("/a")], "\n# of b\nb: 2\n"),
    ("behind a dash", "yaml", "- a: 1\n  b: 2\n", [edit("/0/a")], "- b: 2\n"),
    ("all of a block", "yaml", "a:\n  x: 1\nb: 2\n", [edit("/a/x")], "a: {}\nb: 2\n"),
    ("an entry of a list", "yaml", "l:\n  - 1\n  - 2 # two\n  - 3\n", [edit("/l/1")], "l:\n  - 1\n  - 3\n"),
    ("in flow", "yaml", "a: {x: 1, y: [1, 2]} # c\n", [edit("/a/x"), edit("/a/y/0")], "a: {y: [2]} # c\n"),
    ("plain text", "yaml", "a: old text # c\n", [edit("/a", "new text")], "a: new text # c\n"),
    ("plain text that no longer is", "yaml", "a: old\n", [edit("/a", "no: yes")], 'a: "no: yes"\n'),
    ("a quoted text", "yaml", "a: 'it''s' # c\n", [edit("/a", "that's")], "a: 'that''s' # c\n"),
    (
        "a block text", "yaml", "a: |\n    one\n    two\n\nb: 2\n",
        [edit("/a", "1\n\n2\n")],
        "a: |\n    1\n\n    2\n\nb: 2\n",
    ),
    ("a folded text", "yaml", "a: >-\n  one\n  two\nb: 2\n", [edit("/a", "1 2")], "a: >-\n  1 2\nb: 2\n"),
    ("an anchored text", "yaml", "a: &x old\nb: 1\n", [edit("/a", "new")], "a: &x new\nb: 1\n"),
    ("an alias", "yaml", "a: &x old\nb: *x\n", [edit("/b", "new")], "a: &x old\nb: new\n"),
    (
        "a key that is missing in a block", "yaml", "a:\n  x: 1 # c\nb: 2\n",
        [edit("/a/y", "z")],
        "a:\n  x: 1 # c\n  y: z\nb: 2\n",
    ),
    (
        "a path that is missing", "yaml", "s:\n  g: {type: x}\n",
        [edit("/s/g/o/a~1b/d", "t")],
        's:\n  g: {type: x, "o": {"a/b": {"d": "t"}}}\n',
    ),
    (
        "a path in a block", "yaml", "s:\n  g:\n    type: x\n",
        [edit("/s/g/o/i~1c/d", "t")],
        "s:\n  g:\n    type: x\n    o:\n      i/c:\n        d: t\n",
    ),
    ("where nothing stands", "yaml", "a:\nb: 2\n", [edit("/a/x", 1)], "a:\n  x: 1\nb: 2\n"),
    ("without a line end", "yaml", "a: 1", [edit("/b", 2)], "a: 1\nb: 2\n"),
]  # fmt: skip


@pytest.mark.parametrize(("format", "text", "wanted", "expected"), [pytest.param(*c[1:], id=c[0]) for c in CASES])
def test_an_edit(format: Format, text: str, wanted: list[Edit], expected: str) -> None:
    changed, _ = edits.apply(text, format, wanted)
    assert changed == expected


@pytest.mark.parametrize(
    ("format", "text", "wanted"),
    [
        pytest.param("yaml", "a: &x {b: 1}\nc: *x\n", edit("/a"), id="an anchor that is still needed"),
        pytest.param("yaml", "a: &x old\nb: *x\n", edit("/a", "new"), id="a text that stands elsewhere too"),
        pytest.param("json", '{"a": 1}', edit("/b"), id="a key that is not there"),
        pytest.param("json", '{"a": 1}', edit("/a/b", 1), id="below a number"),
        pytest.param("json", '{"a": [1]}', edit("/a/3"), id="an entry that is not there"),
        pytest.param("json", "{broken", edit("/a"), id="a broken text"),
    ],
)
def test_what_cannot_be_done_is_left_alone(format: Format, text: str, wanted: Edit) -> None:
    assert edits.apply(text, format, [wanted]) == (text, [])


def test_what_can_be_done_is_done_beside_what_cannot() -> None:
    wanted = [edit("/tools/0/input/title"), edit("/gone"), edit("/tools/0/description", "Say hello.\n\nTwice.\n")]
    text = YAML.replace("*go", "Go on.")
    changed, made = edits.apply(text, "yaml", wanted)
    assert {e.origin.pointer for e in made} == {"/tools/0/input/title", "/tools/0/description"}
    assert changed == text.replace("title: A, ", "").replace("<b>hello</b>", "hello")


def test_a_text_is_rewritten_as_it_stands() -> None:
    shout = Edit(Origin("f", "/a"), "never used", rewrite=str.upper)
    again = Edit(Origin("f", "/b"), rewrite=str.upper)
    missing = Edit(Origin("f", "/c"), rewrite=str.upper)
    assert edits.apply("a: x\nb: Y\n", "yaml", [shout, again, missing]) == ("a: X\nb: Y\n", [shout])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from("abc"), max_size=30), st.lists(st.sampled_from("abcxy"), max_size=30))
def test_a_diff_makes_the_new_text_of_the_old(old: list[str], new: list[str]) -> None:
    before, after = "".join(f"{line}\n" for line in old), "".join(f"{line}\n" for line in new)
    lines = unified(before, after, "f").split("\n")[2:-1]
    made: list[str] = []
    at = 0
    for line in lines:
        if line.startswith("@@"):
            start, count = map(int, line.split()[1][1:].split(","))
            first = start - 1 if count else start
            made += old[at:first]
            at = first
        elif line[0] == "+":
            made.append(line[1:])
        else:
            assert old[at] == line[1:]
            at += 1
            made += [line[1:]] * (line[0] == " ")
    assert made + old[at:] == new


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text("ab: #'\"-\n\\{[&*é\t", max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc-/~ :", max_size=4), inner, max_size=4),
    max_leaves=12,
)


@st.composite
def documents_with_edits(draw: st.DrawFn) -> tuple[Any, list[Edit]]:
    data = draw(st.dictionaries(st.text("abc", min_size=1, max_size=3), VALUES, min_size=1, max_size=4))
    places: list[Origin] = []
    stack: list[tuple[Any, Origin]] = [(data, Origin("f"))]
    while stack:
        value, origin = stack.pop()
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, inner in items:
            places.append(origin.at(key))
            stack.append((inner, origin.at(key)))
    chosen = draw(st.lists(st.sampled_from(places), min_size=1, max_size=4, unique=True))
    return data, [Edit(place, draw(VALUES), draw(st.booleans())) for place in chosen]


def expected(data: Any, wanted: list[Edit]) -> Any:
    """The data after the edits, by the plainest means."""
    gone = object()
    result = json.loads(json.dumps(data))
    paths = {e.origin.pointer: e for e in wanted}
    for pointer, e in paths.items():
        if any(pointer.startswith(other + "/") for other in paths):
            continue
        *above, last = [key.replace("~1", "/").replace("~0", "~") for key in pointer.split("/")[1:]]
        holder = result
        for key in above:
            holder = holder[int(key)] if isinstance(holder, list) else holder[key]
        holder[int(last) if isinstance(holder, list) else last] = gone if e.remove else e.value

    def clean(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: clean(inner) for key, inner in value.items() if inner is not gone}
        return [clean(inner) for inner in value if inner is not gone] if isinstance(value, list) else value

    return clean(result)


@settings(max_examples=150, deadline=None)
@given(documents_with_edits(), st.sampled_from([None, 1, 2, "\t"]))
def test_any_edits_of_any_json(case: tuple[Any, list[Edit]], indent: int | str | None) -> None:
    data, wanted = case
    changed, _ = edits.apply(json.dumps(data, indent=indent), "json", wanted)
    assert json.loads(changed) == expected(data, wanted)


@settings(max_examples=150, deadline=None)
@given(documents_with_edits(), st.sampled_from([False, True, None]))
def test_any_edits_of_any_yaml(case: tuple[Any, list[Edit]], flow: bool | None) -> None:
    data, wanted = case
    text = yaml.safe_dump(data, default_flow_style=flow, allow_unicode=True, sort_keys=False)
    if "&id" in text or documents.parse(text, "f.yaml") != data:
        return
    changed, made = edits.apply(text, "yaml", wanted)
    assert documents.parse(changed, "f.yaml") == expected(data, made)
    if "? " not in text:  # keys in the long form are left alone
        assert documents.parse(changed, "f.yaml") == expected(data, wanted)
