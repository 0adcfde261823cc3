"""The selector grammar, on ids as real specs have them."""

from __future__ import annotations

import time

import pytest

from toolc.diagnostics import Report
from toolc.ir import Hint, Hints, HttpCall, Opaque, Operation, Origin
from toolc.select import Selector, choose, select

READ = Hints(read_only=Hint(True))
WRITE = Hints(read_only=Hint(False), destructive=Hint(False))
DESTRUCTIVE = Hints(destructive=Hint(True))


def operation(key: str, method: str = "", path: str = "", **extra: object) -> Operation:
    call = HttpCall(method, path) if method else Opaque()
    name = key.partition(":")[2]
    return Operation(key, name, "", {"type": "object"}, call, Origin("a.json"), **extra)  # type: ignore[arg-type]


POOL = (
    operation("github:issues/list", "GET", "/repos/{owner}/issues", tags=("issues",), hints=READ),
    operation("github:issues/create", "post", "/repos/{owner}/issues", tags=("issues",), hints=WRITE),
    operation("github:repos/delete", "DELETE", "/repos/{owner}", tags=("repos",), hints=DESTRUCTIVE),
    operation("github:repos/old", "GET", "/old", tags=("repos", "legacy"), hints=READ, deprecated=True),
    operation("github:get /a/{x}/c", "GET", "/a/{x}/c", hints=READ),
    operation("github:get /a/{x}/cd", "GET", "/a/{x}/cd", hints=READ),
    operation("core:filter[state]", hints=READ),
    operation("core:filters", hints=READ),
    operation("core:run it"),
    operation("core:admin:purge", hints=DESTRUCTIVE),
)


def names(*entries: str, source: str | None = None) -> list[str]:
    pool = [item for item in POOL if source is None or item.source == source]
    selection = select(pool, entries, source=source)
    assert not selection.invalid
    return [key.removeprefix("github:") for key in selection.ids]


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        (["github:issues/*"], ["issues/list", "issues/create"]),
        # The order is that of the operations, never that of the entries; naming one twice changes nothing.
        (["github:repos/delete", "tag:issues", "*issues*"], ["issues/list", "issues/create", "repos/delete"]),
        (["tag:repos", "!deprecated"], ["repos/delete"]),
        (["!github:*", "!core:*"], []),
        (["!effect:read", "!core:*"], ["issues/create", "repos/delete"]),
        (["effect:destructive"], ["repos/delete", "core:admin:purge"]),
        (["effect:unknown"], ["core:run it"]),
        (["effect:write"], ["issues/create"]),
        (["method:get", "!deprecated", "!*/c*"], ["issues/list"]),
        (["method:Post"], ["issues/create"]),
        (["path:/repos/*"], ["issues/list", "issues/create", "repos/delete"]),
        (["path:/repos/{owner}"], ["repos/delete"]),
        (["github:get /a/{x}/c"], ["get /a/{x}/c"]),
        (["github:get /a/{x}/c?"], ["get /a/{x}/cd"]),
        (["core:filter[state]"], ["core:filter[state]"]),
        (["core:filter[st*"], ["core:filter[state]"]),
        (["core:run it"], ["core:run it"]),
        (["tag:leg?cy"], ["repos/old"]),
        (["deprecated"], ["repos/old"]),
    ],
)
def test_entries(entries: list[str], expected: list[str]) -> None:
    assert names(*entries) == expected


def test_inside_a_source_its_name_may_be_left_out() -> None:
    assert names("issues/list", source="github") == ["issues/list"]
    assert names("github:issues/list", source="github") == ["issues/list"]
    assert names("admin:*", source="core") == ["core:admin:purge"]


def test_case_matters_except_in_methods() -> None:
    assert select(POOL, ["tag:Issues"]).ids == ()
    assert select(POOL, ["github:Issues/list"]).ids == ()


def test_no_plain_entry_means_everything() -> None:
    assert select(POOL, []).ids == tuple(item.id for item in POOL)
    assert len(select(POOL, ["!tag:issues"]).ids) == len(POOL) - 2


def test_a_plain_entry_without_a_match_is_told_with_what_would_match() -> None:
    selection = select(POOL, ["github:isues/list", "tag:isues", "issues/list", "!github:nothing", "method:gett"])
    assert [(miss.index, miss.near[0]) for miss in selection.unmatched] == [
        (0, "github:issues/list"),
        (1, "tag:issues"),
        (2, "github:issues/list"),
        (4, "method:GET"),
    ]
    assert selection.ids == ()


def test_an_entry_that_takes_nothing_away_is_told_if_it_names_one_operation() -> None:
    operations = [operation("a:get_note"), operation("a:drop_note")]
    found = select(operations, ["!a:drop_nite", "!*zebra*", "!deprecated", "!tag:x", "!a:get_note"])
    assert [(miss.entry, miss.near) for miss in found.idle] == [("!a:drop_nite", ("a:drop_note",))]
    assert found.ids == ("a:drop_note",)


def test_a_misspelt_keyword_or_source_is_named() -> None:
    operations = [operation("gith:get_note")]
    assert select(operations, ["efect:read"]).unmatched[0].near == ("effect:read",)
    assert select(operations, ["gitt:get_note"]).unmatched[0].near == ("gith:get_note",)


def test_an_invalid_entry_selects_nothing() -> None:
    selection = select(POOL, ["effect:raed"])
    assert selection.ids == ()
    assert "did you mean `read`" in selection.invalid[0]
    assert set(select(POOL, ["", "!", "tag:", "deprecated:yes", "effect:x"]).invalid) == {0, 1, 2, 3, 4}


def test_findings_stand_where_the_entry_stands() -> None:
    report = Report()
    place = Origin("toolc.yaml", "/sources/github/select")
    selector = Selector.from_data(["issues/list", "issues/lst"], place, report)
    assert selector is not None
    assert not report.diagnostics
    github = [item for item in POOL if item.source == "github"]
    assert choose(github, selector, report, source="github") == ("github:issues/list",)
    (finding,) = report.diagnostics
    assert finding.origin == place.at(1)
    assert "did you mean `issues/list`" in finding.message


def test_what_can_never_match_is_found_without_operations() -> None:
    report = Report()
    assert Selector.from_data(["effect:all", "x"], Origin("t", "/always"), report) is None
    assert [finding.origin for finding in report.diagnostics] == [Origin("t", "/always/0")]


def test_no_glob_takes_more_than_linear_time() -> None:
    pool = [operation("s:" + "a" * 5000 + str(number)) for number in range(20)]
    started = time.process_time()
    assert select(pool, ["s:" + "*a" * 30 + "*b"]).ids == ()
    assert time.process_time() - started < 1
