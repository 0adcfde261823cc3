"""Secrets are masked in whatever form a server, a program or a library writes them back."""

from __future__ import annotations

import base64
import html
import json
import re
import time
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest

from toolc.runtime.secrets import Secrets

SECRETS = ["k3y/12&34:x", 'p@ss "w\\ord"+1<2>', "pä😀ss-wörd", "plainToken0123", "a\\\\b\\c%25d", "x y~z=="]


def lower_triplets(text: str) -> str:
    return re.sub("%[0-9A-F]{2}", lambda match: match[0].lower(), text)


def escaped(text: str) -> str:
    """JSON with every character that is no letter or digit as \\u00xx."""
    return re.sub(
        r"[^A-Za-z0-9]",
        lambda m: "".join(f"\\u{unit:04x}" for unit in memoryview(m[0].encode("utf-16-le")).cast("H")),
        text,
    )


FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "URL": lambda s: quote(s, safe=""),
    "path": quote,
    "form": quote_plus,
    "URL, lower case": lambda s: lower_triplets(quote(s, safe="")),
    "form, lower case": lambda s: lower_triplets(quote_plus(s)),
    "JSON": lambda s: json.dumps(s)[1:-1],
    "JSON in UTF-8": lambda s: json.dumps(s, ensure_ascii=False)[1:-1],
    "JSON of PHP": lambda s: json.dumps(s)[1:-1].replace("/", "\\/"),
    "JSON, all escaped": escaped,
    "JSON, upper case": lambda s: re.sub(r"u([0-9a-f]{4})", lambda m: "u" + m[1].upper(), escaped(s)),
    "JSON in JSON": lambda s: json.dumps(json.dumps(s)[1:-1])[1:-1],
    "HTML": html.escape,
    "HTML, unquoted": lambda s: html.escape(s, quote=False),
    "HTML, decimal": lambda s: re.sub(r"[^A-Za-z0-9]", lambda m: f"&#{ord(m[0])};", s),
    "HTML, hexadecimal": lambda s: re.sub(r"[^A-Za-z0-9]", lambda m: f"&#x{ord(m[0]):X};", s),
    "HTML in JSON": lambda s: json.dumps(html.escape(s))[1:-1].replace("/", "\\/"),
    "Python": lambda s: repr(s)[1:-1],
    "bytes of Python": lambda s: repr(s.encode())[2:-1],
    "hexadecimal": lambda s: s.encode().hex(),
    "hexadecimal, upper case": lambda s: s.encode().hex().upper(),
}


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_masked(form: str, secret: str) -> None:
    secrets = Secrets()
    secrets.remember(secret)
    assert secrets.redact(f"<{FORMS[form](secret)}>") == "<***>"


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("write", [str, lambda s: quote(s, safe=""), lambda s: s.replace("/", "\\/")])
@pytest.mark.parametrize("before", [b"", b"u", b"u:", b"us:", b"Bearer ", b'{"key":"'])
def test_base64_around_a_secret_is_masked(
    before: bytes, write: Callable[[str], str], encode: Callable[[bytes], bytes], secret: str
) -> None:
    secrets = Secrets()
    secrets.remember(secret)
    for after in (b"", b'"', b'"}', b'"}\n'):
        told = secrets.redact(write(encode(before + secret.encode() + after).decode()))
        assert "***" in told
        # What is left tells no byte of the secret but those that share a character with what is beside it.
        assert len(told.replace("***", "")) <= -(-len(before + after) * 4 // 3) + 8


def test_a_secret_that_is_part_of_another_does_not_uncover_it() -> None:
    secrets = Secrets()
    secrets.remember("abcd/efgh")
    secrets.remember("xx:abcd/efgh:yy")
    assert secrets.redact("xx%3aabcd%2fefgh%3ayy abcd%2fefgh xx:abcd/efgh:yy") == "*** *** ***"


@pytest.mark.parametrize(
    "words", ["k3y/12&34", "k3y 12&34:x", "K3Y/12&34:X", "k3y%2012%2634", "a4b3792f313226", "&#47;", "nothing %3a", ""]
)
def test_what_is_no_secret_stays(words: str) -> None:
    secrets = Secrets()
    secrets.remember("k3y/12&34:x")
    secrets.remember("abc")  # too short to be told from any other text
    assert secrets.redact(words) == words


def test_masking_takes_linear_time() -> None:
    secrets = Secrets()
    secrets.remember("//////////////////////////////a/b")
    secrets.remember("\\" * 30 + "b" + "%25" * 30)
    secrets.remember("-----BEGIN KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC/+\n" * 40)

    def seconds(times: int) -> float:
        begin = time.process_time()
        for unit in ("//", "\\\\", "%25", "%2f", "&amp;", "\\u002f", "a", "-----BEGIN KEY-----\nMIIE"):
            secrets.redact(unit * times + "a b \\b KEY")
        return time.process_time() - begin

    seconds(1000)
    small, large = min(seconds(10_000) for _ in range(3)), seconds(80_000)
    assert large < 25 * small
    assert large < 60
