"""`toolc diff`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolc.cli import console
from toolc.diagnostics import Report

if TYPE_CHECKING:
    from toolc.changes import Change
    from toolc.pipeline.comparing import Comparison

FORMAT = "toolc-diff/1"


@click.command("diff", short_help="Show what changed since the last build, or since a git revision.")
@click.argument("config", type=click.Path(path_type=Path), default=Path("toolc.yaml"))
@click.option(
    "--against",
    metavar="REF",
    help="A git revision (origin/main), the folder of a bundle, or a lock; without it, the toolc.lock beside CONFIG.",
)
@click.option("--format", "format", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True)
def command(config: Path, against: str | None, format: str) -> int:
    """Show what CONFIG (default ./toolc.yaml) builds now that it did not before.

    Operations added, removed and renamed, parameters newly required or narrower, worse effects, changed texts, and
    tokens before and after.

    Exit code 1 if a change breaks callers and `accept` in the config does not name it. Nothing is written.
    """
    report = Report()
    loaded = console.load_config(config, report)
    from toolc.pipeline import comparing

    found = comparing.diff(loaded, against)
    console.problems(report.diagnostics, loaded.root)
    if format == "json":
        console.dump(_data(found))
    elif format == "markdown":
        from toolc.pipeline import difference

        console.machine(difference.markdown(found))
    else:
        from toolc.pipeline import difference

        console.out(difference.text(found))
    if found.broken:
        count = len(found.broken)
        what = f"{count} operations break their callers" if count > 1 else "1 operation breaks its callers"
        console.say(f"failed: {what}, which `accept` does not name")
    return 1 if found.broken else 0


def _data(found: Comparison) -> dict[str, object]:
    return {
        "format": FORMAT,
        "name": found.name,
        "against": found.against.shown,
        "remarks": list(found.against.remarks),
        "breaking": list(found.broken),
        "changes": [_change(change, found) for change in found.changes],
        "texts": [asdict(wording) for wording in found.wordings],
        "tools": {"removed": list(found.tools[0]), "added": list(found.tools[1])},
        "tokens": {what: {"before": before, "after": after} for what, before, after in found.tokens},
    }


def _change(change: Change, found: Comparison) -> dict[str, object]:
    accepted = found.accepted.get(change.operation) if change.breaking else None
    return {**asdict(change), "accepted": accepted}
