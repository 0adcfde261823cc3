"""`toolc migrate` for Codex, Gemini CLI, opencode and VS Code: what is offered or let run is never more than before."""

from __future__ import annotations

import json
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_migrate import CATALOG, run

from toolc.diagnostics import UserError
from toolc.pipeline.migrating import Migration

ALL = ["get_repo", "issue_read", "issue_write", "search_code", "send"]


def results(found: Migration) -> dict[str, str]:
    """By entry what became of it."""
    return {f"{outcome.entry.level} {outcome.entry.text}": outcome.result for outcome in found.outcomes}


# Gemini CLI.


def gemini(tmp_path: Path, **github: Any) -> tuple[Any, Migration]:
    data = {"mcpServers": {"github": {"command": "gh-mcp", **github}, "toolc": {"command": "toolc"}}, "ui": {"x": 1}}
    found = run(tmp_path, data)
    after = json.loads(found.after)
    # but for the list of the bundle's server all is as it was
    new = after["mcpServers"]["toolc"].pop("includeTools", None)
    assert after == data
    return new, found


def test_gemini_is_offered_tools_all_of_whose_operations_were(tmp_path: Path) -> None:
    new, found = gemini(tmp_path, includeTools=["get_issue", "list_issues", "create_issue", "gone"])
    assert new == ["issue_read", "send"]  # another source is not spoken of
    assert found.harness == "gemini-cli"
    assert results(found) == {
        "allow get_issue": "carried",
        "allow list_issues": "carried",
        "allow create_issue": "refused",
        "allow gone": "unknown",
    }


def test_gemini_is_not_offered_a_tool_with_an_excluded_operation(tmp_path: Path) -> None:
    new, found = gemini(tmp_path, excludeTools=["delete_issue", "repo.stats"])
    assert new == ["issue_read", "search_code", "send"]
    assert [outcome.why for outcome in found.outcomes] == [
        ("github:create_issue, github:update_issue in `issue_write` are denied with it",),
        ("github:get_repo in `get_repo` is denied with it",),
    ]


def test_trust_in_a_server_is_not_given_to_another(tmp_path: Path) -> None:
    new, found = gemini(tmp_path, trust=True)
    assert new is None
    assert results(found) == {"allow trust": "kept"}


def test_lists_are_not_written_for_a_server_that_is_not_there(tmp_path: Path) -> None:
    found = run(tmp_path, {"mcpServers": {"github": {"command": "x", "includeTools": ["search_code"]}}})
    assert found.changes
    with pytest.raises(UserError, match="no server `toolc`"):
        _ = found.after


# opencode.


def opencode(tmp_path: Path, data: dict[str, Any]) -> tuple[Any, Migration]:
    found = run(tmp_path, data, name="opencode.json")
    return json.loads(found.after), found


def test_opencode_keeps_the_order_in_which_the_last_rule_holds(tmp_path: Path) -> None:
    rules = {"github_*": "allow", "github_delete_issue": "deny", "github_search_code": "ask", "bash": "ask"}
    after, found = opencode(tmp_path, {"permission": rules})
    made = {"toolc_issue_read": "allow", "toolc_issue_write": "deny", "toolc_search_code": "ask"}
    assert after["permission"] == {**rules, "toolc_get_repo": "allow", **made}
    assert list(after["permission"])[: len(rules)] == list(rules)
    assert results(found)["ask bash"] == "unknown"


def test_opencode_tools_that_were_switched_off_stay_off(tmp_path: Path) -> None:
    data = {"tools": {"github_create_issue": False}, "permission": {"github_create_issue": "allow"}}
    assert opencode(tmp_path, data)[0]["permission"]["toolc_issue_write"] == "deny"


def test_one_word_is_the_rule_of_opencode_for_everything(tmp_path: Path) -> None:
    data = {"permission": "allow", "tools": {"github_search_code": False}}
    assert opencode(tmp_path, data)[0]["permission"] == {"*": "allow", "toolc_search_code": "deny"}
    after, found = opencode(tmp_path, {"permission": "ask"})
    assert (after, results(found)) == ({"permission": "ask"}, {"ask *": "kept"})


