"""Tokens (cl100k) of the forms that the tools of a database can take.

    python benchmarks/database_forms.py SCHEMA.sql [--dialect sqlite]

five: get, list, create, update and delete, a tool each, of every table. pairs: `<table>_read` and `<table>_write`.
wide: three tools for the whole database. text: what `describe` says of all tables, in one line each.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from toolc import config
from toolc.diagnostics import Report
from toolc.ir import Catalog
from toolc.lock import Lock
from toolc.pipeline.compiling import compile_catalog
from toolc.pipeline.reading import read
from toolc.tokens import Counter

FIVE = ("get", "list", "create", "update", "delete")


def compiled(schema: Path, dialect: str, counter: Counter, form: str, enabled: bool = True) -> Catalog:
    """The catalog of the schema in one form."""
    source: dict[str, Any] = {"type": "database", "ddl": str(schema), "dialect": dialect, "form": form}
    settings = {"version": 1, "name": "t", "sources": {schema.stem.lower().split("_")[0]: source}}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "toolc.yaml"
        path.write_text(json.dumps({**settings, "consolidate": {"enabled": enabled}}), encoding="utf-8")
        report = Report()
        loaded = config.load(path, report)
        return compile_catalog(read(loaded, report).catalog, loaded, report, counter, Lock()).catalog


def tokens(catalog: Catalog, counter: Counter, actions: tuple[str, ...] = ()) -> int:
    """Tokens of the tools in canonical form; actions: only those of these."""
    chosen = [
        tool
        for tool in catalog.tools
        if not actions or catalog.operations[tool.operations[0]].name.rpartition(".")[2] in actions
    ]
    return sum(counter.canonical(tool.name, tool.description, tool.input_schema) for tool in chosen)


def main() -> None:
    """Print the figures of one schema."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schema", type=Path)
    parser.add_argument("--dialect", default="sqlite")
    arguments = parser.parse_args()
    schema = arguments.schema.resolve()
    with Counter("cl100k_base", cache=None) as counter:
        five = compiled(schema, arguments.dialect, counter, "table", enabled=False)
        wide = compiled(schema, arguments.dialect, counter, "database")
        described = {op.extra["table"]: op.extra["described"].split("\n")[0] for op in five.operations.values()}
        print(f"tables {len(described)}, operations {len(five.operations)}")
        print(f"five   {tokens(five, counter, FIVE):>7,}")
        print(f"pairs  {tokens(compiled(schema, arguments.dialect, counter, 'table'), counter):>7,}")
        print(f"wide   {tokens(wide, counter):>7,}")
        print(f"text   {counter.count(chr(10).join(described.values())):>7,}")


if __name__ == "__main__":
    main()
