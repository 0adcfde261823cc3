"""CPU time of reading schema files, beside sqlglot's parser on the same files in the same run.

    python benchmarks/ddl_read.py FILE_OR_FOLDER [FILE_OR_FOLDER …]

For each file: its size, the seconds of this reader and of `sqlglot.parse`, their ratio, the seconds per MB, the tables
found, and what sqlglot said of it: the CREATE TABLE statements that it understood, or that it gave the file up. Then
how the time grows with the size, on the largest file taken 1, 2 and 4 times.
"""

from __future__ import annotations

import argparse
import logging
import re
import time
from pathlib import Path

from toolc.diagnostics import Report
from toolc.ir import Origin
from toolc.sources.database import ddl, sqlite
from toolc.sources.database.dialects import detect
from toolc.sources.database.model import Database, Dialect

WIDTHS = (9, 7, 9, 11, 7, 10, 8)


def read(text: str, dialect: Dialect) -> tuple[float, Database]:
    start = time.process_time()
    report = Report()
    if dialect == "sqlite":
        database = sqlite.read(text, Origin("schema.sql"), report)
    else:
        database = ddl.read(text, dialect, Origin("schema.sql"), report)
    return time.process_time() - start, database


def peer(text: str, dialect: Dialect) -> tuple[float, str]:
    import sqlglot
    from sqlglot import exp

    logging.disable(logging.CRITICAL)
    start = time.process_time()
    try:
        found = sqlglot.parse(text, dialect=dialect)
        tables = sum(isinstance(one, exp.Create) and one.args.get("kind") == "TABLE" for one in found)
        told = f"{tables} tables"
    except (sqlglot.errors.SqlglotError, RecursionError) as error:
        told = f"gives up: {type(error).__name__}"
    return time.process_time() - start, told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="+")
    files = []
    for path in parser.parse_args().paths:
        files += sorted(path.rglob("*.sql")) if path.is_dir() else [path]
    heads = ("dialect", "KB", "here s", "sqlglot s", "ratio", "s per MB", "tables")
    print(f"{'file':34}" + "".join(f"{head:>{width}}" for head, width in zip(heads, WIDTHS, strict=True)) + "  sqlglot")
    texts: list[tuple[str, Dialect]] = []
    for file in files:
        text = file.read_text(encoding="utf-8-sig")
        said = re.match(r"(?:--|rem) dialect: (\w+)", text)
        dialect: Dialect = said[1] if said else detect(text)[0]  # type: ignore[assignment]
        texts.append((text, dialect))
        here, database = read(text, dialect)
        there, told = peer(text, dialect)
        tables = sum(table.kind == "table" for table in database.tables) + len(database.partitions)
        ratio, per_mb = here / max(there, 1e-6), here / max(len(text) / 1e6, 1e-6)
        cells = f"{len(text) / 1000:7.1f}{here:9.3f}{there:11.3f}{ratio:7.2f}{per_mb:10.2f}{tables:8}"
        print(f"{file.stem[:33]:34}{dialect:>9}{cells}  {told}")
    text, dialect = max(texts, key=lambda pair: len(pair[0]) if pair[1] != "sqlite" else 0)
    once = read(text, dialect)[0]
    print("growth: " + ", ".join(f"x{n}: {read(text * n, dialect)[0] / once:.1f}" for n in (1, 2, 4)))


if __name__ == "__main__":
    main()
