"""From drafts to the model: types, defaults, checks and foreign keys with all statements known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from toolc.sources.database import checks
from toolc.sources.database.ddl.columns import Context
from toolc.sources.database.ddl.cursor import Unreadable
from toolc.sources.database.ddl.draft import Catalog, Condition, Domain, Draft
from toolc.sources.database.lexer import Token
from toolc.sources.database.literals import default_of
from toolc.sources.database.model import Check, Column, Database, ForeignKey, Key, Table, Type

# Domains of domains and composites of composites; the deepest that are followed.
_DEEPEST = 16
_DEEPEST_FIELDS = 3


def finished(context: Context) -> Database:
    """The database that the drafts of a catalog make, hidden tables among them."""
    catalog = context.catalog
    drafts = list(catalog.tables.all.values())
    return Database(
        catalog.dialect,
        tuple(_table(draft, context) for draft in drafts if draft.partition_of is None),
        tuple(_table(draft, context) for draft in drafts if draft.partition_of is not None),
        {_full(key): values for key, values in catalog.enums.all.items()},
        {_full(key): _domain(domain, catalog) for key, domain in catalog.domains.all.items()},
        {_full(key): _fields(columns, catalog, 0) for key, columns in catalog.composites.all.items()},
    )


def _full(key: tuple[str, str]) -> str:
    return ".".join(part for part in key if part)


def _table(draft: Draft, context: Context) -> Table:
    catalog = context.catalog
    if draft.partial:
        message = f"the columns of `{draft.name}` cannot all be told from the text"
        context.note(message, context.at(draft.start, draft))
    primary = _names(draft.primary_key, draft, context, "the primary key")
    domains: list[Condition] = []
    columns = [_column(column, draft, catalog, domains) for column in draft.columns.values()]
    said = checks.of_columns(
        [condition.tokens for condition in (*draft.conditions, *domains)],
        [column.name for column in columns],
        catalog.dialect,
    )
    finished = []
    text_of_json = _json_columns(draft)
    for column in columns:
        if column.name.lower() in text_of_json:
            column = replace(column, type=replace(column.type, name="json"))
        limits = said.get(column.name.lower(), checks.Checks())
        not_null = column.not_null or column.name in primary
        finished.append(replace(column, not_null=not_null, bounds=limits.bounds, checks=tuple(limits.words)))
    unique = []
    for key in draft.keys:
        if draft.periods.intersection(draft.key(name) for name in key.columns):
            continue  # WITHOUT OVERLAPS: it names no row
        if names := _names(key.columns, draft, context, f"the key `{key.name}`"):
            unique.append(replace(key, columns=names))
    return Table(
        draft.name,
        draft.kind,
        tuple(finished),
        primary,
        _without_twins(unique, primary),
        tuple(_foreign_key(key, draft, context) for key in draft.foreign_keys),
        tuple(_checks(draft)),
        draft.schema,
        draft.partitioned,
        ".".join(part for part in draft.partition_of or () if part),
        tuple(draft.inherits),
        draft.temporary,
        comment=draft.comment,
        partial=draft.partial,
        origin=context.at(draft.start, draft),
    )


def _json_columns(draft: Draft) -> set[str]:
    """The columns that are checked to be JSON: MariaDB's type json is a text with that check."""
    found = [[token.upper for token in condition.tokens] for condition in draft.conditions]
    return {
        condition.tokens[2].name.lower()
        for condition, words in zip(draft.conditions, found, strict=True)
        if len(words) == 4 and words[:2] == ["JSON_VALID", "("]
    }


def _without_twins(keys: list[Key], primary: tuple[str, ...]) -> tuple[Key, ...]:
    """An index on the columns of a constraint adds no key."""
    constraints = {primary, *(key.columns for key in keys if not key.index)}
    return tuple(key for key in keys if not key.index or key.columns not in constraints)


def _names(names: tuple[str, ...], draft: Draft, context: Context, what: str) -> tuple[str, ...]:
    """Columns as the table spells them; none if one of them is not there."""
    found = [draft.columns.get(draft.key(name)) for name in names]
    if all(found):
        return tuple(column.name for column in found if column is not None)
    if not draft.partial:
        missing = next(name for name, column in zip(names, found, strict=True) if column is None)
        context.warn(f"{what} of `{draft.name}` names the column `{missing}`, which it does not have", draft.start)
    return ()


