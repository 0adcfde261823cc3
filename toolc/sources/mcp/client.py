"""Asks a live MCP server for all its tools, over stdio or HTTP, with the official SDK."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolc import __version__, address
from toolc.diagnostics import Report, UserError, user_error
from toolc.ir import Origin
from toolc.snapshot import Snapshot
from toolc.sources.mcp import answer, manifest
from toolc.sources.mcp.placeholders import Filling
from toolc.sources.mcp.standard_error import StandardError
from toolc.sources.mcp.tap import LARGEST, Tap, TooLargeError

if TYPE_CHECKING:
    from mcp import ClientSession

# A server that ignores what it does not know is asked in the old way after this share of its time.
_PROBE = 0.25
_LONGEST_PROBE = 8.0
_CLOSED = "Connection closed"
_MOST_WORDS = 1200  # characters of what a server says of itself
# Pages of one list; the largest server known has 2,000 tools, and lists of one tool a page exist.
MOST_PAGES = 1000


async def snapshot(filling: Filling, timeout: int, allow_http: bool, report: Report) -> Snapshot:
    """What the server says of itself, and its tools; raises UserError. timeout: seconds until it has to be through."""
    try:
        import anyio
        import mcp  # noqa: F401
    except ImportError:
        raise user_error(
            "missing-extra",
            "asking a live MCP server needs its official SDK, which is not installed",
            help="pip install 'toolc[mcp]'",
        ) from None
    conversation = _Conversation(filling, allow_http, report)
    with _quiet(), conversation.unpacked():
        with anyio.move_on_after(timeout) as scope:
            try:
                return await conversation.hold(min(timeout * _PROBE, _LONGEST_PROBE))
            except UserError:
                raise
            except Exception as error:
                raise conversation.failed(error) from None
        if scope.cancelled_caught:
            raise conversation.late(timeout)
        raise AssertionError("a scope that was not cancelled gives an answer or an error")


class _Conversation:
    """One server, from its start to the answer, and what is known when it goes wrong."""

    def __init__(self, filling: Filling, allow_http: bool, report: Report) -> None:
        self.filling, self.server = filling, filling.server
        self.allow_http, self.report = allow_http, report
        self.tap = Tap()
        self.errors = StandardError()
        self.status: int | None = None
        self.pages = 0

    async def hold(self, probe: float) -> Snapshot:
        """Connect, and ask for every page. A server that ends at the first word of the new protocol is asked again."""
        try:
            return await self._hold(probe)
        except Exception as error:
            if self.tap.spoke or self.server.transport != "stdio" or not _is_closed(error):
                raise
        self.errors = StandardError()
        return await self._hold(0)

    async def _hold(self, probe: float) -> Snapshot:
        from mcp import ClientSession
        from mcp.types import Implementation

        info = Implementation(name="toolc", version=__version__)
        async with self._streams() as (read, write):
            self.tap.attach(read)
            async with ClientSession(self.tap, write, client_info=info) as session:
                await _negotiate(session, probe)
                await self._pages(session)
                described = answer.identity(session)
        self._name_noise()
        return Snapshot("mcp", described, answer.body(session.instructions, self.tap.tools))

    @asynccontextmanager
    async def _streams(self) -> AsyncGenerator[Any, None]:
        fill, server = self.filling, self.server
        if server.transport == "stdio":
            from mcp.client.stdio import StdioServerParameters, stdio_client

            environment = {**self._env_file(), **{key: fill.text(value) for key, value in server.env.items()}}
            folder = fill.text(server.cwd) if server.cwd else str(fill.folder)
            if not Path(folder).is_dir():
                raise user_error("missing-folder", f"`{server.name}` cannot be started in {folder}", self.place())
            words = fill.words(server.args)
            command = _program(fill.text(server.command), folder, server.name, self.place())
            parameters = StdioServerParameters(
                command=command, args=words, env=environment, cwd=folder, encoding_error_handler="replace"
            )
            with self.errors.file() as file:
                async with stdio_client(parameters, errlog=file) as streams:
                    yield streams
            return
        url = address.resolve(fill.text(server.url), f"the server `{server.name}`", self.allow_http)
        headers = {key: fill.text(value) for key, value in server.headers.items()}
        async with self._over_http(url, headers) as streams:
            yield streams

    @asynccontextmanager
    async def _over_http(self, url: str, headers: dict[str, str]) -> AsyncGenerator[Any, None]:
        from mcp.client.sse import sse_client
        from mcp.client.streamable_http import streamable_http_client

        from toolc.sources.mcp import metered

        def note(status: int) -> None:
            if status not in (404, 405):  # a method or a stream that a server need not have
                self.status = status

        def client(headers: Any = None, timeout: Any = None, auth: Any = None) -> Any:
            return metered.client(headers or {}, note)

        if self.server.transport == "sse":
            async with sse_client(url, headers=headers, httpx_client_factory=client) as streams:
                yield streams
        else:
            async with (
                client(headers) as own,
                streamable_http_client(url, http_client=own, max_sse_event_size=LARGEST) as streams,
            ):
                yield streams

    async def _pages(self, session: ClientSession) -> None:
        from mcp.types import ListToolsRequest, ListToolsResult, PaginatedRequestParams

        cursor: str | None = None
        seen: set[str] = set()
        while True:
            params = PaginatedRequestParams(cursor=cursor) if cursor is not None else None
            await session.send_request(ListToolsRequest(params=params), ListToolsResult)
            self.pages += 1
            cursor = self.tap.next_cursor
            if cursor is None:
                return
            if cursor in seen or self.pages == MOST_PAGES:
                what = "names a page again that it gave already" if cursor in seen else f"has over {MOST_PAGES:,} pages"
                raise user_error(
                    "endless-list",
                    f"the list of tools of `{self.server.name}` {what}, so it has no end",
                    self.place(),
                    help="this is a fault of the server; report it to its author",
                )
            seen.add(cursor)

    def _env_file(self) -> dict[str, str]:
        if not self.server.env_file:
            return {}
        path = Path(self.server.folder / self.filling.text(self.server.env_file))
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            message = f"`{self.server.name}` names a file of variables that cannot be read: {path.name}"
            raise user_error("unreadable-file", message, self.place(), str(error)) from None
        pairs = [line.removeprefix("export ").partition("=") for line in lines if not line.lstrip().startswith("#")]
        found = {key.strip(): value.strip().strip("\"'") for key, mark, value in pairs if mark and key.strip()}
        self.filling.secrets.update(found)
        return found

    @contextmanager
    def unpacked(self) -> Iterator[None]:
        """A packed server unpacked into a folder that is there while it runs."""
        archive = self.server.archive
        if archive is None:
            yield
            return
        if not manifest.is_archive(archive.name):
            self.filling.folder = archive.resolve().parent
            yield
            return
        with tempfile.TemporaryDirectory(prefix="toolc-", ignore_cleanup_errors=True) as folder:
            manifest.unpack(archive, Path(folder), self.server.where)
            self.filling.folder = Path(folder).resolve()
            yield

    def place(self) -> Origin | None:
        """Where the user's files name the server."""
        return self.server.origin if self.server.origin.source else None

    def failed(self, error: Exception) -> UserError:
        """What went wrong, in words of the user's world."""
        cause = _leaf(error)
        if isinstance(cause, UserError):
            return cause
        name = self.server.name
        if isinstance(cause, TooLargeError) or self.tap.overflowed:
            message = f"`{name}` sent more than {LARGEST // 1024**2} MB, which is no list of tools"
            return user_error("input-limit", message, self.place(), "report it to its author, or select another server")
        if self.status in (401, 403):
            message = f"`{name}` refused the request with HTTP status {self.status}"
            advice = "name the variable with the token: `headers: {Authorization: {env: NAME}}`, value `Bearer …`"
            return user_error("not-authorised", message, self.place(), advice)
        what = self._reason(cause)
        otherwise = "check that it runs, and try it by hand"
        if self.server.transport != "stdio":
            otherwise = "check the address, and that the server runs and is reachable from here"
        return user_error("no-answer", f"`{name}` gave no list of tools: {what}", self.place(), self._advice(otherwise))

    def late(self, timeout: int) -> UserError:
        """The error for a server that is not through in its time."""
        if self.pages:
            done = f"gave {self.pages} pages of its tools, and no end of them,"
        else:
            done = "said nothing that makes sense" if self.tap.noise else "gave no list of tools"
        message = f"`{self.server.name}` {done} within {timeout} s"
        return user_error("timeout", message, self.place(), self._advice("give it more time with `timeout: SECONDS`"))

    def _reason(self, cause: BaseException) -> str:
        import httpx2
        from mcp import MCPError

        if self.server.transport == "stdio" and _is_closed(cause):
            return "it ended before it answered"
        if self.status is not None:
            return f"HTTP status {self.status}"
        if isinstance(cause, MCPError):
            return f"it answered with error {cause.error.code}: {self._clean(cause.error.message)}"
        if isinstance(cause, httpx2.TransportError):
            return (
                f"cannot reach {address.shown(self.filling.server.url)}: {self._clean(str(cause)) or 'no connection'}"
            )
        if isinstance(cause, OSError):
            return f"it cannot be started: {cause.strerror or cause}"
        return f"its answer is not as the protocol wants it: {self._clean(_in_words(cause))}"

    def _advice(self, otherwise: str = "") -> str:
        """What the server wrote, which mostly says it; what it was given is left out."""
        parts = []
        if self.tap.noise:
            parts.append(f"it wrote to stdout, where only messages belong: {self._clean(self.tap.noise[0])!r}")
        if tail := self._clean(self.errors.tail()):
            parts.append(f"its last words on stderr: {tail}")
        return "; ".join(parts) or otherwise

    def _clean(self, text: str) -> str:
        text = self.filling.redacted(text.strip())
        if len(text) <= _MOST_WORDS:
            return text
        return "… " + text[-_MOST_WORDS:].partition(" ")[2]  # from the next whole word

    def _name_noise(self) -> None:
        if self.tap.noise:
            count = len(self.tap.noise)
            self.report.warning(
                "stdout-noise",
                f"`{self.server.name}` wrote {count} line{'s' * (count > 1)} to stdout that are no messages: "
                f"{self._clean(self.tap.noise[0])[:80]!r}",
                self.place(),
                help="many clients end a server that does this; it should write to stderr",
            )


