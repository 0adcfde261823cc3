"""How long live databases take to read: 1,000 generated tables in each of PostgreSQL, MariaDB and SQLite.

    python benchmarks/reflect.py [--tables 1000]

Servers: TOOLC_TEST_POSTGRES_URL and TOOLC_TEST_MYSQL_URL. read: from the address to the structure, everything included.
inspector: what SQLAlchemy's `get_multi_columns` alone takes on the same tables, for comparison. offer: from the
structure to operations.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from databases import mysql, postgres

from toolc.diagnostics import Report
from toolc.ir import Origin
from toolc.sources.database import operations
from toolc.sources.database.offer import offers
from toolc.sources.database.servers import address, reflect
from toolc.sources.database.servers.connection import connected


def table(number: int) -> str:
    """Ten columns, a key, a reference to the table before, a check and an index."""
    reference = f"REFERENCES t{number - 1} (id)" if number else ""
    return (
        f"CREATE TABLE t{number} (id integer PRIMARY KEY, parent integer {reference}, name varchar(40) NOT NULL,"
        " code char(4) NOT NULL UNIQUE, price numeric(9,2) DEFAULT 0 NOT NULL, amount integer CHECK (amount > 0),"
        " seen timestamp NULL, day date, note text, done boolean DEFAULT false NOT NULL);\n"
    )


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What the work gives, and the seconds it took."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def measure(name: str, url: str) -> None:
    """Print the seconds of one server."""
    reflected, seconds = timed(lambda: reflect(url, "URL", Report(), timeout=120))
    database = reflected.database

    def offered() -> int:
        found = offers(database, Origin("s"), Report())
        return sum(1 for offer in found for _ in operations.of_table("db", offer, database.dialect))

    count, offering = timed(offered)
    _, inspector = timed(lambda: columns_alone(url))
    print(
        f"{name:<10} {len(database.tables):>5} tables  read {seconds:6.2f} s   inspector {inspector:6.2f} s"
        f"   offer {offering:5.2f} s ({count} operations)"
    )


def columns_alone(url: str) -> None:
    """What the Inspector takes for the columns."""
    from sqlalchemy import create_engine, inspect

    target = address.parse(url, "URL")
    if target.dialect == "sqlite":
        inspect(create_engine(target.url)).get_multi_columns()
        return
    with connected(target, 120) as connection:
        inspect(connection).get_multi_columns()


def main() -> None:
    """Measure each server."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=1000)
    sql = "".join(map(table, range(parser.parse_args().tables)))
    with postgres(sql) as (url, _):
        measure("PostgreSQL", url)
    with mysql(sql) as (url, _):
        measure("MariaDB", url)
    with tempfile.TemporaryDirectory() as folder:
        import sqlite3

        connection = sqlite3.connect(f"{folder}/shop.db")
        connection.executescript(sql)
        connection.close()
        measure("SQLite", f"sqlite:///{folder}/shop.db")


if __name__ == "__main__":
    main()
