"""ALTER TABLE: what later statements make of a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from toolc.sources.database.checks import sql
from toolc.sources.database.ddl.columns import Context, described, read_column, read_type
from toolc.sources.database.ddl.constraints import is_constraint, read_constraint
from toolc.sources.database.ddl.cursor import Cursor, Unreadable
from toolc.sources.database.ddl.draft import Draft
from toolc.sources.database.model import Column, Default
from toolc.sources.database.typenames import typed

# Words that begin an action; behind a comma anything else goes on with the one before (T-SQL: ADD a INT, b INT).
_ACTIONS = frozenset(
    {
        "ADD",
        "ALTER",
        "DROP",
        "RENAME",
        "MODIFY",
        "CHANGE",
        "SET",
        "ATTACH",
        "DETACH",
        "INHERIT",
        "NO",
        "OWNER",
        "ENABLE",
    }
    | {
        "DISABLE",
        "VALIDATE",
        "COMMENT",
        "ENGINE",
        "AUTO_INCREMENT",
        "CONVERT",
        "DEFAULT",
        "CHARACTER",
        "ORDER",
        "FORCE",
    }
    | {
        "CLUSTER",
        "REPLICA",
        "RESET",
        "OPTIONS",
        "ROW_FORMAT",
        "ALGORITHM",
        "LOCK",
        "CHECK",
        "NOCHECK",
        "WITH",
        "SWITCH",
    }
    | {"REBUILD", "PARTITION", "REMOVE", "DISCARD", "IMPORT", "ANALYZE", "OPTIMIZE", "EXCHANGE", "TRUNCATE"}
)

# Tables that inherit from tables that inherit …; scripts could make them a ring.
_DEEPEST = 50
_COST = 10  # of an action at one more table, in columns that could be copied in that time


def alter_table(
    cursor: Cursor, draft: Draft, context: Context, alone: bool = False, depth: int = 0
) -> list[str] | None:
    """Carry out the actions of an ALTER TABLE, from behind its name on. Raises Unreadable.

    alone: whether tables that inherit from it stay as they are (ONLY). depth: how far above it the table is that the
    statement names. Gives the new name of the table (schema and name, or only a schema with an empty name), if it gets
    one.
    """
    renamed: list[str] | None = None
    for action in _actions(cursor):
        if draft.children and not alone:
            _alter_children(action, draft, context, depth)
        if action.accept("ADD"):
            _add(action, draft, context)
        elif action.accept("ALTER"):
            _alter(action, draft, context)
        elif action.accept("MODIFY"):
            _modify(action, draft, context)
        elif action.accept("CHANGE"):
            action.accept("COLUMN")
            action.accept("IF", "EXISTS")
            old = action.name()
            draft.rename_column(old, action.peek().name)
            _replace(action, draft, context)
        elif action.accept("DROP"):
            _drop(action, draft, context)
        elif action.accept("RENAME"):
            renamed = _rename(action, draft) or renamed
        elif action.accept("SET", "SCHEMA"):
            renamed = [action.name(), ""]
        elif action.accept("ATTACH", "PARTITION"):
            part = _other(action, context)
            part.partition_of = (draft.schema, draft.name)
            draft.children.append(part)
        elif action.accept("DETACH", "PARTITION"):
            part = _other(action, context)
            part.partition_of = None
            draft.children = [child for child in draft.children if child is not part]
        elif action.accept("INHERIT"):
            parent = _other(action, context)
            draft.inherits.append(parent.name)
            draft.own |= draft.columns.keys()
            parent.children.append(draft)
        elif action.accept("NO", "INHERIT"):
            parent = _other(action, context)
            draft.inherits = [name for name in draft.inherits if name != parent.name]
            draft.own |= draft.columns.keys()
            parent.children = [child for child in parent.children if child is not draft]
        elif action.accept("COMMENT"):
            action.accept("=")
            draft.comment = action.take().name
        elif action.accept("WITH"):  # T-SQL: WITH CHECK ADD CONSTRAINT …
            action.accept_any("CHECK", "NOCHECK")
            if action.accept("ADD"):
                _add(action, draft, context)
    return renamed


def _other(action: Cursor, context: Context) -> Draft:
    start = action.start
    names = action.names()
    found = context.catalog.table(names)
    if found is None:
        raise Unreadable(f"`{names[-1]}` is not defined here", start)
    return found


def _alter_children(action: Cursor, draft: Draft, context: Context, depth: int) -> None:
    """PostgreSQL: what changes columns and checks of a table changes its partitions and those that inherit from it."""
    words = [token.upper for token in action.rest()]
    column = words[:1] in (["ALTER"], ["RENAME"], ["DROP"]) and words[1:2] not in (["TO"], ["AS"], ["CONSTRAINT"])
    if words[:2] == ["DROP", "CONSTRAINT"] or words[:1] == ["ADD"] or (column and "IDENTITY" not in words):
        context.catalog.copies(_COST * len(draft.children))
        if depth > _DEEPEST:
            raise Unreadable(f"more than {_DEEPEST} tables inherit one from the other", action.start)
        for child in draft.children:
            if _concerns(action, draft, child):
                alter_table(action.part(action.at, action.end), child, context, depth=depth + 1)


def _concerns(action: Cursor, parent: Draft, child: Draft) -> bool:
    """Whether an action on a table changes one that inherits from it; a constraint is dropped there at once."""
    probe = action.part(action.at, action.end)
    if probe.accept("ADD"):
        probe.accept("COLUMN")
        optional = probe.accept("IF", "NOT", "EXISTS")
        if is_constraint(probe):
            check = any(token.upper == "CHECK" for token in probe.rest()[:3])
            return bool(child.partition_of or check) and action.tokens[action.end - 1].upper != "INHERIT"
        key = child.key(probe.part(probe.at, probe.end).name())
        return key not in child.columns and not (optional and key in parent.columns)
    if probe.accept("DROP"):
        if probe.sees("CONSTRAINT"):
            probe.take()
            probe.accept("IF", "EXISTS")
            child.drop_constraint(probe.name())
            return False
        probe.accept("COLUMN")
        probe.accept("IF", "EXISTS")
        key = child.key(probe.name())
        return key in child.columns and key not in child.own
    probe.take()
    probe.accept("COLUMN")
    return not probe.is_name() or child.key(probe.name()) in child.columns


def _actions(cursor: Cursor) -> Iterator[Cursor]:
    parts = list(cursor.commas())
    start = 0
    for index in range(1, len(parts) + 1):
        ends = index == len(parts) or (parts[index].peek().kind == "word" and parts[index].upper in _ACTIONS)
        if ends:
            yield cursor.part(parts[start].at, parts[index - 1].end)
            start = index


def _add(action: Cursor, draft: Draft, context: Context) -> None:
    """ADD [COLUMN] a …, ADD (a …, b …), ADD a …, b …, ADD CONSTRAINT …"""
    for item in action.commas():
        item.accept("ADD")
        column = item.accept("COLUMN")
        if column or not item.sees("IF", "NOT", "EXISTS"):
            inside = item.bracket() if item.upper == "(" else None
        else:
            inside = None
        for part in inside.commas() if inside else [item]:
            _add_one(part, draft, context)


def _add_one(part: Cursor, draft: Draft, context: Context) -> None:
    optional = part.accept("IF", "NOT", "EXISTS")
    if not part or part.upper in ("PARTITION", "SUPPLEMENTAL") or part.sees("SYSTEM", "VERSIONING"):
        return
    if part.dialect == "tsql" and _default_for(part, draft):
        return
    if is_constraint(part):
        read_constraint(part, draft, context)
        return
    start = part.start
    key = draft.key(part.peek().name if part.peek().kind != "word" else part.part(part.at, part.end).name())
    if key in draft.columns:
        if not optional:
            context.warn(f"`{draft.name}` has a column `{draft.columns[key].name}` already; the first counts", start)
        return
    column = read_column(part, draft, context)
    draft.put(column)
    _move(part, column, draft)


def _default_for(part: Cursor, draft: Draft) -> bool:
    """T-SQL: ADD [CONSTRAINT x] DEFAULT (…) FOR column."""
    at = part.at
    constraint = part.name() if part.accept("CONSTRAINT") else ""
    if not part.accept("DEFAULT"):
        part.at = at
        return False
    start = part.at
    while part and not part.sees("FOR"):
        part.skip()
    expression = sql(part.tokens[start : part.at])
    part.accept("FOR")
    column = draft.column(part.name())
    draft.put(replace(column, default=Default(expression)))
    draft.named_default(constraint, column.name)
    return True


def _move(part: Cursor, column: Column, draft: Draft) -> None:
    """MySQL's FIRST and AFTER column."""
    last = part.tokens[part.end - 1]
    key = draft.key(column.name)
    if last.upper == "FIRST":
        draft.columns = {key: column, **{name: other for name, other in draft.columns.items() if name != key}}
    elif part.end - part.at >= -1 and part.end > 1 and part.tokens[part.end - 2].upper == "AFTER":
        after = draft.key(last.name)
        others = [(name, other) for name, other in draft.columns.items() if name != key]
        if after in draft.columns and after != key:
            at = [name for name, _ in others].index(after) + 1
            draft.columns = dict([*others[:at], (key, column), *others[at:]])


