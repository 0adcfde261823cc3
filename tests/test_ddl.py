"""Schema files of PostgreSQL, MySQL, SQL Server and Oracle: what they make, and that nothing of them is lost unsaid."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from toolc.diagnostics import Diagnostic, Report, Severity
from toolc.ir import Origin
from toolc.sources.database import ddl, sqlite
from toolc.sources.database.ddl.reader import Reader
from toolc.sources.database.dialects import detect
from toolc.sources.database.model import Column, Database, Dialect, Table

DIALECT_OF_FILE = {"oracle": "oracle", "sqlserver": "tsql", "mysql": "mysql", "sqlite": "sqlite"}


def read(text: str, dialect: Dialect) -> tuple[Database, list[Diagnostic]]:
    report = Report()
    database = ddl.read(text, dialect, Origin("schema.sql"), report)
    return database, [finding for finding in report.diagnostics if finding.rule != "skipped-statements"]


def told(findings: Sequence[Diagnostic]) -> list[tuple[str, int]]:
    return [(finding.rule, finding.origin.line if finding.origin else 0) for finding in findings]


def by_name(database: Database) -> dict[str, Table]:
    return {table.full_name: table for table in database.tables}


def one(text: str, dialect: Dialect) -> Table:
    database, findings = read(text, dialect)
    assert told(findings) == []
    (table,) = database.tables
    return table


def column(table: Table, name: str) -> Column:
    return next(column for column in table.columns if column.name == name)


# --- cases/ddl: the expected results stand in the head comments of the files


def case(shared: Path, name: str) -> tuple[dict[str, Table], Database, list[Diagnostic]]:
    text = (shared / "cases" / "ddl" / f"{name}.sql").read_text(encoding="utf-8")
    match = re.match(r"(?:--|rem) dialect: (\w+)", text)
    assert match is not None
    database, findings = read(text, match[1])  # type: ignore[arg-type]
    return by_name(database), database, findings


def names(table: Table) -> list[str]:
    return [column.name for column in table.columns]


def required(table: Table) -> list[str]:
    return [column.name for column in table.columns if not column.optional]


def keys(table: Table) -> list[tuple[Any, ...]]:
    return [(key.columns, key.table, key.target) for key in table.foreign_keys]


def test_case_01_pg_dump(shared: Path) -> None:
    tables, _, findings = case(shared, "01_pg_dump_split")
    assert list(tables) == ["shelf", "book"]
    shelf, book = tables.values()
    assert len(shelf.columns) + len(book.columns) == 7
    assert (shelf.primary_key, book.primary_key) == (("id",), ("id",))
    (key,) = book.foreign_keys
    assert (key.columns, key.table, key.target, key.on_delete) == (("shelf_id",), "shelf", ("id",), "SET NULL")
    default = column(shelf, "id").default
    assert default is not None
    assert not default.literal
    assert column(book, "id").identity == "always"
    assert column(book, "id").supplied
    assert [key.columns for key in shelf.unique] == [("label",)]
    assert (required(shelf), required(book)) == (["label"], ["title"])
    assert findings == []


def test_case_02_partitions(shared: Path) -> None:
    tables, database, findings = case(shared, "02_pg_partitions")
    assert sorted(tables) == ["reading", "site"]
    assert sorted(table.name for table in database.partitions) == ["reading_2024", "reading_2025", "reading_rest"]
    assert {table.partition_of for table in database.partitions} == {"reading"}
    assert sum(len(table.columns) for table in tables.values()) == 5
    assert tables["reading"].primary_key == ("id", "taken")
    assert tables["reading"].partitioned
    assert [finding.message for finding in findings] == [
        "3 partitions of `reading` are reached through it; no tool is made of them"
    ]


def test_case_04_inherits_like(shared: Path) -> None:
    tables, _, _ = case(shared, "04_pg_inherits_like")
    assert {name: names(table) for name, table in tables.items()} == {
        "vehicle": ["id", "plate"],
        "lorry": ["id", "plate", "axles"],
        "vehicle_log": ["id", "plate", "logged"],
    }
    assert tables["lorry"].primary_key == ()
    assert column(tables["lorry"], "plate").not_null
    assert column(tables["vehicle_log"], "plate").not_null


def test_case_05_generated(shared: Path) -> None:
    tables, _, _ = case(shared, "05_pg_generated")
    panel = tables["panel"]
    assert len(panel.columns) == 5
    assert (column(panel, "area").generated, column(panel, "label").generated) == ("stored", "virtual")
    assert [column.name for column in panel.columns if not column.supplied] == ["w", "h"]


def test_case_07_composite_keys(shared: Path) -> None:
    tables, _, _ = case(shared, "07_composite_keys")
    assert tables["seat"].primary_key == ("hall", "num")
    booking = tables["booking"]
    assert sorted(keys(booking)) == [(("email",), "person", ("email",)), (("hall", "num"), "seat", ("hall", "num"))]
    assert booking.primary_key == ()
    assert list(booking.keys()) == [("ref",)]


def test_case_08_quoted_names(shared: Path) -> None:
    tables, _, _ = case(shared, "08_quoted_names")
    assert list(tables) == ["Order Lines", "naïve"]
    assert names(tables["Order Lines"]) == ["select", "Unit, Price", "a)b", 'say "hi"', "CamelCase", "mixed"]
    assert names(tables["naïve"]) == ["größe"]


def test_case_10_psql(shared: Path) -> None:
    tables, _, findings = case(shared, "10_psql_script")
    assert {name: len(table.columns) for name, table in tables.items()} == {"city": 2}
    assert findings == []


def test_case_11_mysql(shared: Path) -> None:
    tables, _, findings = case(shared, "11_mysql_inline")
    item = tables["item"]
    assert len(tables) == 1
    assert len(item.columns) == 9
    assert item.primary_key == ("id",)
    assert [key.columns for key in item.unique] == [("sku",)]
    assert keys(item) == [(("maker_id",), "maker", ("id",))]
    assert "key" in names(item)
    assert column(item, "kind").type.values == ("a,b", "it's", "c")
    assert (column(item, "flags").type.name, column(item, "flags").type.values) == ("set", ("x", "y"))
    assert column(item, "qty").type.unsigned
    assert column(item, "on_sale").type.name == "boolean"
    assert (item.comment, column(item, "sku").comment) == ("Things, for sale", "code; unique")
    assert column(item, "changed").on_update
    assert column(item, "changed").optional
    assert told(findings) == [("unknown-table", 6)]  # `maker` is not in the file


def test_case_13_templates(shared: Path) -> None:
    tables, _, findings = case(shared, "13_template_prefix")
    assert list(tables) == ["page_note", "{$prefix}tag"]
    assert sum(len(table.columns) for table in tables.values()) == 4
    assert [finding.rule for finding in findings] == ["template-name"]
    assert "template text in the name" in findings[0].message


def test_case_15_oracle(shared: Path) -> None:
    tables, _, findings = case(shared, "15_oracle_sqlplus")
    assert list(tables) == ["crew", "trip"]
    crew, trip = tables.values()
    assert crew.primary_key == ("id",)
    assert keys(trip) == [(("lead",), "crew", ("id",))]
    assert (column(crew, "pay").type.name, column(crew, "pay").type.arguments) == ("numeric", (8, 2))
    assert column(crew, "id").identity == "by default"
    assert column(crew, "id").optional
    assert column(trip, "days").generated
    assert (crew.comment, column(crew, "pay").comment) == ("People, who sail", "per month")
    assert findings == []


def test_case_18_temporal(shared: Path) -> None:
    tables, _, findings = case(shared, "18_pg_temporal_exclude")
    assert {name: len(table.columns) for name, table in tables.items()} == {"rate": 3, "stay": 4}
    assert tables["rate"].primary_key == ("room", "valid")
    assert keys(tables["stay"]) == [(("room", "valid"), "rate", ("room", "valid"))]
    assert findings == []


def test_case_20_numbers(shared: Path) -> None:
    tables, _, _ = case(shared, "20_number_types")
    types = {column.name: (column.type.name, *column.type.arguments) for column in tables["nums"].columns}
    assert types == {
        "id": ("integer",),
        "s": ("smallint",),
        "i": ("integer",),
        "b": ("bigint",),
        "n52": ("numeric", 5, 2),
        "big": ("numeric", 38, 10),
        "free": ("numeric",),
        "r": ("real",),
        "d": ("double",),
        "m": ("money",),
        "neg": ("numeric", 5, -2),
        "bit8": ("bit", 8),
        "ok": ("boolean",),
    }


def test_case_21_defaults(shared: Path) -> None:
    tables, _, _ = case(shared, "21_defaults")
    dfl = tables["dfl"]
    assert len(dfl.columns) == 10
    found = {column.name: column.default for column in dfl.columns if column.default}
    literals = {name: default.value for name, default in found.items() if default.literal and default.fills}
    assert literals == {"a": "x", "b": 3, "c": False, "e": {}, "g": "'", "k": []}
    assert [name for name, default in found.items() if not default.literal] == ["d", "h"]
    assert not found["f"].fills
    assert column(dfl, "f").optional
    assert required(dfl) == ["id"]


def test_case_23_defined_twice(shared: Path) -> None:
    tables, _, findings = case(shared, "23_defined_twice")
    assert {name: len(table.columns) for name, table in tables.items()} == {"member": 2}
    (finding,) = findings
    assert finding.message.startswith("`member` is defined twice, columns differ: spam")


def test_case_24_schemas(shared: Path) -> None:
    tables, _, findings = case(shared, "24_same_name_two_schemas")
    assert list(tables) == ["crm.account", "billing.account", "billing.invoice"]
    (key,) = tables["billing.invoice"].foreign_keys
    assert (key.schema, key.table, key.target) == ("billing", "account", ("id",))
    (key,) = tables["billing.account"].foreign_keys
    assert (key.schema, key.table) == ("crm", "account")
    assert findings == []


def test_case_25_names(shared: Path) -> None:
    tables, _, _ = case(shared, "25_tool_name_limits")
    long = "quarterly_regional_customer_satisfaction_survey_answer_archive"
    assert list(tables) == [long, "order-items", "order_items", "2024 plan"]


def test_case_27_sensitive(shared: Path) -> None:
    tables, _, _ = case(shared, "27_sensitive_columns")
    assert len(tables["login"].columns) == 10


def test_case_28_broken(shared: Path) -> None:
    tables, _, findings = case(shared, "28_broken_middle")
    assert list(tables) == ["ok1", "ok2"]
    assert told(findings) == [("broken-statement", 6)]
    assert "`bad`" in findings[0].message


def test_case_30_cycles(shared: Path) -> None:
    tables, _, findings = case(shared, "30_fk_cycles")
    assert list(tables) == ["dept", "emp", "note"]
    assert sum(len(table.foreign_keys) for table in tables.values()) == 4
    assert [finding.message for finding in findings] == ["note.author refers to unknown table `outside.person`"]


def test_case_32_create_as(shared: Path) -> None:
    tables, _, _ = case(shared, "32_create_as_select")
    assert {name: names(table) for name, table in tables.items()} == {"src": ["id", "t"], "copy1": ["id", "t", "at"]}
    assert column(tables["copy1"], "at").type.name == ""  # nothing tells the type of an expression
    assert tables["copy1"].primary_key == ()


# --- corpus/ddl: truth.json was counted in live databases

# Three columns VARCHAR(n) DEFAULT NULL, whose cast PostgreSQL keeps as a default that gives null.
# Enum columns of views are counted there too, and one of the two views with one was not loaded; a server of ours takes
# all seven views (test_ddl_live).
JUSTIFIED: dict[str, dict[str, tuple[int, int]]] = {
    "mediawiki_pg": {"default": (157, 160)},
    "sakila_mysql": {"enum": (1, 2), "views": (7, 6)},
}


def counted(database: Database) -> dict[str, int]:
    tables = [table for table in database.tables if table.kind == "table"]
    columns = [column for table in tables for column in table.columns]
    inline = sum(column.type.name == "enum" for column in columns)
    return {
        "tables": len(tables),
        "partitioned": sum(table.partitioned for table in tables),
        "partitions": len(database.partitions),
        "columns": len(columns),
        "pk": sum(bool(table.primary_key) for table in tables),
        "fk": sum(len(table.foreign_keys) for table in tables),
        "unique": sum(not key.index for table in tables for key in table.unique),
        "check": sum(len(table.checks) for table in tables),
        "enum": len(database.enums) if database.dialect == "postgres" else inline,
        "domain": len(database.domains),
        "tcomment": sum(bool(table.comment) for table in tables),
        "ccomment": sum(bool(column.comment) for column in columns),
        "default": sum(column.default is not None and column.default.fills for column in columns),
        "generated": sum(bool(column.generated) for column in columns),
        "identity": sum(bool(column.identity) for column in columns),
        "notnull": sum(column.not_null for column in columns),
        "views": sum("view" in table.kind for table in database.tables),
    }


def test_corpus_counts(shared: Path) -> None:
    folder = shared / "corpus" / "ddl"
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    seen = 0
    for path in sorted(folder.glob("*.sql")):
        dialect = next((name for key, name in DIALECT_OF_FILE.items() if key in path.stem.lower()), "postgres")
        if path.stem not in truth or dialect == "sqlite":
            continue
        database, findings = read(path.read_text(encoding="utf-8-sig"), dialect)  # type: ignore[arg-type]
        found = counted(database)
        differ = {name: (found[name], count) for name, count in truth[path.stem].items() if found[name] != count}
        assert differ == JUSTIFIED.get(path.stem, {}), path.stem
        expected = {"wordpress_mysql": ["duplicate-table"], "pagila": ["hidden-table"]}  # the latter: partitions
        assert [finding.rule for finding in findings] == expected.get(path.stem, [])
        seen += 1
    assert seen == 9


@pytest.mark.parametrize("name", ["chinook_SqlServer", "chinook_Oracle"])
def test_the_same_tables_in_other_dialects(shared: Path, name: str) -> None:
    folder = shared / "corpus" / "ddl"
    dialect: Dialect = "oracle" if "Oracle" in name else "tsql"
    other, findings = read((folder / f"{name}.sql").read_text(encoding="utf-8-sig"), dialect)
    mysql, _ = read((folder / "chinook_MySql.sql").read_text(encoding="utf-8-sig"), "mysql")
    assert findings == []

    def shape(database: Database) -> dict[str, Any]:
        return {
            table.name: (
                [(column.name, column.not_null) for column in table.columns],
                table.primary_key,
                sorted(keys(table)),
            )
            for table in database.tables
        }

    assert shape(other) == shape(mysql)


def test_dialects_are_told_from_the_text(shared: Path) -> None:
    for folder in ("corpus/ddl", "cases/ddl"):
        for path in sorted((shared / folder).glob("*.sql")):
            text = path.read_text(encoding="utf-8-sig")
            said = re.match(r"(?:--|rem) dialect: (\w+)", text)
            named = next((name for key, name in DIALECT_OF_FILE.items() if key in path.stem.lower()), "postgres")
            assert detect(text)[0] == (said[1] if said else named), path.name


# --- the invariant


TWO_ON_LINES = "CREATE TABLE a (id int)\nCREATE TABLE b (id int);\n"
PROCEDURE = "DELIMITER //\nCREATE PROCEDURE p() BEGIN\nCREATE TABLE x (a int);\nEND//\n"
SCRIPTS: list[tuple[Dialect, str]] = [
    ("postgres", TWO_ON_LINES + "CREATE TABLE c (x text DEFAULT 'open);\nCREATE TABLE d (id int);"),
    ("postgres", 'CREATE TABLE a ("open int);\nCREATE TABLE b (id int); /* no end\nCREATE TABLE c (id int);'),
    ("postgres", "CREATE FUNCTION f() RETURNS int AS $$ no end\nCREATE TABLE a (id int);"),
    ("mysql", "CREATE TABLE a (id int, KEY k (id),);\n" + PROCEDURE),
    ("mysql", "CREATE PROCEDURE p() BEGIN SELECT 1;\nCREATE TABLE a (id int);\nCREATE TABLE b (id int);"),
    ("tsql", "CREATE TABLE a (id int) CREATE TABLE b (id int)\nGO\nIF 1 = 1 BEGIN CREATE TABLE c (id int) END\nGO"),
    ("oracle", "rem it's\nCREATE TABLE a (id NUMBER)\n/\nBEGIN NULL; END;\n/\nCREATE TABLE b (id NUMBER);"),
    ("postgres", "CREATE TABLE; CREATE TABLE (a int); CREATE TABLE a; CREATE TABLE b (); CREATE TABLE b (x int);"),
    ("postgres", "CREATE TABLE a (x int); DROP TABLE a; CREATE TABLE a (y int); ALTER TABLE a RENAME TO b;"),
    ("postgres", "CREATE TABLE a (x int); CREATE TABLE b (x int); ALTER TABLE a RENAME TO b;"),
    ("postgres", "CREATE TABLE a AS SELECT; CREATE TEMP TABLE t (x int);\nCREATE TABLE p PARTITION OF gone DEFAULT;"),
]
ALL: tuple[Dialect, ...] = ("postgres", "mysql", "tsql", "oracle")


def holds(text: str, dialect: Dialect) -> Reader:
    """Every CREATE TABLE is a table, a partition, or in a diagnostic; each diagnostic has a place in the text."""
    report = Report()
    reader = Reader(text, dialect, Origin("schema.sql"), report, lines=True)
    reader.run()
    reader.finish()
    rules = [finding.rule for finding in report.diagnostics]
    assert "lost-table" not in rules
    lines = text.count("\n") + 1
    for finding in report.diagnostics:
        if finding.rule != "skipped-statements":
            assert finding.origin is not None
            assert 1 <= finding.origin.line <= lines, finding
            assert finding.origin.column >= 1, finding
    lost = {"broken-statement", "duplicate-table", "dropped-table"}
    assert reader.lost <= sum(rule in lost for rule in rules)
    return reader


@pytest.mark.parametrize(("dialect", "text"), SCRIPTS)
def test_the_sum_of_tables(dialect: Dialect, text: str) -> None:
    holds(text, dialect)


def test_what_is_recovered_behind_faults() -> None:
    found = []
    for dialect, text in SCRIPTS[:7]:
        database, findings = read(text, dialect)
        found.append(([table.name for table in database.tables], told(findings)))
    assert found == [
        (["a", "b", "d"], [("broken-statement", 3)]),
        (["b", "c"], [("broken-statement", 1), ("broken-statement", 2)]),
        (["a"], [("broken-statement", 1)]),
        (["a"], [("unread-sql", 1)]),
        (["a", "b"], [("broken-statement", 1)]),
        (["a", "b", "c"], []),
        (["a", "b"], []),
    ]


PIECES = ["'", '"', "`", "$$", "/*", "*/", "--", "(", ")", ";", ",", "\n", "GO\n", "[", "]", "\\", "CREATE TABLE "]
WORDS = ["a ", "int ", "PRIMARY KEY", "REFERENCES ", "CHECK ", "DEFAULT ", "ALTER TABLE a ", "é", "\0"]


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_cuts_and_changes_never_break_it(root: Path, data: st.DataObject) -> None:
    names = ["postgres_everything", "mariadb_everything"]
    text = (root / "tests" / "fixtures" / "ddl" / f"{data.draw(st.sampled_from(names))}.sql").read_text(
        encoding="utf-8"
    )
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        to = data.draw(st.integers(at, min(len(text), at + 400)))
        text = text[:at] + data.draw(st.sampled_from(["", *PIECES])) + text[to:]
    holds(text, data.draw(st.sampled_from(ALL)))


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.sampled_from([*PIECES, *WORDS]), max_size=40),
    st.sampled_from(ALL),
)
@example(["CREATE TABLE ", "a ", "(", "a ", "int ", "CHECK ", "(", "a ", "(", ")", ")"], "postgres")
def test_any_words_never_break_it(words: list[str], dialect: Dialect) -> None:
    holds("".join(words), dialect)


# --- hostile files


HOSTILE: list[tuple[Dialect, str, list[tuple[str, int]]]] = [
    (
        "postgres",
        "\\! touch {0}/x\n\\i {0}/other.sql\n\\o {0}/out",
        [("refused-statement", line) for line in (1, 2, 3)],
    ),
    ("postgres", "COPY t TO PROGRAM 'touch {0}/x';", [("refused-statement", 1)]),
    ("postgres", "COPY t TO '{0}/x';\nVACUUM INTO '{0}/y';", [("refused-statement", 1), ("refused-statement", 2)]),
    ("postgres", "ATTACH DATABASE '{0}/x' AS evil;", [("refused-statement", 1)]),
    ("postgres", "SELECT 1 \\gexec\nCREATE TABLE ok (id int)", []),
    (
        "mysql",
        "SELECT 1 INTO OUTFILE '{0}/x';\nsource {0}/other.sql",
        [("refused-statement", 1), ("refused-statement", 2)],
    ),
    ("mysql", "LOAD DATA INFILE '/etc/passwd' INTO TABLE t;", [("refused-statement", 1)]),
    ("tsql", "EXEC xp_cmdshell 'touch {0}/x';\n:r {0}/other.sql", [("refused-statement", 1), ("refused-statement", 2)]),
    ("oracle", "HOST touch {0}/x\n@{0}/other.sql\n! touch {0}/y", [("refused-statement", line) for line in (1, 2, 3)]),
    (
        "postgres",
        "CREATE TABLE endless AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c;",
        [],
    ),
]


@pytest.mark.parametrize(("dialect", "text", "expected"), HOSTILE)
def test_hostile_statements_do_nothing(
    tmp_path: Path, dialect: Dialect, text: str, expected: list[tuple[str, int]]
) -> None:
    _, findings = read(text.format(tmp_path), dialect)
    assert told(findings) == expected
    assert list(tmp_path.iterdir()) == []


MANY = 100_000
LARGE: dict[str, tuple[str, list[str], list[tuple[str, int]]]] = {
    "brackets": (f"CREATE TABLE a (x int DEFAULT {'(' * MANY}1{')' * MANY});\n", ["a", "b"], []),
    "brackets in a check": (f"CREATE TABLE a (x int CHECK {'(' * MANY}x > 1{')' * MANY});\n", ["a", "b"], []),
    "open brackets": (f"CREATE TABLE a (x int {'(' * MANY};\n", ["b"], [("broken-statement", 1)]),
    "a literal": (f"CREATE TABLE a (x text DEFAULT '{'x' * 10_000_000}');\n", ["a", "b"], []),
    "a text without an end": (f"CREATE TABLE a (x text DEFAULT '{'x' * MANY};\n", ["b"], [("broken-statement", 1)]),
    "dollars without an end": (f"CREATE TABLE a (x text DEFAULT $q${'x' * MANY};\n", ["b"], [("broken-statement", 1)]),
    "a comment without an end": (f"/* {'x' * MANY}\n", ["b"], [("broken-statement", 1)]),
    "comments in comments": (f"{'/*' * MANY}{'*/' * MANY}\n", ["b"], []),
    "an alternative": (f"CREATE TABLE a (x int CHECK ({' OR '.join(['x = 1'] * 20_000)}));\n", ["a", "b"], []),
    "templates without an end": (f"{'${{%<%' * 20_000};\n", ["b"], [("unknown-statement", 1)]),
    "types of types": (
        "".join(f"CREATE TYPE t{n + 1} AS (a t{n}, b t{n}, c t{n});" for n in range(60)) + "CREATE TABLE a (x t60);\n",
        ["a", "b"],
        [],
    ),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_and_open_things_cost_only_themselves(name: str) -> None:
    text, tables, expected = LARGE[name]
    database, findings = read(text + "CREATE TABLE b (id int);\n", "postgres")
    assert [table.name for table in database.tables] == tables
    assert told(findings) == expected


def test_a_file_full_of_open_quotes_comes_to_an_end() -> None:
    reader = holds("CREATE TABLE a (x text DEFAULT 'open);\n" * 5001, "postgres")
    assert reader.created > 0


def test_encodings(tmp_path: Path) -> None:
    from toolc.diagnostics import UserError
    from toolc.sources import Context, database

    def operations(data: bytes) -> list[str]:
        (tmp_path / "schema.sql").write_bytes(data)
        options = database.Options(ddl="schema.sql", dialect="postgres")
        reading = database.read(options, Context("db", tmp_path, tmp_path, Report()))
        return [operation.name for operation in reading.operations]

    text = "CREATE TABLE größe (id int PRIMARY KEY);\r\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        assert "größe.get" in operations(text.encode(encoding)), encoding
    with pytest.raises(UserError) as error:
        operations(b"CREATE TABLE a (id int);\nCREATE \0")
    (finding,) = error.value.diagnostics
    assert finding.origin is not None
    assert (finding.origin.line, finding.origin.column) == (2, 8)


# --- kinds that the public files do not show


def test_sql_server() -> None:
    database, findings = read(
        """
        USE [master]
        GO
        IF NOT EXISTS (SELECT 1 FROM sys.tables WHERE name = 'x')
        BEGIN
        CREATE TABLE [dbo].[Order Details](
            [Id] [int] IDENTITY(1,1) NOT NULL,
            [Code] [nvarchar](max) COLLATE Latin1_General_CI_AS NULL,
            [Price] [decimal](18, 2) NOT NULL CONSTRAINT [DF_Price] DEFAULT ((0)),
            [Gross] AS ([Price] * 1.19) PERSISTED,
            [Stamp] [timestamp] NOT NULL,
            [State] [char](1) NOT NULL,
            [Made] [datetime2](7) NULL DEFAULT (getdate()),
         CONSTRAINT [PK_x] PRIMARY KEY CLUSTERED ([Id] ASC) WITH (PAD_INDEX = OFF) ON [PRIMARY]
        ) ON [PRIMARY] TEXTIMAGE_ON [PRIMARY]
        END
        GO
        CREATE TABLE sales.Customer (
          Id uniqueidentifier PRIMARY KEY DEFAULT NEWID(), Mail nvarchar(50) UNIQUE, INDEX ix (Mail))
        CREATE TABLE #scratch (a int)
        GO
        ALTER TABLE [dbo].[Order Details] ADD Customer uniqueidentifier NULL, Note nvarchar(10)
        ALTER TABLE [dbo].[Order Details]  WITH CHECK ADD  CONSTRAINT [FK_x] FOREIGN KEY([Customer])
        REFERENCES [sales].[Customer] ([Id])
        ALTER TABLE [dbo].[Order Details] CHECK CONSTRAINT [FK_x]
        ALTER TABLE [dbo].[Order Details] ADD CONSTRAINT d DEFAULT (N'none') FOR Note
        ALTER TABLE [dbo].[Order Details] ADD CHECK (([State]='a' OR [State]='b'))
        GO
        EXEC sys.sp_addextendedproperty @name=N'MS_Description', @value=N'What it costs' , @level0type=N'SCHEMA',
            @level0name=N'dbo', @level1type=N'TABLE', @level1name=N'Order Details',
            @level2type=N'COLUMN', @level2name=N'Price'
        GO
        CREATE PROCEDURE p AS
        CREATE TABLE inside (a int)
        GO
        CREATE TABLE last_one (a int)
        """,
        "tsql",
    )
    tables = by_name(database)
    assert list(tables) == ["Order Details", "sales.Customer", "last_one"]
    assert [finding.rule for finding in findings] == ["hidden-table"]
    order = tables["Order Details"]
    assert names(order) == ["Id", "Code", "Price", "Gross", "Stamp", "State", "Made", "Customer", "Note"]
    assert order.primary_key == ("Id",)
    assert required(order) == ["State"]
    assert [column.name for column in order.columns if column.supplied] == ["Id", "Gross", "Stamp"]
    assert (column(order, "Code").type.name, column(order, "Code").type.arguments) == ("nvarchar", ())
    assert column(order, "Price").comment == "What it costs"
    assert column(order, "State").bounds == {"enum": ["a", "b"]}
    note = column(order, "Note").default
    assert note is not None
    assert note.value == "none"
    (key,) = order.foreign_keys
    assert (key.columns, key.schema, key.table, key.target) == (("Customer",), "sales", "Customer", ("Id",))
    assert [key.columns for key in tables["sales.Customer"].unique] == [("Mail",)]


def test_oracle() -> None:
    database, findings = read(
        """
