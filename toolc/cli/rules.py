"""`toolc rules`."""

from __future__ import annotations

import click

from toolc import registry
from toolc.cli import console


@click.command("rules", short_help="List the lint rules.")
def command() -> int:
    """List the lint rules: name, severity, category, and what each finds."""
    rows = []
    for name in registry.names("rules"):
        rule = registry.load("rules", name)
        rows.append((name, rule.SEVERITY.name, rule.CATEGORY, console.first_line(rule)))
    console.table(rows)
    return 0
