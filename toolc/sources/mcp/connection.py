"""How a server is reached at run time, as the bundle carries it: with the names of variables, and no value of one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from toolc import documents
from toolc.bind import Env
from toolc.sources.mcp.servers import Server

_PLACE = re.compile(r"\$\{([^{}]*)\}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(:-.*)?")
_FOLDERS = ("workspaceFolder", "workspaceRoot", "__dirname")


def of(server: Server, inputs: Mapping[str, Env], root: Path, allow_http: bool) -> dict[str, Any]:
    """The connection of one server. Texts keep `${env:NAME}`; what a file writes in clear becomes a variable.

    A value of `env` in clear is the variable of that name, one of `headers` `<SERVER>_<HEADER>`.
    """
    text = partial(_text, server, inputs, root)
    if server.transport == "stdio":
        folder = documents.display(Path(server.folder / server.cwd), root)
        found: dict[str, Any] = {"command": text(server.command), "args": [text(word) for word in server.args]}
        if server.env:
            found["env"] = {name: _secret(text(value), name) for name, value in server.env.items()}
        return found if folder == "." else {**found, "cwd": folder}
    found = {"url": text(server.url)}
    if server.headers:
        prefix = re.sub(r"\W+", "_", server.name).upper()
        names = {name: f"{prefix}_{re.sub(r'[^A-Za-z0-9]+', '_', name).upper()}" for name in server.headers}
        found["headers"] = {name: _secret(text(value), names[name]) for name, value in server.headers.items()}
    return {**found, "allow_http": True} if allow_http else found


def _secret(text: str, variable: str) -> str:
    """The text if it names a variable, else a variable in its place."""
    return text if "${env:" in text else f"${{env:{variable}}}"


def _text(server: Server, inputs: Mapping[str, Env], root: Path, text: str) -> str:
    def one(match: re.Match[str]) -> str:
        inside = match[1]
        kind, colon, rest = inside.partition(":")
        if kind == "env" and colon:
            return match[0]
        if not server.expand:
            return match[0]
        if kind == "input" and colon:
            known = inputs[rest].env if rest in inputs else re.sub(r"[^A-Za-z0-9]+", "_", rest).strip("_").upper()
            return f"${{env:{known}}}"
        if inside in _FOLDERS:
            return documents.display(server.folder, root)
        return f"${{env:{inside}}}" if _VARIABLE.fullmatch(inside) else match[0]

    return _PLACE.sub(one, text)
