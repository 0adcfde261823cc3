"""Every catalog that comes with toolc builds without a finding, and its inputs are what they say they are."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest
import yaml
from conftest import ROOT, Cli
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

CATALOGS = ROOT / "catalogs"
NAMES = sorted(path.parent.name for path in CATALOGS.glob("*/toolc.yaml"))
METHODS = ("get", "put", "post", "patch", "delete")


def load(*parts: str) -> dict:
    return yaml.safe_load(CATALOGS.joinpath(*parts).read_text(encoding="utf-8"))


def native_tools(catalog: str) -> list[dict]:
    return load(catalog, "tools.yaml")["tools"]


def build(name: str, cli: Cli, tmp_path: Path) -> dict:
    """Build a copy of a catalog, so that the lock is not written beside the shipped one."""
    shutil.copytree(CATALOGS / name, tmp_path / name, ignore=shutil.ignore_patterns("toolc.lock"))
    done = cli("build", tmp_path / name / "toolc.yaml", "-o", tmp_path / "bundle", "--strict", "--lint")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return json.loads((tmp_path / "bundle" / "bundle.json").read_text(encoding="utf-8"))


def test_the_catalogs_of_the_readme_are_there() -> None:
    assert NAMES == ["coding-agent", "everything", "library-db", "memory", "shop-api"]


@pytest.mark.parametrize("name", NAMES)
def test_catalog_builds_and_reaches_every_operation(name: str, toolc_cli: Cli, tmp_path: Path) -> None:
    bundle = build(name, toolc_cli, tmp_path)
    operations = [operation["id"] for operation in bundle["operations"]]
    reached = sorted(case["operation"] for tool in bundle["tools"] for case in tool["dispatch"]["cases"])
    assert operations
    assert reached == operations


def test_everything_holds_all_operations_of_its_parts(toolc_cli: Cli, tmp_path: Path) -> None:
    counts: dict[str, int] = {}
    for operation in build("everything", toolc_cli, tmp_path)["operations"]:
        counts[operation["source"]] = counts.get(operation["source"], 0) + 1
    routes = load("shop-api", "openapi.yaml")["paths"].values()
    assert counts["shop"] == sum(method in METHODS for path in routes for method in path)
    assert counts["agent"] == len(native_tools("coding-agent"))
    assert counts["memory"] == 5
    # Eight tables with list, get, count, create, update, delete; one view with list and count.
    assert counts["library"] == 8 * 6 + 2


def test_the_place_of_an_included_catalog_does_not_show_in_what_is_built(toolc_cli: Cli, tmp_path: Path) -> None:
    written = []
    for folder in (tmp_path / "here", tmp_path / "far" / "down" / "there"):
        folder.mkdir(parents=True)
        (folder / "toolc.yaml").write_text("version: 1\nname: mine\ninclude: ['catalog:memory']\n", encoding="utf-8")
        done = toolc_cli("build", cwd=folder)
        assert done.returncode == 0, done.stdout + done.stderr
        written.append({path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()})
    here, there = written
    assert here.keys() == there.keys()
    assert [path.as_posix() for path in here if here[path] != there[path]] == []


def test_memory_becomes_a_read_and_a_write_tool(toolc_cli: Cli, tmp_path: Path) -> None:
    tools = {tool["name"]: tool for tool in build("memory", toolc_cli, tmp_path)["tools"]}
    assert sorted(tools) == ["memory_read", "memory_write"]
    assert tools["memory_write"]["input_schema"]["properties"]["action"]["enum"] == ["create", "update", "delete"]


@pytest.mark.parametrize("catalog", ["coding-agent", "memory"])
def test_native_tools_have_valid_schemas_and_examples(catalog: str) -> None:
    for tool in native_tools(catalog):
        Draft202012Validator.check_schema(tool["input"])
        for example in tool.get("examples", ()):
            Draft202012Validator(tool["input"]).validate(example)


def test_shop_api_is_valid_openapi_and_so_are_its_examples() -> None:
    document = load("shop-api", "openapi.yaml")
    assert document["openapi"].startswith("3.1.")
    OpenAPIV31SpecValidator(document).validate()
    assert sum(len(path.keys() & set(METHODS)) for path in document["paths"].values()) >= 20
    for path in document["paths"].values():
        for operation in (path[method] for method in METHODS if method in path):
            for media in operation.get("requestBody", {}).get("content", {}).values():
                examples = [entry["value"] for entry in media.get("examples", {}).values()]
                if "example" in media:
                    examples.append(media["example"])
                for example in examples:
                    schema = {**media["schema"], "components": document["components"]}
                    Draft202012Validator(schema).validate(example)


def test_library_db_runs_in_sqlite_and_keeps_its_rules() -> None:
    database = sqlite3.connect(":memory:")
    database.executescript((CATALOGS / "library-db" / "schema.sql").read_text(encoding="utf-8"))
    database.execute("INSERT INTO branches (name, city, opened_on) VALUES ('Mitte', 'Berlin', '1998-05-04')")
    database.execute("INSERT INTO members (member_no, name) VALUES ('L000001', 'Ada')")
    database.execute("INSERT INTO books (title, genre) VALUES ('Emma', 'novel')")
    database.execute("INSERT INTO copies (book_id, branch_id, shelf_mark) VALUES (1, 1, 'N AUS')")
    lend = "INSERT INTO loans (copy_id, member_id, lent_on, due_on) VALUES (1, 1, '2020-01-01', '2020-02-01')"
    database.execute(lend)
    assert database.execute("SELECT member, title FROM overdue_loans").fetchall() == [("Ada", "Emma")]
    with pytest.raises(sqlite3.IntegrityError):
        database.execute(lend)
    with pytest.raises(sqlite3.IntegrityError):
        database.execute("INSERT INTO books (title, genre) VALUES ('X', 'cookery')")
    database.close()


def test_verbs_are_one_word_one_verb_in_order() -> None:
    lexicon = load("verbs.yaml")
    verbs = lexicon["verbs"]
    words = [word for verb, entry in verbs.items() for word in (verb, *entry.get("synonyms", ()))]
    assert sorted(words) == sorted(set(words))
    assert list(verbs)[:7] == ["get", "list", "search", "count", "create", "update", "delete"]
    assert list(verbs)[7:] == sorted(list(verbs)[7:])
    assert {entry["class"] for entry in verbs.values()} <= {"read", "write", "destructive", "unknown"}
    assert {entry["near"] for entry in verbs.values() if "near" in entry} <= set(list(verbs)[:7])
    assert set(lexicon["also_nouns"]) <= set(words)
