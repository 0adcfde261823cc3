"""The credential of the call as a parameter of the model.

What it does
    Reports parameters that carry the call's own credential: a header such as `Authorization` or `X-API-Key`, an API
    key in the query, a session cookie. The OpenAPI reader binds what the document declares as security; this finds
    what was written as an ordinary parameter.

Why it is bad
    The model has no credential, so it invents one or asks the user to paste it into the chat, where it is logged. The
    runtime binds it: `auth: {bearer: {env: GITHUB_TOKEN}}`.

Example
    {"Authorization": {"type": "string", "description": "Bearer token."}}

Use instead
    auth: {bearer: {env: PROJECTS_TOKEN}} at the source, and no parameter

When it is wrong
    For a tool whose job is to try other people's credentials.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.credentials import is_transported
from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject

STAGE = "source"
CATEGORY = "schema"
SEVERITY = Severity.warning
SILENCES = ("secret-asked", "undocumented-param")


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a source and name: a header is the same in all its operations."""
    for operation in subject.operations:
        for name, schema in operation.input.get("properties", {}).items():
            if is_transported(operation, name, schema):
                yield Diagnostic(
                    "credential-param",
                    SEVERITY,
                    f"`{name}` of `{operation.name}` is the credential of the call, which a model does not have",
                    operation.place("input", "properties", name),
                    help="bind it at run time: `auth` of the source names the environment variable that holds it",
                    subject=operation.id,
                    cause=f"{operation.source} {name}",
                )
