"""toolc.yaml: what it may hold, what is told about the rest, and how files are put together."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolc import config, registry, resources
from toolc.bind import Env, bind, schema_of
from toolc.config import Config
from toolc.diagnostics import Diagnostic, Report, UserError
from toolc.ir import Origin
from toolc.pipeline.reading import read
from toolc.schema.validator import Validator, invalid_because

# The sample of the design, with sources that a build can read.
SAMPLE = """\
version: 1
name: ops-agent
include: [catalog:memory, ./shared-tools.yaml]
out: bundle
sources:
  github:
    {type: openapi, path: specs/github.json, select: ["tag:issues", "tag:pulls", "!deprecated"],
     auth: {bearer: {env: GITHUB_TOKEN}},
     overrides: {"issues/create": {name: issue_create, examples: [{owner: octo, repo: app, title: "Crash on start"}]}}}
  saved:  {type: mcp, path: lists/figma.json}
  shop:   {type: database, ddl: schema.sql, dialect: sqlite}
  core:   {type: tools, path: ["tools/*.yaml"]}
  sops:   {type: skills, path: skills/}
consolidate:
  {max_actions: 12, max_params: 25, keep: ["github:repos/delete"], families: {label: ["github:issues/*label*"]}}
always: ["core:read", "core:bash", "core:edit", "core:write"]
groups: {browser_use: {description: Drive a browser, select: ["core:browser_*"]}}
accept: {"github:repos/old-op": "dropped upstream"}
profiles:
  {reviewer: {select: ["github:*"], max_effect: read}, triager: {extends: reviewer, allow: ["github:issues/comment"]}}
