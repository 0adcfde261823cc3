"""A limit without an upper bound.

What it does
    Reports a whole-number parameter that bounds a list (limit, page_size, max_results …) and has neither a maximum
    nor an upper bound in its text.

Why it is bad
    A model that wants everything asks for 10,000 rows, and gets them.

Example
    {"limit": {"type": "integer", "description": "Rows to return."}}

Use instead
    {"limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}}

When it is wrong
    If the server caps it anyway: say where.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.lexicon import words
from toolc.rules import Subject

STAGE = "source"
CATEGORY = "results"
SEVERITY = Severity.note
NAMES = frozenset(
    "limit perpage pagesize maxresults numresults resultslimit maxrows topk headlimit maxitems maxcount numrows"
    " pagelimit"
    " resultlimit".split()
)
# "the maximum number of items" says what a limit is, not how far it goes
_CAPPED = re.compile(
    r"\bmax\w*\b[^.\n]{0,60}\d|\d+\s*[-–]\s*\d+|<=|≤|\bfrom \d+ to\b"
    r"|\b(?:up to|at most|no (?:more|larger|greater|higher) than|less than|(?:not|cannot) exceed|between|range|cap\w*"
    r"|limit(?:ed)? (?:is|of|to))\b",
    re.I,
)


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a parameter."""
    for operation in subject.operations:
        for name, schema in operation.input.get("properties", {}).items():
            if "".join(words(name)) not in NAMES or not isinstance(schema, dict):
                continue
            if schema.get("type") not in ("integer", "number") or schema.keys() & {
                "maximum",
                "exclusiveMaximum",
                "enum",
            }:
                continue
            if not _CAPPED.search(str(schema.get("description", ""))):
                yield Diagnostic(
                    "limit-without-maximum",
                    SEVERITY,
                    f"`{name}` of `{operation.name}` has no maximum",
                    operation.place("input", "properties", name),
                    help="add `maximum` (and a default)",
                    subject=operation.id,
                )