set serveroutput on
prompt it's a prompt
CREATE TABLE "HR"."EMP" (
  "ID" NUMBER(10,0) GENERATED ALWAYS AS IDENTITY MINVALUE 1 INCREMENT BY 1 START WITH 1 NOCYCLE NOT NULL ENABLE,
  NAME VARCHAR2(30 BYTE) DEFAULT q'[it's]' NOT NULL,
  HIRED DATE DEFAULT SYSDATE, DOC CLOB, N NUMBER(3) CHECK (N BETWEEN 1 AND 9),
  PRIMARY KEY ("ID") USING INDEX PCTFREE 10 TABLESPACE "USERS" ENABLE
) SEGMENT CREATION DEFERRED TABLESPACE "USERS"
/
CREATE OR REPLACE TRIGGER hr.t BEFORE INSERT ON hr.emp FOR EACH ROW
BEGIN
  :new.name := 'x;';
END;
/
ALTER TABLE HR.EMP ADD (BOSS NUMBER(10), CONSTRAINT boss_fk FOREIGN KEY (BOSS)
  REFERENCES HR.EMP (ID) ON DELETE SET NULL);
ALTER TABLE HR.EMP MODIFY (NAME VARCHAR2(60 CHAR), DOC NOT NULL);
COMMENT ON COLUMN HR.EMP.NAME IS 'Full; name';
CREATE UNIQUE INDEX HR.EMP_N ON HR.EMP (NAME);
EXIT
""",
        "oracle",
    )
    (table,) = database.tables
    assert findings == []
    assert table.full_name == "HR.EMP"
    assert names(table) == ["ID", "NAME", "HIRED", "DOC", "N", "BOSS"]
    assert required(table) == ["DOC"]
    assert column(table, "ID").identity == "always"
    name = column(table, "NAME")
    assert (name.type.arguments, name.type.in_bytes, name.comment) == ((60,), False, "Full; name")
    assert name.default is not None
    assert name.default.value == "it's"
    assert column(table, "N").bounds == {"minimum": 1, "maximum": 9}
    assert keys(table) == [(("BOSS",), "EMP", ("ID",))]
    assert list(table.keys()) == [("ID",), ("NAME",)]


def test_a_table_without_its_semicolon_and_one_with_a_privilege_of_its_name() -> None:
    database, findings = read(
        "GRANT CREATE SESSION,\nCREATE TABLE,\nCREATE VIEW TO someone;\n"
        "COMMENT ON TABLE a IS 'x'\nCREATE TABLE a (id int)\nALTER TABLE a ADD b int\nCREATE INDEX i ON a (b)\n"
        "CREATE TABLE c (id int);",
        "postgres",
    )
    assert {table.name: names(table) for table in database.tables} == {"a": ["id", "b"], "c": ["id"]}
    assert [(finding.rule, finding.origin.line if finding.origin else 0) for finding in findings] == [
        ("broken-statement", 4)
    ]


def test_views_tell_what_is_known_of_their_columns() -> None:
    database, findings = read(
        "CREATE TABLE t (id int, name varchar(9), n numeric(5,2));\n"
        "CREATE VIEW a AS SELECT t.id::text, min(n), u.*, 'x' || name l, CASE n WHEN 1 THEN 2 END FROM t, t u;\n"
        "CREATE VIEW b AS SELECT 1 + 1, id FROM t;\n"
        "CREATE TABLE c AS TABLE t;",
        "postgres",
    )
    tables = by_name(database)
    assert [(column.name, column.type.name) for column in tables["a"].columns] == [
        ("id", "text"),
        ("min", ""),
        ("name", "varchar"),
        ("n", "numeric"),
        ("l", ""),
        ("case", ""),
    ]
    assert (tables["b"].partial, names(tables["b"])) == (True, ["id"])
    assert names(tables["c"]) == ["id", "name", "n"]
    assert told(findings) == [("unknown-columns", 3)]


def test_types_of_extensions_and_enums_in_other_quotes() -> None:
    table = one('CREATE TABLE t (a public.citext, b public.vector(3), c "s"."T"[]);', "postgres")
    assert [(c.type.name, c.type.arguments, c.type.dimensions) for c in table.columns] == [
        ("citext", (), 0),
        ("vector", (3,), 0),
        ("T", (), 1),
    ]
    table = one('CREATE TABLE t (e enum("a", \'it\'\'s\', "say ""x""") DEFAULT "a");', "mysql")
    (column,) = table.columns
    assert column.type.values == ("a", "it's", 'say "x"')
    assert column.default is not None
    assert column.default.value == "a"


