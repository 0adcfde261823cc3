"""The statements that make tables and views; every CREATE TABLE ends as a table or in a finding."""

from __future__ import annotations

from dataclasses import replace

from toolc.diagnostics import Diagnostic, Severity
from toolc.sources.database.ddl import tables
from toolc.sources.database.ddl.columns import Context
from toolc.sources.database.ddl.cursor import Cursor, Unreadable
from toolc.sources.database.ddl.draft import Draft
from toolc.sources.database.ddl.findings import Findings
from toolc.sources.database.ddl.kinds import is_temporary, kind_of
from toolc.sources.database.ddl.rereading import Rereading, what_opens
from toolc.sources.database.ddl.script import Script, Statement
from toolc.sources.database.model import Kind

TABLES: dict[str, Kind] = {"CREATE TABLE": "table", "CREATE FOREIGN TABLE": "foreign table"}
VIEWS: dict[str, Kind] = {"CREATE VIEW": "view", "CREATE MATERIALIZED VIEW": "materialized view"}


class Creation:
    """Makes tables and views. created: the CREATE TABLE statements so far; lost: those that ended in a finding.

    failed: the names of tables that could not be read.
    """

    def __init__(self, context: Context, findings: Findings, rereading: Rereading) -> None:
        self.created = 0
        self.lost = 0
        self.failed: set[str] = set()
        self._catalog = context.catalog
        self._context = context
        self._findings = findings
        self._rereading = rereading

    def create_table(self, statement: Statement, kind: str, script: Script) -> None:
        """Make a table; if that fails, the text is cut at the next line that begins one, and read alone."""
        self.created += kind == "CREATE TABLE"
        try:
            self._make_table(statement, kind, script)
            return
        except Unreadable as error:
            failure = error
        cut = script.table_line(statement.start + 1, statement.end)
        if cut >= 0:
            if not self._rereading.may(statement.end - cut):
                failure = Unreadable(f"{failure}; so much stands behind it that the rest is not read", failure.start)
            else:
                script.at = cut
                alone = Script(script.text, script.dialect, statement.start, cut).next() or statement
                try:
                    if alone.tokens:
                        self._make_table(alone, kind, script)
                        return
                except Unreadable as error:
                    failure = error
        name = _name_of(statement, script)
        self.failed.add(name)
        self.lost += kind == "CREATE TABLE"
        origin = replace(self._findings.at(statement.start), pointer=self._findings.origin.at(name).pointer)
        self._findings.report.error("broken-statement", f"table `{name}` is left out: {failure}", origin)

    def create_view(self, cursor: Cursor, statement: Statement) -> None:
        """Make a view; a later one of its name takes its place. Raises Unreadable."""
        kind = VIEWS[kind_of(statement.tokens)[0]]
        draft = tables.read_view(cursor, kind, statement.start, self._context)
        draft.temporary = is_temporary(statement.tokens)
        key = self._catalog.key(draft.schema, draft.name)
        first = self._catalog.tables.all.get(key)
        if first is not None and first.kind not in VIEWS.values():
            self._defined_twice(first, draft)
            return
        self._catalog.tables.put(key, draft)

    def select_into(self, cursor: Cursor, statement: Statement) -> bool:
        """Make the table of SELECT … INTO; false if a query makes none. Raises Unreadable."""
        if self._catalog.dialect not in ("postgres", "tsql"):
            return False
        cursor.at = 0
        draft = tables.read_select_into(cursor, statement.start, self._context)
        if draft is None:
            return False
        self._put(draft)
        return True

    def _make_table(self, statement: Statement, kind: str, script: Script) -> None:
        if statement.unclosed >= 0:
            raise Unreadable(f"{what_opens(script.text, statement.unclosed)} has no end", statement.unclosed)
        _, behind = kind_of(statement.tokens)
        cursor = Cursor(statement.tokens, script.dialect, behind)
        draft, _ = tables.read_table(cursor, TABLES[kind], statement.start, self._context)
        draft.counted = kind == "CREATE TABLE"
        oracle = script.dialect == "oracle"
        global_one = oracle and statement.tokens[1].upper == "GLOBAL"  # a table like others, whose rows go
        draft.temporary = (is_temporary(statement.tokens) and not global_one) or (
            script.dialect == "tsql" and draft.name.startswith("#")
        )
        if any(sign in draft.name for sign in ("{", "%", "<", "#__")):
            message = f"template text in the name of table `{draft.name}`"
            advice = "fill the template in before, or rename the table with an override"
            origin = self._findings.at(statement.start, draft)
            self._findings.report.warning("template-name", message, origin, advice)
        if [token.upper for token in statement.tokens[1:3]] == ["OR", "REPLACE"]:
            self._give_way(draft)
        self._put(draft)

    def _give_way(self, draft: Draft) -> None:
        """CREATE OR REPLACE TABLE: the one before goes."""
        key = self._catalog.key(draft.schema, draft.name)
        if key in self._catalog.tables.all:
            self.lost += self._catalog.tables.pop(key).counted
            message = f"`{draft.name}` is replaced by a later definition"
            self._findings.report.note("dropped-table", message, self._findings.at(draft.start, draft))

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
        origin = self._findings.at(second.start, second)
        message = f"{message}; the first definition counts"
        self._findings.report.add(Diagnostic("duplicate-table", severity, message, origin))


def _name_of(statement: Statement, script: Script) -> str:
    _, behind = kind_of(statement.tokens)
    cursor = Cursor(statement.tokens, script.dialect, behind)
    cursor.accept("IF", "NOT", "EXISTS")
    try:
        return cursor.names()[-1]
    except Unreadable:
        return "?"
