"""Columns: their types and everything that may stand behind those."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from toolc.ir import Origin
from toolc.sources.database import checks
from toolc.sources.database.ddl.cursor import Cursor
from toolc.sources.database.ddl.draft import Catalog, Condition, Draft
from toolc.sources.database.ddl.references import key_columns, reference
from toolc.sources.database.lexer import Token
from toolc.sources.database.model import Check, Column, Default, Key
from toolc.sources.database.typenames import typed

# What may follow the first word of a type.
_ZONES = frozenset({"WITH", "WITHOUT", "LOCAL", "TIME", "ZONE"})
_SIGNS = frozenset({"UNSIGNED", "SIGNED", "ZEROFILL"})
_FOLLOW = {
    "CHARACTER": frozenset({"VARYING", "LARGE", "OBJECT"}),
    "CHAR": frozenset({"VARYING", "BYTE", "LARGE", "OBJECT"}),
    "NATIONAL": frozenset({"CHARACTER", "CHAR", "VARCHAR", "VARYING", "LARGE", "OBJECT"}),
    "NCHAR": frozenset({"VARYING", "LARGE", "OBJECT"}),
    "BINARY": frozenset({"VARYING", "LARGE", "OBJECT"}),
    "DOUBLE": _SIGNS | {"PRECISION"},
    "BIT": frozenset({"VARYING"}),
    "TIME": _ZONES,
    "TIMESTAMP": _ZONES,
    "INTERVAL": frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "TO"}),
    "LONG": frozenset({"RAW", "VARCHAR", "VARBINARY"}),
}
_MYSQL_TEXT = frozenset({"BINARY", "ASCII", "UNICODE", "BYTE"})
# What ends an expression behind DEFAULT.
_BEHIND_DEFAULT = frozenset(
    {
        "CONSTRAINT",
        "PRIMARY",
        "UNIQUE",
        "REFERENCES",
        "CHECK",
        "COLLATE",
        "GENERATED",
        "COMMENT",
        "ON",
        "AUTO_INCREMENT",
    }
    | {"IDENTITY", "ENABLE", "DISABLE", "DEFERRABLE", "INITIALLY", "KEY", "INVISIBLE", "VISIBLE", "FIRST", "AFTER"}
    | {"STORAGE", "COMPRESSION", "ROWGUIDCOL", "ENCODE", "SPARSE", "COLUMN_FORMAT", "PERSISTED", "NULL", "NOT", "FOR"}
    | {"WITH", "USING", "CHARSET"}
)
# What says nothing of structure; some take a word or brackets with them.
_IGNORED = frozenset(
    {"NULL", "ENABLE", "DISABLE", "VALIDATE", "NOVALIDATE", "RELY", "NORELY", "VISIBLE", "INVISIBLE", "SPARSE", "FIRST"}
    | {"ROWGUIDCOL", "DEFERRABLE", "IMMEDIATE", "DEFERRED", "ENFORCED", "HIDDEN", "FILESTREAM", "CLUSTERED", "SORT"}
    | {
        "NONCLUSTERED",
        "PERSISTED",
        "STORED",
        "VIRTUAL",
        "PERSISTENT",
        "ASC",
        "DESC",
        "VALID",
        "AUTOINCREMENT",
        "VALUES",
    }
    | {"UNIQUE", "DISTKEY", "SORTKEY", "NO", "INHERIT", "BINARY", "ASCII", "UNICODE"}
)
_IGNORED_WITH_WORD = frozenset(
    {
        "COLLATE",
        "CHARSET",
        "INITIALLY",
        "STORAGE",
        "COMPRESSION",
        "AFTER",
        "SRID",
        "COLUMN_FORMAT",
        "ENCODE",
        "TABLESPACE",
    }
    | {"ENGINE_ATTRIBUTE", "SECONDARY_ENGINE_ATTRIBUTE"}
)
_SEQUENCE = frozenset(
    {
        "MINVALUE",
        "MAXVALUE",
        "NOMINVALUE",
        "NOMAXVALUE",
        "INCREMENT",
        "BY",
        "START",
        "WITH",
        "CACHE",
        "NOCACHE",
        "ORDER",
    }
    | {"NOORDER", "CYCLE", "NOCYCLE", "KEEP", "NOKEEP", "SCALE", "NOSCALE", "EXTEND", "NOEXTEND", "LIMIT", "VALUE", "-"}
    | {"GLOBAL", "SESSION"}
)
_SERIALS = frozenset({"serial", "serial2", "serial4", "serial8", "bigserial", "smallserial"})


@dataclass(frozen=True, slots=True)
class Context:
    """What the parts of the reader share. at: the origin of a place in the text. warn: a message about a place."""

    catalog: Catalog
    at: Callable[..., Origin]
    warn: Callable[[str, int], None]
    note: Callable[[str, Origin], None]


def read_type(cursor: Cursor) -> str:
    """The text of a type, empty if none stands here."""
    first = cursor.peek()
    if first.kind not in ("word", "quoted") or (first.kind == "word" and first.upper in _NO_TYPE):
        return ""
    text = _type_word(cursor.take(), cursor)
    while cursor.upper == "." and cursor.peek(1).kind in ("word", "quoted"):
        cursor.take()
        text += "." + _type_word(cursor.take(), cursor)
    last = text.rpartition(".")[2].strip('"').upper()
    follow = _FOLLOW.get(last, _SIGNS)
    while True:
        upper = cursor.upper
        if upper == "(":
            start = cursor.at
            cursor.bracket()
            text += _joined(cursor.tokens[start : cursor.at])
        elif upper in ("[", "]") or (cursor.peek().kind == "number" and text.endswith("[")):
            text += cursor.take().text
        elif upper == "ARRAY" and cursor.dialect == "postgres":
            text += " " + cursor.take().text
        elif upper in follow or (cursor.dialect == "mysql" and upper in _MYSQL_TEXT):
            if upper == "WITH" and cursor.peek(1).upper not in ("TIME", "LOCAL"):
                break
            text += " " + cursor.take().text
        else:
            break
    return text


def read_column(cursor: Cursor, draft: Draft, context: Context) -> Column:
    """A column with what stands behind it; its keys and checks go to the table. Raises Unreadable."""
    start = cursor.start
    name = cursor.name()
    text = read_type(cursor)
    column = Column(name, typed(text, cursor.dialect), origin=context.at(start, draft, name))
    return described(cursor, _serial(column, draft), draft, context)


def described(cursor: Cursor, column: Column, draft: Draft, context: Context) -> Column:
    """A column with the options and constraints that come next."""
    constraint = ""
    while cursor:
        start = cursor.at
        upper = cursor.upper if cursor.peek().kind == "word" else ""
        if cursor.accept("CONSTRAINT"):
            constraint = cursor.name() if cursor.is_name() and cursor.upper not in ("CHECK", "NOT") else ""
            continue
        if cursor.accept("FOREIGN", "KEY"):  # T-SQL: these words before REFERENCES
            continue
        if cursor.accept("NOT", "NULL"):
            column = replace(column, not_null=True)
        elif cursor.accept("NOT"):
            cursor.accept_any("DEFERRABLE", "ENFORCED", "VALID", "VISIBLE", "HIDDEN", "CASESPECIFIC")
            if cursor.accept("FOR", "REPLICATION"):
                pass
        elif cursor.accept("DEFAULT"):
            column = _defaulted(cursor, column)
            draft.named_default(constraint, column.name)
        elif upper in ("PRIMARY", "UNIQUE", "KEY"):
            column = _key(cursor, column, draft, constraint, context)
        elif upper == "REFERENCES":
            key = reference(cursor, (column.name,), constraint, context.catalog)
            draft.foreign_keys.append(replace(key, origin=column.origin))
        elif upper == "CHECK" and cursor.peek(1).text == "(":
            cursor.take()
            check(cursor, draft, constraint, context)
        elif upper in ("GENERATED", "AS"):
            column = _generated(cursor, column)
        elif upper in ("IDENTITY", "AUTO_INCREMENT", "AUTOINCREMENT"):
            cursor.take()
            cursor.bracket()
            # SQL Server refuses a value for it, MySQL takes one.
            column = replace(column, identity="always" if upper == "IDENTITY" else "by default")
        elif upper == "COMMENT":
            cursor.take()
            cursor.accept("=")
            column = replace(column, comment=cursor.take().name)
        elif upper == "ON":
            column = _on(cursor, column)
        elif upper == "INDEX" and cursor.dialect == "tsql":
            _index(cursor, column, draft)
        else:
            _ignore(cursor, column, draft, context)
        constraint = ""
        cursor.at = max(cursor.at, start + 1)
    return column


def check(cursor: Cursor, draft: Draft, name: str, context: Context) -> None:
    """A check, whose brackets come next, goes to the table."""
    start = cursor.start
    inside = cursor.bracket()
    if inside is not None and inside:
        tokens = inside.rest()
        origin = context.at(start, draft)
        inherited = not cursor.accept("NO", "INHERIT")
        if cursor.sees("NOT", "ENFORCED") or cursor.sees("DISABLE"):
            return
        draft.conditions.append(Condition(Check(checks.sql(tokens), (), name, origin), tokens, inherited))


def _joined(tokens: Sequence[Token]) -> str:
    """The brackets of a type, with a blank only between two words: `(20 CHAR)`, `(5,-2)`."""
    plain = ("word", "number")
    return "".join(
        f" {token.text}" if index and token.kind in plain and tokens[index - 1].kind in plain else token.text
        for index, token in enumerate(tokens)
    )


def _type_word(token: Token, cursor: Cursor) -> str:
    if token.kind == "quoted" and cursor.dialect in ("postgres", "oracle"):
        return token.text
    return token.name


def _serial(column: Column, draft: Draft) -> Column:
    """What the pseudo types of PostgreSQL and MySQL stand for."""
    kind = column.type.text.lower().removeprefix("pg_catalog.")
    if kind not in _SERIALS or draft.fold:
        if kind == "serial" and draft.fold:
            draft.keys.append(Key((column.name,), column.name, origin=column.origin))
            return replace(column, not_null=True, identity="by default")
        if column.type.name == "rowversion":
            return replace(column, generated="stored")
        return column
    return replace(column, not_null=True, default=Default(f"nextval('{draft.name}_{column.name}_seq'::regclass)"))


def _defaulted(cursor: Cursor, column: Column) -> Column:
    if cursor.accept("ON", "NULL") and cursor.accept("FOR", "INSERT"):
        cursor.accept("ONLY")
        cursor.accept("AND", "UPDATE")
    if cursor.accept("VALUE"):  # MySQL: SERIAL DEFAULT VALUE
        return replace(column, not_null=True, identity="by default")
    start = cursor.at
    while cursor:
        token = cursor.peek()
        if cursor.at > start and token.kind == "word" and token.upper in _BEHIND_DEFAULT and _ends_default(cursor):
            break
        cursor.skip()
    found = cursor.tokens[start : cursor.at]
    return replace(column, default=Default(checks.sql(found))) if found else column


def _ends_default(cursor: Cursor) -> bool:
    before = cursor.tokens[cursor.at - 1].upper
    upper, after = cursor.upper, cursor.peek(1).upper
    if upper == "NULL":
        return before not in ("IS", "NOT", "ELSE", "THEN")
    if upper == "NOT":
        return after in ("NULL", "DEFERRABLE", "ENFORCED", "VALID", "VISIBLE")
    if upper == "FOR":
        return before != "VALUE"
    if upper == "WITH":
        return after not in ("TIME", "LOCAL")
    return True


def _key(cursor: Cursor, column: Column, draft: Draft, name: str, context: Context) -> Column:
    """PRIMARY KEY or UNIQUE behind a column; MySQL's bare KEY is a primary one."""
    primary = cursor.take().upper != "UNIQUE"
    cursor.accept("KEY")
    if cursor.accept("NULLS"):
        cursor.accept("NOT")
        cursor.accept("DISTINCT")
    while cursor.accept_any("CLUSTERED", "NONCLUSTERED", "ASC", "DESC", "HASH"):
        pass
    columns: tuple[str, ...] = (column.name,)
    if inside := cursor.bracket():  # a table constraint without a comma before it
        columns = key_columns(inside)
    behind_key(cursor)
    if primary:
        draft.primary_key, draft.primary_name = columns, name
        return replace(column, not_null=True) if column.name in columns else column
    draft.keys.append(
        Key(columns, name or (column.name if draft.fold else f"{draft.name}_{column.name}_key"), origin=column.origin)
    )
    return column


