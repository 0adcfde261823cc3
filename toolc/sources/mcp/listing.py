"""The tools in what a server answers to `tools/list`, or in the snapshot of it."""

from __future__ import annotations

from typing import Any

from toolc.bind import did_you_mean
from toolc.diagnostics import Report, UserError, user_error
from toolc.documents import Refused
from toolc.ir import Origin
from toolc.sources.mcp import messages
from toolc.sources.mcp.messages import Place
from toolc.sources.tools.definition import MCP, Definition
from toolc.tokens import compact

_EXPECTED = 'expected is what a server answers to tools/list: {"tools": [{"name": …, "inputSchema": …}]}'


def definitions(data: Any, origin: Origin, report: Report) -> list[Definition]:
    """The definitions in a list; what is none is reported. Raises UserError for what is no list."""
    found = []
    pages = _pages(data, origin)
    told: set[str] = set()  # in a log, whoever asks again gets the same again
    for place, entries in pages:
        before = frozenset(told)
        for index, entry in enumerate(entries):
            if isinstance(entry, dict):
                text = compact(entry) if len(pages) > 1 else ""
                if text in before:
                    continue
                told.add(text)
                found.append(Definition(MCP, entry, origin.at(*place, index)))
            elif not isinstance(entry, Refused):
                message = f"a tool is a mapping, not {entry!r:.40}"
                report.error("wrong-type", message, origin.at(*place, index))
    _name_missing_pages(data, pages[-1][0], origin, report)
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


def _pages(data: Any, origin: Origin) -> list[tuple[Place, list[Any]]]:
    """The lists of tools with their places: one, or several where there are several answers."""
    if isinstance(data, dict) and isinstance(data.get("tools"), list):
        return [(("tools",), data["tools"])]
    exchange = messages.is_exchange(data)
    if exchange or isinstance(data, dict):
        found = [(*place, "tools") for place in messages.answers(data)]
        if found:
            return [(place, _at(data, place)) for place in found]
    elif isinstance(data, list):
        return [((), data)]
    refusal = messages.refusal(data, origin)
    if refusal is not None:
        raise refusal
    if not isinstance(data, dict):
        raise _no_list("this is no tools/list result", origin)
    if "tools" in data:
        raise _no_list(f"`tools` is a list, not {data['tools']!r:.40}", origin.at("tools"))
    raise _no_list(f"this has no list `tools`{did_you_mean('tools', map(str, data))}", origin)


def _at(data: Any, place: Place) -> Any:
    for key in place:
        data = data[key]
    return data


def _no_list(message: str, origin: Origin) -> UserError:
    return user_error("not-a-tool-list", message, origin, help=f"{_EXPECTED}; {messages.ADVICE}")


def _name_missing_pages(data: Any, place: Place, origin: Origin, report: Report) -> None:
    """A cursor in the last answer means that the server has more tools than were saved."""
    holder = data
    for key in place[:-1]:
        holder = holder[key]
    if isinstance(holder, dict) and holder.get("nextCursor"):
        report.warning(
            "partial-list",
            "this is one page of the server's tools: it ends with a cursor to the next",
            origin.at(*place[:-1], "nextCursor"),
            help="ask tools/list again with the cursor, and save the answers in one JSON list; `toolc pull` does so",
        )
