"""Formats of strings: a plain value of each for documentation, and whether a text is what a `format` names.

Validators take `format` as an annotation and do not check it; only what is an example is held to it.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from datetime import date, datetime

# The addresses are those that RFC 2606, 5737 and 3849 keep for documentation.
PLACEHOLDERS = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T09:30:00Z",
    "time": "09:30:00Z",
    "duration": "P1D",
    "email": "user@example.com",
    "idn-email": "user@example.com",
    "hostname": "example.com",
    "idn-hostname": "example.com",
    "uri": "https://example.com/path",
    "url": "https://example.com/path",
    "iri": "https://example.com/path",
    "uri-reference": "/path",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "byte": "ZXhhbXBsZQ==",
    "base64": "ZXhhbXBsZQ==",
}
# Those whose form a reader cannot guess: is it seconds, a day, with a zone?
TELLING = frozenset({"date", "date-time", "time", "duration"})
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIME = re.compile(r"(\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})")
# ISO 8601, Appendix A of RFC 3339: weeks stand alone, and something must follow P and T.
_DURATION = re.compile(r"P(?!$)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:[.,]\d+)?S)?)?)")
_EMAIL = re.compile(r"(?:\"[^\"\r\n]+\"|[^\s@\"<>(),;:\[\]]+)@(?:[^\s@.<>(),;:]+(?:\.[^\s@.<>(),;:]+)*|\[[^\]\s]+\])")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]*")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.I)


def is_date(text: str) -> bool:
    """RFC 3339 `full-date`: 2026-11-30."""
    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def is_time(text: str) -> bool:
    """RFC 3339 `full-time`: 09:30:00Z, 09:30:00+01:00; a leap second passes."""
    match = _TIME.fullmatch(text)
    if match is None or int(match[1]) > 23 or int(match[2]) > 59 or int(match[3]) > 60:
        return False
    return match[5] in "Zz" or (int(match[5][1:3]) < 24 and int(match[5][4:]) < 60)


def is_date_time(text: str) -> bool:
    """RFC 3339 `date-time`: 2026-11-30T09:30:00Z."""
    return len(text) > 11 and text[10] in "Tt " and is_date(text[:10]) and is_time(text[11:])


def is_duration(text: str) -> bool:
    """ISO 8601: P3D, PT1H30M, P2W."""
    return bool(_DURATION.fullmatch(text))


def is_email(text: str) -> bool:
    """An address with one @ and something on both sides."""
    return bool(_EMAIL.fullmatch(text))


def is_uri(text: str) -> bool:
    """An absolute URI: it has a scheme."""
    return bool(_URI.fullmatch(text))


def is_uuid(text: str) -> bool:
    """A UUID with its hyphens, of any version."""
    return bool(_UUID.fullmatch(text))


def is_ipv4(text: str) -> bool:
    """Four numbers below 256 with dots."""
    try:
        ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return True


def is_ipv6(text: str) -> bool:
    """An IPv6 address without a zone."""
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return "%" not in text


# What a value is held to where it is an example: the check, and how such a text looks.
FORMATS: dict[str, tuple[Callable[[str], bool], str]] = {
    "date": (is_date, "2026-11-30"),
    "date-time": (is_date_time, "2026-11-30T09:30:00Z"),
    "time": (is_time, "09:30:00Z"),
    "duration": (is_duration, "PT1H30M"),
    "email": (is_email, "ada@example.org"),
    "uri": (is_uri, "https://example.org/x"),
    "uuid": (is_uuid, "6f1c1a52-7d0e-4c0b-9a3e-0d6c2f1b8e77"),
    "ipv4": (is_ipv4, "192.0.2.1"),
    "ipv6": (is_ipv6, "2001:db8::1"),
}
_WRITTEN_DATE = re.compile(
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ].*)?|\d{1,2} [A-Z][a-z]{2,8} \d{4}.*|[A-Z][a-z]{2,8} \d{1,2},? \d{4}.*"
)
_IP_LIKE = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")


def looks_like_date(text: str) -> bool:
    """Whether a text is a date or time as people write it, in any usual order."""
    if _IP_LIKE.fullmatch(text):
        return False
    if _WRITTEN_DATE.fullmatch(text.strip()):
        return True
    try:
        datetime.fromisoformat(text.strip())
    except ValueError:
        return False
    return not text.strip().isdigit()
