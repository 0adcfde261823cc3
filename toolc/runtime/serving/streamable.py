"""MCP over streamable HTTP, by the official SDK: loopback unless told otherwise, Host and Origin checked."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from functools import partial
from typing import Any

from toolc import __version__
from toolc.diagnostics import user_error
from toolc.runtime.cancellation import Cancellation
from toolc.runtime.serving import Listing
from toolc.runtime.serving.protocol import CancellableCall

LOOPBACK = ("127.0.0.1", "localhost", "::1")
PATH = "/mcp"


def serve(listing: Listing, call: CancellableCall, host: str, port: int, origins: Sequence[str]) -> None:
    """Answer until interrupted; raises UserError where it cannot listen.

    origins: of web pages that may call, beside those of this machine.
    """
    app = application(listing, call, host, origins)
    import uvicorn

    try:
        uvicorn.run(app, host=host, port=port, log_level="warning")
    except SystemExit as end:
        if not end.code:  # a signal
            raise
        message = f"nothing listens at {host}:{port}, for the reason that the server gives above"
        raise user_error("cannot-listen", message, help="name another --port or --host") from None


def application(listing: Listing, call: CancellableCall, host: str, origins: Sequence[str]) -> Any:
    """The ASGI application; raises UserError where the SDK is not installed."""
    try:
        import anyio
        from mcp import types
        from mcp.server.lowlevel import Server
        from mcp.server.transport_security import TransportSecuritySettings
    except ImportError:
        message = "serving over HTTP needs the official MCP SDK, which is not installed"
        raise user_error("missing-extra", message, help="pip install 'toolc[mcp]'") from None

    offered = [types.Tool.model_validate(tool) for tool in listing.tools]

    async def list_tools(_: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=offered, ttl_ms=0, cache_scope="private")

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        cancelling = Cancellation()
        loop = asyncio.get_running_loop()

        def progress(done: float, total: float | None, words: str | None) -> None:
            asyncio.run_coroutine_threadsafe(context.session.report_progress(done, total, words), loop)

        arguments = params.arguments or {}
        carried_out = partial(call, params.name, arguments, cancelling=cancelling, progress=progress)
        try:
            done = await anyio.to_thread.run_sync(carried_out, abandon_on_cancel=True)
        except anyio.get_cancelled_exc_class():
            threading.Thread(target=cancelling.cancel, daemon=True).start()  # telling a database takes time
            raise
        return types.CallToolResult.model_validate(done.to_data())

    server: Any = Server(
        listing.name,
        version=__version__,
        instructions=listing.instructions or None,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    names = {"[::1]" if name == "::1" else name for name in (*LOOPBACK, host)} - {"0.0.0.0", "::"}  # noqa: S104
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        # Who listens on all addresses is asked by names that only the network knows.
        allowed_hosts=[f"{name}:*" for name in sorted(names)],
        allowed_origins=[*(f"http://{name}:*" for name in sorted(names)), *origins],
    )
    return server.streamable_http_app(streamable_http_path=PATH, host=host, transport_security=security)
