"""What starting toolc costs: nothing heavy is imported before a command needs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"yaml", "jinja2", "jsonschema", "jsonschema_rs", "tiktoken", "openapi_spec_validator", "sqlalchemy", "mcp"}
# Python's own modules that take long or read much, and our own that only commands need.
NEEDLESS = {"sqlite3", "asyncio", "ssl", "http.client", "toolc.ir", "toolc.config", "toolc.pipeline"}

PROGRAM = """
import sys
from toolc.cli import run
code = run(sys.argv[1:])
sys.stderr.write("\\n".join([str(code), *sys.modules]))
"""


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_nothing_heavy_is_imported(argument: str) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, argument], capture_output=True, text=True, check=True)
    code, *modules = done.stderr.splitlines()
    assert code == "0"
    assert "toolc" in done.stdout
    assert "toolc.cli" in modules
    assert not {name.partition(".")[0] for name in modules} & HEAVY
    assert not set(modules) & NEEDLESS


def test_the_help_of_a_command_imports_no_heavy_library() -> None:
    for command in ("build", "lint", "tokens", "show", "pull"):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, command, "--help"], capture_output=True, text=True, check=True
        )
        assert not {name.partition(".")[0] for name in done.stderr.splitlines()} & HEAVY, command


def test_a_build_imports_nothing_that_asks_live_sources(tmp_path: Path) -> None:
    (tmp_path / "list.json").write_text('{"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}')
    (tmp_path / "toolc.yaml").write_text("{version: 1, name: t, sources: {it: {type: mcp, path: list.json}}}")
    command = [sys.executable, "-c", PROGRAM, "build", str(tmp_path / "toolc.yaml")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    modules = set(done.stderr.splitlines())
    assert "toolc.sources.mcp" in modules
    assert not modules & {"asyncio", "mcp", "httpx2", "ssl", "urllib.request", "zipfile", "sqlalchemy"}


def test_the_runtime_imports_the_standard_library_alone() -> None:
    program = "import sys; before = set(sys.modules); import toolc.runtime; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    roots = {name.partition(".")[0] for name in done.stdout.split()}
    assert roots - sys.stdlib_module_names == {"toolc"}
    assert not roots & {"asyncio", "ssl", "sqlite3"}
