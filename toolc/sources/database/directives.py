"""`@toolc({…})` in the comment of a table or column: what the database's own people say of the tools made from it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TypeVar

from toolc import bind, documents
from toolc.diagnostics import Report, UserError
from toolc.ir import Origin
from toolc.sources.database.model import Column, Table

T = TypeVar("T")

_DIRECTIVE = re.compile(r"\s*@toolc\(\s*(\{.*?\})\s*\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TableDirective:
    """Of a table: leave it out, another name, or the columns that name one row."""

    hide: bool = False
    rename: str = ""
    key: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ColumnDirective:
    """Of a column: leave it out, or show it although its name looks like a secret's; another name."""

    hide: bool | None = None
    rename: str = ""


def of_table(table: Table, origin: Origin, report: Report) -> tuple[Table, TableDirective]:
    """The table without the directive in its comment, and what that says."""
    comment, text = split(table.comment)
    found = _read(text, TableDirective, origin, report) if text else None
    return replace(table, comment=comment), found or TableDirective()


def of_column(column: Column, origin: Origin, report: Report) -> tuple[Column, ColumnDirective]:
    """The column without the directive in its comment, and what that says."""
    comment, text = split(column.comment)
    found = _read(text, ColumnDirective, origin, report) if text else None
    return replace(column, comment=comment), found or ColumnDirective()


def split(comment: str) -> tuple[str, str]:
    """A comment without its directive, and what stands in the directive's brackets."""
    match = _DIRECTIVE.search(comment)
    if match is None:
        return comment, ""
    return f"{comment[: match.start()]}{comment[match.end() :]}".strip(), match[1]


def _read(text: str, kind: type[T], origin: Origin, report: Report) -> T | None:
    """What a directive says; one that cannot be read is told, and says nothing."""
    own = Report()
    try:
        found = bind.bind(kind, documents.parse(text, "@toolc.yaml"), origin, own)
    except UserError as error:
        own.diagnostics.extend(error.diagnostics)
        found = None
    for problem in own.diagnostics:
        report.error(
            "invalid-directive",
            f"the directive @toolc({text}) is not followed: {problem.message}",
            origin,
            help="it takes hide, rename and, at a table, key: @toolc({hide: true})",
        )
    return found