budgets: {always: 4000, tool: 1000, stubs: 2000, pi: {always: 700}}
runtime_has: [bash, git]
targets: {anthropic: {}, openai: {}, mcp: {}}
lint: {preset: default, ignore: [], levels: {}, allow: {"github:*": {repeated-text: "vendor text"}}}
"""
MINIMAL = "version: 1\nname: x\nsources: {core: {type: tools, path: tools.yaml}}\n"


def write(folder: Path, **files: str) -> Path:
    """Files by name (`__` for `.`, the config as `toolc`); returns the config's path."""
    for name, text in files.items():
        path = folder / (name.replace("__", "/") + ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    return folder / "toolc.yaml"


def load(path: Path) -> Config:
    report = Report()
    loaded = config.load(path, report)
    assert not [item for item in report.diagnostics if item.rule not in ("unused-budget", "unknown-rule")]
    return loaded


def problems(folder: Path, text: str, **files: str) -> list[Diagnostic]:
    with pytest.raises(UserError) as caught:
        config.load(write(folder, toolc=text, **files), Report())
    return list(caught.value.diagnostics)


def told(folder: Path, text: str, **files: str) -> list[tuple[str, str, str]]:
    """(rule, file, pointer) of each problem."""
    return [
        (item.rule, item.origin.source if item.origin else "", item.origin.pointer if item.origin else "")
        for item in problems(folder, text, **files)
    ]


def test_the_sample_of_the_design(tmp_path: Path) -> None:
    loaded = load(write(tmp_path, toolc=SAMPLE, **{"shared-tools": "version: 1\nalways: ['core:grep']\n"}))
    assert list(loaded.sources) == ["memory", "github", "saved", "shop", "core", "sops"]
    github = loaded.sources["github"]
    assert github.select.entries == ("tag:issues", "tag:pulls", "!deprecated")
    assert github.select.origins[2].pointer == "/sources/github/select/2"
    assert github.auth is not None
    assert github.auth.bearer == Env("GITHUB_TOKEN")
    override = github.overrides["issues/create"]
    assert (override.name, override.examples[0]["title"]) == ("issue_create", "Crash on start")
    assert override.origin.pointer == "/sources/github/overrides/issues~1create"
    assert github.base == tmp_path
    assert loaded.sources["memory"].base == resources.data("catalogs") / "memory"
    assert loaded.always.entries == ("core:grep", "core:read", "core:bash", "core:edit", "core:write")
    assert loaded.consolidate.families["label"].entries == ("github:issues/*label*",)
    assert loaded.profiles["triager"].max_effect == "read"
    assert loaded.profiles["triager"].select.entries == ("github:*",)
    assert loaded.budgets.general.stubs == 2000
    assert loaded.budgets.targets["pi"].always == 700
    assert list(loaded.targets) == ["anthropic", "openai", "mcp"]
    assert loaded.lint.allow["github:*"]["repeated-text"].text == "vendor text"
    assert set(loaded.files) == {"toolc.yaml", "shared-tools.yaml", "catalog:memory/toolc.yaml"}


def test_every_problem_is_told_at_once_and_where_it_stands(tmp_path: Path) -> None:
    text = """\
        version: 1
        name: x
        alwayz: []
        runtime_has: 5
        sources:
          github: {type: openapi, path: a.json, selct: ["*"], descriptions: short, vendored: "no"}
          other: {type: opnapi}
          third: {type: tools, path: a.yaml, overrides: {a: {examples: [5]}}}
        consolidate: {max_actions: 1}
        budgets: {always: lots}
        profiles: {a: {select: ["effect:raed"]}}
        """
    found = problems(tmp_path, text)
    assert {(item.rule, item.origin.pointer) for item in found if item.origin} == {
        ("unknown-key", "/alwayz"),
        ("wrong-type", "/runtime_has"),
        ("unknown-key", "/sources/github/selct"),
        ("wrong-type", "/sources/github/descriptions"),
        ("wrong-type", "/sources/github/vendored"),
        ("unknown-type", "/sources/other/type"),
        ("wrong-type", "/sources/third/overrides/a/examples/0"),
        ("invalid-value", "/consolidate/max_actions"),
        ("wrong-type", "/budgets/always"),
        ("invalid-selector", "/profiles/a/select/0"),
    }
    messages = "\n".join(item.message for item in found)
    for near in ("`always`", "`select`", "`openapi`", "`read`"):
        assert f"did you mean {near}" in messages


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("version: 2\nname: x\nsources: {a: {type: tools, path: a}}", ("wrong-type", "/version")),
        ("name: x\nsources: {a: {type: tools, path: a}}", ("missing-key", "")),
        ("version: 1\nsources: {a: {type: tools, path: a}}", ("missing-key", "")),
        ("version: 1\nname: x", ("missing-key", "")),
        ("version: 1\nname: a/b\nsources: {a: {type: tools, path: a}}", ("invalid-value", "/name")),
        (MINIMAL + "out: .", ("invalid-value", "/out")),
        (MINIMAL + "out: ..", ("invalid-value", "/out")),
        (MINIMAL + "include: [catalog:coding-agnt]", ("missing-file", "/include/0")),
        (MINIMAL + "include: [other.yaml]", ("missing-file", "/include/0")),
        (MINIMAL + "include: ['catalog:../x']", ("missing-file", "/include/0")),
        (MINIMAL + "accept: {a: ''}", ("wrong-type", "/accept/a")),
        (MINIMAL + "targets: {antropic: {}}", ("unknown-target", "/targets/antropic")),
        (MINIMAL + "budgets: {antropic: {}}", ("unknown-key", "/budgets/antropic")),
        (MINIMAL + "profiles: {a: {extends: aa}}", ("unknown-profile", "/profiles/a/extends")),
        (MINIMAL + "groups: {a: {description: x}}", ("missing-key", "/groups/a")),
        (MINIMAL + "groups: {a b: {select: ['*']}}", ("invalid-value", "/groups/a b")),
        (MINIMAL + "lint: {levels: {a: fatal}}", ("wrong-type", "/lint/levels/a")),
        ("version: 1\nname: x\nsources: {tag: {type: tools, path: a}}", ("invalid-value", "/sources/tag")),
        ("version: 1\nname: x\nsources: {a: tools.yaml}", ("wrong-type", "/sources/a")),
        ("openapi: 3.1.0\ninfo: {}", ("wrong-file", "")),
        ("- a", ("wrong-file", "")),
    ],
)
def test_a_mistake_is_one_error_at_its_place(tmp_path: Path, text: str, expected: tuple[str, str]) -> None:
    assert told(tmp_path, text) == [(expected[0], "toolc.yaml", expected[1])]


@pytest.mark.parametrize(
    "value", ["ghp_a1b2c3d4e5f6g7h8", "{env: ghp_a1b2c3d4e5f6g7h8}", "{env: $TOKEN}", "{value: hunter2}", "[hunter2]"]
)
def test_a_secret_in_the_config_is_an_error_that_does_not_repeat_it(tmp_path: Path, value: str) -> None:
    text = f"version: 1\nname: x\nsources: {{a: {{type: openapi, path: a.json, auth: {{bearer: {value}}}}}}}"
    (finding,) = problems(tmp_path, text)
    assert finding.origin is not None
    assert finding.origin.pointer == "/sources/a/auth/bearer"
    assert "{env: NAME}" in finding.message
    assert not any(part in finding.message + finding.help for part in ("hunter2", "ghp_"))


def test_a_secret_one_level_too_high_is_not_repeated_either(tmp_path: Path) -> None:
    text = "version: 1\nname: x\nsources: {a: {type: openapi, path: a.json, auth: hunter2}}"
    (finding,) = problems(tmp_path, text)
    assert "hunter2" not in finding.message + finding.help


