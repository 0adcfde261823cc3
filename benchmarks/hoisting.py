"""What it saves to say texts of parameters once a namespace (`targets: {openai: {hoist: true}}`), in o200k tokens.

    python benchmarks/hoisting.py FILE|FOLDER [FILE|FOLDER …]

Every OpenAPI file and tool list is built alone for the openai target. loaded: what is read before the first turn,
which is where the group's text stands; deferred: the tools themselves, read as they are searched. A namespace has at
most nine functions and 1,024 characters of description, so a text is said once in each namespace that needs it, and no
more is hoisted than fits.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from corpus import entry

from toolc import config
from toolc.diagnostics import Report, UserError
from toolc.pipeline import build

COLUMNS = ("loaded", "deferred", "texts", "saved", "up front")


def measure(path: Path, source: dict[str, Any]) -> dict[str, int]:
    """The figures of one file, without hoisting and what it changes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        file = os.path.relpath(path.resolve(), folder)
        declared = {key: file if value == str(path) else value for key, value in source.items()}
        catalog = {"version": 1, "name": "b", "sources": {"input": declared}, "targets": {"openai": {"hoist": True}}}
        (folder / "toolc.yaml").write_text(json.dumps(catalog), encoding="utf-8")
        target = build(config.load(folder / "toolc.yaml", Report())).report["targets"]["openai"]
    found = target["hoisting"] or {"saved": 0, "loaded_more": 0, "texts": 0}
    loaded = target["loaded"] - found["loaded_more"]
    deferred = target["deferred"] + found["saved"] + found["loaded_more"]
    figures = (loaded, deferred, found["texts"], found["saved"], found["loaded_more"])
    return dict(zip(COLUMNS, figures, strict=True))


def row(label: str, figures: dict[str, int]) -> str:
    share = 100 * figures["saved"] / (figures["loaded"] + figures["deferred"] or 1)
    return f"{label[:28]:28}" + "".join(f"{figures[name]:>10,}" for name in COLUMNS) + f"{share:>8.1f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="+")
    print(f"{'':28}" + "".join(f"{name:>10}" for name in COLUMNS) + f"{'share':>10}")
    for given in parser.parse_args().paths:
        total: Counter[str] = Counter()
        files = sorted(path for path in given.rglob("*") if path.is_file()) if given.is_dir() else [given]
        for path in files:
            try:
                figures = measure(path, source) if (source := entry(path)) else {}
            except UserError as error:
                print(f"{path.name}: {error}".splitlines()[0])
                continue
            if figures:
                print(row(path.name, figures), flush=True)
                total.update(figures)
        if len(files) > 1:
            print(row(f"all of {given.name}", total))


if __name__ == "__main__":
    main()
