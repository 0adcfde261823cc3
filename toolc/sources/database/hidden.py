"""Tables that no tool is made of: what migration tools, virtual tables and sessions keep for themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolc.diagnostics import Report
from toolc.sources.database import virtual
from toolc.sources.database.model import Table

# Where migration tools note what they did (Alembic, Rails, Django, Flyway, Liquibase, Knex, Prisma, Goose, Sequelize,
# TypeORM, EF Core, Phinx, Doctrine, sqlx, Drizzle, Cloudflare D1, gorp).
MIGRATIONS = frozenset(
    {"alembic_version", "schema_migrations", "ar_internal_metadata", "django_migrations", "flyway_schema_history"}
    | {"databasechangelog", "databasechangeloglock", "knex_migrations", "knex_migrations_lock", "_prisma_migrations"}
    | {"goose_db_version", "sequelizemeta", "typeorm_metadata", "__efmigrationshistory", "phinxlog", "d1_migrations"}
    | {"doctrine_migration_versions", "migration_versions", "_sqlx_migrations", "__drizzle_migrations"}
    | {"gorp_migrations"}
)


def visible(tables: Iterable[Table], report: Report) -> Iterator[Table]:
    """The tables to make tools of; each of the others is noted."""
    tables = list(tables)
    virtuals = [table.name for table in tables if table.kind == "virtual"]
    for table in tables:
        owner = next((name for name in virtuals if virtual.is_shadow(table.name, name)), None)
        if owner is not None and table.kind != "virtual":
            reason = f"holds the data of `{owner}`"
        elif table.name.lower() in MIGRATIONS:
            reason = "belongs to a migration tool"
        elif table.temporary:
            reason = "is temporary"
        else:
            yield table
            continue
        report.note("hidden-table", f"`{table.name}` {reason}; no tool is made of it", table.origin)
