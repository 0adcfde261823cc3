"""Places in SQL text: `/table` or `/table/column`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice

# Comments, text, dollar bodies, psql commands and COPY data hold no names; the backslash of `ESCAPE '\'` is alone.
_PART = re.compile(
    r"""
    (?P<skip> --[^\n]* | /\*.*?\*/ | '\\'(?!') | '[^'\\]*(?:(?:''|\\.)[^'\\]*)*' | \$(?P<tag>\w*)\$.*?\$(?P=tag)\$
      | ^\\[^\n]*$ | ^\#[^\n]*$ | ^REM\b[^\n]*$ | ^COPY\s[^;]*\sFROM\s+stdin[^;]*;.*?^\\\.$ )
    | (?P<name> "(?:[^"]|"")*" | `(?:[^`]|``)*` | \[[^\]\n]*\] | [\w$#@{}]+ )
    | (?P<sign> [().,;] )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_QUOTES = {'"': '"', "`": "`", "[": "]"}
_SIGNS = ("(", ")", ".", ",", ";")
_KINDS = ("TABLE", "VIEW")
_BEFORE_NAME = ("IF", "NOT", "EXISTS")

_Part = tuple[str, int]


@dataclass(slots=True)
class _Table:
    place: int
    columns: dict[str, int] = field(default_factory=dict)


class SqlIndex:
    """Tables and views by name, in any case, with or without their schema, and their columns."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tables: dict[str, _Table] | None = None

    def find(self, keys: list[str]) -> int:
        """The index of the column's name, or of the table's, or of the text."""
        if not keys:
            return 0
        if self._tables is None:
            self._tables = _tables(self._text)
        name = keys[0].casefold()
        table = self._tables.get(name) or self._tables.get(name.rpartition(".")[2])
        if table is None:
            return self._anywhere(keys[0])
        return table.columns.get(keys[1].casefold(), table.place) if len(keys) > 1 else table.place

    def _anywhere(self, name: str) -> int:
        """Where quotes that do not match hid a statement from the scan."""
        pattern = rf"\bcreate\b[^;(]*?\b(?:table|view)\b[^;(]*?\W({re.escape(name)})(?!\w)"
        match = re.search(pattern, self._text, re.IGNORECASE)
        return match.start(1) if match else 0


def _tables(text: str) -> dict[str, _Table]:
    """Every CREATE TABLE or VIEW under its full and its last name; the first of a name counts."""
    parts = [(match[0], match.start()) for match in _PART.finditer(text) if match.lastgroup != "skip"]
    tables: dict[str, _Table] = {}
    for index, (part, _) in enumerate(parts):
        if part.upper() == "CREATE" and (at := _name_after(parts, index)):
            names, after = _qualified(parts, at)
            table = _Table(parts[at][1], _columns(parts, after))
            tables.setdefault(".".join(names), table)
            tables.setdefault(names[-1], table)
    return tables


def _name_after(parts: list[_Part], create: int) -> int:
    """Where the name of the table or view stands that this CREATE makes; 0 if it makes something else."""
    ahead = parts[create + 1 : create + 12]  # CREATE OR REPLACE GLOBAL TEMPORARY TABLE IF NOT EXISTS name
    words = [part.upper() for part, _ in ahead]
    kind = next((index for index, word in enumerate(words) if not word.isalpha() or word in _KINDS), len(words))
    if kind == len(words) or words[kind] not in _KINDS:
        return 0
    name = next((index for index in range(kind + 1, len(words)) if words[index] not in _BEFORE_NAME), 0)
    return create + 1 + name if name and words[name] not in _SIGNS else 0


def _qualified(parts: list[_Part], at: int) -> tuple[list[str], int]:
    """The parts of a name with dots, and where what follows it stands."""
    names = [_plain(parts[at][0])]
    while [part for part, _ in parts[at + 1 : at + 2]] == ["."] and at + 2 < len(parts):
        at += 2
        names.append(_plain(parts[at][0]))
    return names, at + 1


def _columns(parts: list[_Part], at: int) -> dict[str, int]:
    """The first name of each item in the brackets that come next; constraints are taken along, they do no harm."""
    columns: dict[str, int] = {}
    depth = 0
    before = ""
    for part, place in islice(parts, at, None):
        if part == ";" or (not depth and part.upper() in ("AS", "CREATE")):
            break
        if part not in _SIGNS and depth == 1 and before in ("(", ","):
            if part[0] in _QUOTES:
                columns[_plain(part)] = place
            else:
                columns.setdefault(part.casefold(), place)
        depth += (part == "(") - (part == ")")
        if part == ")" and not depth:
            break
        before = part
    return columns


def _plain(name: str) -> str:
    end = _QUOTES.get(name[0])
    return (name[1:-1].replace(end * 2, end) if end else name).casefold()