def test_a_text_that_is_checked_to_be_json_is_json() -> None:
    table = one("CREATE TABLE t (doc longtext DEFAULT NULL CHECK (json_valid(`doc`)), plain longtext);", "mysql")
    assert [column.type.name for column in table.columns] == ["json", "longtext"]


def test_quoted_tables_are_named() -> None:
    row = "INSERT INTO t VALUES ('O'Fallon');\n"
    database, findings = read(f"{row}CREATE TABLE a (id int);\n{row}", "postgres")
    assert (list(database.tables), told(findings)) == ([], [("quoted-statement", 2)])
    database, findings = read(f"{row}CREATE TABLE a (id int);\n", "postgres")
    assert [table.name for table in database.tables] == ["a"]
    assert told(findings) == [("broken-statement", 1)]


def test_select_into_makes_a_table() -> None:
    sql = """
CREATE TABLE t (id int NOT NULL PRIMARY KEY, name varchar(20));
ALTER TABLE t ADD x int
SELECT id, name AS called INTO dbo.copied FROM t
SELECT * INTO #gone FROM t
SELECT 1 UNION ALL
SELECT x FROM t
"""
    database, findings = read(sql, "tsql")
    assert {table.name: names(table) for table in database.tables} == {
        "t": ["id", "name", "x"],
        "copied": ["id", "called"],
    }
    assert [(table.name, column(table, "called").type.text) for table in database.tables[1:]] == [
        ("copied", "varchar(20)")
    ]
    assert told(findings) == [("hidden-table", 5)]
    sql = """
CREATE TABLE t (id int);
WITH one AS (SELECT id FROM t) SELECT id::bigint AS n INTO UNLOGGED made FROM t;
WITH one AS (SELECT id FROM t) INSERT INTO t SELECT id FROM one;
SELECT id INTO TEMP TABLE short FROM t;
"""
    database, findings = read(sql, "postgres")
    assert {table.name: names(table) for table in database.tables} == {"t": ["id"], "made": ["n"]}
    assert told(findings) == [("hidden-table", 5)]


