"""Names: safe argument keys for wire names, and one unique name for every operation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b

# What every vendor takes as a property name (Anthropic's pattern is the narrowest).
LEGAL = re.compile(r"^[a-zA-Z0-9_.-]{1,64}\Z")

# The place whose input keeps the plain name when several share it; the others are called `<place>_<name>`.
PLACES = ("path", "query", "querystring", "header", "cookie", "body")

_LETTERS = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "œ": "oe", "ø": "oe", "å": "aa", "ð": "d", "þ": "th"}
_LETTERS |= {"ł": "l", "đ": "d", "ı": "i"}


def legible(text: str) -> str:
    """ASCII letters, digits, `_`, `.` and `-` for any text, `` if it has no letter; other scripts by code point."""
    if text.isascii():
        ascii_text = text
    else:
        spelled = "".join(
            _LETTERS.get(char) or (_LETTERS[char.lower()].capitalize() if char.lower() in _LETTERS else char)
            for char in unicodedata.normalize("NFC", text)
        )
        plain = (char for char in unicodedata.normalize("NFKD", spelled) if not unicodedata.combining(char))
        ascii_text = "".join(
            char if char.isascii() else f"u{ord(char):x}_" if char.isalnum() else "_" for char in plain
        )
    return re.sub(r"_*[^a-zA-Z0-9_.-]+_*", "_", ascii_text).strip("_")


def _short(text: str) -> str:
    """The text in at most 64 characters; cut ones end in a digest of the whole."""
    return text if len(text) <= 64 else f"{text[:55]}_{blake2b(text.encode(), digest_size=4).hexdigest()}"


def _candidates(place: str, wire: str) -> Iterator[str]:
    clean = wire if LEGAL.match(wire) else _short(legible(wire)) or place
    yield clean
    placed = _short(f"{place}_{clean}")
    yield placed
    number = 2
    while True:
        yield f"{placed[:60]}_{number}"
        number += 1


@lru_cache(maxsize=4096)
def argument_keys(inputs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """A safe, unique argument name for each (place, wire name), whatever order they come in.

    A legal wire name is kept; where several places share one, the first in `PLACES` keeps it and the others are called
    `body_name`, `query_name`. Names that no vendor takes come last, so that they never move a legal one.
    """
    order = sorted(
        range(len(inputs)), key=lambda i: (not LEGAL.match(inputs[i][1]), PLACES.index(inputs[i][0]), inputs[i][1])
    )
    keys: dict[int, str] = {}
    taken: set[str] = set()
    legal = {wire for _, wire in inputs if LEGAL.match(wire)}
    for index in order:
        place, wire = inputs[index]
        key = wire if wire in legal else ""
        if not key or key in taken:
            key = next(key for key in _candidates(place, wire) if key not in taken and key not in legal)
        taken.add(key)
        keys[index] = key
    return tuple(keys[index] for index in range(len(inputs)))


def operation_names(found: Iterable[tuple[str, str, str]]) -> list[str]:
    """A unique name for each (operationId or ``, method, path), whatever order they come in.

    An operationId is kept as written; the second and later ones of a name, by path and method, get the next free
    number. Without one the name is method and path, `get /a/{x}/c`, which no two operations share.
    """
    entries = list(found)
    names = [name or f"{method} {path}" for name, method, path in entries]
    taken = set(names)
    same: dict[str, list[int]] = {}
    for index, name in enumerate(names):
        same.setdefault(name, []).append(index)
    for name, indexes in sorted(same.items()):
        number = 2
        for index in sorted(indexes, key=lambda i: (entries[i][2], entries[i][1]))[1:]:
            while f"{name}_{number}" in taken:
                number += 1
            names[index] = f"{name}_{number}"
            taken.add(names[index])
    return names
