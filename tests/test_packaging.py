"""The wheel holds everything a user needs and works where there is no checkout; the hooks do what they say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from conftest import Cli

DATA = ("catalogs", "templates")


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an unpacked wheel, built with the tools that are installed."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(root)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        archive.extractall(folder / "unpacked")
    return folder / "unpacked"


def files(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_wheel_holds_every_file_of_the_package_and_its_data(wheel: Path, root: Path) -> None:
    package = files(wheel / "toolc")
    assert files(root / "toolc") <= package
    for kind in DATA:
        # Building a shipped catalog in the checkout leaves a lock there, which is no part of it.
        expected = {f"_data/{kind}/{name}" for name in files(root / kind) if not name.endswith("toolc.lock")}
        assert {name for name in package if name.startswith(f"_data/{kind}/")} == expected
        assert expected


def test_wheel_has_licence_types_and_command(wheel: Path) -> None:
    (info,) = wheel.glob("toolc-*.dist-info")
    assert "Apache License" in (info / "licenses" / "LICENSE").read_text(encoding="utf-8")
    assert (wheel / "toolc" / "py.typed").is_file()
    assert "toolc = toolc.__main__:main" in (info / "entry_points.txt").read_text(encoding="utf-8")


def test_wheel_builds_a_catalog_without_a_checkout(wheel: Path, tmp_path: Path) -> None:
    (tmp_path / "toolc.yaml").write_text("version: 1\nname: mine\ninclude: ['catalog:everything']\n", encoding="utf-8")
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(wheel)}
    place = [sys.executable, "-P", "-c", "import toolc; print(toolc.__file__)"]
    where = subprocess.run(place, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert where.stdout.startswith(str(wheel))
    before = files(wheel)
    command = [sys.executable, "-P", "-m", "toolc", "build", "-o", "bundle"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "bundle" / "bundle.json").is_file()
    assert files(wheel) == before


def test_lint_hook_passes_over_files_that_are_no_tool_source(root: Path, toolc_cli: Cli, tmp_path: Path) -> None:
    hooks = {hook["id"]: hook for hook in yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
    (tmp_path / "package.json").write_text('{"name": "web", "scripts": {"test": "vitest"}}', encoding="utf-8")
    (tmp_path / "tools.yaml").write_text("tools: [{name: ping, input: {type: object}}]", encoding="utf-8")
    names = ["package.json", "tools.yaml"]
    assert all(
        re.search(hooks["toolc-lint"]["files"], name) for name in [*names, "skills/pdf/SKILL.md", "db/schema.sql"]
    )
    assert not re.search(hooks["toolc-lint"]["files"], "README.md")
    command = hooks["toolc-lint"]["entry"].split()[1:]
    assert toolc_cli(*command, "package.json").returncode == 0
    done = toolc_cli(*command, *names)
    assert done.returncode == 1
    assert "missing-description" in done.stdout
    assert "package.json" not in done.stdout


def test_check_hook_fails_until_the_bundle_is_built(root: Path, toolc_cli: Cli, tmp_path: Path) -> None:
    hooks = {hook["id"]: hook for hook in yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
    command = hooks["toolc-check"]["entry"].split()[1:]
    tools = "tools: [{name: ping, description: Ask whether the server is there., input: {type: object}}]"
    (tmp_path / "tools.yaml").write_text(tools, encoding="utf-8")
    config = "version: 1\nname: mine\nsources: {mine: {type: tools, path: tools.yaml}}\n"
    (tmp_path / "toolc.yaml").write_text(config, encoding="utf-8")
    assert toolc_cli(*command).returncode == 1
    assert toolc_cli("build").returncode == 0
    assert toolc_cli(*command).returncode == 0