def test_foreign_key_behind_a_column_of_sql_server() -> None:
    table = one("CREATE TABLE t (id int PRIMARY KEY, a int CONSTRAINT fk FOREIGN KEY REFERENCES dbo.t (id))", "tsql")
    assert table.primary_key == ("id",)
    assert not column(table, "a").not_null
    assert [(key.columns, key.table, key.name) for key in table.foreign_keys] == [(("a",), "t", "fk")]


def test_indexes_and_families_of_cockroach_are_no_columns() -> None:
    sql = """CREATE TABLE t (id int PRIMARY KEY, city text, n jsonb, INDEX city_idx (city ASC) STORING (n),
        INDEX (city), UNIQUE INDEX (city), INVERTED INDEX inv (n), FAMILY "primary" (id, city), FAMILY (n))"""
    table = one(sql, "postgres")
    assert names(table) == ["id", "city", "n"]
    assert [key.columns for key in table.unique] == [("city",)]
    plain = one("CREATE TABLE t (index varchar(10), family numeric (10,2), inverted int, vector text)", "postgres")
    assert names(plain) == ["index", "family", "inverted", "vector"]


def test_numbers_that_postgres_writes_as_text() -> None:
    sql = """CREATE TABLE t (n integer, m integer, k integer, q text,
        z bit(3) DEFAULT B'101', v varbit(8) DEFAULT B'01',
        CONSTRAINT a CHECK ((n > '-5'::integer)), CONSTRAINT b CHECK (((m >= '-1'::integer) AND (m <= 2))),
        CONSTRAINT c CHECK ((k = ANY (ARRAY['-1'::integer, 0, 1]))),
        CONSTRAINT d CHECK ((q = ANY (ARRAY['-1'::text, '2'::text]))))"""
    table = one(sql, "postgres")
    assert column(table, "n").bounds == {"exclusiveMinimum": -5}
    assert column(table, "m").bounds == {"minimum": -1, "maximum": 2}
    assert column(table, "k").bounds == {"enum": [-1, 0, 1]}
    assert column(table, "q").bounds == {"enum": ["-1", "2"]}
    defaults = [found.default.value for found in table.columns if found.default]
    assert defaults == ["101", "01"]
    other = one("CREATE TABLE t (z bit(8) DEFAULT b'101', n int DEFAULT b'101')", "mysql")
    assert [found.default.value for found in other.columns if found.default] == ["00000101", 5]


