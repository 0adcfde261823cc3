"""Reads the structure that a script makes: one statement after the other, each as far as it is understood.

Nothing is run. One broken statement costs one table and one diagnostic. Every CREATE TABLE ends as a table, as a
partition or in a diagnostic; that sum is checked at the end of each run.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from toolc.diagnostics import Diagnostic, Report, Severity
from toolc.ir import Origin
from toolc.sources.database.ddl import objects, tables
from toolc.sources.database.ddl.changes import Changes
from toolc.sources.database.ddl.columns import Context
from toolc.sources.database.ddl.cursor import Cursor, Unreadable
from toolc.sources.database.ddl.draft import Catalog, Draft
from toolc.sources.database.ddl.extent import PRIVILEGES, TABLE_LINE
from toolc.sources.database.ddl.finish import finished
from toolc.sources.database.ddl.kinds import BODY_KINDS, is_temporary, kind_of
from toolc.sources.database.ddl.script import Script, Statement
from toolc.sources.database.hidden import visible
from toolc.sources.database.lexer import Token, tokens
from toolc.sources.database.model import Database, Dialect, Kind

_TABLES: dict[str, Kind] = {"CREATE TABLE": "table", "CREATE FOREIGN TABLE": "foreign table"}
_VIEWS: dict[str, Kind] = {"CREATE VIEW": "view", "CREATE MATERIALIZED VIEW": "materialized view"}
_ALTERED = ("ALTER TABLE", "ALTER FOREIGN TABLE", "ALTER VIEW", "ALTER MATERIALIZED VIEW")
_DROPPED = ("DROP TABLE", "DROP FOREIGN TABLE", "DROP VIEW", "DROP MATERIALIZED VIEW")
# Statements of the dialects that say nothing of tables.
_KNOWN = frozenset(
    """
    ABORT ALTER ANALYZE ATTACH AUDIT BACKUP BEGIN BULK CALL CHECK CHECKPOINT CLOSE CLUSTER COMMENT COMMIT CONNECT COPY
    CREATE DBCC DEALLOCATE DECLARE DELETE DENY DETACH DISABLE DISCARD DO DROP ENABLE END EXEC EXECUTE EXIT EXPLAIN FETCH
    FLASHBACK FLUSH GO GRANT IF IMPORT INSERT INSTALL KILL LISTEN LOAD LOCK MERGE NOAUDIT NOTIFY OPTIMIZE PRAGMA
    PREPARE PRINT PURGE RAISERROR REASSIGN REFRESH REINDEX RELEASE RENAME REPAIR REPLACE RESET RESTORE RETURN REVOKE
    ROLLBACK SAVE SAVEPOINT SECURITY SELECT SET SHOW START THROW TRUNCATE UNLISTEN UNLOCK UPDATE USE VACUUM VALUES
    WAITFOR WHILE WITH ELSE RECONFIGURE EXCEPTION
    """.split()
)
_REACHES_OUT = re.compile(
    r"\bPROGRAM\s*'|\bXP_CMDSHELL\b|\bINTO\s+(?:OUTFILE|DUMPFILE)\b|\b(?:OPENROWSET|BULK)\s*\(|\bCOPY\b[^;]{0,400}\bTO\s*'",
    re.IGNORECASE,
)
_REACHING = frozenset({"ATTACH", "VACUUM", "LOAD", "BACKUP", "RESTORE", "BULK", "INSTALL"})
# Commands of clients that run programs or read other files.
_CLIENT_REACHES = re.compile(
    r"\\(?:!|i|ir|include|include_relative|o|out|w|write|copy(?=[^\n]*\b(?:to|program)\b)|g|gx|lo_\w+)\b|\\!|!|@|HO|STA|SOURCE|SPO|:R",
    re.I,
)
_INNER_STARTS = frozenset({"BEGIN", "THEN", "ELSE", "LOOP"})
# How many times the text may be read again, as statements in it have no end.
_MOST_REREAD = 4
_LONG = 400


def read(text: str, dialect: Dialect, origin: Origin, report: Report, lines: bool = True) -> Database:
    """What a schema text makes; hidden tables are noted. lines: whether places in the text are places in the file."""
    reader = Reader(text, dialect, origin, report, lines)
    reader.run()
    database = reader.finish()
    for parent, count in Counter(table.partition_of for table in database.partitions).items():
        are = f"{count} partitions of `{parent}` are" if count > 1 else f"a partition of `{parent}` is"
        message = f"{are} reached through it; no tool is made of {'them' if count > 1 else 'it'}"
        report.note("hidden-table", message, origin.at(parent))
    return replace(database, tables=tuple(visible(database.tables, report)))


class Reader:
    """One run over a text. created: the CREATE TABLE statements so far; lost: those that ended in a diagnostic."""

    def __init__(self, text: str, dialect: Dialect, origin: Origin, report: Report, lines: bool) -> None:
        self.text = text
        self.created = 0
        self.lost = 0
        self._origin = origin
        self._report = report
        self._breaks = [match.start() for match in re.finditer("\n", text)] if lines else None
        self._catalog = Catalog(dialect)
        self._context = Context(self._catalog, self._at, self._warn, partial(report.note, "unknown-columns"))
        self._changes = Changes(self._context, report)
        self._failed: set[str] = set()
        self._skipped: Counter[str] = Counter()
        self._unknown: dict[str, list[Origin]] = {}
        self._reread = 0
        self._handlers: dict[str, Callable[[Cursor, Statement], None]] = {
            **dict.fromkeys(_VIEWS, self._create_view),
            **dict.fromkeys(_ALTERED, self._changes.alter),
            **dict.fromkeys(_DROPPED, self._changes.drop),
            "CREATE TYPE": lambda cursor, _: objects.create_type(cursor, self._context),
            "ALTER TYPE": lambda cursor, _: objects.alter_type(cursor, self._context),
            "CREATE DOMAIN": lambda cursor, _: objects.create_domain(cursor, self._context),
            "ALTER DOMAIN": lambda cursor, _: objects.alter_domain(cursor, self._context),
            "COMMENT": lambda cursor, _: objects.comment_on(cursor, self._context),
            "CREATE INDEX": self._create_index,
            "DROP INDEX": lambda cursor, _: objects.drop_index(cursor, self._context),
            "CREATE SCHEMA": self._changes.create_schema,
            "DROP SCHEMA": self._changes.drop_schema,
            "SET": lambda cursor, _: objects.set_path(cursor, self._context),
            "RESET": lambda cursor, _: objects.set_path(cursor, self._context),
            "SELECT": self._select,
            "WITH": self._select,
            "USE": self._changes.use,
            "RENAME": self._changes.rename,
            "EXEC": self._execute,
            "EXECUTE": self._execute,
            "DO": self._do,
        }

    def run(self) -> None:
        """Take every statement in turn."""
        script = Script(self.text, self._catalog.dialect)
        schema_path: list[str] | None = None
        while (statement := script.next()) is not None:
            before = self._catalog.path
            self._take(statement, script)
            if self._catalog.path is not before and statement.word == "CREATE":
                if statement.ended == "":
                    schema_path = before  # CREATE SCHEMA with its elements
                else:
                    self._catalog.path = before
            elif schema_path is not None and statement.ended != "":
                self._catalog.path, schema_path = schema_path, None
        if self._skipped:
            what = ", ".join(f"{count} {kind}" for kind, count in sorted(self._skipped.items()))
            self._report.note("skipped-statements", f"only structure is read; skipped: {what}", self._origin)
        for word, places in self._unknown.items():
            message = f"`{word[:40]}` begins no statement that is known"
            advice = "if the file is written for another database, say which with `dialect`"
            self._report.add(
                Diagnostic("unknown-statement", Severity.error, message, places[0], help=advice, count=len(places))
            )

    def finish(self) -> Database:
        """The database, after the sum of its tables was checked."""
        database = finished(self._context)
        kept = sum(draft.counted for draft in self._catalog.tables.all.values())
        self.lost += self._changes.lost
        if self.created != kept + self.lost:
            missing = self.created - kept - self.lost
            message = f"{self.created} CREATE TABLE statements, but {kept} tables and {self.lost} that were reported"
            self._report.error(
                "lost-table",
                f"{message}: {missing} went astray",
                self._origin,
                "this is a fault of toolc; please report it",
            )
        return database

    def _at(self, start: int, draft: Draft | None = None, *names: str) -> Origin:
        """The origin of a place in the text, as a table or column."""
        full = (f"{draft.schema}.{draft.name}" if draft.schema else draft.name) if draft else ""
        origin = self._origin.at(full, *names) if draft else self._origin
        if self._breaks is None:
            return origin
        line = bisect_left(self._breaks, start)
        return replace(origin, line=line + 1, column=start - (self._breaks[line - 1] if line else -1))

    def _warn(self, message: str, start: int) -> None:
        """A warning; a negative place stands for a table that a foreign key does not find."""
        rule = "unread-sql" if start >= 0 else "unknown-table"
        self._report.warning(rule, message, self._at(start if start >= 0 else -1 - start))

    def _take(self, statement: Statement, script: Script) -> None:
        kind, behind = kind_of(statement.tokens)
        cursor = Cursor(statement.tokens, self._catalog.dialect, behind)
        if statement.ended == "line" and not statement.tokens:
            self._client(statement)
        elif kind in _TABLES:
            self._create_table(statement, kind, script)
        elif statement.unclosed >= 0 or (not statement.tokens and statement.word == "/"):
            self._unclosed(statement, script)
        elif (handler := self._handlers.get(kind)) is not None:
            self._attempt(handler, cursor, statement, kind)
        else:
            self._step_over(statement, kind)
            if kind in BODY_KINDS and statement.ended == "text":
                self._endless(statement, kind, script)
        if statement.ended == "data":
            self._say(
                "broken-statement", Severity.error, "the data of COPY have no end (a line with `\\.`)", statement.start
            )

    def _attempt(
        self, handler: Callable[[Cursor, Statement], None], cursor: Cursor, statement: Statement, kind: str
    ) -> None:
        """Carry out a statement that changes structure; say it if that cannot be done."""
        try:
            handler(cursor, statement)
        except Unreadable as error:
            if any(f"`{name}`" in str(error) for name in self._failed):
                return  # the table is named already
            index = kind == "CREATE INDEX" or kind == "COMMENT"
            severity = Severity.warning if index else Severity.error
            start = error.start if error.start >= 0 else statement.start
            self._say("broken-statement", severity, f"{kind} is not carried out: {error}", start)

    def _step_over(self, statement: Statement, kind: str) -> None:
        word = statement.word
        if word in _REACHING or _REACHES_OUT.search(
            self.text, statement.start, min(statement.end, statement.start + _LONG)
        ):
            message = f"{word} is refused: only structure is read from here, nothing is run"
            self._say("refused-statement", Severity.warning, message, statement.start)
        elif kind in ("", word) and word not in _KNOWN:
            self._unknown.setdefault(word, []).append(self._at(statement.start))
        elif not (
            word in ("BEGIN", "END", "IF", "ELSE", "GO", "DECLARE", "COMMIT") and self._catalog.dialect == "tsql"
        ):
            self._skipped[kind or word] += 1
        if not statement.tokens:
            self._look_inside(statement)

    def _look_inside(self, statement: Statement) -> None:
        """Where a quote is missing, quoted text may hold statements; a table there must not go unseen."""
        line = TABLE_LINE.search(self.text, statement.start + 1, statement.end)
        if line is not None and statement.word not in PRIVILEGES:
            message = f"a line that begins CREATE TABLE is quoted text of this {statement.word}; no table is made of it"
            advice = "if it should be a table, a quote is missing in the text before it"
            origin = self._at(line.end())
            self._report.add(Diagnostic("quoted-statement", Severity.warning, message, origin, help=advice))

    def _client(self, statement: Statement) -> None:
        command = self.text[statement.start : statement.end]
        if _CLIENT_REACHES.match(command) and not command.upper().startswith("START TRANSACTION"):
            message = (
                f"`{command[:40].strip()}` is not carried out: nothing is run from here, and no other file is read"
            )
            self._say("refused-statement", Severity.warning, message, statement.start)

    def _unclosed(self, statement: Statement, script: Script) -> None:
        place = statement.unclosed if statement.unclosed >= 0 else statement.start
        self._say("broken-statement", Severity.error, f"{_what_opens(self.text, place)} has no end", place)
        cut = script.table_line(statement.start + 1, statement.end)
        if cut >= 0 and self._may_reread(statement.end - cut):
            script.at = cut

    def _endless(self, statement: Statement, kind: str, script: Script) -> None:
        """A body that runs to the end of the text may have taken tables along; T-SQL lets it, up to a line with GO."""
        cut = script.table_line(statement.start + 1, statement.end)
        if cut < 0:
            return
        again = self._catalog.dialect != "tsql" and self._may_reread(statement.end - cut)
        taken = "the next of them is read again" if again else "none of them is read"
        message = f"the body of {kind} runs to the end of the text, over lines that begin CREATE TABLE; {taken}"
        self._say("broken-statement", Severity.warning, message, statement.start)
        if again:
            script.at = cut

    def _may_reread(self, length: int) -> bool:
        self._reread += length
        return self._reread <= _MOST_REREAD * len(self.text) + 100_000

    def _create_table(self, statement: Statement, kind: str, script: Script) -> None:
        """Make a table; if that fails, the text is cut at the next line that begins one, and read alone."""
        self.created += kind == "CREATE TABLE"
        try:
            self._make_table(statement, kind)
            return
        except Unreadable as error:
            failure = error
        cut = script.table_line(statement.start + 1, statement.end)
        if cut >= 0:
            if not self._may_reread(statement.end - cut):
                failure = Unreadable(f"{failure}; so much stands behind it that the rest is not read", failure.start)
            else:
                script.at = cut
                alone = Script(self.text, self._catalog.dialect, statement.start, cut).next() or statement
                try:
                    if alone.tokens:
                        self._make_table(alone, kind)
                        return
                except Unreadable as error:
                    failure = error
        name = self._name_of(statement)
        self._failed.add(name)
        self.lost += kind == "CREATE TABLE"
        self._say("broken-statement", Severity.error, f"table `{name}` is left out: {failure}", statement.start, name)

    def _make_table(self, statement: Statement, kind: str) -> None:
        if statement.unclosed >= 0:
            raise Unreadable(f"{_what_opens(self.text, statement.unclosed)} has no end", statement.unclosed)
        _, behind = kind_of(statement.tokens)
        cursor = Cursor(statement.tokens, self._catalog.dialect, behind)
        draft, _ = tables.read_table(cursor, _TABLES[kind], statement.start, self._context)
        draft.counted = kind == "CREATE TABLE"
        oracle = self._catalog.dialect == "oracle"
        global_one = oracle and statement.tokens[1].upper == "GLOBAL"  # a table like others, whose rows go
        draft.temporary = (is_temporary(statement.tokens) and not global_one) or (
            self._catalog.dialect == "tsql" and draft.name.startswith("#")
        )
        if any(sign in draft.name for sign in ("{", "%", "<", "#__")):
            message = f"template text in the name of table `{draft.name}`"
            advice = "fill the template in before, or rename the table with an override"
            self._report.add(
                Diagnostic("template-name", Severity.warning, message, self._at(statement.start, draft), help=advice)
            )
        self._put(draft)

    def _put(self, draft: Draft) -> None:
        key = self._catalog.key(draft.schema, draft.name)
        first = self._catalog.tables.all.get(key)
        if first is None:
            self._catalog.tables.put(key, draft)
            return
        self.lost += draft.counted
        self._defined_twice(first, draft)

    def _defined_twice(self, first: Draft, second: Draft) -> None:
        differ = sorted(first.columns.keys() ^ second.columns.keys())
        message = f"`{first.name}` is defined twice{', columns differ: ' + ', '.join(differ) if differ else ''}"
        severity = Severity.warning if differ else Severity.note
        origin = self._at(second.start, second)
        self._report.add(Diagnostic("duplicate-table", severity, f"{message}; the first definition counts", origin))

    def _create_view(self, cursor: Cursor, statement: Statement) -> None:
        kind = _VIEWS[kind_of(statement.tokens)[0]]
        draft = tables.read_view(cursor, kind, statement.start, self._context)
        draft.temporary = is_temporary(statement.tokens)
        key = self._catalog.key(draft.schema, draft.name)
        first = self._catalog.tables.all.get(key)
        if first is not None and first.kind not in _VIEWS.values():
            self._defined_twice(first, draft)
            return
        self._catalog.tables.put(key, draft)

    def _create_index(self, cursor: Cursor, statement: Statement) -> None:
        unique = any(token.upper == "UNIQUE" for token in statement.tokens[1:4])
        try:
            objects.create_index(cursor, unique, self._context)
        except Unreadable:
            if unique:
                raise

    def _select(self, cursor: Cursor, statement: Statement) -> None:
        """pg_dump sets the path of schemas by a function, SELECT … INTO makes a table; no other query matters."""
        path = self._catalog.path
        objects.set_path(cursor, self._context)
        if self._catalog.path is not path:
            return
        draft = None
        if self._catalog.dialect in ("postgres", "tsql"):
            cursor.at = 0
            draft = tables.read_select_into(cursor, statement.start, self._context)
        if draft is None:
            self._step_over(statement, statement.word)
        else:
            self._put(draft)

    def _execute(self, cursor: Cursor, statement: Statement) -> None:
        if not self._changes.execute(cursor):
            self._step_over(statement, statement.word)

    def _do(self, cursor: Cursor, statement: Statement) -> None:
        """PostgreSQL: migrations make types and keys in anonymous blocks, to step over those that are there."""
        body = next((token for token in cursor.rest() if token.kind == "string" and token.text.startswith("$")), None)
        if body is None:
            return
        opening = len(body.text) - len(body.name) >> 1
        start, stop = body.start + opening, body.start + len(body.text) - opening
        found: list[Token] | None = None
        before = ""
        script = Script(self.text, self._catalog.dialect, start, stop)
        for token in tokens(self.text, self._catalog.dialect, start, stop):
            if token.kind == "end":
                if found:
                    inner = Statement(found[0].start, token.start, found[0].upper, tuple(found), ";")
                    self._take(inner, script)
                found = None
            elif found is not None:
                found.append(token)
            elif token.upper in ("CREATE", "ALTER", "COMMENT", "DROP") and before in (*_INNER_STARTS, ""):
                found = [token]
            before = "" if token.kind == "end" else token.upper

    def _name_of(self, statement: Statement) -> str:
        _, behind = kind_of(statement.tokens)
        cursor = Cursor(statement.tokens, self._catalog.dialect, behind)
        cursor.accept("IF", "NOT", "EXISTS")
        try:
            return cursor.names()[-1]
        except Unreadable:
            return "?"

    def _say(self, rule: str, severity: Severity, message: str, start: int, name: str = "") -> None:
        origin = self._at(start)
        if name:
            origin = replace(origin, pointer=self._origin.at(name).pointer)
        self._report.add(Diagnostic(rule, severity, message, origin))


def _what_opens(text: str, at: int) -> str:
    sign = text[at : at + 2]
    if sign == "/*":
        return "a comment"
    if sign[:1] == "$":
        return "a text in dollars"
    return "a quoted name" if sign[:1] in ('"', "`", "[") else "a text in quotes"
