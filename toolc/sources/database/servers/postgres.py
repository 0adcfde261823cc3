"""PostgreSQL, from its catalog: what a role sees of all schemas that are not the system's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolc.diagnostics import Report
from toolc.ir import Origin
from toolc.sources.database import hidden
from toolc.sources.database.literals import default_of
from toolc.sources.database.model import Check, Column, Database, ForeignKey, Key, Kind, Table
from toolc.sources.database.servers.postgres_types import Types
from toolc.sources.database.servers.shared import checked, granted

_KINDS: dict[str, Kind] = {"r": "table", "p": "table", "v": "view", "m": "materialized view", "f": "foreign table"}
_SYSTEM = "n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'"
_TABLES = f"""
SELECT c.oid, n.nspname, c.relname, c.relkind::text, c.relispartition, c.reltuples::bigint,
  obj_description(c.oid, 'pg_class'), pg_relation_is_updatable(c.oid, false) & 28 = 28,
  ARRAY(SELECT p.inhparent::regclass::oid FROM pg_inherits p WHERE p.inhrelid = c.oid ORDER BY p.inhseqno),
  (SELECT e.extname FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
    WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e' LIMIT 1),
  has_table_privilege(c.oid, 'SELECT'), has_table_privilege(c.oid, 'INSERT'),
  has_table_privilege(c.oid, 'UPDATE'), has_table_privilege(c.oid, 'DELETE')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND {_SYSTEM} AND has_schema_privilege(n.oid, 'USAGE')
ORDER BY n.nspname, c.relname
"""  # noqa: S608
_COLUMNS = f"""
SELECT a.attrelid, a.attname, a.atttypid, format_type(a.atttypid, a.atttypmod), a.attndims, a.attnotnull,
  a.attidentity::text, a.attgenerated::text, pg_get_expr(d.adbin, d.adrelid), col_description(a.attrelid, a.attnum),
  has_column_privilege(a.attrelid, a.attnum, 'SELECT'), has_column_privilege(a.attrelid, a.attnum, 'INSERT'),
  has_column_privilege(a.attrelid, a.attnum, 'UPDATE')
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND {_SYSTEM}
ORDER BY a.attrelid, a.attnum
"""  # noqa: S608
_COLUMN_PRIVILEGES = ("select", "insert", "update")
_TABLE_PRIVILEGES = (*_COLUMN_PRIVILEGES, "delete")
_GENERATED: dict[str, Any] = {"s": "stored", "v": "virtual"}
_IDENTITY: dict[str, Any] = {"a": "always", "d": "by default"}


def read(connection: Any, schemas: Sequence[str], report: Report) -> tuple[Database, dict[str, Any]]:
    """The structure of the database, and the server's name and version.

    The schema that names without one lead to (`public`, mostly) is called the empty one, as in a schema file.
    """
    ask = connection.exec_driver_sql
    home = ask("SELECT current_schema()").scalar() or "public"
    version = str(ask("SHOW server_version").scalar()).split()[0]
    rows = [row for row in ask(_TABLES) if not schemas or row[1] in schemas]
    for schema in sorted(set(schemas) - {row[1] for row in rows}):
        report.warning("empty-schema", f"the schema `{schema}` holds no table that the role sees")
    types = Types(ask, home)
    columns = _columns(ask(_COLUMNS), types)
    keys = _Constraints(connection, sorted({row[1] for row in rows}), home)
    names = {row[0]: _full(row[1], row[2], home) for row in rows}
    tables, partitions = [], []
    for row in rows:
        table = keys.put_into(_table(row, columns[row[0]], names, home), row[1])
        if row[4]:
            partitions.append(replace(table, columns=()))
        elif row[9] is not None:
            report.note("hidden-table", f"`{table.full_name}` belongs to the extension {row[9]}; no tool is made of it")
        else:
            tables.append(table)
    if partitions:
        parents = len({table.partition_of for table in partitions})
        message = f"{len(partitions)} partitions are reached through the {parents} tables that they are parts of"
        report.note("hidden-table", message)
    database = Database(
        "postgres",
        tuple(hidden.visible(tables, report)),
        tuple(partitions),
        types.enums,
        types.domains,
        types.composites,
    )
    return database, {"name": "PostgreSQL", "version": version}


def _full(schema: str, name: str, home: str) -> str:
    return name if schema == home else f"{schema}.{name}"


def _table(row: Sequence[Any], columns: Sequence[Column], names: Mapping[int, str], home: str) -> Table:
    _, schema, name, kind, is_partition, estimate, comment, updatable, parents, _, *may = row
    above = tuple(names[oid] for oid in parents if oid in names)
    return Table(
        name,
        _KINDS[kind],
        tuple(columns),
        schema="" if schema == home else schema,
        partitioned=kind == "p",
        partition_of=above[0] if is_partition and above else "",
        inherits=() if is_partition else above,
        comment=comment or "",
        updatable=bool(updatable) if kind == "v" else None,
        rows=estimate if estimate >= 0 else None,
        privileges=granted(may, _TABLE_PRIVILEGES),
        origin=Origin(""),
    )


def _columns(rows: Iterable[Sequence[Any]], types: Types) -> dict[int, list[Column]]:
    """The columns of each table by its oid, in order."""
    found: dict[int, list[Column]] = defaultdict(list)
    for table, name, oid, text, dimensions, not_null, identity, generated, default, comment, *may in rows:
        kind, limits = types.of(oid, text, dimensions)
        column = Column(
            name,
            kind,
            not_null=not_null or limits.not_null,
            default=default_of(default, "postgres", kind) if default and not generated else limits.default,
            identity=_IDENTITY.get(identity, ""),
            generated=_GENERATED.get(generated, ""),
            bounds=limits.bounds,
            checks=limits.checks,
            comment=comment or "",
            privileges=granted(may, _COLUMN_PRIVILEGES),
        )
        found[table].append(column)
    return found


@dataclass(slots=True)
class _Constraints:
    """Keys and checks of all tables, from the Inspector, a query or two for each schema."""

    connection: Any
    schemas: Sequence[str]
    home: str
    found: dict[str, dict[tuple[str, str], Any]]

    def __init__(self, connection: Any, schemas: Sequence[str], home: str) -> None:
        from sqlalchemy import inspect

        inspector = inspect(connection)
        self.home = home
        self.found = {}
        for kind in ("pk_constraint", "foreign_keys", "unique_constraints", "indexes", "check_constraints"):
            ask = getattr(inspector, f"get_multi_{kind}")
            self.found[kind] = {key: value for schema in schemas for key, value in ask(schema=schema).items()}

    def put_into(self, table: Table, schema: str) -> Table:
        """The table with its keys and checks."""
        if table.kind not in ("table", "foreign table"):
            return table
        place = (schema, table.name)
        primary = tuple((self._of("pk_constraint", place) or {}).get("constrained_columns", ()))
        conditions = [Check(item["sqltext"], name=item["name"] or "") for item in self._of("check_constraints", place)]
        columns = checked(table.columns, conditions, "postgres")
        return replace(
            table,
            columns=columns,
            primary_key=primary,
            unique=tuple(self._unique(place)),
            foreign_keys=tuple(map(self._foreign, self._of("foreign_keys", place))),
            checks=tuple(conditions),
        )

    def _of(self, kind: str, place: tuple[str, str]) -> Any:
        found: Any = self.found[kind].get(place)
        return found or ([] if kind != "pk_constraint" else {})

    def _unique(self, place: tuple[str, str]) -> Iterable[Key]:
        """Unique constraints, and unique indexes on all rows and plain columns."""
        names = set()
        for item in sorted(self._of("unique_constraints", place), key=lambda item: item["name"]):
            names.add(item["name"])
            yield Key(tuple(item["column_names"]), item["name"])
        for item in sorted(self._of("indexes", place), key=lambda item: item["name"]):
            partial = "postgresql_where" in item.get("dialect_options", {})
            if item["unique"] and item["name"] not in names and not partial and None not in item["column_names"]:
                yield Key(tuple(item["column_names"]), item["name"], index=True)

    def _foreign(self, item: Mapping[str, Any]) -> ForeignKey:
        schema = item["referred_schema"] or self.home
        options = item.get("options", {})
        return ForeignKey(
            tuple(item["constrained_columns"]),
            item["referred_table"],
            tuple(item["referred_columns"]),
            "" if schema == self.home else schema,
            item["name"] or "",
            options.get("ondelete", ""),
            options.get("onupdate", ""),
        )
