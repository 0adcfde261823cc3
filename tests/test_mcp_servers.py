"""The `mcp` source where it names servers: `mcp.json` files of several clients, placeholders, packed servers."""

from __future__ import annotations

import io
import json
import stat
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from toolc import config, pipeline
from toolc.diagnostics import Report, UserError
from toolc.ir import McpCall, Origin
from toolc.pipeline import pulling
from toolc.sources import Context, Live, Reading, mcp
from toolc.sources.mcp import manifest
from toolc.sources.mcp.placeholders import Filling
from toolc.sources.mcp.servers import Server, declared, names_servers

STDIO = str(Path(__file__).parent / "fixtures" / "mcp" / "server.py")
TOOL = {"name": "good", "description": "Do good.", "inputSchema": {"type": "object", "properties": {}}}


def context(base: Path) -> Context:
    return Context("team", base, base, Report())


def live(base: Path, **keys: Any) -> tuple[Live, ...]:
    return mcp.live(mcp.Options(**keys), context(base))


def read(base: Path, **keys: Any) -> Reading:
    return mcp.read(mcp.Options(**keys), context(base))


def keep(base: Path, path: str, *tools: dict[str, Any]) -> None:
    place = base / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps({"tools": tools}))


def one(data: dict[str, Any], path: str = "mcp.json") -> Server:
    report = Report()
    (server,) = declared(data, Origin(path), Path("/work space") / path, report)
    assert not report.diagnostics
    return server


# As the clients' own documentation writes them (November 2026).
CLAUDE = {"mcpServers": {"s": {"command": "npx", "args": ["-y", "@x/y"], "env": {"A": "${TOKEN}", "B": "${NO:-b}"}}}}
CURSOR = {"mcpServers": {"s": {"command": "npx", "args": ["-y", "@x/y"], "env": {"A": "${env:TOKEN}", "B": "b"}}}}
VS_CODE = {
    "inputs": [{"type": "promptString", "id": "the-token", "password": True}],
    "servers": {
        "s": {"type": "stdio", "command": "npx", "args": ["-y", "@x/y"], "env": {"A": "${input:the-token}", "B": "b"}}
    },
}


@pytest.mark.parametrize("data", [CLAUDE, CURSOR, VS_CODE, {"mcp": VS_CODE} | {"inputs": VS_CODE["inputs"]}])
def test_shapes_of_clients(data: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "t0ken-value")
    monkeypatch.setenv("THE_TOKEN", "t0ken-value")
    monkeypatch.delenv("NO", raising=False)
    assert names_servers(data)
    filling = Filling(one(data))
    assert (filling.server.transport, filling.server.command) == ("stdio", "npx")
    assert filling.words(filling.server.args) == ["-y", "@x/y"]
    assert {key: filling.text(value) for key, value in filling.server.env.items()} == {"A": "t0ken-value", "B": "b"}
    assert filling.redacted("got t0ken-value") in ("got <TOKEN>", "got <THE_TOKEN>")


