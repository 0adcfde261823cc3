"""What of a table is offered: which columns under which property, which key, and which actions; why not is reported."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from toolc.diagnostics import Report
from toolc.ir import Origin, Schema
from toolc.sources.database import directives, types
from toolc.sources.database.binding import Binding, of_column
from toolc.sources.database.model import Column, Database, ForeignKey, Table
from toolc.sources.database.sensitive import is_sensitive

# What vendors take as the name of a property (Anthropic, November 2026).
_PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")


@dataclass(frozen=True, slots=True)
class Choice:
    """What the config says of tables and columns: globs on `table` or `table.column`, as the database names them."""

    hide: tuple[str, ...] = ()
    show: tuple[str, ...] = ()

    def hides(self, *names: str) -> bool:
        """Whether one of the names is to be left out."""
        return any(fnmatchcase(name, glob) for name in names for glob in self.hide)

    def shows(self, *names: str) -> bool:
        """Whether one of the names is to be shown, whatever it looks like."""
        return any(fnmatchcase(name, glob) for name in names for glob in self.show)


@dataclass(frozen=True, slots=True)
class Field:
    """A column as it is offered.

    name: the property. schema: of its values when they are not null. refers: `table.column` that it names, or empty.
    """

    name: str
    column: Column
    schema: Schema
    binding: Binding
    origin: Origin
    insert: bool
    update: bool
    refers: str = ""

    @property
    def required(self) -> bool:
        """Whether a new row needs a value for it."""
        return self.insert and not self.column.optional


@dataclass(frozen=True, slots=True)
class Offer:
    """A table as it is offered.

    name: for tools. key: the properties that name one row, or none. create, delete: whether rows can be.
    """

    table: Table
    name: str
    origin: Origin
    fields: tuple[Field, ...]
    key: tuple[str, ...]
    create: bool
    delete: bool


def offers(database: Database, origin: Origin, report: Report, choice: Choice | None = None) -> Iterator[Offer]:
    """Every table that is not hidden, in the order of the schema."""
    choice = choice or Choice()
    known: dict[str, directives.TableDirective] = {}
    tables: list[tuple[Table, Origin]] = []
    for table in database.tables:
        place = table.origin if table.origin.source else origin.at(table.full_name)
        table, said = directives.of_table(table, place, report)
        if said.hide or choice.hides(table.name, table.full_name):
            why = "its comment" if said.hide else "the config"
            report.note("hidden-table", f"`{table.full_name}` is left out, as {why} says", place)
            continue
        known[table.full_name] = said
        tables.append((table, place))
    names = _distinct([(table.full_name, known[table.full_name].rename or table.full_name) for table, _ in tables], str)
    for table, place in tables:
        shop = _Offering(database, table, names[table.full_name], place, report, choice, names)
        if (offer := shop.offer(known[table.full_name].key)) is not None:
            yield offer


@dataclass(slots=True)
class _Offering:
    """Looks at one table. names: of all offered tables, by full name."""

    database: Database
    table: Table
    name: str
    origin: Origin
    report: Report
    choice: Choice
    names: dict[str, str]

    def offer(self, key: tuple[str, ...]) -> Offer | None:
        """What of the table is offered; nothing if the role cannot read it or no column is left."""
        table = self.table
        if table.privileges is not None and not table.privileges and not any(_may(c, "select") for c in table.columns):
            self.report.note(
                "no-privilege", f"the role may not read `{table.full_name}`; no tool is made of it", self.origin
            )
            return None
        shown, missing = self._columns()
        if not shown:
            message = f"`{table.full_name}` has no column that a model may see; no tool is made of it"
            self.report.warning("hidden-table", message, self.origin)
            return None
        wishes = [(column.name, said.rename or column.name) for column, said in shown]
        properties = _distinct(wishes, _safe)
        fields = tuple(self._field(column, properties[column.name]) for column, _ in shown)
        writable = table.kind == "table" and not table.partial
        chosen = self._key(key, {field.column.name: field for field in fields})
        return Offer(
            table,
            self.name,
            self.origin,
            fields,
            tuple(properties[name] for name in chosen),
            create=writable and not missing and any(field.insert for field in fields) and self._granted("insert"),
            delete=writable and self._granted("delete"),
        )

    def _granted(self, privilege: str) -> bool:
        if self.table.privileges is None or privilege in self.table.privileges:
            return True
        return privilege == "insert" and any(_may(column, "insert") for column in self.table.columns)

    def _columns(self) -> tuple[list[tuple[Column, directives.ColumnDirective]], list[str]]:
        """The columns to show, each with its directive; and those that a new row needs but cannot be given."""
        shown, missing = [], []
        for column in self.table.columns:
            place = self._place(column)
            column, said = directives.of_column(column, place, self.report)
            reason = self._why_not(column, said, place)
            if reason is None:
                shown.append((column, said))
                if self._is_needed(column) and not self._writable(column, "insert", place):
                    missing.append(column.name)
            elif self._is_needed(column):
                missing.append(column.name)
        return shown, missing

    def _is_needed(self, column: Column) -> bool:
        # a search vector is filled by a trigger: nobody writes one
        return self.table.kind == "table" and not column.optional and column.type.name != "tsvector"

    def _why_not(self, column: Column, said: directives.ColumnDirective, place: Origin) -> str | None:
        """Why a column is left out, after saying so; None if it is shown."""
        names = (f"{self.table.name}.{column.name}", f"{self.table.full_name}.{column.name}")
        about = f"{self.table.full_name}.{column.name}"
        if said.hide or (said.hide is None and self.choice.hides(*names)):
            reason, advice = "its comment says so" if said.hide else "the config says so", ""
        elif not _may(column, "select"):
            reason, advice = "the role may not read it", ""
        elif said.hide is None and self._is_secret(column) and not self.choice.shows(*names):
            reason = "secret"
            advice = (
                f"put `{about}` under `hide` if it is one, else under `show`, or @toolc({{hide: …}}) into its comment"
            )
        else:
            return None
        consequence = "; as a row cannot do without it, create is not offered" if self._is_needed(column) else ""
        if column.name in self.table.primary_key:
            consequence += "; nor can the primary key name a row"
        if reason == "secret":
            message = f"{about} looks like a secret and is left out{consequence}"
            self.report.warning("sensitive-column", message, place, help=advice)
        else:
            self.report.note("hidden-column", f"{about} is left out, as {reason}{consequence}", place)
        return reason

    def _is_secret(self, column: Column) -> bool:
        return is_sensitive(column.name, types.schema_of(column, self.database.dialect))

    def _writable(self, column: Column, privilege: str, place: Origin | None = None) -> bool:
        """Whether values can be given for the column; place: where to say so if a row needs one."""
        if self.table.kind != "table" or column.supplied:
            return False
        if not types.is_writable(column.type, self.database.dialect):
            reason = f"values of type {column.type.name} cannot be given as JSON"
        elif not _may(column, privilege):
            reason = f"the role may not {privilege} it"
        else:
            return True
        if place is not None:
            about = f"{self.table.full_name}.{column.name}"
            message = f"{about} is only read, as {reason}; as a row cannot do without it, create is not offered"
            self.report.warning("column-not-writable", message, place)
        return False

    def _field(self, column: Column, name: str) -> Field:
        dialect = self.database.dialect
        if types.of_type(column.type, dialect) is None and not (self.table.partial or self.table.kind == "view"):
            about = f"the type `{column.type.text}` of {self.table.full_name}.{column.name}"
            self.report.note("unknown-type", f"{about} is not known and read as text", self._place(column))
        schema, refers = types.schema_of(column, dialect), self._reference(column)
        if refers:
            # `→ artist` is enough where the column is called like the one it names
            told = refers.removesuffix(f".{column.name}")
            schema = {**schema, "description": f"{schema.get('description', '')} → {told}".strip()}
        return Field(
            name,
            column,
            schema,
            of_column(column.name, column.type, dialect),
            self._place(column),
            insert=self._writable(column, "insert"),
            update=self._writable(column, "update"),
            refers=refers,
        )

    def _reference(self, column: Column) -> str:
        """The other table's key that this column names, as a model sees it; empty if it does not see the table."""
        for key in self.table.foreign_keys:
            target = self.names.get(f"{key.schema}.{key.table}" if key.schema else key.table)
            if column.name in key.columns and target is not None:
                index = key.columns.index(column.name)
                return f"{target}.{key.target[index] if index < len(key.target) else '?'}"
        return ""

    def _key(self, declared: tuple[str, ...], fields: dict[str, Field]) -> tuple[str, ...]:
        """The columns that name one row."""
        if declared:
            if all(name in fields for name in declared):
                return declared
            unknown = ", ".join(name for name in declared if name not in fields)
            message = (
                f"the key that the comment of `{self.table.full_name}` declares names {unknown}, which it does not show"
            )
            self.report.error("invalid-directive", message, self.origin)
        if self.table.kind in ("view", "materialized view"):
            return ()
        keys = self.table.keys()
        return next((key for key in keys if all(name in fields for name in key)), ())

    def _place(self, column: Column) -> Origin:
        return column.origin if column.origin.source else self.origin.at(column.name)


