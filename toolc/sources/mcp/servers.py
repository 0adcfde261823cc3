"""The servers that an `mcp` source names: in its own keys, in an `mcp.json`, or in a packed extension."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from toolc.bind import did_you_mean
from toolc.diagnostics import Report, user_error
from toolc.ir import Origin
from toolc.select import KEYWORDS

Transport = Literal["stdio", "http", "sse"]

_NOWHERE = Origin("")
# Where servers stand in the files of Claude and Cursor, of VS Code, and in VS Code's settings.
_PLACES = (("mcpServers",), ("servers",), ("mcp", "servers"))
_KINDS: dict[str, Transport] = {
    "stdio": "stdio",
    "local": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamable_http": "http",
    "streamableHttp": "http",
    "sse": "sse",
}
# An address under one of these, whatever the client calls it.
_ADDRESSES = ("url", "httpUrl", "serverUrl")
# Folders in which clients keep their file; what it names is relative to the folder around them.
_HIDDEN = (".vscode", ".cursor", ".mcp", ".gemini", ".claude")


@dataclass(frozen=True, slots=True)
class Server:
    """One server, its texts still with the placeholders that are filled in when it is asked.

    name: the source part of the ids of its operations. where: its program or address for people.
    cwd: the folder it is started in. folder: what a file means by its workspace, or by the folder it was unpacked to.
    inputs: what the file says of the values that a client asks for, by id. archive: what has to be unpacked first.
    expand: whether placeholders other than `${env:NAME}` mean anything in its texts.
    """

    name: str
    transport: Transport
    where: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    env_file: str = ""
    cwd: str = ""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    folder: Path = Path()
    inputs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    archive: Path | None = None
    expand: bool = True
    origin: Origin = _NOWHERE


def names_servers(data: Any) -> bool:
    """Whether data is an `mcp.json` of one of the known shapes."""
    return _place(data) is not None


def declared(data: Any, origin: Origin, path: Path, report: Report) -> tuple[Server, ...]:
    """The servers of an `mcp.json`, by name; one that cannot be used, or is switched off, is reported."""
    place = _place(data)
    if place is None:
        raise user_error("no-servers", "this names no servers", origin, help='expected is {"mcpServers": {NAME: {…}}}')
    inputs = {
        item["id"]: item
        for item in _list(data.get("inputs"))
        if isinstance(item, dict) and isinstance(item.get("id"), str)
    }
    folder = path.resolve().parent
    folder = folder.parent if folder.name in _HIDDEN else folder
    found: dict[str, Server] = {}
    for key, entry in _at(data, place).items():
        where = origin.at(*place, key)
        name = _name(str(key))
        if not isinstance(entry, dict):
            report.error("wrong-type", f"a server is a mapping, not {entry!r:.40}", where)
        elif entry.get("disabled") is True or entry.get("enabled") is False:
            report.note("disabled-server", f"`{key}` is switched off and left out", where)
        elif name in found:
            message = f"`{key}` is called `{name}` in ids, as another server is; it is left out"
            report.error("duplicate-name", message, where, help="rename one of them in the file")
        elif (server := _server(name, entry, where, report)) is not None:
            found[name] = replace(server, folder=folder, cwd=server.cwd or str(folder), inputs=inputs)
    return tuple(found[name] for name in sorted(found))


def chosen(servers: tuple[Server, ...], names: tuple[str, ...], origin: Origin) -> tuple[Server, ...]:
    """Those that the option `servers` names, or all; raises UserError for a name that is none."""
    known = [server.name for server in servers]
    for name in names:
        if name not in known:
            message = f"{origin.source} has no server `{name}`{did_you_mean(name, known)}"
            raise user_error("unknown-server", message, origin, help=f"servers: {', '.join(known) or 'none'}")
    return tuple(server for server in servers if not names or server.name in names)


def _name(key: str) -> str:
    """A server's name as that of a source: letters, digits, `_` and `-`, and no word of the selector grammar."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", key).strip("_-")[:40] or "server"
    return f"mcp_{name}" if name[0].isdigit() or name in KEYWORDS else name


def _server(name: str, entry: Mapping[str, Any], origin: Origin, report: Report) -> Server | None:
    kind = entry.get("type") or entry.get("transport")
    address = next((entry[key] for key in _ADDRESSES if isinstance(entry.get(key), str)), "")
    command = entry.get("command")
    command = command if isinstance(command, str) else ""
    if isinstance(kind, str) and kind not in _KINDS:
        message = f"`{kind}` is no known transport{did_you_mean(kind, _KINDS)}; the server is left out"
        report.error("unknown-transport", message, origin, help="known: stdio, http, sse")
        return None
    transport = _KINDS[kind] if isinstance(kind, str) else "http" if address else "stdio"
    if not (command if transport == "stdio" else address):
        wanted = "`command`" if transport == "stdio" else "`url`"
        report.error("missing-key", f"the server `{name}` has no {wanted}; it is left out", origin)
        return None
    return Server(
        name,
        transport,
        command or address.partition("?")[0],
        command=command,
        args=tuple(str(item) for item in _list(entry.get("args"))),
        env=_texts(entry.get("env"), origin.at("env"), report),
        env_file=entry["envFile"] if isinstance(entry.get("envFile"), str) else "",
        cwd=entry["cwd"] if isinstance(entry.get("cwd"), str) else "",
        url=address,
        headers=_texts(entry.get("headers"), origin.at("headers"), report),
        origin=origin,
    )


def _texts(value: Any, origin: Origin, report: Report) -> dict[str, str]:
    """A mapping of names to texts; numbers and booleans are taken as they are written."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        report.error("wrong-type", f"here belongs a mapping of names to texts, not {type(value).__name__}", origin)
        return {}
    found = {}
    for key, item in value.items():
        if isinstance(item, str):
            found[str(key)] = item
        elif isinstance(item, bool | int | float):
            found[str(key)] = str(item).lower() if isinstance(item, bool) else str(item)
        elif item is not None:
            report.error("wrong-type", f"`{key}` must be a text", origin.at(str(key)))
    return found


def _place(data: Any) -> tuple[str, ...] | None:
    """Where the servers stand; a list of tools beside them means that the file is something else."""
    if not isinstance(data, dict) or isinstance(data.get("tools"), list):
        return None
    for place in _PLACES:
        entries = _at(data, place)
        # An OpenAPI document has a list of `servers`, and AsyncAPI a mapping whose entries have a protocol.
        if isinstance(entries, dict) and (place == _PLACES[0] or any(map(_is_server, entries.values()))):
            return place
    return None


def _is_server(entry: Any) -> bool:
    known = isinstance(entry, dict) and any(key in entry for key in ("command", *_ADDRESSES))
    return known and "protocol" not in entry


def _at(data: Any, place: tuple[str, ...]) -> Any:
    for key in place:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
