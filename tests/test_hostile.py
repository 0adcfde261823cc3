"""Hostile OpenAPI descriptions through a whole build: a clear end in time, in bounds, without a traceback."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

SECONDS = 10  # of CPU: what a loaded machine takes says nothing
MEMORY = 1 << 30
LONG = "x" * 10_000_000  # one word: the worst for a tokenizer


def api(schema: Any, components: Any = None) -> str:
    body = {"required": True, "content": {"application/json": {"schema": schema}}}
    operation = {"operationId": "op", "requestBody": body, "responses": {"200": {"description": "ok"}}}
    head = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {"/a": {"post": operation}}}
    return json.dumps({**head, "components": {"schemas": components or {}}})


def deep(levels: int) -> str:
    return api("@").replace('"@"', '{"items":' * levels + "{}" + "}" * levels)


def loop(length: int) -> str:
    """References that lead back to the first after so many."""
    names = [f"S{index}" for index in range(length)]
    return api(
        {"$ref": "#/components/schemas/S0"},
        {name: {"$ref": f"#/components/schemas/{names[(index + 1) % length]}"} for index, name in enumerate(names)},
    )


def ladder(length: int, *way: str | int) -> str:
    """The same with a keyword in between: a recursive schema, not an endless reference."""
    parts = {}
    for index in range(length):
        value: Any = {"$ref": f"#/components/schemas/S{(index + 1) % length}"}
        for step in reversed(way):
            value = [value] if isinstance(step, int) else {step: value}
        parts[f"S{index}"] = value
    return api({"type": "object", "properties": {"a": {"$ref": "#/components/schemas/S0"}}}, parts)


def loop_of(kind: str, length: int) -> str:
    """The same among parameters, request bodies or path items."""
    data = json.loads(api({}))
    places = {"parameters": "parameters", "requestBodies": "requestBody", "pathItems": ""}
    parts = {f"S{n}": {"$ref": f"#/components/{kind}/S{(n + 1) % length}"} for n in range(length)}
    data["components"] = {kind: parts}
    first = {"$ref": f"#/components/{kind}/S0"}
    if kind == "pathItems":
        data["paths"]["/b"] = first
    else:
        data["paths"]["/a"]["post"][places[kind]] = [first] if kind == "parameters" else first
    return json.dumps(data)


def long_text(*place: str | int) -> str:
    """A description with a text of 10 MB at a place in it."""
    data = json.loads(api({"type": "object", "properties": {"a": {"type": "string", "enum": [""]}}}))
    data["tags"] = [{"name": "t", "description": ""}]
    operation = data["paths"]["/a"]["post"]
    operation |= {"tags": ["t"], "summary": "", "description": ""}
    operation["requestBody"]["content"]["application/json"]["example"] = {"a": ""}
    held: Any = data
    for step in place[:-1]:
        held = held[step]
    held[place[-1]] = LONG
    return json.dumps(data)


POST = ("paths", "/a", "post")
MEDIA = (*POST, "requestBody", "content", "application/json")
TEXTS: dict[str, tuple[tuple[str | int, ...], str]] = {
    "operation description": ((*POST, "description"), "oversized-operation"),
    "summary": ((*POST, "summary"), "oversized-operation"),
    "operationId": ((*POST, "operationId"), "oversized-operation"),
    "tag of an operation": ((*POST, "tags", 0), "oversized-operation"),
    "description of a property": ((*MEDIA, "schema", "properties", "a", "description"), "oversized-operation"),
    "enum": ((*MEDIA, "schema", "properties", "a", "enum", 0), "oversized-operation"),
    "default": ((*MEDIA, "schema", "properties", "a", "default"), "oversized-operation"),
    "pattern": ((*MEDIA, "schema", "properties", "a", "pattern"), "unusable-pattern"),
    "format": ((*MEDIA, "schema", "properties", "a", "format"), "oversized-operation"),
    "example": ((*MEDIA, "example", "a"), "built"),
    "description of a tag": (("tags", 0, "description"), "built"),
    "description of the whole": (("info", "description"), "built"),
    "description of a response": ((*POST, "responses", "200", "description"), "built"),
    "reference": ((*MEDIA, "schema", "properties", "a", "$ref"), "unresolved-ref"),
}

BOMB = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)

# name → (file name, content, exit status, what the output has to say)
HOSTILE: dict[str, tuple[str, str | bytes, int, str]] = {
    "deep json": ("api.json", deep(100_000), 2, "nested"),
    "deep yaml": ("api.yaml", "a: " + "[" * 100_000, 2, "nested"),
    **{f"loop of {n}": ("api.json", loop(n), 0, "circular-ref") for n in (1, 2, 3, 10, 1_000, 30_000)},
    **{
        f"recursion of {n} through {'/'.join(map(str, way))}": ("api.json", ladder(n, *way), 0, "built")
        for way in (("items",), ("properties", "a"), ("anyOf", 0), ("allOf", 0), ("not",))
        for n in (1, 2, 100)
    },
    **{
        f"loop of {n} {kind}": ("api.json", loop_of(kind, n), 0, "circular-ref")
        for kind in ("parameters", "requestBodies", "pathItems")
        for n in (1, 2, 1_000)
    },
    **{f"10 MB in {name}": ("api.json", long_text(*place), 0, said) for name, (place, said) in TEXTS.items()},
    "alias bomb": ("api.yaml", "openapi: 3.1.0\n" + BOMB, 2, "alias"),
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


def run(command: list[str], folder: Path) -> tuple[int, str, int]:
    """(exit status, what it said, most memory in bytes) of a command, which ends in its CPU time or is killed."""
    with (folder / "said").open("wb") as said:
        child = subprocess.Popen(command, cwd=folder, stdout=said, stderr=said, preexec_fn=limited)
        timer = threading.Timer(120, child.kill)
        timer.start()
        _, status, used = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, (folder / "said").read_text(encoding="utf-8"), used.ru_maxrss * 1024


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY * 4, MEMORY * 4))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_description_ends_in_time_and_in_words(name: str, tmp_path: Path) -> None:
    file, content, status, said = HOSTILE[name]
    (tmp_path / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    (tmp_path / "toolc.yaml").write_text(
        f"version: 1\nname: h\nsources: {{api: {{type: openapi, path: {file}}}}}\ntargets: {{mcp: {{}}}}\n"
    )
    ended, output, memory = run([sys.executable, "-m", "toolc", "build"], tmp_path)
    assert len(output) < 20_000
    assert "Traceback" not in output
    assert "root:" not in output
    assert (ended, said in output) == (status, True), output[-2000:]
    assert memory < MEMORY
