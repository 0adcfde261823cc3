"""Runs what a schema text says about structure, one statement at a time, and names everything else.

`ATTACH` and `VACUUM INTO` in a schema file would write files on the build machine, so only statements that make
structure are run. Each CREATE TABLE ends as a table or in a diagnostic that names it; that
sum is checked at the end of each run.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from toolc.diagnostics import Diagnostic, Report, Severity
from toolc.ir import Origin
from toolc.sources.database import lexer, statements, virtual
from toolc.sources.database.engine import FILE_FUNCTIONS, Engine
from toolc.sources.database.lexer import Token
from toolc.sources.database.statements import Statement

_CHANGES = ("CREATE INDEX", "CREATE UNIQUE", "CREATE VIEW", "ALTER TABLE", "DROP TABLE", "DROP VIEW", "DROP INDEX")
_REFUSED = ("ATTACH", "DETACH", "VACUUM", "PRAGMA")
_NO_STRUCTURE = (
    *("INSERT", "REPLACE", "UPDATE", "DELETE", "SELECT", "WITH", "VALUES", "EXPLAIN", "ANALYZE", "REINDEX"),
    *("BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE", "CREATE TRIGGER", "DROP TRIGGER"),
)
_OTHER_DATABASE = "if the file is written for another database, say which with `dialect`"
# Characters that are read again because a statement had no end: a file full of open quotes would take for ever.
MOST_REREAD = 50_000_000
_WORD = re.compile(r"[^\W\d]\w*")
_FILE_CALL = re.compile(rf"\b({'|'.join(sorted(FILE_FUNCTIONS))})\s*\(", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Made:
    """A table or view that the script made. module: of a virtual table."""

    name: str
    statement: Statement
    module: str = ""

    @property
    def is_table(self) -> bool:
        """Whether CREATE TABLE made it."""
        return kind_of(self.statement.text) != "CREATE VIEW"


class Script:
    """One run. made: the tables and views there are at its end, in the order of their statements.

    created: the CREATE TABLE statements so far; lost: those that ended in a diagnostic.
    """

    def __init__(self, text: str, origin: Origin, report: Report, lines: bool) -> None:
        """lines: whether the text is the file itself, so that its lines mean something to the user."""
        self.engine = Engine()
        self.text = text
        self.made: list[Made] = []
        self.created = 0
        self.lost = 0
        self._origin = origin
        self._report = report
        self._breaks = [match.start() for match in re.finditer("\n", text)] if lines else None
        self._failed: set[str] = set()
        self._reread = 0
        self._skipped: Counter[str] = Counter()
        self._unknown: dict[str, list[Origin]] = {}

    def run(self) -> None:
        """Take every statement in turn."""
        start = 0
        while True:
            before = start
            statement, start = statements.next_statement(self.text, before)
            if statement is not None:
                start = self._take(statement, start)
            elif (cut := self._opened(before, start)) >= 0:  # a comment without an end
                start = cut
            else:
                break
        if self._skipped:
            what = ", ".join(f"{count} {kind}" for kind, count in sorted(self._skipped.items()))
            self._report.note("skipped-statements", f"only structure is read; skipped: {what}", self._origin)
        for word, places in self._unknown.items():
            message = f"SQLite has no statement `{word}`"
            self._report.add(
                Diagnostic(
                    "unknown-statement", Severity.error, message, places[0], help=_OTHER_DATABASE, count=len(places)
                )
            )

    def check_sum(self, tables: int) -> None:
        """Report it if the tables at the end and those that were lost are not what the script creates."""
        names = {name.lower() for name in self._names() if not name.startswith("sqlite_")}
        astray = self.created - tables - self.lost
        if astray or names != {made.name.lower() for made in self.made}:
            message = f"{self.created} CREATE TABLE statements, but {tables} tables and {self.lost} that were reported"
            advice = "this is a fault of toolc; please report it"
            self._report.error("lost-table", f"{message}: {abs(astray) or 'some'} went astray", self._origin, advice)

    def at(self, index: int, *names: str) -> Origin:
        """The place of a table or column whose text begins at an index."""
        origin = self._origin.at(*names)
        if self._breaks is None:
            return origin
        line = bisect_left(self._breaks, index)
        return replace(origin, line=line + 1, column=index - (self._breaks[line - 1] if line else -1))

    def _take(self, statement: Statement, end: int) -> int:
        """Deal with one statement; gives the index at which the next one begins."""
        kind = kind_of(statement.text)
        verb = kind.split(" ")[0]
        if kind in ("CREATE TABLE", "CREATE VIRTUAL"):
            return self._create(statement, end)
        cut = self._opened(statement.start, end)
        self._read(kind, verb, statement, end)
        return cut if cut >= 0 else end

    def _opened(self, start: int, end: int) -> int:
        """Where to go on if quoted text has taken tables along; -1 if none has, after saying what may be amiss."""
        cut = statements.next_table(self.text, start, end)
        if cut < 0:
            return -1
        place, what = statements.unclosed(self.text, start, end)
        if place < 0:
            self._quoted(cut, start, end)
            return -1
        self._report.error("broken-statement", f"{what} has no end", self.at(place))
        self._reread += end - cut
        return cut if self._reread <= MOST_REREAD else -1

    def _quoted(self, line: int, start: int, end: int) -> None:
        """Where a quote is missing, quoted text may hold statements; a table there must not go unseen."""
        if any(token.start < line < token.start + len(token.text) for token in _texts(self.text, start, end)):
            message = "a line that begins CREATE TABLE is quoted text; no table is made of it"
            advice = "if it should be a table, a quote is missing in the text before it"
            self._report.add(Diagnostic("quoted-statement", Severity.warning, message, self.at(line), help=advice))

    def _read(self, kind: str, verb: str, statement: Statement, end: int) -> None:
        """A statement that makes no table of its own."""
        if kind == "CREATE TEMP":
            name = statements.table_name(statement.text)
            self._say("hidden-table", Severity.note, f"`{name}` is temporary; no tool is made of it", statement, name)
        elif kind in _CHANGES:
            self._change(kind, statement)
        elif verb in _REFUSED or statement.text.startswith("."):
            self._refuse(statement.text.split()[0] if statement.text.startswith(".") else verb, statement)
        elif kind in _NO_STRUCTURE or verb in _NO_STRUCTURE:
            if table := virtual.stored(statement.text):
                self._create(Statement(table, statement.start), end)
            elif call := _FILE_CALL.search(statement.text):
                self._refuse(f"{call[1]}()", statement)
            else:
                self._skipped[kind if kind in _NO_STRUCTURE else verb] += 1
        elif statement.text != ";":
            self._unknown.setdefault(verb, []).append(self.at(statement.start))

    def _create(self, statement: Statement, end: int) -> int:
        """Make a table. If it fails, the text is cut at the next line that begins a table, and that one tried alone."""
        name = statements.table_name(statement.text)
        if name.lower().startswith("sqlite_"):  # .schema prints them
            self._say(
                "hidden-table", Severity.note, f"`{name}` is SQLite's own; no tool is made of it", statement, name
            )
            return end
        self.created += 1
        first = next((made for made in self.made if made.name.lower() == name.lower()), None)
        if first is not None:
            self.lost += 1
            self._defined_twice(first, statement)
            return end
        reason, module = self._attempt(statement, name)
        if reason and (cut := statements.next_table(self.text, statement.start, end)) > 0:
            self._reread += end - cut
            if self._reread > MOST_REREAD:
                reason += "; it has no end, and so much stands behind it that the rest is not read"
            else:
                statement, end = Statement(self.text[statement.start : cut], statement.start), cut
                reason, module = self._attempt(statement, name)
        if reason:
            self._failed.add(name)
            self.lost += 1
            message = f"table `{name}` is left out: {reason}"
            self._say("broken-statement", Severity.error, message, statement, name, help=_OTHER_DATABASE)
        else:
            self.made.append(Made(name, statement, module))
        return end

    def _attempt(self, statement: Statement, name: str) -> tuple[str, str]:
        """Run a CREATE TABLE; why it cannot be done, if so, and the module of a virtual table."""
        if kind_of(statement.text) == "CREATE TABLE":
            return self.engine.attempt(statement.text), ""
        sql, module = virtual.stand_in(statement.text, name)
        return (self.engine.attempt(sql) if sql else "its columns cannot be told from the text"), module

    def _change(self, kind: str, statement: Statement) -> None:
        """Run anything else that makes structure, and follow what becomes of the tables made so far."""
        follow = kind in ("ALTER TABLE", "DROP TABLE", "DROP VIEW")
        before = self._names() if follow else []
        if reason := self.engine.attempt(statement.text):
            known = any(
                reason.endswith(f"no such table: {prefix}{name}") for name in self._failed for prefix in ("", "main.")
            )
            if (
                not kind.startswith("DROP") and not known
            ):  # scripts drop what may be there; a lost table is named already
                index = kind in ("CREATE INDEX", "CREATE UNIQUE")
                message = f"{'CREATE INDEX' if index else kind} is not carried out: {reason}"
                self._say("broken-statement", Severity.warning if index else Severity.error, message, statement)
            return
        if kind == "CREATE VIEW":
            name = statements.table_name(statement.text)
            if all(made.name.lower() != name.lower() for made in self.made):
                self.made.append(Made(name, statement))
        if follow:
            after = self._names()
            new = [name for name in after if name not in before]
            for gone in [made for made in self.made if made.name in before and made.name not in after]:
                self._gone(gone, new[0] if new else "", statement)

    def _gone(self, gone: Made, renamed: str, statement: Statement) -> None:
        index = self.made.index(gone)
        if renamed:
            self.made[index] = replace(gone, name=renamed)
            return
        del self.made[index]
        self.lost += gone.is_table
        message = f"`{gone.name}` is created and dropped again; no tool is made of it"
        self._say("dropped-table", Severity.note, message, statement, gone.name)

    def _names(self) -> list[str]:
        return [name for (name,) in self.engine.ask("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")]

    def _defined_twice(self, first: Made, statement: Statement) -> None:
        columns = [
            {item.name for item in statements.body(text).items} for text in (first.statement.text, statement.text)
        ]
        differ = sorted((columns[0] ^ columns[1]) - {""})
        message = f"`{first.name}` is defined twice{', columns differ: ' + ', '.join(differ) if differ else ''}"
        severity = Severity.warning if differ else Severity.note
        self._say("duplicate-table", severity, f"{message}; the first definition counts", statement, first.name)

    def _refuse(self, what: str, statement: Statement) -> None:
        severity = Severity.note if what == "PRAGMA" else Severity.warning
        self._say("refused-statement", severity, f"{what} is refused: only structure is read from here", statement)

    def _say(
        self, rule: str, severity: Severity, message: str, statement: Statement, *names: str, help: str = ""
    ) -> None:
        self._report.add(Diagnostic(rule, severity, message, self.at(statement.start, *names), help=help))


def kind_of(text: str) -> str:
    """The first words of a statement that tell what it does: two for CREATE, ALTER and DROP, else one."""
    first = _WORD.match(text)
    if first is None or first[0].upper() not in ("CREATE", "ALTER", "DROP"):
        return first[0].upper() if first else text[:1]
    found = [token.upper for token in statements.words(text, 3)]
    if found[:1] == ["CREATE"] and found[1:2] in (["TEMP"], ["TEMPORARY"]):
        return "CREATE TRIGGER" if found[2:3] == ["TRIGGER"] else "CREATE TEMP"
    return " ".join(found[:2])


def _texts(text: str, start: int, end: int) -> Iterator[Token]:
    """What stands in quotes between two places."""
    return (token for token in lexer.tokens(text, "sqlite", start, end) if token.kind in ("string", "quoted"))
