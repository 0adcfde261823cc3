"""The types of a PostgreSQL database that are not built in: enums, domains, composites, and arrays of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from toolc.sources.database.literals import default_of
from toolc.sources.database.model import Check, Column, Default, Type
from toolc.sources.database.servers.shared import checked
from toolc.sources.database.typenames import typed

_USER = "n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'"
_TYPES = f"""
SELECT t.oid, n.nspname, t.typname, t.typtype::text, t.typelem, t.typcategory::text, t.typbasetype,
  format_type(t.typbasetype, t.typtypmod), t.typndims, t.typnotnull, t.typdefault, obj_description(t.oid, 'pg_type'),
  t.typrelid
FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace LEFT JOIN pg_class c ON c.oid = t.typrelid
WHERE {_USER} AND (t.typtype <> 'c' OR c.relkind = 'c')
ORDER BY t.oid
"""  # noqa: S608
_ENUMS = "SELECT enumtypid, enumlabel FROM pg_enum ORDER BY enumtypid, enumsortorder"
_CHECKS = """
SELECT contypid, conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE contypid <> 0 AND contype = 'c'
ORDER BY contypid, conname
"""
_FIELDS = """
SELECT a.attrelid, a.attname, a.atttypid, format_type(a.atttypid, a.atttypmod), a.attndims
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
WHERE c.relkind = 'c' AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attrelid, a.attnum
"""
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Limits:
    """What a domain says beside its base type."""

    not_null: bool = False
    default: Default | None = None
    bounds: Mapping[str, Any] = field(default_factory=dict)
    checks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Row:
    schema: str
    name: str
    kind: str
    element: int
    category: str
    base: int
    base_text: str
    dimensions: int
    not_null: bool
    default: str | None
    comment: str | None
    relation: int


class Types:
    """What the types of columns stand for; ask: runs a query. home: the schema whose name is left out."""

    def __init__(self, ask: Callable[[str], Any], home: str) -> None:
        self._home = home
        self._rows = {oid: _Row(*rest) for oid, *rest in ask(_TYPES)}
        self._labels: dict[int, list[str]] = defaultdict(list)
        for oid, label in ask(_ENUMS):
            self._labels[oid].append(label)
        self._conditions: dict[int, list[Check]] = defaultdict(list)
        for oid, name, text in ask(_CHECKS):
            self._conditions[oid].append(Check(_inside(text), name=name))
        self._fields: dict[int, list[Any]] = defaultdict(list)
        for relation, *rest in ask(_FIELDS):
            self._fields[relation].append(rest)
        self.enums: dict[str, tuple[str, ...]] = {}
        self.domains: dict[str, Column] = {}
        self.composites: dict[str, tuple[Column, ...]] = {}
        for oid, row in self._rows.items():
            self._note(oid, row)

    def of(self, oid: int, text: str, dimensions: int = 0, depth: int = 0) -> tuple[Type, Limits]:
        """The type of a column from its oid and its spelling, and what a domain adds."""
        row = self._rows.get(oid)
        if row is None or depth > _DEEPEST:
            kind = typed(text, "postgres")
            return replace(kind, dimensions=max(kind.dimensions, dimensions if kind.dimensions else 0)), Limits()
        if row.category == "A" and row.element:
            item, _ = self.of(row.element, text.removesuffix("[]"), 0, depth + 1)
            return replace(item, text=text, dimensions=item.dimensions + max(dimensions, 1)), Limits()
        if row.kind == "e":
            return Type(text, "enum", values=tuple(self._labels[oid])), Limits()
        if row.kind == "d":
            return self._domain(oid, row, text, depth)
        if row.kind == "c":
            return Type(text, "composite", fields=self._composite(row, depth)), Limits()
        return typed(text, "postgres"), Limits()

    def _domain(self, oid: int, row: _Row, text: str, depth: int) -> tuple[Type, Limits]:
        base, below = self.of(row.base, row.base_text, row.dimensions, depth + 1)
        value = Column("value", base, bounds=below.bounds, checks=below.checks)
        (value,) = checked([value], self._conditions[oid], "postgres")
        default = default_of(row.default, "postgres", base) if row.default else below.default
        limits = Limits(row.not_null or below.not_null, default, value.bounds, value.checks)
        return replace(base, text=text, domain=self._full(row)), limits

    def _composite(self, row: _Row, depth: int = 0) -> tuple[Column, ...]:
        found = []
        for name, oid, text, dimensions in self._fields[row.relation]:
            kind, limits = self.of(oid, text, dimensions, depth + 1)
            found.append(Column(name, kind, bounds=limits.bounds, checks=limits.checks))
        return tuple(found)

    def _note(self, oid: int, row: _Row) -> None:
        if row.kind == "e":
            self.enums[self._full(row)] = tuple(self._labels[oid])
        elif row.kind == "d":
            kind, limits = self._domain(oid, row, row.name, 0)
            self.domains[self._full(row)] = Column(
                row.name,
                kind,
                limits.not_null,
                limits.default,
                bounds=limits.bounds,
                checks=limits.checks,
                comment=row.comment or "",
            )
        elif row.kind == "c":
            self.composites[self._full(row)] = self._composite(row)

    def _full(self, row: _Row) -> str:
        return row.name if row.schema == self._home else f"{row.schema}.{row.name}"


def _inside(definition: str) -> str:
    """The condition in `CHECK ((…))`."""
    start, end = definition.find("("), definition.rfind(")")
    return definition[start + 1 : end] if 0 <= start < end else definition
