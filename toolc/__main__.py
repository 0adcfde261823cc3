"""Runs toolc as `python -m toolc` and as the command `toolc`."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    from toolc.cli import run

    # A run is short and makes few cycles but millions of objects, which the collector would walk again and again:
    # 10 to 20 % of a large build.
    gc.set_threshold(1_000_000, 20, 100)
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
