"""Findings as workflow commands of GitHub Actions, which become annotations on the lines of a pull request.

GitHub shows the first ten of each level in a step (limits of November 2026), so errors stand first, and of each level
one of every rule before the second of any; the tenth then says how many there are. The log shows all.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable
from pathlib import Path

from toolc.diagnostics import Diagnostic, Severity, worst_first
from toolc.position import Locator
from toolc.position.visible import visible
from toolc.printers import Checkout, Suppressed, named

_COMMANDS = {Severity.error: "error", Severity.warning: "warning", Severity.note: "notice"}
SHOWN = 10


def show(diagnostics: Iterable[Diagnostic], root: Path, suppressed: Iterable[Suppressed] = ()) -> str:
    """One command a line; empty if there is nothing to say. What was let pass is not shown."""
    locator, checkout = Locator(root), Checkout(root)
    nth: Tally[str] = Tally()
    ordered: dict[Severity, list[tuple[int, int, Diagnostic]]] = {}
    for index, finding in enumerate(worst_first(diagnostics)):
        nth[finding.rule] += 1
        ordered.setdefault(finding.severity, []).append((nth[finding.rule], index, finding))
    commands: list[str] = []
    for severity, entries in ordered.items():
        level = [_command(finding, locator, checkout) for _, _, finding in sorted(entries, key=lambda entry: entry[:2])]
        if len(level) > SHOWN:
            text = f"{len(level):,} {severity.name}s in all: GitHub shows {SHOWN} of a step, its log has the others"
            level.insert(SHOWN - 1, f"::{_COMMANDS[severity]} title=toolc::{text}\n")
        commands += level
    return "".join(commands)


def _command(finding: Diagnostic, locator: Locator, checkout: Checkout) -> str:
    properties = {"title": f"toolc {finding.rule}"}
    if finding.origin is not None and finding.origin.source:
        line, column = locator.place(finding.origin)
        place = {"file": checkout.path(finding.origin.source)}
        if line:
            place |= {"line": str(line), "col": str(column)}
        properties = place | properties
    text = named(finding) + (f"\n{finding.help}" if finding.help else "")
    shown = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{_COMMANDS[finding.severity]} {shown}::{_data(text)}\n"


def _data(text: str) -> str:
    """Text of a command; line ends stay line ends, everything else unseen is shown as an escape."""
    lines = [visible(line) for line in text.split("\n")]
    return "%0A".join(line.replace("%", "%25").replace("\r", "%0D") for line in lines)


def _property(text: str) -> str:
    return visible(text).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
