"""What consolidation saves, what it proves and what the proof costs, on folders of real inputs.

    python benchmarks/consolidation.py FOLDER … [--separate SPEC]

A row for each file and one for each folder. Tokens are o200k_base in the canonical form (name, description, input
schema). one: the source's own tools, one per operation. noise, text, merged: the tokens left after each lever, in
per cent of `one`. ÷ noise: merged in per cent of what noise removal leaves. proven: merged tools proven, of all merged.
dearer: merged tools that cost at least as much as their members apart (must be 0). grown: single tools that cost more
than the source wrote them (must be 0). proof: CPU seconds of verification over those of the rest of the compile
(reading, passes, counting; not writing files), both in this process.

--separate: a file in the folders that is built a second time with only `read` and `write` kept apart.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter as Tally
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import process_time
from typing import Any

from toolc import config
from toolc.diagnostics import Report, UserError
from toolc.lock import Lock
from toolc.pipeline.compiling import Compiled, compile_catalog
from toolc.pipeline.reading import read
from toolc.tokens import Counter
from toolc.verify import Prover

COLUMNS = ("operations", "tools", "one", "noise", "text", "merged", "÷ noise", "proven", "dearer", "grown", "proof")


@contextmanager
def timed_proofs() -> Iterator[list[float]]:
    """Sums the CPU seconds spent in `Prover.prove`."""
    spent = [0.0]
    sound = Prover.prove

    def prove(self: Prover, tool: Any) -> Any:
        start = process_time()
        try:
            return sound(self, tool)
        finally:
            spent[0] += process_time() - start

    Prover.prove = prove  # type: ignore[method-assign]
    try:
        yield spent
    finally:
        Prover.prove = sound  # type: ignore[method-assign]


def compiled(path: Path, entry: dict[str, Any]) -> tuple[Compiled, float, float]:
    """The file compiled alone, with the CPU seconds of verification and of everything else."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        file = os.path.relpath(path.resolve(), folder)
        declared = {key: file if value == str(path) else value for key, value in entry.items()}
        data = {"version": 1, "name": "benchmark", "sources": {"input": declared}}
        (folder / "toolc.yaml").write_text(json.dumps(data), encoding="utf-8")
        report = Report()
        with timed_proofs() as spent, Counter("o200k_base", cache=None) as counter:
            start = process_time()
            settings = config.load(folder / "toolc.yaml", report)
            catalog = read(settings, report).catalog
            result = compile_catalog(catalog, settings, report, counter, Lock())
            return result, spent[0], process_time() - start - spent[0]


def figures(result: Compiled, proof: float, rest: float) -> Tally[str]:
    """Everything a row is made of, in numbers that add up over files."""
    ledger, tools = result.ledger, result.catalog.tools
    merged = [tool for tool in tools if tool.dispatch.select]
    apart = {tool.name: sum(ledger.text[operation] for operation in tool.operations) for tool in tools}
    single = [tool for tool in tools if not tool.dispatch.select]
    return Tally(
        {
            "operations": len(result.catalog.operations),
            "tools": len(tools),
            "one": sum(ledger.source.values()),
            "noise": sum(ledger.noise.values()),
            "text": sum(ledger.text.values()),
            "full": sum(result.tokens.values()),
            "merged": len(merged),
            "proven": sum(ledger.proofs[tool.name].holds for tool in merged),
            "dearer": sum(result.tokens[tool.name] >= apart[tool.name] for tool in merged),
            "grown": sum(result.tokens[tool.name] > ledger.source[tool.operations[0]] for tool in single),
            "proof": round(proof * 1e6),
            "rest": round(rest * 1e6),
        }
    )


def row(label: str, sums: Tally[str]) -> str:
    """A line of the table."""
    one = sums["one"] or 1
    cells = [
        str(sums["operations"]),
        str(sums["tools"]),
        str(sums["one"]),
        *(f"{100 * sums[lever] / one:.1f} %" for lever in ("noise", "text", "full")),
        f"{100 * sums['full'] / (sums['noise'] or 1):.1f} %",
        f"{sums['proven']} of {sums['merged']}",
        str(sums["dearer"]),
        str(sums["grown"]),
        f"{sums['proof'] / (sums['rest'] or 1):.2f}",
    ]
    return f"{label[:30]:30}" + "".join(f"{cell:>11}" for cell in cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--separate", metavar="FILE", help="build the file of this name again with [read, write]")
    options = parser.parse_args()
    print(f"{'':30}" + "".join(f"{name:>11}" for name in COLUMNS))
    failed = False
    for folder in options.folders:
        total: Tally[str] = Tally()
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            try:
                entry = config.detect(path)
                sums = figures(*compiled(path, entry))
            except UserError:
                continue
            total.update(sums)
            print(row(path.name, sums), flush=True)
            if path.name == options.separate:
                again = figures(*compiled(path, {**entry, "separate": ["read", "write"]}))
                failed |= bool(again["dearer"] or again["grown"] or again["proven"] < again["merged"])
                print(row("  with [read, write]", again), flush=True)
        print(row(f"all of {folder.name}", total), flush=True)
        failed |= bool(total["dearer"] or total["grown"] or total["proven"] < total["merged"])
    if failed:
        sys.exit("a merged tool is not proven or not cheaper, or a single one grew")


if __name__ == "__main__":
    main()
