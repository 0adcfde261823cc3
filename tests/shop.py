"""The shop of catalogs/shop-api as a real HTTP server; openapi-core checks every request that comes in.

Products are kept in memory; of all else the server answers what openapi-core read, so that two ways of calling can be
compared.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

DESCRIPTION = Path(__file__).parents[1] / "catalogs/shop-api/openapi.yaml"
TOKEN = "tok-3f9a-secret"


@dataclass
class Shop:
    """What the server has seen: the requests, and what openapi-core had against them."""

    url: str = ""
    requests: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    products: dict[str, Any] = field(default_factory=dict)
    busy: int = 0  # so many calls are answered with 503 first

    def answer(self, method: str, path: str, read: Any) -> tuple[int, Any, dict[str, str]]:
        """Status, body and headers."""
        parts = path.removeprefix("/v1/").split("/")
        if parts[0] == "products" and len(parts) == 1 and method == "POST":
            self.products[read.body["sku"]] = {"status": "draft", **read.body}
            return 201, self.products[read.body["sku"]], {"Location": f"/v1/products/{read.body['sku']}"}
        if parts[0] == "products" and len(parts) == 1:
            return 200, {"items": sorted(self.products.values(), key=lambda item: item["name"])}, {}
        if parts[0] == "products":
            if parts[1] not in self.products:
                return 404, {"title": "Not found", "detail": f"no product {parts[1]}"}, {}
            if method == "DELETE":
                del self.products[parts[1]]
                return 204, None, {}
            if method == "PATCH":
                self.products[parts[1]] |= read.body
            return 200, self.products[parts[1]], {"ETag": '"7"'}
        parameters = read.parameters
        seen = {place: dict(getattr(parameters, place)) for place in ("path", "query", "cookie")}
        return 200, {"method": method, "path": path, **seen, "body": read.body}, {}


def _application(shop: Shop) -> Callable[..., Awaitable[None]]:
    from openapi_core import Config, OpenAPI
    from openapi_core.contrib.starlette import StarletteOpenAPIRequest
    from starlette.requests import Request
    from starlette.responses import Response

    description = yaml.safe_load(DESCRIPTION.read_text())
    description["servers"] = [{"url": "/v1"}]
    config = Config(extra_media_type_deserializers={"application/merge-patch+json": json.loads})
    api = OpenAPI.from_dict(description, config=config)

    async def application(scope: Any, receive: Any, send: Any) -> None:
        assert scope["type"] == "http"
        request = Request(scope, receive)
        body = await request.body()
        shop.requests.append((request.method, str(request.url), dict(request.headers), body))
        if shop.busy:
            shop.busy -= 1
            await Response("later", 503)(scope, receive, send)
            return
        found = api.unmarshal_request(StarletteOpenAPIRequest(request, body))
        if found.errors:
            shop.complaints += [f"{request.method} {request.url}: {error!r}" for error in found.errors]
            await Response(json.dumps({"title": "Bad request"}), 400)(scope, receive, send)
            return
        status, data, headers = shop.answer(request.method, request.url.path, found)
        text = "" if data is None else json.dumps(data, default=str)
        media = "application/json" if text else None
        await Response(text, status, headers, media)(scope, receive, send)

    return application


@contextmanager
def served(application: Callable[..., Awaitable[None]]) -> Iterator[str]:
    """The address of an ASGI application on a free port."""
    import uvicorn

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        server = uvicorn.Server(uvicorn.Config(application, log_level="critical", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join(20)


@contextmanager
def shop() -> Iterator[Shop]:
    """A running shop."""
    found = Shop()
    with served(_application(found)) as url:
        found.url = f"{url}/v1"
        yield found
