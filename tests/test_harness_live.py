"""Real harnesses, headless, started from the emitted config, with a scripted model: their requests hold our tools."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli
from scripted_model import Call, scripted

pytestmark = pytest.mark.harness

PACKAGES = {
    "claude": "@anthropic-ai/claude-code@2.1.332",
    "codex": "@openai/codex@0.171.0",
    "gemini": "@google/gemini-cli@0.61.0",
    "opencode": "opencode-ai@1.18.33",
}
# What a harness hands on of its environment is little, so the checkout is named here, not in PYTHONPATH.
START = "import sys; sys.path.insert(0, {root!r}); from toolc.__main__ import main; sys.exit(main())"
CONFIG = """
version: 1
name: ops
sources:
  notes: {{type: tools, path: tools.json}}
  shop: {{type: openapi, path: shop.json, auth: {{bearer: {{env: SHOP_TOKEN}}}}}}
groups:
  notes: {{description: Long-term notes., select: ["notes:*"]}}
  shop: {{description: The shop., select: ["shop:*"]}}
targets:
  claude-code: {{command: {command}, allow: read}}
  codex: {{command: {command}}}
  gemini-cli: {{command: {command}}}
  opencode: {{command: {command}}}
"""
ID = {"type": "object", "properties": {"id": {"type": "string", "pattern": "^n_"}}, "required": ["id"]}
EITHER = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "title": {"type": "string"}},
    "oneOf": [{"required": ["id"]}, {"required": ["title"]}],
}
TOOLS = [
    {"name": "note_find", "description": "Find a note.", "input": EITHER, "hints": {"read_only": True}, "run": ["cat"]},
    {"name": "note_read", "description": "Read a note.", "input": ID, "hints": {"read_only": True}, "run": ["cat"]},
    {"name": "note_purge", "description": "Purge a note.", "input": ID, "hints": {"destructive": True}, "run": ["cat"]},
]
ORDER = {
    "operationId": "getOrder",
    "summary": "Get an order.",
    "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
    "responses": {"200": {"description": "ok"}},
}


def program(name: str) -> str:
    """The program of a harness; those that TOOLC_HARNESSES names are installed once from npm, and kept for later runs.

    Downloads (Linux): claude 186 MB, codex 172, opencode 60, gemini 21.
    """
    place = Path(tempfile.gettempdir()) / f"toolc-harness-{name}-{PACKAGES[name].rpartition('@')[2]}"
    if not (place / "node_modules" / ".bin" / name).exists():
        if name not in os.environ.get("TOOLC_HARNESSES", "").split():
            pytest.skip(f"{PACKAGES[name]} is not installed; TOOLC_HARNESSES={name} lets this test do it")
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip(f"needs npm to install {PACKAGES[name]}")
        fresh = Path(tempfile.mkdtemp(prefix=f"toolc-harness-{name}-"))
        command = [npm, "install", "--prefix", str(fresh), "--no-audit", "--no-fund", PACKAGES[name]]
        done = subprocess.run(command, capture_output=True, text=True, timeout=900)
        if done.returncode:
            shutil.rmtree(fresh)
            pytest.skip(f"npm cannot install {PACKAGES[name]}: {done.stderr.strip()[-300:]}")
        try:
            fresh.rename(place)
        except OSError:  # another process was first
            shutil.rmtree(fresh)
    return str(place / "node_modules" / ".bin" / name)


@dataclass
class Shop:
    """An HTTP service. seen: path and authorisation of each request."""

    url: str
    seen: list[tuple[str, str | None]] = field(default_factory=list)


@pytest.fixture
def shop() -> Iterator[Shop]:
    """A running service."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.seen.append((self.path, self.headers["authorization"]))
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.end_headers()
            self.wfile.write(b'{"state": "shipped"}')

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = Shop(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield found
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def project(tmp_path: Path, toolc_cli: Cli, root: Path, shop: Shop) -> Path:
    """The root of a project with a bundle, and configs that start `toolc serve` of this checkout on it."""
    place = tmp_path / "project"
    place.mkdir()
    command = [sys.executable, "-c", START.format(root=str(root))]
    (place / "toolc.yaml").write_text(CONFIG.format(command=json.dumps(command)))
    (place / "tools.json").write_text(json.dumps({"tools": TOOLS}))
    spec = {"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "servers": [{"url": shop.url}]}
    (place / "shop.json").write_text(json.dumps({**spec, "paths": {"/orders/{id}": {"get": ORDER}}}))
    done = toolc_cli("build", cwd=place)
    assert done.returncode == 0, done.stderr
    return place


def ran(project: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A program run in the project, with a home of its own and the secret that the config names."""
    home = project / "home"
    home.mkdir(exist_ok=True)
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "SHOP_TOKEN": "hunter2", **variables}
    return subprocess.run(
        command, cwd=project, env=environment, stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=120
    )


# Claude Code.


def claude(project: Path, *calls: Call) -> list[dict[str, Any]]:
    """The requests of a run that is started from the emitted files."""
    made = project / "bundle" / "targets" / "claude-code"
    shutil.copy(made / ".mcp.json", project)
    files = ["--mcp-config", ".mcp.json", "--strict-mcp-config", "--settings", str(made / "settings.json")]
    with scripted(*calls) as model:
        done = ran(
            project,
            program("claude"),
            *("-p", "hi", "--output-format", "json", *files),
            ANTHROPIC_BASE_URL=model.url,
            ANTHROPIC_API_KEY="dummy",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        )
        assert done.returncode == 0, done.stderr + done.stdout
    return model.requests


def test_claude_code_offers_our_tools_and_a_call_reaches_the_executor(project: Path, shop: Shop) -> None:
    first, second = claude(project, Call("mcp__toolc__getOrder", {"id": "o 1"}))
    tools = {tool["name"]: tool for tool in first["tools"] if tool["name"].startswith("mcp__")}
    names = ("getOrder", "note_find", "note_purge", "note_read")
    assert sorted(tools) == [f"mcp__toolc__{name}" for name in names]
    assert tools["mcp__toolc__note_read"]["input_schema"] == ID
    [result] = second["messages"][-1]["content"]
    assert "shipped" in json.dumps(result["content"])
    assert shop.seen == [("/orders/o%201", "Bearer hunter2")]


def test_claude_code_asks_before_what_may_destroy(project: Path) -> None:
    _, second = claude(project, Call("mcp__toolc__note_purge", {"id": "n_1"}))
    [result] = second["messages"][-1]["content"]
    assert result["is_error"] is True
    assert "granted" in result["content"]


# Codex.


def codex_home(project: Path, url: str = "http://127.0.0.1:9") -> Path:
    """A folder for Codex: the emitted config after the lines that name the model."""
    home = project / "codex"
    home.mkdir(exist_ok=True)
    provider = f'name = "scripted"\nbase_url = "{url}/v1"\nwire_api = "responses"\nenv_key = "KEY"\n'
    head = f'model = "scripted"\nmodel_provider = "scripted"\n\n[model_providers.scripted]\n{provider}\n'
    emitted = (project / "bundle" / "targets" / "codex" / "config.toml").read_text()
    (home / "config.toml").write_text(head + emitted)
    return home


def test_codex_lists_the_servers_with_their_groups(project: Path) -> None:
    listed = ran(project, program("codex"), "mcp", "list", "--json", CODEX_HOME=str(codex_home(project)))
    assert listed.returncode == 0, listed.stderr
    servers = {server["name"]: server["transport"] for server in json.loads(listed.stdout)}
    assert {name: server["args"][-2:] for name, server in servers.items()} == {
        "notes": ["--group", "notes"],
        "shop": ["--group", "shop"],
    }
    variables = {name: server["env_vars"] or [] for name, server in servers.items()}
    assert variables == {"notes": [], "shop": ["SHOP_TOKEN"]}


def test_codex_shows_a_namespace_for_each_group_and_a_call_reaches_the_executor(project: Path, shop: Shop) -> None:
    with scripted(Call("getOrder", {"id": "o 1"}, "mcp__shop")) as model:
        home = str(codex_home(project, model.url))
        command = (program("codex"), "exec", "--skip-git-repo-check", "hi")
        done = ran(project, *command, CODEX_HOME=home, KEY="dummy")
        assert done.returncode == 0, done.stderr
    first, second = model.requests
    spaces = {tool["name"]: tool for tool in first["tools"] if tool["type"] == "namespace"}
    assert spaces["mcp__notes"]["description"] == "Long-term notes."
    assert [tool["name"] for tool in spaces["mcp__notes"]["tools"]] == ["note_find", "note_purge", "note_read"]
    assert [tool["name"] for tool in spaces["mcp__shop"]["tools"]] == ["getOrder"]
    assert "shipped" in json.dumps(second["input"][-1]["output"])
    assert shop.seen == [("/orders/o%201", "Bearer hunter2")]


# Gemini CLI and opencode.


def test_gemini_cli_takes_the_config_and_connects(project: Path) -> None:
    (project / ".gemini").mkdir()
    shutil.copy(project / "bundle" / "targets" / "gemini-cli" / "settings.json", project / ".gemini")
    done = ran(project, program("gemini"), "mcp", "list", GEMINI_CLI_TRUST_WORKSPACE="true")
    assert done.returncode == 0, done.stderr
    said = done.stdout + done.stderr
    assert "toolc" in said
    assert "serve bundle (stdio) - Connected" in said


def test_opencode_takes_the_config_and_connects(project: Path) -> None:
    shutil.copy(project / "bundle" / "targets" / "opencode" / "opencode.json", project)
    done = ran(project, program("opencode"), "mcp", "list", NO_COLOR="1")
    assert done.returncode == 0, done.stderr
    assert "toolc" in done.stdout + done.stderr
    assert "connected" in done.stdout + done.stderr


def test_opencode_offers_our_tools_and_a_call_reaches_the_executor(project: Path, shop: Shop) -> None:
    config = json.loads((project / "bundle" / "targets" / "opencode" / "opencode.json").read_text())
    with scripted(Call("toolc_getOrder", {"id": "o 1"})) as model:
        options = {"baseURL": f"{model.url}/v1", "apiKey": "dummy"}
        provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"m": {}}}
        (project / "opencode.json").write_text(json.dumps({**config, "provider": {"scripted": provider}}))
        quiet = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}
        done = ran(project, program("opencode"), "run", "hi", "--model", "scripted/m", **quiet)
        assert done.returncode == 0, done.stderr
    first, second = model.requests
    names = [tool["function"]["name"] for tool in first["tools"]]
    ours = ["getOrder", "note_find", "note_purge", "note_read"]
    assert [name for name in names if name.startswith("toolc_")] == [f"toolc_{name}" for name in ours]
    assert "shipped" in json.dumps(second["messages"][-1])
    assert shop.seen == [("/orders/o%201", "Bearer hunter2")]
