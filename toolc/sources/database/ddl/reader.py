"""Reads the structure that a script makes: one statement after the other, each as far as it is understood.

Nothing is run. One broken statement costs one table and one diagnostic. Every CREATE TABLE ends as a table, as a
partition or in a diagnostic; that sum is checked at the end of each run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from toolc.diagnostics import Report, Severity
from toolc.ir import Origin
from toolc.sources.database.ddl import objects
from toolc.sources.database.ddl.changes import Changes
from toolc.sources.database.ddl.columns import Context
from toolc.sources.database.ddl.creation import TABLES, VIEWS, Creation
from toolc.sources.database.ddl.cursor import Cursor, Unreadable
from toolc.sources.database.ddl.draft import Catalog
from toolc.sources.database.ddl.findings import Findings
from toolc.sources.database.ddl.finish import finished
from toolc.sources.database.ddl.kinds import BODY_KINDS, kind_of
from toolc.sources.database.ddl.rereading import Rereading
from toolc.sources.database.ddl.script import Script, Statement
from toolc.sources.database.ddl.skipping import Skipping
from toolc.sources.database.hidden import visible
from toolc.sources.database.lexer import Token, tokens
from toolc.sources.database.model import Database, Dialect

_ALTERED = ("ALTER TABLE", "ALTER FOREIGN TABLE", "ALTER VIEW", "ALTER MATERIALIZED VIEW")
_DROPPED = ("DROP TABLE", "DROP FOREIGN TABLE", "DROP VIEW", "DROP MATERIALIZED VIEW")
_INNER_STARTS = frozenset({"BEGIN", "THEN", "ELSE", "LOOP"})


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
    """One run over a text: tells what each statement is and gives it to what carries it out."""

    def __init__(self, text: str, dialect: Dialect, origin: Origin, report: Report, lines: bool) -> None:
        self._text = text
        self._catalog = Catalog(dialect)
        self._findings = Findings(text, origin, report, lines)
        note = partial(report.note, "unknown-columns")
        self._context = Context(self._catalog, self._findings.at, self._findings.warn, note)
        self._rereading = Rereading(text, self._findings)
        self._creation = Creation(self._context, self._findings, self._rereading)
        self._changes = Changes(self._context, report)
        self._skipping = Skipping(text, dialect, self._findings)
        self._handlers: dict[str, Callable[[Cursor, Statement], None]] = {
            **dict.fromkeys(VIEWS, self._creation.create_view),
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
            "SET": self._set,
            "BEGIN": self._block,
            "DECLARE": self._block,
            "RESET": lambda cursor, _: objects.set_path(cursor, self._context),
            "SELECT": self._select,
            "WITH": self._select,
            "USE": self._changes.use,
            "RENAME": self._changes.rename,
            "EXEC": self._execute,
            "EXECUTE": self._execute,
            "DO": self._do,
        }

    @property
    def created(self) -> int:
        """How many CREATE TABLE statements the text has, so far."""
        return self._creation.created

    @property
    def lost(self) -> int:
        """How many of them made no table, each with a finding."""
        return self._creation.lost + self._changes.lost

    def run(self) -> None:
        """Take every statement in turn."""
        script = Script(self._text, self._catalog.dialect)
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
        self._skipping.summarise()

    def finish(self) -> Database:
        """The database, after the sum of its tables was checked."""
        database = finished(self._context)
        kept = sum(draft.counted for draft in self._catalog.tables.all.values())
        if self.created != kept + self.lost:
            missing = self.created - kept - self.lost
            message = f"{self.created} CREATE TABLE statements, but {kept} tables and {self.lost} that were reported"
            self._findings.report.error(
                "lost-table",
                f"{message}: {missing} went astray",
                self._findings.origin,
                "this is a fault of toolc; please report it",
            )
        return database

    def _take(self, statement: Statement, script: Script) -> None:
        kind, behind = kind_of(statement.tokens)
        cursor = Cursor(statement.tokens, self._catalog.dialect, behind)
        if statement.ended == "line" and not statement.tokens:
            self._skipping.command(statement)
        elif kind in TABLES:
            self._creation.create_table(statement, kind, script)
        elif statement.unclosed >= 0 or (not statement.tokens and statement.word == "/"):
            self._rereading.unclosed(statement, script)
        elif (handler := self._handlers.get(kind)) is not None:
            self._attempt(handler, cursor, statement, kind)
        else:
            self._skipping.statement(statement, kind)
            if kind in BODY_KINDS and statement.ended == "text":
                self._rereading.endless(statement, kind, script)
        if statement.ended == "data":
            message = "the data of COPY have no end (a line with `\\.`)"
            self._findings.say("broken-statement", Severity.error, message, statement.start)

    def _attempt(
        self, handler: Callable[[Cursor, Statement], None], cursor: Cursor, statement: Statement, kind: str
    ) -> None:
        """Carry out a statement that changes structure; say it if that cannot be done."""
        try:
            handler(cursor, statement)
        except Unreadable as error:
            if any(f"`{name}`" in str(error) for name in self._creation.failed):
                return  # the table is named already
            index = kind in ("CREATE INDEX", "COMMENT", "EXEC", "EXECUTE")
            severity = Severity.warning if index else Severity.error
            start = error.start if error.start >= 0 else statement.start
            self._findings.say("broken-statement", severity, f"{kind} is not carried out: {error}", start)

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
        if self._catalog.path is path and not self._creation.select_into(cursor, statement):
            self._skipping.statement(statement, statement.word)

    def _execute(self, cursor: Cursor, statement: Statement) -> None:
        if self._catalog.dialect == "tsql" and (text := _executed(statement.tokens)):
            self._take_text(text)
        elif not self._changes.execute(cursor):
            self._skipping.statement(statement, statement.word)

    def _set(self, cursor: Cursor, statement: Statement) -> None:
        objects.set_path(cursor, self._context)
        self._changes.set_variable(cursor)

    def _block(self, cursor: Cursor, statement: Statement) -> None:
        """Oracle: scripts make tables in anonymous blocks, so that what is there already is no error."""
        found = statement.tokens if self._catalog.dialect == "oracle" else ()
        texts = [
            text
            for before, word, text, behind in zip(found, found[1:], found[2:], (*found[3:], None), strict=False)
            if before.upper == "EXECUTE" and word.upper == "IMMEDIATE" and text.kind == "string"
            if behind is None or behind.text != "||"
        ]
        for text in texts:
            self._take_text(text)
        self._changes.set_variable(cursor)
        if not texts:
            self._skipping.statement(statement, statement.word)

    def _take_text(self, text: Token) -> None:
        """Take the statements in a text that the script executes as they stand there."""
        moved = text.start + text.text.index("'") + 1
        inside = Script(text.name, self._catalog.dialect)
        rest = Script(self._text, self._catalog.dialect, text.start, text.start + len(text.text))
        while (inner := inside.next()) is not None:
            found = tuple(token._replace(start=token.start + moved) for token in inner.tokens)
            unclosed = inner.unclosed + moved if inner.unclosed >= 0 else -1
            start, end = inner.start + moved, inner.end + moved
            self._take(Statement(start, end, inner.word, found, inner.ended, unclosed), rest)

    def _do(self, cursor: Cursor, statement: Statement) -> None:
        """PostgreSQL: migrations make types and keys in anonymous blocks, to step over those that are there."""
        body = next((token for token in cursor.rest() if token.kind == "string" and token.text.startswith("$")), None)
        if body is None:
            return
        opening = len(body.text) - len(body.name) >> 1
        start, stop = body.start + opening, body.start + len(body.text) - opening
        found: list[Token] | None = None
        before = ""
        script = Script(self._text, self._catalog.dialect, start, stop)
        for token in tokens(self._text, self._catalog.dialect, start, stop):
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


def _executed(found: Sequence[Token]) -> Token | None:
    """T-SQL: the text in EXEC('…') and EXEC sp_executesql N'…'; None if it is put together from several."""
    words = [token.text.lower() for token in found]
    if len(found) == 4 and words[1] == "(" and words[3] == ")" and found[2].kind == "string":
        return found[2]
    if words[-2:-1] == ["sp_executesql"] and found[-1].kind == "string":
        return found[-1]
    return None
