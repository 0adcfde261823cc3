"""What is found wrong in a text, reported with the line and column where it stands."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace

from toolc.diagnostics import Diagnostic, Report, Severity
from toolc.ir import Origin
from toolc.sources.database.ddl.draft import Draft


class Findings:
    """Reports by place in the text. lines: whether places in the text are places in the file."""

    def __init__(self, text: str, origin: Origin, report: Report, lines: bool) -> None:
        self.report = report
        self.origin = origin
        self._breaks = [match.start() for match in re.finditer("\n", text)] if lines else None

    def at(self, start: int, draft: Draft | None = None, *names: str) -> Origin:
        """The origin of a place in the text, as a table or column."""
        full = (f"{draft.schema}.{draft.name}" if draft.schema else draft.name) if draft else ""
        origin = self.origin.at(full, *names) if draft else self.origin
        if self._breaks is None:
            return origin
        line = bisect_left(self._breaks, start)
        return replace(origin, line=line + 1, column=start - (self._breaks[line - 1] if line else -1))

    def warn(self, message: str, start: int) -> None:
        """A warning; a negative place stands for a table that a foreign key does not find."""
        rule = "unread-sql" if start >= 0 else "unknown-table"
        self.report.warning(rule, message, self.at(start if start >= 0 else -1 - start))

    def say(self, rule: str, severity: Severity, message: str, start: int, help: str = "") -> None:
        """A finding about a place in the text."""
        self.report.add(Diagnostic(rule, severity, message, self.at(start), help=help))