def test_constraints_without_a_name_are_dropped_by_the_one_they_get() -> None:
    # as PostgreSQL 15 and MariaDB 10.11 name them
    sql = """CREATE TABLE a (id int PRIMARY KEY, x int REFERENCES a, y int REFERENCES a, n int CHECK (n > 1),
        k int CHECK (k > 2),
        CHECK (x < y), FOREIGN KEY (x) REFERENCES a);
        ALTER TABLE a DROP CONSTRAINT a_x_fkey, DROP CONSTRAINT a_n_check, DROP CONSTRAINT a_check;"""
    table = one(sql, "postgres")
    assert [key.columns for key in table.foreign_keys] == [("y",), ("x",)]
    assert (column(table, "n").bounds, column(table, "n").checks) == ({}, ())
    assert (column(table, "k").bounds, column(table, "x").checks) == ({"exclusiveMinimum": 2}, ())
    sql = """CREATE TABLE a (id int PRIMARY KEY, x int, y int, z int, FOREIGN KEY (x) REFERENCES a (id),
        FOREIGN KEY (y) REFERENCES a (id), FOREIGN KEY (z) REFERENCES a (id));
        ALTER TABLE a DROP FOREIGN KEY a_ibfk_1, DROP FOREIGN KEY a_ibfk_3;"""
    assert [key.columns for key in one(sql, "mysql").foreign_keys] == [("y",)]