def test_includes_merge_by_name_and_append_lists(tmp_path: Path) -> None:
    loaded = load(
        write(
            tmp_path,
            toolc="""\
                version: 1
                name: outer
                include: [lib/one.yaml, lib/two.yaml]
                sources: {a: {type: tools, path: a.yaml}}
                always: ["a:x"]
                budgets: {always: 10}
                targets: {anthropic: }
                """,
            lib__one="""\
                version: 1
                name: one
                out: elsewhere
                include: [three.yaml]
                sources: {b: {type: tools, path: b.yaml}}
                always: ["b:x"]
                budgets: {always: 20, tool: 5}
                targets: {anthropic: {}}
                """,
            lib__two="version: 1\ninclude: [three.yaml]\nconsolidate: {max_params: 9}\n",
            lib__three="version: 1\nsources: {c: {type: tools, path: c.yaml}}\nalways: ['c:x']\nruntime_has: [git]",
        )
    )
    assert {name: entry.base for name, entry in loaded.sources.items()} == {
        "c": tmp_path / "lib",
        "b": tmp_path / "lib",
        "a": tmp_path,
    }
    assert loaded.always.entries == ("c:x", "b:x", "a:x")
    assert [place.source for place in loaded.always.origins] == ["lib/three.yaml", "lib/one.yaml", "toolc.yaml"]
    assert (loaded.name, loaded.out) == ("outer", "bundle")
    assert (loaded.budgets.general.always, loaded.budgets.general.tool) == (10, 5)
    assert (loaded.consolidate.max_params, loaded.consolidate.max_actions) == (9, 12)
    assert loaded.runtime_has == ("git",)


def test_a_name_that_stands_twice_is_an_error_that_names_both_places(tmp_path: Path) -> None:
    (finding,) = problems(
        tmp_path,
        MINIMAL + "include: [two.yaml]",
        two="version: 1\nsources: {core: {type: tools, path: other.yaml}}",
    )
    assert finding.origin is not None
    assert (finding.origin.source, finding.origin.pointer) == ("toolc.yaml", "/sources/core")
    assert [(place.source, place.pointer) for place in finding.related] == [("two.yaml", "/sources/core")]


def test_included_files_that_disagree_on_a_setting(tmp_path: Path) -> None:
    files = {"one": "version: 1\nbudgets: {always: 1}", "two": "version: 1\nbudgets: {always: 2}"}
    included = MINIMAL + "include: [one.yaml, two.yaml]\n"
    assert told(tmp_path, included, **files) == [("defined-twice", "two.yaml", "/budgets/always")]
    assert load(write(tmp_path, toolc=included + "budgets: {always: 3}", **files)).budgets.general.always == 3


def test_a_circle_of_includes_is_told_once_with_its_way(tmp_path: Path) -> None:
    (finding,) = problems(
        tmp_path,
        MINIMAL + "include: [two.yaml]",
        two="version: 1\ninclude: [three.yaml]",
        three="version: 1\ninclude: [two.yaml]",
    )
    assert finding.rule == "include-cycle"
    assert "two.yaml → three.yaml → two.yaml" in finding.message


def test_profiles_that_extend_each_other(tmp_path: Path) -> None:
    assert {rule for rule, _, _ in told(tmp_path, MINIMAL + "profiles: {a: {extends: b}, b: {extends: a}}")} == {
        "profile-cycle"
    }


def test_broken_yaml_and_a_missing_file_are_user_errors(tmp_path: Path) -> None:
    assert told(tmp_path, "version: 1\nname: [")[0][1] == "toolc.yaml"
    with pytest.raises(UserError) as caught:
        config.load(tmp_path / "nothing.yaml", Report())
    assert "toolc init" in caught.value.diagnostics[0].help


@pytest.mark.parametrize(
    ("source", "key"),
    [
        ("{type: mcp, path: ./gone.json}", "path"),
        ("{type: mcp, path: .}", "path"),
        ("{type: database, ddl: gone.sql, dialect: sqlite}", "ddl"),
        ("{type: skills, path: gone}", "path"),
    ],
)
def test_a_file_that_is_not_there_is_told_where_the_config_names_it(tmp_path: Path, source: str, key: str) -> None:
    (tmp_path / "toolc.yaml").write_text(f"version: 1\nname: t\nsources:\n  s: {source}\n", encoding="utf-8")
    with pytest.raises(UserError) as caught:
        read(config.load(tmp_path / "toolc.yaml", Report()), Report())
    (found,) = caught.value.diagnostics
    assert found.origin == Origin("toolc.yaml", f"/sources/s/{key}")
    assert found.help


def test_the_catalogs_that_come_along_load() -> None:
    for name in config.catalogs():
        loaded = load(resources.data("catalogs") / name)
        assert loaded.sources
        assert all(entry.origin.source.startswith(("catalog:", "toolc.yaml")) for entry in loaded.sources.values())


