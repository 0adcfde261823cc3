"""SQL text as tokens, by the lexical rules of a dialect. Never fails, and takes time linear in the text.

What has no end (text, a quoted name, a comment) is a token of kind `open`; the reader decides what it costs. Names in
quotes end with their line. Templates such as `{$prefix}` or `${schema}` are read as parts of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from toolc.sources.database.model import Dialect

TokenKind = Literal["string", "quoted", "word", "number", "sign", "end", "open", "comment"]

# Bounded, so that a line of openings without ends is not scanned again for each.
_TEMPLATE = (
    r"\$\{\s*\w[^}\n]{0,60}\}|\{\{-?\s*\w[^}\n]{0,60}\}\}|\{\$?[\w.>\-]{1,60}\}|%\w{1,60}%|%\(\w{1,60}\)s"
    r"|<%=?\s*\w[^%\n]{0,60}%>"
)
_WORD = rf"(?:[\w$@#]|{_TEMPLATE})++"
_NUMBER = r"0[xX][0-9a-fA-F]++(?!\w)|0[bB][01]++(?!\w)|(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?(?![\w$])"
_SIGN = r"::|:=|=>|<=>|<=|>=|<>|!=|==|\|\||&&|->>|->|@>|<@|!~~\*|!~~|!~\*|~~\*|!~|~\*|~~|\S"
_PLAIN = r"'(?:[^']++|'')*+"
_ESCAPED = r"'(?:[^'\\]++|''|\\.)*+"
_DOUBLE_NAME = r'"(?:[^"\n]++|"")*+'
_BACKQUOTED = r"`(?:[^`\n]++|``)*+"
_BRACKETED = r"\[(?:[^\]\n]++|\]\])*+"
_ORACLE_TEXT = r"[nN]?[qQ]'\S"
_NESTED = re.compile(r"/\*|\*/")
_COMMENT_END = re.compile(r"\*/")
_BACKSLASH = re.compile(r"\\(.)", re.DOTALL)
_CODE_POINT = re.compile(r"\\\\|\\([0-9a-fA-F]{4})|\\\+([0-9a-fA-F]{6})")
_POSTGRES_ESCAPE = re.compile(
    r"\\(?:u(?P<point>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8})|x(?P<hex>[0-9a-fA-F]{1,2})|(?P<octal>[0-7]{1,3})|(?P<letter>.))",
    re.DOTALL,
)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "0": "\0", "Z": "\x1a", "%": r"\%", "_": r"\_"}
_CLOSERS = {"[": "]"}
_ORACLE_CLOSERS = {"[": "]", "{": "}", "(": ")", "<": ">"}
# MySQL runs what stands in /*!40101 … */; no server has the version 999999, which guards MariaDB's dumps.
_CONDITION = re.compile(r"/\*M?!(?!9{6})\d*")


class Token(NamedTuple):
    """A token and the index in the text at which it begins.

    upper: a word in capitals, for comparing with keywords (a quoted name is never one). name: what it stands for.
    """

    kind: TokenKind
    text: str
    start: int
    upper: str
    name: str


@lru_cache(maxsize=64)
def pattern(dialect: Dialect, delimiter: str = ";") -> re.Pattern[str]:
    """The tokens of a dialect, each by kind; `block` and `dollar` (q'[ in Oracle) are only openings."""
    texts, names = _quotes(dialect)
    parts = [rf"(?P<comment>{_line_comment(dialect)})", r"(?P<block>/\*)"]
    if dialect == "mysql":
        parts.append(r"(?P<unblock>\*/)")  # of a condition
    ends = [re.escape(delimiter)]
    if dialect == "oracle":
        ends.append(r"^[ \t]*/[ \t]*$")
    if dialect == "tsql":
        ends.append(r"^[ \t]*[gG][oO](?:[ \t]+\d+)?[ \t]*;?[ \t]*(?=--[^\n]*$|$)")
    parts.append(f"(?P<end>{'|'.join(reversed(ends))})")
    if dialect == "postgres":
        parts.append(r"(?P<dollar>\$(?:[^\W\d]\w*+)?\$)")
    closed = "|".join(f"{opening}{closing}" for opening, closing in texts)
    if dialect == "oracle":
        parts.append(f"(?P<dollar>{_ORACLE_TEXT})")
    parts.append(f"(?P<string>{closed})")
    parts.append(f"(?P<quoted>{'|'.join(f'{opening}{closing}' for opening, closing in names)})")
    parts.append(f"(?P<open>{'|'.join(opening for opening, _ in (*texts, *names))})")
    parts += [rf"(?P<number>{_NUMBER})", rf"(?P<word>{_WORD})", rf"(?P<sign>{_SIGN})"]
    return re.compile("|".join(parts), re.DOTALL | re.MULTILINE)


def tokens(
    text: str, dialect: Dialect, start: int = 0, stop: int = -1, delimiter: str = ";", comments: bool = False
) -> Iterator[Token]:
    """The tokens between two places (to the end, if none is given); comments only if asked for."""
    find = pattern(dialect, delimiter).search
    at = start
    stop = len(text) if stop < 0 else stop
    while (match := find(text, at, stop)) is not None:
        kind = match.lastgroup
        at = match.end()
        found = match.group()
        begin = match.start()
        if kind == "word":
            yield Token("word", found, begin, found.upper(), found)
        elif kind == "sign" or kind == "number":
            yield Token("sign" if kind == "sign" else "number", found, begin, found, found)
        elif kind == "string":
            yield Token("string", found, begin, found, unquoted(found, dialect))
        elif kind == "quoted":
            yield Token("quoted", found, begin, found, _inside(found))
        elif kind == "end":
            yield Token("end", found, begin, found, found.strip())
        elif kind == "open":
            yield Token("open", found, begin, "", found[1:])
        elif kind == "dollar":
            end = found if dialect == "postgres" else _ORACLE_CLOSERS.get(found[-1], found[-1]) + "'"
            close = text.find(end, at, stop)
            if close < 0:
                yield Token("open", text[begin:stop], begin, "", "")
                return
            inside, at = text[at:close], close + len(end)
            yield Token("string", text[begin:at], begin, found, inside)
        elif kind == "block":
            condition = _CONDITION.match(text, begin) if dialect == "mysql" else None
            at = condition.end() if condition else comment_end(text, begin, dialect)
            if at < 0:
                yield Token("open", text[begin:stop], begin, "", "")
                return
            if comments and condition is None:
                yield Token("comment", text[begin:at], begin, "", "")
        elif comments and kind == "comment":
            yield Token("comment", found, begin, "", "")


def unquoted(text: str, dialect: Dialect) -> str:
    """The value of a string literal."""
    quote = text.find("'")
    if quote < 0 or text[0] == '"':
        return _unescaped(text[1:-1].replace('""', '"'))
    prefix, inside = text[:quote].upper(), text[quote + 1 : -1].replace("''", "'")
    if prefix == "U&":
        return _of_code_points(inside)
    if prefix == "E":
        return _escaped_by_number(inside) if "\\" in inside else inside
    return _unescaped(inside) if dialect == "mysql" else inside


def _unescaped(text: str) -> str:
    """MySQL's escapes; `\\%` and `\\_` stay as they are, for LIKE."""
    return _BACKSLASH.sub(lambda match: _ESCAPES.get(match[1], match[1]), text) if "\\" in text else text


def _escaped_by_number(text: str) -> str:
    """PostgreSQL's escapes: letters, characters by their code points, bytes of UTF-8 by their numbers."""

    def meant(match: re.Match[str]) -> str:
        if match["point"] or match["long"]:
            return _character(match["point"] or match["long"])
        if match["hex"] or match["octal"]:
            byte = (int(match["hex"], 16) if match["hex"] else int(match["octal"], 8)) & 0xFF
            return bytes([byte]).decode(errors="surrogateescape")
        return _LETTERS.get(match["letter"], match["letter"])

    return _POSTGRES_ESCAPE.sub(meant, text).encode(errors="surrogateescape").decode(errors="replace")


def _of_code_points(text: str) -> str:
    """What U&'d\\0061t\\+000061' means."""
    return _CODE_POINT.sub(lambda match: _character(match[1] or match[2]) if match[1] or match[2] else "\\", text)


def _character(digits: str) -> str:
    number = int(digits, 16)
    return "\ufffd" if number > 0x10FFFF or 0xD800 <= number < 0xE000 else chr(number)


def _inside(text: str) -> str:
    """The name in a quoted identifier."""
    if text[1:2] == "&":
        return _of_code_points(text[3:-1].replace('""', '"'))
    quote = _CLOSERS.get(text[0], text[0])
    return text[1:-1].replace(quote * 2, quote)


def _quotes(dialect: Dialect) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """How texts and names are quoted: opening with content, and closing."""
    if dialect == "postgres":
        return [(f"[eE]{_ESCAPED}", "'"), (f"(?:[nNbBxX]|[uU]&)?{_PLAIN}", "'")], [(f"(?:[uU]&)?{_DOUBLE_NAME}", '"')]
    if dialect == "mysql":
        escaped = r'"(?:[^"\\]++|""|\\.)*+'
        return [(rf"(?:[nNbBxX]|_\w++[ ]?)?{_ESCAPED}", "'"), (escaped, '"')], [(_BACKQUOTED, "`")]
    if dialect == "tsql":
        return [(f"[nN]?{_PLAIN}", "'")], [(_BRACKETED, r"\]"), (_DOUBLE_NAME, '"')]
    if dialect == "oracle":
        return [(f"[nN]?{_PLAIN}", "'")], [(_DOUBLE_NAME, '"')]
    quoted = [(r'"(?:[^"]++|"")*+', '"'), (r"`(?:[^`]++|``)*+", "`"), (r"\[[^\]]*+", r"\]")]
    return [(f"[xX]?{_PLAIN}", "'")], quoted


def _line_comment(dialect: Dialect) -> str:
    if dialect == "mysql":  # two hyphens need a blank behind them there; `#` is a comment, `#{` and `#__` a template
        return r"--(?=\s|\Z)[^\n]*+|\#(?!\{|__)[^\n]*+"
    return r"--[^\n]*+"


def comment_end(text: str, start: int, dialect: Dialect) -> int:
    """The index behind the comment that begins at `start`; -1 if it has no end. PostgreSQL's and T-SQL's nest."""
    if dialect not in ("postgres", "tsql"):
        match = _COMMENT_END.search(text, start + 2)
        return match.end() if match else -1
    depth = 0
    for match in _NESTED.finditer(text, start):
        depth += 1 if match.group() == "/*" else -1
        if not depth:
            return match.end()
    return -1
