"""Carries out HTTP calls: with a timeout, a cap, retries where nothing is done twice, and to no other host."""

from __future__ import annotations

import asyncio
import codecs
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from toolc import __version__
from toolc.ir import Arguments, HttpCall, Operation
from toolc.runtime import credentials, request
from toolc.runtime.background import Background
from toolc.runtime.result import Failed, Result
from toolc.runtime.secrets import Secrets
from toolc.runtime.surroundings import Connection, Execution, Surroundings

if TYPE_CHECKING:
    import httpx2

ATTEMPTS = 3
# Statuses that a server gives while it cannot answer, and what it did not do.
_BUSY = frozenset({429, 502, 503, 504})
_REDIRECTS = 5
# Seconds for connections to close.
_FAREWELL = 2.0
# Codecs of Python that are no encodings of the web; one of them takes quadratic time.
_NO_CHARSETS = frozenset({"punycode", "idna", "unicode-escape", "raw-unicode-escape", "utf-7", "undefined"})
_PORTS = {"http": 80, "https": 443}
# Headers that a caller needs for the next call: where the new thing is, which version it read, how to go on.
_TOLD = ("Location", "ETag", "Link", "Content-Range", "X-Total-Count", "Retry-After")


class Http:
    """One client for all sources, in a loop of its own; `call` may be used from several threads."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._settings = surroundings.settings
        self._secrets = surroundings.secrets
        self._files = surroundings.files
        self._background = Background()
        self._client: httpx2.AsyncClient | None = None

    def call(self, operation: Operation, arguments: Arguments, connection: Connection, execution: Execution) -> Result:
        """Send the request of a call; raises Failed where there is no answer to tell."""
        call = operation.call
        assert isinstance(call, HttpCall)
        prepared = self._prepared(operation, arguments, connection, self._secrets)
        repeatable = bool(operation.hints.read_only.value or operation.hints.idempotent.value)
        sending = self._in_time(prepared, ATTEMPTS if repeatable else 1, execution.most_bytes)
        answer = self._background.run(sending, execution.cancelling)
        return answer.result(credentials.wanted(call, connection.get("auth", {})))

    def preview(self, operation: Operation, arguments: Arguments, connection: Connection) -> dict[str, Any]:
        """Method, URL, headers and body."""
        prepared = self._prepared(operation, arguments, connection, Secrets(masked=True))
        headers = {name.decode(): value.decode() for name, value in _headers(prepared)}
        shown: dict[str, Any] = {"method": prepared.method, "url": prepared.url, "headers": headers}
        return shown if prepared.body is None else {**shown, "body": prepared.body.decode("utf-8", "replace")}

    def _prepared(
        self, operation: Operation, arguments: Arguments, connection: Connection, secrets: Secrets
    ) -> request.Request:
        """The request with its credentials; raises Failed for one that cannot be sent."""
        call = operation.call
        assert isinstance(call, HttpCall)
        if urlsplit(call.server).scheme not in _PORTS or not urlsplit(call.server).hostname:
            raise Failed(
                f"`{operation.id}` cannot be called: its description names no server. "
                f"In toolc.yaml, give source `{operation.source}` a `server: https://…` and build again."
            )
        try:
            built = request.build(call, self._files.filled(call, arguments))
        except request.RequestError as error:
            raise Failed(str(error)) from None
        if _origin(urlsplit(built.url)) != _origin(urlsplit(call.server)):
            raise Failed(f"`{operation.id}` cannot be called: its path would lead to another host than its server.")
        return credentials.authorised(built, connection.get("auth", {}), operation.source, secrets)

    def close(self) -> None:
        """Close the connections."""
        self._background.close(self._close(), _FAREWELL)

    async def _close(self) -> None:
        if self._client is not None:
            await self._client.aclose()

    async def _in_time(self, prepared: request.Request, attempts: int, most: int) -> Answer:
        """What `_sent` gives, within the time that a call has, whatever the server drips; raises Failed."""
        try:
            async with asyncio.timeout(self._settings.timeout):
                return await self._sent(prepared, attempts, most)
        except TimeoutError:
            seconds = f"{self._settings.timeout:g} s"
            raise Failed(f"{_host(prepared.url)} gave no whole answer within {seconds}.") from None

    async def _sent(self, prepared: request.Request, attempts: int, most: int) -> Answer:
        """The answer, after as many attempts as it takes and the time allows."""
        httpx2, client = self._ready()
        clock = asyncio.get_running_loop().time
        end = clock() + self._settings.timeout
        for attempt in range(1, attempts + 1):
            wait = 0.5 * 2 ** (attempt - 1)
            try:
                answer = await self._once(client, prepared, most)
            except (httpx2.TransportError, httpx2.InvalidURL, httpx2.DecodingError) as error:
                if attempt == attempts or clock() + wait > end:
                    raise Failed(f"No answer from {_host(prepared.url)}: {error or type(error).__name__}.") from None
            else:
                wait = max(wait, answer.retry_after)
                if answer.status not in _BUSY or attempt == attempts or clock() + wait > end:
                    return answer
            await asyncio.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    async def _once(self, client: httpx2.AsyncClient, prepared: request.Request, most: int) -> Answer:
        outgoing = client.build_request(
            prepared.method, prepared.url, headers=_headers(prepared), content=prepared.body
        )
        for _ in range(_REDIRECTS + 1):
            response = await client.send(outgoing, stream=True)
            try:
                following = response.next_request
                if following is None:
                    body, whole = await _body(response, most)
                    return Answer(response.status_code, response.reason_phrase, response.headers, body, whole)
                _same_host(str(outgoing.url), str(following.url))
                outgoing = following
            finally:
                await response.aclose()
        raise Failed(f"{_host(prepared.url)} redirected the call more than {_REDIRECTS} times.")

    def _ready(self) -> tuple[Any, httpx2.AsyncClient]:
        from http.cookiejar import CookieJar, DefaultCookiePolicy

        try:
            import httpx2
        except ImportError:
            need = "Calling an HTTP API needs a package that is not installed: pip install 'toolc[run]'."
            raise Failed(need) from None
        if self._client is None:
            # No cookie is kept: what one call's answer sets is not sent with another's.
            jar = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
            agent = {"User-Agent": f"toolc/{__version__}"}
            self._client = httpx2.AsyncClient(follow_redirects=False, headers=agent, cookies=jar, timeout=None)
        return httpx2, self._client


class Answer:
    """An HTTP response, read as far as the cap allows."""

    def __init__(self, status: int, reason: str, headers: Mapping[str, str], body: bytes, whole: bool) -> None:
        self.status = status
        self.reason = reason
        self.headers = headers
        self.body = body
        self.whole = whole

    @property
    def retry_after(self) -> float:
        """Seconds that the server asks to wait; 0 if it says nothing that is a number."""
        with suppress(ValueError):
            return max(0.0, float(self.headers.get("retry-after", "0")))
        return 0.0

    def result(self, advice: str) -> Result:
        """What a model is told. advice: for a call that was not authorised."""
        failed = self.status >= 400
        blocks = list(self._content())
        heads = [f"{name}: {self.headers[name]}" for name in _TOLD if name in self.headers]
        told = "\n".join([f"HTTP {self.status} {self.reason}".rstrip(), *heads])
        if failed:
            line, *rest = told.split("\n")
            line += "." + (advice if self.status in (401, 403) else "")
            blocks.insert(0, {"type": "text", "text": "\n".join([line, *rest])})
        length = self.headers.get("content-length", "")
        known = length.isdecimal() and len(length) < 16 and "content-encoding" not in self.headers
        return Result(
            tuple(blocks),
            is_error=failed,
            foot=told if not failed and (heads or not blocks) else "",
            unread=not self.whole and self._is_text,
            size=int(length) if known else 0,
        )

    @property
    def _is_text(self) -> bool:
        media, _ = _media(self.headers.get("content-type", ""))
        return _is_text(media) or (not media and b"\0" not in self.body)

    def _content(self) -> Iterator[dict[str, Any]]:
        if not self.body:
            return
        media, charset = _media(self.headers.get("content-type", ""))
        if self._is_text:
            yield {"type": "text", "text": _decoded(self.body, charset)}
        elif not self.whole:
            yield {"type": "text", "text": f"({media or 'binary data'}, larger than can be returned)"}
        elif (kind := media.partition("/")[0]) in ("image", "audio"):
            yield {"type": kind, "data": b64encode(self.body).decode(), "mimeType": media}
        else:
            blob = {"uri": "toolc:response", "mimeType": media or "application/octet-stream"}
            yield {"type": "resource", "resource": {**blob, "blob": b64encode(self.body).decode()}}


async def _body(response: httpx2.Response, most: int) -> tuple[bytes, bool]:
    """As much of the body as is of use, and whether that is all of it."""
    parts, size = [], 0
    async for part in response.aiter_bytes():
        parts.append(part)
        size += len(part)
        if size > most:
            return b"".join(parts)[:most], False
    return b"".join(parts), True


def _headers(prepared: request.Request) -> list[tuple[bytes, bytes]]:
    found = [*prepared.headers]
    names = {name.lower() for name, _ in found}
    if "accept" not in names:
        found.append(("Accept", "application/json, */*;q=0.8"))
    if prepared.content_type:
        found.append(("Content-Type", prepared.content_type))
    if prepared.cookies:
        found.append(("Cookie", "; ".join(f"{name}={value}" for name, value in prepared.cookies)))
    return [(name.encode(), value.encode()) for name, value in found]


def _same_host(asked: str, named: str) -> None:
    """Refuse a redirect to another host, or from https to http; raises Failed."""
    before, after = urlsplit(asked), urlsplit(named)
    try:
        _origin(after)
    except ValueError:
        raise Failed(f"{before.hostname} redirected the call to an address that is none.") from None
    upgraded = before.scheme == "http" and after.scheme == "https" and before.hostname == after.hostname
    if _origin(before) != _origin(after) and not (upgraded and not before.port and not after.port):
        raise Failed(f"{before.hostname} redirected the call to another host, {_host(named)}; that is not followed.")


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)


def _host(url: str) -> str:
    """Scheme and host, without what may be secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _media(content_type: str) -> tuple[str, str]:
    media, _, rest = content_type.partition(";")
    charset = next((part.partition("=")[2] for part in rest.split(";") if "charset" in part.lower()), "")
    return media.strip().lower(), charset.strip().strip('"')


def _is_text(media: str) -> bool:
    subtype = media.partition("/")[2]
    plain = ("json", "xml", "yaml", "x-yaml", "javascript", "x-www-form-urlencoded", "graphql", "sql", "x-ndjson")
    return media.startswith("text/") or subtype in plain or subtype.endswith(("+json", "+xml", "+yaml", "json-seq"))


def _decoded(body: bytes, charset: str) -> str:
    try:
        codec = codecs.lookup(charset or "utf-8").name
        return body.decode("utf-8" if codec in _NO_CHARSETS else codec, "replace")
    except (LookupError, ValueError):  # no such encoding, or one that takes no replacement, such as idna
        return body.decode("utf-8", "replace")
