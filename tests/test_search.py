"""Finding tools by words: the index, the words that stand for others, and what search.json holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from toolc import resources
from toolc.cli import run
from toolc.lexicon import lexicon
from toolc.runtime import Bundle
from toolc.runtime.search import Index
from toolc.thesaurus import Thesaurus, abbreviations, thesaurus


def found(index: Index, query: str) -> list[str]:
    return [name for name, _ in index.search(query, 10)]


def document(name: str, stub: str = "", **others: Any) -> dict[str, Any]:
    return {"name": name, "stub": f"{name}: {stub}" if stub else name, **others}


PAGES = [
    document("page_read", "Get a page", parameters=["slug"]),
    document("repo_read", "Get a repo", synonyms=["repository", "fetch"]),
    document("mind_map", "Draw a plan", old_names=["draw/plan"]),
    document("地图", "根据地址查询地图"),
]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("pages", ["page_read"]),  # plural
        ("repository", ["repo_read"]),  # a synonym
        ("slug", ["page_read"]),  # a parameter
        ("mindmap", ["mind_map"]),  # words of a name written as one
        ("the repo please", ["repo_read"]),  # words that say nothing are passed over
        ("查询地址", ["地图"]),  # a script without spaces
        ("zebra", []),
        ("", []),
    ],
)
def test_what_a_tool_is_found_by(query: str, expected: list[str]) -> None:
    assert found(Index(PAGES), query) == expected


def test_a_word_of_the_stub_weighs_more_than_a_synonym_and_that_more_than_a_parameter() -> None:
    index = Index(
        [
            document("c", "Store a thing", parameters=["invoice"]),
            document("b", "Store a thing", synonyms=["invoice"]),
            document("a", "Store an invoice"),
        ]
    )
    assert found(index, "invoice") == ["a", "b", "c"]


def test_a_query_of_empty_words_only_is_still_asked() -> None:
    assert found(Index([document("about_us", "Say who we are")]), "about us") == ["about_us"]


def test_others_of_a_name() -> None:
    words = thesaurus().others(["list_pull_requests"])
    assert {"pr", "merge", "enumerate"} <= set(words)
    assert not {"list", "pull", "request", "requests"} & set(words)
    assert len(words) == len(set(words))


def test_a_phrase_counts_only_as_a_whole() -> None:
    assert "pr" not in thesaurus().others(["pull the lever on request"])


def test_a_verb_is_found_by_its_synonyms_and_by_what_it_stands_for() -> None:
    # verbs.yaml: delete has the synonym erase, and remove is near delete
    assert {"erase", "remove"} <= set(thesaurus().others(["delete_note"]))
    assert "delete" in thesaurus().others(["remove_note"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Lists Service Level Objectives (SLOs).", [(("slo",), ("service", "level", "objectives"))]),
        ("An open pull request (PR), or a PR (PR)", [(("pr",), ("pull", "request"))]),
        ("Uses the API (GET) or a token (see RFC 6750)", []),
        ("(AB)", []),
    ],
)
def test_abbreviations_that_a_text_explains(text: str, expected: list[Any]) -> None:
    assert abbreviations([text]) == expected


def test_a_catalog_adds_its_own_abbreviations_and_leaves_the_shipped_ones_alone() -> None:
    mine = Thesaurus([[("car",), ("auto",)]], lexicon())
    more = mine.extended([(("brq",), ("bulk", "retrieval", "queue"))])
    assert more.others(["brq cars"]) == ["bulk", "retrieval", "queue", "auto"]
    assert more.others(["Bulk_Retrieval_Queue"]) == ["brq"]
    assert mine.others(["brq"]) == []


def test_the_shipped_sets_are_sets_of_words() -> None:
    data = yaml.safe_load((resources.data("catalogs") / "synonyms.yaml").read_text(encoding="utf-8"))
    for phrases in data["sets"]:
        # YAML reads a bare `no` as false
        assert all(isinstance(phrase, str) and phrase == phrase.lower() for phrase in phrases), phrases
        assert len(set(phrases)) == len(phrases) > 1, phrases


def test_a_merged_operation_is_found_by_its_old_name_and_by_other_words(tmp_path: Path) -> None:
    repo = {"type": "string", "description": "Where the tickets are kept, as owner and name with a slash between them."}
    tools = [
        {
            "name": name,
            "description": text,
            "inputSchema": {"type": "object", "properties": {"repo": repo}},
        }
        for name, text in (
            ("fetch_ticket", "Get one ticket by number."),
            ("enumerate_tickets", "List the tickets of a repo, by Estimated Handling Effort (EHE)."),
            ("paint_wall", "Paint a wall."),
        )
    ]
    (tmp_path / "list.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")
    (tmp_path / "toolc.yaml").write_text(
        "{version: 1, name: t, sources: {s: {type: mcp, path: list.json}}}", encoding="utf-8"
    )
    assert run(["build", str(tmp_path / "toolc.yaml")]) == 0
    bundle = Bundle.load(tmp_path / "bundle")
    home = {operation: tool.name for tool in bundle.catalog.tools for operation in tool.operations}
    assert home["s:fetch_ticket"] == home["s:enumerate_tickets"] == "ticket_read"
    for query in ("fetch", "enumerate tickets", "bug", "repository"):
        assert bundle.search(query)[0][0] == "ticket_read", query


def test_what_a_description_says_beyond_the_stub_finds_the_tool_too() -> None:
    index = Index([document("b", "Set a status", words="snooze disturb"), document("a", "Set a status")])
    assert [name for name, _ in index.search("do not disturb", 5)] == ["b"]
