"""Reads along what a server sends, so that one bad tool does not cost the answer it stands in.

The SDK checks an answer as a whole, and refuses all of it for one tool. So the tools are taken out before it looks, as
the server wrote them; they are judged one by one by whoever reads the snapshot.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

from toolc.diagnostics import Report, UserError

# Bytes of all messages of one server. The largest of 25 public servers sends 0.2 MB.
LARGEST = 16 * 1024 * 1024
_MOST_NOISE = 1000


class TooLargeError(Exception):
    """More came than a list of tools can be."""


class Tap:
    """A stream of messages to read from, in place of that of a transport; keeps tools, and what is no message.

    noise: lines that are no messages, as written. spoke: whether any message came. overflowed: whether more came than
    a list of tools can be, which ends the stream.
    """

    def __init__(self) -> None:
        self.tools: list[Any] = []
        self.next_cursor: str | None = None
        self.noise: list[str] = []
        self.spoke = False
        self.overflowed = False
        self._size = 0
        self._stream: Any = None

    def attach(self, stream: Any) -> None:
        """Read from this stream from now on; what an earlier one brought is forgotten."""
        self.tools.clear()
        self._stream = stream

    async def receive(self) -> Any:
        """The next message or fault."""
        return self._seen(await self._stream.receive())

    async def aclose(self) -> None:
        """Close the stream below."""
        await self._stream.aclose()

    def __aiter__(self) -> Tap:
        return self

    async def __anext__(self) -> Any:
        return self._seen(await self._stream.__anext__())

    async def __aenter__(self) -> Tap:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        result: bool | None = await self._stream.__aexit__(kind, error, trace)
        return result

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)  # `last_context` of the streams of the SDK

    def _seen(self, item: Any) -> Any:
        if isinstance(item, Exception):
            item = self._recovered(item)
        message = getattr(item, "message", None)
        result = getattr(message, "result", None)
        if message is not None:
            self.spoke = True
        if message is not None and isinstance(result, dict) and isinstance(result.get("tools"), list):
            tools = result["tools"]
            self._meter(_size(tools))
            self.tools += tools
            cursor = result.get("nextCursor")
            self.next_cursor = cursor if isinstance(cursor, str) and cursor else None
            message.result = {**result, "tools": []}
        return item

    def _meter(self, size: int) -> None:
        self._size += size
        if self._size > LARGEST:
            self.overflowed = True
            raise TooLargeError

    def _recovered(self, error: Exception) -> Any:
        """The message in a line that the SDK refused for a value in it, or the error for what is none."""
        from pydantic import ValidationError

        if not isinstance(error, ValidationError):
            return error
        line = next((item["input"] for item in error.errors() if isinstance(item.get("input"), str)), "")
        if not line.strip():
            return error
        if line.lstrip().startswith("{") and '"jsonrpc"' in line and '"result"' in line:
            if len(line) > LARGEST:
                self._meter(len(line))
            found = _message(line)
            if found is not None:
                return found
        if len(self.noise) < _MOST_NOISE:
            self.noise.append(line.strip()[:200])
        return error


def _message(line: str) -> Any:
    """The answer in a line, read by our own rules: a tool with a value that we refuse stands in it as the refusal."""
    from mcp.shared.message import SessionMessage
    from mcp.types import JSONRPCResponse

    from toolc import documents

    try:
        data = documents.parse_entries(line, "the server's answer", Report())
        return SessionMessage(JSONRPCResponse(jsonrpc="2.0", id=data["id"], result=data["result"]))
    except (UserError, ValueError, TypeError, KeyError):
        return None


def _size(value: Any) -> int:
    """About the bytes of a value as JSON."""
    import json

    return len(json.dumps(value, default=str))
