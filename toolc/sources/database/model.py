"""The structure of a database: the facts of its SQL, the same for every dialect and for live databases.

Names are as the database keeps them (folded where they were not quoted). A schema name is empty for the default one
(`public`, `dbo`, `main`, the database in use), so that the same table reads alike with and without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from toolc.ir import Origin

Dialect = Literal["postgres", "mysql", "sqlite", "tsql", "oracle"]
Kind = Literal["table", "view", "materialized view", "foreign table", "virtual"]
NOWHERE = Origin("")


@dataclass(frozen=True, slots=True)
class Type:
    """The type of a column, with what a user-defined type stands for filled in.

    text: as declared, possibly empty. name: in lower case and one spelling for all aliases of a dialect (see
    `typenames`); `enum`, `set` and `composite` for what those are; a name that nobody knows as it stands.
    arguments: the numbers in brackets. in_bytes: whether the length counts bytes. dimensions: of an array; the rest
    describes its items. values: of an enum or set, in order. fields: of a composite. domain: the domain it came from.
    """

    text: str = ""
    name: str = ""
    arguments: tuple[int, ...] = ()
    unsigned: bool = False
    in_bytes: bool = False
    dimensions: int = 0
    values: tuple[str, ...] = ()
    fields: tuple[Column, ...] = ()
    domain: str = ""


@dataclass(frozen=True, slots=True)
class Default:
    """sql: the expression as written. literal: whether `value` is what it comes to (None for NULL)."""

    sql: str
    literal: bool = False
    value: Any = None

    @property
    def fills(self) -> bool:
        """Whether it gives a value; DEFAULT NULL does not."""
        return not (self.literal and self.value is None)


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    not_null: of a primary key too. identity: numbered by the database (AUTO_INCREMENT and a rowid alias are
    `by default`; a serial column has a default instead). generated: computed from others, or a row version.
    on_update: SQL of MySQL's ON UPDATE. bounds: what checks (of domains too) say of the column alone, as JSON Schema
    keywords. checks: those that JSON Schema cannot say, as SQL text. privileges: of a live role, in lower case; None
    if they are not known.
    """

    name: str
    type: Type = Type()
    not_null: bool = False
    default: Default | None = None
    identity: Literal["", "always", "by default"] = ""
    generated: Literal["", "stored", "virtual"] = ""
    on_update: str = ""
    bounds: Mapping[str, Any] = field(default_factory=dict)
    checks: tuple[str, ...] = ()
    comment: str = ""
    privileges: frozenset[str] | None = None
    origin: Origin = NOWHERE

    @property
    def supplied(self) -> bool:
        """Whether only the database gives it a value: never written."""
        return bool(self.generated) or self.identity == "always"

    @property
    def optional(self) -> bool:
        """Whether a new row may leave it out."""
        filled = self.supplied or bool(self.identity) or (self.default is not None and self.default.fills)
        return filled or not self.not_null


@dataclass(frozen=True, slots=True)
class Key:
    """A unique key: its columns in the order of the key, whether or not they may be null.

    index: made by CREATE UNIQUE INDEX alone. Keys on part of the rows or on expressions are none.
    """

    columns: tuple[str, ...]
    name: str = ""
    index: bool = False
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns that name a row of another table; target: its columns, in the same order; empty if not known."""

    columns: tuple[str, ...]
    table: str
    target: tuple[str, ...]
    schema: str = ""
    name: str = ""
    on_delete: str = ""
    on_update: str = ""
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Check:
    """A condition on rows, as SQL text without the outer brackets; columns: those it names."""

    sql: str
    columns: tuple[str, ...] = ()
    name: str = ""
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Table:
    """A table, view, or anything else with rows.

    unique: the other keys. partition_of: the parent's name, of a partition. inherits: parents, whose columns are among
    the columns. module: of a virtual table. partial: some of the columns could not be told from the text (a view,
    CREATE TABLE AS). updatable: of a view in a live database. rows: an estimate.
    """

    name: str
    kind: Kind = "table"
    columns: tuple[Column, ...] = ()
    primary_key: tuple[str, ...] = ()
    unique: tuple[Key, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    checks: tuple[Check, ...] = ()
    schema: str = ""
    partitioned: bool = False
    partition_of: str = ""
    inherits: tuple[str, ...] = ()
    temporary: bool = False
    module: str = ""
    comment: str = ""
    partial: bool = False
    updatable: bool | None = None
    rows: int | None = None
    privileges: frozenset[str] | None = None
    origin: Origin = NOWHERE

    @property
    def full_name(self) -> str:
        """With the schema, where it is not the default one."""
        return f"{self.schema}.{self.name}" if self.schema else self.name

    def keys(self) -> Iterator[tuple[str, ...]]:
        """The column sets that name one row each: the primary key, then unique ones without null, shortest first."""
        order = {column.name: index for index, column in enumerate(self.columns)}
        required = {column.name for column in self.columns if column.not_null}
        if self.primary_key:
            yield self.primary_key
        unique = {key.columns for key in self.unique if key.columns and required.issuperset(key.columns)}
        yield from sorted(unique, key=lambda names: (len(names), [order[name] for name in names]))


@dataclass(frozen=True, slots=True)
class Database:
    """What a schema makes. tables: those to make tools of, in the order of the schema; partitions stand apart.

    enums, domains, composites: by full name; columns have them filled in already.
    """

    dialect: Dialect
    tables: tuple[Table, ...] = ()
    partitions: tuple[Table, ...] = ()
    enums: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    domains: Mapping[str, Column] = field(default_factory=dict)
    composites: Mapping[str, tuple[Column, ...]] = field(default_factory=dict)
