"""Which parameters are credentials, by their names, texts and places."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from toolc.ir import HttpCall, Operation
from toolc.lexicon import words

# Names under which HTTP carries credentials, without case and separators.
_HEADERS = frozenset(
    "authorization proxyauthorization xapikey apikey xapitoken xauthtoken xaccesstoken xauthorization xauthkey"
    " xsessiontoken xamzsecuritytoken xvaulttoken xgoogapikey ocpapimsubscriptionkey xfunctionskey xclientsecret"
    " xapisecret xuserkey xsecretkey privatetoken xgitlabtoken xfigmatoken xrapidapikey cookie setcookie"
    " bearertoken xtoken xauth".split()
)
_IN_QUERY = frozenset("apikey accesstoken authtoken oauthtoken apitoken clientsecret".split())
_SECRETS = frozenset("password passwd pwd passphrase passcode secret apikey otp totp cvv cvc".split())
_PAIRS = frozenset(
    {
        ("api", "key"),
        ("api", "token"),
        ("api", "secret"),
        ("private", "key"),
        ("secret", "key"),
        ("access", "token"),
        ("auth", "token"),
        ("oauth", "token"),
        ("bearer", "token"),
        ("refresh", "token"),
        ("session", "token"),
        ("bot", "token"),
        ("user", "token"),
        ("client", "secret"),
        ("secret", "access"),
        ("ssh", "key"),
        ("encryption", "key"),
        ("signing", "key"),
        ("security", "code"),
        ("recovery", "code"),
        ("mfa", "code"),
        ("2fa", "code"),
        ("otp", "code"),
        ("card", "number"),
        ("pin", "code"),
        ("social", "security"),
    }
)
# What may follow the words of a secret without speaking of something else (a secret's id, name, length …).
_TAIL = frozenset(
    "value text string confirm confirmation again new old current number plaintext base64 key pem".split()
)
# Before them, what makes a plain value of it.
_HEAD_NO = frozenset(
    "has is show include require requires hide reset change min max num generate enable use with no public "
    "page next prev previous cursor start end continuation pagination sync resume upload delta watch".split()
)
_ABOUT = re.compile(
    r"\b(?:name|names|id|ids|identifier|path|reference|arn|uri|url|location|type|length|hint|environment variable"
    r"|env var|fingerprint|hash|thumbprint|slug|title|label) (?:of|for|to|in|that|containing|holding|where)\b"
    r"|\bnot the (?:secret|key|password)|\bpublic key\b|\bencrypted (?:value|with)\b|\bhashed\b|\bstored in\b"
    r"|\bidempotency\b|\bpagination\b|\bpage token\b|\bnext page\b|\bcursor\b|\bcontinuation\b",
    re.I,
)
_AUTH = re.compile(
    r"\bauthentication token\b|"
    r"\b(?:api|access|auth\w*|bearer|personal|oauth2?|secret|login|bot|user|jwt|session|service account|security)"
    r" (?:api |access )?(?:token|key|secret|credentials?)\b"
    r"|\btoken (?:for|used for|to) (?:authenticat|authoriz|access|the api|log)|\bto authenticate\b",
    re.I,
)
# In a body a token may be what the call is about (one to revoke); only its own is spoken of like this.
_OWN = re.compile(r"\s*(?:your |the )?authentication token\b(?! (?:to|of|for|that|which|from|issued|returned)\b)", re.I)


def is_transported(operation: Operation, name: str, schema: Any) -> bool:
    """Whether a parameter is the credential of the call itself, by its place in the request or its header's name."""
    key, parts = "".join(words(name)), words(name)
    place = _place(operation, name)
    text = str(schema.get("description", "")) if isinstance(schema, dict) else ""
    is_token = parts == ("token",) and bool(_AUTH.search(text))
    if place == "body":
        return parts == ("token",) and bool(_OWN.match(text))
    if place in ("header", "cookie"):
        return key in _HEADERS or _names_secret(parts) or is_token
    if place == "query":
        return key in _IN_QUERY or key in _HEADERS or is_token
    return not place and key in _HEADERS - {"apikey", "cookie", "setcookie", "bearertoken", "xtoken", "xauth"}


def _place(operation: Operation, name: str) -> str:
    if isinstance(operation.call, HttpCall):
        return str(operation.call.inputs.get(name, {}).get("in", ""))
    facts = operation.extra.get("x_openapi")
    places = facts.get("in") if isinstance(facts, dict) else None
    return str(places.get(name, "")) if isinstance(places, dict) else ""


def asks_for_secret(name: str, schema: dict[str, Any]) -> bool:
    """Whether a parameter of this name wants a password, key, token or card number itself, not something about it."""
    kind = schema.get("type", "string")
    if kind not in ("string", ["string", "null"]) and "anyOf" not in schema:
        return False
    if "enum" in schema or schema.get("format") in ("uri", "date", "date-time", "uuid"):
        return False
    text = str(schema.get("description", ""))
    parts = words(name)
    if schema.get("format") == "password":
        return not _ABOUT.search(text)
    if not parts or parts[0] in _HEAD_NO or _ABOUT.search(text):
        return False
    if parts == ("token",) or parts[-1:] == ("credentials",):
        return bool(_AUTH.search(text))
    if parts == ("secret",):
        return not re.search(r"\bsecrets?(?:'s)? (?:name|id|path|key name)\b|\bname\b", text, re.I)
    return _names_secret(parts)


def _names_secret(parts: tuple[str, ...]) -> bool:
    for index, word in enumerate(parts):
        if word in _SECRETS and all(rest in _TAIL for rest in parts[index + 1 :]):
            return True
    for index, pair in enumerate(pairwise(parts)):
        if pair in _PAIRS and all(rest in _TAIL for rest in parts[index + 2 :]):
            return True
    return False
