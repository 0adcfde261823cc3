"""SQL text cut into statements and tokens, in SQLite's lexical rules, at places that are kept.

Structure is read by the engine; this finds where statements end, what they are, and what the engine forgets: positions,
comments and the text of checks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from toolc.sources.database import lexer
from toolc.sources.database.lexer import Token

_TABLE_LINE = r"\n[ \t]*CREATE\s+(?:TEMP(?:ORARY)?\s+|VIRTUAL\s+)?TABLE\b"
# Runs over everything up to a semicolon that is not inside quotes or a comment. Text without a closing quote ends it,
# and so does a line that begins a table: there the semicolon was forgotten.
_STATEMENT = re.compile(
    rf"""(?:[^;'"`\[/\-\n]++|(?!{_TABLE_LINE})\n|'[^']*+(?:'|\Z)|"[^"\n]*+"?|`[^`\n]*+`?|\[[^\]\n]*+\]?"""
    r"""|--[^\n]*+|/\*.*?(?:\*/|\Z)|[/\-])*+;?""",
    re.DOTALL | re.IGNORECASE,
)
_NEXT_TABLE = re.compile(_TABLE_LINE, re.IGNORECASE)
_BLANK = re.compile(r"(?:\s++|--[^\n]*+|/\*.*?(?:\*/|\Z))*+", re.DOTALL)
_TRIGGER = re.compile(r"CREATE\s+(?:TEMP(?:ORARY)?\s+)?TRIGGER\b", re.IGNORECASE)
_TRIGGER_END = re.compile(r"END\s*;", re.IGNORECASE)
_CONSTRAINTS = frozenset({"CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"})


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement without what stands before it; start: its index in the whole text."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Item:
    """One part of the body of CREATE TABLE: a column (with its name) or a constraint (without)."""

    name: str
    tokens: tuple[Token, ...]
    comment: str = ""

    def conditions(self) -> Iterator[tuple[Token, ...]]:
        """What stands in the brackets behind each CHECK."""
        for index, token in enumerate(self.tokens[:-1]):
            if token.upper == "CHECK" and self.tokens[index + 1].text == "(":
                depth = 0
                for end in range(index + 1, len(self.tokens)):
                    depth += {"(": 1, ")": -1}.get(self.tokens[end].text, 0)
                    if not depth:
                        yield self.tokens[index + 2 : end]
                        break


@dataclass(frozen=True, slots=True)
class Body:
    """What stands between the brackets of CREATE TABLE, and the words behind them."""

    items: tuple[Item, ...] = ()
    comment: str = ""
    options: tuple[str, ...] = ()


def next_statement(text: str, start: int) -> tuple[Statement | None, int]:
    """The statement at or after an index, and the index behind it; None at the end of the text."""
    begin = _skip_blank(text, start)
    if begin >= len(text):
        return None, len(text)
    if text[begin] == ".":  # a command of the sqlite3 shell; it ends with its line
        end = text.find("\n", begin)
        end = len(text) if end < 0 else end
        return Statement(text[begin:end], begin), end
    end = _end(text, begin)
    if _TRIGGER.match(text, begin):
        while end < len(text):
            last, end = _skip_blank(text, end), _end(text, end)
            if _TRIGGER_END.fullmatch(text, last, end):
                break
    return Statement(text[begin:end], begin), end


def unclosed(text: str, start: int, end: int) -> tuple[int, str]:
    """The index between two places at which a quote or comment opens that has no end, and what it is; -1 if all end."""
    opened = next((token for token in lexer.tokens(text, "sqlite", start, end) if token.kind == "open"), None)
    if opened is None:
        return -1, ""
    if opened.text.startswith("/*"):
        return opened.start, "a comment"
    return opened.start, "a text in quotes" if "'" in opened.text[:2] else "a quoted name"


def next_table(text: str, start: int, end: int) -> int:
    """The index of the first line between two places that begins a table, wherever it stands; -1 if there is none."""
    match = _NEXT_TABLE.search(text, start, end)
    return match.start() + 1 if match else -1


def _skip_blank(text: str, start: int) -> int:
    match = _BLANK.match(text, start)
    return match.end() if match else start


def _end(text: str, start: int) -> int:
    match = _STATEMENT.match(text, start)
    return match.end() if match and match.end() > start else len(text)


def tokens(text: str, comments: bool = False) -> Iterator[Token]:
    """The tokens of a text; comments only if asked for."""
    return lexer.tokens(text, "sqlite", comments=comments)


def words(text: str, count: int) -> list[Token]:
    """The first tokens that are no comments."""
    found = []
    for token in tokens(text):
        if token.kind != "comment":
            found.append(token)
            if len(found) == count:
                break
    return found


def table_name(statement: str) -> str:
    """The name in `CREATE [TEMP] [VIRTUAL] TABLE|VIEW [IF NOT EXISTS] [schema.]name`, without its schema."""
    found = words(statement, 12)
    index = next((i for i, token in enumerate(found) if token.upper in ("TABLE", "VIEW")), len(found)) + 1
    if [token.upper for token in found[index : index + 3]] == ["IF", "NOT", "EXISTS"]:
        index += 3
    if [token.text for token in found[index + 1 : index + 2]] == ["."]:
        index += 2
    return found[index].name if index < len(found) else ""


def body(statement: str) -> Body:
    """The parts between the outer brackets of CREATE TABLE; none if it has no brackets (CREATE TABLE AS SELECT)."""
    items: list[Item] = []
    current: list[Token] = []
    options: list[str] = []
    comments: dict[int, str] = {}
    table_comment = ""
    depth = 0
    last: Token | None = None
    place = -1  # index of the item that `last` belongs to; -1 is the table itself
    for token in tokens(statement, comments=True):
        if token.kind == "comment":
            same_line = last is not None and "\n" not in statement[last.start + len(last.text) : token.start]
            if same_line and depth == 1 and token.text.startswith("--"):
                if place < 0:
                    table_comment = token.text
                else:
                    comments.setdefault(place, token.text)
            continue
        if token.text == "(":
            depth += 1
            if depth == 1:
                last = token
                continue
        elif token.text == ")":
            depth -= 1
            if depth == 0:
                items.append(_item(current))
                current = []
                continue
        if depth == 0:
            if items:
                options.append(token.upper)
            elif token.upper == "AS":
                return Body()
        elif depth == 1 and token.text == ",":
            items.append(_item(current))
            current = []
            last = token
            continue
        else:
            current.append(token)
            place = len(items)
        last = token
    if current:
        items.append(_item(current))
    commented = tuple(
        Item(item.name, item.tokens, _plain(comments.get(index, ""))) for index, item in enumerate(items) if item.tokens
    )
    return Body(commented, _plain(table_comment), tuple(options))


def _item(found: list[Token]) -> Item:
    first = found[0] if found else None
    name = "" if first is None or (first.kind == "word" and first.upper in _CONSTRAINTS) else first.name
    return Item(name, tuple(found))


def _plain(comment: str) -> str:
    return comment.strip("-").strip()
