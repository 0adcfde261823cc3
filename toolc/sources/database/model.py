"""The structure of a database, as far as tools are made from it; the same for every dialect and for live databases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["table", "view", "virtual"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    type: as declared, possibly empty. default: SQL text (`NULL` too), empty if there is none. supplied: the database
    fills it in (generated always; never written). automatic: it may be left out although it is NOT NULL without a
    default (a rowid alias). bounds: what checks say, as JSON Schema keywords. checks: those that JSON Schema cannot
    say, as SQL text.
    """

    name: str
    type: str
    not_null: bool = False
    default: str = ""
    supplied: bool = False
    automatic: bool = False
    bounds: Mapping[str, Any] = field(default_factory=dict)
    checks: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns that name a row of another table by the columns of its key."""

    columns: tuple[str, ...]
    table: str
    target: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table or view.

    unique: other keys, whose columns are all NOT NULL, the shortest first. module: of a virtual table.
    """

    name: str
    kind: Kind
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    module: str = ""
    comment: str = ""
