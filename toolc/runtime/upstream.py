"""Carries out calls of tools of MCP servers: each server started with its first call, kept, and started again once.

Results pass through as the server gave them. All servers live in one event loop on a thread of its own, as the official
SDK wants it; callers wait for it from theirs.
"""

from __future__ import annotations

import asyncio
import logging
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from toolc import __version__
from toolc.ir import Arguments, McpCall, Operation
from toolc.runtime.background import Background
from toolc.runtime.result import Failed, Result
from toolc.runtime.secrets import Secrets
from toolc.runtime.surroundings import Connection, Execution, Progress, Surroundings

if TYPE_CHECKING:
    from mcp import ClientSession

_PLACE = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?\}")
_PROTOCOLS_OWN = "io.modelcontextprotocol/"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
# Seconds for servers to end when toolc does.
_FAREWELL = 10.0


class Servers:
    """The upstream servers that were called; see `Carrier`."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._surroundings = surroundings
        self._background = Background()
        self._upstreams: dict[str, _Upstream] = {}
        for name in ("mcp", "client", "httpx2"):  # what matters of it is told in the result
            logging.getLogger(name).addHandler(logging.NullHandler())

    def call(self, operation: Operation, arguments: Arguments, connection: Connection, execution: Execution) -> Result:
        """Hand a call on; raises Failed where the server gives no answer."""
        call = operation.call
        assert isinstance(call, McpCall)
        repeatable = bool(operation.hints.read_only.value or operation.hints.idempotent.value)
        work = self._call(call, arguments, connection, repeatable, execution.progress)
        return self._background.run(work, execution.cancelling)

    def preview(self, operation: Operation, arguments: Arguments, connection: Connection) -> dict[str, Any]:
        """The server, the tool and its arguments."""
        call = operation.call
        assert isinstance(call, McpCall)
        where = {key: connection[key] for key in ("command", "args", "url") if key in connection}
        return {"server": call.server, **where, "tool": call.tool, "arguments": arguments}

    def close(self) -> None:
        """End every server that was started."""
        self._background.close(self._close(), _FAREWELL)

    async def _close(self) -> None:
        await asyncio.gather(*(upstream.close() for upstream in self._upstreams.values()), return_exceptions=True)

    async def _call(
        self, call: McpCall, arguments: Arguments, connection: Connection, repeatable: bool, progress: Progress | None
    ) -> Result:
        try:
            async with asyncio.timeout(self._surroundings.settings.timeout):
                return await self._sent(call, arguments, connection, repeatable, progress)
        except TimeoutError:
            seconds = f"{self._surroundings.settings.timeout:g} s"
            raise Failed(f"The server `{call.server}` gave no answer within {seconds}.") from None

    async def _sent(
        self, call: McpCall, arguments: Arguments, connection: Connection, repeatable: bool, progress: Progress | None
    ) -> Result:
        """The answer; a server that has ended is started again, and called again only where that does nothing twice."""
        upstream = self._upstreams.get(call.server)
        if upstream is None or upstream.ended:
            upstream = self._start(call.server, connection)
        session = await upstream.session()
        try:
            return await _called(session, call, arguments, progress)
        except _GoneError:
            await upstream.close()
        fresh = self._upstreams[call.server]
        if fresh is upstream:  # another call may have started it again
            fresh = self._start(call.server, connection)
        session = await fresh.session()
        if not repeatable:
            raise Failed(
                f"The server `{call.server}` ended during the call and was started again. "
                "Whether it did what was asked is not known: look before you repeat it."
            )
        try:
            return await _called(session, call, arguments, progress)
        except _GoneError:
            raise Failed(f"The server `{call.server}` ended during the call, twice.") from None

    def _start(self, name: str, connection: Connection) -> _Upstream:
        self._upstreams[name] = upstream = _Upstream(name, connection, self._surroundings)
        return upstream


class _GoneError(Exception):
    """The server has ended, or the connection to it has."""


async def _called(session: ClientSession, call: McpCall, arguments: Arguments, told: Progress | None) -> Result:
    from mcp import MCPError
    from mcp.types import CONNECTION_CLOSED, CallToolRequest, CallToolRequestParams, CallToolResult

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        assert told is not None
        told(progress, total, message)

    request = CallToolRequest(params=CallToolRequestParams(name=call.tool, arguments=arguments))
    try:
        answer = await session.send_request(request, CallToolResult, progress_callback=tell if told else None)
    except MCPError as error:
        if error.error.code == CONNECTION_CLOSED:
            raise _GoneError from None
        raise Failed(f"The server `{call.server}` answered with an error: {error.error.message}") from None
    except (ConnectionError, OSError, RuntimeError):
        raise _GoneError from None
    except ValueError as error:
        raise Failed(f"The answer of `{call.server}` is not as the protocol wants it: {str(error)[:200]}") from None
    data = answer.model_dump(by_alias=True, mode="json", exclude_none=True)
    meta = {
        key: value for key, value in data.get("_meta", {}).items() if not key.startswith("io.modelcontextprotocol/")
    }
    return Result(tuple(data["content"]), data.get("isError", False), data.get("structuredContent"), meta or None)


class _Upstream:
    """One server, from its start to its end, in a task of its own."""

    def __init__(self, name: str, connection: Connection, surroundings: Surroundings) -> None:
        self._name, self._connection, self._surroundings = name, connection, surroundings
        self._ready: asyncio.Future[ClientSession] = asyncio.get_running_loop().create_future()
        self._stop = asyncio.Event()
        self._task = asyncio.create_task(self._live())

    @property
    def ended(self) -> bool:
        """Whether it has to be started again to be called."""
        return self._task.done() or self._stop.is_set()

    async def session(self) -> ClientSession:
        """The session, once it is there; raises Failed where it cannot be."""
        return await asyncio.shield(self._ready)

    async def close(self) -> None:
        """End it."""
        self._stop.set()
        await asyncio.wait([self._task], timeout=_FAREWELL / 2)
        self._task.cancel()

    async def _live(self) -> None:
        try:
            from mcp import ClientSession
            from mcp.types import Implementation

            info = Implementation(name="toolc", version=__version__)
            async with self._streams() as (read, write), ClientSession(read, write, client_info=info) as session:
                await _negotiate(session)
                self._ready.set_result(session)
                await self._stop.wait()
        except BaseException as error:
            if not self._ready.done():
                self._ready.set_exception(self._failure(error))
                self._ready.exception()  # whoever waited may have run out of time
            if isinstance(error, asyncio.CancelledError):
                raise
        finally:
            self._stop.set()

    def _failure(self, error: BaseException) -> Failed:
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, Failed):
            return error
        if isinstance(error, ModuleNotFoundError):
            return Failed(
                "Calling an MCP server needs the official SDK, which is not installed: pip install 'toolc[mcp]'."
            )
        words = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return Failed(f"The server `{self._name}` cannot be reached or started: {words}.")

    @asynccontextmanager
    async def _streams(self) -> AsyncIterator[tuple[Any, Any]]:
        fill = _Filling(self._surroundings.secrets, f"the server `{self._name}`")
        connection = self._connection
        if command := connection.get("command"):
            from mcp.client.stdio import StdioServerParameters, stdio_client

            folder = self._surroundings.root / connection.get("cwd", "")
            program = str(folder / command) if command.startswith(".") else command
            parameters = StdioServerParameters(
                command=program,
                args=[fill.text(word) for word in connection.get("args", ())],
                env={name: fill.text(text) for name, text in connection.get("env", {}).items()},
                cwd=Path(folder),
                encoding_error_handler="replace",
            )
            async with stdio_client(parameters, errlog=sys.__stderr__ or sys.stderr) as (read, write):
                yield read, write
        elif url := connection.get("url"):
            import httpx2
            from mcp.client.streamable_http import streamable_http_client

            address = _checked(fill.text(url), self._name, bool(connection.get("allow_http")))
            headers = {name: fill.text(text) for name, text in connection.get("headers", {}).items()}
            timeout = httpx2.Timeout(self._surroundings.settings.timeout)
            async with (
                httpx2.AsyncClient(headers=headers, timeout=timeout, follow_redirects=False) as client,
                streamable_http_client(address, http_client=client) as streams,
            ):
                yield streams[0], streams[1]
        else:
            raise Failed(
                f"The bundle does not say how the server `{self._name}` is started: in toolc.yaml, give the source a "
                "`command` or a `url`, and build again."
            )


class _Filling:
    """Fills `${env:NAME}` and `${env:NAME:-default}` into the texts of a server."""

    def __init__(self, secrets: Secrets, purpose: str) -> None:
        self._secrets, self._purpose = secrets, purpose

    def text(self, text: str) -> str:
        return _PLACE.sub(self._one, text)

    def _one(self, match: re.Match[str]) -> str:
        name, default = match.groups()
        try:
            return self._secrets.value(name, self._purpose)
        except Failed:
            if default is None:
                raise
            return default


async def _negotiate(session: ClientSession) -> None:
    """The handshake that servers of all revisions but the last know; the last alone is asked in its own way."""
    from mcp import MCPError
    from mcp.types import METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION

    try:
        await session.initialize()
    except MCPError as error:
        if error.error.code not in (METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION):
            raise
        await session.discover()


def _checked(url: str, name: str, allow_http: bool) -> str:
    """The address, if it is encrypted or on this machine; raises Failed."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Failed(f"The server `{name}` has no usable address: it is no http or https URL.")
    if parts.scheme == "http" and not allow_http and parts.hostname not in _LOOPBACK:
        raise Failed(f"The server `{name}` would be called without encryption: use https, or say `allow_http: true`.")
    return url
