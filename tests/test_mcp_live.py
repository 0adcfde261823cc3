"""Real MCP servers from npm, pulled over stdio and HTTP; what they answer is asked a second time by hand."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from toolc import config, pipeline, snapshot
from toolc.diagnostics import Report
from toolc.pipeline import pulling

pytestmark = pytest.mark.mcp_live

PACKAGES = ("server-filesystem@2026.8.31", "server-memory@2026.8.31", "server-everything@2026.8.31")


@pytest.fixture(scope="module")
def programs() -> Path:
    """The folder of the servers' programs; installed once, and kept for later runs on this machine."""
    pytest.importorskip("mcp", reason="needs the extra toolc[mcp]")
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("needs npm to install the servers")
    place = Path(tempfile.gettempdir()) / ("toolc-mcp-live-" + "-".join(name.rpartition("@")[2] for name in PACKAGES))
    if not (place / "node_modules" / ".bin").is_dir():
        fresh = Path(tempfile.mkdtemp(prefix="toolc-mcp-live-"))
        names = [f"@modelcontextprotocol/{name}" for name in PACKAGES]
        done = subprocess.run(
            [npm, "install", "--prefix", str(fresh), "--ignore-scripts", "--no-audit", "--no-fund", *names],
            capture_output=True,
            text=True,
            timeout=600,
        )
        if done.returncode:
            pytest.skip(f"npm cannot install the servers: {done.stderr.strip()[-300:]}")
        try:
            fresh.rename(place)
        except OSError:  # another process was first
            shutil.rmtree(fresh)
    return place / "node_modules" / ".bin"


@pytest.fixture
def everything_over_http(programs: Path) -> Iterator[str]:
    """The address of a running server."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    environment = os.environ | {"PORT": port}
    command = [str(programs / "mcp-server-everything"), "streamableHttp"]
    running = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}/mcp"
    try:
        for _ in range(300):
            assert running.poll() is None
            try:
                urllib.request.urlopen(url, timeout=5).close()
            except urllib.error.HTTPError as error:
                error.close()
                break
            except OSError:
                time.sleep(0.2)
        yield url
    finally:
        running.kill()
        running.wait()


def ask_by_hand(command: list[str]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What a server says of itself, and its tools, by the four messages of the protocol and nothing else."""
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None

        def send(**message: Any) -> None:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            server.stdin.flush()

        def answer(number: int) -> dict[str, Any]:
            while True:
                message: dict[str, Any] = json.loads(server.stdout.readline())
                if message.get("id") == number:
                    result: dict[str, Any] = message["result"]
                    return result

        client = {"name": "by-hand", "version": "0"}
        send(
            id=1,
            method="initialize",
            params={"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client},
        )
        said = answer(1)
        send(method="notifications/initialized")
        send(id=2, method="tools/list")
        tools = answer(2)
        assert "nextCursor" not in tools
        server.kill()
    found: list[dict[str, Any]] = tools["tools"]
    return said, sorted(found, key=lambda tool: str(tool["name"]))


def test_real_servers(tmp_path: Path, programs: Path, everything_over_http: str) -> None:
    commands = {
        "files": [str(programs / "mcp-server-filesystem"), str(tmp_path)],
        "memory": [str(programs / "mcp-server-memory")],
        "everything": [str(programs / "mcp-server-everything")],
    }
    sources: dict[str, Any] = {
        name: {"type": "mcp", "command": command[0], "args": command[1:], "timeout": 120}
        for name, command in commands.items()
    }
    sources["http"] = {"type": "mcp", "url": everything_over_http, "timeout": 120}
    data = {"version": 1, "name": "live", "sources": sources, "targets": {"mcp": {}}}
    (tmp_path / "toolc.yaml").write_text(json.dumps(data))
    loaded = config.load(tmp_path, Report())
    report = Report()
    pulled = pulling.pull(loaded, (), report, lambda label, state: None)
    assert [(item.label, item.error) for item in pulled] == [(name, None) for name in sources]
    assert not report.diagnostics
    kept = {name: json.loads((tmp_path / "snapshots" / f"{name}.json").read_text()) for name in sources}
    for name, command in commands.items():
        said, tools = ask_by_hand(command)
        head = kept[name][snapshot.KEY]["server"]
        assert head["version"] == said["serverInfo"]["version"]
        assert head["protocol"] == said["protocolVersion"]
        assert kept[name].get("instructions") == said.get("instructions")
        assert kept[name]["tools"] == tools
    assert {tool["name"] for tool in kept["http"]["tools"]} >= {"echo", "get-sum"}
    again = pulling.pull(loaded, (), report, lambda label, state: None)
    assert [item.written for item in again] == [False] * 4
    result = pipeline.build(loaded)
    assert not [finding for finding in result.diagnostics if finding.severity > 1]
    counts = {source.name: source.operations for source in result.catalog.sources}
    assert counts == {name: len(kept[name]["tools"]) for name in kept}
