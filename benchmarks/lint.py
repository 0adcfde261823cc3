"""CPU and memory of `toolc lint` beside Redocly CLI's `lint`, each in a process of its own, in one run.

    npm install --prefix DIR @redocly/cli
    python benchmarks/lint.py GITHUB.json PETSTORE.json --redocly DIR/node_modules/.bin/redocly

Goals (DESIGN §15): GitHub's spec in at most 1/3 of Redocly's CPU time and 600 MB; Petstore in at most 1.2 s CPU with
nothing cached, and in at most 0.25 s over bare Python the second time. CPU is user and system time of a process and its
children; the least of the runs counts, since load only adds.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = 3


def measured(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """CPU seconds and peak megabytes of a command; its exit code says nothing, since findings are expected."""
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def best(command: list[str], environment: dict[str, str], fresh: Path | None = None) -> tuple[float, float]:
    """The least CPU and the most memory of some runs; fresh: a cache folder that is emptied before each."""
    results = []
    for _ in range(RUNS):
        if fresh is not None:
            shutil.rmtree(fresh, ignore_errors=True)
        results.append(measured(command, environment))
    return min(cpu for cpu, _ in results), max(memory for _, memory in results)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("large", type=Path, help="GitHub's description")
    parser.add_argument("small", type=Path, help="Petstore")
    parser.add_argument("--redocly", type=Path, help="the program of @redocly/cli")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "cache"
        # modules are compiled once, as an installer does; some environments forbid Python to keep what it compiled
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        environment |= {
            "PYTHONPYCACHEPREFIX": f"{folder}/compiled",
            "TOOLC_CACHE_DIR": str(cache),
            "REDOCLY_TELEMETRY": "off",
        }
        lint = [sys.executable, "-m", "toolc", "lint"]
        bare, _ = best([sys.executable, "-c", "pass"], environment)
        print(f"bare Python                 {bare:6.2f} s CPU")
        large, memory = best([*lint, str(arguments.large)], environment, cache)
        print(f"toolc, large, nothing cached{large:6.2f} s CPU {memory:5.0f} MB")
        if arguments.redocly is not None:
            other, other_memory = best([str(arguments.redocly), "lint", str(arguments.large)], environment)
            print(f"Redocly, large              {other:6.2f} s CPU {other_memory:5.0f} MB")
            print(f"toolc takes {large / other:.2f} of Redocly's time")
        small, _ = best([*lint, str(arguments.small)], environment, cache)
        print(f"toolc, small, nothing cached{small:6.2f} s CPU")
        again, _ = best([*lint, str(arguments.small)], environment)
        print(f"toolc, small, again         {again:6.2f} s CPU        {again - bare:.2f} s over bare Python")


if __name__ == "__main__":
    main()