def _index(cursor: Cursor, column: Column, draft: Draft) -> None:
    """T-SQL: an index behind a column."""
    cursor.take()
    name = cursor.name()
    if cursor.accept("UNIQUE"):
        draft.keys.append(Key((column.name,), name, True, origin=column.origin))
    while cursor.accept_any("CLUSTERED", "NONCLUSTERED", "HASH"):
        pass
    behind_key(cursor)


def behind_key(cursor: Cursor) -> None:
    """What may stand behind a key: where its index lies and how it is made."""
    while cursor:
        if cursor.accept("USING", "INDEX"):
            if (not cursor.bracket() and cursor.accept("TABLESPACE")) or (
                cursor.is_name() and cursor.upper not in ("ENABLE", "DISABLE", "TABLESPACE", "PCTFREE")
            ):
                cursor.take()
        elif cursor.sees("WITH") and cursor.peek(1).text == "(":
            cursor.take()
            cursor.bracket()
        elif cursor.accept("ON", "CONFLICT"):
            cursor.take()
        elif cursor.sees("ON") and cursor.peek(1).kind == "quoted":  # T-SQL: ON [PRIMARY]
            cursor.at += 2
        else:
            return


def _generated(cursor: Cursor, column: Column) -> Column:
    """GENERATED … AS IDENTITY, GENERATED ALWAYS AS (…), or AS (…) alone."""
    always = True
    if cursor.accept("GENERATED"):
        always = not cursor.accept("BY", "DEFAULT")
        cursor.accept("ALWAYS")
        cursor.accept("ON", "NULL")
    if not cursor.accept("AS"):
        return column
    if cursor.accept("IDENTITY"):
        cursor.bracket()
        while cursor.peek().kind == "number" or cursor.upper in _SEQUENCE:  # Oracle needs no brackets
            cursor.take()
        # A column GENERATED AS IDENTITY cannot be null in any dialect.
        return replace(column, identity="always" if always else "by default", not_null=True)
    if cursor.accept("ROW") or cursor.accept("TRANSACTION_ID"):  # SYSTEM VERSIONING
        cursor.accept_any("START", "END")
        return replace(column, generated="stored", not_null=True)
    if cursor.bracket() is None:
        while cursor and cursor.upper not in ("PERSISTED", "STORED", "VIRTUAL", "NOT", "COMMENT"):
            cursor.skip()  # T-SQL: AS price * quantity
    kind = cursor.accept_any("STORED", "PERSISTED", "PERSISTENT", "VIRTUAL", "MATERIALIZED")
    return replace(column, generated="virtual" if kind in ("", "VIRTUAL") else "stored")


