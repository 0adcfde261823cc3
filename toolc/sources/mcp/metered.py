"""An HTTP client that counts what comes, and stops at a limit. Imported only where a live server is asked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx2

from toolc.diagnostics import user_error
from toolc.sources.mcp.tap import LARGEST, TooLargeError

_TIMEOUT = httpx2.Timeout(30.0, read=300.0)  # the whole conversation has a limit of its own


def client(headers: dict[str, str], note: Callable[[int], None]) -> httpx2.AsyncClient:
    """A client for one server. note: told the status of each answer that is an error."""

    async def look(response: httpx2.Response) -> None:
        if response.status_code >= 400:
            note(response.status_code)
        if response.headers.get("content-encoding", "identity") != "identity":
            # Counted are bytes as they come, and a few of them may unpack to any number.
            raise user_error("compressed-answer", "the server answers in compressed form, which it was asked not to")
        response.stream = _Counted(response.stream)

    return httpx2.AsyncClient(
        headers={"accept-encoding": "identity", **headers}, timeout=_TIMEOUT, event_hooks={"response": [look]}
    )


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._size = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            self._size += len(chunk)
            if self._size > LARGEST:
                raise TooLargeError
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