def test_what_sql_server_scripts_do_to_tables() -> None:
    """As Entity Framework and Management Studio write them: variables, texts that are executed, named defaults."""
    database, findings = read(
        """
        CREATE TABLE [Blogs] (
            [Id] int NOT NULL IDENTITY, [Url] nvarchar(max) NULL, [Kind] varchar NULL, [Rating] int NOT NULL,
            [Seen] bit NOT NULL CONSTRAINT [DF_Seen] DEFAULT ((1)), [Old] int NULL, [Older] int NULL,
            CONSTRAINT [PK_Blogs] PRIMARY KEY NONCLUSTERED HASH ([Id]) WITH (BUCKET_COUNT = 1000)
        );
        DECLARE @defaultSchema AS sysname;
        SET @defaultSchema = SCHEMA_NAME();
        DECLARE @description AS sql_variant;
        SET @description = N'Our blogs';
        EXEC sp_addextendedproperty 'MS_Description', @description, 'SCHEMA', @defaultSchema, 'TABLE', N'Blogs';
        SET @description = N'Where it is';
        EXEC sp_addextendedproperty 'MS_Description', @description, 'SCHEMA', @defaultSchema, 'TABLE', N'Blogs',
            'COLUMN', N'Url';
        GO
        ALTER TABLE [Blogs] ADD CONSTRAINT [DF_Rating] DEFAULT ((3)) FOR [Rating];
        ALTER TABLE [Blogs] DROP CONSTRAINT [DF_Seen], COLUMN [Old], [Older];
        GO
        IF NOT EXISTS (SELECT * FROM [__EFMigrationsHistory])
        BEGIN
            EXEC(N'CREATE TABLE [Posts] ([Id] int NOT NULL DEFAULT 1, [Title] nvarchar(9) DEFAULT N''it''''s'')');
        END;
        GO
        EXEC sp_executesql N'CREATE TABLE Tags (Id int PRIMARY KEY)'
        CREATE TABLE plain (a int, b varchar(3) INDEX ix NONCLUSTERED)
        SELECT Id, Url INTO dbo.Copied FROM Blogs
        """,
        "tsql",
    )
    assert findings == []
    tables = by_name(database)
    assert list(tables) == ["Blogs", "Posts", "Tags", "plain", "Copied"]
    blogs = tables["Blogs"]
    assert names(blogs) == ["Id", "Url", "Kind", "Rating", "Seen"]
    assert (blogs.comment, column(blogs, "Url").comment) == ("Our blogs", "Where it is")
    assert required(blogs) == ["Seen"]  # its default is gone; that of Rating came
    assert (column(blogs, "Kind").type.arguments, column(blogs, "Url").type.arguments) == ((1,), ())
    title = column(tables["Posts"], "Title").default
    assert title is not None
    assert title.value == "it's"
    assert names(tables["Copied"]) == ["Id", "Url"]