def _alter(action: Cursor, draft: Draft, context: Context) -> None:
    """ALTER [COLUMN] a …"""
    if action.accept_any("CONSTRAINT", "INDEX", "CHECK"):
        return
    action.accept("COLUMN")
    action.accept("IF", "EXISTS")
    column = draft.column(action.name())
    if action.accept("SET", "DEFAULT"):
        column = replace(column, default=Default(sql(action.rest())))
    elif action.accept("DROP", "DEFAULT"):
        column = replace(column, default=None)
    elif action.accept("SET", "NOT", "NULL"):
        column = replace(column, not_null=True)
    elif action.accept("DROP", "NOT", "NULL"):
        column = replace(column, not_null=False)
    elif action.accept("DROP", "IDENTITY"):
        column = replace(column, identity="")
    elif action.accept("DROP", "EXPRESSION"):
        column = replace(column, generated="")
    elif action.accept("ADD"):
        column = described(action, column, draft, context)
    elif action.accept("SET", "GENERATED"):
        column = replace(column, identity="always" if action.sees("ALWAYS") else "by default")
    elif action.sees("SET", "DATA", "TYPE") or action.sees("TYPE"):
        action.at += 3 if action.upper == "SET" else 1
        column = replace(column, type=typed(read_type(action), action.dialect))
    elif action.dialect == "tsql" and action.upper not in ("ADD", "DROP"):
        column = replace(column, type=typed(read_type(action), action.dialect), not_null=False)
        column = described(action, column, draft, context)
    draft.put(column)


