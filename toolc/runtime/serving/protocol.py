"""The part of MCP that serving tools takes, as messages in and out: no transport, no library.

Revisions before 2026-07-28 begin with `initialize`; since then each request carries its revision in `_meta`, and
nothing is remembered between two of them. The official SDK takes over a second to import, which a client waits for at
its start; it serves HTTP (`streamable`), where a server starts once.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from toolc.runtime.cancellation import Cancellation
from toolc.runtime.result import Result
from toolc.runtime.serving import Listing

if TYPE_CHECKING:
    from toolc.runtime.surroundings import Progress

Call = Callable[[str, dict[str, Any]], Result]

MODERN = ("2026-07-28",)
# The shape of what a tool server sends is the same in all of these.
HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
_PREFIX = "io.modelcontextprotocol/"
_CACHE = {"ttlMs": 0, "cacheScope": "private"}
INVALID_REQUEST, _NO_METHOD, _INVALID_PARAMS, _UNSUPPORTED = -32600, -32601, -32602, -32022


class CancellableCall(Protocol):
    """A call that another thread may end."""

    def __call__(
        self, name: str, arguments: dict[str, Any], cancelling: Cancellation, progress: Progress | None = None
    ) -> Result:
        """Carry it out."""


class _Error(Exception):
    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.body = {"code": code, "message": message, **({} if data is None else {"data": data})}


def read(line: bytes) -> Any:
    """The message in a line; raises ValueError for what is no JSON (NaN is none), or is too deep to be read."""
    try:
        return json.loads(line.decode(), parse_constant=_no_number, parse_float=_number)
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def written(message: Any) -> bytes:
    """A message as a line, in ASCII, so that nothing in it can be taken for the end of the line."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def is_call(message: Any) -> bool:
    """Whether answering takes time: anything else is answered at once."""
    return isinstance(message, dict) and message.get("method") == "tools/call" and _is_request(message)


def is_cancel(message: Any) -> bool:
    """Whether a call is to end."""
    return (
        isinstance(message, dict)
        and message.get("method") == "notifications/cancelled"
        and isinstance(message.get("params"), dict)
    )


def progress_token(message: dict[str, Any]) -> str | int | None:
    """What a call wants its progress told under; None where it wants none."""
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    return token if isinstance(token, str | int) and not isinstance(token, bool) else None


def progress(token: str | int, done: float, total: float | None, words: str | None) -> dict[str, Any]:
    """The notification of how far a call is."""
    known = {"total": total, "message": words}
    params = {"progressToken": token, "progress": done, **{key: one for key, one in known.items() if one is not None}}
    return {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}


def answer(message: Any, listing: Listing, call: Call) -> dict[str, Any] | None:
    """The response to a message; None where it wants none."""
    if isinstance(message, list):
        return failure(None, INVALID_REQUEST, "batches are not taken: send one message a line")
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        is_response = isinstance(message, dict) and ("result" in message or "error" in message)
        return None if is_response else failure(None, INVALID_REQUEST, "this is no JSON-RPC 2.0 request")
    if "id" not in message:
        return None
    if not _is_request(message):
        return failure(None, INVALID_REQUEST, "an id has to be a text or a whole number")
    key = message["id"]
    try:
        params = message.get("params")
        if not isinstance(params, dict | None):
            raise _Error(_INVALID_PARAMS, "params has to be an object")
        return {"jsonrpc": "2.0", "id": key, "result": _result(message["method"], params or {}, listing, call)}
    except _Error as error:
        return {"jsonrpc": "2.0", "id": key, "error": error.body}


def _is_request(message: dict[str, Any]) -> bool:
    """Whether it has an id that MCP allows."""
    key = message.get("id")
    return message.get("jsonrpc") == "2.0" and isinstance(key, str | int) and not isinstance(key, bool)


def _no_number(words: str) -> float:
    raise ValueError(f"{words} is no number")


def _number(words: str) -> float:
    number = float(words)
    return number if math.isfinite(number) else _no_number(f"{words:.20}")


def failure(key: Any, code: int, message: str) -> dict[str, Any]:
    """An error response."""
    return {"jsonrpc": "2.0", "id": key, "error": {"code": code, "message": message}}


def _result(method: str, params: dict[str, Any], listing: Listing, call: Call) -> dict[str, Any]:
    if method == "initialize":
        return _initialized(params, listing)
    modern = _is_modern(params)
    if method == "server/discover":
        own: dict[str, Any] = {
            "supportedVersions": list(MODERN),
            "capabilities": {"tools": {}},
            "ttlMs": 0,
            "cacheScope": "private",
        }
        found = {**own, **_instructions(listing)}
    elif method == "tools/list":
        found = {"tools": listing.tools, **_CACHE}
    elif method == "tools/call":
        found = _called(params, listing, call, modern)
    elif method == "ping":
        found = {}
    else:
        raise _Error(_NO_METHOD, f"there is no method {method:.80}")
    if not modern:
        return found if method == "ping" else {**found, "resultType": "complete"}
    meta = {f"{_PREFIX}serverInfo": listing.info, **found.get("_meta", {})}
    return {**found, "resultType": "complete", "_meta": meta}


def _initialized(params: dict[str, Any], listing: Listing) -> dict[str, Any]:
    asked = params.get("protocolVersion")
    return {
        "protocolVersion": asked if asked in HANDSHAKE else HANDSHAKE[-1],
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": listing.info,
        **_instructions(listing),
    }


def _instructions(listing: Listing) -> dict[str, str]:
    return {"instructions": listing.instructions} if listing.instructions else {}


def _is_modern(params: dict[str, Any]) -> bool:
    """Whether the request names its revision; raises for one that is not known."""
    meta = params.get("_meta")
    if not isinstance(meta, dict) or f"{_PREFIX}protocolVersion" not in meta:
        return False
    asked = meta[f"{_PREFIX}protocolVersion"]
    if asked not in MODERN:
        data = {"supported": list(MODERN), "requested": str(asked)}
        raise _Error(_UNSUPPORTED, f"unsupported protocol version {asked!s:.40}", data)
    return True


def _called(params: dict[str, Any], listing: Listing, call: Call, modern: bool) -> dict[str, Any]:
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str) or not isinstance(arguments, dict | None):
        raise _Error(_INVALID_PARAMS, "tools/call takes a `name`, and `arguments` as an object")
    found = call(name, arguments or {}).to_data()
    if not modern and not isinstance(found.get("structuredContent", {}), dict):
        del found["structuredContent"]  # until 2025-11-25 an object; its text stands in the content
    return found
