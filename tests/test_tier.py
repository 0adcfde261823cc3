"""Which tools are activated together: declared groups, else tags, prefixes of names, sources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from toolc import config
from toolc.diagnostics import Report
from toolc.pipeline import build


def groups(folder: Path, sources: dict[str, list[str]], **more: Any) -> dict[str, set[str]]:
    """The groups of a catalog whose sources have tools of these names."""
    declared = {}
    for name, tools in sources.items():
        listed = [{"name": tool, "description": "Do it.", "inputSchema": {"type": "object"}} for tool in tools]
        (folder / f"{name}.json").write_text(json.dumps({"tools": listed}), encoding="utf-8")
        declared[name] = {"type": "mcp", "path": f"{name}.json"}
    data = {"version": 1, "name": "t", "sources": declared, "consolidate": {"enabled": False}, **more}
    (folder / "toolc.yaml").write_text(json.dumps(data), encoding="utf-8")
    catalog = build(config.load(folder / "toolc.yaml", Report())).catalog
    return {group.name: set(group.tools) for group in catalog.groups}


WEB = [f"web_data_{letter}_posts" for letter in "abcdefghijklmno"]
PAGES = ["pages_open", "pages_shut", "pages_turn"]
OTHERS = ["list_zones", "get_zone", "sole_thing", "plainword"]


def test_a_large_source_is_told_apart_by_prefixes(tmp_path: Path) -> None:
    found = groups(tmp_path, {"srv": [*WEB, *PAGES, *OTHERS]})
    assert found == {"web_data": set(WEB), "pages": set(PAGES), "srv": set(OTHERS)}


def test_a_small_source_is_one_group(tmp_path: Path) -> None:
    assert groups(tmp_path, {"srv": [*WEB, *PAGES]}) == {"srv": {*WEB, *PAGES}}


def test_a_prefix_that_all_names_have_tells_nothing_apart(tmp_path: Path) -> None:
    names = [f"acme_{number}" for number in "abcdefghijklmnopqrstuvw"]
    assert groups(tmp_path, {"srv": names}) == {"srv": set(names)}


def test_names_that_begin_with_a_verb_share_no_prefix(tmp_path: Path) -> None:
    names = [*(f"list_{letter}x" for letter in "abcdefghijk"), *(f"get_{letter}x" for letter in "abcdefghijk")]
    assert groups(tmp_path, {"srv": names}) == {"srv": set(names)}


def test_declared_groups_come_first_and_their_names_are_their_own(tmp_path: Path) -> None:
    found = groups(tmp_path, {"srv": [*WEB, *PAGES, *OTHERS]}, groups={"pages": {"select": ["srv:*_a_posts"]}})
    assert found["pages"] == {"web_data_a_posts"}
    assert found["srv: pages"] == set(PAGES)
