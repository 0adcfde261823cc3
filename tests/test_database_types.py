"""The type map, row by row, against the engines: what the schema of a column takes, its database takes, and no more.

Each row: the SQL type, the JSON Schema that DATABASES says for it, values to take (they come back as they were, or as
said after `->`), and values that both the schema and the database refuse.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from databases import mysql, postgres
from sql_check import run

from toolc.diagnostics import Report
from toolc.ir import Operation, Origin, SqlCall
from toolc.schema.validator import Validator
from toolc.sources.database import ddl, operations, sqlite
from toolc.sources.database.model import Database, Dialect
from toolc.sources.database.offer import offers
from toolc.sources.database.servers import reflect

BIG = {"type": ["integer", "string"], "pattern": r"^-?\d+$"}
ANY_NUMBER = {"type": ["number", "string"], "pattern": r"^-?\d+(\.\d+)?$"}
TEXT = {"type": "string"}
MOMENT = {"type": "string", "description": "YYYY-MM-DD HH:MM:SS."}
BASE64 = {"type": "string", "contentEncoding": "base64"}


@dataclass(frozen=True)
class Back:
    """A value that comes back in another form."""

    given: Any
    back: Any


Row = tuple[str, dict[str, Any], list[Any], list[Any]]


def integer(bits: int, unsigned: bool = False) -> dict[str, Any]:
    low, high = (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return {"type": "integer", "minimum": low, "maximum": high}


def decimal(limit: int, words: str) -> dict[str, Any]:
    return {"type": "number", "exclusiveMinimum": -limit, "exclusiveMaximum": limit, "description": words}


POSTGRES_SETUP = """
CREATE TYPE mood AS ENUM ('sad', 'it''s ok', 'happy');
CREATE DOMAIN year AS integer CHECK (VALUE >= 1901 AND VALUE <= 2155);
CREATE DOMAIN code AS varchar(4) CHECK (VALUE IN ('AB', 'CD'));
CREATE TYPE place AS (name varchar(20), height integer, tags text[]);
"""
POSTGRES: list[Row] = [
    ("smallint", integer(16), [-32768, 32767], [32768]),
    ("integer", integer(32), [2147483647], [2147483648]),
    ("bigint", BIG, [42, Back(9007199254740993, "9007199254740993"), "9223372036854775807"], ["x"]),
    ("numeric(5,2)", decimal(1000, "At most 2 decimals."), [999.99, -0.01], [1000]),
    ("numeric(5,-2)", decimal(10**7, "Rounded to 100s."), [Back(1234, 1200)], [10**7]),
    ("numeric(20)", BIG, [Back("12345678901234567890", "12345678901234567890")], ["1.x"]),
    ("numeric(9)", {"type": "integer", "minimum": -999999999, "maximum": 999999999}, [999999999], [1000000000]),
    (
        "numeric(38,10)",
        {"type": "string", "pattern": r"^-?\d{1,28}(\.\d{1,10})?$"},
        ["12345678901234567890.0000000001"],
        ["1" * 29],
    ),
    ("numeric", ANY_NUMBER, [Back("1.25", 1.25), "0.1234567890123456789"], ["x"]),
    ("real", {"type": "number"}, [1.5], ["x"]),
    ("double precision", {"type": "number"}, [0.1], ["x"]),
    ("money", {"type": "string", "pattern": r"^-?\d+(\.\d+)?$"}, [Back("1234.50", "$1,234.50")], ["x"]),
    ("varchar(3)", {"type": "string", "maxLength": 3}, ["äöü"], ["abcd"]),
    ("char(3)", {"type": "string", "maxLength": 3}, ["abc", Back("a", "a  ")], ["abcd"]),
    ("text", TEXT, ['it\'s \\ "x" %s ? :a'], []),
    ("boolean", {"type": "boolean"}, [True, False], ["x"]),
    ("bit(8)", {"type": "string", "pattern": "^[01]{8}$"}, ["10101010"], ["1010", "2" * 8]),
    ("bit varying(4)", {"type": "string", "pattern": "^[01]{0,4}$"}, ["101"], ["10101"]),
    ("mood", {"type": "string", "enum": ["sad", "it's ok", "happy"]}, ["it's ok"], ["glad"]),
    ("integer[]", {"type": "array", "items": integer(32)}, [[1, 2], []], [["x"]]),
    ("text[][]", {"type": "array", "items": {"type": "array", "items": TEXT}}, [[["a", "b"], ["c,", '"']]], []),
    ("mood[]", {"type": "array", "items": {"type": "string", "enum": ["sad", "it's ok", "happy"]}}, [["sad"]], [["x"]]),
    ("json", {}, [{"a": [1, None]}, "x", 3], []),
    ("jsonb", {}, [{"a": 1}, []], []),
    ("uuid", {"type": "string", "format": "uuid"}, ["6f9619ff-8b86-d011-b42d-00cf4fc964ff"], []),
    ("date", {"type": "string", "format": "date"}, ["2026-11-30"], []),
    ("time", {"type": "string", "format": "time"}, [Back("10:20:30Z", "10:20:30")], []),
    (
        "timestamptz",
        {"type": "string", "format": "date-time"},
        [Back("2026-11-30T10:00:00Z", "2026-11-30 10:00:00+00")],
        [],
    ),
    ("timestamp", MOMENT, ["2026-11-30 10:00:00"], []),
    ("interval", {"type": "string", "description": "Such as 3 days 04:05:06."}, ["3 days 04:05:06"], []),
    ("bytea", BASE64, ["AP8="], []),
    ("inet", TEXT, ["10.0.0.0/8"], []),
    ("macaddr", TEXT, ["08:00:2b:01:02:03"], []),
    ("xml", TEXT, ["<a>1</a>"], []),
    ("int4range", TEXT, ["[1,5)"], []),
    ("point", TEXT, ["(1,2)"], []),
    ("tsquery", TEXT, ["'a' & 'b'"], []),
    ("year", {"type": "integer", "minimum": 1901, "maximum": 2155}, [1901, 2155], [1900, 2156]),
    ("code", {"type": "string", "enum": ["AB", "CD"]}, ["AB"], ["EF"]),
    (
        "place",
        {
            "type": "object",
            "properties": {
                "name": {"type": ["string", "null"], "maxLength": 20},
                "height": {**integer(32), "type": ["integer", "null"]},
                "tags": {"type": ["array", "null"], "items": TEXT},
            },
            "additionalProperties": False,
        },
        [{"name": "it's, (here)", "height": 3, "tags": ["a", "b"]}],
        [{"height": "x"}],
    ),
]
MYSQL: list[Row] = [
    ("tinyint", integer(8), [-128, 127], [128]),
    ("tinyint unsigned", integer(8, True), [0, 255], [-1, 256]),
    ("tinyint(1)", {"type": "boolean"}, [True, False], []),
    ("smallint", integer(16), [32767], [32768]),
    ("mediumint", integer(24), [8388607], [8388608]),
    ("int", integer(32), [-2147483648], [2147483648]),
    ("int(10) unsigned", integer(32, True), [4294967295], [4294967296, -1]),
    ("bigint", BIG, [42, "9223372036854775807"], ["x"]),
    (
        "bigint unsigned",
        {"type": ["integer", "string"], "minimum": 0, "pattern": r"^\d+$"},
        ["18446744073709551615"],
        [-1],
    ),
    ("decimal(5,2)", decimal(1000, "At most 2 decimals."), [999.99], [1000]),
    ("decimal", {"type": "integer", "minimum": -9999999999, "maximum": 9999999999}, [9999999999], [10**10]),
    ("decimal(20)", BIG, ["12345678901234567890"], ["x"]),
    (
        "decimal(30,2)",
        {"type": "string", "pattern": r"^-?\d{1,28}(\.\d{1,2})?$"},
        ["123456789012345678.12"],
        ["1" * 29],
    ),
    ("float", {"type": "number"}, [1.5], ["x"]),
    ("double", {"type": "number"}, [0.1], ["x"]),
    ("bit(1)", {"type": "boolean"}, [True, False], []),
    ("bit(8)", {"type": "string", "pattern": "^[01]{8}$"}, ["00000101"], ["1" * 9]),
    ("varchar(3)", {"type": "string", "maxLength": 3}, ["äöü"], ["abcd"]),
    ("char(3)", {"type": "string", "maxLength": 3}, ["abc"], ["abcd"]),
    ("text", TEXT, ['it\'s \\ "x" %s'], []),
    ("enum('a,b','it''s','c')", {"type": "string", "enum": ["a,b", "it's", "c"]}, ["it's"], ["d"]),
    (
        "set('x','y','z')",
        {"type": "array", "items": {"type": "string", "enum": ["x", "y", "z"]}, "uniqueItems": True},
        [["x", "z"], []],
        [["w"]],
    ),
    ("json", {}, [{"a": [1, None]}, [1]], []),
    ("date", {"type": "string", "format": "date"}, ["2026-11-30"], []),
    ("datetime", MOMENT, ["2026-11-30 10:00:00"], []),
    ("timestamp", MOMENT, ["2026-11-30 10:00:00"], []),
    ("year", {"type": "integer", "minimum": 0, "maximum": 2155}, [1901, 2155], [2156]),
    ("varbinary(3)", {**BASE64, "maxLength": 4}, ["AP8B"], ["AP8BAg=="]),
    ("blob", BASE64, ["AP8="], []),
]
SQLITE: list[Row] = [
    ("INTEGER", {"type": "integer"}, [2**53 + 1], []),
    ("BIGINT", BIG, [42, "9007199254740993"], []),
    ("DECIMAL(5,2)", decimal(1000, "At most 2 decimals."), [999.99], []),
    ("NUMERIC", ANY_NUMBER, [1.25], []),
    ("NVARCHAR(40)", {"type": "string", "maxLength": 40}, ["äöü"], []),
    ("BOOLEAN", {"type": "boolean"}, [True, False], []),
    ("DATE", {"type": "string", "format": "date"}, ["2026-11-30"], []),
    ("DATETIME", MOMENT, ["2026-11-30 10:00:00"], []),
    ("JSON", {}, [{"a": 1}, [1]], []),
    ("BLOB", BASE64, ["AP8="], []),
    ("REAL", {"type": "number"}, [0.5], []),
    ("TEXT CHECK (x IN ('a', 'b'))", {"type": "string", "enum": ["a", "b"]}, ["a"], ["c"]),
    ("INT CHECK (x BETWEEN -5 AND 5)", {"type": "integer", "minimum": -5, "maximum": 5}, [-5, 5], [6]),
]


def made(database: Database) -> tuple[dict[str, Operation], Report]:
    report = Report()
    found = [
        made
        for offer in offers(database, Origin("s"), report)
        for made in operations.of_table("db", offer, database.dialect)
    ]
    return {operation.name: operation for operation in found}, report


@contextmanager
def refused(connection: Any) -> Iterator[None]:
    """The engine says no."""
    with pytest.raises(Exception, match=r".") as caught:
        yield
    assert type(caught.value).__module__.split(".")[0] in ("psycopg", "pymysql", "sqlite3")


def check(row: Row, found: dict[str, Operation], connection: Any) -> None:
    """Schema and engine agree on the row's values, and each comes back."""
    _, schema, good, bad = row
    create, get = found["t.create"], found["t.get"]
    assert create.input["properties"]["values"]["properties"]["x"] == schema
    accepts = Validator(create.input).accepts
    for number, value in enumerate(good, 1):
        given, back = (value.given, value.back) if isinstance(value, Back) else (value, value)
        arguments = {"values": {"id": number, "x": given}}
        assert accepts(arguments), given
        run(connection, call(create), arguments)
        assert run(connection, call(get), {"key": {"id": number}, "columns": ["x"]}) == [{"x": back}]
    for value in bad:
        arguments = {"values": {"id": 1000, "x": value}}
        assert not accepts(arguments), value
        with refused(connection):
            run(connection, call(create), arguments)