def test_what_oracle_scripts_do_to_tables() -> None:
    database, findings = read(
        """
CREATE TYPE names AS VARRAY(5) OF VARCHAR2(10 CHAR);
/
BEGIN
  EXECUTE IMMEDIATE 'CREATE TABLE item (id NUMBER(*,0) PRIMARY KEY, price NUMBER(*,2), n names, k CHAR DEFAULT ''x'')';
  EXECUTE IMMEDIATE 'CREATE TABLE ' || prefix || 'rest (id NUMBER)';
EXCEPTION WHEN OTHERS THEN NULL;
END;
/
CREATE TABLE doc (
  id NUMBER, x "SYS"."XMLTYPE", shape "MDSYS"."SDO_GEOMETRY", d DATE DEFAULT ON NULL FOR INSERT AND UPDATE SYSDATE,
  secret VARCHAR2(9) ENCRYPT USING 'AES256' NO SALT, label VARCHAR2(9) ANNOTATIONS (display 'L'),
  n NUMBER, CONSTRAINT off CHECK (n > 5) DISABLE, CONSTRAINT on_ CHECK (n < 9) ENABLE);
""",
        "oracle",
    )
    assert findings == []
    tables = by_name(database)
    assert list(tables) == ["item", "doc"]
    item, doc = tables["item"], tables["doc"]
    assert column(item, "id").type.arguments == (38, 0)
    assert column(item, "price").type.arguments == (38, 2)
    assert (column(item, "n").type.name, column(item, "n").type.dimensions) == ("varchar", 1)
    kind = column(item, "k").default
    assert kind is not None
    assert kind.value == "x"
    assert [column(doc, name).type.name for name in ("x", "shape")] == ["xmltype", "sdo_geometry"]
    assert column(doc, "n").bounds == {"exclusiveMaximum": 9}


