"""Snapshots: their head and digest, and what a build says of one that is not as it was pulled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolc import address, documents, snapshot
from toolc.bind import Env
from toolc.diagnostics import Report, UserError
from toolc.snapshot import Snapshot

ONE = Snapshot("mcp", {"name": "a", "version": "1", "title": None}, {"tools": [{"name": "t", "required": ["b", "a"]}]})


def checked(tmp_path: Path, data: Any) -> list[str]:
    (tmp_path / "s.json").write_text(json.dumps(data))
    report = Report()
    snapshot.check(documents.read(tmp_path / "s.json", "s.json"), "mcp", report)
    return [finding.rule for finding in report.diagnostics]


def test_the_file() -> None:
    assert snapshot.render(ONE) == snapshot.render(ONE)
    data = json.loads(snapshot.render(ONE))
    assert list(data) == [snapshot.KEY, "tools"]
    # sha256 of {"tools":[{"name":"t","required":["a","b"]}]}, by sha256sum.
    digest = "sha256:0cc79da1febffef8c9228680b41ae9a4a59bdc90595d64496f29598427544bf5"
    head = {"format": "toolc-snapshot/1", "type": "mcp", "server": {"name": "a", "version": "1"}, "digest": digest}
    assert data[snapshot.KEY] == head


def test_the_order_of_keys_and_of_required_says_nothing() -> None:
    text = snapshot.render(ONE)
    assert snapshot.same(text, Snapshot("mcp", ONE.server, {"tools": [{"required": ["a", "b"], "name": "t"}]}))
    assert not snapshot.same(text, Snapshot("mcp", ONE.server, {"tools": [{"required": ["a"], "name": "t"}]}))
    assert not snapshot.same(text, Snapshot("mcp", {"name": "b"}, ONE.body))
    assert not snapshot.same("no json", ONE)
    assert not snapshot.same("[]", ONE)


def test_what_a_build_says(tmp_path: Path) -> None:
    data = json.loads(snapshot.render(ONE))
    assert checked(tmp_path, data) == []
    assert checked(tmp_path, {**data, "tools": []}) == ["edited-snapshot"]
    assert checked(tmp_path, {"tools": []}) == []  # a list that was saved by hand
    for head in ({"type": "openapi"}, {"format": "toolc-snapshot/2"}):
        with pytest.raises(UserError, match="this snapshot is"):
            checked(tmp_path, {**data, snapshot.KEY: {**data[snapshot.KEY], **head}})


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:pa55@x.test:8080/mcp?key=s#f", "https://x.test:8080/mcp"),
        ("https://x.test", "https://x.test"),
        ("https://[::1", "the given text"),
        ("token", "the given text"),
        (Env("ADDRESS"), "$ADDRESS"),
    ],
)
def test_addresses_are_shown_without_secrets(url: str | Env, shown: str) -> None:
    assert address.shown(url) == shown


def test_what_is_not_encrypted_stays_on_this_machine() -> None:
    for url in ("http://localhost:1/x", "http://127.0.0.1/x", "http://[::1]:9/x", "https://x.test"):
        assert address.resolve(url, "it", False) == url
    assert address.resolve("http://x.test", "it", True) == "http://x.test"
    for url in ("http://x.test", "http://localhost.x.test/", "http://127.0.0.1@x.test/"):
        with pytest.raises(UserError, match="without encryption"):
            address.resolve(url, "it", False)
