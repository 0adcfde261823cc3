"""`toolc resolve`."""

from __future__ import annotations

from pathlib import Path

import click

from toolc.cli import console


@click.command("resolve", short_help="Translate a call of a tool into the call of its operation.")
@click.argument("tool")
@click.argument("arguments", metavar="JSON")
@console.bundle_option
def command(tool: str, arguments: str, folder: Path | None) -> int:
    """Print, as JSON, the operation that calling TOOL with the arguments JSON (`-`: from stdin) means.

    Nothing is executed. A call that the operation would not take is refused, with what is wrong and what is allowed.
    """
    from toolc.runtime import Refused

    data = console.arguments(arguments)
    try:
        call = console.load_bundle(folder).resolve(tool, data)
    except Refused as refusal:
        console.say(f"refused: {refusal}")
        return 1
    console.dump({"operation": call.operation, "arguments": call.arguments})
    return 0
