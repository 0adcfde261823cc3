"""Texts of parameters that tools of a namespace share: said once, where the model reads them, and lost nowhere."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from toolc.cli import run
from toolc.hoisting import INTRODUCTION, hoist
from toolc.ir import Case, Dispatch, Origin, Tool
from toolc.limits import Fitted

OWNER = "The account that owns the repository, in lower case."
REPO = "The name of the repository without the ending .git."


def fitted(name: str, actions: tuple[str, ...] = (), **texts: str) -> Fitted:
    """A tool whose parameters have these texts; `` is a parameter without one."""
    properties: dict[str, Any] = {
        key: {"type": "string", **({"description": text} if text else {})} for key, text in texts.items()
    }
    if actions:
        properties = {"action": {"enum": list(actions), "description": OWNER}, **properties}
    cases = tuple(Case({"action": action}, f"s:{action}") for action in actions) or (Case({}, "s:x"),)
    dispatch = Dispatch(("action",) if actions else (), cases)
    schema = {"type": "object", "properties": properties}
    return Fitted(Tool(name, "", schema, dispatch, (Origin("s.json"),)), "", schema)


def texts(tool: Fitted) -> dict[str, str]:
    return {key: schema.get("description", "") for key, schema in tool.input_schema["properties"].items()}


def test_a_shared_text_stands_once_and_its_tools_keep_the_property() -> None:
    result = hoist([fitted("a", owner=OWNER), fitted("b", owner=OWNER, repo=REPO), fitted("c", repo=REPO)], 1024)
    assert result.text == f"{INTRODUCTION}\nowner: {OWNER}\nrepo: {REPO}"
    assert [texts(tool) for tool in result.tools] == [{"owner": ""}, {"owner": "", "repo": ""}, {"repo": ""}]
    assert all(schema == {"type": "string"} for t in result.tools for schema in t.input_schema["properties"].values())
    assert dict(result.taken) == {"a": ("owner",), "b": ("owner", "repo"), "c": ("repo",)}


def test_a_text_that_differs_stays() -> None:
    result = hoist([fitted("a", owner=OWNER), fitted("b", owner=OWNER), fitted("c", owner="Somebody else.")], 1024)
    assert [texts(tool)["owner"] for tool in result.tools] == ["", "", "Somebody else."]


def test_a_parameter_that_some_tool_leaves_unexplained_is_not_explained_for_it() -> None:
    tools = [fitted("a", owner=OWNER), fitted("b", owner=OWNER), fitted("c", owner="")]
    result = hoist(tools, 1024)
    assert (result.tools, result.text, result.taken) == (tuple(tools), "", ())


def test_what_a_text_says_of_actions_stays_with_its_tool() -> None:
    one = fitted("a", ("get", "list"), owner=f"{OWNER} Required: get.")
    other = fitted("b", ("create", "update"), owner=f"{OWNER} Required: update. Also: create.")
    third = fitted("c", ("get", "list"), owner=f"{OWNER} get.")
    result = hoist([one, other, third, fitted("d", owner=OWNER)], 1024)
    assert [texts(tool)["owner"] for tool in result.tools] == [
        "Required: get.",
        "Required: update. Also: create.",
        "get.",
        "",
    ]
    assert result.text.count(OWNER) == 1
    # the selector is each tool's own, even if it says the same
    assert all(texts(tool)["action"] == OWNER for tool in result.tools[:3])


@pytest.mark.parametrize("room", [0, 60, 100, 200])
def test_the_text_fits_the_room_and_no_more_is_cut(room: int) -> None:
    tools = [fitted(name, owner=OWNER, repo=REPO) for name in "abcd"]
    result = hoist(tools, room)
    assert len(result.text) <= room
    for name, text in (("owner", OWNER), ("repo", REPO)):
        said = result.text.count(text)
        assert all(texts(tool)[name] == ("" if said else text) for tool in result.tools)
        assert said == (name in {key for _, names in result.taken for key in names})


def test_nothing_is_hoisted_that_saves_nothing() -> None:
    tools = [fitted("a", page="Page."), fitted("b", page="Page.")]
    assert hoist(tools, 1024).tools == tuple(tools)


PATHS = {
    f"/repos/{{owner}}/{noun}": {
        "get": {
            "operationId": f"{noun}-list",
            "summary": f"List all {noun} of a repository.",
            "tags": ["repos"],
            "responses": {},
            "parameters": [
                {"name": "owner", "in": "path", "required": True, "description": OWNER, "schema": {"type": "string"}},
                {"name": noun, "in": "query", "description": f"Only {noun} like this.", "schema": {"type": "string"}},
            ],
        }
    }
    for noun in ("issues", "forks", "hooks")
}


def build(folder: Path, openai: dict[str, Any]) -> dict[str, str]:
    spec = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": PATHS}
    folder.mkdir()
    (folder / "api.json").write_text(json.dumps(spec), encoding="utf-8")
    others: dict[str, Any] = {name: {} for name in ("anthropic", "openai-chat", "gemini", "mcp", "pi")}
    config = {"version": 1, "name": "t", "sources": {"api": {"type": "openapi", "path": "api.json"}}}
    config |= {"targets": {"openai": openai, **others}, "consolidate": {"enabled": False}}
    (folder / "toolc.yaml").write_text(json.dumps(config), encoding="utf-8")
    assert run(["build", str(folder / "toolc.yaml")]) == 0
    out = folder / "bundle"
    return {
        path.relative_to(out).as_posix(): path.read_text(encoding="utf-8") for path in out.rglob("*") if path.is_file()
    }


def test_only_the_target_that_asks_changes_and_the_report_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = build(tmp_path / "plain", {})
    assert "hoisted" not in capsys.readouterr().out
    hoisted = build(tmp_path / "hoisted", {"hoist": True})
    assert {name for name in plain if plain[name] != hoisted[name]} == {"report.json", "targets/openai/tools.json"}
    (namespace,) = [entry for entry in json.loads(hoisted["targets/openai/tools.json"]) if entry["type"] == "namespace"]
    assert namespace["description"].count(OWNER) == 1
    assert OWNER not in json.dumps(namespace["tools"])
    assert all("Only" in json.dumps(tool) and "owner" in tool["parameters"]["required"] for tool in namespace["tools"])
    entry = json.loads(hoisted["report.json"])["targets"]["openai"]
    before = json.loads(plain["report.json"])["targets"]["openai"]
    assert entry["hoisting"]["label"] == "model-facing"
    assert entry["hoisting"]["tools"] == {f"{noun}-list": ["owner"] for noun in ("forks", "hooks", "issues")}
    assert entry["hoisting"]["saved"] == (before["loaded"] + before["deferred"]) - (entry["loaded"] + entry["deferred"])
    assert entry["hoisting"]["saved"] > 0
    assert before["hoisting"] == {}
    assert "3 parameter texts said once a group" in capsys.readouterr().out


def test_no_text_of_github_is_lost(tmp_path: Path, shared: Path) -> None:
    """Each text stands in its tool or, once, in the description of the namespace that holds the tool."""
    path = shared / "corpus/openapi/github.json"
    built = {}
    for hoisting in (False, True):
        folder = tmp_path / str(hoisting)
        folder.mkdir()
        (folder / "api.json").symlink_to(path)
        (folder / "toolc.yaml").write_text(
            "{version: 1, name: t, sources: {api: {type: openapi, path: api.json, "
            f'select: ["tag:repos", "tag:issues"]}}}}, targets: {{openai: {{hoist: {str(hoisting).lower()}}}}}}}',
            encoding="utf-8",
        )
        assert run(["build", str(folder / "toolc.yaml")]) == 0
        entries = json.loads((folder / "bundle/targets/openai/tools.json").read_text(encoding="utf-8"))
        built[hoisting] = [entry for entry in entries if entry["type"] == "namespace"]
    moved = 0
    for plain, cut in zip(built[False], built[True], strict=True):
        assert cut["description"].startswith(plain["description"])
        assert len(cut["description"]) <= 1024
        for before, after in zip(plain["tools"], cut["tools"], strict=True):
            for name, schema in before["parameters"]["properties"].items():
                now = after["parameters"]["properties"][name]
                assert {**now, "description": 0} == {**schema, "description": 0}
                said, left = schema.get("description", ""), now.get("description", "")
                if said != left:
                    moved += 1
                    text = said.removesuffix(left).strip()
                    lines = re.findall(rf"^{re.escape(name)}: {re.escape(text)}", cut["description"], re.M)
                    assert len(lines) == 1
    assert moved > 100
