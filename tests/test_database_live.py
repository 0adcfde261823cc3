"""Live databases: what a catalog says, what a role may see, and what goes wrong. The servers have to be there."""

from __future__ import annotations

import json
import re
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from databases import POSTGRES, as_user, mysql, postgres
from sql_check import run
from test_ddl_live import loadable, statements

from toolc import bundle
from toolc.diagnostics import Report, UserError
from toolc.ir import Operation, Origin, SqlCall
from toolc.schema.validator import Validator
from toolc.sources.database import ddl, operations, sqlite, stored
from toolc.sources.database.model import Database
from toolc.sources.database.offer import offers
from toolc.sources.database.servers import reflect


def read(url: str, **options: Any) -> tuple[Database, list[tuple[str, str]]]:
    report = Report()
    database = reflect(url, "SHOP_URL", report, **options).database
    return database, [(finding.rule, finding.message) for finding in report.diagnostics]


def offered(database: Database) -> tuple[dict[str, Operation], list[tuple[str, str]]]:
    report = Report()
    found: dict[str, Operation] = {}
    for offer in offers(database, Origin("s"), report):
        found |= {operation.name: operation for operation in operations.of_table("db", offer, database.dialect)}
    return found, [(finding.rule, finding.message) for finding in report.diagnostics]


def columns(operation: Operation, where: str = "values") -> list[str]:
    return list(operation.input["properties"][where]["properties"])


SHOP = """
CREATE SCHEMA crm;
CREATE TYPE rating AS ENUM ('G', 'PG');
CREATE DOMAIN positive AS numeric(9,2) NOT NULL CHECK (VALUE > 0);
CREATE TABLE crm.account (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL);
CREATE TABLE film (
  id serial PRIMARY KEY,
  title varchar(20) NOT NULL DEFAULT 'x'::character varying,
  account integer REFERENCES crm.account,
  rating rating DEFAULT 'G',
  price positive,
  slug text GENERATED ALWAYS AS (lower(title)) STORED,
  kind text CHECK (kind IN ('a', 'b')),
  seen timestamptz DEFAULT now() NOT NULL,
  tags text[] DEFAULT '{}' NOT NULL,
  words tsvector NOT NULL DEFAULT ''
);
COMMENT ON TABLE film IS 'Films for rent';
COMMENT ON COLUMN film.title IS 'as printed';
CREATE UNIQUE INDEX ON film (title) WHERE kind = 'a';
CREATE UNIQUE INDEX ON film (lower(title));
CREATE UNIQUE INDEX film_slug ON film (slug);
CREATE TABLE reading (id bigint NOT NULL, taken date NOT NULL, PRIMARY KEY (id, taken)) PARTITION BY RANGE (taken);
CREATE TABLE reading_1 PARTITION OF reading FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
CREATE VIEW cheap AS SELECT id, title FROM film WHERE price < 1;
COMMENT ON VIEW cheap IS 'Under one';
CREATE MATERIALIZED VIEW per_kind AS SELECT kind, count(*) AS films FROM film GROUP BY kind;
CREATE TABLE alembic_version (version_num varchar(32) PRIMARY KEY);
"""


def test_a_postgres_catalog() -> None:
    with postgres(SHOP) as (url, _):
        database, found = read(url)
    tables = {table.full_name: table for table in database.tables}
    assert {name: table.kind for name, table in tables.items()} == {
        "crm.account": "table",
        "cheap": "view",
        "film": "table",
        "per_kind": "materialized view",
        "reading": "table",
    }
    assert [table.name for table in database.partitions] == ["reading_1"]
    assert database.partitions[0].partition_of == "reading"
    assert [rule for rule, _ in found] == ["hidden-table", "hidden-table"]
    film = tables["film"]
    assert (film.comment, film.primary_key, film.unique[0].columns) == ("Films for rent", ("id",), ("slug",))
    assert len(film.unique) == 1  # part of the rows, or an expression, is no key
    assert (film.foreign_keys[0].schema, film.foreign_keys[0].table) == ("crm", "account")
    assert tables["reading"].primary_key == ("id", "taken")
    assert tables["cheap"].comment == "Under one"
    operations, said = offered(database)
    assert not said
    create = operations["film.create"]
    assert create.input["properties"]["values"]["required"] == ["price"]
    assert columns(create) == ["id", "title", "account", "rating", "price", "kind", "seen", "tags"]
    properties = create.input["properties"]["values"]["properties"]
    assert properties["title"] == {"type": "string", "maxLength": 20, "default": "x", "description": "as printed."}
    assert properties["account"]["description"] == "→ crm.account.id"
    assert properties["rating"] == {"type": ["string", "null"], "enum": ["G", "PG", None], "default": "G"}
    assert properties["price"]["exclusiveMinimum"] == 0
    assert properties["kind"]["enum"] == ["a", "b", None]
    assert properties["tags"]["default"] == []
    assert columns(operations["crm.account.create"]) == ["name"]
    assert "cheap.create" not in operations
    assert "cheap.get" not in operations
    assert "slug" in operations["film.list"].input["properties"]["columns"]["items"]["enum"]