def test_numbers_that_json_does_not_know_are_no_defaults() -> None:
    text = "CREATE TABLE t (a float DEFAULT 'NaN', b float DEFAULT 'Infinity', c date DEFAULT 'now', d int DEFAULT 3)"
    table = one(text, "postgres")
    assert [column.default is not None and column.default.literal for column in table.columns] == [False] * 3 + [True]


def test_what_sqlite_makes_itself_is_no_fault_of_the_schema() -> None:
    """The shell's .schema prints the tables that AUTOINCREMENT and ANALYZE make."""
    report = Report()
    text = "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT);\nCREATE TABLE sqlite_sequence(name,seq);\n"
    text += "CREATE TABLE sqlite_stat1(tbl,idx,stat);\n"
    database = sqlite.read(text, Origin("schema.sql"), report)
    assert [table.name for table in database.tables] == ["t"]
    assert not [finding for finding in report.diagnostics if finding.severity > Severity.note]


def test_what_oracle_says_of_lobs_views_and_objects() -> None:
    database, findings = read(
        """
CREATE TYPE thing AS OBJECT (a NUMBER, MEMBER FUNCTION x RETURN NUMBER, MAP MEMBER FUNCTION y RETURN NUMBER);
/
CREATE TABLE log (id NUMBER, msg CLOB, at DATE DEFAULT DATE '2020-01-01', PRIMARY KEY (id))
  LOB (msg) STORE AS (TABLESPACE lobs) PARTITION BY LIST (id) (PARTITION p1 VALUES (1));
CREATE TABLE copied AS (SELECT id FROM log);
CREATE VIEW shown (a, b, CONSTRAINT shown_pk PRIMARY KEY (a) RELY DISABLE NOVALIDATE) AS SELECT id, msg FROM log;
CREATE TABLE holder (t thing);
""",
        "oracle",
    )
    assert findings == []
    tables = by_name(database)
    assert [(name, names(table), table.partial) for name, table in tables.items()] == [
        ("log", ["id", "msg", "at"], False),
        ("copied", ["id"], False),
        ("shown", ["a", "b"], False),
        ("holder", ["t"], False),
    ]
    moment = column(tables["log"], "at").default
    assert moment is not None
    assert moment.value == "2020-01-01"
    assert [field.name for field in column(tables["holder"], "t").type.fields] == ["a"]


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE p0 (a int);" + "".join(f"CREATE TABLE p{i + 1} () INHERITS (p{i});" for i in range(2000)),
        "CREATE TABLE p0 (a int); CREATE TABLE p1 () INHERITS (p0); ALTER TABLE p0 INHERIT p1;",
        "CREATE TABLE p0 (a int) PARTITION BY LIST (a); ALTER TABLE p0 ATTACH PARTITION p0 DEFAULT;",
    ],
)
def test_long_lines_and_rings_of_tables_that_inherit_come_to_an_end(text: str) -> None:
    changes = (
        "ALTER TABLE p0 ALTER a SET NOT NULL; ALTER TABLE p0 ADD b int; ALTER TABLE p0 RENAME a TO c; DROP TABLE p0;"
    )
    _, findings = read(text + changes, "postgres")
    assert "lost-table" not in {finding.rule for finding in findings}