def test_of_rules_for_arguments_the_strictest_is_carried(tmp_path: Path) -> None:
    rules = {"github_search_code": {"*": "allow", "secret*": "deny"}, "github_get_repo": "allow"}
    assert opencode(tmp_path, {"permission": rules})[0]["permission"]["toolc_search_code"] == "deny"


def test_opencode_agents_have_rules_of_their_own(tmp_path: Path) -> None:
    data = {
        "permission": {"github_delete_issue": "ask"},
        "agent": {"triage": {"permission": {"github_*": "allow"}}, "plain": {"mode": "all"}},
    }
    after, _ = opencode(tmp_path, data)
    assert after["permission"]["toolc_issue_write"] == "ask"
    assert after["agent"]["triage"]["permission"]["toolc_issue_write"] == "allow"
    assert after["agent"]["plain"] == {"mode": "all"}


def test_opencode_rules_of_the_new_names_are_made_no_milder(tmp_path: Path) -> None:
    rules = {"github_*": "allow", "toolc_issue_write": "ask", "toolc_issue_read": "allow"}
    after, found = opencode(tmp_path, {"permission": rules})
    assert after["permission"]["toolc_issue_write"] == "ask"
    assert results(found)["ask toolc_issue_write"] == "kept"


def test_comments_stay_where_they_are(tmp_path: Path) -> None:
    text = '{\n  // ours\n  "permission": {\n    "github_search_code": "deny" // why\n  }\n}\n'
    after = run(tmp_path, text, name="opencode.jsonc").after
    assert after.startswith('{\n  // ours\n  "permission": {\n    "github_search_code": "deny"')
    assert "// why" in after
    assert '"toolc_search_code": "deny"' in after


# VS Code.


def test_a_tool_set_takes_tools_that_do_no_more_than_it_held(tmp_path: Path) -> None:
    data = {
        "reader": {
            "tools": ["search/codebase", "github/get_issue", "github/list_issues", "mail/gone"],
            "icon": "book",
        },
        "writer": {"tools": ["github/create_issue", "github/search_code"]},
        "all": {"tools": ["github/*"]},
    }
    found = run(tmp_path, data, name="my.toolsets.jsonc")
    after = json.loads(found.after)
    assert after["reader"]["tools"] == ["search/codebase", "mail/gone", "toolc/issue_read"]
    assert after["reader"]["icon"] == "book"
    assert after["writer"]["tools"] == ["toolc/search_code"]
    assert after["all"]["tools"] == [f"toolc/{name}" for name in ALL if name != "send"]
    assert results(found)["allow github/create_issue"] == "refused"


# Codex.

CODEX = """# mine
model = "m"

[mcp_servers.github]
command = "gh-mcp" # old
{github}

[mcp_servers.toolc]
command = "toolc"
args = ["serve", "bundle"]
"""


def codex(tmp_path: Path, github: str) -> tuple[dict[str, Any], Migration]:
    """The bundle's server after the migration; all else is as it was."""
    text = CODEX.replace("{github}", github)
    found = run(tmp_path, text, name="config.toml")
    after = found.after
    assert [line for line in text.splitlines() if line not in after.splitlines()] == []
    data = tomllib.loads(after)
    new = data["mcp_servers"].pop("toolc")
    old = tomllib.loads(text)
    assert {key: new.pop(key) for key in ("command", "args")} == old["mcp_servers"].pop("toolc")
    assert data == old
    return new, found


def test_codex_is_offered_what_does_no_more_than_was_enabled(tmp_path: Path) -> None:
    new, found = codex(tmp_path, 'enabled_tools = ["get_issue", "list_issues", "create_issue"]')
    assert new == {"enabled_tools": ["issue_read", "send"]}
    assert results(found)["allow create_issue"] == "refused"
    new, _ = codex(tmp_path, 'disabled_tools = ["delete_issue"]')
    assert new == {"enabled_tools": ["get_repo", "issue_read", "search_code", "send"]}


