"""Formats of strings: a plain value of each for documentation, and which of them an example must keep."""

from __future__ import annotations

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
# Those that a value is held to where it is an example; `format` is an annotation everywhere else.
CHECKED = frozenset({"date", "date-time", "time", "duration", "email", "uri", "uuid", "ipv4", "ipv6"})
