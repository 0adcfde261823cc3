"""Findings on merged tools point at every place they were merged from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conftest import Cli

TEXT = "Name of the database on the staging server that is looked at, as `list_databases` gives it."


def operation(verb: str, noun: str) -> dict[str, Any]:
    properties = {
        "database": {"type": "string", "description": TEXT},
        "id": {"type": "string", "description": f"Which {noun} is meant."},
    }
    text = f"{verb.title()} the {noun} of a customer, as <b>agreed</b>."
    schema = {"type": "object", "properties": properties, "required": ["id"]}
    return {"name": f"{verb}_{noun}", "description": text, "input": schema, "hints": {"destructive": False}}


def test_every_place_is_named(tmp_path: Path, toolc_cli: Cli) -> None:
    tools = {"tools": [operation(verb, noun) for noun in ("order", "parcel") for verb in ("create", "update")]}
    text = json.dumps(tools, indent=1)
    (tmp_path / "tools.json").write_text(text)
    (tmp_path / "toolc.yaml").write_text(
        "version: 1\nname: t\nsources:\n  core: {type: tools, path: tools.json}\ntargets: {mcp: {}}\n"
        "budgets: {tool: 10}\n"
        "consolidate: {families: {order: ['core:*_order'], parcel: ['core:*_parcel']}}\n"
    )
    run = toolc_cli("lint", "--preset=all", "--format=json", "--fail-on=never", "--no-cache")
    found = json.loads(run.stdout)["diagnostics"]
    bundle_tools = {each["subject"] for each in found if each["rule"] == "over-budget"}
    assert bundle_tools == {"order_write", "parcel_write"}
    lines = text.split("\n")
    told = 0
    for each in found:
        if each["subject"] not in bundle_tools:
            continue
        noun = each["subject"].partition("_")[0]
        places = [each, *each["related"]]
        named = {
            verb
            for verb in ("create", "update")
            for place in places
            if place["file"] == "tools.json"
            and f'"{verb}_{noun}"' in "\n".join(lines[place["line"] - 1 : place["line"] + 2])
        }
        if each["rule"] in ("over-budget", "markup-noise", "heavy-tool"):
            assert named == {"create", "update"}, each
            told += 1
    assert told >= 3
