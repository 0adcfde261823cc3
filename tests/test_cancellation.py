"""Calls that are cancelled end at once, whatever carries them out, and get no answer (MCP, basic/cancellation)."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from bundles import built
from shop import served
from test_call_http import ASK, api
from test_call_mcp import SERVER
from test_call_sql import DIALECTS, opened  # noqa: F401 (a fixture)
from test_serve import ask, environment, http_server, over_http

from toolc.runtime import Executor, Failed, Result, Settings
from toolc.runtime.cancellation import WORDS, Cancellation

SLEEP = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(600)"
NUMBERED = {"type": "object", "properties": {"n": {"type": "string"}}, "additionalProperties": False}
RUN = {"sleep": [sys.executable, "-c", SLEEP, "pid{n}"], "quick": [sys.executable, "-c", "print('done')"]}


def wait_until(true: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def cancelled(executor: Executor, name: str, under_way: Callable[[], object], **arguments: Any) -> Result:
    """The result of a call that would take minutes, cancelled once it is under way."""
    cancelling, results = Cancellation(), queue.SimpleQueue[Result]()
    thread = threading.Thread(target=lambda: results.put(executor.call(name, arguments, cancelling)), daemon=True)
    thread.start()
    wait_until(under_way)
    cancelling.cancel()
    return results.get(timeout=20)


def gone(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    return False


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    hints = {"hints": {"read_only": True}}
    tools = [
        {"name": name, "description": "Run it.", "input": NUMBERED, "run": run, **hints} for name, run in RUN.items()
    ]
    (tmp_path / "tools.json").write_text(json.dumps({"tools": tools}))
    built(tmp_path, sources={"own": {"type": "tools", "path": "tools.json"}}, consolidate={"enabled": False})
    return tmp_path


def test_the_connection_of_an_http_request_is_closed(tmp_path: Path) -> None:
    seen: list[str] = []

    async def never(scope: Any, receive: Any, send: Any) -> None:
        seen.append("asked")
        while (await receive())["type"] != "http.disconnect":
            pass
        seen.append("closed")

    with served(never) as url, Executor(api(tmp_path, url, ASK), settings=Settings(600)) as executor:
        result = cancelled(executor, "ask", lambda: seen)
        wait_until(lambda: len(seen) == 2)
    assert (result.text, result.is_error) == (WORDS, True)
    assert seen == ["asked", "closed"]  # it only reads, and still was not sent again


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_statement_is_ended_in_the_database(dialect: str, opened: Callable[..., Executor]) -> None:  # noqa: F811
    endless = {
        "postgres": "SELECT CAST(pg_sleep(600) AS text) AS a",
        "mysql": "SELECT SLEEP(600) AS a FROM t",
        "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS a FROM n",
    }
    table = "CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1);"
    executor = opened(dialect, f"{table} CREATE VIEW slow AS {endless[dialect]};", settings=Settings(600))
    name = next(tool.name for tool in executor.bundle.catalog.tools if "slow" in tool.name)
    started = time.monotonic()
    result = cancelled(executor, name, lambda: time.monotonic() > started + 2, action="list")
    assert (result.text, result.is_error) == (WORDS, True)
    assert time.monotonic() < started + 20


def test_a_program_is_ended(programs: Path) -> None:
    pid = programs / "pid1"
    with Executor(_loaded(programs), settings=Settings(600)) as executor:
        result = cancelled(executor, "sleep", lambda: pid.exists() and pid.read_text(), n="1")
    assert (result.text, result.is_error) == (WORDS, True)
    wait_until(lambda: gone(pid.read_text()), 5)


def test_a_call_that_is_cancelled_already_is_not_begun(programs: Path) -> None:
    cancelling = Cancellation()
    cancelling.cancel()
    with Executor(_loaded(programs)) as executor:
        assert executor.call("sleep", {"n": "1"}, cancelling).text == WORDS
    time.sleep(0.5)
    assert not (programs / "pid1").exists()


def test_a_call_that_is_cancelled_as_it_begins_is_told_so_though_nothing_can_be_ended() -> None:
    def fails() -> None:
        raise OSError("the database is away")

    cancelling = Cancellation()
    cancelling.cancel()
    with pytest.raises(Failed, match="was cancelled"), cancelling.ends(fails):
        pytest.fail("it was begun")


def test_a_program_ends_with_the_command_that_is_interrupted(programs: Path) -> None:
    command = [sys.executable, "-m", "toolc", "call", "sleep", '{"n": "1"}']
    pid = programs / "pid1"
    with subprocess.Popen(command, cwd=programs, env=environment(), stderr=subprocess.PIPE) as process:
        wait_until(lambda: pid.exists() and pid.read_text())
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=20)
    assert b"Traceback" not in told
    wait_until(lambda: gone(pid.read_text()), 5)


def test_an_upstream_server_is_told(tmp_path: Path) -> None:
    (tmp_path / "list.json").write_text(json.dumps({"tools": [{"name": "hang", "inputSchema": {"type": "object"}}]}))
    source = {"type": "mcp", "snapshot": "list.json", "command": sys.executable, "args": [str(SERVER)]}
    bundle = built(tmp_path, sources={"up": source})
    with Executor(bundle, settings=Settings(600)) as executor:
        assert cancelled(executor, "hang", (tmp_path / "hangs").exists).text == WORDS
        wait_until((tmp_path / "cancelled").exists)
    hanging, told = ((tmp_path / name).read_text() for name in ("hangs", "cancelled"))
    assert json.loads(told)["requestId"] == json.loads(hanging)


# --- Over MCP


class Client:
    """A client over stdio that keeps every message it gets."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.got: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.got.put(json.loads(line))

    def send(self, *messages: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(b"".join(json.dumps(message).encode() + b"\n" for message in messages))
        self.process.stdin.flush()


@contextmanager
def client(folder: Path) -> Iterator[Client]:
    command = [sys.executable, "-m", "toolc", "serve", str(folder / "bundle")]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment()) as process:
        found = Client(process)
        try:
            yield found
        finally:
            process.kill()
            found.reader.join(20)


