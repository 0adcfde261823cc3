"""Keys, foreign keys and checks that stand in a table on their own, in CREATE TABLE or ALTER TABLE … ADD."""

from __future__ import annotations

from dataclasses import replace

from toolc.sources.database.ddl.columns import Context, behind_key, check
from toolc.sources.database.ddl.cursor import Cursor, Unreadable
from toolc.sources.database.ddl.draft import Draft
from toolc.sources.database.ddl.references import key_columns, reference
from toolc.sources.database.model import Key

_ALWAYS = frozenset({"CONSTRAINT", "PRIMARY", "UNIQUE", "FOREIGN", "CHECK"})
# Index lines of MySQL and of SQL Server. Those of CockroachDB look like columns: `_is_cockroach`.
_INDEXES = {
    "mysql": frozenset({"KEY", "INDEX", "FULLTEXT", "SPATIAL"}),
    "tsql": frozenset({"INDEX"}),
}
_OTHER = ("SUPPLEMENTAL", "DEFAULT", "FAMILY", "INVERTED", "VECTOR")


def is_constraint(cursor: Cursor) -> bool:
    """Whether an item of a table is no column."""
    if cursor.peek().kind != "word":
        return False
    upper, after = cursor.upper, cursor.peek(1)
    if upper in _ALWAYS:
        return True
    if upper == "EXCLUDE":
        return after.upper == "USING" or after.text == "("
    if upper == "PERIOD":
        return after.upper == "FOR"
    if upper == "SUPPLEMENTAL":
        return after.upper == "LOG"
    return upper in _INDEXES.get(cursor.dialect, ()) or (cursor.dialect == "postgres" and _is_cockroach(cursor))


def _is_cockroach(cursor: Cursor) -> bool:
    """`INDEX (a)`, `INVERTED INDEX b (a)`, `FAMILY "primary" (a, b)`: names in brackets, where types have sizes."""
    if cursor.upper in ("INVERTED", "VECTOR"):
        return cursor.peek(1).upper == "INDEX"
    if cursor.upper not in ("INDEX", "FAMILY"):
        return False
    opening = 1 if cursor.peek(1).text == "(" else 2
    return cursor.peek(opening).text == "(" and cursor.peek(opening + 1).kind != "number"


def read_constraint(cursor: Cursor, draft: Draft, context: Context) -> None:
    """Add a constraint to the table; an index that is no key adds nothing. Raises Unreadable."""
    start = cursor.start
    name = ""
    if cursor.accept("CONSTRAINT") and cursor.is_name() and not _names_no_constraint(cursor):
        name = cursor.name()
    if cursor.accept("IF", "NOT", "EXISTS"):
        name = cursor.name()
    if cursor.accept("PRIMARY"):
        cursor.accept("KEY")
        columns = _columns(cursor, draft)
        draft.primary_key, draft.primary_name = columns, name
    elif cursor.accept("UNIQUE"):
        _unique(cursor, draft, name, context, start)
    elif cursor.accept("FOREIGN"):
        cursor.accept("KEY")
        cursor.accept("IF", "NOT", "EXISTS")
        if cursor.upper != "(":  # MySQL names the index here
            index = cursor.name()
            name = name or index
        inside = cursor.bracket()
        if inside is None or cursor.upper != "REFERENCES":
            raise Unreadable("a foreign key names its columns in brackets, then REFERENCES", start)
        columns = key_columns(inside)
        key = reference(cursor, columns, name, context.catalog)
        draft.foreign_keys.append(replace(key, origin=context.at(start, draft)))
    elif cursor.accept("CHECK"):
        cursor.accept("NOT", "FOR", "REPLICATION")
        check(cursor, draft, name, context)
    elif name and cursor.accept("NOT", "NULL"):  # PostgreSQL 18: CONSTRAINT x NOT NULL column
        column = draft.column(cursor.name())
        draft.put(replace(column, not_null=True))
    elif cursor.sees("PERIOD", "FOR"):
        cursor.at += 2
        draft.periods.add(draft.key(cursor.name()))
    elif not cursor.accept_any("EXCLUDE", "KEY", "INDEX", "FULLTEXT", "SPATIAL", *_OTHER):
        context.warn(f"a constraint of `{draft.name}` is not understood: `{cursor.peek().text[:40]}`", start)


def _names_no_constraint(cursor: Cursor) -> bool:
    """MySQL lets the name out: CONSTRAINT FOREIGN KEY …"""
    after = cursor.peek(1)
    if cursor.sees("CHECK"):
        return after.text == "("
    if cursor.sees("UNIQUE"):
        return after.text == "(" or after.upper in ("KEY", "INDEX")
    return cursor.sees("PRIMARY", "KEY") or cursor.sees("FOREIGN", "KEY")


def _unique(cursor: Cursor, draft: Draft, name: str, context: Context, start: int) -> None:
    cursor.accept_any("KEY", "INDEX")
    if cursor.accept("NULLS"):
        cursor.accept("NOT")
        cursor.accept("DISTINCT")
    if cursor.is_name() and cursor.upper not in ("CLUSTERED", "NONCLUSTERED", "USING"):
        index = cursor.name()
        name = name or index
        if cursor.is_name() and cursor.upper not in ("CLUSTERED", "NONCLUSTERED", "USING"):
            cursor.take()
    columns = _columns(cursor, draft)
    if columns:
        if not name:
            name = columns[0] if draft.fold else "_".join([draft.name, *columns, "key"])
        draft.keys.append(Key(columns, name, origin=context.at(start, draft)))


def _columns(cursor: Cursor, draft: Draft) -> tuple[str, ...]:
    """The columns of a key; PostgreSQL may take them from a unique index that is there."""
    while cursor.accept_any("CLUSTERED", "NONCLUSTERED", "BTREE", "HASH"):
        pass
    if cursor.accept("USING", "INDEX"):
        name = cursor.name()
        index = next((key for key in draft.keys if draft.key(key.name) == draft.key(name)), None)
        draft.keys = [key for key in draft.keys if key is not index]
        return index.columns if index else ()
    while cursor and cursor.upper != "(":
        cursor.take()  # a name, USING BTREE
    inside = cursor.bracket()
    if inside is None:
        raise Unreadable("a key names its columns in brackets", cursor.start)
    columns = key_columns(inside)
    behind_key(cursor)
    return columns if len(columns) == sum(1 for part in inside.commas() if part) else ()  # an expression has no name
