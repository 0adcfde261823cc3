"""`toolc pull` of databases: what is kept, what changed, and that a build reads it as it would the schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from databases import as_user, mysql, postgres

from toolc import bundle, config
from toolc.cli import run
from toolc.diagnostics import Report
from toolc.pipeline import pulling
from toolc.pipeline.pulling import Pulled

SQL = """
CREATE TABLE language (id integer PRIMARY KEY, name varchar(20) NOT NULL);
CREATE TABLE film (id integer PRIMARY KEY, title varchar(255) NOT NULL, password varchar(40),
  language integer NOT NULL REFERENCES language (id));
"""


def project(folder: Path, **sources: dict[str, Any]) -> Path:
    declared = {name: {"type": "database", **source} for name, source in sources.items()}
    path = folder / "toolc.yaml"
    path.write_text(json.dumps({"version": 1, "name": "t", "sources": declared, "targets": {"mcp": {}}}))
    return path


def pull(path: Path) -> Pulled:
    (pulled,) = pulling.pull(config.load(path, Report()), (), Report(), lambda label, state: None)
    return pulled


def tools(folder: Path) -> dict[str, Any]:
    return {tool.name: (tool.description, tool.input_schema) for tool in bundle.load(folder / "bundle").tools}


@pytest.mark.parametrize("dialect", ["postgres", "mysql"])
def test_pull_then_build_without_the_server(dialect: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = project(tmp_path, shop={"url": {"env": "SHOP_URL"}})
    assert run(["build", str(path)]) == 2  # not pulled yet
    with {"postgres": postgres, "mysql": mysql}[dialect](SQL) as (url, connection):
        monkeypatch.setenv("SHOP_URL", url)
        first = pull(path)
        assert first.error is None
        assert (first.operations, first.written, first.changes) == (12, True, None)
        text = (tmp_path / "snapshots/shop.json").read_text()
        assert not pull(path).written
        assert (tmp_path / "snapshots/shop.json").read_text() == text
        connection.cursor().execute("ALTER TABLE film ADD year integer NOT NULL")
        changed = pull(path)
    assert changed.changes
    assert any(change.operation == "shop:film.create" and change.breaking for change in changed.changes)
    monkeypatch.delenv("SHOP_URL")
    assert run(["build", str(path)]) == 0
    assert list(tools(tmp_path)) == ["film_read", "film_write", "language_read", "language_write"]
    (tmp_path / "snapshots/shop.json").write_text(text)
    assert run(["build", "--repin", str(path)]) in (0, 1)
    for secret in (url, "127.0.0.1", "localhost", "toolc_f_"):
        assert secret not in text


def test_a_snapshot_and_the_schema_file_make_the_same_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    live, file = tmp_path / "live", tmp_path / "file"
    live.mkdir()
    file.mkdir()
    path = project(live, shop={"url": {"env": "SHOP_URL"}, "form": "database"})
    with postgres(SQL) as (url, _):
        monkeypatch.setenv("SHOP_URL", url)
        assert pull(path).error is None
    (file / "schema.sql").write_text(SQL)
    other = project(file, shop={"ddl": "schema.sql", "dialect": "postgres", "form": "database"})
    assert run(["build", str(path)]) == run(["build", str(other)]) == 0
    assert tools(live) == tools(file)


def test_a_failed_pull_keeps_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = project(tmp_path, shop={"url": {"env": "SHOP_URL"}})
    with postgres(SQL) as (url, _):
        monkeypatch.setenv("SHOP_URL", url)
        assert pull(path).error is None
        text = (tmp_path / "snapshots/shop.json").read_text()
        monkeypatch.setenv("SHOP_URL", as_user(url, "nobody_here", "hush-hush") + "_gone")
        failed = pull(path)
        assert failed.error is not None
        assert "hush-hush" not in str(failed.error.diagnostics)
    assert (tmp_path / "snapshots/shop.json").read_text() == text


def test_an_edited_or_broken_snapshot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = project(tmp_path, shop={"snapshot": "shop.json"})
    table = {"name": "film", "columns": [{"name": "id", "type": {"text": "integer", "name": "integer"}}]}

    def write(*tables: dict[str, Any]) -> None:
        head = {"format": "toolc-snapshot/1", "type": "database", "server": {}, "digest": "sha256:0"}
        data = {"x-toolc-snapshot": head, "dialect": "postgres", "tables": tables}
        (tmp_path / "shop.json").write_text(json.dumps(data))

    write(table)
    assert run(["build", str(path)]) == 0
    assert "edited-snapshot" in capsys.readouterr().err
    write({"name": 1})
    assert run(["build", str(path)]) == 2
    assert "shop.json:1:" in capsys.readouterr().err
