"""Reading one large OpenAPI file and emitting it 1:1, against FastMCP's conversion: CPU time and peak memory.

    python benchmarks/openapi_read.py SPEC [--rounds 3] [--fastmcp PYTHON]

Read to normalized tools and emitted for the mcp target, nothing merged. Every measurement is a process of its own,
imports included; the contestants take turns, ratios are taken within a round, and medians over the rounds. The same at
a quarter and a half of the paths shows whether time is linear (reading the components costs the same in each). Emitted
size is compared with what the operations weigh: each schema with the `$defs` that it reaches, once.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from github_build import FASTMCP, has_fastmcp

TOOLC = """
import json, re, resource, sys
from collections import Counter
from functools import partial
from pathlib import Path
from toolc.diagnostics import Report
from toolc.ir import Case, Catalog, Dispatch, Tool
from toolc.schema.normalise import normalise
from toolc.sources import Context, openapi
from toolc.targets import mcp
legal = partial(re.sub, "[^A-Za-z0-9_-]", "_")
path = Path(sys.argv[1])
reading = openapi.read(openapi.Options(path.name), Context("api", path.parent, path.parent, Report()))
operations = {operation.id: operation for operation in reading.operations}
tools = tuple(
    Tool(legal(o.name), o.description, normalise(o.input, Counter()), Dispatch((), (Case({}, o.id),)), (o.origin,))
    for o in operations.values()
)
emission = mcp.emit(Catalog("api", (reading.source,), operations, tools), mcp.Options())
emitted = sum(len(file.text.encode()) for file in emission.files)
used = resource.getrusage(resource.RUSAGE_SELF)
schemas = sum(len(json.dumps(o.input)) + len(json.dumps(o.description)) for o in operations.values())
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, len(operations), emitted / schemas)
"""
RIVAL = (
    FASTMCP
    + """
import resource
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, len(tools), 0)
"""
)


def measure(python: str, script: str, spec: Path) -> list[float]:
    """CPU seconds, peak MB, operations, emitted size over that of the schemas."""
    done = subprocess.run([python, "-c", script, str(spec)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{python} failed:\n{done.stdout}{done.stderr}")
    return [float(word) for word in done.stdout.splitlines()[-1].split()]


def cut(spec: Path, share: float, folder: Path) -> Path:
    """The description with every n-th path only, and all of its components."""
    data = json.loads(spec.read_bytes())
    step = round(1 / share)
    data["paths"] = dict(list(data["paths"].items())[::step])
    path = folder / f"{step}.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--fastmcp", metavar="PYTHON", default=sys.executable)
    options = parser.parse_args()
    rival = has_fastmcp(options.fastmcp)
    found: dict[str, list[list[float]]] = {}
    with tempfile.TemporaryDirectory() as name:
        cuts = {share: cut(options.spec, share, Path(name)) for share in (0.25, 0.5, 1)}
        for _ in range(options.rounds):
            for share, path in cuts.items():
                found.setdefault(f"toolc {share:g}", []).append(measure(sys.executable, TOOLC, path))
            if rival:
                found.setdefault("FastMCP 1", []).append(measure(options.fastmcp, RIVAL, cuts[1]))
    print(f"{'':12}{'CPU s':>8}{'MB':>8}{'operations':>12}{'emitted ÷ schemas':>19}{'toolc 1 ÷ it':>14}")
    for label, rounds in found.items():
        seconds, memory, count, size = (median(column) for column in zip(*rounds, strict=True))
        ratio = median(full[0] / it[0] for full, it in zip(found["toolc 1"], rounds, strict=True))
        print(f"{label:12}{seconds:8.2f}{memory:8.0f}{count:12.0f}{size:19.2f}{ratio:14.2f}")


if __name__ == "__main__":
    main()
