"""What else makes structure: types, domains, comments, unique indexes, the schema in use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from toolc.sources.database.ddl.columns import Context, check, described, read_column, read_type
from toolc.sources.database.ddl.cursor import Cursor, Unreadable
from toolc.sources.database.ddl.draft import Catalog, Domain, Draft, Named, T
from toolc.sources.database.ddl.references import key_columns
from toolc.sources.database.lexer import tokens
from toolc.sources.database.model import Column, Key
from toolc.sources.database.typenames import typed

# Oracle: what stands beside the attributes of an object type.
_METHODS = frozenset({"FUNCTION", "PROCEDURE", "MEMBER", "STATIC", "CONSTRUCTOR", "OVERRIDING"})


def create_type(cursor: Cursor, context: Context) -> None:
    """CREATE TYPE … AS ENUM, AS (…), AS OBJECT (…), FROM base; others say nothing of columns. Raises Unreadable."""
    catalog = context.catalog
    cursor.accept("IF", "NOT", "EXISTS")
    names = cursor.names()
    schema, name = catalog.place(names)
    key = catalog.key(schema, name)
    if cursor.accept("FROM"):  # T-SQL: an alias
        column = described(
            cursor, Column(name, typed(read_type(cursor), cursor.dialect)), _nowhere(context, name), context
        )
        catalog.domains.put(key, Domain(schema, column))
        return
    cursor.accept_any("AS", "IS")
    cursor.accept("OBJECT")
    if cursor.accept("TABLE", "OF") or cursor.accept("VARRAY"):  # Oracle
        cursor.bracket()
        cursor.accept("OF")
        kind = typed(read_type(cursor), cursor.dialect)
        catalog.domains.put(key, Domain(schema, Column(name, replace(kind, dimensions=kind.dimensions + 1))))
        return
    if cursor.accept("ENUM"):
        inside = cursor.bracket()
        catalog.enums.put(key, tuple(token.name for token in inside.rest() if token.kind == "string") if inside else ())
    elif (inside := cursor.bracket()) is not None:
        draft = _nowhere(context, name)
        columns = [
            read_column(part, draft, context)
            for part in inside.commas()
            if part.is_name() and part.peek(1).text != "=" and not (_METHODS & {part.upper, part.peek(1).upper})
        ]
        if columns:
            catalog.composites.put(key, tuple(columns))


def alter_type(cursor: Cursor, context: Context) -> None:
    """ALTER TYPE … ADD VALUE, RENAME VALUE, RENAME TO, SET SCHEMA, and of attributes. Raises Unreadable."""
    catalog = context.catalog
    names = cursor.names()
    if _renamed(cursor, names, context):
        return
    if (key := catalog.locate(catalog.enums, names)) is not None:
        catalog.enums.put(key, tuple(_values(cursor, list(catalog.enums.all[key]))))
    elif (key := catalog.locate(catalog.composites, names)) is not None:
        draft = _nowhere(context, key[1])
        catalog.copies(len(catalog.composites.all[key]))
        for column in catalog.composites.all[key]:
            draft.put(column)
        for action in cursor.commas():
            if action and action.tokens[action.end - 1].upper in ("CASCADE", "RESTRICT"):
                action.end -= 1
            _alter_attribute(action, draft, context)
        catalog.composites.put(key, tuple(draft.columns.values()))


def _values(cursor: Cursor, values: list[str]) -> list[str]:
    """The values of an enum after ADD VALUE or RENAME VALUE."""
    if cursor.accept("ADD", "VALUE"):
        cursor.accept("IF", "NOT", "EXISTS")
        value = cursor.take().name
        if value in values:
            return values
        beside = cursor.accept_any("BEFORE", "AFTER")
        other = cursor.take().name if beside else ""
        at = values.index(other) + (beside == "AFTER") if beside and other in values else len(values)
        return [*values[:at], value, *values[at:]]
    if cursor.accept("RENAME", "VALUE"):
        old = cursor.take().name
        cursor.accept("TO")
        new = cursor.take().name
        return [new if value == old else value for value in values]
    return values


def _alter_attribute(action: Cursor, draft: Draft, context: Context) -> None:
    verb = action.accept_any("ADD", "DROP", "ALTER", "RENAME")
    if not verb or not action.accept("ATTRIBUTE"):
        return
    optional = action.accept("IF", "EXISTS")
    if verb == "ADD":
        draft.put(read_column(action, draft, context))
        return
    name = action.name()
    if verb == "RENAME" and action.accept("TO"):
        draft.rename_column(name, action.name())
    elif verb == "DROP" and not (optional and draft.key(name) not in draft.columns):
        draft.drop_column(name)
    elif verb == "ALTER":
        action.accept("SET", "DATA")
        action.accept("TYPE")
        draft.put(replace(draft.column(name), type=typed(read_type(action), action.dialect)))


def _renamed(cursor: Cursor, names: list[str], context: Context) -> bool:
    """Whether a type gets another name or schema here; columns that have it already go on having it."""
    catalog = context.catalog
    renamed = cursor.accept("RENAME", "TO")
    if not renamed and not cursor.accept("SET", "SCHEMA"):
        return False
    name = cursor.name()
    new = catalog.key("", name) if renamed else catalog.key(catalog.schema(name), "")
    _rename(catalog.enums, names, new, catalog)
    _rename(catalog.domains, names, new, catalog)
    _rename(catalog.composites, names, new, catalog)
    return True


def _rename(kept: Named[T], names: list[str], new: tuple[str, str], catalog: Catalog) -> None:
    """new: another schema, or another name with an empty schema."""
    if (key := catalog.locate(kept, names)) is not None:
        now = (key[0], new[1]) if new[1] else (new[0], key[1])
        kept.put(now, kept.pop(key))
        catalog.former[key] = now


def create_domain(cursor: Cursor, context: Context) -> None:
    """CREATE DOMAIN name AS type with its default, NOT NULL and checks. Raises Unreadable."""
    catalog = context.catalog
    schema, name = catalog.place(cursor.names())
    cursor.accept("AS")
    draft = _nowhere(context, name)
    column = described(cursor, Column(name, typed(read_type(cursor), cursor.dialect)), draft, context)
    catalog.domains.put(catalog.key(schema, name), Domain(schema, column, draft.conditions))


def alter_domain(cursor: Cursor, context: Context) -> None:
    """ALTER DOMAIN … SET and DROP of DEFAULT and NOT NULL, ADD CONSTRAINT. Raises Unreadable."""
    catalog = context.catalog
    names = cursor.names()
    key = catalog.locate(catalog.domains, names)
    if key is None or _renamed(cursor, names, context):
        return
    domain = catalog.domains.all[key]
    if cursor.accept("ADD"):
        draft = _nowhere(context, key[1])
        name = cursor.name() if cursor.accept("CONSTRAINT") else ""
        if cursor.accept("CHECK"):
            check(cursor, draft, name, context)
        domain.conditions += draft.conditions
    elif cursor.accept("DROP", "CONSTRAINT"):
        cursor.accept("IF", "EXISTS")
        gone = cursor.name()
        domain.conditions = [condition for condition in domain.conditions if condition.check.name != gone]
    elif cursor.accept("SET"):
        domain.column = described(cursor, domain.column, _nowhere(context, key[1]), context)
    elif cursor.accept("DROP", "NOT", "NULL"):
        domain.column = replace(domain.column, not_null=False)
    elif cursor.accept("DROP", "DEFAULT"):
        domain.column = replace(domain.column, default=None)


def comment_on(cursor: Cursor, context: Context) -> None:
    """COMMENT ON TABLE, VIEW or COLUMN … IS 'text'; comments on others say nothing of tools. Raises Unreadable."""
    if not cursor.accept("ON"):
        return
    cursor.accept_any("MATERIALIZED", "FOREIGN")
    kind = cursor.accept_any("TABLE", "VIEW", "COLUMN")
    if not kind:
        return
    start = cursor.start
    names = cursor.names()
    if not cursor.accept("IS"):
        raise Unreadable("COMMENT ON needs IS and a text", start)
    text = "" if cursor.sees("NULL") else "".join(token.name for token in cursor.rest() if token.kind == "string")
    table = names[:-1] if kind == "COLUMN" else names
    draft = context.catalog.table(table) if table else None
    if draft is None:
        key = context.catalog.locate(context.catalog.composites, table) if table else None
        if key is None:
            raise Unreadable(f"`{'.'.join(table)}` is not defined here", start)
        return
    if kind != "COLUMN":
        draft.comment = text
    elif not draft.partial or draft.key(names[-1]) in draft.columns:
        draft.put(replace(draft.column(names[-1]), comment=text))


def create_index(cursor: Cursor, unique: bool, context: Context) -> None:
    """A unique index on all rows and plain columns is a key. Raises Unreadable."""
    start = cursor.start
    cursor.accept("CONCURRENTLY")
    cursor.accept("IF", "NOT", "EXISTS")
    name = "" if cursor.sees("ON") else cursor.names()[-1]
    if cursor.accept("USING"):
        cursor.take()
    if not cursor.accept("ON"):
        return
    cursor.accept("ONLY")
    if cursor.accept("CLUSTER"):
        return
    names = cursor.names()
    draft = context.catalog.table(names)
    if draft is None:
        raise Unreadable(f"`{'.'.join(names)}` is not defined here", start)
    if not unique:
        return
    if cursor.accept("USING"):
        cursor.take()
    inside = cursor.bracket()
    if inside is None or any(token.upper == "WHERE" and token.kind == "word" for token in cursor.rest()):
        return
    columns = key_columns(inside)
    if columns and len(columns) == sum(1 for part in inside.commas() if part):
        draft.keys.append(Key(columns, name, True, context.at(start, draft)))


def drop_index(cursor: Cursor, context: Context) -> None:
    """An index that goes takes the key with it that it made. Raises Unreadable."""
    cursor.accept("CONCURRENTLY")
    cursor.accept("IF", "EXISTS")
    for part in cursor.commas():
        if not part.is_name():
            continue
        name = part.names()[-1]
        table = context.catalog.table(part.names()) if part.accept("ON") else None
        for draft in [table] if table else context.catalog.tables.all.values():
            draft.keys = [key for key in draft.keys if draft.key(key.name) != draft.key(name) or not key.index]


def set_path(cursor: Cursor, context: Context) -> None:
    """SET search_path, or the call of set_config that pg_dump writes."""
    catalog = context.catalog
    found = list(cursor.rest())
    words = [token.upper for token in found]
    if "SEARCH_PATH" in words[:3]:
        at = words.index("SEARCH_PATH") + 1
        named = [token.name for token in found[at:] if token.kind in ("word", "quoted", "string")]
        named = named[1:] if named[:1] and found[at].upper == "TO" else named
    elif any(word.endswith("SET_CONFIG") for word in words) and any(token.name == "search_path" for token in found):
        texts = [token.name for token in found if token.kind == "string"]
        named = [part.strip().strip('"') for part in texts[1].split(",")] if len(texts) > 1 else []
    else:
        return
    path = [catalog.schema(name) for name in named if name and not name.startswith("$") and name.upper() != "DEFAULT"]
    catalog.path = path or [""]


def extended_property(cursor: Cursor, variables: Mapping[str, str], context: Context) -> None:
    """T-SQL: sp_addextendedproperty with MS_Description is a comment on a table or column. Raises Unreadable.

    variables: what is known to be in them.
    """
    values: dict[str, str] = {}
    order = ("name", "value", "level0type", "level0name", "level1type", "level1name", "level2type", "level2name")
    for index, part in enumerate(cursor.commas()):
        name = order[index] if index < len(order) else ""
        if part.peek().text.startswith("@") and part.peek(1).text == "=":
            name = part.take().text[1:].lower()
            part.take()
        token = part.peek()
        if token.kind == "word" and token.text.startswith("@") and token.text.lower() not in variables:
            raise Unreadable(f"the text does not tell what is in `{token.text}`", token.start)
        values[name] = variables.get(token.text.lower(), token.name) if token.kind == "word" else token.name
    if values.get("name", "").lower() != "ms_description" or values.get("level1type", "").upper() not in (
        "TABLE",
        "VIEW",
    ):
        return
    draft = context.catalog.table([values.get("level0name", ""), values.get("level1name", "")])
    if draft is None:
        raise Unreadable(f"`{values.get('level1name')}` is not defined here", cursor.start)
    if values.get("level2type", "").upper() == "COLUMN":
        draft.put(replace(draft.column(values.get("level2name", "")), comment=values.get("value", "")))
    elif "level2type" not in values:
        draft.comment = values.get("value", "")


def quoted_parts(text: str) -> list[str]:
    """The names in a text such as `dbo.[Old Name]`, of sp_rename."""
    return [token.name for token in tokens(text, "tsql") if token.kind in ("word", "quoted")]


def _nowhere(context: Context, name: str) -> Draft:
    """What takes the keys and checks of columns that belong to no table."""
    return Draft("", name, "table", 0, context.catalog.fold)