def _on(cursor: Cursor, column: Column) -> Column:
    """MySQL's ON UPDATE with an expression; ON CONFLICT and ON a filegroup say nothing of structure."""
    cursor.take()
    if cursor.accept("UPDATE"):
        start = cursor.at
        cursor.take()
        cursor.bracket()
        return replace(column, on_update=checks.sql(cursor.tokens[start : cursor.at]))
    cursor.take()
    if cursor.peek().kind == "word" and cursor.upper in ("IGNORE", "REPLACE", "ABORT", "FAIL", "ROLLBACK"):
        cursor.take()
    return column


def _ignore(cursor: Cursor, column: Column, draft: Draft, context: Context) -> None:
    """Step over what says nothing of structure; what is not known is named."""
    token = cursor.peek()
    upper = token.upper if token.kind == "word" else ""
    if upper in ("CHARACTER", "CHAR") and cursor.peek(1).upper == "SET":
        cursor.at += 3
    elif upper == "USING":
        behind_key(cursor)
    elif cursor.accept("WITHOUT", "SYSTEM", "VERSIONING") or cursor.accept("WITH", "SYSTEM", "VERSIONING"):
        pass
    elif upper == "ENCRYPT":
        while cursor.accept_any("ENCRYPT", "USING", "IDENTIFIED", "BY", "NO", "SALT") or cursor.peek().kind == "string":
            cursor.at += cursor.peek().kind == "string"
    elif upper in ("WITH", "MASKED", "ENCRYPTED", "OPTIONS", "RESTART", "REFERENCE", "BLOCK_SIZE", "ANNOTATIONS"):
        cursor.take()
        cursor.accept("WITH")
        cursor.bracket()
    elif upper in _IGNORED_WITH_WORD:
        cursor.take()
        cursor.accept("=")
        cursor.names() if cursor.is_name() else cursor.take()
    elif upper in _IGNORED:
        cursor.take()
    elif token.text in ("{", "$") or "{" in token.text or token.text.startswith(("$", "%")):
        cursor.take()  # a template
    else:
        start = cursor.at
        while cursor and not (cursor.peek().kind == "word" and cursor.upper in _KNOWN and cursor.at > start):
            cursor.skip()
        text = checks.sql(cursor.tokens[start : cursor.at])
        context.warn(f"`{text[:60]}` behind column `{column.name}` of `{draft.name}` is not understood", token.start)


_NO_TYPE = frozenset(
    {"NOT", "NULL", "DEFAULT", "PRIMARY", "UNIQUE", "REFERENCES", "CHECK", "CONSTRAINT", "COLLATE", "GENERATED", "AS"}
    | {"IDENTITY", "AUTO_INCREMENT", "COMMENT", "WITH", "VISIBLE", "INVISIBLE", "FIRST", "AFTER"}
)
_KNOWN = _NO_TYPE | {"ON", "KEY"} - {"WITH"}
