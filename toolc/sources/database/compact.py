"""A database in few words: a table as one line of text, and which tables there are."""

from __future__ import annotations

import json
from collections.abc import Sequence

from toolc.sources.database import types
from toolc.sources.database.offer import Field, Offer, referenced

MOST_NAMED = 10


def compact(offer: Offer) -> str:
    """The table in one line: `film(film_id int!, language_id int! >language.language_id)`; `!` = not null."""
    return f"{offer.name}({', '.join(map(_column, offer.fields))})"


def described(offer: Offer) -> str:
    """What a model has to know to use the table: the line, then its key, what is filled in or only read, and comments.

    A fifth of the JSON Schema; what it does not say (lengths, ranges), a refused call is told.
    """
    lines = [compact(offer)]
    lines += [f"  {offer.table.comment}"] if offer.table.comment else []
    if offer.key and offer.key != (offer.fields[0].name,):
        lines.append(f"  key: {', '.join(offer.key)}")
    filled = [f"{field.name}{_default(field)}" for field in offer.fields if _is_filled(field)]
    lines += [f"  optional: {', '.join(filled)}"] if filled else []
    if offer.table.kind == "table":
        fixed = [field.name for field in offer.fields if not (field.insert or field.update)]
        lines += [f"  read only: {', '.join(fixed)}"] if fixed else []
    else:
        lines.append("  read only")
    lines += [f"  {field.name}: {text}" for field in offer.fields if (text := _words(field))]
    return "\n".join(lines)


def summary(offers: Sequence[Offer]) -> str:
    """How many tables, and those that most others refer to: `16 tables: film, staff, … (16 total)`."""
    names = referenced(offers)
    count = f"{len(names)} table{'s' * (len(names) != 1)}"
    if len(names) <= MOST_NAMED:
        return f"{count}: {', '.join(names)}"
    return f"{count}: {', '.join(names[:MOST_NAMED])}, … ({len(names)} total)"


def _column(field: Field) -> str:
    name = types.short_name(field.column, field.schema)
    return f"{field.name} {name}{'!' * field.column.not_null}{f' >{field.refers}' * bool(field.refers)}"


def _is_filled(field: Field) -> bool:
    """Whether a new row may leave out a column that cannot be null, or gets a value there that is not null."""
    default = field.column.default
    return field.insert and (bool(field.column.identity) or (default is not None and default.fills))


def _default(field: Field) -> str:
    value = types.default_of(field.column, field.schema)
    return "" if value is NotImplemented else f"={json.dumps(value, ensure_ascii=False)}"


def _words(field: Field) -> str:
    """The comment and the checks of a column, on one line."""
    checks = [f"check: {text}" for text in field.column.checks]
    return "; ".join(" ".join(text.split()) for text in (field.column.comment, *checks) if text)
