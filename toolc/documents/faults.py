"""Faults in a text, with the line and column where they stand."""

from __future__ import annotations

from toolc.diagnostics import UserError, user_error
from toolc.ir import Origin

# Mappings and lists inside one another. Public descriptions go to about 60; what reads the data later is recursive.
DEEPEST = 200
# Values of one file: some 7 s of reading YAML, 220 MB as empty JSON objects. GitHub's API has 0.3 million.
MOST = 3_000_000


def line_and_column(text: str, index: int) -> tuple[int, int]:
    """The 1-based line and column, both in characters, of a place in a text."""
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


def fault(rule: str, text: str, shown: str, index: int, message: str, advice: str) -> UserError:
    """The error for what stands at an index of the text."""
    return user_error(rule, message, Origin(shown, "", *line_and_column(text, index)), advice)


def empty(shown: str) -> UserError:
    """The error for a file in which nothing stands."""
    return fault("empty-file", "", shown, 0, f"{shown} is empty", "Write its content, or name another file.")


def too_deep(text: str, shown: str, index: int) -> UserError:
    """The error for a bracket or an indentation that goes too deep."""
    message = f"{shown} is nested deeper than {DEEPEST} levels"
    return fault("input-limit", text, shown, index, message, "Flatten it, or check that it is the right file.")


def twice(text: str, shown: str, index: int, key: str) -> UserError:
    """The error for a key that stands twice in one mapping."""
    advice = "Keep one of the two; a reader would silently lose the other."
    return fault("duplicate-key", text, shown, index, f"the key `{key}` stands twice in one mapping", advice)


def too_many(shown: str) -> UserError:
    """The error for a file with too many values."""
    message = f"{shown} has more than {MOST:,} values"
    return user_error("input-limit", message, Origin(shown, "", 1, 1), "Split it, or check that it is the right file.")
