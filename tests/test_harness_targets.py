"""Configs of harnesses: they start `toolc serve` on the bundle, name variables and never hold values, and fit names."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from test_targets import CHOICE, HARNESSES, MEMORY, catalog, tool

from toolc import registry
from toolc.cli import toolc
from toolc.diagnostics import Severity
from toolc.ir import Case, Catalog, Dispatch, Hint, Hints, HttpCall, Opaque, Place
from toolc.runtime.result import Failed
from toolc.runtime.secrets import Secrets
from toolc.targets import Emission

READ = Hints(Hint(True, "declared"))
WRITE = Hints(Hint(False, "declared"), Hint(False, "declared"))


def bundle(*tools: Any, place: Place | None = None, **texts: str) -> Catalog:
    """A catalog of tools that toolc can carry out."""
    made = catalog(*tools, texts=texts, call=HttpCall("GET", "/x"))
    sources = {operation.source for operation in made.operations.values()}
    connections = {source: {"auth": {"bearer": {"env": "SHOP_TOKEN"}}} for source in sources}
    return replace(made, place=place or Place(), connections=connections)


SHOP = bundle(
    tool("order_read", "always", "orders", hints=READ),
    replace(MEMORY, group="memory"),
    tool("order_create", "group", "orders", hints=WRITE),
    tool("odd", group="misc"),
    memory="Long-term notes.",
)


def emit(target: str, subject: Catalog = SHOP, **options: Any) -> tuple[Emission, dict[str, Any]]:
    """What a target emits, and its files as data."""
    module = registry.load("targets", target)
    emission: Emission = module.emit(subject, module.Options(**options))
    return emission, {
        file.path: tomllib.loads(file.text) if file.path.endswith(".toml") else json.loads(file.text)
        for file in emission.files
    }


def starts(target: str, subject: Catalog = SHOP, **options: Any) -> list[list[str]]:
    """The command line of each server in the files of a target."""
    files = emit(target, subject, **options)[1]
    maps = [data.get(key, {}) for data in files.values() for key in ("mcpServers", "servers", "mcp", "mcp_servers")]
    servers = [server for servers in maps for server in servers.values()]
    return [
        server["command"] if isinstance(server["command"], list) else [server["command"], *server["args"]]
        for server in servers
    ]


@pytest.mark.parametrize("target", HARNESSES)
def test_every_server_is_toolc_serve_on_the_bundle(target: str) -> None:
    folder = "${workspaceFolder}/bundle" if target == "vscode" else "bundle"
    for line in starts(target):
        assert line[:3] == ["toolc", "serve", folder]


@pytest.mark.parametrize("target", HARNESSES)
def test_a_profile_the_command_and_the_place_of_the_bundle_are_said_in_the_command_line(target: str) -> None:
    part = replace(SHOP, place=Place("out", "reviewer"))
    for line in starts(target, part, command=("uvx", "toolc"), bundle="/srv/b"):
        assert line[:6] == ["uvx", "toolc", "serve", "/srv/b", "--profile", "reviewer"]


@pytest.mark.parametrize("target", HARNESSES)
def test_variables_are_named_as_each_harness_names_them_and_left_out_where_there_are_none(target: str) -> None:
    text = "".join(file.text for file in emit(target)[0].files)
    expected = {
        "claude-code": '"SHOP_TOKEN": "${SHOP_TOKEN:-}"',
        "codex": 'env_vars = ["SHOP_TOKEN"]',
        "gemini-cli": '"SHOP_TOKEN": "${SHOP_TOKEN:-}"',
        "mcp-json": '"SHOP_TOKEN": "${SHOP_TOKEN}"',
        "opencode": '"SHOP_TOKEN": "{env:SHOP_TOKEN}"',
        "vscode": '"SHOP_TOKEN": "${env:SHOP_TOKEN}"',
    }
    assert expected[target] in text
    bare = "".join(file.text for file in emit(target, replace(SHOP, connections={}))[0].files)
    assert "env" not in bare.replace("environment", "env")


def test_a_server_of_codex_gets_the_variables_of_its_own_tools_and_no_others(tmp_path: Path) -> None:
    for name in ("chat", "shop"):
        listed = {
            "tools": [{"name": f"{name}_ping", "description": f"Ping {name}.", "inputSchema": {"type": "object"}}]
        }
        (tmp_path / f"{name}.json").write_text(json.dumps(listed))
    sources = {
        name: {"type": "mcp", "command": name, "env": [f"{name.upper()}_KEY"], "snapshot": f"{name}.json"}
        for name in ("chat", "shop")
    }
    settings = {"version": 1, "name": "t", "sources": sources, "targets": {"codex": {}, "claude-code": {}}}
    (tmp_path / "toolc.yaml").write_text(json.dumps(settings))
    run = CliRunner().invoke(toolc, ["build", str(tmp_path / "toolc.yaml")])
    assert run.exit_code == 0, run.output
    made = tmp_path / "bundle" / "targets"
    tables = tomllib.loads((made / "codex" / "config.toml").read_text())["mcp_servers"]
    assert {name: table["env_vars"] for name, table in tables.items()} == {"chat": ["CHAT_KEY"], "shop": ["SHOP_KEY"]}
    whole = json.loads((made / "claude-code" / ".mcp.json").read_text())["mcpServers"]["toolc"]
    assert sorted(whole["env"]) == ["CHAT_KEY", "SHOP_KEY"]


@pytest.mark.parametrize("target", HARNESSES)
def test_a_tool_that_toolc_cannot_carry_out_is_in_no_config(target: str) -> None:
    own = tool("bash", "always", "core")
    operations = {**SHOP.operations, **catalog(own, call=Opaque()).operations}
    mixed = replace(SHOP, tools=(*SHOP.tools, own), operations=operations)
    assert [file.text for file in emit(target, mixed)[0].files] == [file.text for file in emit(target)[0].files]


# What each puts before a name, and the length from which on it cuts, hashes or has it refused.
BUDGETS = {
    "claude-code": ("mcp__toolc__", 64),
    "codex": ("mcp__misc__", 64),
    "gemini-cli": ("mcp_toolc_", 63),
    "mcp-json": ("mcp__toolc__", 64),
    "opencode": ("toolc_", 64),
    "vscode": ("mcp_toolc_", 64),
}


@pytest.mark.parametrize("target", HARNESSES)
def test_names_are_budgeted_with_the_prefix(target: str) -> None:
    prefix, longest = BUDGETS[target]
    fits, too_long = ("n" * (longest - len(prefix) + extra) for extra in (0, 1))
    assert emit(target, bundle(tool(fits)))[0].diagnostics == ()
    emission, files = emit(target, bundle(tool(too_long)))
    [said] = emission.diagnostics
    assert said.subject == too_long
    assert f"`{prefix}{too_long}`" in said.message
    # opencode hands it on to providers that refuse the request for it; others cut it or take it
    refused = target == "opencode"
    assert said.severity is (Severity.error if refused else Severity.warning)
    assert emission.quarantined == ((too_long,) if refused else ())
    if refused:
        assert files["opencode.json"]["permission"][f"toolc_{too_long}"] == "deny"


@pytest.mark.parametrize("server", ["", "a__b", "a b", "-x", "x_", "ü"])
@pytest.mark.parametrize("target", [name for name in HARNESSES if name != "codex"])
def test_a_server_name_that_a_harness_would_rewrite_is_refused(target: str, server: str) -> None:
    with pytest.raises(ValueError, match="no server name"):
        registry.load("targets", target).Options(server=server)


def test_gemini_cli_takes_no_underscore_in_the_name_of_a_server() -> None:
    with pytest.raises(ValueError, match="cannot tell"):
        registry.load("targets", "gemini-cli").Options(server="my_shop")


# Claude Code.


def rules(**options: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = emit("claude-code", **options)[1]["settings.json"]["permissions"]
    return found


def test_claude_code_is_told_to_ask_for_what_may_destroy_and_to_allow_nothing_unasked() -> None:
    asked = ["mcp__toolc__memory_write", "mcp__toolc__odd"]  # the effect of `odd` is not known
    assert rules() == {"allow": [], "ask": asked}
    assert rules(allow="read") == {"allow": ["mcp__toolc__order_read"], "ask": asked}


def test_a_merged_tool_with_one_action_that_writes_is_not_allowed_as_reading() -> None:
    cases = (Case({"action": "get"}, "s:get"), Case({"action": "drop"}, "s:drop"))
    # merge gives a merged tool the cautious join of its members' hints
    merged = tool("thing", hints=WRITE, dispatch=Dispatch(("action",), cases))
    files = emit("claude-code", bundle(merged), allow="read")[1]
    assert files["settings.json"]["permissions"]["allow"] == []


@pytest.mark.parametrize("target", HARNESSES)
def test_alternatives_at_the_root_are_said_in_words_as_claude_code_would_drop_the_tool_unsaid(target: str) -> None:
    emission, _ = emit(target, bundle(CHOICE))
    assert emission.quarantined == ()
    assert ("lookup", "oneOf", "words") in {(loss.tool, loss.keyword, loss.went) for loss in emission.losses}
    module = registry.load("targets", target)
    schema = module.render(CHOICE, module.Options())["input_schema"]
    assert "oneOf" not in schema
    assert schema["description"] == "Needs exactly one of: id; name."


def test_claude_code_loads_always_tools_and_the_names_of_the_others() -> None:
    emission, _ = emit("claude-code")
    first, *names = emission.loaded.split("\n")
    assert [entry["name"] for entry in json.loads(first)] == ["mcp__toolc__order_read"]
    assert names == ["mcp__toolc__memory_write", "mcp__toolc__odd", "mcp__toolc__order_create"]


# Codex.


def test_codex_gets_a_server_for_each_group_and_all_groups_hold_all_tools() -> None:
    emission, files = emit("codex")
    servers = files["config.toml"]["mcp_servers"]
    groups = {name: server["args"][server["args"].index("--group") + 1] for name, server in servers.items()}
    assert groups == {"memory": "memory", "misc": "misc", "orders": "orders"}
    assert all(server["required"] is True and server["startup_timeout_sec"] == 20 for server in servers.values())
    assert json.loads(emission.loaded)[0] == {"name": "mcp__memory", "description": "Long-term notes."}
    assert sorted(entry["name"] for entry in json.loads(emission.deferred)) == [t.name for t in SHOP.tools]


def test_groups_whose_names_come_to_the_same_stay_apart_in_valid_toml() -> None:
    groups = ['a "b"', "a b", "a\x7f😀", "1"]
    subject = bundle(*(tool(f"t{index}", group=group) for index, group in enumerate(groups)))
    servers = emit("codex", subject)[1]["config.toml"]["mcp_servers"]
    assert {server["args"][-1] for server in servers.values()} == set(groups)
    assert all(registry.load("targets", "codex").Options(server=name) for name in servers)


def test_codex_switches_off_what_the_api_behind_it_would_refuse() -> None:
    odd = tool("odd", input_schema={"type": "object", "properties": {"filter[state]": {"type": "string"}}})
    emission, files = emit("codex", bundle(odd, tool("plain")))
    assert emission.quarantined == ("odd",)
    assert files["config.toml"]["mcp_servers"]["misc"]["disabled_tools"] == ["odd"]


def test_codex_writes_a_namespace_without_hyphens() -> None:
    assert json.loads(emit("codex", bundle(tool("t", group="a-b")))[0].loaded)[0]["name"] == "mcp__a_b"


def test_codex_may_have_one_server_for_all() -> None:
    assert starts("codex", server="shop") == [["toolc", "serve", "bundle"]]


# The others.


def test_gemini_cli_takes_the_tools_that_are_named() -> None:
    names = emit("gemini-cli")[1]["settings.json"]["mcpServers"]["toolc"]["includeTools"]
    assert names == [t.name for t in SHOP.tools]


def test_opencode_asks_for_what_may_destroy() -> None:
    assert emit("opencode")[1]["opencode.json"]["permission"] == {"toolc_memory_write": "ask", "toolc_odd": "ask"}
    assert "permission" not in emit("opencode", ask=False)[1]["opencode.json"]


def test_vs_code_gets_a_tool_set_for_each_group() -> None:
    sets = emit("vscode")[1]["toolc.toolsets.jsonc"]
    assert sets["toolc-memory"] == {
        "tools": ["toolc/memory_write"],
        "description": "Long-term notes.",
        "icon": "tools",
    }
    assert sets["toolc-orders"]["tools"] == ["toolc/order_create", "toolc/order_read"]


# From a config.

CONFIG = """
version: 1
name: demo
out: build/tools
sources:
  shop:
    type: openapi
    path: shop.json
    auth: {bearer: {env: SHOP_TOKEN}, headers: {X-Key: {env: SHOP_KEY}}}
  other:
    type: openapi
    path: shop.json
    auth: {basic: {username: {env: OTHER_USER}, password: {env: OTHER_PASSWORD}}}
  lib: {type: database, ddl: lib.sql, dialect: sqlite}
  team: {type: mcp, path: mcp.json}
