"""Authorisation of HTTP requests, as the config of the source names it; secrets come from the environment."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from toolc.ir import HttpCall
from toolc.runtime.request import Request
from toolc.runtime.result import Failed
from toolc.runtime.secrets import Secrets

# What no header may hold; a secret with a line break at its end is a common slip of whoever set the variable.
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class _Given:
    headers: Mapping[str, str]
    query: Mapping[str, str]


def authorised(request: Request, auth: Mapping[str, Any], source: str, secrets: Secrets) -> Request:
    """The request with its credentials; raises Failed where a variable is not set."""
    given = _given(auth, f"`{source}`", secrets)
    names = {name.lower() for name in given.headers}
    cookies = request.cookies
    headers = [(name, value) for name, value in request.headers if name.lower() not in names]
    for name, value in given.headers.items():
        if name.lower() == "cookie":
            cookies = (*cookies, *((key, item) for key, _, item in (one.partition("=") for one in value.split("; "))))
        else:
            headers.append((name, value))
    url = request.url
    for name, value in given.query.items():
        url += f"{'&' if '?' in url else '?'}{quote(name, safe='')}={_encoded(value, secrets)}"
    return replace(request, url=url, headers=tuple(headers), cookies=cookies)


def wanted(call: HttpCall, auth: Mapping[str, Any]) -> str:
    """What to say where a server refuses a call without credentials: how it may be authorised."""
    if auth or not call.security:
        return ""
    ways = " or ".join(" with ".join(map(_way, alternative.values())) for alternative in call.security if alternative)
    return f" No credentials were sent. In toolc.yaml, give the source `auth: {{{ways}}}`." if ways else ""


def _way(scheme: Mapping[str, Any]) -> str:
    """The key of `auth` that a security scheme means."""
    place, name = scheme.get("in"), scheme.get("name")
    if scheme.get("type") == "apiKey" and place in ("header", "query"):
        return f"{'headers' if place == 'header' else 'query'}: {{{name}: {{env: NAME}}}}"
    if scheme.get("type") == "apiKey":
        return "headers: {Cookie: {env: NAME}}"
    if scheme.get("type") == "http" and str(scheme.get("scheme")).lower() == "basic":
        return "basic: {username: {env: NAME}, password: {env: NAME}}"
    return "bearer: {env: NAME}"


def _given(auth: Mapping[str, Any], purpose: str, secrets: Secrets) -> _Given:
    def read(name: str) -> str:
        value = secrets.value(name, purpose).strip()
        if _CONTROL.search(value):
            raise Failed(f"The value of {name} holds a line break or control character and cannot be sent.")
        return value

    headers = {name: read(variable) for name, variable in auth.get("headers", {}).items()}
    if "bearer" in auth:
        headers["Authorization"] = f"Bearer {read(auth['bearer'])}"
    if "basic" in auth:
        pair = f"{read(auth['basic']['username'])}:{read(auth['basic']['password'])}"
        written = pair if secrets.masked else b64encode(pair.encode()).decode()
        secrets.remember(written)
        headers["Authorization"] = f"Basic {written}"
    return _Given(headers, {name: read(variable) for name, variable in auth.get("query", {}).items()})


def _encoded(value: str, secrets: Secrets) -> str:
    return value if secrets.masked else quote(value, safe="")
