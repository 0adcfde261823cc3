"""Calls of tools of MCP servers: kept, started again once, passed through; over stdio and HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from bundles import built
from test_serve import environment, http_server, over_http, over_stdio

from toolc.runtime import Executor, Result, Settings

SERVER = Path(__file__).parent / "fixtures/mcp/upstream.py"
READ = {"annotations": {"readOnlyHint": True}}
WRITE = {"annotations": {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False}}
NAMES = {"look": READ, "report": READ, "add": WRITE, "fail": READ, "leak": READ, "end": WRITE, "end_once": READ}
Start = Callable[..., Executor]


def snapshot(folder: Path, tools: list[dict[str, Any]]) -> None:
    (folder / "list.json").write_text(json.dumps({"tools": tools}))


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    monkeypatch.setenv("UP_TOKEN", "tok-88-secret")
    snapshot(tmp_path, [{"name": name, "inputSchema": {"type": "object"}, **hints} for name, hints in NAMES.items()])
    with ExitStack() as stack:

        def opened(**keys: Any) -> Executor:
            own = {"command": sys.executable, "args": [str(SERVER), "${env:UP_TOKEN}"]}
            source = {"type": "mcp", "snapshot": "list.json", **(keys or own)}
            bundle = built(tmp_path, sources={"up": source}, consolidate={"enabled": False})
            return stack.enter_context(Executor(bundle, settings=Settings(60)))

        yield opened


def told(result: Result) -> Any:
    return json.loads(result.content[0]["text"])


def test_a_server_is_kept_and_its_results_pass_through(start: Start, tmp_path: Path) -> None:
    executor = start()
    first, second = executor.call("look", {"a": [1, None]}), executor.call("add", {})
    name, arguments, process, folder, words = told(first)
    assert (name, arguments, folder) == ("look", {"a": [1, None]}, str(tmp_path.resolve()))
    assert words == ["***"]  # the server got it, whoever reads the result does not
    assert told(second)[2] == process
    assert first.content[1] == {"type": "image", "data": "iVBORw==", "mimeType": "image/png"}
    assert (first.structured, first.meta, first.is_error) == ({"n": 1}, {"x/y": 1}, False)
    assert executor.call("fail", {}).is_error


REPORTED = [(1, 2, "opened with ***"), (2, 2, None)]


def test_what_a_server_says_of_its_progress_is_told_without_secrets(start: Start) -> None:
    seen: list[tuple[float, float | None, str | None]] = []
    executor = start()
    executor.call("report", {}, progress=lambda *one: seen.append(one))
    assert seen == REPORTED
    assert not executor.call("report", {}).is_error  # nobody asked
    assert seen == REPORTED


@pytest.mark.parametrize("way", ["stdio", "http"])
def test_progress_reaches_the_client_that_asked(way: str, start: Start, tmp_path: Path) -> None:
    start().close()
    seen: list[tuple[float, float | None, str | None]] = []

    async def see(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    async def ask() -> None:
        with ExitStack() as stack:
            if way == "stdio":
                opened = over_stdio(tmp_path / "bundle")
            else:
                opened = over_http(stack.enter_context(http_server(tmp_path / "bundle")))
            async with opened as session:
                await session.initialize()
                answer = await session.call_tool("report", {}, progress_callback=see)
                assert not answer.is_error

    asyncio.run(ask())
    assert seen == REPORTED


def test_a_server_that_ends_is_started_again(start: Start) -> None:
    executor = start()
    process = told(executor.call("look", {}))[2]
    again = executor.call("end_once", {})  # it only reads, so it is called a second time
    assert (told(again)[0], again.is_error) == ("end_once", False)
    assert told(again)[2] != process
    ended = executor.call("end", {})
    assert ended.is_error
    assert "ended during the call and was started again" in ended.text
    assert "look before you repeat it" in ended.text
    assert told(executor.call("add", {}))[0] == "add"


@pytest.mark.parametrize("way", ["end of stdin", "SIGTERM"])
def test_servers_end_with_toolc(way: str, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODE", "stubborn")  # it does not end when its stdin does
    start(command=sys.executable, args=[str(SERVER)], env=["MODE"])
    command = [sys.executable, "-m", "toolc", "serve", str(tmp_path / "bundle")]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment(), stdin=pipe, stdout=pipe, text=True) as serving:
        assert serving.stdin
        assert serving.stdout
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "look", "arguments": {}}}
        serving.stdin.write(json.dumps(call) + "\n")
        serving.stdin.flush()
        process = json.loads(json.loads(serving.stdout.readline())["result"]["content"][0]["text"])[2]
        os.kill(process, 0)  # it is there
        serving.terminate() if way == "SIGTERM" else serving.stdin.close()
        assert serving.wait(60) == 0
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_no_secret_is_told_and_none_is_in_the_bundle(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "tok-99-secret")
    executor = start(command=sys.executable, args=[str(SERVER)], env=["TOKEN"])
    leaked = executor.call("leak", {})
    assert (leaked.text, leaked.is_error) == ("***", True)
    assert "tok-" not in "".join(path.read_text() for path in (tmp_path / "bundle").rglob("*.json"))
    monkeypatch.delenv("TOKEN")
    again = start(command=sys.executable, args=[str(SERVER)], env=["TOKEN"])
    assert "needs the environment variable TOKEN" in again.call("look", {}).text


def test_a_server_that_does_not_start_is_told(start: Start) -> None:
    gone = start(command="no-such-program-7").call("look", {})
    assert (gone.is_error, "cannot be reached or started" in gone.text) == (True, True)
    ended = start(command=sys.executable, args=["-c", "1"]).call("look", {})
    assert (ended.is_error, "cannot be reached or started" in ended.text) == (True, True)
    nowhere = start(url="http://example.com/mcp").call("look", {})
    assert "would be called without encryption" in nowhere.text


def test_servers_of_an_mcp_json_and_what_stands_there_in_clear(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = {"command": sys.executable, "args": [str(SERVER), "${workspaceFolder}", "${input:api-key}"]}
    entry["env"] = {"TOKEN": "in-clear-1234"}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"up": entry}}))
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/up.json").write_text(json.dumps({"tools": [{"name": "look", "inputSchema": {"type": "object"}}]}))
    bundle = built(tmp_path, sources={"file": {"type": "mcp", "path": "mcp.json", "snapshot": "kept"}})
    assert "in-clear" not in (tmp_path / "bundle/bundle.json").read_text()
    monkeypatch.setenv("API_KEY", "key-1234")
    with Executor(bundle) as executor:
        assert "needs the environment variable TOKEN" in executor.call("look", {}).text
        monkeypatch.setenv("TOKEN", "tok-1234")
        assert told(executor.call("look", {}))[4] == [".", "***"]


def test_a_server_over_http(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    tool = {"name": "hello", "description": "Greet.", "input": {"type": "object"}, "hints": {"read_only": True}}
    tool["run"] = ["echo", "hello"]
    (tmp_path / "far/tools.json").write_text(json.dumps({"tools": [tool]}))
    built(tmp_path / "far", sources={"own": {"type": "tools", "path": "tools.json"}})
    snapshot(tmp_path, [{"name": "hello", "inputSchema": {"type": "object"}}])
    with http_server(tmp_path / "far/bundle") as url:
        source = {"type": "mcp", "snapshot": "list.json", "url": url}
        with Executor(built(tmp_path, sources={"up": source})) as executor:
            assert [executor.call("hello", {}).text for _ in range(2)] == ["hello", "hello"]
            shown = executor.preview("hello", {})
    assert shown == {"operation": "up:hello", "server": "up", "url": url, "tool": "hello", "arguments": {}}
