"""`toolc verify`."""

from __future__ import annotations

from pathlib import Path

import click

from toolc.cli import console
from toolc.diagnostics import Severity


@click.command("verify", short_help="Prove again that a bundle has lost nothing.")
@console.bundle_option
def command(folder: Path | None) -> int:
    """Run the proof again on a written bundle: every call of every operation goes through its tool and back."""
    from toolc import pipeline

    place = console.bundle_folder(folder)
    result = pipeline.verify_bundle(place)
    console.problems(result.diagnostics, place)
    console.out(result.summary)
    failed = any(finding.severity is Severity.error for finding in result.diagnostics)
    if failed:
        console.say("failed: not every operation is reachable as it was")
    return 1 if failed else 0