def referenced(found: Iterable[Offer]) -> list[str]:
    """The names of the tables, those first that most others refer to; ties in the order of the schema."""
    found = list(found)
    counts: dict[str, int] = {}
    for offer in found:
        for key in offer.table.foreign_keys:
            target = _full_name(key)
            if target != offer.table.full_name:
                counts[target] = counts.get(target, 0) + 1
    return [offer.name for offer in sorted(found, key=lambda offer: -counts.get(offer.table.full_name, 0))]


def _full_name(key: ForeignKey) -> str:
    return f"{key.schema}.{key.table}" if key.schema else key.table


def _may(column: Column, privilege: str) -> bool:
    return column.privileges is None or privilege in column.privileges


def _distinct(wishes: list[tuple[str, str]], make: Callable[[str], str]) -> dict[str, str]:
    """A name for each (key, wish), made of the wish and numbered where two meet; who has the name already keeps it."""
    taken = {wish for _, wish in wishes if make(wish) == wish}
    names: dict[str, str] = {}
    used: set[str] = set()
    for key, wish in wishes:
        made = make(wish)
        name, number = made, 2
        while name in used or (made != wish and name in taken):
            name, number = f"{made[:60]}_{number}", number + 1
        used.add(name)
        names[key] = name
    return names


def _safe(name: str) -> str:
    """A property name that every vendor takes."""
    if _PROPERTY.fullmatch(name):
        return name
    folded = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    text = re.sub(r"[^a-zA-Z0-9_.-]+", "_", "".join(c for c in folded if not unicodedata.combining(c))).strip("_")
    return text[:64] or "column"
