"""Real servers called through toolc and directly, and the TypeScript SDK's client; from npm."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from mcp import ClientSession, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client
from test_mcp_live import programs  # noqa: F401 (a fixture)
from test_serve import bundle, environment, http_server, over_stdio  # noqa: F401 (one of them a fixture)

pytestmark = pytest.mark.mcp_live

Calls = list[tuple[str, dict[str, Any]]]
FILES: Calls = [
    ("write_file", {"path": "FOLDER/a.txt", "content": "one\ntwo — 三\n"}),
    ("read_text_file", {"path": "FOLDER/a.txt", "head": 1}),
    ("edit_file", {"path": "FOLDER/a.txt", "edits": [{"oldText": "one", "newText": "1"}]}),
    ("read_multiple_files", {"paths": ["FOLDER/a.txt", "FOLDER/none.txt"]}),
    ("list_directory", {"path": "FOLDER"}),
    ("search_files", {"path": "FOLDER", "pattern": "*.txt"}),
    ("read_text_file", {"path": "/etc/passwd"}),
]
MEMORY: Calls = [
    ("create_entities", {"entities": [{"name": "Ann", "entityType": "person", "observations": ["likes bees"]}]}),
    ("add_observations", {"observations": [{"entityName": "Ann", "contents": ["keeps three hives"]}]}),
    ("search_nodes", {"query": "bees"}),
    ("read_graph", {}),
    ("delete_entities", {"entityNames": ["Ann"]}),
    ("read_graph", {}),
]
EVERYTHING: Calls = [
    ("echo", {"message": "hi “there”"}),
    ("get-sum", {"a": 1, "b": 2.5}),
    ("get-tiny-image", {}),
    ("get-structured-content", {"location": "Chicago"}),
    ("get-annotated-message", {"messageType": "error", "includeImage": True}),
    ("get-resource-links", {"count": 2}),
]


@asynccontextmanager
async def directly(command: str, *args: str, env: dict[str, str]) -> AsyncIterator[ClientSession]:
    parameters = StdioServerParameters(command=command, args=[*args], env=env)
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        yield session


async def answers(session: ClientSession, calls: Calls, folder: Path) -> list[dict[str, Any]]:
    """What each call gives, as the wire has it; `FOLDER` stands for a folder on both sides."""
    await session.initialize()
    found = []
    for name, arguments in json.loads(json.dumps(calls).replace("FOLDER", str(folder))):
        try:
            result: Any = await session.call_tool(name, arguments)
        except MCPError as error:
            found.append({"error": error.error.message})
            continue
        data = result.model_dump(by_alias=True, mode="json", exclude_none=True)
        found.append(json.loads(json.dumps(data).replace(str(folder), "FOLDER")))
    return found


@pytest.mark.parametrize(
    ("program", "calls"),
    [("mcp-server-filesystem", FILES), ("mcp-server-memory", MEMORY), ("mcp-server-everything", EVERYTHING)],
)
def test_the_same_answer_through_toolc_as_directly(
    program: str,
    calls: Calls,
    programs: Path,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    through, alone = tmp_path / "through", tmp_path / "directly"
    for folder in (through, alone):
        folder.mkdir()
    command = str(programs / program)
    arguments = {folder: [str(folder)] * (calls is FILES) for folder in (through, alone)}
    server = {"type": "mcp", "command": command, "args": arguments[through], "env": ["MEMORY_FILE_PATH"]}
    # every tool under its own name: what merging does to a call is the proof's business
    catalog = {"version": 1, "name": "t", "sources": {"up": server}, "consolidate": {"enabled": False}}
    (tmp_path / "toolc.yaml").write_text(yaml.safe_dump(catalog))
    monkeypatch.setenv("MEMORY_FILE_PATH", str(tmp_path / "through.jsonl"))
    for step in ("pull", "build"):
        done = subprocess.run([sys.executable, "-m", "toolc", step], cwd=tmp_path, env=environment(), check=False)
        assert done.returncode == 0

    async def both() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        async with over_stdio(tmp_path / "bundle") as session:
            one = await answers(session, calls, through)
        env = {**environment(), "MEMORY_FILE_PATH": str(tmp_path / "directly.jsonl")}
        async with directly(command, *arguments[alone], env=env) as session:
            return one, await answers(session, calls, alone)

    one, other = asyncio.run(both())
    assert one == other
    assert len(one) == len(calls)


def test_the_typescript_client(bundle: Path, programs: Path, tmp_path: Path) -> None:  # noqa: F811
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    shutil.copy(Path(__file__).parent / "fixtures/mcp/client.mjs", tmp_path)
    (tmp_path / "node_modules").symlink_to(programs.parent)

    def run(*words: str | Path) -> dict[str, Any]:
        command = [node, "client.mjs", *map(str, words)]
        done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    found = [run(sys.executable, "-m", "toolc", "serve", bundle)]
    with http_server(bundle) as url:
        found.append(run(url))
    for seen in found:
        assert (seen["tools"], seen["instructions"]) == (["say", "shout"], "loud: For the deaf")
        assert seen["done"]["content"] == [{"type": "text", "text": "said hi"}]
        assert seen["wrong"]["isError"]
        assert seen["wrong"]["content"][0]["text"].startswith("say: `text` is required.")
