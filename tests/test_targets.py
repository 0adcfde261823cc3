"""What the targets emit: taken by the vendors' own SDK types, within the limits, with nothing lost unsaid."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import replace
from typing import Any

import pytest

from toolc import registry
from toolc.diagnostics import Severity
from toolc.ir import Case, Catalog, Dispatch, Example, Group, Hint, Hints, Opaque, Operation, Origin, Tier, Tool
from toolc.limits import cut
from toolc.schema.validator import invalid_because
from toolc.targets import Emission
from toolc.tokens import Counter

HARNESSES = ("claude-code", "codex", "gemini-cli", "mcp-json", "opencode", "vscode")  # see test_harness_targets.py
TARGETS = [name for name in registry.names("targets") if name not in HARNESSES]
PLACE = Origin("tools.yaml", "/tools/0")


def tool(name: str, tier: Tier = "deferred", group: str = "misc", **fields: Any) -> Tool:
    """A tool of one operation that takes a string."""
    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    made = Tool(name, f"Do {name}.", schema, Dispatch((), (Case({}, f"s:{name}"),)), (PLACE,), tier=tier, group=group)
    return replace(made, **fields)


def catalog(*tools: Tool, texts: dict[str, str] | None = None, **operation: Any) -> Catalog:
    """A catalog of these tools; operation: fields of every operation."""
    operations = {
        key: replace(Operation(key, key, "", {}, Opaque(), PLACE), **operation) for t in tools for key in t.operations
    }
    groups = tuple(Group(name, (texts or {}).get(name, ""), ()) for name in sorted({t.group for t in tools}))
    return Catalog("demo", (), operations, tuple(sorted(tools, key=lambda t: t.name)), groups)


MEMORY = tool(
    "memory_write",
    group="memory",
    description="Create, update or delete entries in memory.",
    input_schema={
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": ["create", "delete"]},
            "id": {"type": "string", "description": "Memory id. Required: delete."},
            "tags": {"type": "array", "description": "create."},
            "order": {"type": "string", "enum": ["", "asc"], "description": "create."},
        },
        "required": ["action"],
        "additionalProperties": False,
    },
    dispatch=Dispatch(("action",), (Case({"action": "create"}, "s:a"), Case({"action": "delete"}, "s:b"))),
    examples=(Example({"action": "delete", "id": "m_7"}, "authored"),),
    hints=Hints(Hint(False, "declared"), Hint(True, "declared"), Hint(), Hint(False, "inferred")),
)
CHOICE = tool(
    "lookup",
    group="memory",
    input_schema={
        "type": "object",
        "properties": {"id": {"type": "string"}, "name": {"type": "string"}},
        "oneOf": [{"required": ["id"]}, {"required": ["name"]}],
    },
)
MIXED = catalog(
    tool("read", "always", "core"),
    tool("bash", "always", "core"),
    MEMORY,
    CHOICE,
    *(tool(f"issue_{letter}", "group", "issues / all") for letter in "abcdefghijk"),
    tool("odd", input_schema={"type": "object", "properties": {"filter[state]": {"type": "string"}}}),
    texts={"memory": "Long-term notes.", "issues / all": "Track issues."},
)


def emit(target: str, subject: Catalog = MIXED, **options: Any) -> tuple[Emission, Any]:
    """What a target emits, and the content of its `tools.json`."""
    module = registry.load("targets", target)
    emission: Emission = module.emit(subject, module.Options(**options))
    return emission, json.loads(next(file.text for file in emission.files if file.path == "tools.json"))


def definitions(target: str, tools: Any) -> list[dict[str, Any]]:
    """Every tool in a `tools.json` as {name, schema, description, entry}, whatever its shape."""
    entries = {"mcp": lambda: tools["tools"], "gemini": lambda: tools[0]["functionDeclarations"]}.get(
        target, lambda: tools
    )()
    flat = [inner for entry in entries for inner in (entry["tools"] if entry.get("type") == "namespace" else [entry])]
    flat = [entry.get("function", entry) for entry in flat if "search" not in entry.get("type", "")]
    keys = ("input_schema", "parameters", "parametersJsonSchema", "inputSchema")
    return [{**entry, "schema": next(entry[key] for key in keys if key in entry)} for entry in flat]


# For every target.


@pytest.mark.parametrize("target", registry.names("targets"))
def test_a_target_says_where_its_limits_come_from_and_what_its_options_mean(target: str) -> None:
    module = registry.load("targets", target)
    assert "2026" in module.LIMITS.source
    assert all(field.metadata.get("doc") for field in dataclasses.fields(module.Options))
    assert module.__doc__.partition("\n")[0].endswith(".")


@pytest.mark.parametrize("target", TARGETS)
def test_every_tool_is_emitted_or_quarantined_with_an_error(target: str) -> None:
    emission, tools = emit(target)
    emitted = [entry["name"] for entry in definitions(target, tools)]
    assert sorted([*emitted, *emission.quarantined]) == [t.name for t in MIXED.tools]
    refused = {d.subject for d in emission.diagnostics if d.severity is Severity.error}
    assert refused == set(emission.quarantined)
    assert emission.quarantined == (() if target == "mcp" else ("odd",))


@pytest.mark.parametrize("target", TARGETS)
def test_emitted_schemas_are_valid_with_a_plain_object_root(target: str) -> None:
    for entry in definitions(target, emit(target)[1]):
        assert invalid_because(entry["schema"]) == ""
        assert entry["schema"]["type"] == "object"
        if target != "mcp":  # the protocol allows any keyword, and a client may lower it for its own model
            assert not {"anyOf", "oneOf", "allOf", "$ref"} & entry["schema"].keys()


@pytest.mark.parametrize("target", TARGETS)
def test_what_a_target_cannot_carry_is_in_its_losses(target: str) -> None:
    emission, tools = emit(target)
    lost = {(loss.tool, loss.pointer, loss.went) for loss in emission.losses}
    by_name = {entry["name"]: entry for entry in definitions(target, tools)}
    if "oneOf" not in by_name["lookup"]["schema"]:
        assert ("lookup", "/input_schema/oneOf", "words") in lost
        assert by_name["lookup"]["schema"]["description"] == "Needs exactly one of: id; name."
    if "input_examples" not in by_name["memory_write"]:
        assert ("memory_write", "/examples/0", "words") in lost
        assert '\nExample: {"action":"delete","id":"m_7"}' in by_name["memory_write"]["description"]
    if "enum" not in by_name["memory_write"]["schema"]["properties"]["order"]:
        assert ("memory_write", "/input_schema/properties/order/enum", "words") in lost


@pytest.mark.parametrize("target", TARGETS)
def test_render_shows_the_tool_as_it_is_emitted(target: str) -> None:
    module = registry.load("targets", target)
    rendered = module.render(MEMORY, module.Options())
    text = next(file.text for file in emit(target)[0].files if file.path == "tools.json")
    assert json.dumps(rendered, ensure_ascii=False) in text


@pytest.mark.parametrize("target", TARGETS)
def test_the_same_catalog_gives_the_same_bytes_and_one_line_a_tool(target: str) -> None:
    first, second = emit(target)[0], emit(target)[0]
    assert first == second
    text = next(file.text for file in first.files if file.path == "tools.json")
    assert text.endswith("\n")
    assert "\r" not in text
    assert len([line for line in text.splitlines() if '"name": "bash"' in line]) == 1


@pytest.mark.parametrize("target", TARGETS)
def test_an_empty_catalog_is_no_fault(target: str) -> None:
    emission, tools = emit(target, catalog())
    assert tools == ({"tools": []} | {k: v for k, v in tools.items() if k != "tools"} if target == "mcp" else [])
    assert emission.diagnostics == ()
    assert emission.loaded == ""


# Names, descriptions, counts.


def test_a_name_the_api_refuses_quarantines_the_tool_and_a_long_one_is_a_warning() -> None:
    subject = catalog(tool("a.b"), tool("x" * 65), tool("y" * 129))
    emission, _ = emit("anthropic", subject)
    assert emission.quarantined == ("a.b", "y" * 129)
    assert [(d.rule, d.severity.name, d.origin) for d in emission.diagnostics] == [
        ("name-charset", "error", PLACE),
        ("name-too-long", "warning", PLACE),
        ("name-charset", "error", PLACE),
    ]
    assert emit("gemini", catalog(tool("1st")))[0].quarantined == ("1st",)
    assert emit("mcp", subject)[0].quarantined == ("y" * 129,)


def test_a_long_description_is_cut_after_a_sentence_with_a_note() -> None:
    long = "First things first. " + "Then " * 150 + "the end. " + "More " * 200
    emission, (entry,) = emit("openai-chat", catalog(tool("talk", description=long)))
    text = entry["function"]["description"]
    assert len(text) <= 1024
    assert text.endswith("the end.")
    assert [(d.rule, d.severity.name) for d in emission.diagnostics] == [("long-for-target", "note")]
    assert [(x.pointer, x.went) for x in emission.losses] == [("/description", "dropped")]


@pytest.mark.parametrize(
    ("text", "length", "expected"),
    [
        ("Short.", 6, "Short."),
        ("One two. Three four.", 12, "One two."),
        ("One two three four", 12, "One two…"),
        ("A. Second thought here", 18, "A. Second…"),  # a first sentence of two letters would say nothing
        ("x" * 20, 10, "x" * 10),
    ],
)
def test_cut(text: str, length: int, expected: str) -> None:
    assert cut(text, length) == expected
    assert len(cut(text, length)) <= length


@pytest.mark.parametrize(("target", "most"), [("openai-chat", 128), ("gemini", 512)])
def test_more_tools_than_the_api_takes_are_an_error_and_all_emitted(target: str, most: int) -> None:
    tools = [tool(f"t_{n:04}") for n in range(most)]
    assert emit(target, catalog(*tools))[0].diagnostics == ()
    emission, written = emit(target, catalog(*tools, tool("one_more")))
    assert [(d.rule, d.severity.name) for d in emission.diagnostics] == [("too-many-tools", "error")]
    assert f"{most + 1}" in emission.diagnostics[0].message
    assert len(definitions(target, written)) == most + 1


# Anthropic.


def test_anthropic_defers_all_but_the_always_loaded_behind_tool_search() -> None:
    emission, tools = emit("anthropic")
    assert tools[0] == {"type": "tool_search_tool_regex_20251119", "name": "tool_search_tool_regex"}
    assert [entry["name"] for entry in tools if "defer_loading" not in entry][1:] == ["bash", "read"]
    assert all(entry["defer_loading"] is True for entry in tools[3:])
    assert not any("cache_control" in entry for entry in tools)
    memory = next(entry for entry in tools if entry["name"] == "memory_write")
    assert memory["input_examples"] == [{"action": "delete", "id": "m_7"}]
    assert '"bash"' in emission.loaded
    assert "memory_write" not in emission.loaded
    assert "defer_loading" not in emission.deferred
    assert [file.path for file in emission.files] == ["tools.json"]


def test_anthropic_search_entry_is_there_only_if_something_is_deferred() -> None:
    assert emit("anthropic", catalog(tool("read", "always")))[1][0]["name"] == "read"
    search, deferred = emit("anthropic", catalog(tool("late")), search="bm25")[1]
    assert search == {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}
    assert deferred["defer_loading"] is True


def test_anthropic_keeps_results_that_are_costly_to_get_again() -> None:
    emission, _ = emit("anthropic", catalog(tool("crawl"), extra={"results": {"keep": True}}))
    text = next(file.text for file in emission.files if file.path == "context_management.json")
    assert json.loads(text) == {"edits": [{"type": "clear_tool_uses_20250919", "exclude_tools": ["crawl"]}]}


# OpenAI.


def test_openai_namespaces_hold_less_than_ten_functions_each() -> None:
    emission, tools = emit("openai")
    assert [entry["type"] for entry in tools] == ["function"] * 2 + ["namespace"] * 3 + ["tool_search"]
    spaces = {entry["name"]: entry for entry in tools if entry["type"] == "namespace"}
    assert {name: len(space["tools"]) for name, space in spaces.items()} == {
        "issues_all": 5,
        "issues_all_2": 6,
        "memory": 2,
    }
    assert spaces["memory"]["description"] == "Long-term notes."
    assert spaces["issues_all"]["description"] == "Track issues: issue_a, issue_b, issue_c, issue_d, issue_e"
    assert all("defer_loading" not in entry for entry in tools)
    assert all(inner["defer_loading"] is True for space in spaces.values() for inner in space["tools"])
    assert all(entry["strict"] is False for entry in tools if entry["type"] == "function")
    assert "Long-term notes." in emission.loaded
    assert "memory_write" not in emission.loaded


def test_openai_namespace_names_are_free_and_never_without_a_description() -> None:
    _, tools = emit("openai", catalog(tool("crm", "always"), tool("sell", group="crm"), tool("buy", group="***")))
    spaces = {entry["name"]: entry["description"] for entry in tools if entry["type"] == "namespace"}
    assert spaces == {"tools": "buy", "crm_2": "sell"}
    assert emit("openai", catalog(tool("crm", "always")))[1][-1]["type"] == "function"


@pytest.mark.parametrize("target", ["openai", "openai-chat", "anthropic"])
def test_strict_is_asked_for_where_the_schema_can_say_it(target: str) -> None:
    free = tool("free", "always", input_schema={"type": "object", "properties": {"bag": {"type": "object"}}})
    emission, tools = emit(target, catalog(tool("firm", "always"), free), strict=True)
    firm, loose = sorted(definitions(target, tools), key=lambda entry: entry["name"])
    assert firm["strict"] is True
    assert firm["schema"]["additionalProperties"] is False
    assert not loose.get("strict")
    assert "additionalProperties" not in loose["schema"]
    assert [(d.rule, d.subject) for d in emission.diagnostics] == [("strict-subset", "free")]


# Gemini.


def test_gemini_parameters_field_is_an_option() -> None:
    (plain,) = definitions("gemini", emit("gemini", catalog(MEMORY))[1])
    assert "parametersJsonSchema" in plain
    (old,) = definitions("gemini", emit("gemini", catalog(tool("t")), parameters="openapi")[1])
    assert old["parameters"]["properties"] == {"q": {"type": "string"}}
    emission, tools = emit("gemini", catalog(MEMORY), parameters="openapi")
    assert (tools, emission.quarantined) == ([], ("memory_write",))  # `tags` says no type for its items
    assert [d.rule for d in emission.diagnostics] == ["untyped-for-target"]


# MCP.


def test_mcp_annotates_what_is_known_and_marks_what_is_always_loaded() -> None:
    tools = {entry["name"]: entry for entry in emit("mcp")[1]["tools"]}
    assert tools["memory_write"]["annotations"] == {
        "readOnlyHint": False,
        "destructiveHint": True,
        "openWorldHint": False,
    }
    assert "annotations" not in tools["read"]
    assert tools["read"]["_meta"]["anthropic/alwaysLoad"] is True
    assert "anthropic/alwaysLoad" not in tools["memory_write"]["_meta"]


def test_mcp_output_schemas_and_titles_are_of_tools_with_one_operation() -> None:
    shape = {"type": "object", "properties": {"n": {"type": "integer"}}}
    subject = catalog(tool("one"), MEMORY, output=lambda: shape, extra={"title": "One thing"})
    assert not any("outputSchema" in entry for entry in emit("mcp", subject)[1]["tools"])
    merged, one = emit("mcp", subject, output_schemas=True)[1]["tools"]
    assert (one["outputSchema"], one["title"]) == (shape, "One thing")
    assert not {"outputSchema", "title"} & merged.keys()


# Pi.


def files(emission: Emission) -> dict[str, str]:
    return {file.path: file.text for file in emission.files}


def test_pi_config_names_defaults_and_groups() -> None:
    emission, tools = emit("pi")
    assert json.loads(files(emission)["dynamic-tools.json"]) == {
        "defaultTools": ["read", "bash", "edit", "write"],
        "groups": {"issues / all": [f"issue_{x}" for x in "abcdefghijk"], "memory": ["lookup", "memory_write"]},
        "autoResetOnSessionStart": True,
        "toolTtlRuns": 2,
    }
    assert tools[0].keys() == {"name", "label", "description", "parameters"}
    only = json.loads(files(emit("pi", catalog(tool("scan", "always")), tool_ttl_runs=5)[0])["dynamic-tools.json"])
    assert only["defaultTools"] == ["read", "bash", "edit", "write", "scan"]
    assert only["toolTtlRuns"] == 5


STANDBY = {
    "browser_use": ["browser_click", "browser_navigate", "browser_screenshot", "browser_type", "browser_wait"],
    "github": ["issue_read", "issue_write", "pull_request_read", "pull_request_write", "search_code", "workflow_run"],
    "loops": ["loop_start", "loop_list", "loop_stop"],
    "web_search": ["web_search", "web_fetch", "arxiv"],
    "memory": ["memory_read", "memory_write", "summarize_session"],
}


def test_pi_standby_list_names_each_tool_below_its_group_in_few_tokens() -> None:
    tools = [tool(name, group=group) for group, names in STANDBY.items() for name in names]
    assert len(tools) == 20
    text = files(emit("pi", catalog(tool("read", "always"), *tools))[0])["standby.md"]
    with Counter(cache=None) as counter:
        assert counter.count(text) <= 150
    found: dict[str, list[str]] = {}
    for line in text.splitlines()[1:]:
        if line.startswith("["):
            found[line.strip("[]")] = []
        else:
            found[list(found)[-1]].append(line.split(":")[0])
    assert found == {group: sorted(names) for group, names in sorted(STANDBY.items())}
    assert "pi-tool activate" in text.splitlines()[0]


def test_pi_standby_list_explains_tools_where_there_is_room() -> None:
    arxiv = tool("arxiv", group="web", description="Find papers by topic. Returns abstracts.")
    tools = [tool(f"web_{n}", group="web") for n in range(12)]
    assert "arxiv: Find papers by topic\n" in files(emit("pi", catalog(arxiv, *tools))[0])["standby.md"]


# The vendors' own types. Keys they do not know are errors.


def strict_adapter(kind: Any) -> Any:
    """A validator of a union of TypedDicts that refuses unknown keys."""
    import typing

    import pydantic
    from typing_extensions import is_typeddict

    def forbid(part: Any, seen: set[Any]) -> None:
        for inner in typing.get_args(part):
            forbid(inner, seen)
        if is_typeddict(part) and part not in seen:
            seen.add(part)
            if not hasattr(part, "__pydantic_config__"):
                part.__pydantic_config__ = pydantic.ConfigDict(extra="forbid")
            for hint in typing.get_type_hints(part).values():
                forbid(hint, seen)

    forbid(kind, set())
    return pydantic.TypeAdapter(kind)


@pytest.mark.parametrize("options", [{}, {"strict": True}, {"search": "bm25"}])
def test_anthropic_sdk_takes_the_tools(options: Any) -> None:
    from anthropic.types import ToolUnionParam

    adapter = strict_adapter(ToolUnionParam)
    for entry in emit("anthropic", **options)[1]:
        adapter.validate_python(entry)
        with pytest.raises(ValueError, match="extra"):
            adapter.validate_python({**entry, "extra": 1})


@pytest.mark.parametrize("options", [{}, {"strict": True}])
def test_openai_sdk_takes_the_tools(options: Any) -> None:
    from openai.types.chat import ChatCompletionFunctionToolParam
    from openai.types.responses import ToolParam
    from openai.types.responses.namespace_tool_param import ToolFunction

    adapter, inner_adapter = strict_adapter(ToolParam), strict_adapter(ToolFunction)
    for entry in emit("openai", **options)[1]:
        adapter.validate_python(entry)
        for inner in entry.get("tools", ()):
            inner_adapter.validate_python(inner)
            with pytest.raises(ValueError, match="extra"):
                inner_adapter.validate_python({**inner, "extra": 1})
    chat = strict_adapter(ChatCompletionFunctionToolParam)
    for entry in emit("openai-chat", **options)[1]:
        chat.validate_python(entry)


@pytest.mark.parametrize("parameters", ["json-schema", "openapi"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_gemini_sdk_takes_the_tools(parameters: str) -> None:
    from google.genai import types

    emission, tools = emit("gemini", parameters=parameters)
    (parsed,) = [types.Tool.model_validate(entry) for entry in tools]
    assert len(parsed.function_declarations or ()) == len(MIXED.tools) - len(emission.quarantined)


def test_mcp_sdk_takes_the_result() -> None:
    from mcp.types import ListToolsResult

    written = emit("mcp")[1]
    result = ListToolsResult.model_validate(written)
    assert result.model_dump(by_alias=True, exclude_none=True, mode="json") == written
