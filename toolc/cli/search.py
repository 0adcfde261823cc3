"""`toolc search`."""

from __future__ import annotations

from pathlib import Path

import click

from toolc.cli import console


@click.command("search", short_help="Find tools of a bundle by words.")
@click.argument("query", nargs=-1, required=True)
@console.bundle_option
@click.option("--limit", type=click.IntRange(min=1), default=10, show_default=True, help="Most tools to show.")
@click.option("--format", "format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(query: tuple[str, ...], folder: Path | None, limit: int, format: str) -> int:
    """Find tools by the words of QUERY in their names and stubs, the best first."""
    found = console.load_bundle(folder).search(" ".join(query), limit=limit)
    if format == "json":
        console.dump([{"name": name, "stub": stub} for name, stub in found])
    elif found:
        for name, stub in found:
            console.out(stub if stub.startswith(name) else f"{name}: {stub}")
    else:
        console.say("nothing found; names.md in the bundle lists every tool")
    return 0
