"""REFERENCES: the table, its columns, and what happens when their rows go."""

from __future__ import annotations

from toolc.sources.database.ddl.cursor import Cursor
from toolc.sources.database.ddl.draft import Catalog
from toolc.sources.database.model import ForeignKey


def reference(cursor: Cursor, columns: tuple[str, ...], name: str, catalog: Catalog) -> ForeignKey:
    """A foreign key, from the word REFERENCES on; its table is resolved when all tables are known.

    PostgreSQL looks in the schemas of the search path, which may be another one later.
    """
    cursor.accept("REFERENCES")
    names = cursor.names()
    inside = cursor.bracket()
    target = key_columns(inside) if inside is not None else ()
    deletes, updates = actions(cursor)
    schema = names[-2] if len(names) > 1 else ""
    if catalog.dialect == "postgres" and not schema:
        found = next((part for part in catalog.path if catalog.key(part, names[-1]) in catalog.tables.all), None)
        schema = catalog.default if found == "" else found or ""
    return ForeignKey(columns, names[-1], target, schema, name, deletes, updates)


def key_columns(cursor: Cursor) -> tuple[str, ...]:
    """The names in a list of key columns, without lengths, order or PERIOD; expressions have none."""
    found = []
    for part in cursor.commas():
        if part.accept("PERIOD") and not part:
            part.at -= 1  # a column of this name
        if part.is_name():
            name = part.name()
            if part.upper != "(" or part.peek(1).kind == "number":
                found.append(name)
    return tuple(found)


def actions(cursor: Cursor) -> tuple[str, str]:
    """The actions ON DELETE and ON UPDATE, empty where there is none; and what else stands there is stepped over."""
    found = {"DELETE": "", "UPDATE": ""}
    while cursor:
        if cursor.sees("ON", "DELETE") or cursor.sees("ON", "UPDATE"):
            event = cursor.peek(1).upper
            cursor.at += 2
            action = cursor.take().upper
            if action in ("SET", "NO"):
                action += " " + cursor.take().upper
                cursor.bracket()  # SET NULL (column)
            found[event] = "" if action == "NO ACTION" else action
        elif cursor.accept("MATCH") or cursor.accept("INITIALLY"):
            cursor.take()
        elif (
            cursor.accept("NOT", "DEFERRABLE")
            or cursor.accept("NOT", "VALID")
            or cursor.accept("NOT", "ENFORCED")
            or cursor.accept("NOT", "FOR", "REPLICATION")
        ):
            pass
        elif not cursor.accept_any("DEFERRABLE", "ENFORCED", "ENABLE", "DISABLE", "VALIDATE", "NOVALIDATE", "RELY"):
            break
    return found["DELETE"], found["UPDATE"]