def cancel(key: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": key, "reason": "enough"}}


def test_pings_are_answered_beside_any_number_of_calls_and_cancelled_calls_end(programs: Path) -> None:
    with client(programs) as talk:
        calls = [ask(n, "tools/call", name="sleep", arguments={"n": str(n)}) for n in range(40)]
        talk.send(*calls, ask("ping", "ping"))
        assert talk.got.get(timeout=20) == {"jsonrpc": "2.0", "id": "ping", "result": {}}
        wait_until(lambda: len([path for path in programs.glob("pid*") if path.read_text()]) == 32)
        talk.send(calls[0])  # an id that is in use
        assert talk.got.get(timeout=20)["error"]["code"] == -32600
        talk.send(cancel("unknown"), cancel([]), *(cancel(n) for n in reversed(range(40))))
        wait_until(lambda: all(gone(path.read_text()) for path in programs.glob("pid*")))
        talk.send(ask(0, "tools/call", name="quick", arguments={}))
        answer = talk.got.get(timeout=20)
        assert (answer["id"], answer["result"]["content"][0]["text"]) == (0, "done")
        assert talk.process.stdin
        talk.process.stdin.close()
        assert talk.process.wait(20) == 0
        assert talk.got.empty()
    assert len(list(programs.glob("pid*"))) == 32  # those that waited were never begun


@pytest.mark.parametrize("way", ["end of stdin", "SIGTERM"])
def test_programs_end_with_the_server(way: str, programs: Path) -> None:
    with client(programs) as talk:
        talk.send(ask(1, "tools/call", name="sleep", arguments={"n": "1"}))
        pid = programs / "pid1"
        wait_until(lambda: pid.exists() and pid.read_text())
        assert talk.process.stdin
        if way == "SIGTERM":
            talk.process.terminate()
        else:
            talk.process.stdin.close()
        assert talk.process.wait(20) == 0
    wait_until(lambda: gone(pid.read_text()), 5)


def test_a_call_over_http_is_cancelled(programs: Path) -> None:
    async def talk(url: str) -> None:
        for number, modern in enumerate((False, True)):
            async with over_http(url) as session:
                await (session.discover() if modern else session.initialize())
                call = asyncio.create_task(session.call_tool("sleep", {"n": str(number)}))
                pid = programs / f"pid{number}"
                await asyncio.to_thread(wait_until, lambda: pid.exists() and pid.read_text())  # noqa: B023
                call.cancel()
                await asyncio.to_thread(wait_until, lambda: gone(pid.read_text()))  # noqa: B023

    with http_server(programs / "bundle") as url:
        asyncio.run(talk(url))


def _loaded(folder: Path) -> Any:
    from toolc.runtime import Bundle

    return Bundle.load(folder / "bundle")
