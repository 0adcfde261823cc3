"""CPU time of a whole build of one large OpenAPI file, against its floor and against FastMCP, in one run.

    python benchmarks/github_build.py SPEC [--rounds 3] [--fastmcp PYTHON]

The floor is what no compiler can avoid: reading the file with json and counting the tokens of what was written for
models (tools in canonical form, level files, target files; nothing kept from an earlier count). Every measurement is a
process of its own; user and system time of all its children are added. The contestants take turns, so that a slow
minute of the machine hits all of them; ratios are taken within a round, and medians over the rounds. --fastmcp: the
interpreter of an environment that has FastMCP, if it is not this one; without FastMCP that line is left out.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

FLOOR = """
import json, sys
from pathlib import Path
from toolc.tokens import Counter
spec, bundle = Path(sys.argv[1]), Path(sys.argv[2])
json.loads(spec.read_bytes())
counter = Counter(cache=None)
tools = json.loads((bundle / "bundle.json").read_bytes())["tools"]
count = sum(counter.canonical(tool["name"], tool["description"], tool["input_schema"]) for tool in tools)
for path in sorted([*bundle.glob("*.md"), *bundle.glob("targets/*/*")]):
    count += counter.count(path.read_text(encoding="utf-8"))
print(count)
"""
FASTMCP = """
import asyncio, json, sys
from pathlib import Path
from fastmcp import FastMCP
server = FastMCP.from_openapi(json.loads(Path(sys.argv[1]).read_bytes()))
tools = asyncio.run(server.list_tools())
print(len(json.dumps([tool.to_mcp_tool().model_dump(mode="json", exclude_none=True) for tool in tools])))
"""


def cpu(*command: str, environment: dict[str, str]) -> float:
    """User and system seconds of a command and its children; ends the benchmark if it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{command[0]} failed:\n{done.stdout}{done.stderr}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def has_fastmcp(python: str) -> bool:
    command = [python, "-c", "import importlib.util, sys; sys.exit(importlib.util.find_spec('fastmcp') is None)"]
    return subprocess.run(command).returncode == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--fastmcp", metavar="PYTHON", default=sys.executable)
    options = parser.parse_args()
    spec = str(options.spec.resolve())
    rival = has_fastmcp(options.fastmcp)
    rounds: list[dict[str, float]] = []
    for _ in range(options.rounds):
        # A new home each round: no count cache, no lock, no bundle to compare with.
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            config, bundle = folder / "toolc.yaml", folder / "bundle"
            config.write_text(
                "version: 1\nname: benchmark\ntargets: {anthropic: {}, openai: {}, mcp: {}}\n"
                f"sources: {{api: {{type: openapi, path: {os.path.relpath(spec, folder.resolve())!r}}}}}\n",
                encoding="utf-8",
            )
            environment = {**os.environ, "HOME": name, "XDG_CACHE_HOME": f"{name}/.cache"}
            toolc = (sys.executable, "-m", "toolc", "build", str(config), "-o", str(bundle))
            seconds = {"build": cpu(*toolc, environment=environment)}
            seconds["second build"] = cpu(*toolc, environment=environment)
            seconds["floor"] = cpu(sys.executable, "-c", FLOOR, spec, str(bundle), environment=environment)
            if rival:
                seconds["FastMCP 1:1"] = cpu(options.fastmcp, "-c", FASTMCP, spec, environment=environment)
            rounds.append(seconds)
            print("  ".join(f"{label} {value:.2f} s" for label, value in seconds.items()), file=sys.stderr)
    print(f"{'':14}{'CPU s':>8}{'build ÷ it':>12}")
    for label in rounds[0]:
        ratio = median(seconds["build"] / seconds[label] for seconds in rounds)
        print(f"{label:14}{median(seconds[label] for seconds in rounds):8.2f}{ratio:12.2f}")


if __name__ == "__main__":
    main()
