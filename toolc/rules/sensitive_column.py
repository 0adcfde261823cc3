"""A database column whose name looks like a secret.

What it does
    The database reader leaves columns out whose names say password, token, card number and the like, and reports each
    under this name. This rule reports such a column where the config offers it all the same.

Why it is bad
    What a model reads can end up in any later tool call. Whether it may is a decision of the team, not a default.

Example
    users(id, email, password_hash) read with every column

Use instead
    Leave it out, or name it under the source's options with the reason why it is offered

When it is wrong
    For a column that only has such a name: a `token` in a language corpus.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.credentials import asks_for_secret
from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import SqlCall
from toolc.rules import Subject

STAGE = "source"
CATEGORY = "safety"
SEVERITY = Severity.warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a column, at its place in the DDL."""
    told: set[tuple[str, str]] = set()
    for operation in subject.operations:
        if not isinstance(operation.call, SqlCall):
            continue
        for name in operation.call.columns:
            key = (operation.call.table, name)
            if key not in told and asks_for_secret(name, {}):
                told.add(key)
                yield Diagnostic(
                    "sensitive-column",
                    SEVERITY,
                    f"the column `{name}` of `{operation.call.table}` looks like a secret, and tools offer it",
                    operation.origin.at(name),
                    help="leave the column out in the source's options",
                    subject=operation.id,
                )
