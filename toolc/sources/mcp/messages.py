"""JSON-RPC messages in a file, as saved from an exchange with a server: which of them list tools, and what others are.

An answer, a batch of them (JSON-RPC 2.0 §6) and several pages in one list are read; for all else it is said what it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from toolc.bind import did_you_mean
from toolc.diagnostics import UserError, user_error
from toolc.ir import Origin

Place = tuple[str | int, ...]

# What an answer to `tools/list` may hold beside its tools, in the revisions up to 2026-07-28.
_BESIDE = {"tools", "nextCursor", "_meta", "resultType", "ttlMs", "cacheScope"}
# Of what the result is, by a key that only it has.
_RESULTS = {
    "protocolVersion": "initialize",
    "content": "tools/call",
    "resources": "resources/list",
    "resourceTemplates": "resources/templates/list",
    "prompts": "prompts/list",
    "contents": "resources/read",
}
ADVICE = (
    "save what the server answers to `tools/list`, as it is; or name the server in a toolc.yaml (`command` or `url`), "
    "and `toolc pull` asks it"
)
_NOT_FOUND = -32601  # JSON-RPC's code for a method that is not there


def answers(data: Any) -> list[Place]:
    """The places of the results with a list of tools, in a message or a batch."""
    return [place for place, message in _messages(data) if isinstance(_tools(message), list)]


def recognise(data: Any) -> bool:
    """Whether data is a message, or a batch, in which a server lists its tools."""
    return is_exchange(data) and any(_tools(message) for _, message in _messages(data) if answers(message))


def is_exchange(data: Any) -> bool:
    """Whether data is a message of JSON-RPC or a list of such."""
    messages = data if isinstance(data, list) else [data]
    return bool(messages) and all(isinstance(message, dict) and "jsonrpc" in message for message in messages)


def refusal(data: Any, origin: Origin) -> UserError | None:
    """Why data that speaks of `tools/list` holds no list of tools; None for data that does not."""
    if isinstance(data, list):
        if not is_exchange(data):
            return None
        kinds = list(dict.fromkeys(_kind(message) for message in data))
        message = f"none of these {len(data):,} messages lists tools: {'; '.join(kinds[:4])}"
        return user_error("not-a-tool-list", message, origin, ADVICE)
    if not isinstance(data, dict):
        return None
    result = data.get("result")
    inside = isinstance(result, dict) and "tools" in result
    error = data.get("error")
    code = error.get("code") if isinstance(error, dict) and "message" in error else None
    if not ("jsonrpc" in data or inside or isinstance(code, int) or ("tools" in data and data.keys() <= _BESIDE)):
        return None
    holder, place = (result, origin.at("result")) if inside else (data, origin)
    if isinstance(holder, dict) and holder.get("tools") == []:
        message = "this lists no tools: the server has none, or none for who asked"
        return user_error("not-a-tool-list", message, place.at("tools"), ADVICE)
    if isinstance(holder, dict) and "tools" in holder:
        found = json.dumps(holder["tools"], ensure_ascii=False)
        message = f"`tools` is a list, not {found if len(found) <= 40 else found[:40] + '…'}"
        return user_error("not-a-tool-list", message, place.at("tools"), ADVICE)
    advice = ADVICE
    if code == _NOT_FOUND:
        advice = f"a server without tools, or one that was asked before `initialize`, answers so: {ADVICE}"
    at = next((key for key in ("error", "method", "result") if data.get(key) is not None), "")
    return user_error("not-a-tool-list", f"this is {_kind(data)}", origin.at(at) if at else origin, advice)


def _messages(data: Any) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    if isinstance(data, list):
        yield from (((index, "result"), message) for index, message in enumerate(data))
    else:
        yield ("result",), data


def _tools(message: Mapping[str, Any]) -> Any:
    result = message.get("result")
    return result.get("tools") if isinstance(result, dict) else None


def _kind(message: Mapping[str, Any]) -> str:
    """What a message that lists no tools is, in words."""
    error, result, method = message.get("error"), message.get("result"), message.get("method")
    if error is not None:
        said = error.get("message", error) if isinstance(error, dict) else error
        return f"an error that a server answered: {said}"
    if isinstance(method, str):
        return f"a {'request' if 'id' in message else 'notification'} `{method}`, not an answer"
    if isinstance(result, dict):
        asked = next((asked for key, asked in _RESULTS.items() if key in result), "")
        if asked:
            return f"the answer to `{asked}`, not to `tools/list`"
        return f"an answer whose `result` has no `tools`{did_you_mean('tools', map(str, result))}"
    return f"an answer whose `result` is {'missing' if result is None else 'no object'}"