async def _negotiate(session: ClientSession, probe: float) -> None:
    """Agree on a revision of the protocol: the newest first, and then by the handshake of those before it.

    probe: seconds to wait for a server that does not answer a method it does not know; 0 for the handshake alone.
    """
    import anyio
    from mcp import MCPError
    from mcp.types import UNSUPPORTED_PROTOCOL_VERSION
    from pydantic import ValidationError

    if probe:
        try:
            with anyio.fail_after(probe):
                await session.discover()
                return
        except (TimeoutError, ValidationError, RuntimeError, MCPError):
            pass
    try:
        await session.initialize()
    except MCPError as error:
        if error.error.code != UNSUPPORTED_PROTOCOL_VERSION:
            raise
        await session.discover()  # slow to start, it had taken the first question as its revision


def _is_closed(error: BaseException) -> bool:
    from mcp import MCPError
    from mcp.types import CONNECTION_CLOSED

    cause = _leaf(error)
    # The SDK's own error; servers use the number for errors of theirs.
    return isinstance(cause, MCPError) and (cause.error.code, cause.error.message) == (CONNECTION_CLOSED, _CLOSED)


def _leaf(error: BaseException) -> BaseException:
    """What went wrong first, out of the groups that task groups raise."""
    while isinstance(error, BaseExceptionGroup):
        error = next((item for item in error.exceptions if isinstance(_leaf(item), UserError)), error.exceptions[0])
    return error


