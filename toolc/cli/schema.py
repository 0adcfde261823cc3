"""`toolc schema`."""

from __future__ import annotations

import click

from toolc.cli import console


@click.command("schema", short_help="Print the JSON Schema of toolc.yaml.")
def command() -> int:
    """Print the JSON Schema (draft 2020-12) of toolc.yaml, for editors and other tools."""
    from toolc import config

    console.dump(config.schema())
    return 0
