"""`toolc serve`."""

from __future__ import annotations

from pathlib import Path

import click

from toolc.cli import console


@click.command("serve", short_help="Serve a bundle to MCP clients.")
@click.argument("folder", metavar="[BUNDLE]", required=False, type=click.Path(path_type=Path, file_okay=False))
@click.option("--group", default="", metavar="NAME", help="Only the tools of this group.")
@click.option("--http", is_flag=True, help="Serve over streamable HTTP at /mcp instead of stdin and stdout.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on, with --http.")
@click.option("--port", default=8765, show_default=True, type=click.IntRange(1, 65535), help="Port, with --http.")
@click.option("--origin", "origins", multiple=True, metavar="URL", help="Web pages that may call, with --http.")
@console.run_options
@console.profile_option
def command(
    folder: Path | None,
    group: str,
    http: bool,
    host: str,
    port: int,
    origins: tuple[str, ...],
    files: tuple[Path, ...],
    timeout: float,
    most_bytes: int,
    profile: str,
) -> None:
    """Offer the tools of BUNDLE (the `out` of ./toolc.yaml) to MCP clients, and carry out their calls."""
    import signal
    import sys

    from toolc.runtime import serving
    from toolc.runtime.serving.calls import Calls
    from toolc.runtime.surroundings import Settings

    place = console.profile_folder(console.bundle_folder(folder), profile)
    listing = serving.listing(place, group)
    settings = Settings(timeout, most_bytes)
    # An end by signal is one like any other: servers that were started for calls are ended too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with Calls(place, listing.names, files=files, settings=settings, warn=console.say) as calls:
        if not http:
            from toolc.runtime.serving import stdio

            stdio.serve(listing, calls.call)
            return
        from toolc.runtime.serving import streamable

        if host not in streamable.LOOPBACK:
            console.say(f"warning: {host} is more than this machine: whoever reaches it can call the tools")
        count = len(listing.tools)
        console.say(f"{listing.name}: {count} tool{'s' * (count != 1)} at http://{host}:{port}{streamable.PATH}")
        streamable.serve(listing, calls.call, host, port, origins)
