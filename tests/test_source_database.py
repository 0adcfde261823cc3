"""The `database` source: SQLite schemas from DDL and from database files."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from toolc.bind import Env
from toolc.diagnostics import Report, UserError
from toolc.ir import Operation, SqlCall
from toolc.schema.validator import Validator, invalid_because
from toolc.sources import Context, database
from toolc.sources.database.model import Table
from toolc.sources.database.script import Made, Script
from toolc.sources.database.sensitive import is_sensitive
from toolc.sources.database.statements import Statement


def read(base: Path, **options: Any) -> tuple[dict[str, Operation], Report]:
    report = Report()
    if "ddl" in options:
        options.setdefault("dialect", "sqlite")
    reading = database.read(database.Options(**options), Context("db", base, base, report))
    return {operation.name: operation for operation in reading.operations}, report


def read_sql(tmp_path: Path, sql: str) -> tuple[dict[str, Operation], list[tuple[str, str]]]:
    (tmp_path / "schema.sql").write_text(sql, encoding="utf-8")
    operations, report = read(tmp_path, ddl="schema.sql")
    assert not [name for name, operation in operations.items() if invalid_because(operation.input)]
    found = [(finding.rule, finding.origin.pointer if finding.origin else "") for finding in report.diagnostics]
    return operations, found


def tables_of(path: Path) -> tuple[tuple[Table, ...], Report]:
    from toolc.ir import Origin
    from toolc.sources.database import sqlite

    report = Report()
    return sqlite.read(path.read_text(encoding="utf-8-sig"), Origin(path.name), report).tables, report


def values(operation: Operation) -> dict[str, Any]:
    result: dict[str, Any] = operation.input["properties"]["values"]
    return result


FILM = """
CREATE TABLE language (language_id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL);
CREATE TABLE film ( -- Films for rent
  film_id INTEGER PRIMARY KEY AUTOINCREMENT,
  title VARCHAR(255) NOT NULL, -- as printed
  language_id INT NOT NULL REFERENCES language,
  rating TEXT DEFAULT 'G' CHECK (rating IS NULL OR rating IN ('G', 'PG')),
  rate NUMERIC(4,2) NOT NULL DEFAULT 4.99,
  picture BLOB,
  added DATETIME DEFAULT CURRENT_TIMESTAMP,
  slug TEXT GENERATED ALWAYS AS (lower(title))
);
"""


def test_the_operations_of_a_table(tmp_path: Path) -> None:
    operations, found = read_sql(tmp_path, FILM)
    assert found == []
    assert [name for name in operations if name.startswith("film.")] == [
        f"film.{action}" for action in ("list", "count", "get", "create", "update", "delete")
    ]
    film = operations["film.update"]
    assert film.id == "db:film.update"
    assert film.tags == ("film",)
    assert film.origin.pointer == "/film"
    assert film.call == SqlCall(
        "film",
        "update",
        {
            "film_id": {"name": "film_id", "type": "integer", "form": "value"},
            "title": {"name": "title", "type": "varchar", "form": "value"},
            "language_id": {"name": "language_id", "type": "integer", "form": "value"},
            "rating": {"name": "rating", "type": "text", "form": "value"},
            "rate": {"name": "rate", "type": "numeric", "form": "number"},
            "picture": {"name": "picture", "type": "blob", "form": "base64"},
            "added": {"name": "added", "type": "datetime", "form": "text"},
        },
        ("film_id",),
        dialect="sqlite",
    )
    # The shape of contract/3-database.json.
    assert film.input == {
        "type": "object",
        "properties": {
            "key": {
                "type": "object",
                "properties": {"film_id": {"type": "integer"}},
                "required": ["film_id"],
                "additionalProperties": False,
            },
            "values": {
                "type": "object",
                "properties": {
                    "title": {"type": "string", "maxLength": 255, "description": "as printed."},
                    "language_id": {"type": "integer", "description": "→ language"},
                    "rating": {"type": ["string", "null"], "enum": ["G", "PG", None]},
                    "rate": {
                        "type": "number",
                        "exclusiveMinimum": -100,
                        "exclusiveMaximum": 100,
                        "description": "At most 2 decimals.",
                    },
                    "picture": {"type": ["string", "null"], "contentEncoding": "base64"},
                    "added": {"type": ["string", "null"], "description": "YYYY-MM-DD HH:MM:SS."},
                },
                "additionalProperties": False,
                "minProperties": 1,
            },
        },
        "required": ["key", "values"],
        "additionalProperties": False,
    }
    create = values(operations["film.create"])
    assert create["required"] == ["title", "language_id"]  # rate has a default, film_id is a rowid alias
    assert "film_id" in create["properties"]
    assert "slug" not in create["properties"]
    assert create["properties"]["rating"]["default"] == "G"
    assert "default" not in create["properties"]["added"]
    assert {key: value for key, value in film.extra.items() if key != "shown_input"} == {
        "table": "film",
        "rank": 1,
        "comment": "Films for rent",
        "described": "film(film_id int!, title text!, language_id int! >language.language_id, rating G|PG,"
        " rate number!, picture blob, added datetime, slug text)\n"
        "  Films for rent\n"
        '  optional: film_id, rating="G", rate=4.99, added\n'
        "  read only: slug\n"
        "  title: as printed",
    }
    assert operations["film.list"].description == "List film rows. Films for rent."


def test_reads_name_columns_only_from_the_table(tmp_path: Path) -> None:
    operations, _ = read_sql(tmp_path, FILM)
    listing = Validator(operations["film.list"].input)
    assert listing.accepts({})
    assert listing.accepts(
        {
            "where": [{"col": "slug", "op": "in", "value": ["a", "b"]}, {"col": "rating", "op": "=", "value": None}],
            "columns": ["title"],
            "order_by": ["title desc", "rate"],
            "limit": 10,
            "offset": 5,
        }
    )
    for wrong in (
        {"where": [{"col": "nope", "op": "=", "value": 1}]},
        {"where": [{"col": "title", "op": "; DROP", "value": 1}]},
        {"where": [{"col": "title", "op": "="}]},
        {"columns": []},
        {"order_by": ["rowid"]},
        {"order_by": ["title asc"]},
        {"limit": 0},
        {"table": "language"},
    ):
        assert not listing.accepts(wrong), wrong
    columns = operations["film.get"].input["properties"]["columns"]
    assert columns["description"] == "Default: all but picture."
    where = operations["film.count"].input["properties"]["where"]["items"]["properties"]
    other = operations["language.count"].input["properties"]["where"]["items"]["properties"]
    assert (where["op"], where["value"]) == (other["op"], other["value"])


def test_hints(tmp_path: Path) -> None:
    operations, _ = read_sql(tmp_path, FILM)
    effects = {name.partition(".")[2]: operation.hints.effect for name, operation in operations.items()}
    assert effects == {
        "list": "read",
        "count": "read",
        "get": "read",
        "create": "write",
        "update": "write",
        "delete": "destructive",
    }
    hints = operations["film.delete"].hints
    assert (hints.destructive.basis, hints.destructive.reason) == ("inferred", "SQL DELETE")
    assert hints.idempotent.value is True
    assert hints.open_world.value is False


# https://sqlite.org/datatype3.html for affinities; DATABASES for what a declared type means to a model.
TYPES: list[tuple[str, dict[str, Any]]] = [
    ("SMALLINT", {"type": "integer", "minimum": -32768, "maximum": 32767}),
    ("INTEGER UNSIGNED", {"type": "integer", "minimum": 0}),
    ("BIGINT", {"type": ["integer", "string"], "pattern": r"^-?\d+$"}),
    ("NUMERIC(20)", {"type": ["integer", "string"], "pattern": r"^-?\d+$"}),
    ("DECIMAL(5)", {"type": "integer", "minimum": -99999, "maximum": 99999}),
    ("NUMERIC(38,10)", {"type": "string", "pattern": r"^-?\d{1,28}(\.\d{1,10})?$"}),
    ("NUMERIC", {"type": ["number", "string"], "pattern": r"^-?\d+(\.\d+)?$"}),
    ("DOUBLE PRECISION", {"type": "number"}),
    ("NVARCHAR(40)", {"type": "string", "maxLength": 40}),
    ("BOOLEAN", {"type": "boolean"}),
    ("DATE", {"type": "string", "format": "date"}),
    ("TIMESTAMP", {"type": "string", "description": "YYYY-MM-DD HH:MM:SS."}),
    ("JSON", {}),
    ("", {}),
    ("BLOB SUB_TYPE TEXT", {"type": "string"}),
    ("POINTINT", {"type": "integer"}),
]


@pytest.mark.parametrize(("declared", "schema"), TYPES)
def test_types(tmp_path: Path, declared: str, schema: dict[str, Any]) -> None:
    operations, found = read_sql(tmp_path, f"CREATE TABLE t (id INTEGER PRIMARY KEY, x {declared} NOT NULL)")
    assert values(operations["t.update"])["properties"]["x"] == schema
    assert not found


def test_an_unknown_type_is_text_and_said(tmp_path: Path) -> None:
    operations, found = read_sql(tmp_path, "CREATE TABLE t (id INTEGER PRIMARY KEY, x GEOMETRY NOT NULL)")
    assert values(operations["t.update"])["properties"]["x"] == {"type": "string"}
    assert found == [("unknown-type", "/t/x")]


CHECKS: list[tuple[str, dict[str, Any]]] = [
    ("n INT NOT NULL CHECK (n IN (1, 2))", {"type": "integer", "enum": [1, 2]}),
    ("n INT NOT NULL CHECK (n BETWEEN -5 AND 5)", {"type": "integer", "minimum": -5, "maximum": 5}),
    ("n INT NOT NULL CHECK (n > 0 AND n <= 9)", {"type": "integer", "exclusiveMinimum": 0, "maximum": 9}),
    ("n TEXT NOT NULL, CHECK (length(n) <= 3)", {"type": "string", "maxLength": 3}),
    ("n BOOLEAN NOT NULL CHECK (n IN (0, 1))", {"type": "boolean"}),
    ("n INT NOT NULL CHECK (n % 2 = 0)", {"type": "integer", "description": "Check: n % 2 = 0."}),
    ("n INT NOT NULL CHECK (n = 1 OR n > 5)", {"type": "integer", "description": "Check: n = 1 OR n > 5."}),
    ("n INT NOT NULL, m INT, CHECK (n < m)", {"type": "integer", "description": "Check: n < m."}),
    ("n TEXT NOT NULL CHECK (n IN ('it''s', \"b\"))", {"type": "string", "enum": ["it's", "b"]}),
]


@pytest.mark.parametrize(("column", "schema"), CHECKS)
def test_checks(tmp_path: Path, column: str, schema: dict[str, Any]) -> None:
    operations, _ = read_sql(tmp_path, f"CREATE TABLE t (id INTEGER PRIMARY KEY, {column})")
    assert values(operations["t.update"])["properties"]["n"] == schema


DEFAULTS: list[tuple[str, Any]] = [
    ("TEXT DEFAULT 'it''s'", "it's"),
    ("INT DEFAULT -1", -1),
    ("INT DEFAULT '0'", 0),
    ("INT DEFAULT (3)", 3),
    ("BOOLEAN DEFAULT 1", True),
    ("REAL DEFAULT 1.5", 1.5),
    ("INT DEFAULT (1 + 2)", 3),
    ("TEXT DEFAULT NULL", None),
    ("TEXT DEFAULT CURRENT_DATE", None),
    ("BLOB DEFAULT x'00'", None),
]


@pytest.mark.parametrize(("column", "default"), DEFAULTS)
def test_defaults(tmp_path: Path, column: str, default: Any) -> None:
    operations, _ = read_sql(tmp_path, f"CREATE TABLE t (id INTEGER PRIMARY KEY, x {column})")
    schema = values(operations["t.create"])["properties"]["x"]
    assert schema.get("default") == default
    assert type(schema.get("default")) is type(default)


def test_keys(tmp_path: Path) -> None:
    operations, _ = read_sql(
        tmp_path,
        """
        CREATE TABLE seat (num INT, hall TEXT, price INT, PRIMARY KEY (hall, num));
        CREATE TABLE booking (ref CHAR(8) NOT NULL UNIQUE, note TEXT, mail TEXT UNIQUE);
        CREATE TABLE event (what TEXT);
        CREATE TABLE tag (name TEXT, thing INT, PRIMARY KEY (name, thing)) WITHOUT ROWID;
        CREATE TABLE code (n INT PRIMARY KEY, t TEXT);
        CREATE VIEW prices AS SELECT hall, price FROM seat;
        """,
    )
    names = {name: [] for name in ("seat", "booking", "event", "tag", "code", "prices")}
    for name in operations:
        names[name.partition(".")[0]].append(name.partition(".")[2])
    everything = ["list", "count", "get", "create", "update", "delete"]
    assert names == {
        "seat": everything,
        "booking": everything,  # the unique column that cannot be null is the key
        "event": ["list", "count", "create"],
        "tag": ["list", "count", "get", "create", "delete"],  # nothing but the key: nothing to update
        "code": everything,
        "prices": ["list", "count"],
    }
    assert operations["seat.get"].input["properties"]["key"]["required"] == ["hall", "num"]
    assert operations["booking.get"].input["properties"]["key"]["required"] == ["ref"]
    assert values(operations["code.create"])["required"] == ["n"]  # INT is no rowid alias, INTEGER is


def test_sensitive_columns(tmp_path: Path) -> None:
    operations, found = read_sql(
        tmp_path,
        """
        CREATE TABLE account (id INTEGER PRIMARY KEY, email TEXT NOT NULL, password_hash TEXT NOT NULL, api_token TEXT);
        CREATE TABLE session (token TEXT PRIMARY KEY, user_id INT NOT NULL, seen DATE);
        """,
    )
    assert found == [
        ("sensitive-column", "/account/password_hash"),
        ("sensitive-column", "/account/api_token"),
        ("sensitive-column", "/session/token"),
    ]
    assert "account.create" not in operations
    assert "account.update" in operations
    assert [name for name in operations if name.startswith("session.")] == ["session.list", "session.count"]
    text = json.dumps([operation.input for operation in operations.values()]) + str(operations["session.list"].extra)
    assert "password" not in text
    assert "token" not in text


def test_sensitive_names() -> None:
    secret = [
        "password_hash",
        "otp_secret",
        "api_token",
        "ssn",
        "iban",
        "reset_password_token",
        "ApiKey",
        "user_newpassword",
    ]
    plain = [
        "token_count",
        "password_changed_at",
        "PlaylistTrackId",
        "secretary",
        "keyboard",
        "card_number_id",
        "tokens",
    ]
    assert [name for name in secret + plain if is_sensitive(name, {"type": "string"})] == secret
    assert not is_sensitive("has_password", {"type": "boolean"})


HOSTILE = """
ATTACH DATABASE '{0}/attached.db' AS evil;
VACUUM INTO '{0}/vacuumed.db';
PRAGMA journal_mode = WAL;
SELECT load_extension('{0}/evil.so');
SELECT writefile('{0}/written', 'x');
.output {0}/shell
.read {0}/other.sql
INSERT INTO ok SELECT randomblob(1000000000);
CREATE TABLE ok (id INTEGER PRIMARY KEY);
CREATE TABLE endless AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c;
CREATE TABLE evil.t (a);
CREATE TRIGGER bomb AFTER INSERT ON ok BEGIN DELETE FROM ok; SELECT CASE WHEN 1 THEN 2 END; END;
CREATE TABLE late (id INTEGER PRIMARY KEY);
"""


def test_a_hostile_schema_does_nothing(tmp_path: Path) -> None:
    operations, found = read_sql(tmp_path, HOSTILE.format(tmp_path))
    assert {name.partition(".")[0] for name in operations} == {"ok", "late"}
    assert [path.name for path in tmp_path.iterdir()] == ["schema.sql"]
    assert [rule for rule, _ in found] == [
        *["refused-statement"] * 7,
        "broken-statement",
        "broken-statement",
        "skipped-statements",
    ]
    assert [pointer for _, pointer in found if pointer] == ["/endless", "/t"]


def test_views_that_multiply_come_to_an_end(tmp_path: Path) -> None:
    views = ["CREATE TABLE v0 (a);"]
    views += [f"CREATE VIEW v{n} AS SELECT x.a FROM v{n - 1} x, v{n - 1} y;" for n in range(1, 41)]
    operations, found = read_sql(tmp_path, "\n".join(views))
    assert "v0.list" in operations
    assert ("broken-statement", "/v40") in found


def test_one_broken_statement_costs_one_table(tmp_path: Path) -> None:
    (tmp_path / "schema.sql").write_text(
        "CREATE TABLE ok1 (id INTEGER PRIMARY KEY);\n"
        "CREATE TABLE bad (id INTEGER PRIMARY KEY, name TEXT;\n"
        "CREATE TABLE ok2 (id INTEGER PRIMARY KEY)\n"
        "CREATE TABLE ok3 (id INTEGER PRIMARY KEY, t TEXT DEFAULT 'open);\n"
        "CREATE TABLE ok4 (id INTEGER PRIMARY KEY, t TEXT DEFAULT 'closed');\n"
        "CREATE TABLE ok4 (id INTEGER PRIMARY KEY, more TEXT);\n"
        "CREATE INDEX lost ON bad (name);\n"
        "GRANT CREATE TABLE TO someone;\n"
    )
    operations, report = read(tmp_path, ddl="schema.sql")
    assert {name.partition(".")[0] for name in operations} == {"ok1", "ok2", "ok4"}
    assert [
        (finding.rule, finding.origin.pointer, finding.origin.line) for finding in report.diagnostics if finding.origin
    ] == [
        ("broken-statement", "/bad", 2),
        ("broken-statement", "/ok3", 4),
        ("duplicate-table", "/ok4", 6),
        ("unknown-statement", "", 8),
    ]
    assert "columns differ: more, t" in report.diagnostics[2].message


@pytest.mark.parametrize(
    ("between", "found"),
    [
        ("INSERT INTO a VALUES ('it's');", ("broken-statement", 2)),
        ("/* no end", ("broken-statement", 2)),
        ("INSERT INTO a VALUES (1); -- what follows is quoted\nINSERT INTO a VALUES ('", ("quoted-statement", 4)),
    ],
)
def test_text_without_an_end_takes_no_table_along(tmp_path: Path, between: str, found: tuple[str, int]) -> None:
    sql = f"CREATE TABLE a (id INTEGER PRIMARY KEY);\n{between}\nCREATE TABLE b (id INTEGER);\n"
    if found[0] == "quoted-statement":
        sql += "');\n"
    (tmp_path / "schema.sql").write_text(sql, encoding="utf-8")
    tables, report = tables_of(tmp_path / "schema.sql")
    assert [table.name for table in tables] == (["a"] if found[0] == "quoted-statement" else ["a", "b"])
    assert [
        (finding.rule, finding.origin.line)
        for finding in report.diagnostics
        if finding.rule != "skipped-statements" and finding.origin
    ] == [found]


def test_the_sum_of_tables_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sql = """
        CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE new_a (id INTEGER PRIMARY KEY, x INT);
        DROP TABLE a; ALTER TABLE new_a RENAME TO a;
        CREATE TABLE v (i); CREATE VIEW w AS SELECT * FROM v; CREATE TABLE w (a); DROP VIEW w;
        CREATE VIRTUAL TABLE f USING fts5(a); CREATE VIRTUAL TABLE g USING nothing(); DROP TABLE f;
        CREATE TABLE sqlite_x (i); CREATE TABLE K (i); CREATE TABLE k (i, j); CREATE TABLE broken (i,,);
        CREATE TEMP TABLE t (i); CREATE TABLE last (i);
    """
    (tmp_path / "schema.sql").write_text(sql, encoding="utf-8")
    tables, report = tables_of(tmp_path / "schema.sql")
    assert [table.name for table in tables] == ["a", "v", "K", "last"]
    assert not [finding for finding in report.diagnostics if finding.rule == "lost-table"]

    def forgetful(self: Script, gone: Made, renamed: str, statement: Statement) -> None:
        self.made.remove(gone)

    monkeypatch.setattr(Script, "_gone", forgetful)
    _, report = tables_of(tmp_path / "schema.sql")
    (lost,) = [finding for finding in report.diagnostics if finding.rule == "lost-table"]
    assert lost.message == "10 CREATE TABLE statements, but 3 tables and 4 that were reported: 3 went astray"


def test_functions_and_collations_of_the_application(tmp_path: Path) -> None:
    operations, found = read_sql(
        tmp_path,
        "CREATE TABLE t (id TEXT PRIMARY KEY DEFAULT (uuid()), a TEXT COLLATE german CHECK (regexp('x', a)), "
        "b AS (normalise(a)));\nCREATE INDEX i ON t (normalise(a));",
    )
    assert "t.get" in operations
    assert "required" not in values(operations["t.create"])
    assert found == []


def test_a_script_that_rebuilds_a_table(tmp_path: Path) -> None:
    operations, found = read_sql(
        tmp_path,
        """
        DROP TABLE IF EXISTS t;
        CREATE TABLE t (id INTEGER PRIMARY KEY);
        CREATE TABLE t_new (id INTEGER PRIMARY KEY, name TEXT);
        INSERT INTO t_new SELECT id, NULL FROM t;
        DROP TABLE t;
        ALTER TABLE t_new RENAME TO t;
        ALTER TABLE t ADD COLUMN age INT;
        CREATE TEMP TABLE scratch (a);
        """,
    )
    assert list(values(operations["t.update"])["properties"]) == ["name", "age"]
    assert found == [("dropped-table", "/t"), ("hidden-table", "/scratch"), ("skipped-statements", "")]


def test_foreign_keys_to_unknown_tables(tmp_path: Path) -> None:
    operations, found = read_sql(
        tmp_path,
        "CREATE TABLE a (id INTEGER PRIMARY KEY, b INT REFERENCES B, x INT REFERENCES gone (id));"
        "CREATE TABLE b (id INTEGER PRIMARY KEY, a INT REFERENCES a (id));",
    )
    assert found == [("unknown-table", "/a/x")]
    assert operations["a.list"].extra["described"] == "a(id int!, b int >b.id, x int)\n  optional: id"


def test_hidden_tables_and_full_text_search(tmp_path: Path) -> None:
    operations, found = read_sql(
        tmp_path,
        """
        CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT);
        CREATE VIRTUAL TABLE note_fts USING fts5(title, body UNINDEXED, content='note', tokenize="porter");
        CREATE TABLE IF NOT EXISTS 'note_fts_data'(id INTEGER PRIMARY KEY, block BLOB);
        CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY);
        CREATE VIEW hits AS SELECT title FROM note_fts;
        INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql) VALUES('table','box','box',0,
          'CREATE VIRTUAL TABLE box USING rtree(id, x0, x1)');
        """,
    )
    assert [name for name in operations if name.startswith(("note_fts", "hits", "box"))] == [
        "note_fts.list",
        "note_fts.count",
        "hits.list",
        "hits.count",
        "box.list",
        "box.count",
    ]
    search = operations["note_fts.list"].input["properties"]["where"]["items"]["properties"]
    assert search["col"]["enum"] == ["title", "body"]
    assert "match" in search["op"]["enum"]
    assert found == [("hidden-table", "/note_fts_data"), ("hidden-table", "/alembic_version")]


def make_database(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(
        "PRAGMA journal_mode = WAL;" + FILM + "CREATE VIEW titles AS SELECT title FROM film;"
        "CREATE VIRTUAL TABLE film_fts USING fts5(title); CREATE INDEX i ON film (title);"
        "CREATE TRIGGER tr AFTER INSERT ON film BEGIN SELECT 1; END;"
        "ALTER TABLE language ADD COLUMN code TEXT;"
    )
    connection.close()


def test_a_database_file_reads_as_its_schema(tmp_path: Path) -> None:
    make_database(tmp_path / "shop.db")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    operations, report = read(tmp_path, path="shop.db")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    from_text, _ = read_sql(tmp_path, FILM)
    assert operations["film.create"].input == from_text["film.create"].input
    assert "code" in values(operations["language.create"])["properties"]
    assert {name.partition(".")[0] for name in operations} == {"language", "film", "titles", "film_fts"}
    assert {finding.rule for finding in report.diagnostics} == {"hidden-table"}  # the shadow tables
    assert operations["film.list"].origin.source == "shop.db"


def test_the_digest_of_a_database_file_is_that_of_its_schema(tmp_path: Path) -> None:
    make_database(tmp_path / "shop.db")

    def digest() -> str:
        context = Context("db", tmp_path, tmp_path, Report())
        database.read(database.Options(path="shop.db"), context)
        return context.files["shop.db"]

    first = digest()
    connection = sqlite3.connect(tmp_path / "shop.db")
    connection.execute("INSERT INTO language (name) VALUES ('French')")
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert digest() == first
    connection.execute("CREATE TABLE more (a)")
    connection.commit()
    _, report = read(tmp_path, path="shop.db")
    assert [finding.rule for finding in report.diagnostics if finding.rule != "hidden-table"] == ["unsaved-changes"]
    connection.close()
    assert digest() != first


def test_requests_that_cannot_be_carried_out(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("CREATE TABLE t (a);")
    (tmp_path / "broken.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 500)
    cases: list[tuple[dict[str, Any], str, str]] = [
        ({"ddl": "gone.sql"}, "missing-file", ""),
        ({"path": "gone.db"}, "missing-file", ""),
        ({"path": "text.db"}, "unreadable-file", "ddl"),
        ({"path": "broken.db"}, "unreadable-file", ""),
        ({"ddl": "broken.db"}, "unreadable-file", ""),
        ({"ddl": "text.db", "path": "text.db"}, "conflicting-keys", "one"),
        ({"ddl": "text.db", "dialect": "sqllite"}, "unsupported-dialect", "sqlite"),
        ({"url": Env("SHOP_URL")}, "missing-snapshot", "toolc pull db"),
        ({"url": Env("SHOP_URL"), "ddl": "text.db"}, "conflicting-keys", "one"),
        ({}, "missing-key", "ddl: schema.sql"),
    ]
    for options, rule, advice in cases:
        with pytest.raises(UserError) as error:
            read(tmp_path, **options)
        (finding,) = error.value.diagnostics
        assert finding.rule == rule, options
        assert advice in finding.help


def test_an_empty_schema_is_said(tmp_path: Path) -> None:
    operations, found = read_sql(tmp_path, "-- nothing yet\n")
    assert not operations
    assert found == [("empty-source", "")]


# Counts of the live engine; the corpus counts DEFAULT NULL as a default.
@pytest.mark.parametrize("name", ["chinook_Sqlite", "sakila_sqlite", "mediawiki_sqlite"])
def test_corpus_equals_the_live_engine(shared: Path, name: str) -> None:
    folder = shared / "corpus" / "ddl"
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))[name]
    del truth["unique"]  # only keys without null are read
    found, report = tables_of(folder / f"{name}.sql")
    tables = [table for table in found if table.kind == "table"]
    columns = [column for table in tables for column in table.columns]
    assert {
        "tables": len(tables),
        "columns": len(columns),
        "pk": sum(bool(table.primary_key) for table in tables),
        "fk": sum(len(table.foreign_keys) for table in tables),
        "default": sum(bool(column.default) for column in columns),
        "notnull": sum(column.not_null for column in columns),
        "generated": sum(column.supplied for column in columns),
        "views": sum(table.kind == "view" for table in found),
    } == truth
    assert {finding.rule for finding in report.diagnostics} <= {"skipped-statements"}


def test_the_odd_sqlite_case(shared: Path) -> None:
    tables = {table.name: table for table in tables_of(shared / "cases" / "ddl" / "16_sqlite_odd.sql")[0]}
    assert list(tables) == ["a", "kv", "s", "notes_fts"]
    assert [column.name for column in tables["a"].columns] == ["id", "free", "body", "tick", "br ack", "g"]
    assert tables["a"].columns[0].identity == "by default"
    assert tables["a"].columns[2].type.text == "BLOB SUB_TYPE TEXT"
    assert tables["kv"].primary_key == ("k",)
    operations, _ = read(shared / "cases" / "ddl", ddl="16_sqlite_odd.sql")
    create = values(operations["a.create"])
    assert create["properties"]["free"] == {}
    assert "id" not in create.get("required", [])
    assert "notes_fts.create" not in operations


def test_recognise() -> None:
    assert database.recognise(FILM)
    assert not database.recognise({"tables": []})
    assert not database.recognise("SELECT 1")