@pytest.mark.parametrize(
    ("entry", "transport"),
    [
        ({"type": "http", "url": "https://x.test/mcp", "headers": {"Authorization": "Bearer ${env:TOKEN}"}}, "http"),
        ({"url": "https://x.test/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}}, "http"),
        ({"httpUrl": "https://x.test/mcp", "headers": {"Authorization": "Bearer $TOKEN"}}, "http"),
        ({"type": "streamable-http", "url": "https://x.test/mcp"}, "http"),
        ({"type": "sse", "url": "https://x.test/sse"}, "sse"),
        ({"serverUrl": "https://x.test/mcp?key=s3cret"}, "http"),
    ],
)
def test_servers_over_http(entry: dict[str, Any], transport: str) -> None:
    server = one({"mcpServers": {"s": entry}})
    assert server.transport == transport
    assert server.where.startswith("https://x.test/")
    assert "s3cret" not in server.where


def test_what_is_no_file_of_servers() -> None:
    assert not names_servers({"openapi": "3.1.0", "servers": [{"url": "https://x.test"}]})
    assert not names_servers({"asyncapi": "2.6.0", "servers": {"prod": {"url": "broker", "protocol": "mqtt"}}})
    assert not names_servers({"servers": {"a": {"host": "x"}}})
    assert not names_servers({"tools": [TOOL], "server": {"name": "x"}})


def test_folders_are_those_of_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = {"command": "x", "args": ["${workspaceFolder}/a", "${workspaceFolderBasename}", "${userHome}", "$5 ${no}"]}
    for path in ("mcp.json", ".vscode/mcp.json", ".cursor/mcp.json"):
        filling = Filling(one({"mcpServers": {"s": entry}}, path))
        monkeypatch.setenv("no", "yes")
        assert filling.words(filling.server.args) == ["/work space/a", "work space", str(Path.home()), "$5 yes"]
        assert filling.server.cwd == "/work space"


def test_bad_servers_cost_themselves_only() -> None:
    report = Report()
    data = {
        "mcpServers": {
            "a b": {"command": "x"},
            "a_b": {"command": "x"},
            "pigeon": {"type": "pigeon", "command": "x"},
            "none": {},
            "text": "x",
            "off": {"command": "x", "disabled": True},
            "tag": {"command": "x", "env": {"PORT": 1, "ON": True, "BAD": []}},
        }
    }
    found = declared(data, Origin("mcp.json"), Path("mcp.json"), report)
    assert [server.name for server in found] == ["a_b", "mcp_tag"]
    assert found[1].env == {"PORT": "1", "ON": "true"}
    assert [(d.rule, d.origin.pointer.rpartition("/mcpServers/")[2]) for d in report.diagnostics if d.origin] == [
        ("duplicate-name", "a_b"),
        ("unknown-transport", "pigeon"),
        ("missing-key", "none"),
        ("wrong-type", "text"),
        ("disabled-server", "off"),
        ("wrong-type", "tag/env/BAD"),
    ]


def test_inputs_are_named_by_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THE_TOKEN", raising=False)
    with pytest.raises(UserError, match="THE_TOKEN") as error:
        Filling(one(VS_CODE)).text("${input:the-token}")
    assert "inputs: {the-token: {env: NAME}}" in error.value.diagnostics[0].help


def test_one_source_for_several_servers(tmp_path: Path) -> None:
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"b": {"command": "x"}, "a": {"command": "x"}}}))
    assert [(item.label, item.snapshot) for item in live(tmp_path, path="mcp.json")] == [
        ("a", "snapshots/team/a.json"),
        ("b", "snapshots/team/b.json"),
    ]
    assert [item.snapshot for item in live(tmp_path, path="mcp.json", servers=("b",), snapshot="kept")] == [
        "kept/b.json"
    ]
    with pytest.raises(UserError, match="has no server `c`"):
        live(tmp_path, path="mcp.json", servers=("c",))
    with pytest.raises(UserError) as error:
        read(tmp_path, path="mcp.json")
    assert [d.message.partition("snapshot ")[2].split()[0] for d in error.value.diagnostics] == [
        "snapshots/team/a.json",
        "snapshots/team/b.json",
    ]
    keep(tmp_path, "snapshots/team/a.json", TOOL, {**TOOL, "name": "only_a"})
    keep(tmp_path, "snapshots/team/b.json", TOOL)
    reading = read(tmp_path, path="mcp.json")
    assert [(o.id, o.call) for o in reading.operations] == [
        ("a:good", McpCall("a", "good")),
        ("a:only_a", McpCall("a", "only_a")),
        ("b:good", McpCall("b", "good")),
    ]


def build(base: Path, **source: Any) -> pipeline.BuildResult:
    data = {"version": 1, "name": "t", "sources": {"team": {"type": "mcp", **source}}, "targets": {"mcp": {}}}
    (base / "toolc.yaml").write_text(json.dumps(data))
    return pipeline.build(config.load(base, Report()))


def test_a_build_of_several_servers(tmp_path: Path) -> None:
    (tmp_path / "mcp.json").write_text(
        '{\n  // ours\n  "mcpServers": {"b": {"command": "x"}, "a": {"command": "x"},}\n}'
    )
    keep(tmp_path, "snapshots/team/a.json", TOOL, {**TOOL, "name": "only_a"})
    keep(tmp_path, "snapshots/team/b.json", TOOL)
    result = build(tmp_path, path="mcp.json", select=["!a:only_a"], overrides={"b:good": {"description": "Be good."}})
    assert {tool.name: tool.description for tool in result.catalog.tools} == {
        "a_good": "Do good.",
        "b_good": "Be good.",
    }
    assert [(s.name, s.operations, s.vendored) for s in result.catalog.sources] == [("a", 1, True), ("b", 1, True)]
    with pytest.raises(UserError, match="`good` is the name of 2 operations"):
        build(tmp_path, path="mcp.json", overrides={"good": {"description": "Be good."}})
    only = build(tmp_path, path="mcp.json", servers=["a"])
    assert [tool.name for tool in only.catalog.tools] == ["good", "only_a"]


