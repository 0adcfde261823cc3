"""The tools in what a server answers to `tools/list`, or in the snapshot of it."""

from __future__ import annotations

from typing import Any

from toolc.bind import did_you_mean
from toolc.diagnostics import Report, UserError, user_error
from toolc.documents import Refused
from toolc.ir import Origin
from toolc.sources.tools.definition import MCP, Definition


def definitions(data: Any, origin: Origin, report: Report) -> list[Definition]:
    """The definitions in a list; what is none is reported. Raises UserError for what is no list."""
    place, entries = _list(data, origin)
    found = []
    for index, entry in enumerate(entries):
        if isinstance(entry, dict):
            found.append(Definition(MCP, entry, origin.at(*place, index)))
        elif not isinstance(entry, Refused):
            message = f"a tool is a mapping, not {entry!r:.40}"
            report.error("wrong-type", message, origin.at(*place, index))
    _name_missing_pages(data, place, origin, report)
    return found


def title(data: Any) -> str:
    """Name and version of the server, where the file tells them."""
    if not isinstance(data, dict):
        return ""
    init = data.get("init") or data.get("initialize") or {}
    result = data.get("result") or {}
    for holder in (data, init, result):
        info = holder.get("serverInfo") if isinstance(holder, dict) else None
        if isinstance(info, dict):
            return words(info.get("title") or info.get("name"), info.get("version"))
    server = data.get("server")
    return (
        words(server.get("name"), server.get("version"))
        if isinstance(server, dict)
        else words(server, data.get("version"))
    )


def words(*parts: Any) -> str:
    """The parts that are texts, as one."""
    return " ".join(part for part in parts if isinstance(part, str) and part)


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


def _name_missing_pages(data: Any, place: tuple[str, ...], origin: Origin, report: Report) -> None:
    """A cursor in the answer means that the server has more tools than were saved."""
    holder = data
    for key in place[:-1]:
        holder = holder[key]
    if isinstance(holder, dict) and holder.get("nextCursor"):
        report.warning(
            "partial-list",
            "this is one page of the server's tools: it ends with a cursor to the next",
            origin.at(*place[:-1], "nextCursor"),
            help="ask tools/list again with the cursor, and save all tools in one list; `toolc pull` does so",
        )