def _checks(draft: Draft) -> Iterator[Check]:
    for condition in draft.conditions:
        spoken = dict.fromkeys(draft.names(token) for token in condition.tokens if token.kind in ("word", "quoted"))
        yield replace(
            condition.check, columns=tuple(draft.columns[name].name for name in spoken if name in draft.columns)
        )


def _column(column: Column, draft: Draft, catalog: Catalog, domains: list[Condition]) -> Column:
    kind, domain = _resolved(column.type, catalog, 0)
    default = column.default
    for level in domain:
        default = default or level.column.default
        column = replace(column, not_null=column.not_null or level.column.not_null)
        for condition in level.conditions:
            tokens = [_in_place_of_value(token, column.name) for token in condition.tokens]
            domains.append(Condition(condition.check, tokens))
    if default is not None:
        default = default_of(default.sql, catalog.dialect, kind)
    return replace(column, type=kind, default=default)


def _in_place_of_value(token: Token, name: str) -> Token:
    if token.kind == "word" and token.upper == "VALUE":
        return Token("quoted", name, token.start, name, name)
    return token


def _resolved(type: Type, catalog: Catalog, depth: int) -> tuple[Type, list[Domain]]:
    """What a type stands for, and the domains on the way, the outermost first."""
    names = catalog.named_now(type.name.split("."))
    if depth > _DEEPEST or not type.name:
        return type, []
    if key := catalog.locate(catalog.enums, names):
        return replace(type, name="enum", values=catalog.enums.all[key]), []
    if key := catalog.locate(catalog.domains, names):
        domain = catalog.domains.all[key]
        base, others = _resolved(domain.column.type, catalog, depth + 1)
        dimensions = base.dimensions + type.dimensions
        named = replace(base, text=type.text, domain=_full(key), dimensions=dimensions)
        return named, [domain, *others] if not type.dimensions else []
    key = catalog.locate(catalog.composites, names)
    if key and depth <= _DEEPEST_FIELDS and _may_copy(catalog, len(catalog.composites.all[key])):
        return replace(type, name="composite", fields=_fields(catalog.composites.all[key], catalog, depth + 1)), []
    return replace(type, name=names[-1]), []  # of an extension, such as public.citext


def _may_copy(catalog: Catalog, count: int) -> bool:
    try:
        catalog.copies(count)
    except Unreadable:
        return False
    return True


def _fields(columns: tuple[Column, ...], catalog: Catalog, depth: int) -> tuple[Column, ...]:
    return tuple(replace(column, type=_resolved(column.type, catalog, depth)[0]) for column in columns)


def _domain(domain: Domain, catalog: Catalog) -> Column:
    column = domain.column
    said = checks.of_columns([condition.tokens for condition in domain.conditions], ["value"], catalog.dialect)
    limits = said.get("value", checks.Checks())
    return replace(column, type=_resolved(column.type, catalog, 0)[0], bounds=limits.bounds, checks=tuple(limits.words))


def _foreign_key(key: ForeignKey, draft: Draft, context: Context) -> ForeignKey:
    """With the names of the other table as that spells them, and its primary key where no columns are said."""
    catalog = context.catalog
    columns = tuple(
        draft.columns[draft.key(name)].name if draft.key(name) in draft.columns else name for name in key.columns
    )
    names = [key.schema, key.table] if key.schema else [key.table]
    # A name without a schema means the table beside it first.
    beside = catalog.key(draft.schema, key.table)
    target = catalog.tables.all.get(beside) if not key.schema else None
    target = target or catalog.table(names) or _moved(names, draft, catalog)
    if target is None:
        shown = ".".join(names)
        context.warn(f"{draft.name}.{', '.join(columns)} refers to unknown table `{shown}`", -1 - draft.start)
        return replace(key, columns=columns, schema=catalog.schema(key.schema))
    wanted = key.target or target.primary_key
    found = [(target.current(name), name) for name in wanted]
    spelled = tuple(column.name if column else name for column, name in found)
    return replace(key, columns=columns, table=target.name, schema=target.schema, target=spelled)


def _moved(names: list[str], draft: Draft, catalog: Catalog) -> Draft | None:
    """The table that had a name when the foreign key was made, and was renamed later."""
    schemas = [catalog.schema(names[0])] if len(names) > 1 else [draft.schema, *catalog.path, ""]
    found = (catalog.moved.get(catalog.key(schema, names[-1])) for schema in schemas)
    return next((moved for moved in found if moved is not None), None)
