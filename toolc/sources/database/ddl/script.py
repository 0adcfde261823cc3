"""A script cut into statements, and what of it is no SQL: data of COPY, commands of psql and other clients."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from toolc.sources.database.ddl.extent import PRIVILEGES, TABLE_LINE, TABLE_WITH_BODY, Extent
from toolc.sources.database.lexer import Token, comment_end, tokens
from toolc.sources.database.model import Dialect

# Statements that say something about structure; the others are only stepped over.
_READ = frozenset(
    {"CREATE", "ALTER", "DROP", "COMMENT", "RENAME", "USE", "SET", "EXEC", "EXECUTE", "DO", "IF", "BEGIN"}
)
_READ_TOO = frozenset({"RESET", "DECLARE", "SELECT", "WITH", "COPY", "END"})
# Commands of clients; each ends with its line.
_LINES: dict[Dialect, str] = {
    "oracle": r"(?:REM|REMARK|PRO|PROMPT|SET|SPOOL|SPO|WHENEVER|CONNECT|CONN|DEFINE|UNDEFINE|UNDEF|DEF|VARIABLE|VAR"
    r"|PRINT|SHOW|SHO|START|STA|EXIT|QUIT|COLUMN|COL|TTITLE|BTITLE|BREAK|CLEAR|CL|HOST|HO|ACCEPT|ACC|PAUSE|DESCRIBE|DESC"
    r"|TIMING|EXECUTE|EXEC|ARCHIVE|PASSWORD|DISCONNECT|DISC)(?![^\s;])[^\n]*|@@?[^\n]*|![^\n]*",
    "postgres": r"\\[^\n]*",
    "mysql": r"\\[^\n]*|(?:SOURCE|DELIMITER)[ \t][^\n]*",
    "tsql": r":(?:setvar|r|on|connect|out|error|exit|quit|list|reset|serverlist|xml|help|ed|perftrace)\b[^\n]*",
    "sqlite": r"\.[a-z][^\n]*",
}
_COPY = re.compile(r"COPY\s[^;]*?\sFROM\s+STDIN\b", re.IGNORECASE)
_DATA_END = re.compile(r"^\\\.[ \t]*$", re.MULTILINE)
_FIRST_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Statement:
    """start, end: its place in the text. tokens: empty if it was stepped over. word: its first word, in capitals.

    ended: what ended it: a delimiter, `line` (a client's command), `data` (COPY whose data has no end), `text` (the
    end of it) or nothing but the next statement. unclosed: where text, a name or a comment begins that has no end; -1.
    """

    start: int
    end: int
    word: str
    tokens: tuple[Token, ...] = ()
    ended: str = ""
    unclosed: int = -1


class Script:
    """A cursor over the statements of a text. `at` may be set back to read a part again; `stop`: where it ends."""

    def __init__(self, text: str, dialect: Dialect, at: int = 0, stop: int = -1) -> None:
        self.text = text
        self.dialect = dialect
        self.at = at
        self.stop = len(text) if stop < 0 else stop
        self._delimiter = ";"
        self._together = False
        self._line = re.compile(_LINES[dialect], re.IGNORECASE)

    def next(self) -> Statement | None:
        """The next statement or client's command; None at the end."""
        start = self._behind_blanks(self.at)
        if start >= self.stop:
            return None
        if line := self._line.match(self.text, start, self.stop):
            return self._command(start, line.group())
        first = _FIRST_WORD.match(self.text, start)
        word = first.group().upper() if first else self.text[start]
        statement = self._stepped_over(start, word) if word not in _READ and word not in _READ_TOO else None
        statement = statement or self._read(start, word)
        self._together = statement.ended == "" and (self._together or _creates_schema(statement))
        self.at = statement.end
        if word == "COPY" and statement.ended == ";" and _COPY.match(self.text, start, statement.end):
            data = _DATA_END.search(self.text, self.at, self.stop)
            self.at = data.end() if data else self.stop
            return Statement(start, self.at, word, ended=";" if data else "data")
        return statement

    def table_line(self, start: int, end: int) -> int:
        """The index of the first line between two places that begins a table, wherever it stands; -1: none."""
        found = TABLE_LINE.search(self.text, start, end)
        return found.end() if found else -1

    def _behind_blanks(self, at: int) -> int:
        blank = _blank(self.dialect, self._delimiter)
        while True:
            match = blank.match(self.text, at, self.stop)
            at = match.end() if match else at
            if not self.text.startswith("/*", at):
                return at
            end = comment_end(self.text, at, self.dialect)
            if end < 0:
                return at  # the statement that begins here is the comment without an end
            at = end

    def _command(self, start: int, line: str) -> Statement:
        self.at = start + len(line)
        name, _, rest = line.partition(" ") if " " in line else line.partition("\t")
        if name.upper() == "DELIMITER":
            self._delimiter = (rest.split() or [";"])[0]
        return Statement(start, self.at, name.upper(), ended="line")

    def _stepped_over(self, start: int, word: str) -> Statement | None:
        """A statement without structure, in one step; None if that is not so simple."""
        if self._delimiter != ";" or self.dialect == "oracle":
            return None
        match = _over(self.dialect, word in PRIVILEGES).match(self.text, start, self.stop)
        end = match.end() if match else start
        if end >= self.stop:
            return Statement(start, end, word, ended="text")
        if self.text[end] == ";":
            return Statement(start, end + 1, word, ended=";")
        return Statement(start, end, word) if self.text[end] == "\n" and end > start else None

    def _read(self, start: int, word: str) -> Statement:
        extent = Extent(self.text, self.dialect, self._together)
        unclosed = -1
        for token in tokens(self.text, self.dialect, start, self.stop, self._delimiter):
            if token.kind == "end":
                if extent.ends_at(token):
                    end = token.start + len(token.text)
                    return Statement(start, end, word, tuple(extent.found), token.name, unclosed)
                continue
            if token.kind == "word" and extent.ends_before(token):
                return Statement(start, token.start, word, tuple(extent.found), "", unclosed)
            if token.text == "\\" and self.dialect == "postgres":  # a command of psql: \gexec
                end = self.text.find("\n", token.start, self.stop)
                end = self.stop if end < 0 else end
                return Statement(start, end, word, tuple(extent.found), "line", unclosed)
            if token.kind == "open" and unclosed < 0:
                unclosed = token.start
            extent.take(token)
        return Statement(start, self.stop, word, tuple(extent.found), "text", unclosed)


