"""Findings as text, for people: place, severity, rule and message, the line itself, and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from toolc import registry
from toolc.diagnostics import Diagnostic, Severity, worst_first
from toolc.ir import Origin
from toolc.position import Locator
from toolc.position.visible import columns, encodable, visible
from toolc.printers import Suppressed, named

WIDTH = 100  # columns of a line that a frame shows
RELATED = 3
# Findings of one rule that are shown one by one where not all are asked for; notes only in the table.
SHOWN = 3
# A value under the name of a variable or header that carries credentials, as in an mcp.json: the line may go to a log
# that others read. `${NAME}` and the like only name one.
_SECRET = re.compile(
    r"""((?:[A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)[A-Z0-9_]*|(?i:(?:proxy-)?authorization|x-api-key))"""
    r"""["']?\s*[:=]\s*["']?(?i:bearer |basic )?)([^\s"'$,{}\[\]]{8,})"""
)


def show(
    diagnostics: Iterable[Diagnostic],
    root: Path,
    suppressed: Iterable[Suppressed] = (),
    width: int = WIDTH,
    encoding: str = "utf-8",
) -> str:
    """One block a finding, the worst first; empty if there is none. What was let pass is not shown.

    encoding: that of the terminal, in which carets stand below their places.
    """
    locator = Locator(root)
    return "".join(_block(diagnostic, locator, width, encoding) for diagnostic in worst_first(diagnostics))


def grouped(
    diagnostics: Iterable[Diagnostic],
    root: Path,
    everything: bool = False,
    width: int = WIDTH,
    encoding: str = "utf-8",
) -> str:
    """The findings by rule, of each the first few, and a table of all rules; empty if there is nothing to say.

    everything: all of them, notes too. width, encoding: as for `show`.
    """
    locator = Locator(root)
    rules: dict[tuple[int, str], list[Diagnostic]] = {}
    for finding in worst_first(diagnostics):
        rules.setdefault((-finding.severity, finding.rule), []).append(finding)
    only_notes = all(severity == -Severity.note for severity, _ in rules)
    parts: list[str] = []
    for (severity, rule), found in sorted(rules.items()):
        most = len(found) if everything else SHOWN if severity < -Severity.note else 1 if only_notes else 0
        for index, finding in enumerate(found[:most]):
            said = index > 0 and finding.help == found[index - 1].help
            parts.append(_block(replace(finding, help="") if said else finding, locator, width, encoding))
        if 0 < most < len(found):
            parts.append(f"  … and {_count(found[most:]):,} more of {visible(rule)}\n")
        if most:
            parts.append("\n")
    return "".join([*parts, *_table(rules, locator, width)]) if rules else ""


def _table(rules: dict[tuple[int, str], list[Diagnostic]], locator: Locator, width: int) -> Iterable[str]:
    """A line for each rule: level, name, how often, whether it can be mended, and what it is."""
    rows = [("level", "rule", "found", "fix", "what it is")]
    for (severity, rule), found in sorted(rules.items()):
        fix = "yes" if any(finding.fix for finding in found) else ""
        rows.append((Severity(-severity).name, visible(rule), f"{_count(found):,}", fix, _what(rule, found, locator)))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for level, rule, count, fix, what in rows:
        line = f"{level:{widths[0]}}  {rule:{widths[1]}}  {count:>{widths[2]}}  {fix:{widths[3]}}  {what}"
        yield (line if len(line) <= width + 10 else line[: width + 9] + "…").rstrip() + "\n"


def _what(rule: str, found: Sequence[Diagnostic], locator: Locator) -> str:
    """What a rule finds; of what readers report, which has no page of its own, where the first one stands."""
    if rule in registry.names("rules"):
        return registry.summary("rules", rule)
    return f"first at {_place(found[0].origin, locator)}".rstrip(": ") if found[0].origin else ""


def _count(found: Iterable[Diagnostic]) -> int:
    return sum(finding.count for finding in found)


def _block(diagnostic: Diagnostic, locator: Locator, width: int, encoding: str) -> str:
    place = _place(diagnostic.origin, locator)
    lines = [f"{place}{diagnostic.severity.name} {diagnostic.rule}: {visible(named(diagnostic))}"]
    if diagnostic.origin:
        lines += _frame(diagnostic.origin, locator, width, encoding)
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


def _frame(origin: Origin, locator: Locator, width: int, encoding: str) -> list[str]:
    """The line and a caret below the place; of a long line the part around it, in at most so many columns."""
    line = _SECRET.sub(_masked, locator.line(origin))
    if not line.strip():
        return []
    number, column = locator.place(origin)
    at = min(column - 1, len(line))

    def drawn(start: int, end: int) -> str:
        return encodable(visible(line[start:end].replace("\t", "    ")), encoding)

    start, end = max(0, at - width * 3 // 5), at
    while columns(drawn(start, at)) > width * 3 // 5:
        start += 1
    end = min(len(line), start + width)
    while end > at and columns(drawn(start, at)) + columns(drawn(at, end)) > width:
        end -= 1
    left, right = (encodable("…" if cut else "", encoding) for cut in (start > 0, end < len(line)))
    before = left + drawn(start, at)
    margin = " " * len(str(number))
    return [f"  {number} | {before}{drawn(at, end)}{right}", f"  {margin} | {' ' * columns(before)}^"]


def _masked(match: re.Match[str]) -> str:
    return match[1] + "•" * len(match[2])
