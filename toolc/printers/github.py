"""Findings as workflow commands of GitHub Actions, which become annotations on the lines of a pull request.

GitHub shows the first ten of each level in a step (limits of November 2026), so errors stand first, and of each level
one of every rule before the second of any.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable
from pathlib import Path

from toolc.diagnostics import Diagnostic, Severity, worst_first
from toolc.position import Locator
from toolc.position.visible import visible
from toolc.printers import Suppressed

_COMMANDS = {Severity.error: "error", Severity.warning: "warning", Severity.note: "notice"}


def show(diagnostics: Iterable[Diagnostic], root: Path, suppressed: Iterable[Suppressed] = ()) -> str:
    """One command a line; empty if there is nothing to say. What was let pass is not shown."""
    locator = Locator(root)
    nth: Tally[str] = Tally()
    ordered: list[tuple[int, int, int, Diagnostic]] = []
    for index, finding in enumerate(worst_first(diagnostics)):
        nth[finding.rule] += 1
        ordered.append((-finding.severity, nth[finding.rule], index, finding))
    return "".join(_command(entry[3], locator) for entry in sorted(ordered, key=lambda entry: entry[:3]))


def _command(finding: Diagnostic, locator: Locator) -> str:
    properties = {"title": f"toolc {finding.rule}"}
    if finding.origin is not None and finding.origin.source:
        line, column = locator.place(finding.origin)
        place = {"file": finding.origin.source}
        if line:
            place |= {"line": str(line), "col": str(column)}
        properties = place | properties
    times = f" ({finding.count} times)" if finding.count > 1 else ""
    text = f"{finding.message}{times}" + (f"\n{finding.help}" if finding.help else "")
    shown = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{_COMMANDS[finding.severity]} {shown}::{_data(text)}\n"


def _data(text: str) -> str:
    """Text of a command; line ends stay line ends, everything else unseen is shown as an escape."""
    lines = [visible(line) for line in text.split("\n")]
    return "%0A".join(line.replace("%", "%25").replace("\r", "%0D") for line in lines)


def _property(text: str) -> str:
    return visible(text).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
