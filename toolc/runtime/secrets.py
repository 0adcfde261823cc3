"""Secrets: read from environment variables, remembered, and kept out of everything that is shown."""

from __future__ import annotations

import json
import os
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import replace
from html import escape
from typing import Any
from urllib.parse import quote, quote_plus, unquote, urlsplit

from toolc.runtime.result import Failed, Result

MASK = "***"
# A shorter text would stand in many a result by chance.
SHORTEST = 4


class Secrets:
    """The values of environment variables that connections name.

    masked: for a dry run, in which `value` gives `${NAME}` and nothing is read.
    """

    def __init__(self, *, masked: bool = False) -> None:
        self.masked = masked
        self._forms: dict[str, None] = {}

    def value(self, name: str, purpose: str) -> str:
        """The value of a variable; raises Failed where it is not set. purpose: what needs it."""
        if self.masked:
            return f"${{{name}}}"
        found = os.environ.get(name, "")
        # What a harness passes where it cannot fill in a variable that its config names.
        unfilled = (form.replace("NAME", name) for form in ("${NAME}", "$NAME", "${env:NAME}", "{env:NAME}"))
        if not found or found in unfilled:
            raise Failed(f"{purpose} needs the environment variable {name}, which is not set where toolc runs.")
        self.remember(found)
        return found

    def address(self, name: str, purpose: str) -> str:
        """The value of a variable that holds a URL, of which user, password and query are the secret part."""
        found = self.value(name, purpose)
        if not self.masked:
            try:
                parts = urlsplit(found)
                for part in (parts.password, unquote(parts.password or ""), parts.query):
                    self.remember(part or "")
            except ValueError:
                pass
        return found

    def remember(self, secret: str) -> None:
        """Keep a text, in each form in which it is sent, out of whatever is redacted."""
        if self.masked or len(secret.strip()) < SHORTEST:
            return
        raw = b64encode(secret.encode("utf-8", "surrogateescape")).decode()
        quoted = json.dumps(secret)[1:-1]
        sent = (secret, secret.strip(), quote(secret, safe=""), quote_plus(secret), raw)
        # As servers write it back: a decoded URL, JSON of PHP, a page.
        told = (quote(secret), quoted, quoted.replace("/", "\\/"), escape(secret))
        self._forms.update(dict.fromkeys((*sent, *told)))

    def redact(self, words: str) -> str:
        """The text without any secret that was read."""
        for form in sorted(self._forms, key=len, reverse=True):
            words = words.replace(form, MASK)
        return words

    def cleaned(self, result: Result) -> Result:
        """The result without any secret that was read."""
        if not self._forms:
            return result
        content, structured, meta = (self._walk(part) for part in (result.content, result.structured, result.meta))
        return replace(result, content=tuple(content), structured=structured, meta=meta)

    def _walk(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, Mapping):
            return {self.redact(str(key)): self._walk(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._walk(item) for item in value]
        return value
