"""OpenAPI descriptions by URL: fetched by `pull` from a real server, read from the snapshot by builds."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from toolc import config, documents, pipeline, snapshot
from toolc.diagnostics import Report
from toolc.ir import HttpCall
from toolc.pipeline import pulling
from toolc.pipeline.pulling import Pulled

Reply = Callable[[BaseHTTPRequestHandler], tuple[int, dict[str, str], bytes]]

SPEC: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "7"},
    "servers": [{"url": "/v1"}],
    "paths": {"/things": {"get": {"operationId": "things", "responses": {}}}},
}


@pytest.fixture
def serve() -> Iterator[Callable[[Reply], str]]:
    """Start a server that answers as it is told; gives its address."""
    servers: list[ThreadingHTTPServer] = []

    def start(reply: Reply) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, headers, body = reply(self)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_address[1]}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def pull(folder: Path, **source: Any) -> tuple[Pulled, Report]:
    data = {"version": 1, "name": "t", "sources": {"api": {"type": "openapi", **source}}, "targets": {"mcp": {}}}
    (folder / "toolc.yaml").write_text(json.dumps(data))
    report = Report()
    (pulled,) = pulling.pull(config.load(folder, Report()), (), report, lambda label, state: None)
    return pulled, report


def failure(pulled: Pulled) -> str:
    assert pulled.error is not None
    (finding,) = pulled.error.diagnostics
    assert finding.origin is not None
    assert finding.origin.pointer == "/sources/api" or finding.origin.source.startswith("http://127.0.0.1:")
    return finding.rule


def test_a_description_is_pulled_and_built(
    tmp_path: Path, serve: Callable[[Reply], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def reply(request: BaseHTTPRequestHandler) -> tuple[int, dict[str, str], bytes]:
        if request.path != "/docs/openapi.json" or request.headers["X-Key"] != "s3cret-value":
            return 403, {}, b""
        return 200, {"content-type": "application/json"}, json.dumps(SPEC).encode()

    url = f"{serve(reply)}/docs/openapi.json"
    assert failure(pull(tmp_path, url=url)[0]) == "no-answer"
    monkeypatch.setenv("KEY", "s3cret-value")
    pulled, report = pull(tmp_path, url=url, headers={"X-Key": {"env": "KEY"}})
    assert (pulled.error, pulled.server, pulled.operations, report.diagnostics) == (None, "Shop 7", 1, [])
    text = (tmp_path / "snapshots" / "api.json").read_text()
    assert "s3cret" not in text
    data = json.loads(text)
    assert data.pop(snapshot.KEY)["server"] == {"name": "Shop", "version": "7"}
    assert data == SPEC
    result = pipeline.build(config.load(tmp_path, Report()))
    call = result.catalog.operations["api:things"].call
    assert isinstance(call, HttpCall)
    assert call.server == url.removesuffix("/docs/openapi.json") + "/v1"
    assert result.catalog.sources[0].vendored


def test_yaml_and_what_changed(tmp_path: Path, serve: Callable[[Reply], str]) -> None:
    answers = [
        b"openapi: 3.0.0\ninfo: {title: Shop, version: 7}\npaths: {/a: {get: {operationId: a, summary: no}}}\n",
        b"openapi: 3.0.0\ninfo: {title: Shop, version: 7}\npaths: {/b: {get: {operationId: b}}}\n",
    ]
    address = serve(lambda request: (200, {}, answers[0]))
    assert pull(tmp_path, url=address)[0].changes is None
    assert pull(tmp_path, url=address)[0].written is False
    answers.pop(0)
    pulled, _ = pull(tmp_path, url=address)
    assert pulled.changes is not None
    assert [(c.kind, c.operation, c.breaking) for c in pulled.changes] == [
        ("removed", "api:a", True),
        ("added", "api:b", False),
    ]


@pytest.mark.parametrize(
    ("status", "headers", "body", "rule"),
    [
        (404, {}, b"", "no-answer"),
        (200, {}, b"<html></html>", "not-openapi"),
        (200, {}, b'{"openapi": "3.1.0", "paths": {"/a": 1,', "invalid-json"),
        (200, {}, b'{"tools": []}', "not-openapi"),
        (200, {}, b"", "empty-file"),
        (200, {"content-encoding": "gzip"}, b"x", "compressed-answer"),
        (302, {"location": "https://example.com/x"}, b"", "redirected"),
        (302, {"location": "file:///etc/passwd"}, b"", "redirected"),
    ],
)
def test_bad_answers(
    tmp_path: Path, serve: Callable[[Reply], str], status: int, headers: dict[str, str], body: bytes, rule: str
) -> None:
    pulled, report = pull(tmp_path, url=serve(lambda request: (status, headers, body)))
    assert failure(pulled) == rule
    assert not report.diagnostics
    assert not (tmp_path / "snapshots").exists()


def test_limits(tmp_path: Path, serve: Callable[[Reply], str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "LARGEST", 1000)
    assert failure(pull(tmp_path, url=serve(lambda request: (200, {}, b"x" * 2000)))[0]) == "input-limit"

    def slow(request: BaseHTTPRequestHandler) -> tuple[int, dict[str, str], bytes]:
        time.sleep(30)
        return 200, {}, b""

    assert failure(pull(tmp_path, url=serve(slow), timeout=1)[0]) == "timeout"
    assert failure(pull(tmp_path, url="http://example.com/openapi.json")[0]) == "unencrypted-address"


def test_redirects_on_one_host_are_followed(tmp_path: Path, serve: Callable[[Reply], str]) -> None:
    def reply(request: BaseHTTPRequestHandler) -> tuple[int, dict[str, str], bytes]:
        return (200, {}, json.dumps(SPEC).encode()) if request.path == "/b" else (302, {"location": "/b"}, b"")

    assert pull(tmp_path, url=f"{serve(reply)}/a")[0].error is None


def test_other_files_of_a_description_are_named(tmp_path: Path, serve: Callable[[Reply], str]) -> None:
    parameter = {"$ref": "parts/page.yaml#/page"}
    paths = {"/things": {"get": {"operationId": "things", "parameters": [parameter], "responses": {}}}}
    pulled, report = pull(tmp_path, url=serve(lambda request: (200, {}, json.dumps({**SPEC, "paths": paths}).encode())))
    assert pulled.error is None
    finding = next(finding for finding in report.diagnostics if finding.rule == "remote-ref")
    assert "1 other file, `parts/page.yaml`" in finding.message