def call(operation: Operation) -> SqlCall:
    assert isinstance(operation.call, SqlCall)
    return operation.call


@pytest.fixture(scope="module")
def on_postgres() -> Iterator[tuple[str, Any]]:
    with postgres(POSTGRES_SETUP) as opened:
        yield opened


@pytest.fixture(scope="module")
def on_mysql() -> Iterator[tuple[str, Any]]:
    with mysql() as opened:
        yield opened


@pytest.mark.parametrize("row", POSTGRES, ids=[row[0] for row in POSTGRES])
def test_postgres(row: Row, on_postgres: tuple[str, Any]) -> None:
    url, connection = on_postgres
    connection.execute("DROP TABLE IF EXISTS t")
    connection.execute(f"CREATE TABLE t (id integer PRIMARY KEY, x {row[0]} NOT NULL)")
    connection.execute("SET timezone = 'UTC'")
    found, report = made(reflect(url, "URL", Report()).database)
    assert not report.diagnostics
    check(row, found, connection)


@pytest.mark.parametrize("row", MYSQL, ids=[row[0] for row in MYSQL])
def test_mysql(row: Row, on_mysql: tuple[str, Any]) -> None:
    url, connection = on_mysql
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS t")
        default = " DEFAULT '2000-01-01 00:00:00'" if row[0] == "timestamp" else ""
        cursor.execute(f"CREATE TABLE t (id integer PRIMARY KEY, x {row[0]} NOT NULL{default})")
        cursor.execute("SET SESSION sql_mode = 'STRICT_ALL_TABLES'")
    found, report = made(reflect(url, "URL", Report()).database)
    assert not report.diagnostics
    schema = {**row[1], "default": "2000-01-01 00:00:00"} if default else row[1]
    check((row[0], schema, *row[2:]), found, connection)


