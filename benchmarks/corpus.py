"""What each lever saves on a folder of real inputs: noise, text, merging and deferral, apart.

    python benchmarks/corpus.py FOLDER [FOLDER …]

Every OpenAPI file, tool list and schema in the folders is built alone, with nothing configured. Tokens are o200k_base,
of tools in canonical form; a lever's percentage is of the tokens of the source's own tools, one per operation.
Deferral: what is left out of the prompt when only stubs are shown.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from toolc import config
from toolc.diagnostics import UserError

LEVERS = ("noise", "text", "merging", "deferral")
COLUMNS = ("operations", "tools", "source", *LEVERS, "stubs")


def entry(path: Path) -> dict[str, Any] | None:
    """The file as a source of a config, or None if it is no tool source."""
    try:
        return config.detect(path)
    except UserError:
        return None


def build(path: Path, source: dict[str, Any]) -> dict[str, Any]:
    """The report of a build of one file; empty if it cannot be built."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        file = os.path.relpath(path.resolve(), folder)
        declared = {key: file if value == str(path) else value for key, value in source.items()}
        catalog = {"version": 1, "name": "benchmark", "sources": {"input": declared}}
        (folder / "toolc.yaml").write_text(json.dumps(catalog), encoding="utf-8")
        command = [sys.executable, "-m", "toolc", "build", str(folder / "toolc.yaml"), "-o", str(folder / "bundle")]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            print(f"{path.name}: {(done.stderr or done.stdout).strip().splitlines()[-1]}", file=sys.stderr)
            return {}
        return json.loads((folder / "bundle" / "report.json").read_text(encoding="utf-8"))


def row(label: str, operations: int, tools: int, tokens: dict[str, int], saved: dict[str, int]) -> str:
    share = {lever: f"{100 * saved[lever] / tokens['source']:.1f} %" for lever in LEVERS}
    cells = (operations, tools, tokens["source"], *share.values(), tokens["stubs"])
    return f"{label[:28]:28}" + "".join(f"{cell:>11}" for cell in cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    print(f"{'':28}" + "".join(f"{name:>11}" for name in COLUMNS))
    for folder in parser.parse_args().folders:
        total: dict[str, dict[str, int]] = {"tokens": {}, "saved": {}, "count": {}}
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            source = entry(path)
            report = build(path, source) if source else {}
            if not report or not report["tokens"]["source"]:
                continue
            count = {"operations": report["sources"]["input"]["operations"], "tools": len(report["tools"])}
            print(row(path.name, *count.values(), report["tokens"], report["saved"]), flush=True)
            for kind, figures in (("tokens", report["tokens"]), ("saved", report["saved"]), ("count", count)):
                for key, value in figures.items():
                    total[kind][key] = total[kind].get(key, 0) + value
        if total["count"]:
            print(row(f"all of {folder.name}", *total["count"].values(), total["tokens"], total["saved"]))


if __name__ == "__main__":
    main()
