"""Findings as JSON, for programs.

docs/lint-json.md says what each key holds; keys are only ever added under one format number. Everything outside ASCII
is escaped, so no unseen character reaches a terminal.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from toolc.diagnostics import Diagnostic, worst_first
from toolc.ir import Origin
from toolc.position import Locator
from toolc.printers import Suppressed

FORMAT = "toolc-diagnostics/1"


def show(diagnostics: Iterable[Diagnostic], root: Path, suppressed: Iterable[Suppressed] = ()) -> str:
    """One JSON object with all findings, and a line end."""
    locator = Locator(root)
    findings = [_finding(diagnostic, locator) for diagnostic in worst_first(diagnostics)]
    data: dict[str, Any] = {"format": FORMAT, "diagnostics": findings}
    if let_pass := [{**_finding(finding, locator), "reason": reason} for finding, reason in suppressed]:
        data["suppressed"] = let_pass
    return json.dumps(data, indent=2) + "\n"


def _finding(diagnostic: Diagnostic, locator: Locator) -> dict[str, Any]:
    return {
        "rule": diagnostic.rule,
        "severity": diagnostic.severity.name,
        "message": diagnostic.message,
        **_place(diagnostic.origin or Origin(""), locator),
        "subject": diagnostic.subject,
        "help": diagnostic.help,
        "count": diagnostic.count,
        "fix": diagnostic.fix.words if diagnostic.fix else "",
        "related": [_place(origin, locator) for origin in diagnostic.related],
    }


def _place(origin: Origin, locator: Locator) -> dict[str, Any]:
    line, column = locator.place(origin)
    return {"file": origin.source, "line": line, "column": column, "pointer": origin.pointer}