@pytest.mark.parametrize("row", SQLITE, ids=[row[0] for row in SQLITE])
def test_sqlite(row: Row) -> None:
    text = f"CREATE TABLE t (id INTEGER PRIMARY KEY, x {row[0]} NOT NULL)"
    with sqlite3.connect(":memory:") as connection:
        connection.execute(text)
        found, report = made(sqlite.read(text, Origin("s.sql"), Report()))
        assert not report.diagnostics
        check(row, found, connection)
    connection.close()


# Types of engines or extensions that are not at hand: (dialect, type, schema; None: read, never written).
ELSEWHERE: list[tuple[Dialect, str, dict[str, Any] | None]] = [
    ("postgres", "vector(3)", {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3}),
    ("postgres", "hstore", {"type": "object", "additionalProperties": {"type": ["string", "null"]}}),
    ("postgres", "geometry(Point, 4326)", None),
    ("postgres", "tsvector", None),
    ("tsql", "bit", {"type": "boolean"}),
    ("tsql", "tinyint", {"type": "integer", "minimum": 0, "maximum": 255}),
    ("tsql", "money", {"type": "string", "pattern": r"^-?\d+(\.\d+)?$"}),
    ("tsql", "uniqueidentifier", {"type": "string", "format": "uuid"}),
    ("tsql", "nvarchar(max)", TEXT),
    ("tsql", "rowversion", None),
    ("oracle", "VARCHAR2(10 BYTE)", {"type": "string", "maxLength": 10, "description": "At most 10 bytes."}),
    ("oracle", "VARCHAR2(10 CHAR)", {"type": "string", "maxLength": 10}),
    ("oracle", "NUMBER(5)", {"type": "integer", "minimum": -99999, "maximum": 99999}),
    ("oracle", "NUMBER", ANY_NUMBER),
    ("oracle", "RAW(3)", {**BASE64, "maxLength": 4}),
]


