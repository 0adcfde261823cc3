"""ARCHITECTURE.md says what is there: its table of modules is made from the sources, its names exist."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "ARCHITECTURE.md"
BEGIN = "<!-- modules: made by `python tests/test_architecture.py`, checked in CI -->\n"
END = "<!-- /modules -->"


def job(module: str) -> str:
    path = ROOT / "toolc" / module
    text = (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text(encoding="utf-8")
    first = (ast.get_docstring(ast.parse(text)) or "").splitlines()[0]
    return first.rstrip(".")


def table() -> str:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    rows = ["| module | job |", "|---|---|"]
    for layer in layers:
        rows += [f"| `{name}` | {job(name)} |" for name in layer.split(" | ")]
        rows.append("| | |")
    return "\n".join(rows[:-1]) + "\n"


def written(page: str) -> str:
    return page[page.index(BEGIN) + len(BEGIN) : page.index(END)]


def test_the_table_of_modules_is_up_to_date() -> None:
    assert written(PAGE.read_text(encoding="utf-8")) == table(), "run `python tests/test_architecture.py`"


def test_every_place_in_a_tools_life_exists() -> None:
    places = re.findall(r"`(toolc/[\w/]+\.py)` `(\w+)`", PAGE.read_text(encoding="utf-8"))
    assert len(places) > 8
    for path, name in places:
        text = path if (ROOT / path).is_file() else f"{path.removesuffix('.py')}/__init__.py"
        tree = ast.parse((ROOT / text).read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}, (
            path,
            name,
        )


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    sys.stdout.write(table())
    PAGE.write_text(page.replace(BEGIN + written(page) + END, BEGIN + table() + END), encoding="utf-8")
