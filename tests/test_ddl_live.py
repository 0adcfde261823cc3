"""Schemas read from text, against what PostgreSQL and MariaDB make of the same text."""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from toolc.diagnostics import Report, Severity
from toolc.ir import Origin
from toolc.sources.database import checks, ddl, lexer, literals
from toolc.sources.database.model import Database, Dialect, Table
from toolc.sources.database.typenames import typed

POSTGRES = os.environ.get("TOOLC_TEST_POSTGRES_URL", "postgresql://postgres@127.0.0.1:5432/postgres")
MYSQL = os.environ.get("TOOLC_TEST_MYSQL_URL", "mysql://root@127.0.0.1:3306/")
FIXTURES = Path(__file__).parent / "fixtures" / "ddl"


def read(text: str, dialect: Dialect) -> tuple[Database, Report]:
    report = Report()
    return ddl.read(text, dialect, Origin("schema.sql"), report), report


# --- PostgreSQL


@pytest.fixture
def postgres() -> Iterator[Any]:
    import psycopg

    name = f"toolc_ddl_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(POSTGRES, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        try:
            with psycopg.connect(POSTGRES, dbname=name, autocommit=True) as connection:
                yield connection
        finally:
            server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def loadable(text: str) -> str:
    """Without what reaches out of the database, and without the type of an extension that is seldom there."""
    text = re.sub(r"^(?:\\|DROP DATABASE|CREATE DATABASE)[^\n]*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^(?:CREATE|COMMENT ON) EXTENSION[^;]*;", "", text, flags=re.MULTILINE)
    text = re.sub(r"^CREATE INDEX[^;]*\bhnsw\b[^;]*;", "", text, flags=re.MULTILINE)
    text = text.replace(" VIRTUAL", " STORED").replace("uuidv7()", "gen_random_uuid()")  # before version 18
    return re.sub(r"public\.vector\(\d+\)", "bytea", text)


POSTGRES_TABLES = """
SELECT c.oid, CASE n.nspname WHEN 'public' THEN '' ELSE n.nspname END, c.relname, c.relkind::text, c.relispartition,
       coalesce(obj_description(c.oid, 'pg_class'), '')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg_%'
  AND c.relkind IN ('r', 'p', 'v', 'm')
"""
POSTGRES_COLUMNS = """
SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity::text, a.attgenerated::text,
       (SELECT pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef d WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum),
       coalesce(col_description(a.attrelid, a.attnum), ''), t.typtype::text,
       CASE t.typtype WHEN 'd' THEN t.typnotnull ELSE false END, t.typdefault
FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
POSTGRES_CONSTRAINTS = """
SELECT k.contype::text, k.conname,
       ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY x(n, i)
             JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = x.n ORDER BY x.i),
       coalesce(f.relname, '')::text, ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY x(n, i)
             JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = x.n ORDER BY x.i),
       k.confdeltype::text, pg_get_expr(k.conbin, k.conrelid)
