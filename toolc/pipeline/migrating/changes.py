"""Changes of a harness' config: which values become which, and the text that comes of it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolc import documents
from toolc.diagnostics import user_error
from toolc.edits.json import JsonLayout
from toolc.ir import Origin
from toolc.pipeline.migrating.policy import Entry, Level, Verdict


@dataclass(frozen=True, slots=True)
class Change:
    """The value at a path of keys becomes this one; mappings on the way that are not there are made."""

    keys: tuple[str, ...]
    value: Any


@dataclass(frozen=True, slots=True)
class Found:
    """What a file says in one respect.

    said: by operation what holds for it, all entries taken together. otherwise: what becomes of a tool that is not
    allowed though operations of it were.
    """

    entries: tuple[Entry, ...]
    said: Mapping[str, Level]
    otherwise: str


Aspect = tuple[Found, Mapping[str, Verdict]]


def listed(value: Any) -> list[str]:
    """The texts of a list; none for what is no list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def applied(data: Any, changes: Sequence[Change]) -> Any:
    """The data after the changes, as a new value."""
    result = json.loads(json.dumps(data))
    for change in changes:
        holder = result
        for key in change.keys[:-1]:
            holder = holder.setdefault(key, {})
        holder[change.keys[-1]] = change.value
    return result


def in_json(text: str, changes: Sequence[Change], shown: str) -> str:
    """The text of a JSON file after the changes, with everything around them as it was; raises UserError."""
    for change in changes:
        blanked = documents.blanked(text)
        try:
            pieces = JsonLayout(blanked).set(change.keys, change.value)
        except (LookupError, ValueError):
            raise _cannot(change, shown) from None
        for piece in sorted(pieces, reverse=True):
            if text[piece.start : piece.end] != blanked[piece.start : piece.end]:
                raise _cannot(change, shown, "there are comments in it, which would be lost")
            text = text[: piece.start] + piece.text + text[piece.end :]
    return text


def in_toml(text: str, changes: Sequence[Change], shown: str) -> str:
    """The text of a TOML file after changes that add keys to tables; raises UserError for any other."""
    before = tomllib.loads(text)
    tables: dict[tuple[str, ...], list[Change]] = {}
    for change in changes:
        tables.setdefault(change.keys[:-1], []).append(change)
    for table, inner in tables.items():
        header = "[" + ".".join(map(_key, table)) + "]"
        lines = "".join(f"{_key(change.keys[-1])} = {toml(change.value)}\n" for change in inner)
        rows = text.splitlines(keepends=True)
        place = next((index for index, row in enumerate(rows) if row.strip() == header), None)
        if place is None:
            text = f"{text.rstrip()}\n\n{header}\n{lines}".lstrip("\n")
        else:
            rows[place] = rows[place].rstrip("\n") + "\n"
            text = "".join((*rows[: place + 1], lines, *rows[place + 1 :]))
    try:
        after = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        after = None
    if after != applied(before, changes):
        raise _cannot(changes[0], shown, "it is there already, in a form that is not changed here")
    return text


def toml(value: Any) -> str:
    """A text, number, boolean or list as TOML, which writes them as JSON does, but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(key: str) -> str:
    plain = key.replace("_", "").replace("-", "")
    return key if plain.isascii() and plain.isalnum() else toml(key)


def _cannot(change: Change, shown: str, reason: str = "") -> Exception:
    place = ".".join(change.keys)
    message = f"{shown}: `{place}` cannot be changed in place" + (f": {reason}" if reason else "")
    return user_error("unwritable-output", message, Origin(shown), "run it without --write, and change it by hand")
