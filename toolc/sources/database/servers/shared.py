"""What the readers of live catalogs have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from toolc.sources.database import checks
from toolc.sources.database.lexer import tokens
from toolc.sources.database.model import Check, Column, Dialect


def granted(may: Sequence[bool], names: Sequence[str]) -> frozenset[str] | None:
    """The privileges that a role has, None if it has all of them."""
    found = frozenset(name for name, has in zip(names, may, strict=True) if has)
    return None if len(found) == len(names) else found


def checked(columns: Sequence[Column], conditions: Sequence[Check], dialect: Dialect) -> tuple[Column, ...]:
    """The columns with what the conditions of their table say of each, added to what is known of them already."""
    texts = [[token for token in tokens(check.sql, dialect) if token.kind != "end"] for check in conditions]
    said = checks.of_columns(texts, (column.name for column in columns), dialect)
    result = []
    for column in columns:
        found = said.get(column.name.lower())
        if found is not None:
            bounds = {**column.bounds, **found.bounds}
            column = replace(column, bounds=bounds, checks=(*column.checks, *found.words))
        result.append(column)
    return tuple(result)
