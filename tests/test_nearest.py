"""What a refused call may have meant."""

import pytest

from toolc.dispatch import Dispatcher, Refusal
from toolc.ir import Case, Dispatch, Opaque, Operation, Origin, Tool
from toolc.lexicon import lexicon
from toolc.nearest import _GROUPS, nearest


@pytest.mark.parametrize(
    ("said", "known", "meant"),
    [
        ("remove", ["rename", "delete", "get"], "delete"),
        ("edit", ["get", "update", "exit"], "update"),
        ("find", ["list", "search", "bind"], "search"),
        ("remove_label", ["remove", "delete_labels", "add_labels"], "delete_labels"),
        ("updat", ["update", "create"], "update"),
        ("issueNumber", ["issue_number", "number"], "issue_number"),
        ("memory_id", ["id", "content"], "id"),
        ("colour", ["id", "content"], ""),
        ("", ["a"], ""),
    ],
)
def test_nearest(said: str, known: list[str], meant: str) -> None:
    assert nearest(said, known) == meant


def test_the_words_of_crud_verbs_are_those_of_the_lexicon() -> None:
    known = lexicon()
    for word, verb in known.verbs.items():
        if verb.order < 7 and len(word) == 1:
            assert _GROUPS[word[0]] & _GROUPS[verb.name], f"{word[0]} should stand for {verb.name}"


def test_every_problem_of_a_call_is_told_at_once() -> None:
    schema = {
        "type": "object",
        "properties": {"id": {"type": "integer"}, "title": {"type": "string"}, "size": {"type": "integer"}},
        "required": ["id"],
        "additionalProperties": False,
    }
    operation = Operation("s:update", "update", "Update.", schema, Opaque(), Origin("t.yaml"))
    shown = {"type": "object", "properties": {"action": {"enum": ["update"]}, **schema["properties"]}}  # type: ignore[dict-item]
    tool = Tool("x", "x", shown, Dispatch(("action",), (Case({"action": "update"}, "s:update"),)), ())
    dispatcher = Dispatcher([tool], {"s:update": operation})
    refusal = dispatcher.resolve("x", {"action": "update", "name": "a", "size": "big"})
    assert isinstance(refusal, Refusal)
    assert len(refusal.problems) == 3
    assert refusal.problems[0] == "`name` is not known by update. Did you mean `title`?"
    assert refusal.problems[1:] != refusal.problems[:2]
    assert any("`id` is required for update" in problem for problem in refusal.problems)
    assert any("`size`" in problem for problem in refusal.problems)
    wrong = dispatcher.resolve("x", {"action": "edit", "identifier": 1})
    assert isinstance(wrong, Refusal)
    assert wrong.problems == (
        "`action` cannot be `edit`. Did you mean `update`? Allowed: update.",
        "`identifier` is not known by any action. Did you mean `id`?",
    )


def test_a_problem_that_several_parts_of_a_schema_have_is_told_once() -> None:
    parts = [{"type": "object"}, {"type": "object", "properties": {"a": {}}}]
    schema = {"type": "object", "properties": {"data": {"allOf": parts}}}
    operation = Operation("s:x", "x", "", schema, Opaque(), Origin("t.yaml"))
    tool = Tool("x", "x", schema, Dispatch((), (Case({}, "s:x"),)), ())
    refusal = Dispatcher([tool], {"s:x": operation}).resolve("x", {"data": 1})
    assert isinstance(refusal, Refusal)
    assert len(refusal.problems) == 1


OBJECT = {"type": "object", "properties": {"id": {"type": "string"}}, "additionalProperties": False}


def catalog() -> Dispatcher:
    """`note_write` (create, update; its `id` of update is called `update_id`) and `note_delete` (delete)."""
    operations = {
        f"s:{verb}Note": Operation(f"s:{verb}Note", f"{verb}Note", "", OBJECT, Opaque(), Origin("t.yaml"))
        for verb in ("create", "update", "delete")
    }

    def tool(name: str, **cases: dict[str, str]) -> Tool:
        names = {merged for args in cases.values() for merged in args} | {"id"}
        schema = {
            "type": "object",
            "properties": {"action": {"enum": list(cases)}, **{key: {"type": "string"} for key in sorted(names)}},
        }
        found = tuple(Case({"action": verb}, f"s:{verb}Note", args) for verb, args in cases.items())
        return Tool(name, "", schema, Dispatch(("action",), found), ())

    return Dispatcher(
        [tool("note_write", create={}, update={"update_id": "id"}), tool("note_delete", delete={})], operations
    )


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("note_write", {"action": "createNote"}, "Did you mean `create`?"),
        ("note_write", {"action": "create_note"}, "Did you mean `create`?"),
        ("note_write", {"action": "delete"}, "`note_delete` has that action."),
        ("note_write", {"Action": "create"}, "`Action` is not known. Did you mean `action`?"),
        ("note_write", {"command": "create"}, "`command` is not known. Did you mean `action`?"),
        ("note_write", {"action": "update", "id": "1"}, "`id` is called `update_id` for update."),
        ("note", {"action": "delete", "id": "1"}, "Did you mean `note_delete`?"),
        ("notes", {"action": "create", "id": "1"}, "Did you mean `note_write`?"),
    ],
)
def test_a_refusal_names_what_was_meant(name: str, arguments: dict[str, str], said: str) -> None:
    refusal = catalog().resolve(name, arguments)
    assert isinstance(refusal, Refusal)
    assert said in refusal.message