def _in_words(error: BaseException) -> str:
    """What is wrong, without what the SDK says to programmers."""
    from pydantic import ValidationError

    if isinstance(error, ValidationError) and (found := error.errors()):
        place = ".".join(map(str, found[0]["loc"]))
        return f"`{place}`: {found[0]['msg']}" if place else found[0]["msg"]
    return str(error) or type(error).__name__


def _program(command: str, folder: str, name: str, origin: Origin | None) -> str:
    """The program to start; raises UserError where there is none."""
    words = command.split()
    advice = "install it, or correct `command`; it is looked for on PATH"
    if os.path.dirname(command):  # noqa: PTH120 (as written: `./server` is a path, `server` is not)
        command = os.path.normpath(Path(folder) / command)
        advice = "install it, or correct `command`"
        if Path(command).exists():
            advice = "correct `command`, or make the file executable"
    if shutil.which(command) is None:
        if len(words) > 1 and shutil.which(words[0]) is not None:
            advice = f"`command` is the program alone: command: {words[0]}, args: [{', '.join(words[1:])}]"
        raise user_error(
            "missing-program", f"`{name}` cannot be started: there is no program {command}", origin, advice
        )
    return command


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what the SDK logs off the screen: what matters of it is said in a diagnostic."""
    loggers = [logging.getLogger(name) for name in ("mcp", "client", "httpx2", "httpcore2", "asyncio")]
    silent = logging.NullHandler()
    before = [(logger, logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.addHandler(silent)
        logger.propagate = False
    try:
        yield
    finally:
        for logger, propagate in before:
            logger.removeHandler(silent)
            logger.propagate = propagate
