"""Tables while their statements are read: what a script has made so far, and by which names it can be called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from toolc.sources.database.ddl.cursor import ASCII_LOWER, Unreadable
from toolc.sources.database.lexer import Token
from toolc.sources.database.model import Check, Column, Dialect, ForeignKey, Key, Kind

T = TypeVar("T")

# Columns that inheritance, LIKE, partitions, views and composite types copy; scripts could make them multiply.
MOST_COPIED = 300_000
# The schema that names without one belong to, and that is left out of the model.
DEFAULT_SCHEMAS: dict[Dialect, str] = {"postgres": "public", "tsql": "dbo", "sqlite": "main", "mysql": "", "oracle": ""}


@dataclass(slots=True)
class Condition:
    """A check with the tokens of its expression. inherited: whether tables that inherit from this one have it too."""

    check: Check
    tokens: Sequence[Token]
    inherited: bool = True


@dataclass(slots=True)
class Domain:
    """A domain in the making: what it adds to its base type."""

    schema: str
    column: Column
    conditions: list[Condition] = field(default_factory=list)


@dataclass(slots=True)
class Draft:
    """A table in the making; columns by their folded names. start: where its statement begins in the text.

    counted: whether a CREATE TABLE made it, so that it counts in the sum of those. children: tables that inherit from
    it or are its partitions. own: the keys of columns that a table with parents defines itself. periods: names that
    stand for two columns in keys. defaults: the columns of defaults that have a name. renamed: new names of columns by
    the old ones.
    """

    schema: str
    name: str
    kind: Kind
    start: int
    fold: bool
    counted: bool = False
    columns: dict[str, Column] = field(default_factory=dict)
    primary_key: tuple[str, ...] = ()
    primary_name: str = ""
    keys: list[Key] = field(default_factory=list)
    foreign_keys: list[ForeignKey] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    partitioned: bool = False
    partition_of: tuple[str, str] | None = None
    inherits: list[str] = field(default_factory=list)
    children: list[Draft] = field(default_factory=list)
    own: set[str] = field(default_factory=set)
    periods: set[str] = field(default_factory=set)
    defaults: dict[str, str] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    temporary: bool = False
    partial: bool = False
    comment: str = ""
    signature: tuple[str, ...] = ()

    def key(self, name: str) -> str:
        """The key of a column's name."""
        return name.casefold() if self.fold else name

    def names(self, token: Token) -> str:
        """The key of the column that a word or quoted name in an expression may be."""
        return self.key(token.name if self.fold or token.kind == "quoted" else token.name.translate(ASCII_LOWER))

    def current(self, name: str) -> Column | None:
        """A column by its name, or by one that it had before; None if there is none."""
        key = self.key(name)
        for _ in range(len(self.renamed)):
            if key in self.columns or key not in self.renamed:
                break
            key = self.renamed[key]
        return self.columns.get(key)

    def column(self, name: str) -> Column:
        """A column by its name; raises Unreadable."""
        found = self.columns.get(self.key(name))
        if found is None:
            raise Unreadable(f"`{self.name}` has no column `{name}`")
        return found

    def settled(self) -> list[Column]:
        """The columns, with those of the primary key as not null."""
        key = {self.key(name) for name in self.primary_key}
        return [replace(column, not_null=column.not_null or name in key) for name, column in self.columns.items()]

    def put(self, column: Column) -> None:
        """Add a column, or put it in the place of the one with its name."""
        self.columns[self.key(column.name)] = column

    def rename_column(self, old: str, new: str) -> None:
        """Give a column another name, in all keys too, at its place; raises Unreadable."""
        self.column(old)
        old_key = self.key(old)
        self.columns = {
            (self.key(new) if key == old_key else key): (replace(column, name=new) if key == old_key else column)
            for key, column in self.columns.items()
        }

        def renamed(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(new if self.key(name) == old_key else name for name in names)

        self.primary_key = renamed(self.primary_key)
        self.keys = [replace(key, columns=renamed(key.columns)) for key in self.keys]
        self.foreign_keys = [replace(key, columns=renamed(key.columns)) for key in self.foreign_keys]
        self.own = {self.key(new) if key == old_key else key for key in self.own}
        self.defaults = {name: self.key(new) if key == old_key else key for name, key in self.defaults.items()}
        self.renamed[old_key] = self.key(new)

        def token_renamed(token: Token) -> Token:
            names = token.kind in ("word", "quoted") and self.names(token) == old_key
            return Token("quoted", new, token.start, new, new) if names else token

        for condition in self.conditions:
            condition.tokens = [token_renamed(token) for token in condition.tokens]

    def drop_column(self, name: str) -> None:
        """Take a column away, with the keys and checks that it is part of; raises Unreadable."""
        self.column(name)
        gone = self.key(name)
        del self.columns[gone]

        def stays(names: tuple[str, ...]) -> bool:
            return gone not in [self.key(name) for name in names]

        self.primary_key = self.primary_key if stays(self.primary_key) else ()
        self.keys = [key for key in self.keys if stays(key.columns)]
        self.foreign_keys = [key for key in self.foreign_keys if stays(key.columns)]
        self.conditions = [
            condition
            for condition in self.conditions
            if all(token.kind not in ("word", "quoted") or self.names(token) != gone for token in condition.tokens)
        ]

    def named_default(self, name: str, column: str) -> None:
        """T-SQL: a default may have a name, by which it is dropped."""
        if name:
            self.defaults[self.key(name)] = self.key(column)

    def drop_primary_key(self) -> None:
        """Take the primary key away; its columns stay not null."""
        self.columns = {self.key(column.name): column for column in self.settled()}
        self.primary_key = ()

    def drop_constraint(self, name: str) -> bool:
        """Take away the constraint or key of a name; whether there was one."""
        key = self.key(name)
        column = self.columns.get(self.defaults.pop(key, ""))
        if column is not None:
            self.put(replace(column, default=None))
            return True
        if self.primary_key and key in (self.key(self.primary_name), self.key(f"{self.name}_pkey")):
            self.drop_primary_key()
            return True
        self._name_the_nameless()
        before = len(self.keys) + len(self.foreign_keys) + len(self.conditions)
        self.keys = [found for found in self.keys if self.key(found.name) != key]
        self.foreign_keys = [found for found in self.foreign_keys if self.key(found.name) != key]
        self.conditions = [found for found in self.conditions if self.key(found.check.name) != key]
        return len(self.keys) + len(self.foreign_keys) + len(self.conditions) < before

    def _name_the_nameless(self) -> None:
        """Give keys and checks the names that PostgreSQL or MySQL give them; scripts drop them by those."""
        taken = {self.key(key.name) for key in self.keys} | {self.key(key.name) for key in self.foreign_keys}
        number = 0
        for index, found in enumerate(self.foreign_keys):
            if not found.name:
                number += 1
                name = f"{self.name}_ibfk_{number}" if self.fold else self._free(found.columns, "fkey", taken)
                self.foreign_keys[index] = replace(found, name=name)
        number, taken = 0, taken | {self.key(found.check.name) for found in self.conditions}
        for index, condition in enumerate(self.conditions):
            if not condition.check.name:
                number += 1
                spoken = {self.names(token) for token in condition.tokens if token.kind in ("word", "quoted")}
                columns = tuple(column.name for key, column in self.columns.items() if key in spoken)
                alone = columns if len(columns) == 1 else ()
                name = f"{self.name}_chk_{number}" if self.fold else self._free(alone, "check", taken)
                self.conditions[index] = replace(condition, check=replace(condition.check, name=name))

    def _free(self, columns: tuple[str, ...], suffix: str, taken: set[str]) -> str:
        name = first = "_".join((self.name, *columns, suffix))
        number = 0
        while name in taken:
            number += 1
            name = f"{first}{number}"
        taken.add(name)
        return name


class Named(Generic[T]):
    """Things by schema and name, found by their last name too."""

    def __init__(self) -> None:
        self.all: dict[tuple[str, str], T] = {}
        self._last: dict[str, list[tuple[str, str]]] = {}

    def put(self, key: tuple[str, str], thing: T) -> None:
        """Keep a thing under a key."""
        if key not in self.all:
            self._last.setdefault(key[1], []).append(key)
        self.all[key] = thing

    def pop(self, key: tuple[str, str]) -> T:
        """Take a thing away."""
        self._last[key[1]].remove(key)
        return self.all.pop(key)

    def called(self, name: str) -> list[tuple[str, str]]:
        """The keys with this last name."""
        return self._last.get(name, [])


class Catalog:
    """The tables and types of a script, by name. path: the schemas in which names without one are looked for."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect: Dialect = dialect
        self.fold = dialect != "postgres"
        self.default = DEFAULT_SCHEMAS[dialect]
        self.path: list[str] = [""]
        self.tables: Named[Draft] = Named()
        self.enums: Named[tuple[str, ...]] = Named()
        self.domains: Named[Domain] = Named()
        self.composites: Named[tuple[Column, ...]] = Named()
        self.moved: dict[tuple[str, str], Draft] = {}  # tables by names that they had before
        self.former: dict[tuple[str, str], tuple[str, str]] = {}  # of types: new names by the old ones
        self._copied = 0

    def copies(self, count: int) -> None:
        """Note that columns are copied from other tables or types; raises Unreadable when these are too many."""
        self._copied += count
        if self._copied > MOST_COPIED:
            raise Unreadable(f"more than {MOST_COPIED:,} columns are copied from other tables")

    def schema(self, name: str) -> str:
        """The name of a schema as the model keeps it."""
        return "" if name.casefold() == self.default.casefold() else name

    def place(self, names: Sequence[str]) -> tuple[str, str]:
        """The schema and name of something that is made."""
        return (self.schema(names[-2]) if len(names) > 1 else self.path[0], names[-1])

    def key(self, schema: str, name: str) -> tuple[str, str]:
        """The key under which something is kept."""
        return (schema.casefold(), name.casefold()) if self.fold else (schema, name)

    def locate(self, kept: Named[T], names: Sequence[str]) -> tuple[str, str] | None:
        """The key of a name: in its schema, else in those of the path, else the only one of that name."""
        if len(names) > 1:
            key = self.key(self.schema(names[-2]), names[-1])
            return key if key in kept.all else None
        for schema in (*self.path, ""):
            if (key := self.key(schema, names[-1])) in kept.all:
                return key
        same = kept.called(self.key("", names[-1])[1])
        return same[0] if len(same) == 1 else None

    def named_now(self, names: list[str]) -> list[str]:
        """The name of a type that may have been renamed."""
        key = self.key(*self.place(names))
        for _ in range(len(self.former)):
            if key not in self.former:
                return names
            key = self.former[key]
            names = [key[0] or self.default, key[1]]
        return names

    def table(self, names: Sequence[str]) -> Draft | None:
        """The table of a name."""
        key = self.locate(self.tables, names)
        return self.tables.all[key] if key else None
