"""Findings as text, for people: place, severity, rule and message, the line itself, and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from unicodedata import combining, east_asian_width

from toolc.diagnostics import Diagnostic, worst_first
from toolc.ir import Origin
from toolc.position import Locator
from toolc.position.visible import visible

WIDTH = 100  # characters of a line that a frame shows
BEFORE = 60  # of them at most before the place
RELATED = 3


def show(diagnostics: Iterable[Diagnostic], root: Path) -> str:
    """One block a finding, the worst first; empty if there is none."""
    locator = Locator(root)
    return "".join(_block(diagnostic, locator) for diagnostic in worst_first(diagnostics))


def _block(diagnostic: Diagnostic, locator: Locator) -> str:
    place = _place(diagnostic.origin, locator)
    message = visible(diagnostic.message)
    if diagnostic.subject and diagnostic.subject not in diagnostic.message:
        message = f"{visible(diagnostic.subject)}: {message}"
    times = f" ({diagnostic.count} times)" if diagnostic.count > 1 else ""
    lines = [f"{place}{diagnostic.severity.name} {diagnostic.rule}: {message}{times}"]
    if diagnostic.origin:
        lines += _frame(diagnostic.origin, locator)
    lines += [f"  also: {_place(origin, locator).rstrip(': ')}" for origin in diagnostic.related[:RELATED]]
    if len(diagnostic.related) > RELATED:
        lines.append(f"  also: {len(diagnostic.related) - RELATED} more")
    if diagnostic.help:
        lines.append(f"  help: {visible(diagnostic.help)}")
    return "\n".join(lines) + "\n"


def _place(origin: Origin | None, locator: Locator) -> str:
    if origin is None or not origin.source:
        return ""
    line, column = locator.place(origin)
    return f"{visible(origin.source)}:{line}:{column}: " if line else f"{visible(origin.source)}: "


def _frame(origin: Origin, locator: Locator) -> list[str]:
    """The line and a caret below the place; of a long line the part around it."""
    line = locator.line(origin)
    if not line.strip():
        return []
    number, column = locator.place(origin)
    column = min(column, len(line) + 1)
    start = max(0, column - 1 - BEFORE)
    before = _drawn(line[start : column - 1])
    after = _drawn(line[column - 1 : start + WIDTH])
    left, right = "…" if start else "", "…" if len(line) > start + WIDTH else ""
    margin = " " * len(str(number))
    return [f"  {number} | {left}{before}{after}{right}", f"  {margin} | {' ' * _columns(left + before)}^"]


def _drawn(text: str) -> str:
    return visible(text.replace("\t", "    "))


def _columns(text: str) -> int:
    """How many columns a terminal takes for the text."""
    return sum(0 if combining(sign) else 1 + (east_asian_width(sign) in "WF") for sign in text)
