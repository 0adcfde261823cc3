"""Statements and clients' commands that make no structure: stepped over, and told where somebody must know of it."""

from __future__ import annotations

import re
from collections import Counter

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import Origin
from toolc.sources.database.ddl.extent import PRIVILEGES, TABLE_LINE
from toolc.sources.database.ddl.findings import Findings
from toolc.sources.database.ddl.script import Statement
from toolc.sources.database.model import Dialect

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
# The frame of T-SQL scripts, which is not counted as skipped.
_TSQL_FRAME = frozenset({"BEGIN", "END", "IF", "ELSE", "GO", "DECLARE", "COMMIT"})
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
# Characters of a statement in which a reach out of the database is looked for.
_LONG = 400


class Skipping:
    """Steps over what makes no structure, and keeps count for a summary."""

    def __init__(self, text: str, dialect: Dialect, findings: Findings) -> None:
        self._text = text
        self._dialect = dialect
        self._findings = findings
        self._skipped: Counter[str] = Counter()
        self._unknown: dict[str, list[Origin]] = {}

    def statement(self, statement: Statement, kind: str) -> None:
        """Step over a statement; what reaches out of the database is refused, what is not known is counted."""
        word = statement.word
        stop = min(statement.end, statement.start + _LONG)
        if word in _REACHING or _REACHES_OUT.search(self._text, statement.start, stop):
            message = f"{word} is refused: only structure is read from here, nothing is run"
            self._findings.say("refused-statement", Severity.warning, message, statement.start)
        elif kind in ("", word) and word not in _KNOWN:
            self._unknown.setdefault(word, []).append(self._findings.at(statement.start))
        elif self._dialect != "tsql" or word not in _TSQL_FRAME:
            self._skipped[kind or word] += 1
        if not statement.tokens:
            self._look_inside(statement)

    def command(self, statement: Statement) -> None:
        """Step over a client's command."""
        command = self._text[statement.start : statement.end]
        if _CLIENT_REACHES.match(command) and not command.upper().startswith("START TRANSACTION"):
            message = (
                f"`{command[:40].strip()}` is not carried out: nothing is run from here, and no other file is read"
            )
            self._findings.say("refused-statement", Severity.warning, message, statement.start)

    def summarise(self) -> None:
        """Report what was skipped and what was not known, each in one finding."""
        report = self._findings.report
        if self._skipped:
            what = ", ".join(f"{count} {kind}" for kind, count in sorted(self._skipped.items()))
            message = f"only structure is read; skipped: {what}"
            report.note("skipped-statements", message, self._findings.origin)
        for word, places in self._unknown.items():
            message = f"`{word[:40]}` begins no statement that is known"
            advice = "if the file is written for another database, say which with `dialect`"
            report.add(
                Diagnostic("unknown-statement", Severity.error, message, places[0], help=advice, count=len(places))
            )

    def _look_inside(self, statement: Statement) -> None:
        """Where a quote is missing, quoted text may hold statements; a table there must not go unseen."""
        line = TABLE_LINE.search(self._text, statement.start + 1, statement.end)
        if line is not None and statement.word not in PRIVILEGES:
            message = f"a line that begins CREATE TABLE is quoted text of this {statement.word}; no table is made of it"
            advice = "if it should be a table, a quote is missing in the text before it"
            self._findings.say("quoted-statement", Severity.warning, message, line.end(), advice)
