"""CREATE TABLE in all its forms, and CREATE VIEW."""

from __future__ import annotations

from dataclasses import replace

from toolc.sources.database.ddl.columns import Context, read_column
from toolc.sources.database.ddl.constraints import is_constraint, read_constraint
from toolc.sources.database.ddl.cursor import Cursor, Unreadable
from toolc.sources.database.ddl.draft import Draft
from toolc.sources.database.ddl.queries import columns_of, target_of
from toolc.sources.database.model import Column, Kind

_LIKE_OPTIONS = (
    "ALL",
    "INDEXES",
    "CONSTRAINTS",
    "DEFAULTS",
    "IDENTITY",
    "GENERATED",
    "COMMENTS",
    "STORAGE",
    "STATISTICS",
)


def read_table(cursor: Cursor, kind: Kind, start: int, context: Context) -> tuple[Draft, bool]:
    """A table, from its name on, and whether it may be there already. Raises Unreadable."""
    optional = cursor.accept("IF", "NOT", "EXISTS")
    names = cursor.names()
    schema, name = context.catalog.place(names)
    draft = Draft(schema, name, kind, start, context.catalog.fold)
    if cursor.accept("PARTITION", "OF"):
        _partition(cursor, draft, context)
    elif cursor.accept("OF"):
        _typed(cursor, draft, context)
    elif cursor.accept("LIKE"):
        _like(cursor, draft, context, everything=True)
    if cursor.upper == "(" and not draft.partition_of and not draft.columns:
        _items(cursor, draft, context)
    _options(cursor, draft, context)
    if not draft.columns and not draft.partition_of and not draft.partial and context.catalog.dialect != "postgres":
        raise Unreadable("it has no columns", start)
    return draft, optional


def read_view(cursor: Cursor, kind: Kind, start: int, context: Context) -> Draft:
    """A view, from its name on; its columns as far as the text of its query tells them. Raises Unreadable."""
    cursor.accept("IF", "NOT", "EXISTS")
    schema, name = context.catalog.place(cursor.names())
    draft = Draft(schema, name, kind, start, context.catalog.fold)
    named: list[str] = []
    if inside := cursor.bracket():
        named = [part.name() for part in inside.commas() if part.is_name() and not is_constraint(part)]
    while cursor and not cursor.sees("AS"):
        cursor.skip()  # WITH (security_barrier), COMMENT, USING
    if not cursor.accept("AS"):
        raise Unreadable("it has no query", start)
    _queried(cursor, draft, named, context)
    return draft


def read_select_into(cursor: Cursor, start: int, context: Context) -> Draft | None:
    """The table that SELECT … INTO makes, from the beginning of the query on; None if it makes none."""
    found = target_of(cursor)
    if found is None:
        return None
    names, temporary = found
    schema, name = context.catalog.place(names)
    draft = Draft(schema, name, "table", start, context.catalog.fold)
    draft.temporary = temporary or name.startswith("#")
    _queried(cursor, draft, [], context)
    return draft


def _items(cursor: Cursor, draft: Draft, context: Context) -> None:
    inside = cursor.bracket()
    if inside is None:
        return
    parts = list(inside.commas())
    if _only_names(parts) and cursor.sees("AS"):  # CREATE TABLE t (a, b) AS SELECT …
        _queried_as(cursor, draft, [part.name() for part in parts], context)
        return
    empty = [part for part in parts if not part] if len(parts) > 1 else []
    if empty:  # PostgreSQL takes (), none takes a comma with nothing behind it
        context.warn(f"a comma too many in `{draft.name}`", inside.tokens[min(empty[0].at, inside.end)].start)
    for part in parts:
        if not part:
            continue
        if part.sees("LIKE"):
            part.take()
            _like(part, draft, context, everything=part.dialect != "postgres")
        elif is_constraint(part):
            read_constraint(part, draft, context)
        else:
            _add(part, draft, context)


def _add(part: Cursor, draft: Draft, context: Context) -> None:
    start = part.start
    column = read_column(part, draft, context)
    if draft.key(column.name) in draft.columns:
        inherited = draft.columns[draft.key(column.name)]
        if not draft.inherits and not draft.partition_of:
            context.warn(f"column `{column.name}` of `{draft.name}` is defined twice; the first counts", start)
            return
        column = replace(column, not_null=column.not_null or inherited.not_null)
    draft.put(column)


def _only_names(parts: list[Cursor]) -> bool:
    return all(part.end - part.at == 1 and part.is_name() for part in parts)


def _options(cursor: Cursor, draft: Draft, context: Context) -> None:
    """What stands behind the brackets of a table."""
    while cursor:
        if cursor.accept("INHERITS"):
            _inherits(cursor, draft, context)
        elif cursor.sees("PARTITION", "BY") or cursor.sees("PARTITIONED", "BY"):
            draft.partitioned = True
            cursor.at += 2
        elif cursor.accept("COMMENT"):
            cursor.accept("=")
            if cursor.peek().kind == "string":
                draft.comment = cursor.take().name
        elif cursor.accept("WITH", "SYSTEM", "VERSIONING"):
            pass
        elif cursor.sees("AS") or (
            cursor.upper in ("SELECT", "WITH") and cursor.peek(1).text not in ("(", "NO", "DATA")
        ):
            _queried_as(cursor, draft, [], context)
            return
        elif cursor.upper == "LIKE" and not draft.columns:
            cursor.take()
            _like(cursor, draft, context, everything=True)
        else:
            cursor.skip()


