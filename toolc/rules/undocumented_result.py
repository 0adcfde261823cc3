"""A tool that does not say what it returns.

What it does
    Reports a reading tool without an output schema whose description does not speak of a result. Off by default.

Why it is bad
    A model plans its next step on what it expects to get. But for most tools the name says it, and demanding the
    sentence everywhere costs more than it gives (arXiv 2602.14878).

Example
    {"name": "analyze_image", "description": "Analyze an image."}

Use instead
    {"name": "analyze_image", "description": "Find the objects in an image; returns labels with boxes in pixels."}

When it is wrong
    For everything whose result is obvious, hence off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject

STAGE = "source"
CATEGORY = "descriptions"
SEVERITY = Severity.note
PRESETS = ()
_RESULT = re.compile(
    r"\b(?:returns?|returning|gives? back|responds?|results?|output|answers?|yields?|lists?|gets?)\b", re.I
)


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding an operation."""
    for operation in subject.operations:
        reads = operation.hints.effect == "read"
        if reads and operation.output is None and operation.description and not _RESULT.search(operation.description):
            yield Diagnostic(
                "undocumented-result",
                SEVERITY,
                f"`{operation.name}` does not say what it returns",
                operation.place("description"),
                help="add what comes back, or an output schema",
                subject=operation.id,
            )
