"""Hostile OpenAPI descriptions through a whole build: a clear end in time, in bounds, without a traceback."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SECONDS = 10  # of CPU: what a loaded machine takes says nothing
MEMORY = 1 << 30


def api(schema: Any, components: Any = None) -> str:
    body = {"required": True, "content": {"application/json": {"schema": schema}}}
    operation = {"operationId": "op", "requestBody": body, "responses": {"200": {"description": "ok"}}}
    head = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {"/a": {"post": operation}}}
    return json.dumps({**head, "components": {"schemas": components or {}}})


def deep(levels: int) -> str:
    return api("@").replace('"@"', '{"items":' * levels + "{}" + "}" * levels)


def loop(length: int) -> str:
    names = [f"S{index}" for index in range(length)]
    return api(
        {"$ref": "#/components/schemas/S0"},
        {name: {"$ref": f"#/components/schemas/{names[(index + 1) % length]}"} for index, name in enumerate(names)},
    )


BOMB = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)

# name → (file name, content, exit status, what the output has to say)
HOSTILE: dict[str, tuple[str, str | bytes, int, str]] = {
    "deep json": ("api.json", deep(100_000), 2, "nested"),
    "deep yaml": ("api.yaml", "a: " + "[" * 100_000, 2, "nested"),
    "loop of one": ("api.json", loop(1), 0, "op"),
    "loop of a thousand": ("api.json", loop(1000), 0, "op"),
    "alias bomb": ("api.yaml", "openapi: 3.1.0\n" + BOMB, 2, "alias"),
    "long string": ("api.json", api({"type": "object", "description": "word " * 2_000_000}), 0, ""),
    "duplicate keys": (
        "api.json",
        api({}).replace('"openapi"', '"openapi": "3.0.0", "openapi"', 1),
        2,
        "duplicate-key",
    ),
    "file outside": ("api.json", api({"$ref": "file:///etc/passwd"}), 0, "file:///etc/passwd"),
    "nul byte": ("api.yaml", "openapi: 3.1.0\n\0", 2, "api.yaml"),
    "byte order mark": ("api.json", b"\xef\xbb\xbf" + api({"type": "object"}).encode(), 0, ""),
    "utf-16": ("api.json", api({"type": "object"}).encode("utf-16"), 0, "built"),
}


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY * 2, MEMORY * 2))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_description_ends_in_time_and_in_words(name: str, tmp_path: Path) -> None:
    file, content, status, said = HOSTILE[name]
    (tmp_path / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    (tmp_path / "toolc.yaml").write_text(
        f"version: 1\nname: h\nsources: {{api: {{type: openapi, path: {file}}}}}\ntargets: {{mcp: {{}}}}\n"
    )
    command = [sys.executable, "-m", "toolc", "build"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, preexec_fn=limited)
    output = done.stdout + done.stderr
    assert "Traceback" not in output
    assert "root:" not in output
    assert (done.returncode, said in output) == (status, True), output[-2000:]
