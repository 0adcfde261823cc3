"""Where a statement ends, token by token.

Bodies of functions, procedures and triggers hold semicolons of their own. A statement that begins on a line of its own
ends the one before it, since scripts forget semicolons and T-SQL needs none.
"""

from __future__ import annotations

import re

from toolc.sources.database.ddl.kinds import BODY_KINDS, CREATED, kind_of
from toolc.sources.database.lexer import Token
from toolc.sources.database.model import Dialect

_TABLE = (
    r"CREATE\s+(?:(?:OR\s+REPLACE|GLOBAL|LOCAL|PRIVATE|TEMP|TEMPORARY|UNLOGGED|FOREIGN|EXTERNAL|VIRTUAL)\s+)*TABLE\b"
)
TABLE_LINE = re.compile(rf"^[ \t]*(?={_TABLE})", re.IGNORECASE | re.MULTILINE)
_TABLE_HERE = re.compile(_TABLE, re.IGNORECASE)
_NEXT_WORD = re.compile(r"\s+(\w+)")
# Statements that name privileges such as CREATE TABLE, on lines of their own too.
PRIVILEGES = frozenset({"GRANT", "REVOKE", "DENY", "AUDIT", "NOAUDIT"})
TABLE_WITH_BODY = rf"{_TABLE}\s+(?:IF\s+NOT\s+EXISTS\s+)?[^\s,;(]+\s*\("
_TABLE_WITH_BODY = re.compile(TABLE_WITH_BODY, re.IGNORECASE)
_TSQL_STARTS = frozenset({"INSERT", "EXEC", "EXECUTE", "USE", "IF", "PRINT", "DECLARE", "GRANT", "BEGIN", "END"})
# Statements that end before a SELECT on a line of its own in T-SQL, unless one of these words joins the two.
_END_BEFORE_SELECT = frozenset({"ALTER", "DROP", "SET", "PRINT", "USE", "SELECT"})
_JOINING = frozenset({"UNION", "ALL", "EXCEPT", "INTERSECT"})
_BEHIND_CREATE = CREATED | {"OR", "GLOBAL", "LOCAL", "TEMP", "TEMPORARY", "UNLOGGED", "UNIQUE", "EXTERNAL", "PRIVATE"}
_BEHIND_CREATE |= {"CLUSTERED", "NONCLUSTERED", "PUBLIC", "BITMAP", "FULLTEXT", "SPATIAL", "RECURSIVE", "EDITIONABLE"}
_STARTS = {"CREATE": _BEHIND_CREATE, "ALTER": frozenset({"TABLE"}), "DROP": frozenset({"TABLE", "VIEW"})}
# How far back the beginning of a line is looked for.
_INDENT = 200


class Extent:
    """The state of one statement while its tokens come; `found` are those it has taken."""

    def __init__(self, text: str, dialect: Dialect, together: bool) -> None:
        """together: whether statements follow each other without any sign, as in CREATE SCHEMA."""
        self.found: list[Token] = []
        self._text = text
        self._dialect = dialect
        self._together = together or dialect == "tsql"
        self._depth = self._blocks = 0
        self._kind: str | None = None
        self._before = ""

    def take(self, token: Token) -> None:
        """One more token."""
        upper = token.upper
        if token.kind == "word":
            self._blocks += self._nesting(upper)
            self._before = upper
        elif upper == "(":
            self._depth += 1
        elif upper == ")":
            self._depth -= 1
        self.found.append(token)

    def ends_at(self, end: Token) -> bool:
        """Whether a delimiter ends the statement."""
        self._before = ""
        if end.text != ";" or not self._has_body():
            return True
        if self._kind == "CREATE RULE":
            return self._depth <= 0
        return self._dialect not in ("tsql", "oracle") and self._blocks <= 0

    def ends_before(self, token: Token) -> bool:
        """Whether another statement begins here."""
        upper = token.upper
        known = upper in _STARTS or (self._dialect == "tsql" and (upper in _TSQL_STARTS or self._is_query(upper)))
        if not known or not self.found:
            return False
        own_line = self._begins_line(token.start)
        if self.found[0].upper in PRIVILEGES:
            return own_line and _TABLE_WITH_BODY.match(self._text, token.start) is not None
        if self._has_body():
            return self._dialect == "oracle" and own_line and upper == "CREATE"
        if self._depth > 0:  # an open bracket; a line that begins a table is the end of it
            return own_line and _TABLE_HERE.match(self._text, token.start) is not None
        if upper not in _STARTS:
            return own_line
        after = _NEXT_WORD.match(self._text, token.start + len(token.text))
        if after is None or after[1].upper() not in _STARTS[upper]:
            return False
        return own_line or (upper == "CREATE" and (self._together or self._kind_now() == "CREATE SCHEMA"))

    def _is_query(self, upper: str) -> bool:
        """Whether a query of its own begins, which may make a table."""
        if upper != "SELECT" or not self.found or self._before in _JOINING:
            return False
        if self._kind_now() in ("CREATE TABLE", "CREATE INDEX"):
            return self._before != "AS"
        return self.found[0].upper in _END_BEFORE_SELECT

    def _kind_now(self) -> str:
        if self._kind is None or len(self.found) < 20:
            self._kind = kind_of(self.found)[0]
        return self._kind

    def _has_body(self) -> bool:
        kind = self._kind_now()
        return kind in BODY_KINDS or (self._dialect == "oracle" and kind in ("BEGIN", "DECLARE"))

    def _nesting(self, upper: str) -> int:
        """How a word changes the depth of BEGIN and CASE; END IF, END LOOP close what is not counted."""
        if self._before == "END":
            return int(upper in ("IF", "LOOP", "WHILE", "REPEAT", "FOR"))
        return {"BEGIN": 1, "CASE": 1, "END": -1}.get(upper, 0)

    def _begins_line(self, at: int) -> bool:
        start = self._text.rfind("\n", max(0, at - _INDENT), at) + 1
        return (start > 0 or at <= _INDENT) and not self._text[start:at].strip()