def test_a_snapshot_reads_as_the_database() -> None:
    with postgres(SHOP) as (url, _):
        database, _ = read(url)
    written = json.dumps(stored.encode(database))
    back = stored.decode(json.loads(written), Origin("shop.json"))
    assert json.dumps(stored.encode(back)) == written
    assert offered(back)[0].keys() == offered(database)[0].keys()
    for name, operation in offered(database)[0].items():
        assert offered(back)[0][name].input == operation.input
        assert offered(back)[0][name].call == operation.call
    film = next(table for table in back.tables if table.name == "film")
    assert film.origin.pointer.startswith("/tables/")
    assert film.columns[1].origin.pointer.endswith("/columns/1")
    with pytest.raises(UserError):
        stored.decode({"dialect": "postgres", "tables": [{"name": 3}]}, Origin("shop.json"))


@contextmanager
def role(connection: Any, name: str, *grants: str) -> Iterator[None]:
    """A PostgreSQL role with a password and these grants."""
    connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'hush-hush'")
    try:
        for grant in grants:
            connection.execute(f"GRANT {grant} TO {name}")
        yield
    finally:
        connection.execute(f"DROP OWNED BY {name}")
        connection.execute(f"DROP ROLE {name}")


def test_a_postgres_role_sees_what_it_may_read() -> None:
    grants = ("SELECT (id, title, kind), INSERT (title), UPDATE (kind) ON film", "SELECT, DELETE ON reading")
    with postgres(SHOP) as (url, connection), role(connection, "toolc_f_clerk", *grants):
        database, _ = read(as_user(url, "toolc_f_clerk", "hush-hush"))
    operations, said = offered(database)
    names = {
        table: [name.rpartition(".")[2] for name in operations if name.startswith(f"{table}.")]
        for table in ("film", "reading", "cheap", "crm")
    }
    assert names["reading"] == ["list", "count", "get", "delete"]
    assert names["film"] == ["list", "count", "get", "update"]  # price is needed, and may not be given
    assert names["cheap"] == names["crm"] == []
    assert columns(operations["film.update"]) == ["kind"]
    assert operations["film.list"].input["properties"]["columns"]["items"]["enum"] == ["id", "title", "kind"]
    assert ("no-privilege", "the role may not read `cheap`; no tool is made of it") in said
    assert any(rule == "hidden-column" and "film.price" in message for rule, message in said)


def test_only_some_schemas() -> None:
    with postgres(SHOP) as (url, _):
        database, found = read(url, schemas=("crm", "nope"))
    assert [table.full_name for table in database.tables] == ["crm.account"]
    assert ("empty-schema", "the schema `nope` holds no table that the role sees") in found


MYSQL_SHOP = """
CREATE TABLE language (language_id tinyint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, name char(20) NOT NULL);
CREATE TABLE film (
  id int(10) unsigned NOT NULL AUTO_INCREMENT,
  title varchar(20) NOT NULL DEFAULT 'it''s' COMMENT 'as printed',
  language_id tinyint unsigned NOT NULL,
  rating enum('G','PG') DEFAULT 'G',
  features set('a','b'),
  data json,
  price decimal(5,2) NOT NULL CHECK (price > 0),
  slug varchar(20) AS (lower(title)) STORED,
  seen timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  flags bit(3) NOT NULL DEFAULT b'101',
  place point,
  PRIMARY KEY (id), UNIQUE KEY by_title (title),
  CONSTRAINT film_language FOREIGN KEY (language_id) REFERENCES language (language_id) ON DELETE CASCADE
) COMMENT='Films for rent';
CREATE TABLE reading (id int NOT NULL, taken date NOT NULL, PRIMARY KEY (id, taken))
  PARTITION BY RANGE (YEAR(taken)) (PARTITION p0 VALUES LESS THAN (2027), PARTITION p1 VALUES LESS THAN MAXVALUE);
CREATE VIEW cheap AS SELECT id, title FROM film WHERE price < 1;
"""


