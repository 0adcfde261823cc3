"""A parameter that asks the model for a secret.

What it does
    Reports parameters, nested ones too, that want a password, key, token, one-time code or card number. What only
    speaks of one is no finding: page_token, max_tokens, token_count, secret_name, password_policy.

Why it is bad
    What a model passes stands in the conversation, in logs and in caches, and anyone who can steer the model can have
    it sent elsewhere.

Example
    {"api_key": {"type": "string", "description": "Your API key."}}

Use instead
    A name that the runtime resolves: {"key_name": {"type": "string", "description": "Name of the key in the vault."}}

When it is wrong
    For a tool that sets a new password the user has just chosen; allow it with that reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.credentials import asks_for_secret, is_transported
from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject

STAGE = "source"
CATEGORY = "safety"
SEVERITY = Severity.warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a property."""
    for operation in subject.operations:
        for path, schema in subject.nodes(operation.input):
            if path[-2:-1] != ("properties",) or not asks_for_secret(str(path[-1]), schema):
                continue
            if len(path) == 2 and is_transported(operation, str(path[-1]), schema):
                continue
            yield Diagnostic(
                "secret-asked",
                SEVERITY,
                f"`{path[-1]}` of `{operation.name}` asks the model for a secret",
                operation.place("input", *path),
                help="bind it at run time, or take the name of a stored secret instead",
                subject=operation.id,
            )