@pytest.mark.parametrize(("dialect", "declared", "schema"), ELSEWHERE, ids=[f"{d} {t}" for d, t, _ in ELSEWHERE])
def test_elsewhere(dialect: Dialect, declared: str, schema: dict[str, Any] | None) -> None:
    text = f"CREATE TABLE t (id integer PRIMARY KEY, x {declared}, y integer NOT NULL);"
    found, _ = made(ddl.read(text, dialect, Origin("s.sql"), Report()))
    written = found["t.create"].input["properties"]["values"]["properties"]
    assert "x" in found["t.list"].input["properties"]["columns"]["items"]["enum"]
    if schema is None:
        assert "x" not in written
    else:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        assert written["x"] == {**schema, "type": [*kinds, "null"]}


def test_what_is_only_read_and_what_is_not_known() -> None:
    text = "CREATE TABLE t (id int PRIMARY KEY, place geometry NOT NULL, words tsvector NOT NULL, z frob NOT NULL);"
    found, report = made(ddl.read(text, "postgres", Origin("s.sql"), Report()))
    assert "t.create" not in found  # a trigger may fill the words, nobody fills the place
    assert found["t.update"].input["properties"]["values"]["properties"] == {"z": TEXT}
    assert [finding.rule for finding in report.diagnostics] == ["column-not-writable", "unknown-type"]
    hostile = 'CREATE TABLE t (id int PRIMARY KEY, x "a); DROP TABLE t; --" NOT NULL);'
    found, _ = made(ddl.read(hostile, "postgres", Origin("s.sql"), Report()))
    assert call(found["t.create"]).columns["x"]["type"] in ("", '"a); DROP TABLE t; --"')  # none, or quoted
