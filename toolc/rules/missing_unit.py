"""A duration or size without a unit.

What it does
    Reports numbers named timeout, duration, delay, interval, ttl, max_age or the like whose name and text have no unit.

Why it is bad
    30 seconds and 30 milliseconds are both likely; models choose at random.

Example
    {"timeout": {"type": "integer", "description": "How long to wait."}}

Use instead
    {"timeout": {"type": "integer", "description": "How long to wait, in seconds."}}

When it is wrong
    If the number counts something else, such as retries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import Operation
from toolc.lexicon import words
from toolc.rules import Subject

STAGE = "source"
CATEGORY = "schema"
SEVERITY = Severity.note
MEASURED = frozenset({"timeout", "duration", "delay", "ttl", "expiry", "expiration", "cooldown", "debounce", "latency"})
PAIRS = frozenset(
    {
        ("max", "age"),
        ("wait", "time"),
        ("expires", "in"),
        ("expire", "in"),
        ("poll", "interval"),
        ("file", "size"),
        ("disk", "size"),
        ("memory", "limit"),
    }
)
_UNIT = re.compile(
    r"\b(?:ms|msecs?|milli\w*|micro\w*|nano\w*|s|secs?|seconds?|mins?|minutes?|hrs?|hours?|days?|weeks?|months?|years?|bytes?"
    r"|[kmgt]i?b|kilo\w*|mega\w*|giga\w*|unix|epoch|timestamp|ticks?|frames?|steps?|iso)\b|\d(?:ms|s|m|h|d|kb|mb|gb)\b",
    re.I,
)


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a property, nested ones included."""
    for operation in subject.operations:
        for path, schema in subject.nodes(operation.input):
            if path[-2:-1] != ("properties",) or schema.get("type") not in ("integer", "number"):
                continue
            parts = words(str(path[-1]))
            measured = bool(parts) and (parts[-1] in MEASURED or parts[-2:] in PAIRS)
            text = " ".join([*parts, *(str(schema.get(key, "")) for key in ("description", "format", "title"))])
            if measured and not _UNIT.search(text) and "enum" not in schema and not _told(operation, str(path[-1])):
                yield Diagnostic(
                    "missing-unit",
                    SEVERITY,
                    f"`{path[-1]}` of `{operation.name}` has no unit",
                    operation.place("input", *path),
                    help="say the unit in its description or name (timeout_seconds)",
                    subject=operation.id,
                )


def _told(operation: Operation, name: str) -> bool:
    """Whether a line of the tool's own text says the unit, as docstrings do: `duration: Length in seconds.`"""
    named = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.I)
    return any(named.search(line) and _UNIT.search(line) for line in operation.description.splitlines())
