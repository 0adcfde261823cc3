"""MCP servers: the tools of a saved `tools/list` result, or of the snapshot of a live server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolc.bind import Env, did_you_mean
from toolc.diagnostics import UserError, user_error
from toolc.ir import McpCall, Origin, Source
from toolc.sources import Context, Reading
from toolc.sources.tools import shapes
from toolc.sources.tools.definition import MCP, Definition, operations


@dataclass(frozen=True, slots=True)
class Options:
    """The keys of an `mcp` source."""

    path: str = field(default="", metadata={"doc": "a saved tools/list result"})
    snapshot: str = field(default="", metadata={"doc": "where the tools of the live server are kept; builds read it"})
    command: str = field(default="", metadata={"doc": "program that starts the server (stdio)"})
    args: tuple[str, ...] = field(default=(), metadata={"doc": "its arguments"})
    env: tuple[str, ...] = field(default=(), metadata={"doc": "names of the environment variables that it gets"})
    url: str = field(default="", metadata={"doc": "address of the server (streamable HTTP)"})
    headers: Mapping[str, Env] = field(
        default_factory=dict, metadata={"doc": "HTTP headers, each as {env: NAME of the variable with its value}"}
    )
    timeout: int = field(default=30, metadata={"doc": "seconds to wait for the live server", "min": 1})


def read(options: Options, context: Context) -> Reading:
    """The tools of the list, each called by its own name on the server named like the source."""
    document = context.document(_file(options, context))
    origin = Origin(document.path)
    place, entries = _list(document.data, origin)
    definitions = []
    for index, entry in enumerate(entries):
        if isinstance(entry, dict):
            definitions.append(Definition(MCP, entry, origin.at(*place, index)))
        else:
            message = f"a tool is a mapping, not {entry!r:.40}"
            context.report.error("wrong-type", message, origin.at(*place, index))
    _name_missing_pages(document.data, place, origin, context)
    result = operations(context.name, definitions, context.report, lambda name: McpCall(context.name, name))
    source = Source(
        context.name,
        "mcp",
        title=_title(document.data),
        separate=("read", "write", "destructive"),
        files=(document.path,),
        operations=len(result),
    )
    return Reading(source, result)


def recognise(data: Any) -> bool:
    """Whether data is a `tools/list` result."""
    return shapes.is_mcp_list(data)


def _file(options: Options, context: Context) -> str:
    if options.path or options.snapshot:
        return options.path or options.snapshot
    if options.command or options.url:
        raise user_error(
            "missing-snapshot",
            f"source `{context.name}` is a live server; a build reads what it answered from a file",
            help="save its tools/list result and name the file: `snapshot: snapshots/NAME.json`",
        )
    raise user_error(
        "missing-key",
        f"source `{context.name}` names no tools list",
        help="name a saved tools/list result: `path: lists/NAME.json`",
    )


def _list(data: Any, origin: Origin) -> tuple[tuple[str, ...], list[Any]]:
    """The list of tools and its place."""
    if isinstance(data, list):
        return (), data
    if not isinstance(data, dict):
        raise _no_list("this is no tools/list result", origin)
    result = data.get("result")
    place: tuple[str, ...]
    if "tools" in data:
        place, tools = ("tools",), data["tools"]
    elif isinstance(result, dict) and "tools" in result:
        place, tools = ("result", "tools"), result["tools"]
    elif "mcpServers" in data or "servers" in data:
        raise user_error(
            "unsupported-input",
            "this names servers, not their tools",
            origin,
            help="save the tools/list result of each server, and make each a source of its own",
        )
    elif isinstance(error := data.get("error"), dict):
        raise _no_list(f"this is an error that a server answered: {error.get('message', error)}", origin.at("error"))
    else:
        raise _no_list(f"this has no list `tools`{did_you_mean('tools', map(str, data))}", origin)
    if not isinstance(tools, list):
        raise _no_list(f"`tools` is a list, not {tools!r:.40}", origin.at(*place))
    return place, tools


def _no_list(message: str, origin: Origin) -> UserError:
    advice = 'expected is what a server answers to tools/list: {"tools": [{"name": …, "inputSchema": …}]}'
    return user_error("not-a-tool-list", message, origin, help=advice)


def _name_missing_pages(data: Any, place: tuple[str, ...], origin: Origin, context: Context) -> None:
    """A cursor in the answer means that the server has more tools than were saved."""
    holder = data
    for key in place[:-1]:
        holder = holder[key]
    if isinstance(holder, dict) and holder.get("nextCursor"):
        context.report.warning(
            "partial-list",
            "this is one page of the server's tools: it ends with a cursor to the next",
            origin.at(*place[:-1], "nextCursor"),
            help="ask tools/list again with the cursor, and save all tools in one list",
        )


def _title(data: Any) -> str:
    """Name and version of the server, where the file tells them."""
    if not isinstance(data, dict):
        return ""
    init = data.get("init") or data.get("initialize") or {}
    result = data.get("result") or {}
    for holder in (data, init, result):
        info = holder.get("serverInfo") if isinstance(holder, dict) else None
        if isinstance(info, dict):
            return _words(info.get("title") or info.get("name"), info.get("version"))
    server = data.get("server")
    return (
        _words(server.get("name"), server.get("version"))
        if isinstance(server, dict)
        else _words(server, data.get("version"))
    )


def _words(*parts: Any) -> str:
    return " ".join(part for part in parts if isinstance(part, str) and part)
