"""MCP servers: saved tools/list results, snapshots of live servers, whole `mcp.json` files, packed servers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from toolc import address, documents, snapshot
from toolc.bind import Env
from toolc.diagnostics import Report, UserError, user_error
from toolc.documents import Document
from toolc.ir import Effect, McpCall, Origin, Source
from toolc.snapshot import Snapshot
from toolc.sources import Context, Live, Reading
from toolc.sources.mcp import answer, connection, listing, manifest, messages, servers
from toolc.sources.mcp.servers import Server
from toolc.sources.tools import shapes
from toolc.sources.tools.definition import MCP, Definition
from toolc.sources.tools.operations import operations

_SEPARATE: tuple[Effect, ...] = ("read", "write", "destructive")


@dataclass(frozen=True, slots=True)
class Options:
    """The keys of an `mcp` source."""

    path: str = field(
        default="", metadata={"doc": "a saved tools/list result, an mcp.json that names servers, or an .mcpb file"}
    )
    servers: tuple[str, ...] = field(
        default=(), metadata={"doc": "of an mcp.json: the servers to take; all, if nothing is said"}
    )
    snapshot: str = field(
        default="",
        metadata={
            "doc": "where `toolc pull` keeps the tools of the live server (default snapshots/<source>.json), which "
            "builds read; of an mcp.json a folder, with a file for each server"
        },
    )
    command: str = field(default="", metadata={"doc": "program that starts the server (stdio)"})
    args: tuple[str, ...] = field(default=(), metadata={"doc": "its arguments; ${env:NAME} is filled in by pull"})
    env: tuple[str, ...] = field(
        default=(), metadata={"doc": "names of the environment variables that it gets beside PATH, HOME and the like"}
    )
    cwd: str = field(default="", metadata={"doc": "folder that it is started in (default: that of this file)"})
    url: str | Env | None = field(
        default=None, metadata={"doc": "address of the server (streamable HTTP), or {env: NAME of its variable}"}
    )
    headers: Mapping[str, Env] = field(
        default_factory=dict, metadata={"doc": "HTTP headers, each as {env: NAME of the variable with its value}"}
    )
    allow_http: bool = field(default=False, metadata={"doc": "ask other machines without encryption"})
    inputs: Mapping[str, Env] = field(
        default_factory=dict,
        metadata={"doc": "of an mcp.json: id of an input → variable; without it, the id in capitals"},
    )
    user_config: Mapping[str, Any] = field(
        default_factory=dict, metadata={"doc": "of an .mcpb file: its settings, {env: NAME} for what is secret"}
    )
    timeout: int = field(default=30, metadata={"doc": "seconds for the live server to give all its tools", "min": 1})


def read(options: Options, context: Context) -> Reading:
    """The tools, each called by its own name on the server named like its source; no server is started or asked.

    An `mcp.json` gives a reading for each of its servers, named as the file names them.
    """
    document = _document(options, context)
    if document is None or manifest.recognise(document.data):
        if document is not None and not (context.base / _snapshot(options, context.name)).is_file():
            return _packed(document, options, context)
        return _kept(context.name, _snapshot(options, context.name), context)
    if not servers.names_servers(document.data):
        return _reading(context.name, document, context)
    parts, problems = [], Report()
    for server in _declared(document, options, context, context.report):
        path = f"{_folder(options, context.name)}/{server.name}.json"
        if (context.base / path).is_file():
            parts.append(_kept(server.name, path, context))
        else:
            shown = documents.display(context.base / path, context.root)
            problems.diagnostics.extend(snapshot.missing(context.name, shown).diagnostics)
    if problems.diagnostics:
        raise UserError(*problems.diagnostics)
    source = Source(context.name, "mcp", files=(document.path,))
    return Reading(source, tuple(operation for part in parts for operation in part.operations), tuple(parts))


def recognise(data: Any) -> bool:
    """Whether data is a `tools/list` result, an `mcp.json`, or the manifest of a packed server."""
    return (
        shapes.is_mcp_list(data) or messages.recognise(data) or manifest.recognise(data) or servers.names_servers(data)
    )


def refusal(data: Any, origin: Origin) -> UserError | None:
    """Why data that is not recognised, though it comes from an exchange with a server, cannot be read."""
    return messages.refusal(data, origin)


def live(options: Options, context: Context) -> tuple[Live, ...]:
    """The servers that can be asked; none for a saved list."""
    document = _document(options, context)
    found: tuple[tuple[Server, str], ...] = ()
    if document is None:
        declared = _own(options, context)
        found = ((declared, _snapshot(options, context.name)),) if declared else ()
    elif manifest.recognise(document.data):
        server = manifest.server(context.name, document, context.base / options.path)
        found = ((server, _snapshot(options, context.name)),)
    elif servers.names_servers(document.data):
        folder = _folder(options, context.name)
        found = tuple(
            (server, f"{folder}/{server.name}.json") for server in _declared(document, options, context, context.report)
        )
    return tuple(
        Live(
            server.name,
            server.where,
            path,
            options.timeout,
            partial(_ask, server, options),
            partial(_kept, server.name, path),
        )
        for server, path in found
    )


def connections(options: Options, context: Context) -> dict[str, dict[str, Any]]:
    """How each server is reached at run time; none for a saved list, and for what has to be unpacked first."""
    document = _document(options, context)
    if document is None:
        own = _own(options, context)
        found = [own] if own else []
    elif servers.names_servers(document.data):
        found = list(_declared(document, options, context, Report()))
    else:
        found = []
    return {
        server.name: connection.of(server, options.inputs, context.root, options.allow_http)
        for server in found
        if server.transport != "sse"
    }


async def _ask(server: Server, options: Options, report: Report) -> Snapshot:
    from toolc.sources.mcp import client
    from toolc.sources.mcp.placeholders import Filling

    filling = Filling(server, options.inputs, options.user_config)
    try:
        return await client.snapshot(filling, options.timeout, options.allow_http, report)
    except UserError as error:
        place = server.origin if server.origin.source else None
        raise UserError(*(replace(item, origin=item.origin or place) for item in error.diagnostics)) from None


def _document(options: Options, context: Context) -> Document | None:
    """The file that `path` names; None if the source is a live server. Raises UserError where keys contradict."""
    ways = [key for key in ("path", "command", "url") if getattr(options, key)]
    if len(ways) > 1:
        both = " and ".join(f"`{key}`" for key in ways)
        raise user_error("conflicting-keys", f"source `{context.name}` has {both}", help="keep one of them")
    if options.path and manifest.is_archive(options.path):
        target = context.base / options.path
        document = manifest.read(target, documents.display(target, context.root))
        context.files[document.path] = document.digest
        return document
    if options.path:
        return context.document(options.path, tools=True)
    if not ways and not options.snapshot:
        raise user_error(
            "missing-key",
            f"source `{context.name}` names no tools list",
            help="name a saved tools/list result or an mcp.json with `path`, or a live server with `command` or `url`",
        )
    return None


def _own(options: Options, context: Context) -> Server | None:
    """The server that the keys of the source name."""
    if not (options.command or options.url):
        return None
    url = f"${{env:{options.url.env}}}" if isinstance(options.url, Env) else options.url or ""
    return Server(
        context.name,
        "stdio" if options.command else "http",
        " ".join((options.command, *options.args)) if options.command else address.shown(options.url or ""),
        command=options.command,
        args=options.args,
        env={name: f"${{env:{name}}}" for name in options.env},
        cwd=str((context.base / options.cwd).resolve()),
        url=url,
        headers={name: f"${{env:{env.env}}}" for name, env in options.headers.items()},
        expand=False,
    )


def _declared(document: Document, options: Options, context: Context, report: Report) -> tuple[Server, ...]:
    origin = Origin(document.path)
    found = servers.declared(document.data, origin, context.base / options.path, report)
    return servers.chosen(found, options.servers, origin)


def _snapshot(options: Options, source: str) -> str:
    return options.snapshot or snapshot.default_path(source)


def _folder(options: Options, source: str) -> str:
    return options.snapshot or str(Path(snapshot.default_path(source)).with_suffix(""))


def _kept(name: str, path: str, context: Context) -> Reading:
    """The tools in a snapshot; raises UserError where there is none."""
    target = context.base / path
    shown = documents.display(target, context.root)
    if not target.is_file():
        raise snapshot.missing(context.name, shown)
    document = context.document(path, tools=True)
    snapshot.check(document, "mcp", context.report)
    reading = _reading(name, document, context)
    return replace(reading, source=replace(reading.source, vendored=True))


def _reading(name: str, document: Document, context: Context) -> Reading:
    """The tools of one list."""
    data, origin = document.data, Origin(document.path)
    head = data.get(snapshot.KEY) if isinstance(data, dict) else None
    if isinstance(head, dict):
        answer.name_refused(data, origin, name, context.report)
    found = operations(name, listing.definitions(data, origin, context.report), context.report, partial(McpCall, name))
    server = head.get("server") if isinstance(head, dict) else None
    instructions = data.get("instructions") if isinstance(data, dict) else None
    source = Source(
        name,
        "mcp",
        title=listing.words(server.get("title") or server.get("name"), server.get("version"))
        if isinstance(server, dict)
        else listing.title(data),
        description=instructions.strip().split("\n\n")[0] if isinstance(instructions, str) else "",
        separate=_SEPARATE,
        files=(document.path,),
        operations=len(found),
    )
    return Reading(source, found)


def _packed(document: Document, options: Options, context: Context) -> Reading:
    """The tools that a manifest names; it does not say what they take, so this is less than a snapshot."""
    data, origin = document.data, Origin(document.path)
    entries = data.get("tools")
    named = [
        Definition(
            MCP, {**entry, "inputSchema": entry.get("inputSchema", {"type": "object"})}, origin.at("tools", index)
        )
        for index, entry in enumerate(entries if isinstance(entries, list) else ())
        if isinstance(entry, dict)
    ]
    shown = documents.display(context.base / _snapshot(options, context.name), context.root)
    if not named:
        raise snapshot.missing(context.name, shown)
    more = ", and the server makes more when it runs" if data.get("tools_generated") else ""
    context.report.warning(
        "names-only",
        f"the manifest names {len(named)} tools without their arguments{more}",
        origin.at("tools"),
        help=f"`toolc pull {context.name}` asks the server itself, and writes {shown}",
        subject=context.name,
    )
    found = operations(context.name, named, context.report, partial(McpCall, context.name))
    identity = manifest.identity(data)
    source = Source(
        context.name,
        "mcp",
        title=listing.words(data.get("display_name") or identity.get("name"), identity.get("version")),
        description=str(data.get("description") or ""),
        separate=_SEPARATE,
        vendored=True,
        files=(document.path,),
        operations=len(found),
    )
    return Reading(source, found)