def test_a_server_is_called_like_no_other_source(tmp_path: Path) -> None:
    (tmp_path / "mcp.json").write_text('{"mcpServers": {"team": {"command": "x"}, "core": {"command": "x"}}}')
    keep(tmp_path, "snapshots/team/team.json", TOOL)
    keep(tmp_path, "snapshots/team/core.json", TOOL)
    assert [tool.name for tool in build(tmp_path, path="mcp.json").catalog.tools] == ["core_good", "team_good"]
    keep(tmp_path, "list.json", TOOL)
    sources = {"team": {"type": "mcp", "path": "mcp.json"}, "core": {"type": "mcp", "path": "list.json"}}
    (tmp_path / "toolc.yaml").write_text(json.dumps({"version": 1, "name": "t", "sources": sources}))
    with pytest.raises(UserError, match="names a server `core`"):
        pipeline.build(config.load(tmp_path, Report()))


def test_contradictions(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has `command` and `url`"):
        read(tmp_path, command="x", url="https://x.test")
    with pytest.raises(UserError, match="names no tools list"):
        read(tmp_path)


MANIFEST = {
    "manifest_version": "0.3",
    "name": "shelves",
    "display_name": "Shelves",
    "version": "2.0.0",
    "description": "Shelves of the house.",
    "author": {"name": "A"},
    "server": {
        "type": "python",
        "entry_point": "server.py",
        "mcp_config": {
            "command": sys.executable,
            "args": ["${__dirname}/server.py", "plain", "${user_config.folders}"],
            "env": {"KEY": "${user_config.key}"},
            "platform_overrides": {"no-such-platform": {"command": "never"}},
        },
    },
    "tools": [{"name": "good", "description": "Do good."}],
    "user_config": {
        "key": {"type": "string", "title": "Key", "required": True, "sensitive": True},
        "folders": {"type": "directory", "multiple": True, "default": ["${HOME}/a"]},
    },
}


def pack(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def packed(path: Path, **changes: Any) -> Path:
    data = json.dumps({**MANIFEST, **changes}).encode()
    return pack(path, {"manifest.json": data, "server.py": Path(STDIO).read_bytes()})


@pytest.mark.parametrize("name", ["shelves.mcpb", "shelves.dxt"])
def test_a_packed_server_before_it_was_pulled(tmp_path: Path, name: str) -> None:
    packed(tmp_path / name)
    found = context(tmp_path)
    reading = mcp.read(mcp.Options(path=name), found)
    assert [(o.id, o.description) for o in reading.operations] == [("team:good", "Do good.")]
    assert (reading.source.title, reading.source.vendored) == ("Shelves 2.0.0", True)
    assert [d.rule for d in found.report.diagnostics] == ["names-only"]
    assert list(found.files) == [name]
    assert config.detect(tmp_path / name) == {"type": "mcp", "path": (tmp_path / name).as_posix()}


def test_a_packed_server_is_pulled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mcp")
    packed(tmp_path / "shelves.mcpb")
    source = {"type": "mcp", "path": "shelves.mcpb", "user_config": {"key": {"env": "SHELF_KEY"}}, "timeout": 60}
    data = {"version": 1, "name": "t", "sources": {"team": source}, "targets": {"mcp": {}}}
    (tmp_path / "toolc.yaml").write_text(json.dumps(data))
    loaded = config.load(tmp_path, Report())
    monkeypatch.delenv("SHELF_KEY", raising=False)
    (without,) = pulling.pull(loaded, (), Report(), lambda label, state: None)
    assert without.error is not None
    assert "SHELF_KEY" in str(without.error)
    monkeypatch.setenv("SHELF_KEY", "s3cret-value")
    report = Report()
    (pulled,) = pulling.pull(loaded, (), report, lambda label, state: None)
    assert (pulled.error, pulled.server, report.diagnostics) == (None, "test-plain 1.2.3, protocol 2025-11-25", [])
    text = (tmp_path / "snapshots" / "team.json").read_text()
    assert "s3cret" not in text
    assert str(tmp_path) not in text
    result = pipeline.build(loaded)
    assert result.catalog.operations["team:good"].input["required"] == ["x"]


def test_a_build_sees_the_snapshot_that_came_later(tmp_path: Path, toolc_cli: Any) -> None:
    packed(tmp_path / "shelves.mcpb")
    data = {"version": 1, "name": "t", "sources": {"team": {"type": "mcp", "path": "shelves.mcpb"}}}
    (tmp_path / "toolc.yaml").write_text(json.dumps(data))
    assert "names-only" in toolc_cli("build").stderr
    assert "nothing changed" in toolc_cli("build").stdout
    keep(tmp_path, "snapshots/team.json", TOOL, {**TOOL, "name": "pulled"})
    assert "nothing changed" not in toolc_cli("build").stdout
    bundle = json.loads((tmp_path / "bundle" / "bundle.json").read_text())
    assert [operation["id"] for operation in bundle["operations"]] == ["team:good", "team:pulled"]


def test_settings_of_a_packed_server(tmp_path: Path) -> None:
    path = packed(tmp_path / "shelves.mcpb")
    server = manifest.server("team", manifest.read(path, "shelves.mcpb"), path)
    filling = Filling(server, settings={"folders": ["/a b", "/c"]}, folder=Path("/un packed"))
    assert filling.words(server.args) == ["/un packed/server.py", "plain", "/a b", "/c"]
    assert Filling(server).words(server.args)[2:] == [f"{Path.home()}/a"]
    with pytest.raises(UserError, match="needs a value for its setting `key`"):
        filling.text(server.env["KEY"])


def test_bad_archives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusal(files: dict[str, bytes]) -> str:
        path = pack(tmp_path / "x.mcpb", files)
        into = tmp_path / "a" / "b" / str(len(list(tmp_path.glob("a/b/*"))))
        into.mkdir(parents=True)
        try:
            manifest.read(path, "x.mcpb")
            manifest.unpack(path, into, "x.mcpb")
        except UserError as error:
            return error.diagnostics[0].rule
        return ""

    own = json.dumps(MANIFEST).encode()
    assert refusal({"manifest.json": own, "a/server.py": b"x"}) == ""
    assert refusal({}) == "no-manifest"
    assert refusal({"manifest.json": b"{"}) == "invalid-json"
    assert refusal({"manifest.json": own, "../evil": b"x"}) == "unsafe-archive"
    assert refusal({"manifest.json": own, "/etc/evil": b"x"}) == "unsafe-archive"
    assert refusal({"manifest.json": own, "a\\..\\..\\evil": b"x"}) == "unsafe-archive"
    assert refusal({"manifest.json": own, "C:/evil": b"x"}) == "unsafe-archive"
    monkeypatch.setattr(manifest, "LARGEST", 1024 * 1024)
    assert refusal({"manifest.json": own, "bomb": b"0" * 5_000_000}) == "input-limit"
    monkeypatch.setattr(manifest, "LARGEST_MANIFEST", 100)
    assert refusal({"manifest.json": own}) == "input-limit"
    assert not list(tmp_path.rglob("evil"))
    (tmp_path / "x.mcpb").write_bytes(b"PK no zip")
    with pytest.raises(UserError, match="cannot be read as a packed"):
        manifest.read(tmp_path / "x.mcpb", "x.mcpb")


def test_links_in_archives(tmp_path: Path) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc")
    (tmp_path / "x.mcpb").write_bytes(data.getvalue())
    with pytest.raises(UserError, match="is a link"):
        manifest.unpack(tmp_path / "x.mcpb", tmp_path, "x.mcpb")


def test_a_file_of_servers_without_a_config_has_nothing_to_lint(tmp_path: Path, toolc_cli: Any) -> None:
    (tmp_path / "mcp.json").write_text('{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}')
    said = "not-pulled: this names live sources, whose tools are not here"
    for command in ("lint", "tokens"):
        found = toolc_cli(command, "mcp.json")
        assert found.returncode == 2
        assert found.stderr.count(f"mcp.json:1:1: error {said}") == 1
        assert "toolc init" in found.stderr
    for asked in (["mcp.json", "--skip-other"], ["."]):  # as pre-commit asks, and where nobody named it
        found = toolc_cli("lint", *asked)
        assert found.returncode == 0
        assert found.stdout.count(f"mcp.json:1:1: note {said}") == 1
    (tmp_path / "tools.json").write_text(
        '{"tools": [{"name": "a", "description": "Get the weather.", "inputSchema": {"type": "object"}}]}'
    )
    found = toolc_cli("lint", "mcp.json", "tools.json")
    assert found.returncode == 0
    assert f"mcp.json:1:1: note {said}" in found.stdout
    counted = toolc_cli("tokens", "mcp.json", "tools.json")
    assert counted.returncode == 0
    assert said in counted.stderr


def test_what_init_says_to_do_next_works(tmp_path: Path, toolc_cli: Any) -> None:
    (tmp_path / "mcp.json").write_text('{"mcpServers": {"a": {"command": "x"}}}')
    assert "next: toolc pull, then toolc build\n" in toolc_cli("init").stdout
    assert "run `toolc pull" in toolc_cli("build").stderr
    folder = tmp_path / "below"
    folder.mkdir()
    (tmp_path / "mcp.json").rename(folder / ".mcp.json")
    said = toolc_cli("init", "below").stdout
    assert "next: toolc pull -c below/toolc.yaml, then toolc build below/toolc.yaml\n" in said
    assert "x" in toolc_cli("pull", "-c", "below/toolc.yaml").stderr
    (folder / ".mcp.json").unlink()
    (tmp_path / "tools.json").write_text(
        '{"tools": [{"name": "a", "description": "Go.", "inputSchema": {"type": "object"}}]}'
    )
    (tmp_path / "toolc.yaml").unlink()
    assert "next: toolc build\n" in toolc_cli("init").stdout
