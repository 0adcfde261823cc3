"""`toolc targets`."""

from __future__ import annotations

import click

from toolc import registry
from toolc.cli import console


@click.command("targets", short_help="List the runtimes that can be emitted for.")
def command() -> int:
    """List the runtimes that can stand under `targets` in toolc.yaml, and what each is."""
    console.table([(name, console.first_line(registry.load("targets", name))) for name in registry.names("targets")])
    return 0
