"""`toolc serve` as MCP clients meet it: the official SDK over stdio and HTTP, and raw messages."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from bundles import built
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

# Says its text, once as many other calls are under way.
SAY = """
import pathlib, sys, time
text, others, met = sys.argv[1], int(sys.argv[2]), pathlib.Path("met")
end = time.monotonic() + 60
if others:
    met.mkdir(exist_ok=True)
    (met / text).touch()
while others and len(list(met.iterdir())) <= others:
    time.sleep(0.05)
    if time.monotonic() > end:
        sys.exit("alone")
print("said " + text)
"""
PROPERTIES = {"text": {"type": "string"}, "others": {"type": "integer"}}
SCHEMA = {"type": "object", "properties": PROPERTIES, "required": ["text", "others"], "additionalProperties": False}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served")
    run = [sys.executable, "-c", SAY, "{text}", "{others}"]
    tools = [
        {"name": "say", "description": "Say it.", "input": SCHEMA, "hints": {"read_only": True}, "run": run},
        {"name": "shout", "description": "Shout it.", "input": SCHEMA, "hints": {"destructive": True}, "run": run},
        {"name": "theirs", "description": "The runtime's own.", "input": SCHEMA},
    ]
    (folder / "tools.json").write_text(json.dumps({"tools": tools}))
    built(
        folder,
        sources={"own": {"type": "tools", "path": "tools.json"}},
        always=["own:say"],
        groups={"loud": {"description": "For the deaf", "select": ["own:shout"]}},
        profiles={"quiet": {"select": ["own:say"]}},
    )
    return folder / "bundle"


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}


@asynccontextmanager
async def over_stdio(*args: str | Path) -> AsyncIterator[ClientSession]:
    words = ["-m", "toolc", "serve", *map(str, args)]
    parameters = StdioServerParameters(command=sys.executable, args=words, env=environment())
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        yield session


@asynccontextmanager
async def over_http(url: str) -> AsyncIterator[ClientSession]:
    async with streamable_http_client(url) as (read, write, *_), ClientSession(read, write) as session:
        yield session


@contextmanager
def http_server(*args: str | Path) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "toolc", "serve", *map(str, args), "--http", "--port", str(port)]
    process = subprocess.Popen(command, env=environment())
    try:
        end = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert time.monotonic() < end
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(20)


async def check(session: ClientSession, modern: bool) -> None:
    """What every client has to see, whatever the transport and the revision."""
    if modern:
        await session.discover()
    else:
        await session.initialize()
    assert session.instructions == "loud: For the deaf"
    tools = {tool.name: tool for tool in (await session.list_tools()).tools}
    assert list(tools) == ["say", "shout"]  # what toolc cannot carry out is not offered
    assert tools["say"].input_schema == SCHEMA
    assert tools["say"].meta == {"anthropic/alwaysLoad": True, "toolc/group": "own"}
    assert tools["say"].annotations
    assert (tools["say"].annotations.read_only_hint, tools["shout"].annotations.destructive_hint) == (True, True)
    assert tools["shout"].meta == {"toolc/group": "loud"}
    done: Any = await session.call_tool("say", {"text": "hi", "others": 0})
    assert (done.is_error, done.content[0].text) == (False, "said hi")
    wrong: Any = await session.call_tool("say", {"txt": "hi", "others": 0})
    assert wrong.is_error
    assert wrong.content[0].text == "say: `text` is required. `txt` is not known. Did you mean `text`?"
    unknown: Any = await session.call_tool("sya", {})
    assert (unknown.is_error, unknown.content[0].text) == (True, "sya: There is no tool `sya`. Did you mean `say`?")


@pytest.mark.parametrize("modern", [False, True], ids=["2025-11-25", "2026-07-28"])
def test_the_official_client_over_stdio(modern: bool, bundle: Path) -> None:
    async def talk() -> None:
        async with over_stdio(bundle) as session:
            await check(session, modern)

    asyncio.run(talk())


def test_the_official_client_over_http(bundle: Path) -> None:
    async def talk(url: str) -> None:
        for modern in (False, True):
            async with over_http(url) as session:
                await check(session, modern)

    with http_server(bundle) as url:
        asyncio.run(talk(url))


async def at_once(name: str, others: int, *sessions: ClientSession) -> list[str]:
    async def one(session: ClientSession, text: str) -> str:
        result: Any = await session.call_tool("say", {"text": text, "others": others})
        return str(result.content[0].text)

    pairs = [(session, f"{name}{number}{call}") for number, session in enumerate(sessions) for call in "abc"]
    return list(await asyncio.gather(*(one(session, text) for session, text in pairs)))


def test_two_clients_and_several_calls_at_once(bundle: Path) -> None:
    async def talk(url: str) -> None:
        async with over_http(url) as one, over_http(url) as two, over_stdio(bundle) as alone:
            for session in (one, two, alone):
                await session.initialize()
            # each answers only when the others have been called as well
            assert await at_once("h", 5, one, two) == [f"said h{number}{call}" for number in (0, 1) for call in "abc"]
            assert await at_once("s", 8, alone) == [f"said s0{call}" for call in "abc"]

    with http_server(bundle) as url:
        asyncio.run(talk(url))


def test_a_group_and_a_profile_are_all_that_is_offered(bundle: Path) -> None:
    async def talk() -> None:
        async with over_stdio(bundle, "--group", "loud") as session:
            await session.initialize()
            assert session.instructions == "For the deaf"
            assert [tool.name for tool in (await session.list_tools()).tools] == ["shout"]
            other: Any = await session.call_tool("say", {"text": "hi", "others": 0})
            assert (other.is_error, other.content[0].text) == (True, "say: this server does not offer it.")
        async with over_stdio(bundle, "--profile", "quiet") as session:
            await session.initialize()
            assert [tool.name for tool in (await session.list_tools()).tools] == ["say"]
            gone: Any = await session.call_tool("shout", {"text": "hi", "others": 0})
            assert (gone.is_error, gone.content[0].text) == (True, "shout: There is no tool `shout`.")

    asyncio.run(talk())


def test_web_pages_of_others_are_refused(bundle: Path) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}
    with http_server(bundle, "--origin", "https://app.example") as url:

        def status(**headers: str) -> int:
            return httpx2.post(url, json=message, headers=accept | headers).status_code

        assert status(Origin="https://evil.example") == 403
        assert status(Host="evil.example") == 421  # a name that was made to lead here
        assert 403 not in (status(Origin="https://app.example"), status(Origin="http://localhost:3000"), status())


# --- Raw messages


def exchange(bundle: Path, *messages: Any) -> dict[Any, Any]:
    """The responses by id."""
    lines = "".join(message if isinstance(message, str) else json.dumps(message) + "\n" for message in messages)
    command = [sys.executable, "-m", "toolc", "serve", str(bundle)]
    done = subprocess.run(command, input=lines, env=environment(), capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    return {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}


def ask(key: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": key, "method": method, "params": params}


def test_revisions_and_bad_messages(bundle: Path) -> None:
    version = "io.modelcontextprotocol/protocolVersion"
    answers = exchange(
        bundle,
        ask(1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "x", "version": "1"}),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        ask(2, "initialize", protocolVersion="1999-01-01"),
        "no json\n\n",
        ask(3, "resources/list"),
        ask(4, "tools/call", name=7),
        ask("five", "ping"),
        ask(6, "tools/list", _meta={version: "2026-07-28"}),
        ask(7, "tools/list", _meta={version: "2030-01-01"}),
        ask(8, "tools/call", name="say", arguments={"text": "\ud800", "others": 0}),
        {"jsonrpc": "2.0", "id": 3, "result": {}},
        ["no", "object"],
    )
    assert answers[1]["result"]["protocolVersion"] == "2025-06-18"
    assert answers[2]["result"]["protocolVersion"] == "2025-11-25"
    assert answers[None]["error"]["code"] in (-32700, -32600)
    assert answers[3]["error"]["code"] == -32601
    assert answers[4]["error"]["code"] == -32602
    assert answers["five"]["result"] == {}
    listed = answers[6]["result"]
    assert (listed["resultType"], listed["ttlMs"], listed["cacheScope"]) == ("complete", 0, "private")
    assert listed["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "test"
    assert answers[7]["error"]["code"] == -32022
    assert answers[7]["error"]["data"] == {"supported": ["2026-07-28"], "requested": "2030-01-01"}
    assert answers[8]["result"]["isError"]


def test_a_port_that_is_taken_is_told(bundle: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        command = [sys.executable, "-m", "toolc", "serve", str(bundle), "--http", "--port", port]
        done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert f"nothing listens at 127.0.0.1:{port}" in done.stderr
    assert "internal error" not in done.stderr


def test_tools_are_listed_before_anything_heavy_is_imported(bundle: Path) -> None:
    program = "import sys\nfrom toolc.cli import run\nrun(sys.argv[1:])\nsys.stderr.write(' '.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program, "serve", str(bundle)],
        input=json.dumps(ask(1, "tools/list")) + "\n",
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert [tool["name"] for tool in json.loads(done.stdout)["result"]["tools"]] == ["say", "shout"]
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert not loaded & {"mcp", "pydantic", "asyncio", "yaml", "jsonschema_rs", "httpx2", "ssl", "sqlite3"}


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        (
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say","arguments":{"others":NaN}}}',
            -32700,
            "NaN",
        ),
        (
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say","arguments":{"others":1e999}}}',
            -32700,
            "1e9",
        ),
        (b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}', -32700, "digits"),
        (b'{"jsonrpc":"2.0","id":"\xff","method":"ping"}', -32700, "not UTF-8"),
        (
            b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b"[" * 10_000 + b"]" * 10_000 + b"}",
            -32700,
            "too deeply",
        ),
        (b'"' + b"x" * (64 * 1024**2) + b'{"jsonrpc":"2.0","id":"smuggled","method":"ping"}', -32700, "cannot be read"),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, "batches"),
        (b"[]", -32600, "batches"),
        (b'{"id":1,"method":"ping"}', -32600, "JSON-RPC 2.0"),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, "JSON-RPC 2.0"),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, "an id has to be"),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, "an id has to be"),
        (b'{"jsonrpc":"2.0","id":[1],"method":"tools/call","params":{"name":"say"}}', -32600, "an id has to be"),
        (b"7", -32600, "JSON-RPC 2.0"),
    ],
)
def test_what_is_no_message_is_told_and_the_next_is_answered(line: bytes, code: int, words: str, bundle: Path) -> None:
    told = protocol_lines(bundle, line + b"\n" + json.dumps(ask("next", "ping")).encode() + b"\n")
    assert [answer["id"] for answer in told] == [None, "next"]
    assert told[0]["error"]["code"] == code
    assert words in told[0]["error"]["message"]
    assert len(told[0]["error"]["message"]) < 300


def test_messages_that_are_strange_but_right(bundle: Path) -> None:
    number, text = 9**4000, "\u2028\n" + "x" * 1_000_000
    deep: Any = []
    for _ in range(400):
        deep = [deep]
    messages = [
        ask(number, "ping"),
        ask(text, "ping"),
        ask("before initialize", "tools/list"),
        {"jsonrpc": "2.0", "id": "params", "method": "ping", "params": []},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": {"a": [1]}}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": [1]},
        {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "say", "arguments": {}}},
        ask("deep", "tools/call", name="say", arguments={"text": deep, "others": 0}),
        ask("large", "tools/call", name="say", arguments={"text": "x" * 50_000_000, "others": 0}),
        ask("whole", "tools/call", name="say", arguments={"text": "1", "others": 0.0}),
    ]
    lines = b"".join(json.dumps(message).encode() + b"\n" for message in messages)
    told = {answer["id"]: answer for answer in protocol_lines(bundle, lines)}
    assert set(told) == {number, text, "before initialize", "params", "deep", "large", "whole"}
    assert told[number]["result"] == told[text]["result"] == {}
    assert told["params"]["error"]["code"] == -32602
    assert told["deep"]["result"]["content"][0]["text"] == "say: The arguments are nested more than 100 levels deep."
    assert told["large"]["result"]["isError"]  # more than a program can be given
    assert told["whole"]["result"]["content"][0]["text"] == "said 1"


def protocol_lines(bundle: Path, lines: bytes) -> list[dict[str, Any]]:
    """What a server answers, each line JSON in ASCII without NaN."""
    command = [sys.executable, "-m", "toolc", "serve", str(bundle)]
    done = subprocess.run(command, input=lines, env=environment(), capture_output=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, b"")
    return [json.loads(line.decode("ascii"), parse_constant=pytest.fail) for line in done.stdout.splitlines()]
