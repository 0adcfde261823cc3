"""Fetches a description by its URL, for `pull`: over https, from one host, up to a size and a time."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

from toolc import __version__, address, documents
from toolc.bind import Env
from toolc.diagnostics import Report, user_error
from toolc.snapshot import KEY, Snapshot

_CHUNK = 1024 * 1024
_REDIRECTS = 5


def snapshot(
    name: str, url: str | Env, headers: Mapping[str, Env], allow_http: bool, timeout: int, report: Report
) -> Snapshot:
    """The description as it was served, as data; raises UserError. timeout: seconds without a byte."""
    purpose = f"source `{name}`"
    target = address.resolve(url, purpose, allow_http)
    sent = {key: address.variable(env.env, purpose) for key, env in headers.items()}
    shown = address.shown(url)
    data = documents.parse(documents.decode(_get(target, shown, sent, timeout), shown), shown)
    if not isinstance(data, dict) or not ("openapi" in data or "swagger" in data):
        advice = "check the address: it may be that of the page which shows the description"
        raise user_error("not-openapi", f"what {shown} gives is no OpenAPI description", help=advice)
    _name_other_files(data, shown, report)
    info = data["info"] if isinstance(data.get("info"), dict) else {}
    server = {"name": str(info.get("title") or ""), "version": str(info.get("version") or "")}
    return Snapshot("openapi", server, {key: value for key, value in data.items() if key != KEY})


def _get(target: str, shown: str, headers: Mapping[str, str], timeout: int) -> bytes:
    request = urllib.request.Request(  # noqa: S310 (the scheme was checked)
        target,
        headers={
            "User-Agent": f"toolc/{__version__}",
            "Accept": "application/json, application/yaml, */*;q=0.5",
            "Accept-Encoding": "identity",
            **headers,
        },
    )
    opener = urllib.request.build_opener(_SameHost(shown))
    try:
        with opener.open(request, timeout=timeout) as response:
            if (coding := response.headers.get("Content-Encoding", "identity")) != "identity":
                raise user_error("compressed-answer", f"{shown} answers in {coding} form, which it was asked not to")
            pieces, size = [], 0
            while chunk := response.read(_CHUNK):
                size += len(chunk)
                if size > documents.LARGEST:
                    limit = documents.LARGEST // 1024**2
                    raise user_error("input-limit", f"{shown} gives more than {limit} MB", help="check the address")
                pieces.append(chunk)
            return b"".join(pieces)
    except urllib.error.HTTPError as error:
        with error:
            advice = "name the variable with the token: `headers: {Authorization: {env: NAME}}`"
            advice = advice if error.code in (401, 403) else "check the address"
            raise user_error("no-answer", f"{shown} answers with HTTP status {error.code}", help=advice) from None
    except TimeoutError:
        message = f"{shown} gave nothing for {timeout} s"
        raise user_error("timeout", message, help="give it more time with `timeout: SECONDS`") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(reason, TimeoutError):
            reason = f"nothing came for {timeout} s"
        advice = "check the address, and that it is reachable from here; builds go on with the last snapshot"
        raise user_error("no-answer", f"cannot reach {shown}: {reason}", help=advice) from None


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follows to the same host only, as headers and trust were given for that one, and never to less encryption."""

    max_redirections = _REDIRECTS

    def __init__(self, shown: str) -> None:
        self._shown = shown

    def http_error_302(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any) -> Any:
        """The answer at the next address, or the error."""
        before, after = urlsplit(req.full_url), urlsplit(urljoin(req.full_url, headers.get("location") or ""))
        same = before.netloc == after.netloc or (before.hostname == after.hostname and after.scheme == "https")
        if after.scheme not in ("https", before.scheme) or not same:
            fp.close()
            message = f"{self._shown} sends on to {address.shown(after.geturl())}, another host"
            raise user_error("redirected", message, help="if that is the right place, name it as `url`")
        return super().http_error_302(req, fp, code, msg, headers)

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def _name_other_files(data: Any, shown: str, report: Report) -> None:
    """Report files that the description is continued in: one is fetched, and builds fetch nothing."""
    files = sorted({reference.partition("#")[0] for reference in _references(data)} - {""})
    if files:
        some = ", ".join(f"`{file}`" for file in files[:3]) + (" …" if len(files) > 3 else "")
        report.error(
            "remote-ref",
            f"the description at {shown} goes on in {len(files)} other file{'s' * (len(files) > 1)}, {some}, "
            "which is not fetched: what refers there will be missing",
            help="fetch it as one file, for example as `redocly bundle` makes it, or save all files and use `path`",
        )


def _references(data: Any) -> Iterator[str]:
    stack = [data]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            if isinstance(reference := value.get("$ref"), str):
                yield reference
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)