profiles:
  shopper: {select: ["shop:*"]}
targets: {claude-code: {}}
"""
SPEC = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "paths": {"/orders": {"get": {"operationId": "listOrders", "responses": {"200": {"description": "ok"}}}}},
}


def test_a_build_names_the_variables_of_the_sources_that_a_profile_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "toolc.yaml").write_text(CONFIG)
    (tmp_path / "shop.json").write_text(json.dumps(SPEC))
    (tmp_path / "lib.sql").write_text("CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT);")
    env = {"A": "${TEAM_A}", "B": "hunter2", "C": "${input:team-c}"}
    server = {"command": "files", "args": ["--key", "${TEAM_KEY}"], "env": env}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"files": server}}))
    (tmp_path / "snapshots/team").mkdir(parents=True)
    tools = [{"name": "read_file", "inputSchema": {"type": "object"}}]
    (tmp_path / "snapshots/team/files.json").write_text(json.dumps({"tools": tools}))
    monkeypatch.setenv("SHOP_TOKEN", "hunter2")
    result = CliRunner().invoke(toolc, ["build", str(tmp_path / "toolc.yaml")], standalone_mode=False)
    assert result.return_value == 0, result.output
    made = tmp_path / "build" / "tools"
    server = json.loads((made / "targets/claude-code/.mcp.json").read_text())["mcpServers"]["toolc"]
    assert server["args"] == ["serve", "build/tools"]
    assert sorted(server["env"]) == [
        *("B", "LIB_URL", "OTHER_PASSWORD", "OTHER_USER", "SHOP_KEY", "SHOP_TOKEN"),
        *("TEAM_A", "TEAM_C", "TEAM_KEY"),
    ]
    assert not any("hunter2" in path.read_text() for path in made.rglob("*") if path.is_file())
    part = json.loads((made / "profiles/shopper/targets/claude-code/.mcp.json").read_text())["mcpServers"]["toolc"]
    assert part["args"] == ["serve", "build/tools", "--profile", "shopper"]
    assert sorted(part["env"]) == ["SHOP_KEY", "SHOP_TOKEN"]


@pytest.mark.parametrize("form", ["${SHOP_TOKEN}", "$SHOP_TOKEN", "${env:SHOP_TOKEN}", "{env:SHOP_TOKEN}", ""])
def test_a_variable_that_a_harness_did_not_fill_in_is_not_set(monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    monkeypatch.setenv("SHOP_TOKEN", form)
    with pytest.raises(Failed, match="needs the environment variable SHOP_TOKEN, which is not set"):
        Secrets().value("SHOP_TOKEN", "`shop`")