def _modify(action: Cursor, draft: Draft, context: Context) -> None:
    """MySQL's MODIFY defines a column anew, Oracle's says what changes."""
    if action.accept("COLUMN"):
        action.accept("IF", "EXISTS")
    inside = action.bracket() if action.upper == "(" else None
    for part in inside.commas() if inside else [action]:
        if is_constraint(part):
            continue
        if part.dialect == "mysql":
            _replace(part, draft, context)
        else:
            column = draft.column(part.name())
            if text := read_type(part):
                column = replace(column, type=typed(text, part.dialect))
            nullable = part.sees("NULL")
            column = described(part, column, draft, context)
            draft.put(replace(column, not_null=False) if nullable else column)


def _replace(part: Cursor, draft: Draft, context: Context) -> None:
    column = read_column(part, draft, context)
    draft.column(column.name)
    draft.put(column)
    _move(part, column, draft)


def _drop(action: Cursor, draft: Draft, context: Context) -> None:
    """DROP [COLUMN] a, DROP (a, b), DROP CONSTRAINT x; in T-SQL several of them: DROP CONSTRAINT x, y, COLUMN a."""
    kind = ""
    for part in action.commas() if action.dialect == "tsql" else [action]:
        kind = part.upper if part.upper in ("CONSTRAINT", "COLUMN") else kind
        part.accept(kind)
        _drop_one(part, "CONSTRAINT" if kind == "CONSTRAINT" else "", draft, context)


def _drop_one(action: Cursor, kind: str, draft: Draft, context: Context) -> None:
    start = action.start
    if action.accept("PRIMARY", "KEY"):
        draft.drop_primary_key()
    elif kind or action.accept_any("CONSTRAINT", "INDEX", "KEY", "CHECK") or action.accept("FOREIGN", "KEY"):
        missing = action.accept("IF", "EXISTS")
        name = action.name()
        index = any(draft.key(key.name) == draft.key(name) for key in draft.keys)
        if not draft.drop_constraint(name) and not missing and not index and action.dialect == "postgres":
            context.warn(f"`{draft.name}` has no constraint `{name}` that could be dropped", start)
    elif action.upper not in ("PARTITION", "PERIOD", "SYSTEM"):
        action.accept("COLUMN")
        optional = action.accept("IF", "EXISTS")
        inside = action.bracket() if action.upper == "(" else None
        for part in inside.commas() if inside else action.commas():
            part.accept("COLUMN")
            name = part.name()
            if not optional or draft.key(name) in draft.columns:
                draft.drop_column(name)


def _rename(action: Cursor, draft: Draft) -> list[str] | None:
    """The table's new name, if it is the table that is renamed."""
    if action.accept("TO") or action.accept("AS"):
        return action.names()
    if action.accept("CONSTRAINT"):
        old = action.name()
        action.accept("TO")
        new = action.name()
        draft.keys = [replace(key, name=new) if key.name == old else key for key in draft.keys]
        draft.primary_name = new if draft.primary_name == old else draft.primary_name
        return None
    if action.accept_any("INDEX", "KEY", "PARTITION"):
        return None
    if action.accept("COLUMN") or action.peek(1).upper == "TO":
        old = action.name()
        if not action.accept("TO"):
            raise Unreadable("RENAME COLUMN needs TO and a new name", action.start)
        draft.rename_column(old, action.name())
        return None
    return action.names() if action.is_name() else None