FROM pg_constraint k LEFT JOIN pg_class f ON f.oid = k.confrelid WHERE k.conrelid = %s
"""
ACTIONS = {"a": "", " ": "", "c": "CASCADE", "n": "SET NULL", "r": "RESTRICT", "d": "SET DEFAULT"}


def in_postgres(connection: Any) -> dict[tuple[str, str], dict[str, Any]]:
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for oid, schema, name, kind, partition, comment in connection.execute(POSTGRES_TABLES).fetchall():
        columns = connection.execute(POSTGRES_COLUMNS, (oid,)).fetchall()
        constraints = connection.execute(POSTGRES_CONSTRAINTS, (oid,)).fetchall()
        conditions = [list(lexer.tokens(row[6], "postgres")) for row in constraints if row[0] == "c"]
        bounds = checks.of_columns(conditions, [column[0] for column in columns], "postgres")
        found[schema, name] = {
            "kind": {"v": "view", "m": "materialized view"}.get(kind, "table"),
            "partition": partition,
            "comment": comment,
            "columns": {
                column[0]: {
                    "type": column[1] if column[7] in ("e", "d", "c") else shape(typed(column[1], "postgres")),
                    "not_null": column[2] or column[8],
                    "identity": {"a": "always", "d": "by default"}.get(column[3], ""),
                    "generated": {"s": "stored", "v": "virtual"}.get(column[4], ""),
                    # DEFAULT NULL is kept where it is cast, and gives no value there either.
                    "default": (not column[4] and not (column[5] or "NULL").startswith("NULL"))
                    or column[9] is not None,
                    "comment": column[6],
                    "bounds": dict(bounds[column[0].lower()].bounds) if column[0].lower() in bounds else {},
                    "domain": column[7] == "d",
                }
                for column in columns
            },
            "primary_key": next((tuple(row[2]) for row in constraints if row[0] == "p"), ()),
            "unique": sorted((row[1], tuple(row[2])) for row in constraints if row[0] == "u"),
            "foreign_keys": sorted(
                (tuple(row[2]), row[3], tuple(row[4]), ACTIONS[row[5]]) for row in constraints if row[0] == "f"
            ),
            "checks": sum(row[0] == "c" for row in constraints),
        }
    return found


def shape(type: Any) -> tuple[Any, ...]:
    return (type.name, type.arguments, min(type.dimensions, 1))


def in_text(database: Database) -> dict[tuple[str, str], Table]:
    return {(table.schema, table.name): table for table in (*database.tables, *database.partitions)}


def same_as_postgres(text: str, connection: Any) -> None:
    connection.execute(text)
    expected = in_postgres(connection)
    database, report = read(text, "postgres")
    assert not [finding.message for finding in report.diagnostics if finding.severity > Severity.warning]
    tables = in_text(database)
    assert set(tables) == set(expected)
    for key, facts in expected.items():
        table = tables[key]
        assert table.kind == facts["kind"], key
        assert bool(table.partition_of) == facts["partition"], key
        assert table.comment == facts["comment"], key
        assert not table.partial, key
        if table.kind != "table":
            assert [column.name for column in table.columns] == list(facts["columns"]), key
            for column in table.columns:
                want = facts["columns"][column.name]
                if column.type.text and isinstance(want["type"], tuple) and not column.type.domain:
                    assert shape(column.type) == want["type"], (*key, column.name)
            continue
        assert [column.name for column in table.columns] == list(facts["columns"]), key
        if facts["partition"]:
            continue  # no tool is made of it; its keys are those of its parent
        for column in table.columns:
            want = facts["columns"][column.name]
            what = (*key, column.name)
            if isinstance(want["type"], tuple) and column.type.text:  # of an expression it is not known
                assert shape(column.type) == want["type"], what
            assert (column.type.domain != "") == want["domain"], what
            assert column.not_null == want["not_null"], what
            assert column.identity == want["identity"], what
            assert column.generated == want["generated"], what
            assert (column.default is not None and column.default.fills) == want["default"], what
            assert column.comment == want["comment"], what
            if not want["domain"]:
                assert dict(column.bounds) == want["bounds"], what
        assert table.primary_key == facts["primary_key"], key
        assert sorted((k.name, k.columns) for k in table.unique if not k.index) == facts["unique"], key
        keys = sorted((k.columns, k.table, k.target, k.on_delete) for k in table.foreign_keys)
        assert keys == facts["foreign_keys"], key
        assert len(table.checks) == facts["checks"], key
    enums = connection.execute(
        "SELECT t.typname, array_agg(e.enumlabel::text ORDER BY e.enumsortorder) FROM pg_enum e "
        "JOIN pg_type t ON t.oid = e.enumtypid GROUP BY t.oid, t.typname"
    ).fetchall()
    assert {name.rpartition(".")[2]: list(values) for name, values in database.enums.items()} == dict(enums)


@pytest.mark.parametrize("name", ["postgres_everything", "postgres_dump", "postgres_changes"])
def test_everything_in_postgres(postgres: Any, name: str) -> None:
    same_as_postgres((FIXTURES / f"{name}.sql").read_text(encoding="utf-8"), postgres)


CORPUS_POSTGRES = ["chinook_PostgreSql", "chinook_PostgreSql_SerialPKs", "mediawiki_pg", "northwind_pg", "pagila"]
CORPUS_POSTGRES += ["pagila_jsonb", "sakila_postgres"]


@pytest.mark.parametrize("name", CORPUS_POSTGRES)
def test_corpus_in_postgres(shared: Path, postgres: Any, name: str) -> None:
    text = (shared / "corpus" / "ddl" / f"{name}.sql").read_text(encoding="utf-8-sig")
    same_as_postgres(loadable(text), postgres)


# The others need PostgreSQL 18, a client, or are broken on purpose.
CASES_POSTGRES = ["01_pg_dump_split", "02_pg_partitions", "04_pg_inherits_like", "07_composite_keys", "08_quoted_names"]
CASES_POSTGRES += ["20_number_types", "21_defaults", "24_same_name_two_schemas", "25_tool_name_limits"]
CASES_POSTGRES += ["27_sensitive_columns", "32_create_as_select"]


@pytest.mark.parametrize("name", CASES_POSTGRES)
def test_cases_in_postgres(shared: Path, postgres: Any, name: str) -> None:
    same_as_postgres((shared / "cases" / "ddl" / f"{name}.sql").read_text(encoding="utf-8"), postgres)


# --- MariaDB


@pytest.fixture
def mysql() -> Iterator[Any]:
    from urllib.parse import urlsplit

    import pymysql

    url = urlsplit(MYSQL)
    name = f"toolc_ddl_{uuid.uuid4().hex[:8]}"
    connection = pymysql.connect(
        host=url.hostname or "127.0.0.1",
        port=url.port or 3306,
        user=url.username or "root",
        password=url.password or "",
        autocommit=True,
    )
    with connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
        try:
            cursor.execute(f"USE {name}")
            yield cursor
        finally:
            cursor.execute(f"DROP DATABASE {name}")


def statements(text: str) -> Iterator[str]:
    """As the mysql client cuts a script whose statements end with their lines; nothing that changes the database."""
    delimiter, lines = ";", []
    for line in text.splitlines():
        if line.upper().startswith("DELIMITER"):
            delimiter = line.split()[1]
            continue
        lines.append(line)
        if line.rstrip().endswith(delimiter) and (delimiter != ";" or not _in_body(lines)):
            statement = "\n".join(lines).rstrip()[: -len(delimiter)]
            lines = []
            if not re.match(
                r"\s*(?:--[^\n]*\n|\s)*(?:DROP|CREATE) (?:SCHEMA|DATABASE)|\s*USE ", statement, re.IGNORECASE
            ):
                yield statement


def _in_body(lines: list[str]) -> bool:
    return any(line == "BEGIN" for line in lines) and lines[-1] != "END;"


def in_mysql(cursor: Any) -> dict[str, dict[str, Any]]:
    def ask(question: str, *values: str) -> list[tuple[Any, ...]]:
        cursor.execute(question, values)
        return list(cursor.fetchall())

    found = {}
    here = "table_schema = database() AND table_name = %s"
    for name, kind, comment in ask(
        "SELECT table_name, table_type, table_comment FROM information_schema.tables WHERE table_schema = database()"
    ):
        columns = ask(
            "SELECT column_name, column_type, is_nullable, column_default, extra, column_comment "
            f"FROM information_schema.columns WHERE {here} ORDER BY ordinal_position",
            name,
        )
        constraints = {
            row[0]: row[1]
            for row in ask(
                f"SELECT constraint_name, constraint_type FROM information_schema.table_constraints WHERE {here}", name
            )
        }
        used = ask(
            "SELECT constraint_name, column_name, referenced_table_name, referenced_column_name FROM "
            f"information_schema.key_column_usage WHERE {here} ORDER BY constraint_name, ordinal_position",
            name,
        )
        rules = dict(
            ask(
                "SELECT constraint_name, delete_rule FROM information_schema.referential_constraints "
                "WHERE constraint_schema = database() AND table_name = %s",
                name,
            )
        )
        keys: dict[str, list[tuple[Any, ...]]] = {}
        for constraint, *rest in used:
            keys.setdefault(constraint, []).append(tuple(rest))
        clauses = ask(
            "SELECT check_clause FROM information_schema.check_constraints "
            "WHERE constraint_schema = database() AND table_name = %s",
            name,
        )
        bounds = checks.of_columns(
            [list(lexer.tokens(clause, "mysql")) for (clause,) in clauses], [column[0] for column in columns], "mysql"
        )
        found[name] = {
            "kind": "view" if kind == "VIEW" else "table",
            "comment": "" if kind == "VIEW" else comment,
            "columns": {
                column[0]: {
                    "type": typed("json" if column[0] == "doc" else column[1], "mysql"),  # which is text there
                    "not_null": column[2] == "NO",
                    "default": column[3] not in (None, "NULL"),
                    "value": column[3],
                    "identity": "by default" if "auto_increment" in column[4] else "",
                    "on_update": "on update" in column[4],
                    "generated": {"VIRTUAL": "virtual", "STORED": "stored"}.get(column[4].split(" ")[0], ""),
                    "comment": column[5],
                    "bounds": dict(bounds[column[0].lower()].bounds) if column[0].lower() in bounds else {},
                }
                for column in columns
            },
            "primary_key": tuple(row[0] for row in keys.get("PRIMARY", [])),
            "unique": sorted(
                tuple(row[0] for row in keys[constraint])
                for constraint, kind in constraints.items()
                if kind == "UNIQUE"
            ),
            "foreign_keys": sorted(
                (
                    tuple(row[0] for row in keys[constraint]),
                    keys[constraint][0][1],
                    tuple(row[2] for row in keys[constraint]),
                    {"RESTRICT": "", "NO ACTION": ""}.get(rules[constraint], rules[constraint]),
                )
                for constraint, kind in constraints.items()
                if kind == "FOREIGN KEY"
            ),
        }
    return found


def same_as_mysql(text: str, cursor: Any) -> None:
    for statement in statements(text):
        cursor.execute(statement)
    expected = in_mysql(cursor)
    database, report = read(text, "mysql")
    assert not [finding.message for finding in report.diagnostics if finding.severity > Severity.warning]
    tables = {table.name: table for table in database.tables}
    assert set(tables) == set(expected)
    for name, facts in expected.items():
        table = tables[name]
        assert table.kind == facts["kind"], name
        assert table.comment == facts["comment"], name
        if table.partial:
            continue
        assert [column.name for column in table.columns] == list(facts["columns"]), name
        if table.kind == "view":
            continue
        # MariaDB carries more than types over from a query, as far as the columns are not computed there.
        queried = name in ("made_from", "extras")
        for column in table.columns:
            want = facts["columns"][column.name]
            what = (name, column.name)
            if column.type.text:
                assert (*shape(column.type), column.type.unsigned) == (*shape(want["type"]), want["type"].unsigned), (
                    what
                )
                assert column.type.values == want["type"].values, what
            if queried:
                continue
            assert column.not_null == want["not_null"], what
            assert column.identity == want["identity"], what
            assert (column.default is not None and column.default.fills) == want["default"], what
            if want["default"] and column.default and column.default.literal:
                value = want["value"].replace("\\0", "")  # what pads a binary text
                assert column.default.value == literals.default_of(value, "mysql", column.type).value, what
            assert bool(column.on_update) == want["on_update"], what
            assert column.generated == want["generated"], what
            assert column.comment == want["comment"], what
            assert dict(column.bounds) == want["bounds"], what
        assert table.primary_key == facts["primary_key"], name
        assert sorted(key.columns for key in table.unique) == facts["unique"], name
        keys = sorted(
            (key.columns, key.table, key.target, key.on_delete.replace("RESTRICT", "")) for key in table.foreign_keys
        )
        assert keys == facts["foreign_keys"], name


@pytest.mark.parametrize("name", ["mariadb_everything", "mariadb_migrations"])
def test_everything_in_mariadb(mysql: Any, name: str) -> None:
    same_as_mysql((FIXTURES / f"{name}.sql").read_text(encoding="utf-8"), mysql)


@pytest.mark.parametrize("name", ["chinook_MySql", "mediawiki_mysql", "sakila_mysql", "wordpress_mysql"])
def test_corpus_in_mariadb(shared: Path, mysql: Any, name: str) -> None:
    text = (shared / "corpus" / "ddl" / f"{name}.sql").read_text(encoding="utf-8-sig")
    text = text.replace("sakila.", "")
    if name == "wordpress_mysql":  # a server refuses the second definition of wp_users
        text = re.sub(r"^CREATE TABLE ", "CREATE TABLE IF NOT EXISTS ", text, flags=re.MULTILINE)
        mysql.execute("SET sql_mode = ''")  # dates of zeros
    same_as_mysql(text, mysql)
