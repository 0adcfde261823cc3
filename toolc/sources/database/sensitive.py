"""Columns whose values no model should see or set without a decision of the team."""

from __future__ import annotations

from itertools import pairwise

from toolc.ir import Schema
from toolc.lexicon import words

_SECRET = frozenset(
    {
        "password",
        "passwd",
        "pwd",
        "passphrase",
        "passcode",
        "secret",
        "token",
        "otp",
        "totp",
        "ssn",
        "iban",
        "cvv",
        "cvc",
    }
    | {"apikey", "credentials", "salt"}
)
_SECRET_PAIRS = frozenset(
    {
        ("api", "key"),
        ("private", "key"),
        ("secret", "key"),
        ("access", "key"),
        ("encryption", "key"),
        ("signing", "key"),
    }
    | {("card", "number"), ("pin", "code"), ("tax", "id"), ("social", "security"), ("recovery", "code")}
    | {("recovery", "codes"), ("backup", "codes"), ("security", "answer")}
)
# A name that ends so speaks about the secret: token_count, password_changed_at, secret_id.
_ABOUT = frozenset(
    {
        "count",
        "counts",
        "at",
        "on",
        "time",
        "date",
        "timestamp",
        "expires",
        "expiry",
        "expiration",
        "expired",
        "changed",
    }
    | {"updated", "created", "length", "size", "type", "kind", "policy", "required", "enabled", "attempts", "version"}
    | {"id", "name", "limit", "status", "strength", "age", "days", "url", "uri", "last4", "set", "reset"}
)


def is_sensitive(name: str, schema: Schema) -> bool:
    """Whether a column of this name, with values of this schema, holds a secret or the number of a person's account."""
    found = words(name)
    if not found or found[-1] in _ABOUT or schema.get("type") == "boolean" or schema.get("format") == "date":
        return False
    if any(word in _SECRET or word.endswith(("password", "passwd")) for word in found):
        return True
    return any(pair in _SECRET_PAIRS for pair in pairwise(found))