def _queried_as(cursor: Cursor, draft: Draft, named: list[str], context: Context) -> None:
    if cursor.accept("AS"):
        cursor.accept_any("NODE", "EDGE")
    if cursor.upper == "(" and cursor.peek(1).upper not in ("SELECT", "WITH", "VALUES", "TABLE", "("):
        return  # Oracle: LOB (a) STORE AS (TABLESPACE b)
    if cursor.upper in ("SELECT", "WITH", "(", "VALUES", "TABLE", "EXECUTE"):
        _queried(cursor, draft, named, context)


def _queried(cursor: Cursor, draft: Draft, named: list[str], context: Context) -> None:
    """Columns that a query gives."""
    found, whole = columns_of(cursor, context.catalog)
    context.catalog.copies(len(found))
    if named:
        found = [
            replace(found[index], name=name) if whole and index < len(found) else Column(name)
            for index, name in enumerate(named)
        ]
        whole = True
    for column in found:
        if draft.key(column.name) not in draft.columns:
            draft.put(replace(column, origin=context.at(draft.start, draft, column.name)))
    draft.partial = not whole


def _inherits(cursor: Cursor, draft: Draft, context: Context) -> None:
    """The parents' columns come first; those of the same name are one."""
    inside = cursor.bracket()
    own = draft.columns
    draft.own = set(own)
    draft.columns = {}
    known = {(condition.check.name, condition.check.sql) for condition in draft.conditions}
    for part in inside.commas() if inside else ():
        names = part.names()
        draft.inherits.append(names[-1])
        parent = context.catalog.table(names)
        if parent is None:
            context.warn(f"`{draft.name}` inherits from `{'.'.join(names)}`, which is not defined here", part.start)
            draft.partial = True
            continue
        context.catalog.copies(len(parent.columns))
        for column in parent.settled():
            before = draft.columns.get(draft.key(column.name))
            not_null = column.not_null or (before is not None and before.not_null)
            default = before.default if before is not None and column.default is None else column.default
            origin = context.at(draft.start, draft, column.name)
            draft.put(replace(column, identity="", not_null=not_null, default=default, origin=origin))
        parent.children.append(draft)
        for condition in parent.conditions:
            same = (condition.check.name, condition.check.sql)
            if condition.inherited and same not in known:
                draft.conditions.append(replace(condition))
                known.add(same)
    for key, column in own.items():
        if key in draft.columns:
            inherited = draft.columns[key]
            default = column.default or inherited.default
            column = replace(column, not_null=column.not_null or inherited.not_null, default=default)
        draft.columns[key] = column


def _like(cursor: Cursor, draft: Draft, context: Context, everything: bool) -> None:
    """Columns of another table, with what INCLUDING names; MySQL copies everything but foreign keys."""
    start = cursor.start
    names = cursor.names()
    including = set(_LIKE_OPTIONS) if everything else set()
    while cursor.upper in ("INCLUDING", "EXCLUDING"):
        adds = cursor.take().upper == "INCLUDING"
        option = cursor.take().upper
        options = set(_LIKE_OPTIONS) if option == "ALL" else {option}
        including = including | options if adds else including - options
    other = context.catalog.table(names)
    if other is None:
        raise Unreadable(f"it is made like `{'.'.join(names)}`, which is not defined here", start)
    context.catalog.copies(len(other.columns))
    for column in other.settled():
        copied = replace(column, origin=context.at(start, draft, column.name))
        if "DEFAULTS" not in including:
            copied = replace(copied, default=None)
        if "IDENTITY" not in including:
            copied = replace(copied, identity="")
        if "GENERATED" not in including:
            copied = replace(copied, generated="")
        if "COMMENTS" not in including:
            copied = replace(copied, comment="")
        draft.put(copied)
    if context.catalog.dialect == "mysql":
        draft.comment = other.comment
    if "INDEXES" in including:
        draft.primary_key = other.primary_key
        own = context.catalog.dialect == "postgres"  # which names indexes anew
        draft.keys += [
            replace(key, name="_".join((draft.name, *key.columns, "key")) if own else key.name) for key in other.keys
        ]
    if "CONSTRAINTS" in including:
        draft.conditions += [replace(condition) for condition in other.conditions]


def _partition(cursor: Cursor, draft: Draft, context: Context) -> None:
    start = cursor.start
    names = cursor.names()
    parent = context.catalog.table(names)
    if parent is None:
        context.warn(f"`{draft.name}` is a partition of `{'.'.join(names)}`, which is not defined here", start)
        draft.partition_of = ("", ".".join(names))
        return
    draft.partition_of = (parent.schema, parent.name)
    context.catalog.copies(len(parent.columns))
    parent.children.append(draft)
    draft.columns = dict(parent.columns)
    draft.primary_key = parent.primary_key
    draft.keys = list(parent.keys)
    draft.foreign_keys = list(parent.foreign_keys)
    draft.conditions = [replace(condition) for condition in parent.conditions]


def _typed(cursor: Cursor, draft: Draft, context: Context) -> None:
    """CREATE TABLE t OF composite_type (…)."""
    start = cursor.start
    key = context.catalog.locate(context.catalog.composites, cursor.names())
    if key is None:
        raise Unreadable("its type is not defined here", start)
    for column in context.catalog.composites.all[key]:
        draft.put(replace(column, origin=context.at(start, draft, column.name)))
    inside = cursor.bracket()
    for part in inside.commas() if inside else ():
        if is_constraint(part):
            read_constraint(part, draft, context)
        elif part:
            from toolc.sources.database.ddl.columns import described

            name = part.name()
            part.accept("WITH", "OPTIONS")
            draft.put(described(part, draft.column(name), draft, context))
