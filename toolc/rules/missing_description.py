"""A tool that does not say what it does.

What it does
    Reports a tool whose description is empty or only white space.

Why it is bad
    A model chooses tools by their descriptions. Bedrock refuses an empty one (minimum length 1 in its API model,
    November 2026), OpenAI's namespaces require one, and tool search over names and descriptions cannot find the tool.

Example
    {"name": "sync", "input_schema": {"type": "object"}}

Use instead
    {"name": "sync", "description": "Fetch new mail from all accounts.", "input_schema": {"type": "object"}}

When it is wrong
    Never for a tool that a model is meant to call. For one that only your own code calls, allow it by selector.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject

STAGE = "catalog"
CATEGORY = "descriptions"
SEVERITY = Severity.error


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool, at the operation in the user's source."""
    for tool in subject.tools:
        if not tool.description.strip():
            yield Diagnostic(
                "missing-description",
                SEVERITY,
                f"`{tool.name}` does not say what it does",
                tool.origin,
                tool.related,
                help="describe it in one sentence where it is defined, or under `overrides` in toolc.yaml",
                subject=tool.name,
            )
