"""Where live sources are: addresses and environment variables, checked, and shown without secrets."""

from __future__ import annotations

import os
from urllib.parse import SplitResult, urlsplit

from toolc.bind import Env
from toolc.diagnostics import user_error

_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def variable(name: str, purpose: str, help: str = "") -> str:
    """The value of an environment variable; raises UserError for one that is not set. purpose: what needs it."""
    value = os.environ.get(name)
    if value:
        return value
    raise user_error(
        "missing-variable",
        f"{purpose} needs the environment variable {name}, which is {'empty' if value == '' else 'not set'}",
        help=help or "set it where toolc runs; its value is written nowhere",
    )


def resolve(url: str | Env, purpose: str, allow_http: bool) -> str:
    """The address to ask over HTTP; raises UserError for what is none, and for one that is not encrypted.

    On this machine itself http is always allowed.
    """
    address = variable(url.env, purpose) if isinstance(url, Env) else url
    parts = _split(address)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise user_error(
            "invalid-address",
            f"{purpose} has no usable address: {shown(url)} is no http or https URL",
            help="write it as `https://host/path`",
        )
    if parts.scheme == "http" and not allow_http and parts.hostname not in _LOOPBACK:
        raise user_error(
            "unencrypted-address",
            f"{purpose} would be asked without encryption: {shown(url)}",
            help="use https, or say `allow_http: true` if the network in between is trusted",
        )
    return address


def shown(url: str | Env) -> str:
    """The address as it may be printed: no user, password, query or fragment, and only the name of a variable."""
    if isinstance(url, Env):
        return f"${url.env}"
    parts = _split(url)
    if parts is None or not parts.hostname:
        return "the given text"
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}"


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port, parts.hostname
    except ValueError:
        return None
    return parts
