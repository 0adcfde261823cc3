"""What to do where a statement has no end: the text is read again from the next line that begins a table."""

from __future__ import annotations

from toolc.diagnostics import Severity
from toolc.sources.database.ddl.findings import Findings
from toolc.sources.database.ddl.script import Script, Statement

# How many times the text may be read again, as statements in it have no end.
_MOST = 4
_MOST_OF_A_SHORT_TEXT = 100_000


class Rereading:
    """Sets a script back, as long as the sum of what is read again stays linear in the text."""

    def __init__(self, text: str, findings: Findings) -> None:
        self._text = text
        self._findings = findings
        self._length = 0

    def may(self, length: int) -> bool:
        """Whether that many more characters may be read again; they count from now on."""
        self._length += length
        return self._length <= _MOST * len(self._text) + _MOST_OF_A_SHORT_TEXT

    def unclosed(self, statement: Statement, script: Script) -> None:
        """A statement in which text, a name or a comment has no end."""
        place = statement.unclosed if statement.unclosed >= 0 else statement.start
        message = f"{what_opens(self._text, place)} has no end"
        self._findings.say("broken-statement", Severity.error, message, place)
        cut = script.table_line(statement.start + 1, statement.end)
        if cut >= 0 and self.may(statement.end - cut):
            script.at = cut

    def endless(self, statement: Statement, kind: str, script: Script) -> None:
        """A body that runs to the end of the text may have taken tables along; T-SQL lets it, up to a line with GO."""
        cut = script.table_line(statement.start + 1, statement.end)
        if cut < 0:
            return
        again = script.dialect != "tsql" and self.may(statement.end - cut)
        taken = "the next of them is read again" if again else "none of them is read"
        message = f"the body of {kind} runs to the end of the text, over lines that begin CREATE TABLE; {taken}"
        self._findings.say("broken-statement", Severity.warning, message, statement.start)
        if again:
            script.at = cut


def what_opens(text: str, at: int) -> str:
    """What begins at a place of the text, in words."""
    sign = text[at : at + 2]
    if sign == "/*":
        return "a comment"
    if sign[:1] == "$":
        return "a text in dollars"
    return "a quoted name" if sign[:1] in ('"', "`", "[") else "a text in quotes"