def test_codex_approves_a_tool_when_all_it_does_was_approved(tmp_path: Path) -> None:
    tools = "\n".join(
        f'[mcp_servers.github.tools.{name}]\napproval_mode = "{mode}"'
        for name, mode in {
            "get_issue": "approve",
            "list_issues": "approve",
            "create_issue": "approve",
            "search_code": "prompt",
        }.items()
    )
    new, found = codex(tmp_path, tools)
    assert new == {
        "tools": {"issue_read": {"approval_mode": "approve"}, "search_code": {"approval_mode": "prompt"}},
    }
    assert results(found)["allow create_issue"] == "refused"


@pytest.mark.parametrize("github", ["enabled = false", "enabled_tools = []"])
def test_codex_is_offered_nothing_of_a_server_that_was_off(tmp_path: Path, github: str) -> None:
    assert codex(tmp_path, github)[0] == {"enabled_tools": ["send"]}


def test_an_approved_server_is_approved_tool_by_tool_less_what_was_asked_for(tmp_path: Path) -> None:
    github = 'default_tools_approval_mode = "approve"\n[mcp_servers.github.tools.delete_issue]\napproval_mode = "{}"'
    approved = {name: {"approval_mode": "approve"} for name in ("get_repo", "issue_read", "search_code")}
    new, _ = codex(tmp_path, github.format("prompt"))
    assert new == {"tools": {**approved, "issue_write": {"approval_mode": "prompt"}}}
    assert codex(tmp_path, github.format("auto"))[0] == {"tools": approved}


def test_a_server_for_each_group_has_lists_of_its_own(tmp_path: Path) -> None:
    text = '[mcp_servers.github]\ncommand = "x"\ndisabled_tools = ["delete_issue"]\n'
    found = run(tmp_path, text, name="config.toml")
    # the tools of the bundle in these tests are of no group
    assert [change.keys for change in found.changes] == [("mcp_servers", "tools", "enabled_tools")]
    with pytest.raises(UserError, match="no server `tools`"):
        _ = found.after


def test_a_list_that_is_there_already_is_not_rewritten(tmp_path: Path) -> None:
    text = CODEX.replace("{github}", 'disabled_tools = ["delete_issue"]') + 'enabled_tools = ["issue_read"]\n'
    with pytest.raises(UserError, match="there already"):
        _ = run(tmp_path, text, name="config.toml").after


# Never more than before: by evaluators of their own.

NAMES = ("get_issue", "list_issues", "create_issue", "update_issue", "delete_issue", "search_code", "get_repo")
PATTERNS = st.sampled_from([*(f"github_{name}" for name in NAMES), "github_*", "github_*_issue", "*", "mail_send"])
RANK = {"deny": 0, "ask": 1, "allow": 2}


def last(name: str, rules: dict[str, str]) -> str:
    """What opencode does with a call: the last pattern that matches holds, and without any it may be made."""
    return next((level for rule, level in reversed(rules.items()) if fnmatchcase(name, rule)), "allow")


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(PATTERNS, st.sampled_from(list(RANK)), max_size=6))
def test_opencode_lets_no_operation_run_that_it_asked_for_or_denied(tmp_path_factory: Any, rules: Any) -> None:
    after, _ = opencode(tmp_path_factory.mktemp("o"), {"permission": rules})
    for tool in CATALOG.tools:
        new = last(f"toolc_{tool.name}", after["permission"])
        for key in tool.operations if tool.name != "bash" else ():
            source, _, name = key.partition(":")
            assert RANK[new] <= RANK[last(f"{source}_{name.replace('.', '_')}", rules)], (tool.name, key)


@settings(max_examples=200, deadline=None)
@given(st.none() | st.lists(st.sampled_from(NAMES), unique=True), st.lists(st.sampled_from(NAMES), unique=True))
def test_lists_offer_no_operation_that_was_not_offered(
    tmp_path_factory: Any, included: list[str] | None, excluded: list[str]
) -> None:
    lists = {"includeTools": included, "excludeTools": excluded}
    new, _ = gemini(tmp_path_factory.mktemp("g"), **{key: names for key, names in lists.items() if names is not None})
    offered = ALL if new is None else new
    for tool in CATALOG.tools:
        for key in tool.operations if tool.name in offered else ():
            source, _, name = key.partition(":")
            assert source != "github" or ((included is None or name in included) and name not in excluded)
