"""What a client waits for when it starts `toolc serve`: CPU until tools are listed, against bare Python and the SDK.

    python benchmarks/serve_start.py [BUNDLE]

Ratios of one run, so that a busy machine does not matter.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}) + "\n"
RUNS = 5


def cpu(*command: str) -> float:
    """Seconds of CPU that a program takes, the least of several runs."""
    least = float("inf")
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *command], input=LIST, text=True, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        bundle = sys.argv[1] if len(sys.argv) > 1 else f"{folder}/bundle"
        if len(sys.argv) == 1:
            config = Path(__file__).parents[1] / "catalogs/everything/toolc.yaml"
            build = ["-m", "toolc", "build", str(config), "-o", bundle]
            subprocess.run([sys.executable, *build], stdout=subprocess.DEVNULL, check=True, env=os.environ)
        bare = cpu("-c", "pass")
        served, sdk = cpu("-m", "toolc", "serve", bundle), cpu("-c", "import mcp.server.lowlevel")
    print(f"bare Python {bare:.3f} s CPU · tools listed {served:.3f} s · importing the SDK alone {sdk:.3f} s")
    print(f"listed: {served / bare:.1f} × bare Python, {served / sdk:.2f} × the SDK's import")


if __name__ == "__main__":
    main()