def test_the_schema_takes_what_loads_and_refuses_what_does_not() -> None:
    from toolc import documents

    schema = config.schema()
    assert invalid_because(schema) == ""
    validator = Validator(schema)
    assert validator.accepts(documents.parse(SAMPLE, "toolc.yaml"))
    for change in (
        {"version": 2},
        {"alwayz": []},
        {"sources": {"a": {"type": "nothing"}}},
        {"sources": {"a": {"type": "tools", "path": "a", "selct": []}}},
        {"sources": {"a": {"type": "openapi", "path": "a", "auth": {"bearer": "secret"}}}},
        {"targets": {"nothing": {}}},
        {"budgets": {"nothing": {}}},
        {"consolidate": {"max_actions": 1}},
        {"groups": {"a": {}}},
    ):
        assert not validator.accepts({**documents.parse(MINIMAL, "toolc.yaml"), **change}), change


@dataclass(frozen=True, slots=True)
class Inner:
    number: int = field(metadata={"min": 1})
    share: float = 0.5


@dataclass(frozen=True, slots=True)
class Outer:
    kind: Literal["a", "b", 1]
    origin: Origin
    text: str = ""
    flag: bool | None = None
    many: tuple[str, ...] = field(default=(), metadata={"one": True})
    inner: Inner | str | None = None
    inners: Mapping[str, Inner] = field(default_factory=dict)
    secret: Env | None = None


VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["a", "b", "X", ""]) | st.just(0.5),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["number", "share", "env", "odd"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@settings(suppress_health_check=[HealthCheck.too_slow])  # how fast it is depends on what else the machine does
@given(st.dictionaries(st.sampled_from([*Outer.__dataclass_fields__, "odd"]), VALUES), st.sampled_from(["a", 1, "c"]))
def test_the_schema_and_the_binding_agree(data: dict[str, Any], kind: Any) -> None:
    report = Report()
    data = {**data, "kind": kind}
    assert (bind(Outer, data, Origin("x"), report) is not None and not report.diagnostics) == OUTER.accepts(data)


OUTER = Validator(schema_of(Outer))


def test_no_option_hides_a_key_that_every_source_takes() -> None:
    common = set(config.SourceEntry.__dataclass_fields__)
    for name in registry.names("sources"):
        assert not common & set(registry.load("sources", name).Options.__dataclass_fields__), name


def test_every_key_says_what_it_means() -> None:
    def undocumented(schema: Any, path: str) -> list[str]:
        if not isinstance(schema, dict):
            return []
        own = [
            f"{path}.{name}"
            for name, inner in schema.get("properties", {}).items()
            if schema.get("additionalProperties") is False and not ({"description", "const", "$ref"} & inner.keys())
        ]
        return own + [item for key, inner in schema.items() for item in undocumented(inner, f"{path}.{key}")]

    assert undocumented(config.schema(), "") == []


def test_plain_files_are_recognised_by_what_they_hold(tmp_path: Path) -> None:
    (tmp_path / "skills" / "one").mkdir(parents=True)
    (tmp_path / "skills" / "one" / "SKILL.md").write_text("---\nname: one\ndescription: One.\n---\n")
    files = {
        "api.json": '{"paths": {}, "openapi": "3.1.0"}',
        "old.yaml": "# a comment\nswagger: '2.0'\npaths: {}\n",
        "list.json": '{"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}',
        "native.yaml": "tools: [{name: a, description: A., input: {type: object}}]\n",
        "schema.sql": "CREATE TABLE a (b INTEGER);",
        "package.json": '{"name": "x", "version": "1.0.0"}',
        "notes.txt": "openapi: no",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    kinds = {name: (config.detect(tmp_path / name, named=False) or {}).get("type") for name in (*files, "skills")}
    assert kinds == {
        "api.json": "openapi",
        "old.yaml": "openapi",
        "list.json": "mcp",
        "native.yaml": "tools",
        "schema.sql": "database",
        "package.json": None,
        "notes.txt": None,
        "skills": "skills",
    }
    named = config.detect(tmp_path / "notes.txt")  # whoever names a file means it, whatever its name ends in
    assert named is not None
    assert named["type"] == "openapi"
    (tmp_path / "query.sql").write_text("SELECT 1;")
    assert config.detect(tmp_path / "query.sql") is not None
    assert config.detect(tmp_path / "query.sql", named=False) is None
    assert config.detect(tmp_path / "schema.sql", named=False) is not None
    found = [config.detect(tmp_path / name) for name, kind in kinds.items() if kind]
    loaded = config.for_files([entry for entry in found if entry], Path())
    assert list(loaded.sources) == ["api", "old", "list", "native", "schema", "skills"]
