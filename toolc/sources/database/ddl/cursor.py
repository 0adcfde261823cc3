"""A place in the tokens of one statement, and the small steps that every part of the grammar is read with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import ascii_lowercase, ascii_uppercase

from toolc.sources.database.lexer import Token
from toolc.sources.database.model import Dialect

_END = Token("end", "", -1, "", "")
_LONGEST_NAME = 63  # bytes of a name that PostgreSQL keeps
ASCII_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)  # PostgreSQL folds no other letters in UTF-8


class Unreadable(Exception):  # noqa: N818
    """A statement that cannot be read; the message says why. start: the index in the text, if there is one."""

    def __init__(self, message: str, start: int = -1) -> None:
        super().__init__(message)
        self.start = start


class Cursor:
    """Over the tokens from `at` to `end`; parts of a statement are cursors over the same tokens."""

    def __init__(
        self,
        tokens: Sequence[Token],
        dialect: Dialect,
        at: int = 0,
        end: int = -1,
        closing: Sequence[int] | None = None,
    ) -> None:
        self.tokens = tokens
        self.dialect = dialect
        self.at = at
        self.end = len(tokens) if end < 0 else end
        self._closing = _closings(tokens) if closing is None else closing

    def __bool__(self) -> bool:
        return self.at < self.end

    def part(self, at: int, end: int) -> Cursor:
        """A cursor over some of the same tokens."""
        return Cursor(self.tokens, self.dialect, at, end, self._closing)

    def peek(self, ahead: int = 0) -> Token:
        """A token from here on; an empty one of kind `end` behind the last."""
        index = self.at + ahead
        return self.tokens[index] if index < self.end else _END

    @property
    def upper(self) -> str:
        """The next token in capitals."""
        return self.tokens[self.at].upper if self.at < self.end else ""

    @property
    def start(self) -> int:
        """The index in the text of the next token, or of the last."""
        index = min(self.at, len(self.tokens) - 1)
        return self.tokens[index].start if index >= 0 else 0

    def take(self) -> Token:
        """The next token, and step over it."""
        token = self.peek()
        self.at += 1
        return token

    def sees(self, *words: str) -> bool:
        """Whether these words come next."""
        at = self.at
        if at + len(words) > self.end:
            return False
        return all(self.tokens[at + index].upper == word for index, word in enumerate(words))

    def accept(self, *words: str) -> bool:
        """Step over these words if they come next."""
        if not self.sees(*words):
            return False
        self.at += len(words)
        return True

    def accept_any(self, *words: str) -> str:
        """Step over one of these words if it comes next, and say which."""
        if (upper := self.upper) in words:
            self.at += 1
            return upper
        return ""

    def is_name(self) -> bool:
        """Whether an identifier comes next."""
        token = self.peek()
        if token.kind in ("word", "quoted"):
            return True
        return token.kind == "string" and (token.text[0] == '"' or self.dialect == "mysql")

    def name(self) -> str:
        """An identifier as the database keeps it; raises Unreadable."""
        if not self.is_name():
            seen = self.peek().text
            raise Unreadable(f"a name is missing before `{seen[:20]}`" if seen else "a name is missing", self.start)
        token = self.take()
        if token.kind != "word":
            return token.name
        if self.dialect != "postgres":
            return token.name
        folded = token.name if "{" in token.name or "%" in token.name else token.name.translate(ASCII_LOWER)
        if len(folded) > _LONGEST_NAME // 4:
            folded = folded.encode()[:_LONGEST_NAME].decode(errors="ignore")
        return folded

    def names(self) -> list[str]:
        """An identifier with what qualifies it: schema.table, database.schema.table, schema.table.column."""
        found = [self.name()]
        while self.accept("."):
            while self.accept("."):  # T-SQL: database..table
                pass
            found.append(self.name())
        return found

    def bracket(self) -> Cursor | None:
        """What stands in brackets here, and step over them; None if none open here. Raises Unreadable if none close."""
        if self.upper != "(":
            return None
        close = self._closing[self.at]
        if close < 0 or close >= self.end:
            raise Unreadable("a closing bracket is missing", self.start)
        inside = self.part(self.at + 1, close)
        self.at = close + 1
        return inside

    def skip(self) -> None:
        """Step over one token, or over brackets with what is in them."""
        close = self._closing[self.at]
        self.at = close + 1 if 0 <= close < self.end else self.at + 1

    def commas(self) -> Iterator[Cursor]:
        """The parts between commas that stand outside brackets."""
        start = at = self.at
        while at < self.end:
            if self.tokens[at].text == ",":
                yield self.part(start, at)
                start = at + 1
            close = self._closing[at]
            at = close + 1 if 0 <= close < self.end else at + 1
        yield self.part(start, self.end)

    def rest(self) -> Sequence[Token]:
        """The tokens from here to the end."""
        return self.tokens[self.at : self.end]


def _closings(tokens: Sequence[Token]) -> list[int]:
    """For each opening bracket, round or square (ARRAY[1, 2]), the index of the one that closes it; -1 elsewhere."""
    found = [-1] * len(tokens)
    opened: dict[str, list[int]] = {")": [], "]": []}
    for index, token in enumerate(tokens):
        if token.text == "(":
            opened[")"].append(index)
        elif token.text == "[":
            opened["]"].append(index)
        elif opened.get(token.text):
            found[opened[token.text].pop()] = index
    return found