def test_a_mysql_catalog() -> None:
    with mysql(MYSQL_SHOP) as (url, _):
        database, found = read(url)
    assert not found
    tables = {table.full_name: table for table in database.tables}
    assert {name: table.kind for name, table in tables.items()} == {
        "cheap": "view",
        "film": "table",
        "language": "table",
        "reading": "table",
    }
    film = tables["film"]
    assert (film.comment, film.primary_key, film.unique[0].columns) == ("Films for rent", ("id",), ("title",))
    assert film.foreign_keys[0].on_delete == "CASCADE"
    operations, said = offered(database)
    assert not said
    create = operations["film.create"].input["properties"]["values"]
    assert create["required"] == ["language_id", "price"]
    properties = create["properties"]
    assert "slug" not in properties
    assert "place" not in properties  # read as text, never written
    assert properties["title"]["default"] == "it's"
    assert properties["data"] == {}
    assert properties["rating"] == {"type": ["string", "null"], "enum": ["G", "PG", None], "default": "G"}
    assert properties["features"]["type"] == ["array", "null"]
    assert properties["price"]["exclusiveMinimum"] == 0
    assert properties["id"] == {"type": "integer", "minimum": 0, "maximum": 4294967295}


def test_a_mysql_user_sees_what_it_may_read() -> None:
    with mysql(MYSQL_SHOP) as (url, connection), connection.cursor() as cursor:
        cursor.execute("CREATE OR REPLACE USER toolc_f_clerk@'%' IDENTIFIED BY 'hush-hush'")
        try:
            cursor.execute("GRANT SELECT (id, title, price), UPDATE (price) ON film TO toolc_f_clerk@'%'")
            cursor.execute("GRANT SELECT (id), DELETE ON reading TO toolc_f_clerk@'%'")
            cursor.execute("GRANT SELECT, INSERT, DELETE ON language TO toolc_f_clerk@'%'")
            database, _ = read(as_user(url, "toolc_f_clerk", "hush-hush"))
        finally:
            cursor.execute("DROP USER toolc_f_clerk@'%'")
    operations, _ = offered(database)
    names = sorted(operations)
    assert [name for name in names if name.startswith("film")] == ["film.count", "film.get", "film.list", "film.update"]
    assert columns(operations["film.update"]) == ["price"]
    assert [name for name in names if name.startswith("language")] == [
        *(f"language.{action}" for action in ("count", "create", "delete", "get", "list")),
    ]
    # half of the key is no key
    assert [name for name in names if name.startswith("reading")] == ["reading.count", "reading.list"]
    assert not any(name.startswith("cheap") for name in names)


