"""What tests share: the public inputs beside the checkout, and the command line as a user runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of public inputs that stands beside the checkout; tests that need it are skipped without it."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("needs the public inputs in ../shared")
    return folder


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """What tests cache is not the user's."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture
def toolc_cli(tmp_path: Path) -> Cli:
    """Run `toolc ARGS` in a process of its own with an empty home and cache; cwd is the test's folder by default."""
    home = tmp_path / "home"
    home.mkdir()
    kept = {key: value for key, value in os.environ.items() if key in ("PATH", "LANG", "TMPDIR")}
    # the checkout itself, whatever is installed beside it
    environment = kept | {"PYTHONPATH": str(ROOT)}
    environment |= {"HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache"), "NO_COLOR": "1"}

    def run(*args: str | Path, cwd: Path = tmp_path, input: str | None = None) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "toolc", *map(str, args)]
        stdin = {"stdin": subprocess.DEVNULL} if input is None else {"input": input}
        return subprocess.run(command, cwd=cwd, env=environment, text=True, capture_output=True, timeout=300, **stdin)

    return run
