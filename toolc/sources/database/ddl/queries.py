"""The columns that a query gives, as far as its text tells: names, and types of those that are columns of tables.

For views and CREATE TABLE AS. Only the outer SELECT and its FROM are read; expressions have a name and no type.
"""

from __future__ import annotations

from toolc.sources.database.ddl.columns import read_type
from toolc.sources.database.ddl.cursor import Cursor, Unreadable
from toolc.sources.database.ddl.draft import Catalog, Draft
from toolc.sources.database.model import Column, Type
from toolc.sources.database.typenames import typed

_AFTER_ITEMS = ("FROM", "INTO", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "UNION", "EXCEPT", "INTERSECT", "WINDOW")
_AFTER_TABLES = frozenset(
    {"WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "UNION", "EXCEPT", "INTERSECT", "WINDOW", "FETCH", "FOR", "WITH"}
    | {"OFFSET", "OPTION", "MINUS"}
)
_JOINS = ("JOIN", "LEFT", "RIGHT", "INNER", "OUTER", "FULL", "CROSS", "NATURAL", "STRAIGHT_JOIN", "LATERAL", "ONLY")
_NO_ALIAS = frozenset({*_AFTER_TABLES, *_JOINS, "ON", "USING", "AS", "FROM", "TABLESAMPLE", "SET"})
# PostgreSQL names the column of a function call by the function.
_ENDS_EXPRESSION = frozenset({"END", "NULL", "TRUE", "FALSE"})

# Queries over more tables are not looked into.
_MOST_SOURCES = 100

_Sources = list[tuple[str, Draft | None]]


def columns_of(cursor: Cursor, catalog: Catalog) -> tuple[list[Column], bool]:
    """The columns of the query that stands here, and whether these are all and each has its name."""
    try:
        return _columns(cursor, catalog)
    except Unreadable:
        return [], False


def _columns(cursor: Cursor, catalog: Catalog) -> tuple[list[Column], bool]:
    for _ in range(8):  # brackets around the whole query
        if cursor.upper != "(" or (inside := cursor.bracket()) is None:
            break
        cursor = inside
    for last in (("WITH", "DATA"), ("WITH", "NO", "DATA")):  # CREATE TABLE AS … and materialised views
        if cursor.part(max(cursor.at, cursor.end - len(last)), cursor.end).sees(*last):
            cursor = cursor.part(cursor.at, cursor.end - len(last))
    common = _common(cursor)
    if cursor.accept("TABLE"):
        draft = catalog.table(cursor.names())
        return ([_plain(column) for column in draft.columns.values()], not draft.partial) if draft else ([], False)
    if not cursor.accept("SELECT"):
        return [], False
    if cursor.accept("DISTINCT") and cursor.accept("ON"):
        cursor.bracket()
    cursor.accept("ALL")
    if cursor.accept("TOP"):
        cursor.skip()
    start = cursor.at
    while cursor and not (cursor.peek().kind == "word" and cursor.upper in _AFTER_ITEMS):
        cursor.skip()
    items = cursor.part(start, cursor.at)
    if cursor.accept("INTO"):
        cursor.accept_any("TEMP", "TEMPORARY", "UNLOGGED")
        cursor.accept("TABLE")
        cursor.names()
    sources = _sources(cursor, catalog, common) if cursor.accept("FROM") else []
    if len(sources) > _MOST_SOURCES:
        return [], False
    found: list[Column] = []
    whole = True
    for item in items.commas():
        columns = _item(item, sources)
        found += columns or []
        whole = whole and columns is not None
    return found, whole


def target_of(cursor: Cursor) -> tuple[list[str], bool] | None:
    """The table that SELECT … INTO makes, and whether it goes with the session; None if it makes none."""
    probe = cursor.part(cursor.at, cursor.end)
    while probe and not (probe.peek().kind == "word" and probe.upper in ("INTO", "FROM", "INSERT", "MERGE")):
        probe.skip()
    if not probe.accept("INTO"):
        return None
    temporary = bool(probe.accept_any("TEMP", "TEMPORARY"))
    probe.accept("UNLOGGED")
    probe.accept("TABLE")
    return (probe.names(), temporary) if probe.is_name() else None


def _common(cursor: Cursor) -> set[str]:
    """The names of WITH queries, which hide tables of the same name."""
    names: set[str] = set()
    if not cursor.accept("WITH"):
        return names
    cursor.accept("RECURSIVE")
    while cursor and cursor.is_name():
        names.add(cursor.name().casefold())
        cursor.bracket()
        while cursor and cursor.upper != "(":
            cursor.take()  # AS [NOT] MATERIALIZED
        cursor.bracket()
        if not cursor.accept(","):
            break
    return names


def _sources(cursor: Cursor, catalog: Catalog, common: set[str]) -> _Sources:
    """The tables behind FROM by their aliases; None for a query or a function."""
    found: _Sources = []
    expected = True
    while cursor and not (cursor.peek().kind == "word" and cursor.upper in _AFTER_TABLES):
        upper = cursor.upper
        if upper == "," or (cursor.peek().kind == "word" and upper in _JOINS):
            expected = True
            cursor.take()
        elif expected and upper == "(":
            inside = cursor.bracket()
            if inside is not None and inside.upper not in ("SELECT", "WITH", "VALUES"):
                found += _sources(inside, catalog, common)  # brackets around joins
            else:
                found.append((_alias(cursor, ""), None))
            expected = False
        elif expected and cursor.is_name():
            names = cursor.names()
            function = cursor.bracket() is not None
            hidden = function or (len(names) == 1 and names[0].casefold() in common)
            found.append((_alias(cursor, names[-1]), None if hidden else catalog.table(names)))
            expected = False
        else:
            cursor.skip()
    return found


def _alias(cursor: Cursor, name: str) -> str:
    if cursor.accept("AS") or (cursor.is_name() and cursor.upper not in _NO_ALIAS):
        name = cursor.name() if cursor.is_name() else name
        cursor.bracket()  # names of columns
    return name.casefold()


def _item(item: Cursor, sources: _Sources) -> list[Column] | None:
    """The columns of one part of SELECT; None if they cannot be told."""
    if not item:
        return None
    last = item.tokens[item.end - 1]
    if last.text == "*" and (item.end - item.at == 1 or item.tokens[item.end - 2].text == "."):
        return _star(item, sources)
    expression = item
    name = ""
    before = item.tokens[item.end - 2] if item.end - item.at > 1 else None
    probe = item.part(item.end - 1, item.end)
    if item.peek(1).text == "=" and item.peek().text[:1] != "@" and item.dialect == "tsql":
        name, expression = item.name(), item.part(item.at + 1, item.end)
    elif before is not None and before.upper == "AS" and probe.is_name():
        name, expression = probe.name(), item.part(item.at, item.end - 2)
    elif before is not None and probe.is_name() and _may_end(before) and last.upper not in _ENDS_EXPRESSION:
        name, expression = probe.name(), item.part(item.at, item.end - 1)
    expression, cast = _without_cast(expression)
    column = _referred(expression, sources)
    kind = typed(cast, item.dialect) if cast else column.type if column else Type()
    name = name or (column.name if column else _given_name(expression))
    return [Column(name, kind, comment=column.comment if column else "")] if name else None


def _without_cast(expression: Cursor) -> tuple[Cursor, str]:
    """An expression before `::type`, and that type; an empty one if it is not cast as a whole."""
    probe = expression.part(expression.at, expression.end)
    while probe and probe.upper != "::":
        if probe.peek().kind == "sign" and probe.upper not in (".", "("):
            return expression, ""
        probe.skip()
    if not probe or probe.at == expression.at:
        return expression, ""
    before = expression.part(expression.at, probe.at)
    probe.take()
    text = read_type(probe)
    return (before, text) if text and not probe else (expression, "")


def _may_end(token: object) -> bool:
    """Whether an expression may end with this token, so that a name behind it is its alias."""
    kind, text, upper = getattr(token, "kind", ""), getattr(token, "text", ""), getattr(token, "upper", "")
    return (
        kind in ("string", "quoted", "number", "word") and upper not in ("AND", "OR", "NOT", "IS", "LIKE")
    ) or text in (")", "]")


def _star(item: Cursor, sources: _Sources) -> list[Column] | None:
    wanted = sources
    if item.end - item.at > 1:
        name = item.tokens[item.end - 3].name.casefold() if item.end - item.at > 2 else ""
        wanted = [source for source in sources if source[0] == name]
    found: list[Column] = []
    for _, draft in wanted:
        if draft is None or draft.partial:
            return None
        found += [_plain(column) for column in draft.columns.values()]
    return found or None


def _referred(expression: Cursor, sources: _Sources) -> Column | None:
    """The column of a table that an expression is, if it is no more than that."""
    count = expression.end - expression.at
    if count not in (1, 3, 5) or not expression.is_name() or expression.peek().kind == "string":
        return None
    probe = expression.part(expression.at, expression.end)
    names = probe.names()
    if probe:
        return None
    wanted = sources if len(names) == 1 else [source for source in sources if source[0] == names[-2].casefold()]
    for _, draft in wanted:
        column = draft.columns.get(draft.key(names[-1])) if draft else None
        if column is not None:
            return _plain(column)
    return Column(names[-1])


def _plain(column: Column) -> Column:
    """A column as a query gives it: its type, and nothing that belongs to its table."""
    return Column(column.name, column.type, comment=column.comment)


def _given_name(expression: Cursor) -> str:
    """The name that PostgreSQL gives a column without one: that of the function, or `case`."""
    if (
        expression.dialect == "postgres"
        and expression.sees("CASE")
        and expression.tokens[expression.end - 1].upper == "END"
    ):
        return "case"
    if expression.dialect == "postgres" and expression.is_name() and expression.peek(1).text == "(":
        probe = expression.part(expression.at, expression.end)
        name = probe.name()
        probe.bracket()
        if name == "cast" and not probe:
            return _cast_name(expression.part(expression.at + 1, expression.end))
        return "" if probe else name
    return ""


def _cast_name(brackets: Cursor) -> str:
    """The name of CAST(x AS type): that of x, else of the type."""
    inside = brackets.bracket()
    if inside is None:
        return ""
    inner = next((at for at in range(inside.at, inside.end) if inside.tokens[at].upper == "AS"), inside.end)
    value = inside.part(inside.at, inner)
    column = _referred(value, [])
    kind = typed(read_type(inside.part(inner + 1, inside.end)), inside.dialect)
    return column.name if column else _given_name(value) or kind.name
