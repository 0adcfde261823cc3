"""Runs toolc as `python -m toolc` and as the command `toolc`."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress


def main() -> None:
    """Run the command line and leave with its exit code."""
    from toolc.cli import run

    # A run is short and makes few cycles but millions of objects, which the collector would walk again and again:
    # 10 to 20 % of a large build.
    gc.set_threshold(1_000_000, 20, 100)
    code = run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    # Nothing is left to do: taking down all modules and what they keep takes 3 % of the lint of a large file.
    os._exit(code)


if __name__ == "__main__":
    main()
