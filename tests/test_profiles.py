"""Profiles hold nothing foreign and keep their names; permissions that merging changes are told."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from toolc.cli import run

SHOP = Path(__file__).parent.parent / "catalogs/shop-api/openapi.yaml"
HINTS = {
    "read": {"read_only": True},
    "write": {"read_only": False, "destructive": False},
    "destructive": {"destructive": True},
    "unknown": {},
}


def tool(name: str, effect: str, /, hints: Any = None, **properties: str) -> dict[str, Any]:
    """A tool with text parameters, each with its description; all are required."""
    takes = {key: {"type": "string", "description": text} for key, text in properties.items()}
    schema = {"type": "object", "properties": takes, "required": [*takes]}
    text = f"Runs the {name.replace('_', '-')} job of the ledger."
    return {"name": name, "description": text, "input": schema, "hints": HINTS[effect] | (hints or {})}


LEDGER = [
    tool("ledger_get", "read", id="Number of the ledger."),
    tool("ledger_create", "write", owner="Whose ledger it is."),
    tool("ledger_update", "write", id="Number of the ledger.", note="Remark for the books."),
    tool("ledger_purge", "destructive", id="Number of the ledger.", warrant="Order of the court."),
    tool("ledger_brew", "unknown", id="Number of the ledger."),  # no verb whose effect is known
    tool("bell", "read", tone="How it sounds."),
]


def project(folder: Path, tools: list[dict[str, Any]], **config: Any) -> Path:
    source = {"type": "tools", "path": "tools.json"} | config.pop("source", {})
    (folder / "tools.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")
    targets = {name: {} for name in ("anthropic", "openai", "openai-chat", "gemini", "mcp", "pi")}
    settings = {"version": 1, "name": "t", "sources": {"s": source}, "targets": targets, **config}
    (folder / "toolc.yaml").write_text(json.dumps(settings), encoding="utf-8")
    return folder / "toolc.yaml"


def load(folder: Path, path: str) -> Any:
    return json.loads((folder / "bundle" / path).read_text(encoding="utf-8"))


def tools_of(folder: Path, profile: str) -> dict[str, Any]:
    return {entry["name"]: entry for entry in load(folder, f"profiles/{profile}/bundle.json")["tools"]}


def texts(folder: Path) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file())


FAMILY = {"consolidate": {"families": {"ledger": ["s:ledger_*"]}}}


def test_enum_properties_and_text_shrink_and_nothing_foreign_is_left(tmp_path: Path) -> None:
    config = project(tmp_path, LEDGER, profiles={"clerk": {"select": ["s:ledger_*"], "max_effect": "write"}}, **FAMILY)
    assert run(["build", str(config)]) == 0
    whole = {entry["name"]: entry for entry in load(tmp_path, "bundle.json")["tools"]}
    enum = whole["ledger_write"]["input_schema"]["properties"]["action"]["enum"]
    assert {"create", "update", "purge"} <= set(enum)
    part = tools_of(tmp_path, "clerk")
    assert part.keys() == {"ledger_get", "ledger_write"}
    assert part["ledger_write"]["input_schema"]["properties"]["action"]["enum"] == ["create", "update"]
    assert part["ledger_write"]["input_schema"]["properties"].keys() == {"action", "owner", "id", "note"}
    said = texts(tmp_path / "bundle/profiles/clerk")
    for foreign in ("purge", "delete", "brew", "warrant", "court", "bell", "sounds"):
        assert foreign not in said, foreign
    proof = load(tmp_path, "profiles/clerk/report.json")["verification"]
    assert (proof["tools"], proof["proven"], proof["merged"]) == (2, 2, 1)
    assert run(["verify", "--bundle", str(tmp_path / "bundle/profiles/clerk")]) == 0


def test_a_call_means_the_same_in_every_profile_even_with_one_action_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = project(tmp_path, LEDGER, profiles={"opener": {"select": ["s:ledger_create"]}}, **FAMILY)
    assert run(["build", str(config)]) == 0
    part = tools_of(tmp_path, "opener")
    assert part["ledger_write"]["input_schema"]["properties"]["action"]["enum"] == ["create"]
    for bundle in ("bundle", "bundle/profiles/opener"):
        for call in (["ledger_write", '{"action": "create", "owner": "x"}'], ["ledger_create", '{"owner": "x"}']):
            capsys.readouterr()
            assert run(["resolve", *call, "--bundle", str(tmp_path / bundle)]) == 0
            assert json.loads(capsys.readouterr().out) == {"operation": "s:ledger_create", "arguments": {"owner": "x"}}
    assert run(["resolve", "ledger_write", '{"action": "update"}', "--bundle", str(tmp_path / "bundle")]) == 1
    assert run(["verify", "--bundle", str(tmp_path / "bundle/profiles/opener")]) == 0


def test_unknown_effects_are_left_out_under_every_limit_and_listed_in_the_whole_report(tmp_path: Path) -> None:
    profiles = {
        "all": {"max_effect": "destructive"},
        "reader": {"max_effect": "read"},
        "trusting": {"extends": "reader", "allow": ["s:ledger_brew", "s:ledger_purge"]},
    }
    config = project(tmp_path, LEDGER, profiles=profiles)
    assert run(["build", str(config)]) == 0
    entries = load(tmp_path, "report.json")["profiles"]
    assert entries["all"]["unknown_effect"] == ["s:ledger_brew"]
    assert entries["reader"]["above_max_effect"] == ["s:ledger_create", "s:ledger_purge", "s:ledger_update"]
    assert (entries["trusting"]["unknown_effect"], entries["trusting"]["operations"]) == ([], 4)
    assert "brew" not in texts(tmp_path / "bundle/profiles/all")


def test_profiles_extend_one_another_and_what_is_wrong_is_told_once_where_it_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profiles: dict[str, Any] = {
        "a": {"select": ["s:ledger_*"], "max_effect": "read"},
        "b": {"extends": "a", "allow": ["s:ledger_create"]},
        "c": {"extends": "b", "select": ["s:bell"], "max_effect": "write", "allow": ["!s:ledger_create"]},
    }
    config = project(tmp_path, LEDGER, profiles=profiles)
    assert run(["build", str(config)]) == 0
    held = {name: {o["id"] for o in load(tmp_path, f"profiles/{name}/bundle.json")["operations"]} for name in profiles}
    assert held["a"] == {"s:ledger_get"}
    assert held["b"] == {"s:ledger_get", "s:ledger_create"}
    assert held["c"] == {"s:ledger_get", "s:ledger_create", "s:ledger_update", "s:bell"}
    wrong = {
        "ring": ({"a": {"extends": "c"}, "b": {"extends": "a"}, "c": {"extends": "b"}, "d": {"extends": "a"}}, "cycle"),
        "self": ({"a": {"extends": "a"}}, "`a` extends itself: a → a"),
        "slip": ({"reader": {}, "b": {"extends": "raeder"}, "c": {"extends": "b"}}, "did you mean `reader`?"),
        "not": ({"a": {"max_effect": "read", "allow": ["!s:ledger_purge"]}}, "names nothing that it takes in"),
    }
    for faulty, words in wrong.values():
        project(tmp_path, LEDGER, profiles=faulty)
        capsys.readouterr()
        assert run(["build", str(config)]) == 2
        said = capsys.readouterr().err
        assert words in said
        assert said.count(": error ") == 1
        assert re.search(r"toolc\.yaml:1:\d+: error", said)


def test_a_profile_has_budgets_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profiles = {"small": {"select": ["s:bell"], "budgets": {"tool": 5}}, "free": {}}
    config = project(tmp_path, LEDGER, profiles=profiles)
    assert run(["build", str(config)]) == 1
    said = capsys.readouterr().err
    assert "profile small: `bell`: " in said
    assert "failed: 1 budget exceeded" in said


def test_a_name_that_two_sources_share_is_qualified_in_the_profile_of_one_too(tmp_path: Path) -> None:
    (tmp_path / "more.json").write_text(json.dumps({"tools": [LEDGER[-1], *LEDGER[1:4]]}), encoding="utf-8")
    sources = {"s": {"type": "tools", "path": "tools.json"}, "m": {"type": "tools", "path": "more.json"}}
    config = project(tmp_path, LEDGER, sources=sources, profiles={"one": {"select": ["s:*"]}})
    assert run(["build", str(config)]) == 0
    part = load(tmp_path, "profiles/one/bundle.json")
    whole = load(tmp_path, "bundle.json")
    assert "s_bell" in {entry["name"] for entry in part["tools"]} <= {entry["name"] for entry in whole["tools"]}
    assert part["aliases"].keys() <= whole["aliases"].keys()
    assert "m" not in load(tmp_path, "profiles/one/report.json")["sources"]


@pytest.mark.parametrize("limit", ["read", "write"])
def test_the_profile_of_an_openapi_source_holds_no_foreign_name_anywhere(tmp_path: Path, limit: str) -> None:
    groups = {"orders": {"description": "All about orders", "select": ["tag:orders"]}}
    source = {"type": "openapi", "path": str(SHOP), "separate": ["read"]}
    config = project(
        tmp_path, [], sources={"s": source}, groups=groups, always=["s:*rder*"], profiles={"p": {"max_effect": limit}}
    )
    assert run(["build", str(config)]) == 0
    whole, part = load(tmp_path, "bundle.json"), load(tmp_path, "profiles/p/bundle.json")
    held = {operation["id"] for operation in part["operations"]}
    said = texts(tmp_path / "bundle/profiles/p")
    foreign = [operation for operation in whole["operations"] if operation["id"] not in held]
    assert held
    assert foreign
    for operation in foreign:
        for word in (operation["id"], operation["name"], operation["description"].split("\n")[0]):
            assert word not in said, word
    for old in whole["aliases"].keys() - part["aliases"].keys():
        assert f'"{old}"' not in said, old


@pytest.mark.parametrize("tables", [3, 20])
def test_the_profile_of_a_database_hears_of_its_own_tables_only(tmp_path: Path, tables: int) -> None:
    """Few tables have tools of their own, many share three; a profile keeps those names with one action left."""
    named = ["zebra", "heron", *(f"newt{'abcdefghijklmnopqrs'[number]}" for number in range(tables - 2))]
    script = "".join(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, note{name} TEXT);\n" for name in named)
    (tmp_path / "zoo.sql").write_text(script, encoding="utf-8")
    sources = {"zoo": {"type": "database", "ddl": "zoo.sql", "dialect": "sqlite"}}
    config = project(tmp_path, [], sources=sources, profiles={"p": {"select": ["zoo:zebra.list"]}})
    assert run(["build", str(config)]) == 0
    whole = {entry["name"] for entry in load(tmp_path, "bundle.json")["tools"]}
    part = tools_of(tmp_path, "p")
    assert part.keys() <= whole
    (tool,) = [entry for entry in part.values() if "zoo:zebra.list" in json.dumps(entry["dispatch"])]
    assert tool["input_schema"]["properties"]["action"]["enum"] == ["list"]
    said = texts(tmp_path / "bundle/profiles/p")
    assert "heron" not in said
    assert "newt" not in said
    assert run(["verify", "--bundle", str(tmp_path / "bundle/profiles/p")]) == 0


def permissions(folder: Path) -> list[Any]:
    found: list[Any] = load(folder, "report.json")["permissions"]
    return found


@pytest.mark.parametrize(
    ("separate", "kept", "widens", "prompts", "effect"),
    [
        (["read", "write"], ["update", "purge"], ["purge"], ["update"], "destructive"),
        ([], ["get", "update"], ["update"], ["get"], "write"),
        ([], ["get", "brew"], ["brew"], ["get"], "unknown"),
        ([], ["get", "update", "purge"], ["update", "purge"], ["get", "update"], "destructive"),
    ],
)
def test_every_permission_that_merging_widens_or_asks_for_is_reported(
    tmp_path: Path,
    separate: list[str],
    kept: list[str],
    widens: list[str],
    prompts: list[str],
    effect: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    tools = [entry for entry in LEDGER if entry["name"].removeprefix("ledger_") in kept]
    config = project(tmp_path, tools, source={"separate": separate}, **FAMILY)
    assert run(["build", str(config)]) == 0
    (entry,) = permissions(tmp_path)
    assert entry["effect"] == effect
    assert sorted(entry["widens"]) == sorted(f"s:ledger_{name}" for name in widens)
    assert sorted(entry["prompts"]) == sorted(f"s:ledger_{name}" for name in prompts)
    said = capsys.readouterr().out
    assert "permissions: 1 " in said
    assert f"now asked for as {effect}" in said


def test_classes_kept_apart_change_no_permission(tmp_path: Path) -> None:
    config = project(tmp_path, LEDGER, source={"separate": ["read", "write", "destructive"]})
    assert run(["build", str(config)]) == 0
    assert [entry for entry in permissions(tmp_path) if entry["effect"] != "unknown"] == []


def test_an_operation_that_reaches_nothing_outside_is_told_where_its_tool_may(tmp_path: Path) -> None:
    tools = [
        tool("ledger_create", "write", {"open_world": False}, owner="Whose ledger it is."),
        tool("ledger_update", "write", {"open_world": True}, owner="Whose ledger it is.", note="A remark."),
    ]
    config = project(tmp_path, tools)
    assert run(["build", str(config)]) == 0
    (entry,) = permissions(tmp_path)
    assert (entry["open_world"], entry["widens"]) == (["s:ledger_create"], [])
