"""What becomes one tool, what it is called and what it says: whole catalogs through config, reader and passes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolc.cli import run
from toolc.runtime import Bundle, Refused
from toolc.tokens import Counter

MEMORY = {
    "memory_create": ("Create a memory.", ["content"]),
    "memory_update": ("Update a memory.", ["id", "content"]),
    "memory_delete": ("Delete a memory.", ["id"]),
    "memory_search": ("Search memories.", ["query"]),
    "memory_get": ("Get a memory.", ["id"]),
}
TOGETHER = {"s": {"type": "tools", "path": "tools.json", "separate": []}}
TEXTS = {"content": "Memory content.", "id": "Memory id.", "query": "Words to look for."}


def built(folder: Path, tools: list[dict[str, Any]] | None = None, **config: Any) -> dict[str, Any]:
    """The bundle of one `tools` source, or of the sources in config."""
    if tools is not None:
        (folder / "tools.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")
        config.setdefault("sources", {"s": {"type": "tools", "path": "tools.json"}})
    settings = {"version": 1, "name": "t", "targets": {"mcp": {}}, **config}
    (folder / "toolc.yaml").write_text(json.dumps(settings), encoding="utf-8")
    assert run(["build", str(folder / "toolc.yaml")]) == 0
    data: dict[str, Any] = json.loads((folder / "bundle/bundle.json").read_text(encoding="utf-8"))
    return data


def tool(name: str, description: str, required: list[str], **properties: Any) -> dict[str, Any]:
    known = {key: {"type": "string", "description": TEXTS[key]} for key in required if key in TEXTS}
    return {
        "name": name,
        "description": description,
        "input": {"type": "object", "properties": {**known, **properties}, "required": required},
    }


def memory() -> list[dict[str, Any]]:
    return [tool(name, text, required) for name, (text, required) in MEMORY.items()]


def actions(data: dict[str, Any]) -> dict[str, dict[str, str]]:
    """By tool, {action: operation}; `` for a tool with one operation."""
    return {
        one["name"]: {" ".join(case["when"].values()): case["operation"] for case in one["dispatch"]["cases"]}
        for one in data["tools"]
    }


def test_memory_becomes_a_reading_and_a_writing_tool(tmp_path: Path) -> None:
    data = built(tmp_path, memory())
    assert actions(data) == {
        "memory_read": {"get": "s:memory_get", "search": "s:memory_search"},
        "memory_write": {"create": "s:memory_create", "update": "s:memory_update", "delete": "s:memory_delete"},
    }
    write = next(one for one in data["tools"] if one["name"] == "memory_write")
    properties = write["input_schema"]["properties"]
    assert write["input_schema"]["required"] == ["action"]
    assert properties["action"]["enum"] == ["create", "update", "delete"]
    assert properties["id"]["description"].endswith("Required: update, delete.")
    assert properties["content"]["description"].endswith("Required: create, update.")
    assert {name: alias["when"] for name, alias in data["aliases"].items()} == {
        name: {"action": name.removeprefix("memory_")} for name in MEMORY
    }


def test_the_writing_side_costs_at_most_65_per_cent_of_its_tools(tmp_path: Path) -> None:
    data = built(tmp_path, memory())
    counter = Counter()
    write = next(one for one in data["tools"] if one["name"] == "memory_write")
    merged = counter.canonical(write["name"], write["description"], write["input_schema"])
    apart = sum(
        counter.canonical(one["name"], one["description"], one["input"])
        for one in memory()
        if one["name"] in ("memory_create", "memory_update", "memory_delete")
    )
    assert merged <= 0.65 * apart


def test_nothing_kept_apart_makes_one_tool(tmp_path: Path) -> None:
    data = built(tmp_path, memory(), sources=TOGETHER)
    assert list(actions(data)) == ["memory"]
    assert list(actions(data)["memory"]) == ["get", "search", "create", "update", "delete"]


def test_keep_and_a_pinned_name_stay_out(tmp_path: Path) -> None:
    source = {"type": "tools", "path": "tools.json", "overrides": {"memory_update": {"name": "remember_better"}}}
    data = built(tmp_path, memory(), sources={"s": source}, consolidate={"keep": ["s:memory_delete"]})
    assert actions(data)["memory_delete"] == {"": "s:memory_delete"}
    assert actions(data)["remember_better"] == {"": "s:memory_update"}


def test_a_taken_selector_gives_way(tmp_path: Path) -> None:
    tools = memory()[:3]
    tools[0]["input"]["properties"]["action"] = {"type": "string"}
    data = built(tmp_path, tools)
    (write,) = [one for one in data["tools"] if one["name"] == "memory_write"]
    assert write["dispatch"]["select"] == ["operation"]
    assert "action" in write["input_schema"]["properties"]


def test_forms_that_differ_are_renamed_and_bounds_are_the_loosest(tmp_path: Path) -> None:
    kinds = [["a", "b"], ["b", "c"]]
    tools = memory()[:2]
    for one, values, most in zip(tools, kinds, (5, 9), strict=True):
        one["input"]["properties"]["kind"] = {"type": "string", "enum": values}
        one["input"]["properties"]["title"] = {"type": "string", "maxLength": most}
    (write,) = built(tmp_path, tools)["tools"]
    properties = write["input_schema"]["properties"]
    # a tie: the form of the first action keeps the plain name
    assert properties["kind"]["enum"] == ["a", "b"]
    assert properties["update_kind"]["enum"] == ["b", "c"]
    assert properties["title"]["maxLength"] == 9
    assert [case.get("args", {}) for case in write["dispatch"]["cases"]] == [{}, {"update_kind": "kind"}]


def test_caps_split_a_family_and_lose_nothing(tmp_path: Path) -> None:
    data = built(tmp_path, memory(), sources=TOGETHER, consolidate={"max_actions": 3})
    found = actions(data)
    assert all(len(one) <= 3 for one in found.values())
    assert sorted(op for one in found.values() for op in one.values()) == sorted(f"s:{name}" for name in MEMORY)


def test_sources_with_one_name_are_both_qualified_and_the_bare_name_is_no_alias(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"tools": [tool("ping", f"Ping {name}.", [])]}))
    sources = {name: {"type": "tools", "path": f"{name}.json"} for name in ("a", "b")}
    data = built(tmp_path, sources=sources)
    assert set(actions(data)) == {"a_ping", "b_ping"}
    assert "ping" not in data["aliases"]
    with pytest.raises(Refused, match=r"no tool `ping`\. Did you mean `a_ping` or `b_ping`\?$"):
        Bundle.load(tmp_path / "bundle").resolve("ping", {})


def test_a_new_operation_joins_and_changes_no_other_tool(tmp_path: Path) -> None:
    tools = [*memory(), tool("note_create", "Create a note.", ["content"]), tool("note_delete", "Drop it.", ["id"])]
    before = built(tmp_path, tools)
    after = built(tmp_path, [tool("memory_archive", "Archive a memory.", ["id"]), *tools])
    old, new = actions(before), actions(after)
    for name, found in old.items():
        assert found.items() <= new[name].items()
    kept = {one["name"]: one for one in after["tools"]}
    for one in before["tools"]:
        if not one["name"].startswith("memory_write"):
            assert {**kept[one["name"]], "origins": 0} == {**one, "origins": 0}


def test_the_order_in_the_source_changes_nothing(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    first, second = built(one, memory()), built(other, memory()[::-1])
    assert actions(first) == actions(second)
    assert [t["description"] for t in first["tools"]] == [t["description"] for t in second["tools"]]


SHARED = "Region of the data centre that answers, as a short code."


def paths(*calls: tuple[str, str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for method, path, name in calls:
        names = [part[1:-1] for part in path.replace(":", "/").split("/") if part.startswith("{")]
        found.setdefault(path, {})[method] = {
            "operationId": name,
            "summary": f"{name} does a thing that is told at some length here.",
            "parameters": [
                {"name": "region", "in": "query", "description": SHARED, "schema": {"type": "string"}},
                *({"name": one, "in": "path", "required": True, "schema": {"type": "string"}} for one in names),
            ],
            "responses": {"200": {"description": "ok"}},
        }
    return {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": found}


def spec(folder: Path, *calls: tuple[str, str, str]) -> dict[str, Any]:
    (folder / "api.json").write_text(json.dumps(paths(*calls)), encoding="utf-8")
    return built(folder, sources={"api": {"type": "openapi", "path": "api.json"}})


def test_versions_are_no_nouns_and_a_collection_is_listed(tmp_path: Path) -> None:
    data = spec(tmp_path, ("get", "/api/v2/keys", "get_keys"), ("get", "/api/v2/keys/{key}", "get_keys_id"))
    assert actions(data) == {"key_read": {"get": "api:get_keys_id", "list": "api:get_keys"}}
    assert data["tools"][0]["description"].startswith("Get or list keys.")


def test_method_names_behind_dots_are_actions(tmp_path: Path) -> None:
    data = spec(tmp_path, ("get", "/users.list", "users_list"), ("get", "/users.info", "users_info"))
    assert actions(data) == {"user_read": {"get": "api:users_info", "list": "api:users_list"}}


def test_methods_tell_apart_what_names_do_not(tmp_path: Path) -> None:
    stripe = spec(
        tmp_path,
        ("post", "/v1/customers", "PostCustomers"),
        ("post", "/v1/customers/{customer}", "PostCustomersCustomer"),
    )
    assert calls(stripe) == {"customer_write": ["create", "update"]}
    (tmp_path / "toolc.lock").unlink()
    replacing = spec(tmp_path, ("put", "/things", "replaceThings"), ("put", "/things/{id}", "replaceThing"))
    assert calls(replacing) == {"thing_write": ["replace", "replace_many"]}
    given = paths(("put", "/things", "a"), ("put", "/things/{id}", "b"), ("patch", "/things/{id}", "c"))
    for item in given["paths"].values():
        for operation in item.values():
            del operation["operationId"]
    (tmp_path / "api.json").write_text(json.dumps(given), encoding="utf-8")
    (tmp_path / "toolc.lock").unlink()
    data = built(tmp_path, sources={"api": {"type": "openapi", "path": "api.json"}})
    assert actions(data)["thing_write"] == {
        "update": "api:patch /things/{id}",
        "replace": "api:put /things/{id}",
        "replace_many": "api:put /things",
    }


def test_a_read_of_what_is_named_by_a_verb_does_not_claim_to_do_it(tmp_path: Path) -> None:
    data = spec(
        tmp_path,
        ("get", "/pulls", "pulls_list"),
        ("get", "/pulls/{n}", "pulls_get"),
        ("get", "/pulls/{n}/merge", "pulls/check-if-merged"),
        ("put", "/pulls/{n}/merge", "pulls/merge"),
        ("patch", "/pulls/{n}", "pulls/update"),
    )
    read = actions(data)["pull_read"]
    assert "merge" not in read
    assert read["check_merge"] == "api:pulls/check-if-merged"


def calls(data: dict[str, Any]) -> dict[str, list[str]]:
    """By tool with several operations, its actions."""
    return {name: list(found) for name, found in actions(data).items() if len(found) > 1}


LONG = "Words that stand with every tool of this list, so that saying them once is worth a tool."


def named(*names: str, **texts: str) -> list[dict[str, Any]]:
    return [tool(name, texts.get(name, f"{LONG} ({name})"), ["content"]) for name in names]


def test_the_words_of_names_form_a_tree_as_paths_do(tmp_path: Path) -> None:
    names = ("list_loki_label_names", "list_loki_label_values", "get_loki_stats", "get_sift", "list_zones")
    data = built(tmp_path, named(*names))
    assert calls(data) == {"loki_read": ["get_stats", "list_label_names", "list_label_values"]}
    assert data["tools"][0]["name"] == "get_sift"


def test_names_without_a_verb_are_a_family_by_two_words_or_by_a_known_thing(tmp_path: Path) -> None:
    names = ("web_data_amazon", "web_data_etsy", "squeeze_key", "squeeze_hand", "commit_git", "git_tree", "git_blame")
    data = built(tmp_path, named(*names))
    assert calls(data) == {"git_write": ["blame", "commit", "tree"], "web_data_write": ["amazon", "etsy"]}


def test_a_product_before_every_name_is_no_noun(tmp_path: Path) -> None:
    names = ("n8n_get_flow", "n8n_validate_flows", "n8n_get_node", "n8n_validate_nodes", "n8n_health", "n8n_ask")
    assert calls(built(tmp_path, named(*names))) == {
        "flow_read": ["get", "validate"],
        "node_read": ["get", "validate"],
        "n8n_write": ["ask", "health"],
    }


def test_what_an_import_goes_to_is_its_noun(tmp_path: Path) -> None:
    data = built(tmp_path, named("import_to_cloud_doc", "import_to_cloud_sheet", "get_zone", "get_area"))
    assert calls(data) == {"cloud_write": ["import_doc", "import_sheet"]}


def test_words_that_say_which_or_how_many_are_no_nouns(tmp_path: Path) -> None:
    data = built(tmp_path, named("get_current_user", "list_all_users", "get_current_time"))
    assert calls(data) == {"user_read": ["get", "list"]}


def test_a_verb_with_nothing_but_such_words_has_no_family(tmp_path: Path) -> None:
    assert calls(built(tmp_path, named("update_many", "replace-many", "get_all", "list_all"))) == {}


def test_a_text_that_ends_in_a_block_of_code_or_a_quoted_sentence_gets_no_full_stop(tmp_path: Path) -> None:
    texts = {
        "create_note": f'{LONG} Say "Please."',
        "update_note": f"{LONG} For example:\n```json\n{{}}\n```",
        "move_note": f"{LONG} Moves it (see below)",
    }
    (write,) = built(tmp_path, named(*texts, **texts))["tools"]
    assert write["description"] == (
        f"Create, update or move notes.\nAll: {LONG}\n"
        'create: Say "Please."\nupdate: For example:\n```json\n{}\n```\nmove: Moves it (see below).'
    )


def test_a_word_that_may_be_a_noun_is_the_verb_where_its_sibling_has_one(tmp_path: Path) -> None:
    data = built(tmp_path, named("cookie_create", "cookie_set", "cookie_test", "stage_test"))
    assert calls(data) == {"cookie_write": ["create", "set", "test"]}


def test_sentences_that_all_say_are_said_once(tmp_path: Path) -> None:
    texts = {
        "create_note": f"{LONG} Makes a note.\nIt is kept.",
        "update_note": f"Changes a note of a user.\n{LONG}\nIt is kept.",
    }
    (write,) = built(tmp_path, named(*texts, **texts))["tools"]
    assert write["description"] == (
        f"Create or update notes.\nAll: {LONG}\ncreate: Makes a note.\nIt is kept.\n"
        "update: Changes a note of a user.\nIt is kept."
    )


def test_a_text_with_a_purpose_of_its_own_does_not_stand_for_others(tmp_path: Path) -> None:
    tools = memory()[:3]
    for one, text in zip(tools, ("Name.", "English name to update.", "Name. At most one."), strict=True):
        one["input"]["properties"]["name"] = {"type": "string", "description": text}
    (write,) = built(tmp_path, tools)["tools"]
    # `Name.` stands in `Name. At most one.`, but what is created is not updated
    assert write["input_schema"]["properties"]["name"]["description"] == (
        "update: English name to update; delete: Name. At most one."
    )


def test_a_family_by_hand_is_split_by_safety_class(tmp_path: Path) -> None:
    tools = named("spark_ignite", "get_flame", "list_fires", "delete_smoke")
    data = built(tmp_path, tools, consolidate={"families": {"blaze": ["s:*"]}})
    assert calls(data) == {"blaze_read": ["get_flame", "list_fires"], "blaze_write": ["delete_smoke", "spark_ignite"]}


def test_a_family_by_hand_of_an_api_has_short_actions(tmp_path: Path) -> None:
    calls_of = [
        ("get", "/repos/{r}/labels", "issues/list-labels-for-repo"),
        ("get", "/repos/{r}/issues/{n}/labels", "issues/list-labels-on-milestone"),
        ("get", "/repos/{r}/labels/{l}", "issues/get-label"),
    ]
    (tmp_path / "api.json").write_text(json.dumps(paths(*calls_of)), encoding="utf-8")
    sources = {"api": {"type": "openapi", "path": "api.json"}}
    data = built(tmp_path, sources=sources, consolidate={"families": {"label": ["api:issues/*label*"]}})
    assert calls(data) == {"label_read": ["get", "list_milestone", "list_repo"]}


def test_a_family_by_hand_gathers_by_selector_and_keep_takes_out_of_it(tmp_path: Path) -> None:
    tools = named("get_flame", "get_wood", "get_coal", "delete_wood", "delete_coal", "delete_oil")
    by_hand = {"families": {"fuel": ["effect:read", "!*flame"]}, "keep": ["s:delete_oil", "*_wood"]}
    assert calls(built(tmp_path, tools, consolidate=by_hand)) == {}
    (tmp_path / "toolc.lock").unlink()
    assert calls(built(tmp_path, tools, consolidate={"families": by_hand["families"]})) == {
        "fuel_read": ["get_coal", "get_wood"]
    }


def test_a_family_by_hand_holds_operations_of_one_source_each(tmp_path: Path) -> None:
    for name in ("a", "b"):
        tools = named(f"get_{name}flame", f"get_{name}wood")
        (tmp_path / f"{name}.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")
    sources = {name: {"type": "tools", "path": f"{name}.json"} for name in ("a", "b")}
    data = built(tmp_path, sources=sources, consolidate={"families": {"fuel": ["*flame", "*wood"]}})
    assert calls(data) == {"a_fuel_read": ["get_aflame", "get_awood"], "b_fuel_read": ["get_bflame", "get_bwood"]}


def unmerged(folder: Path) -> dict[str, str]:
    report: dict[str, dict[str, str]] = json.loads((folder / "bundle/report.json").read_text(encoding="utf-8"))
    return report["unmerged"]


def test_what_cannot_merge_says_why(tmp_path: Path) -> None:
    tools = named("get_flame", "get_wood", "get_coal", "get_oil")
    tools[0]["input"]["additionalProperties"] = {"type": "string"}
    tools[1]["input"] = {"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    tools[2]["input"]["properties"] = {f"long_name_{n}": {"type": "string"} for n in range(20)}
    tools[3]["input"]["properties"] = {f"other_name_{n}": {"type": "string"} for n in range(20)}
    for one in tools[2:]:
        one["input"]["required"] = []
    built(tmp_path, tools, consolidate={"families": {"fuel": ["*"]}})
    assert unmerged(tmp_path) == {
        "s:get_flame": "takes free keys",
        "s:get_wood": "takes alternatives or free keys without declared properties",
        "fuel_read": "40 parameters are more than 25",
    }


def test_apart_for_a_name_and_apart_by_the_lock_are_two_reasons(tmp_path: Path) -> None:
    sources = {f"qz7xk9wv3j_{n}": {"type": "tools", "path": "tools.json"} for n in (1, 2)}
    tools = [
        {"name": name, "description": "Get oil.", "input": {"type": "object", "properties": {}}}
        for name in ("get_oil", "list_oils")
    ]
    (tmp_path / "tools.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")
    for _ in range(2):  # with the lock as without one
        built(tmp_path, sources=sources)
        (reason,) = unmerged(tmp_path).values()
        assert reason.startswith("dearer than apart under the longer name")
    (tmp_path / "toolc.lock").unlink()
    built(tmp_path, memory(), consolidate={"enabled": False})
    assert unmerged(tmp_path) == {}
    built(tmp_path, memory())
    assert set(unmerged(tmp_path)) == {"memory_read", "memory_write"}
    assert all("by the lock" in reason for reason in unmerged(tmp_path).values())


def test_a_new_operation_beside_a_full_tool_stands_alone(tmp_path: Path) -> None:
    caps = {"consolidate": {"max_actions": 3}}
    old = actions(built(tmp_path, named("get_oil", "list_oils", "validate_oil"), **caps))
    new = actions(
        built(tmp_path, named("count_all_oils", "compare_oils", "get_oil", "list_oils", "validate_oil"), **caps)
    )
    assert old == {"oil_read": {"get": "s:get_oil", "list": "s:list_oils", "validate": "s:validate_oil"}}
    assert new["oil_read"] == old["oil_read"]
    assert sorted(op for found in new.values() for op in found.values()).count("s:compare_oils") == 1


def test_a_new_operation_takes_no_name_that_another_source_has(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"tools": [tool("ping", "Ping a.", [])]}))
    (tmp_path / "b.json").write_text(json.dumps({"tools": [tool("pong", "Pong b.", [])]}))
    sources = {name: {"type": "tools", "path": f"{name}.json"} for name in ("a", "b")}
    before = actions(built(tmp_path, sources=sources))
    (tmp_path / "b.json").write_text(json.dumps({"tools": [tool("pong", "Pong b.", []), tool("ping", "Ping b.", [])]}))
    after = actions(built(tmp_path, sources=sources))
    assert before == {"ping": {"": "a:ping"}, "pong": {"": "b:pong"}}
    assert after == {**before, "b_ping": {"": "b:ping"}}


def test_a_default_of_one_action_is_said_as_json(tmp_path: Path) -> None:
    tools = memory()
    defaults = {"tags": ["a"], "filter": {"on": True}, "note": "", "kind": "plain", "pin": False}
    for one, own in ((tools[0], defaults), (tools[1], {})):
        for name in defaults:
            one["input"]["properties"][name] = {"default": own[name]} if name in own else {}
    write = next(one for one in built(tmp_path, tools)["tools"] if one["name"] == "memory_write")
    properties = write["input_schema"]["properties"]
    assert {name: properties[name]["description"].split("default ")[1].split(". ")[0] for name in defaults} == {
        "tags": '["a"]',
        "filter": '{"on": true}',
        "note": '""',
        "kind": "plain",
        "pin": "false",
    }


def test_actions_say_the_verbs_of_their_source(tmp_path: Path) -> None:
    names = ("git_show", "git_diff", "git_fetch", "http_post", "http_put", "http_patch")
    data = built(tmp_path, named(*names))
    assert set().union(*calls(data).values()) == {"show", "diff", "fetch", "post", "put", "patch"}
    # they stand where the verbs that they mean stand
    (tmp_path / "toolc.lock").unlink()
    found = calls(built(tmp_path, named("note_view", "note_find", "note_list")))
    assert list(found.values()) == [["view", "list", "find"]]


def test_an_action_of_an_api_says_the_verb_behind_its_tag(tmp_path: Path) -> None:
    data = spec(
        tmp_path,
        ("post", "/load_balancers/{id}", "loadBalancers_update"),
        ("delete", "/load_balancers/{id}", "loadBalancers_delete"),
        ("post", "/load_balancers/{id}/droplets", "loadBalancers_add_droplets"),
        ("delete", "/load_balancers/{id}/droplets", "loadBalancers_remove_droplets"),
        ("post", "/load_balancers/{id}/authors", "loadBalancers_map_author"),
    )
    said = set().union(*calls(data).values())
    # `delete_droplets` would destroy machines that are only taken out
    assert {"add_droplets", "remove_droplets"} <= said


def test_an_action_on_one_thing_says_it_in_the_singular(tmp_path: Path) -> None:
    data = spec(
        tmp_path,
        ("get", "/dbs/{d}", "getDb"),
        ("get", "/dbs/{d}/replicas", "listReplicas"),
        ("get", "/dbs/{d}/stats/{s}", "getStats"),
        ("delete", "/dbs/{d}", "deleteDb"),
        ("delete", "/dbs/{d}/replicas/{r}", "destroyCopy"),
        ("delete", "/dbs/{d}/tags", "deleteTags"),
        ("post", "/dbs", "createDb"),
        ("post", "/dbs/{d}/backups", "createBackup"),
        ("post", "/dbs/{d}/users", "createUsers"),
    )
    said = set().union(*calls(data).values())
    assert {"delete_replica", "delete_tags", "create_backup", "create_users", "get_stats", "list_replicas"} <= said


def test_what_all_names_go_on_with_is_no_noun(tmp_path: Path) -> None:
    data = built(tmp_path, named("build_song_from_text", "build_song_from_file", "doc_to_html", "doc_to_pdf"))
    assert calls(data) == {"song_write": ["build_from_file", "build_from_text"], "doc_write": ["to_html", "to_pdf"]}
    song = next(one for one in data["tools"] if one["name"] == "song_write")
    assert song["description"].startswith("Build song from file or from text.")


def test_a_tool_is_called_destructive_only_if_that_is_known(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(
        json.dumps(
            {
                "tools": [
                    {"name": name, "description": f"{LONG} ({name})", "inputSchema": tool("", "", ["content"])["input"]}
                    for name in ("dice_manage", "dice_handle", "coin_delete", "coin_manage", "pen_delete", "pen_erase")
                ]
            }
        ),
        encoding="utf-8",
    )
    data = built(tmp_path, sources={"s": {"type": "mcp", "path": "s.json"}})
    # `pen_delete` belongs to the operation of that name
    assert calls(data).keys() == {"dice", "coin_destructive", "pen_destructive"}


def test_parts_of_a_text_are_said_for_all_as_a_whole(tmp_path: Path) -> None:
    same = "Returns:\n    A list of notes, with the newest of them first."
    texts = {
        "create_note": f"Makes a note of what was said.\n\nArgs:\n    content: What to keep. It may be long.\n\n{same}",
        "update_note": f"Changes a note of a user.\n\nArgs:\n    content: What to say. It may be long.\n\n{same}",
    }
    (write,) = built(tmp_path, named(*texts, **texts))["tools"]
    assert write["description"] == (
        "Create or update notes.\nAll: Returns: A list of notes, with the newest of them first.\n"
        "create: Makes a note of what was said.\n\nArgs:\n    content: What to keep. It may be long.\n"
        "update: Changes a note of a user.\n\nArgs:\n    content: What to say. It may be long."
    )


def test_a_line_that_only_introduces_itself_is_left_out(tmp_path: Path) -> None:
    texts = {
        "create_note": "This endpoint allows you to create a note.",
        "update_note": "This endpoint allows you to update a note, and only that.",
    }
    (write,) = built(tmp_path, named(*texts, **texts))["tools"]
    assert write["description"] == "Create or update notes.\nupdate: Update a note, and only that."


def test_a_parameter_text_that_repeats_names_is_left_out_of_several(tmp_path: Path) -> None:
    tools = memory()[:3]
    for one, text in zip(tools, ("Size", "New size", "The size to delete."), strict=True):
        one["input"]["properties"]["size"] = {"type": "string", "description": text}
    (write,) = built(tmp_path, tools)["tools"]
    # what is created gets no new size
    assert write["input_schema"]["properties"]["size"].get("description", "") == ""
    (tmp_path / "toolc.lock").unlink()
    for one, text in zip(tools, ("Size of it in MB", "Size to update", "Size to free, in GB"), strict=True):
        one["input"]["properties"]["size"] = {"type": "string", "description": text}
    (write,) = built(tmp_path, tools)["tools"]
    assert write["input_schema"]["properties"]["size"]["description"] == (
        "create: Size of it in MB; delete: Size to free, in GB"
    )