def _creates_schema(statement: Statement) -> bool:
    return [token.upper for token in statement.tokens[:2]] == ["CREATE", "SCHEMA"]


@lru_cache(maxsize=16)
def _blank(dialect: Dialect, delimiter: str) -> re.Pattern[str]:
    """What may stand between statements, except for comments in slashes."""
    line = r"(?:(?<=\n)|\A)[ \t]*"
    parts = [r"[\s;]++", r"--[^\n]*+"]
    if dialect == "mysql":
        parts = [r"[\s;]++", r"--(?=\s|\Z)[^\n]*+", r"\#[^\n]*+", r"/\*M?!(?!9{6})\d*+", r"\*/"]
    if dialect == "tsql":
        parts.append(rf"{line}GO(?:[ \t]+\d+)?[ \t]*(?=;|\n|\Z|--)")
    if dialect == "oracle":
        parts.append(rf"{line}/[ \t]*(?=\n|\Z)")
    if delimiter != ";":
        parts.append(re.escape(delimiter))
    return re.compile(f"(?:{'|'.join(reversed(parts))})*+", re.IGNORECASE)


@lru_cache(maxsize=16)
def _over(dialect: Dialect, whole: bool) -> re.Pattern[str]:
    """Runs to a semicolon outside of quotes, to a line that begins another statement, or to what is not so simple.

    whole: whether words such as CREATE TABLE on a line of their own may belong to the statement.
    """
    stops = [TABLE_WITH_BODY] if whole else [r"CREATE\s", r"ALTER\s+TABLE\s", r"DROP\s+(?:TABLE|VIEW)\s"]
    if dialect == "tsql":
        stops += [r"GO[ \t]*(?:\n|\Z)", *([] if whole else [r"EXEC(?:UTE)?\s", r"USE\s", r"IF\s", r"INSERT\s"])]
    escapes = r"'(?:[^'\\]++|''|\\.)*+'" + r'|"(?:[^"\\]++|""|\\.)*+"'
    parts = [
        r"""[^;'"`\-/\#\n$\\\[]++""",
        escapes if dialect == "mysql" else "'(?:[^']++|'')*+'" + r'|"(?:[^"]++|"")*+"',
        r"`[^`]*+`",
        r"--[^\n]*+",
        r"-(?!-)",
        r"/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/",
        r"/(?!\*)",
        rf"\n(?![ \t]*(?:{'|'.join(stops)}))",
        r"\#[^\n]*+" if dialect == "mysql" else r"\#",
        r"\[[^\]]*+\]" if dialect == "tsql" else r"\[",
        *([r"\$"] if dialect != "postgres" else []),
    ]
    return re.compile(f"(?:{'|'.join(parts)})*+", re.IGNORECASE | re.DOTALL)
