"""The hooks under a real pre-commit, in a repository of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

GOOD = "tools: [{name: pull, description: Fetch new mail., input: {type: object, properties: {}}}]\n"
BAD = "tools: [{name: pull, input: {type: object, properties: {}}}]\n"


class Repository:
    """A git repository with the lint hook of this project, run by this checkout."""

    def __init__(self, folder: Path, root: Path) -> None:
        self.folder = folder
        self._environment = {
            **os.environ,
            "PYTHONPATH": str(root),
            "PRE_COMMIT_HOME": str(folder.parent / "pre-commit"),
            "TOOLC_CACHE_DIR": str(folder.parent / "cache"),
            "GIT_CONFIG_GLOBAL": os.devnull,
        }
        (hook,) = (h for h in yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text()) if h["id"] == "toolc-lint")
        entry = hook["entry"].replace("toolc ", f"{sys.executable} -m toolc ")
        local: dict[str, Any] = {**hook, "language": "system", "entry": entry, "verbose": True}
        config = {"repos": [{"repo": "local", "hooks": [local]}]}
        self.run("git", "init", "-q")
        self.write(".pre-commit-config.yaml", yaml.safe_dump(config))

    def write(self, name: str, text: str, stage: bool = True) -> None:
        (self.folder / name).write_text(text)
        if stage:
            self.run("git", "add", name)

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=self.folder, env=self._environment, capture_output=True, text=True)

    def pre_commit(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run(sys.executable, "-m", "pre_commit", "run", *arguments)


@pytest.fixture
def repository(tmp_path: Path, root: Path) -> Repository:
    folder = tmp_path / "repository"
    folder.mkdir()
    return Repository(folder, root)


def test_only_what_is_staged_is_looked_at_and_what_is_no_source_is_passed_over(repository: Repository) -> None:
    repository.write("tools.yaml", GOOD)
    repository.write("package.json", '{"name": "x"}')
    repository.write("tsconfig.json", '{\n  // with a comment\n  "strict": true\n}')
    repository.write("bad.yaml", BAD, stage=False)
    result = repository.pre_commit()
    assert result.returncode == 0, result.stdout
    assert "no findings in 1 tool" in result.stdout
    assert "skipped 3 files that are no tool source" in result.stdout
    repository.run("git", "add", "bad.yaml")
    result = repository.pre_commit()
    assert result.returncode == 1
    assert "bad.yaml:1:9: error missing-description: `pull` does not say what it does" in result.stdout


def test_the_second_run_comes_from_the_cache(repository: Repository, tmp_path: Path) -> None:
    repository.write("tools.yaml", BAD)
    first = repository.pre_commit("--all-files")
    (entry,) = (tmp_path / "cache" / "lint").glob("*.json")
    written = entry.stat().st_mtime_ns
    second = repository.pre_commit("--all-files")
    assert first.returncode == second.returncode == 1
    assert entry.stat().st_mtime_ns == written
    assert [line for line in first.stdout.splitlines() if "duration" not in line] == [
        line for line in second.stdout.splitlines() if "duration" not in line
    ]
    repository.write("tools.yaml", GOOD)
    assert repository.pre_commit("--all-files").returncode == 0


def test_a_broken_config_is_not_passed_over(repository: Repository) -> None:
    repository.write("toolc.yaml", "version: 1\nname: x\nsorces: {}\n")
    result = repository.pre_commit()
    assert result.returncode == 1
    assert "did you mean `sources`?" in result.stdout


def test_files_of_every_kind_in_one_commit(repository: Repository) -> None:
    """Names with spaces and signs, links, SQL that makes no table, and the same tool in two files, loaded apart."""
    for name in ("a b.yaml", "ü,c%20.yaml", "-d.yaml"):
        repository.write(name, GOOD)
    (repository.folder / "link.yaml").symlink_to("a b.yaml")
    (repository.folder / "dangling.json").symlink_to("nowhere.json")
    repository.write("query.sql", "SELECT * FROM mail WHERE id = $1;\n")
    repository.write("migration.sql", "ALTER TABLE mail ADD COLUMN x int;\nINSERT INTO mail VALUES (1);\n")
    repository.write("schema.sql", "CREATE TABLE mail (id int PRIMARY KEY);\n")
    repository.run("git", "add", "-A")
    result = repository.pre_commit()
    assert result.returncode == 0, result.stdout
    assert "skipped 3 files that are no tool source" in result.stdout  # the two SQL files and pre-commit's own
    repository.run("git", "-c", "user.name=n", "-c", "user.email=n@e", "commit", "-qm", "all", "--no-verify")
    repository.run("git", "rm", "-q", "query.sql")
    repository.run("git", "mv", "a b.yaml", "moved here.yaml")
    result = repository.pre_commit()
    assert result.returncode == 0, result.stdout
    assert "no findings in 1 tool" in result.stdout


@pytest.mark.parametrize(("staged", "left", "code"), [(GOOD, BAD, 0), (BAD, GOOD, 1)])
def test_what_is_staged_counts_and_not_what_was_changed_since(
    repository: Repository, staged: str, left: str, code: int
) -> None:
    repository.write("tools.yaml", staged)
    repository.write("tools.yaml", left, stage=False)
    assert repository.pre_commit().returncode == code
    assert (repository.folder / "tools.yaml").read_text() == left
