"""`toolc migrate`: old rules carried over to merged tools, never widened, every entry accounted for."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from toolc import bundle
from toolc.cli import toolc
from toolc.diagnostics import UserError
from toolc.ir import Alias, Case, Catalog, Dispatch, McpCall, Opaque, Operation, Origin, Tool
from toolc.pipeline.migrating import Migration, migrate

PLACE = Origin("github.json")


def catalog() -> Catalog:
    """A bundle in which five tools of one server became two, one stayed, and one of another server is there too.

    A tool that kept the name of an old one and took another in: `get_repo`. One that toolc cannot carry out: `bash`.
    """
    tools = {
        "issue_read": {"get": "github:get_issue", "list": "github:list_issues"},
        "issue_write": {
            "create": "github:create_issue",
            "update": "github:update_issue",
            "delete": "github:delete_issue",
        },
        "search_code": {"": "github:search_code"},
        "get_repo": {"get": "github:get_repo", "stats": "github:repo.stats"},
        "send": {"": "mail:send"},
        "bash": {"": "core:bash"},
    }
    operations = {}
    for key in (operation for actions in tools.values() for operation in actions.values()):
        source, _, name = key.partition(":")
        call = Opaque() if source == "core" else McpCall(source, name)
        operations[key] = Operation(key, name, "", {"type": "object"}, call, PLACE)
    made = []
    for name, actions in tools.items():
        select = () if "" in actions else ("action",)
        cases = tuple(Case({"action": action} if action else {}, key) for action, key in actions.items())
        properties = {"action": {"type": "string", "enum": [*actions]}} if select else {}
        schema = {"type": "object", "properties": properties}
        made.append(Tool(name, f"Do {name}.", schema, Dispatch(select, cases), (PLACE,)))
    aliases = {"create_issue": Alias("issue_write", {"action": "create"})}
    return Catalog("ops", (), operations, tuple(sorted(made, key=lambda t: t.name)), (), aliases)


CATALOG = catalog()


def run(tmp_path: Path, text: Any, name: str = "settings.json", **options: Any) -> Migration:
    """The migration of a file with this content."""
    path = tmp_path / name
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    return migrate(path, name, CATALOG, options.pop("server", "toolc"), options.pop("servers", {}), **options)


def claude(tmp_path: Path, **rules: list[str]) -> tuple[dict[str, Any], dict[str, tuple[str, tuple[str, ...]]]]:
    """The rules after the migration, and by old entry what became of it and what of it is new."""
    found = run(tmp_path, {"permissions": {"allow": [], **rules}})
    return json.loads(found.after)["permissions"], {
        f"{outcome.entry.level} {outcome.entry.text}": (outcome.result, outcome.to) for outcome in found.outcomes
    }


# Claude Code.


def test_a_merged_tool_is_allowed_when_all_it_does_was(tmp_path: Path) -> None:
    rules, account = claude(tmp_path, allow=["mcp__github__get_issue", "mcp__github__list_issues", "Bash(ls *)"])
    assert rules["allow"] == ["Bash(ls *)", "mcp__toolc__issue_read"]
    assert account == {
        "allow mcp__github__get_issue": ("carried", ("mcp__toolc__issue_read",)),
        "allow mcp__github__list_issues": ("carried", ("mcp__toolc__issue_read",)),
        "allow Bash(ls *)": ("kept", ()),
    }


def test_a_merged_tool_is_not_allowed_for_one_action_of_it(tmp_path: Path) -> None:
    found = run(tmp_path, {"permissions": {"allow": ["mcp__github__create_issue"]}})
    assert json.loads(found.after)["permissions"]["allow"] == []
    [outcome] = found.outcomes
    assert outcome.result == "refused"
    assert outcome.why == (
        "`issue_write` also does github:update_issue, github:delete_issue, which was not allowed; it is asked for now",
    )


def test_a_tool_that_kept_a_name_and_does_more_is_not_allowed_by_that_name(tmp_path: Path) -> None:
    rules, account = claude(tmp_path, allow=["mcp__github__get_repo"])
    assert (rules["allow"], account["allow mcp__github__get_repo"]) == ([], ("refused", ()))
    # not either where the bundle's server took the place of the old one
    found = run(tmp_path, {"permissions": {"allow": ["mcp__github__get_repo"]}}, server="github")
    assert json.loads(found.after)["permissions"]["allow"] == []


def test_a_dot_in_an_old_name_is_written_as_the_harness_writes_it(tmp_path: Path) -> None:
    rules, _ = claude(tmp_path, allow=["mcp__github__get_repo", "mcp__github__repo_stats"])
    assert rules["allow"] == ["mcp__toolc__get_repo"]


def test_denying_one_action_denies_the_tool_and_says_what_goes_with_it(tmp_path: Path) -> None:
    found = run(
        tmp_path, {"permissions": {"allow": ["mcp__github__create_issue"], "deny": ["mcp__github__delete_issue"]}}
    )
    rules = json.loads(found.after)["permissions"]
    # the old entry stays: the old server may still be configured
    assert rules["deny"] == ["mcp__github__delete_issue", "mcp__toolc__issue_write"]
    allowed, denied = found.outcomes
    assert allowed.why == ("`issue_write` is denied, as github:delete_issue in it was",)
    assert denied.result == "carried"
    assert denied.why == ("github:create_issue, github:update_issue in `issue_write` are denied with it",)


def test_asking_for_one_action_asks_for_the_tool(tmp_path: Path) -> None:
    names = ["mcp__github__create_issue", "mcp__github__update_issue"]
    rules, account = claude(tmp_path, allow=names, ask=["mcp__github__delete_issue"])
    assert rules["ask"] == ["mcp__github__delete_issue", "mcp__toolc__issue_write"]
    assert rules["allow"] == []
    assert account["ask mcp__github__delete_issue"] == ("carried", ("mcp__toolc__issue_write",))


@pytest.mark.parametrize("rule", ["mcp__github", "mcp__github__*"])
def test_a_whole_server_becomes_its_tools_by_name(tmp_path: Path, rule: str) -> None:
    found = run(tmp_path, {"permissions": {"allow": [rule]}})
    expected = [f"mcp__toolc__{name}" for name in ("get_repo", "issue_read", "issue_write", "search_code")]
    assert json.loads(found.after)["permissions"]["allow"] == expected
    assert found.outcomes[0].why == ("what the server gains later is not covered",)


def test_what_is_denied_is_taken_out_of_a_whole_server(tmp_path: Path) -> None:
    rules, account = claude(tmp_path, allow=["mcp__github"], deny=["mcp__github__delete_*"])
    assert rules["allow"] == [f"mcp__toolc__{name}" for name in ("get_repo", "issue_read", "search_code")]
    assert rules["deny"] == ["mcp__github__delete_*", "mcp__toolc__issue_write"]
    assert account["allow mcp__github"][0] == "partly"


@pytest.mark.parametrize("rule", ["mcp__*", "mcp__git*", "mcp__github__search_code(q:x)", "*"])
def test_a_rule_that_allows_nothing_in_claude_code_is_not_carried(tmp_path: Path, rule: str) -> None:
    rules, account = claude(tmp_path, allow=[rule])
    assert rules["allow"] == [rule]
    assert account[f"allow {rule}"][0] in ("unknown", "kept")


def test_a_deny_for_all_servers_stands_as_it_is(tmp_path: Path) -> None:
    rules, account = claude(tmp_path, allow=["mcp__github__search_code"], deny=["mcp__*"])
    assert rules["allow"] == []
    assert rules["deny"][0] == "mcp__*"
    assert account["deny mcp__*"][0] == "kept"
    assert account["allow mcp__github__search_code"][0] == "refused"


def test_names_of_earlier_builds_and_of_now_are_known(tmp_path: Path) -> None:
    rules, account = claude(tmp_path, allow=["mcp__toolc__create_issue", "mcp__toolc__issue_read"])
    assert rules["allow"] == ["mcp__toolc__issue_read"]
    assert account["allow mcp__toolc__create_issue"][0] == "refused"
    assert account["allow mcp__toolc__issue_read"][0] == "kept"


def test_what_is_not_known_stays_as_it_was(tmp_path: Path) -> None:
    names = ["mcp__jira__get", "mcp__github__gone", "mcp__core__bash"]
    rules, account = claude(tmp_path, allow=names)
    assert account["allow mcp__jira__get"][0] == account["allow mcp__github__gone"][0] == "unknown"
    assert account["allow mcp__core__bash"] == ("unknown", ())  # toolc does not serve it
    assert rules["allow"] == names


def test_an_old_server_of_another_name_can_be_said(tmp_path: Path) -> None:
    rule = {"permissions": {"allow": ["mcp__gh__search_code"]}}
    assert json.loads(run(tmp_path, rule, servers={"gh": "github"}).after)["permissions"]["allow"] == [
        "mcp__toolc__search_code"
    ]
    with pytest.raises(UserError, match="no source `gitlab`"):
        run(tmp_path, rule, servers={"gh": "gitlab"})


def test_only_the_lists_are_rewritten(tmp_path: Path) -> None:
    text = '{\n    "model": "x",  \n    "permissions": {\n        "allow": ["mcp__github__search_code"],\n'
    text += '        "defaultMode": "plan"\n    },\n    "env": {"A": "\\u00fc"}\n}\n'
    after = run(tmp_path, text).after
    assert json.loads(after) == json.loads(text.replace("github", "toolc"))
    assert after.startswith('{\n    "model": "x",  \n')
    assert after.endswith('    "env": {"A": "\\u00fc"}\n}\n')


def test_what_is_no_list_is_left_alone(tmp_path: Path) -> None:
    rules = {"allow": "mcp__github", "deny": [1, "mcp__github__search_code"], "ask": None}
    found = run(tmp_path, {"permissions": rules})
    denied = {"deny": [1, "mcp__github__search_code", "mcp__toolc__search_code"]}
    assert json.loads(found.after)["permissions"] == {**rules, **denied}
    assert len(found.outcomes) == 1


# Never wider: by an evaluator of its own, on the old names before and on the new names after.

OLD = {key: f"mcp__{o.source}__{o.name.replace('.', '_')}" for key, o in CATALOG.operations.items()}
RULES = st.sampled_from(
    [*OLD.values(), "mcp__github", "mcp__github__*", "mcp__github__*_issue", "mcp__*", "mcp__toolc__issue_read", "*"]
)
RANK = {"deny": 0, "ask": 1, "": 1, "allow": 2}


def holds(name: str, rules: dict[str, list[str]]) -> str:
    """What Claude Code does with a call of an MCP tool, as seen with the program itself."""

    def matches(rule: str, level: str) -> bool:
        server = name[: name.index("__", 5)]
        literal = rule == server or rule.startswith(f"{server}__")
        return rule == server or ((literal or level != "allow") and fnmatchcase(name, rule))

    levels = ("deny", "ask", "allow")
    return next((level for level in levels if any(matches(rule, level) for rule in rules.get(level, ()))), "")


@settings(max_examples=300, deadline=None)
@given(st.fixed_dictionaries({level: st.lists(RULES, unique=True, max_size=6) for level in ("allow", "ask", "deny")}))
def test_no_operation_is_more_allowed_than_it_was(tmp_path_factory: Any, rules: dict[str, list[str]]) -> None:
    found = run(tmp_path_factory.mktemp("m"), {"permissions": rules})
    after = json.loads(found.after)["permissions"]
    for tool in CATALOG.tools:
        if tool.name == "bash":
            continue
        new = holds(f"mcp__toolc__{tool.name}", after)
        as_before = holds(f"mcp__toolc__{tool.name}", rules)  # rules that were for the new names already
        for key in tool.operations:
            before = holds(OLD[key], rules)
            assert RANK[new] <= max(RANK[before], RANK[as_before]), (tool.name, key, before, new)
            if before == "deny":
                assert new == "deny"
    assert len(found.outcomes) == sum(map(len, rules.values()))


# The command.


def command(tmp_path: Path, *arguments: str) -> Any:
    folder = tmp_path / "bundle"
    folder.mkdir(exist_ok=True)
    (folder / "bundle.json").write_text(json.dumps({"format": "toolc-bundle/1", **bundle.encode(CATALOG)}))
    return CliRunner().invoke(toolc, ["migrate", *arguments, "--bundle", str(folder)], standalone_mode=False)


def test_the_command_shows_the_account_and_the_new_lists_and_writes_only_when_asked(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    text = json.dumps({"permissions": {"allow": ["mcp__github__search_code", "mcp__github__create_issue"]}})
    file.write_text(text)
    shown = command(tmp_path, str(file))
    assert shown.return_value == 0
    assert "carried  allow mcp__github__search_code → mcp__toolc__search_code" in shown.output
    assert "refused  allow mcp__github__create_issue\n" in shown.output
    assert 'permissions.allow: [\n  "mcp__toolc__search_code"\n]' in shown.output
    assert file.read_text() == text
    command(tmp_path, str(file), "--write")
    assert json.loads(file.read_text()) == {"permissions": {"allow": ["mcp__toolc__search_code"]}}
    again = json.loads(command(tmp_path, str(file), "--format", "json").output)
    assert again["changes"] == []
    assert [entry["result"] for entry in again["entries"]] == ["kept"]


@pytest.mark.parametrize(("text", "said"), [("{}", "no config"), ("[]", "no JSON object"), ("{", "JSON")])
def test_a_file_of_no_harness_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        run(tmp_path, text)