def test_a_sqlite_file(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        connection.execute("CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
        connection.commit()
        database, _ = read(f"sqlite:///{tmp_path}/shop.db")
        operations, _ = offered(database)
        assert list(operations) == [
            f"film.{action}" for action in ("list", "count", "get", "create", "update", "delete")
        ]
        call = operations["film.create"].call
        assert isinstance(call, SqlCall)
        run(connection, call, {"values": {"title": "x"}})


WRONG: list[tuple[str, str, str]] = [
    ("not a url", "wrong-address", "what stands in $SHOP_URL is no address of a database"),
    ("oracle://scott:tiger@host/x", "wrong-address", "`oracle`"),
    ("mysql://root:hush-hush@127.0.0.1:3306", "wrong-address", "names no database"),
    ("postgresql://u:hush-hush@127.0.0.1:1/x", "unreachable-database", "127.0.0.1:1/x: no server answers there"),
    ("mysql://u:hush-hush@127.0.0.1:1/x", "unreachable-database", "127.0.0.1:1/x: no server answers there"),
    ("postgresql://u:hush-hush@no-such-host.invalid/x", "unreachable-database", "no-such-host.invalid/x"),
    ("sqlite:////no/such/file.db", "unreachable-database", "there is no database file"),
]


@pytest.mark.parametrize(("url", "rule", "words"), WRONG, ids=[url for url, _, _ in WRONG])
def test_a_wrong_address(url: str, rule: str, words: str) -> None:
    check_refused(url, rule, words)


def check_refused(url: str, rule: str, words: str, **options: Any) -> None:
    """One diagnostic, and nothing secret in it."""
    with pytest.raises(UserError) as caught:
        read(url, **options)
    (finding,) = caught.value.diagnostics
    assert finding.rule == rule
    assert words in finding.message
    text = f"{finding.message} {finding.help}"
    assert "hush-hush" not in text
    assert "tiger" not in text
    assert finding.help


def test_a_refused_login_and_an_unknown_database() -> None:
    with postgres() as (url, _):
        check_refused(_without_name(url) + "/toolc_f_nothing", "unknown-database", "no such database")
    with mysql() as (url, connection), connection.cursor() as cursor:
        cursor.execute("CREATE OR REPLACE USER toolc_f_login@'%' IDENTIFIED BY 'other'")
        try:
            wrong = as_user(url, "toolc_f_login", "hush-hush")
            check_refused(wrong, "refused-login", "the server refused the user or the password")
        finally:
            cursor.execute("DROP USER toolc_f_login@'%'")
        check_refused(_without_name(url) + "/toolc_f_nothing", "unknown-database", "no such database")


def _without_name(url: str) -> str:
    return url.rpartition("/")[0]


@pytest.mark.parametrize("scheme", ["postgresql", "mysql"])
def test_a_server_that_does_not_answer(scheme: str) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port = server.getsockname()[1]
        check_refused(f"{scheme}://u:hush-hush@127.0.0.1:{port}/x", "database-timeout", "within 2 seconds", timeout=2)


@pytest.mark.parametrize("package", ["sqlalchemy", "psycopg"])
def test_a_missing_extra(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UserError) as caught:
        read(POSTGRES)
    assert caught.value.diagnostics[0].rule == "missing-extra"
    assert "pip install 'toolc[db]'" in caught.value.diagnostics[0].help


def test_a_connection_only_reads() -> None:
    from toolc.sources.database.servers import address, connection

    target = address.parse(POSTGRES, "URL")
    with pytest.raises(UserError, match="read-only"), connection.connected(target, 5) as opened:
        opened.exec_driver_sql("CREATE TABLE toolc_f_nothing (id int)")


def comparable(database: Database, exact: bool = True) -> dict[str, Any]:
    """All that a tool and an executor need of each operation; exact: with the types of the columns of views.

    Schema text does not say what type an expression in a view has: a live database knows more there.
    """
    views = {table.full_name for table in database.tables if table.kind != "table"}
    found, _ = offered(database)
    return {
        name: (operation.input, operation.description, operation.extra["described"], operation.call)
        if exact and operation.extra["table"] not in views
        else operation.input
        for name, operation in found.items()
    }


CORPUS_POSTGRES = ["chinook_PostgreSql", "sakila_postgres", "northwind_pg", "mediawiki_pg"]
CORPUS_MYSQL = ["chinook_MySql", "sakila_mysql", "mediawiki_mysql", "wordpress_mysql"]


@pytest.mark.parametrize("name", ["", *CORPUS_POSTGRES])
def test_a_schema_file_and_postgres_give_the_same(name: str, request: pytest.FixtureRequest) -> None:
    text = corpus(name, request) if name else SHOP
    with postgres(loadable(text)) as (url, _):
        live, _ = read(url)
    assert comparable(live) == comparable(ddl.read(text, "postgres", Origin("s.sql"), Report()))


@pytest.mark.parametrize("name", ["", *CORPUS_MYSQL])
def test_a_schema_file_and_mariadb_give_the_same(name: str, request: pytest.FixtureRequest) -> None:
    text = corpus(name, request) if name else MYSQL_SHOP
    if name == "wordpress_mysql":  # a server refuses the second definition of wp_users
        text = re.sub(r"^CREATE TABLE ", "CREATE TABLE IF NOT EXISTS ", text, flags=re.MULTILINE)
    with mysql() as (url, connection), connection.cursor() as cursor:
        cursor.execute("SET sql_mode = ''")  # dates of zeros
        for statement in statements(text):
            cursor.execute(statement)
        live, _ = read(url)
    assert comparable(live) == comparable(ddl.read(text, "mysql", Origin("s.sql"), Report()))


def corpus(name: str, request: pytest.FixtureRequest) -> str:
    shared: Path = request.getfixturevalue("shared")
    text = (shared / "corpus" / "ddl" / f"{name}.sql").read_text(encoding="utf-8-sig")
    return text.replace("sakila.", "")  # the name of the database that the script would make


def test_a_table_that_is_only_known_in_part_is_only_read() -> None:
    text = "CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b AS SELECT *, now() FROM a, elsewhere;"
    operations, _ = offered(ddl.read(text, "postgres", Origin("s.sql"), Report()))
    assert not {"b.create", "b.update", "b.delete"} & operations.keys()


def test_a_sqlite_catalog_gives_the_same(root: Path, tmp_path: Path) -> None:
    text = (root / "catalogs/library-db/schema.sql").read_text(encoding="utf-8")
    with closing(sqlite3.connect(tmp_path / "library.db")) as connection:
        connection.executescript(text)
    live, _ = read(f"sqlite:///{tmp_path}/library.db")
    assert comparable(live) == comparable(sqlite.read(text, Origin("s.sql"), Report()))


CYCLE = {
    "postgres": 'CREATE TABLE "Order Lines" ("select" int PRIMARY KEY, "Unit, Price" numeric(9,2), "say ""hi""" text,'
    " doc json, at timestamptz, tags text[])",
    "mysql": 'CREATE TABLE `Order Lines` (`select` int PRIMARY KEY, `Unit, Price` decimal(9,2), `say "hi"` text,'
    " doc json, at datetime, tags set('a','b'))",
    "sqlite": 'CREATE TABLE "Order Lines" ("select" INTEGER PRIMARY KEY, "Unit, Price" NUMERIC(9,2), "say ""hi""" TEXT,'
    " doc JSON, at DATETIME, tags JSON)",
}


@contextmanager
def server(dialect: str, folder: Path) -> Iterator[tuple[str, Any]]:
    """A database of the dialect with the table of CYCLE."""
    if dialect == "sqlite":
        with closing(sqlite3.connect(folder / "s.db")) as connection:
            connection.execute(CYCLE[dialect])
            connection.commit()
            yield f"sqlite:///{folder}/s.db", connection
    else:
        with {"postgres": postgres, "mysql": mysql}[dialect](CYCLE[dialect]) as opened:
            yield opened


@pytest.mark.parametrize("dialect", CYCLE)
def test_the_binding_is_enough_to_run_every_action(dialect: str, tmp_path: Path) -> None:
    """With bound values only, on names and values that would break text put together."""
    with server(dialect, tmp_path) as (url, connection):
        operations, _ = offered(read(url)[0])

        def do(action: str, **arguments: Any) -> list[dict[str, Any]]:
            operation = operations[f"Order Lines.{action}"]
            assert Validator(operation.input).accepts(arguments), arguments
            call = bundle.decode_operation(json.loads(json.dumps(bundle.encode_operation(operation)))).call
            assert isinstance(call, SqlCall)
            return run(connection, call, arguments)

        hostile = 'x\'); DROP TABLE "Order Lines"; -- %s ? \\'
        first = {"select": 1, "Unit_Price": 9.99, "say_hi": hostile, "doc": {"a": [None, "'"]}, "tags": ["a", "b"]}
        do("create", values={**first, "at": "2026-11-30 10:00:00"})
        do("create", values={"select": 2, "Unit_Price": 1, "say_hi": None})
        do("create", values={"select": 3, "Unit_Price": 20, "say_hi": "b%"})
        (row,) = do("get", key={"select": 1})
        assert row.pop("at").startswith("2026-11-30 10:00:00")
        assert row == first
        assert do("count") == [{"count": 3}]
        assert do("count", where=[{"col": "say_hi", "op": "=", "value": hostile}]) == [{"count": 1}]
        assert do("count", where=[{"col": "say_hi", "op": "=", "value": None}]) == [{"count": 1}]
        assert do("count", where=[{"col": "say_hi", "op": "!=", "value": None}]) == [{"count": 2}]
        assert do("count", where=[{"col": "select", "op": "in", "value": [1, 3, 7]}]) == [{"count": 2}]
        assert do("count", where=[{"col": "say_hi", "op": "like", "value": "b%"}]) == [{"count": 1}]
        assert do("count", where=[{"col": "at", "op": ">=", "value": "2026-11-30 09:00:00"}]) == [{"count": 1}]
        cheap = [{"col": "Unit_Price", "op": "<", "value": 10}, {"col": "select", "op": ">", "value": 0}]
        assert do("list", where=cheap, columns=["select"], order_by=["Unit_Price desc"]) == [
            {"select": 1},
            {"select": 2},
        ]
        assert do("list", columns=["select"], order_by=["select desc"], limit=1, offset=1) == [{"select": 2}]
        do("update", key={"select": 2}, values={"say_hi": hostile, "doc": [1]})
        assert do("get", key={"select": 2}, columns=["say_hi", "doc"]) == [{"say_hi": hostile, "doc": [1]}]
        do("delete", key={"select": 2})
        assert do("count") == [{"count": 2}]
