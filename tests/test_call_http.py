"""HTTP calls of a built bundle against real servers: the same answer as directly, and what is refused."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import jsonschema
import pytest
from bundles import built
from shop import DESCRIPTION, TOKEN, Shop, served, shop
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from toolc.runtime import Bundle, Executor, Result, Settings
from toolc.schema.generate import Generator

KETTLE = {
    "sku": "KET-0017-BL",
    "name": "Kettle, blue",
    "category": "kitchen",
    "price": {"amount": 3990, "currency": "EUR"},
    "attributes": {"colour": "blue"},
}
UUID = "3f2b8c1e-0d4a-4c5e-9b1a-2f6d7e8c9a0b"
ASK = {"paths": {"/": {"get": {"operationId": "ask", "responses": {"200": {"description": "ok"}}}}}}
SOURCE = {"type": "openapi", "path": str(DESCRIPTION), "auth": {"bearer": {"env": "SHOP_TOKEN"}}}


@pytest.fixture
def running(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    monkeypatch.setenv("SHOP_TOKEN", TOKEN)
    with shop() as found:
        yield found


@pytest.fixture
def executor(running: Shop, tmp_path: Path) -> Iterator[Executor]:
    # every operation as a tool of its own, so that calls below read like the description
    source = {**SOURCE, "server": running.url}
    with Executor(built(tmp_path, sources={"shop": source}, consolidate={"enabled": False})) as found:
        yield found


def directly(shop: Shop, method: str, path: str, **more: Any) -> httpx2.Response:
    headers = {"Authorization": f"Bearer {TOKEN}", **more.pop("headers", {})}
    return httpx2.request(method, shop.url + path, headers=headers, **more)


def first(result: Result) -> str:
    assert not result.is_error, result.text
    return str(result.content[0]["text"])


def test_products_from_create_to_delete(executor: Executor, running: Shop) -> None:
    created = executor.call("createProduct", KETTLE)
    assert json.loads(first(created)) == {"status": "draft", **KETTLE}
    assert "Location: /v1/products/KET-0017-BL" in created.text
    assert (
        first(executor.call("getProduct", {"sku": KETTLE["sku"]}))
        == directly(running, "GET", "/products/KET-0017-BL").text
    )
    assert first(executor.call("listProducts", {})) == directly(running, "GET", "/products").text
    changed = executor.call(
        "updateProduct", {"sku": KETTLE["sku"], "body": {"price": {"amount": 1, "currency": "CHF"}}}
    )
    assert json.loads(first(changed))["price"] == {"amount": 1, "currency": "CHF"}
    assert running.products["KET-0017-BL"]["price"]["amount"] == 1
    deleted = executor.call("deleteProduct", {"sku": KETTLE["sku"]})
    assert (deleted.text, deleted.is_error) == ("HTTP 204 No Content", False)
    gone = executor.call("getProduct", {"sku": KETTLE["sku"]})
    assert gone.is_error
    assert gone.text == 'HTTP 404 Not Found.\n{"title": "Not found", "detail": "no product KET-0017-BL"}'
    assert running.complaints == []


# tool, arguments, and the request that a person would write for it
CALLS: list[tuple[str, dict[str, Any], tuple[str, str, dict[str, Any]]]] = [
    ("listOrders", {"placed_from": "2026-01-01", "limit": 7}, ("GET", "/orders?placed_from=2026-01-01&limit=7", {})),
    ("listCustomers", {"email": "å+b@example.com"}, ("GET", "/customers?email=%C3%A5%2Bb%40example.com", {})),
    (
        "deleteCustomer",
        {"customerId": UUID, "reason": "requested"},
        ("DELETE", f"/customers/{UUID}?reason=requested", {}),
    ),
    ("getOrder", {"orderId": "SO-20261130"}, ("GET", "/orders/SO-20261130", {})),
    (
        "cancelOrder",
        {"orderId": "SO-20261130", "reason": "customer", "note": "on the phone, “please”"},
        ("POST", "/orders/SO-20261130/cancel", {"json": {"reason": "customer", "note": "on the phone, “please”"}}),
    ),
]


@pytest.mark.parametrize(("tool", "arguments", "request_"), CALLS, ids=[call[0] for call in CALLS])
def test_the_same_answer_as_directly(
    tool: str, arguments: dict[str, Any], request_: tuple[str, str, dict[str, Any]], executor: Executor, running: Shop
) -> None:
    answer = executor.call(tool, arguments)
    method, path, more = request_
    assert json.loads(first(answer)) == directly(running, method, path, **more).json()
    (asked, url, headers, body), (_, url_directly, _, body_directly) = running.requests
    assert (asked, url) == (method, url_directly)
    assert headers["authorization"] == f"Bearer {TOKEN}"
    assert (json.loads(body) if body else None) == (json.loads(body_directly) if body_directly else None)
    assert running.complaints == []


def test_every_operation_of_the_shop_is_accepted_by_the_description(executor: Executor, running: Shop) -> None:
    operations = executor.bundle.catalog.operations
    for operation in operations.values():
        # the description's own validator asserts formats; ours takes them as annotations
        strict = jsonschema.Draft202012Validator(operation.input, format_checker=jsonschema.FormatChecker())
        valid = (arguments for arguments in Generator().valid_calls(operation.input) if strict.is_valid(arguments))
        for arguments in islice(valid, 6):
            if "" not in arguments.values():  # openapi-core refuses an empty query value, which OpenAPI allows
                executor.call(operation.name, arguments)
    assert len(operations) == 27
    assert {method for method, *_ in running.requests} == {"GET", "POST", "PUT", "PATCH", "DELETE"}
    assert len(running.requests) >= 2 * 27
    assert running.complaints == []


def test_a_merged_tool_and_wrong_arguments(running: Shop, tmp_path: Path) -> None:
    whole = built(tmp_path, sources={"shop": {**SOURCE, "server": running.url}})
    with Executor(whole) as executor:
        created = executor.call("product_write", {"action": "create", **KETTLE})
        wrong = executor.call("product_write", {"action": "creat", **KETTLE})
        old_name = executor.call("createProduct", KETTLE)
    assert json.loads(first(created)) == json.loads(first(old_name))
    assert wrong.is_error
    assert wrong.text == "product_write: `action` cannot be `creat`. Did you mean `create`? Allowed: create, update."
    assert len(running.requests) == 2


def test_only_what_changes_nothing_twice_is_sent_again(executor: Executor, running: Shop) -> None:
    running.busy = 2
    assert not executor.call("listProducts", {}).is_error
    assert len(running.requests) == 3
    running.busy = 1
    failed = executor.call("createProduct", KETTLE)
    assert failed.is_error
    assert failed.text.startswith("HTTP 503 Service Unavailable.")
    assert len(running.requests) == 4


def test_a_secret_that_is_not_set_is_named(executor: Executor, running: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SHOP_TOKEN")
    result = executor.call("listProducts", {})
    assert result.is_error
    assert (
        result.text == "`shop` needs the environment variable SHOP_TOKEN, which is not set where toolc runs; "
        "a bundle keeps its name and never its value. Set it there."
    )
    assert running.requests == []


def test_a_dry_run_shows_the_request_without_its_secret(
    executor: Executor, running: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = executor.preview("createProduct", KETTLE)
    assert shown["headers"]["Authorization"] == "Bearer ${SHOP_TOKEN}"
    assert (shown["method"], shown["url"]) == ("POST", f"{running.url}/products")
    assert json.loads(shown["body"]) == KETTLE
    monkeypatch.delenv("SHOP_TOKEN")  # not even needed
    assert executor.preview("createProduct", KETTLE) == shown
    assert running.requests == []


@pytest.mark.parametrize("sku", ["../admin", "..", "a/../../b", "%2e%2e", "..%2fadmin"])
def test_a_path_parameter_leads_to_no_other_path(sku: str, tmp_path: Path) -> None:
    description = {"paths": {"/files/{name}/raw": {"get": one("raw", path("name"))}}}
    seen: list[str] = []

    def answer(request: Request) -> Response:
        seen.append(request.scope["raw_path"].decode())
        return Response("ok")

    with calling(tmp_path, answer, description) as executor:
        result = executor.call("raw", {"name": sku})
    # percent signs are encoded again, so what looks like an encoded `..` stays a name
    assert seen == ([] if "%" not in sku else [f"/files/{quote(sku, safe='')}/raw"])
    assert result.is_error == ("%" not in sku)
    assert result.is_error == ("cannot have `.` or `..`" in result.text)


def test_a_line_break_in_a_header_is_refused(tmp_path: Path) -> None:
    description = {
        "paths": {"/": {"get": one("ask", {"name": "X-Note", "in": "header", "schema": {"type": "string"}})}}
    }
    seen: list[str] = []

    def answer(request: Request) -> Response:
        seen.append(request.headers["x-note"])
        return Response("ok")

    with calling(tmp_path, answer, description) as executor:
        refused = executor.call("ask", {"X-Note": "a\r\nAuthorization: x"})
        taken = executor.call("ask", {"X-Note": "grün"})
    assert refused.is_error
    assert "cannot have line breaks" in refused.text
    assert taken.text == "ok"
    assert seen[0].encode("latin-1").decode() == "grün"  # sent as UTF-8


def test_a_redirect_to_another_host_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY", "key-12345")
    description = {"paths": {"/old": {"get": one("old")}, "/away": {"get": one("away")}}}
    elsewhere: list[str] = []

    def receive(request: Request) -> Response:
        elsewhere.append(str(request.url))
        return Response("got you")

    with served(answering(receive)) as other:
        places = {"/old": "/new", "/away": f"{other}/steal"}

        def answer(request: Request) -> Response:
            found = places.get(request.url.path)
            return RedirectResponse(found) if found else Response(f"{request.url.path} {request.headers['x-key']}")

        headers = {"headers": {"X-Key": {"env": "API_KEY"}}}
        with calling(tmp_path, answer, description, auth=headers) as executor:
            followed = executor.call("old", {})
            refused = executor.call("away", {})
    assert followed.text == "/new ***"  # the server told the key, which is kept from the model
    assert refused.is_error
    assert "redirected the call to another host" in refused.text
    assert elsewhere == []


def test_no_error_tells_a_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER_NAME", "ann@example.com")
    monkeypatch.setenv("PASSWORD", "pass word/+1")
    monkeypatch.setenv("API_KEY", "key/12345+67")
    auth = {
        "basic": {"username": {"env": "USER_NAME"}, "password": {"env": "PASSWORD"}},
        "query": {"key": {"env": "API_KEY"}},
    }

    def answer(request: Request) -> Response:
        return Response(f"denied: {request.url} {request.headers['authorization']} {request.query_params['key']}", 403)

    with calling(tmp_path, answer, ASK, auth=auth) as executor:
        told = executor.call("ask", {})
    with Executor(Bundle.load(tmp_path / "bundle"), settings=Settings(timeout=3)) as executor:
        unreachable = executor.call("ask", {})  # the server is gone
    assert told.is_error
    assert "denied: http://127.0.0.1" in told.text
    assert "No answer from http://127.0.0.1" in unreachable.text
    for secret in ("pass word/+1", "key/12345+67", "key%2F12345%2B67", "YW5uQGV4YW1wbGUuY29tOnBhc3Mgd29yZC8rMQ=="):
        assert secret not in told.text + unreachable.text


@pytest.mark.parametrize("told", [r"k3y\/12&34", "k3y/12&amp;34", "k3y/12%2634", "k3y%2F12%2634"])
def test_a_secret_that_a_server_wrote_its_own_way(told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY", "k3y/12&34")
    auth = {"query": {"key": {"env": "API_KEY"}}}
    with calling(tmp_path, lambda _: Response(f"bad key {told}", 401), ASK, auth=auth) as executor:
        assert "bad key ***" in executor.call("ask", {}).text


def test_a_redirect_to_no_address_is_told(tmp_path: Path) -> None:
    away = Response(status_code=302, headers={"Location": "http://127.0.0.1:99999/"})
    with calling(tmp_path, lambda _: away, ASK) as executor:
        result = executor.call("ask", {})
    assert result.is_error
    assert result.text == "127.0.0.1 redirected the call to an address that is none."


@pytest.mark.parametrize("charset", ["idna", "undefined", "punycode", "unicode_escape", "UTF-7", "no-such"])
def test_text_in_an_encoding_that_cannot_be_read_is_read_as_utf_8(charset: str, tmp_path: Path) -> None:
    answer = Response(b"gr\xc3\xbcn \xff", headers={"Content-Type": f"text/plain; charset={charset}"})
    with calling(tmp_path, lambda _: answer, ASK) as executor:
        assert executor.call("ask", {}).text == "grün \ufffd"


def test_files_are_sent_from_allowed_folders_only(tmp_path: Path) -> None:
    fields = {"file": {"type": "string", "format": "binary"}, "title": {"type": "string"}}
    body = {"content": {"multipart/form-data": {"schema": {"type": "object", "properties": fields}}}}
    description = {"paths": {"/upload": {"post": {**one("upload"), "requestBody": body}}}}
    (tmp_path / "allowed").mkdir()
    (tmp_path / "allowed/a.png").write_bytes(bytes(range(256)))
    (tmp_path / "secret.txt").write_text("hush")
    (tmp_path / "allowed/link").symlink_to(tmp_path / "secret.txt")
    seen: list[tuple[str, bytes, str]] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        async with Request(scope, receive).form() as form:
            file: Any = form["file"]
            seen.append((file.filename, await file.read(), str(form["title"])))
        await Response("stored")(scope, receive, send)

    with served(application) as url:
        found = api(tmp_path, url, description)
        with Executor(found, files=[tmp_path / "allowed"]) as executor:
            for path in ("a.png", str(tmp_path / "allowed/a.png"), f"//{tmp_path}/allowed/a.png"):
                assert executor.call("upload", {"file": f"file:{path}", "title": "T"}).text == "stored"
            assert executor.call("upload", {"file": "aGk=", "title": "T"}).text == "stored"
            outside = ("../secret.txt", str(tmp_path / "secret.txt"), "link", "/etc/passwd", "gone", ".", "a\0b")
            refused = [executor.call("upload", {"file": f"file:{path}", "title": "T"}) for path in outside]
        with Executor(found) as executor:
            unallowed = executor.call("upload", {"file": "file:a.png", "title": "T"})
    assert seen == [("a.png", bytes(range(256)), "T")] * 3 + [("file", b"hi", "T")]
    assert all("not inside the allowed folders" in result.text and result.is_error for result in refused)
    assert "no folder is allowed" in unallowed.text


def test_a_large_answer_is_cut_and_says_so(tmp_path: Path) -> None:
    with served(answering(lambda _: Response("x" * 5000, media_type="text/plain"))) as url:
        found = api(tmp_path, url, ASK)
        with Executor(found, settings=Settings(most_bytes=1000)) as executor:
            result = executor.call("ask", {})
    assert result.content[0]["text"] == "x" * 1000
    assert result.content[1]["text"] == (
        "[cut after 1,000 of 5,000 bytes: ask for less, by filters, fields or pages, "
        'or call again with "_offset": 1000]'
    )


def test_an_image_stays_one(tmp_path: Path) -> None:
    with calling(tmp_path, lambda _: Response(b"\x89PNG", media_type="image/png"), ASK) as executor:
        assert executor.call("ask", {}).content == ({"type": "image", "data": "iVBORw==", "mimeType": "image/png"},)


def test_a_call_ends_in_time(tmp_path: Path) -> None:
    async def drip(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
        for _ in range(100):
            await send({"type": "http.response.body", "body": b".", "more_body": True})
            await asyncio.sleep(0.1)

    with served(drip) as url:
        found = api(tmp_path, url, ASK)
        with Executor(found, settings=Settings(timeout=0.5)) as executor:
            result = executor.call("ask", {})
    assert result.is_error
    assert result.text == f"{url} gave no whole answer within 0.5 s."


@pytest.mark.parametrize("start", [b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 103 Early Hints\r\n\r\n"])
def test_a_call_ends_in_time_though_its_headers_never_end(tmp_path: Path, start: bytes) -> None:
    stopped = threading.Event()

    def drip() -> None:
        connection, _ = listener.accept()
        with connection, suppress(OSError):
            connection.sendall(start)
            while not stopped.wait(0.1):
                connection.sendall(b"x" if start.endswith(b" ") else start)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        found = api(tmp_path, url, ASK)
        with Executor(found, settings=Settings(timeout=0.5)) as executor:
            result = executor.call("ask", {})
            thread.join(20)
        is_closed = not thread.is_alive()
        stopped.set()
    assert is_closed  # by the call: the server would drip on
    assert result.is_error
    assert result.text == f"{url} gave no whole answer within 0.5 s."


def test_what_a_description_without_a_server_lacks(tmp_path: Path) -> None:
    with Executor(api(tmp_path, "", ASK)) as executor:
        result = executor.call("ask", {})
    assert result.is_error
    assert "give source `api` a `server: https://…`" in result.text


def test_an_unauthorised_call_says_how_to_authorise(tmp_path: Path) -> None:
    scheme = {"type": "apiKey", "in": "header", "name": "X-Key"}
    description = {
        "paths": {"/": {"get": one("ask")}},
        "components": {"securitySchemes": {"key": scheme}},
        "security": [{"key": []}],
    }
    with calling(tmp_path, lambda _: Response("who?", 401), description) as executor:
        result = executor.call("ask", {})
    assert "give the source `auth: {headers: {X-Key: {env: NAME}}}`" in result.text


def one(name: str, *parameters: dict[str, Any]) -> dict[str, Any]:
    return {"operationId": name, "parameters": list(parameters), "responses": {"200": {"description": "ok"}}}


def path(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def api(folder: Path, url: str, description: dict[str, Any], **keys: Any) -> Bundle:
    whole = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, **description}
    (folder / "api.json").write_text(json.dumps(whole))
    return built(folder, sources={"api": {"type": "openapi", "path": "api.json", "server": url, **keys}})


@contextmanager
def calling(
    folder: Path, answer: Callable[[Request], Response], description: dict[str, Any], **keys: Any
) -> Iterator[Executor]:
    """Calls of an API whose server answers so."""
    with served(answering(answer)) as url, Executor(api(folder, url, description, **keys)) as executor:
        yield executor


def answering(answer: Callable[[Request], Response]) -> Callable[..., Awaitable[None]]:
    async def application(scope: Any, receive: Any, send: Any) -> None:
        await answer(Request(scope, receive))(scope, receive, send)

    return application
