"""Secrets: read from environment variables, remembered, and kept out of everything that is shown."""

from __future__ import annotations

import json
import os
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, cached_property
from html import escape
from typing import Any
from urllib.parse import quote, quote_plus, unquote, urlsplit

from toolc.runtime.result import Failed, Result

MASK = "***"
# A shorter text would stand in many a result by chance; so would one of fewer characters of base64.
SHORTEST = 4
_SHORTEST_BASE64 = 5
# Backslashes before one character, as in JSON in JSON in JSON.
_ESCAPES = 8
_BACKSLASHES = rf"\\{{1,{_ESCAPES}}}"
_LETTERS = re.compile(r"[A-Za-z0-9]+")


class Secrets:
    """The values of environment variables that connections name.

    masked: for a dry run, in which `value` gives `${NAME}` and nothing is read.
    """

    def __init__(self, *, masked: bool = False) -> None:
        self.masked = masked
        self._forms: dict[str, _Form] = {}

    def value(self, name: str, purpose: str) -> str:
        """The value of a variable; raises Failed where it is not set. purpose: what needs it."""
        if self.masked:
            return f"${{{name}}}"
        found = os.environ.get(name, "")
        # What a harness passes where it cannot fill in a variable that its config names.
        unfilled = (form.replace("NAME", name) for form in ("${NAME}", "$NAME", "${env:NAME}", "{env:NAME}"))
        if not found or found in unfilled:
            raise Failed(
                f"{purpose} needs the environment variable {name}, which is not set where toolc runs; "
                "a bundle keeps its name and never its value. Set it there."
            )
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
        """Keep a text, in each form in which programs write it, out of whatever is redacted."""
        if self.masked or len(secret.strip()) < SHORTEST or secret in self._forms:
            return
        found = {form: _Form(form) for form in (secret, secret.strip(), *_coded(secret), *_coded(secret.strip()))}
        every = sorted({**self._forms, **found}.items(), key=lambda item: len(item[0]), reverse=True)
        self._forms = dict(every)  # at once: other threads may be redacting

    def redact(self, words: str) -> str:
        """The text without any secret that was read."""
        forms = self._forms.values()
        # First what may be longer than the same form of another secret that is part of it.
        for form in forms:
            words = form.without_spellings(words)
        for form in forms:
            words = form.without(words)
        return words

    def cleaned(self, result: Result) -> Result:
        """The result without any secret that was read."""
        if not self._forms:
            return result
        content, structured, meta = (self._walk(part) for part in (result.content, result.structured, result.meta))
        return replace(result, content=tuple(content), structured=structured, meta=meta, foot=self.redact(result.foot))

    def _walk(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, Mapping):
            return {self.redact(str(key)): self._walk(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._walk(item) for item in value]
        return value


class _Form:
    """A text to mask, however its characters are escaped: for URLs, JSON, HTML, or a mixture. Takes linear time."""

    def __init__(self, text: str) -> None:
        # As a whole by the usual functions: of a text that itself looks escaped, the pattern below takes too much.
        usual = (quote(text, safe="", errors="replace"), quote_plus(text, errors="replace"), json.dumps(text)[1:-1])
        self._whole = sorted({text, *usual, escape(text)}, key=len, reverse=True)
        # Letters and digits are written as they are, so that a text without the longest run of them holds no spelling.
        self._run = max(_LETTERS.findall(text), key=len, default="")
        self._text = text

    @cached_property
    def _spelled(self) -> re.Pattern[str]:
        return re.compile("".join(map(_spellings, re.findall(r"\\+|(?s:.)", self._text))))

    def without_spellings(self, words: str) -> str:
        if self._run == self._text or self._run not in words:
            return words
        return self._spelled.sub(MASK, words)

    def without(self, words: str) -> str:
        for whole in self._whole:
            words = words.replace(whole, MASK)
        return words


def _coded(secret: str) -> Iterator[str]:
    """Base64 and hexadecimal digits of a secret, as a part of whatever was encoded together with it."""
    raw = secret.encode("utf-8", "surrogateescape")
    yield from (raw.hex(), raw.hex().upper())
    yield b64encode(raw).decode()
    for before in range(3):  # bytes in front of it, of a group of three
        # Less the characters at its ends that hold bits of others.
        text = b64encode(bytes(before) + raw).decode()[-(-8 * before // 6) : 8 * (before + len(raw)) // 6]
        if len(text) >= _SHORTEST_BASE64:
            yield from (text, text.translate(str.maketrans("+/", "-_")))


@cache
def _spellings(part: str) -> str:
    """A pattern for all ways to write a character, or a run of backslashes, of which escaping makes any number."""
    if part.isascii() and part.isalnum():
        return part
    if part.startswith("\\"):
        one = rf"(?:{_BACKSLASHES}(?:u00|x)5[cC]|\\|%5[cC]|&#(?:92|[xX]5[cC]);)"
        return f"(?>{one}{{1,{_ESCAPES * len(part)}}})"
    from html.entities import html5

    octets, units = part.encode("utf-8", "surrogateescape"), part.encode("utf-16-be", "surrogatepass")
    code = f"0*{ord(part)}|[xX]0*{_hex(f'{ord(part):x}')}"
    ways = [
        "".join(f"%{_hex(f'{octet:02x}')}" for octet in octets),
        "".join(rf"{_BACKSLASHES}u{_hex(units[at : at + 2].hex())}" for at in range(0, len(units), 2)),
        "".join(rf"{_BACKSLASHES}x{_hex(f'{octet:02x}')}" for octet in octets),
        f"&(?:amp;)?#(?:{code});?",
        *(f"&(?:amp;)?{name}" for name, text in html5.items() if text == part and name.endswith(";")),
        *([rf"{_BACKSLASHES}{json.dumps(part)[2]}"] if part in "\b\f\n\r\t" else []),
        *([r"\+"] if part == " " else []),
        rf"(?:{_BACKSLASHES})?{re.escape(part)}",
    ]
    # Atomic: what was read as an escape is not read again in another way, unless it may be none: `%25`, `&amp;`.
    return f"({'?:' if part in '%&' else '?>'}{'|'.join(ways)})"


def _hex(digits: str) -> str:
    return "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in digits)
