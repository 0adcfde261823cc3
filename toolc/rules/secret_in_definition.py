"""A secret that was written into a definition.

What it does
    Looks in every text, default and example for keys with a known form (AWS, GitHub, GitLab, Slack, Stripe, Google,
    OpenAI, Anthropic, npm, PyPI, Hugging Face, private keys, passwords in URLs) and for random text behind words such
    as `api_key=`. Published dummies, UUIDs, digests and anything with EXAMPLE or a run of one character in it are
    left alone. Messages show the first four characters.

Why it is bad
    Definitions are sent to a model's vendor on every turn, committed and shared: the secret is public.

Example
    {"key": {"type": "string", "default": "sk_live_51H…"}}

Use instead
    A credential that the runtime binds from the environment

When it is wrong
    For a key that was made up for the text: write EXAMPLE into it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from toolc.credentials import asks_for_secret
from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import Operation, Origin
from toolc.rules import Subject, written
from toolc.schema.walk import Path

STAGE = "source"
CATEGORY = "safety"
SEVERITY = Severity.error
# Kind, what each of them holds (which is looked for first, since most texts have none of it), and its form.
_KNOWN: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("an AWS access key", ("AKIA", "ASIA", "ABIA", "ACCA"), r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b"),
    (
        "a GitHub token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{36,255}\b|\bgithub_pat_[A-Za-z0-9_]{40,255}\b",
    ),
    ("a GitLab token", ("glpat-",), r"\bglpat-[\w-]{20,}"),
    ("a Slack token", ("xox", "xapp-"), r"\bxox[abeoprs]-[0-9A-Za-z-]{20,}|\bxapp-\d-[A-Z0-9]+-\d+-[a-f0-9]{20,}"),
    (
        "a Slack webhook",
        ("hooks.slack.com/",),
        r"https://hooks\.slack\.com/services/T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{20,}",
    ),
    (
        "a Discord webhook",
        (".com/api/webhooks/",),
        r"https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/\d{15,}/[\w-]{40,}",
    ),
    ("a Stripe key", ("k_live_",), r"\b(?:sk|rk)_live_[0-9A-Za-z]{20,}\b"),
    ("a Google API key", ("AIza",), r"\bAIza[\w-]{35}(?![\w-])"),
    ("a Google OAuth token", ("ya29.",), r"\bya29\.[\w-]{30,}"),
    ("an Anthropic key", ("sk-ant-",), r"\bsk-ant-[\w-]{30,}"),
    (
        "an OpenAI key",
        ("sk-",),
        r"\bsk-(?:proj-|svcacct-|admin-)[\w-]{30,}|\bsk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}\b|\bsk-[A-Za-z0-9]{48}\b",
    ),
    ("an npm token", ("npm_",), r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("a PyPI token", ("pypi-AgE",), r"\bpypi-AgE[\w-]{50,}"),
    ("a SendGrid key", ("SG.",), r"\bSG\.[\w-]{20,24}\.[\w-]{39,50}\b"),
    ("a Hugging Face token", ("hf_",), r"\bhf_[A-Za-z]{34}\b"),
    ("a DigitalOcean token", ("_v1_",), r"\bdo[opr]_v1_[a-f0-9]{64}\b"),
    ("a Shopify token", ("shp",), r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b"),
    ("a Square token", ("sq0",), r"\b(?:sq0atp|sq0csp)-[\w-]{22,}"),
    ("a Mailgun key", ("key-",), r"\bkey-[0-9a-f]{32}\b"),
    ("a Twilio key", ("SK",), r"\bSK[0-9a-f]{32}\b"),
    ("a Telegram bot token", (":AA",), r"\b\d{8,10}:AA[\w-]{33}\b"),
    ("a JSON Web Token", ("eyJ",), r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,}"),
    ("a private key", ("PRIVATE KEY-----",), r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s*[A-Za-z0-9+/=\s\\n]{64,}"),
)
_MARKS = ("key", "secret", "token", "bearer", "passw")
_IN_URL = re.compile(r"\b[a-z][a-z0-9+.-]{2,20}://([^\s:/@'\"`<>{}$]{1,60}):([^\s/@'\"`<>{}$]{6,80})@[\w.-]+")
_ASSIGNED = re.compile(
    r"(?i)\b(?:api[_-]?key|api[_-]?token|secret(?:[_-]?(?:access[_-]?)?key)?|client[_-]?secret|access[_-]?token|auth[_-]?token"
    r"|bearer|password|passwd)\b[\"'`]?\s*(?:[:=]|is)?\s*[\"'`]?([A-Za-z0-9+/_.~-]{20,}={0,2})"
)
_DUMMY = re.compile(
    r"(?i)example|dummy|sample|fake|placeholder|redacted|changeme|your[_-]?|my[_-]?(?:secret|key|token)|secret[_-]?key|here|xxx"
    r"|\.\.\.|…|\*\*\*|(.)\1{4,}|01234|12345|abcde|98765|test|foo|lorem|<|>|\{|\}|-----BEGIN[^-]+-----\s*(?:\.\.\.|…|\\n\.\.\.)"
)
# Published in the vendors' own documentation.
_PUBLISHED = (
    "ghu_16C7e42F292c6912E7710c838347Ae178B4a",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "ghs_16C7e42F292c6912E7710c838347Ae178B4a",
    "gho_16C7e42F292c6912E7710c838347Ae178B4a",
    "ghr_1B4a2e77838347a7E420ce178F2E7c6912E169246c34E1ccbF66C46812d16D5B1A9Dc86A1498",
    "AIzaSyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe",
    "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    "SK_LIVE_EXAMPLE",
)
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.I)
_HEX = re.compile(r"(?:0x)?[0-9a-f]+", re.I)


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a string and secret; a text that stands in many tools is read once."""
    known: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for operation in subject.operations:
        for text, where, name in _strings(operation):
            key = (text, name)
            found = known[key] if key in known else known.setdefault(key, list(secrets_in(text, name)))
            for kind, secret in found:
                place = where if isinstance(where, Origin) else operation.place(*where)
                yield Diagnostic(
                    "secret-in-definition",
                    SEVERITY,
                    f"a text of `{operation.name}` holds what looks like {kind}: {secret[:4]}… ({len(secret)}"
                    f" characters)",
                    place,
                    help="revoke it, then let the runtime bind it from the environment",
                    subject=operation.id,
                    cause=f"{operation.id} {place.pointer} {kind}",
                )


def secrets_in(text: str, name: str = "") -> Iterator[tuple[str, str]]:
    """Kind and value of each secret in a text; name: of the property whose whole value the text is, if it is one."""
    if len(text) < 16:
        return
    found = False
    for kind, pattern in _forms(text):
        for match in re.finditer(pattern, text):
            secret = match[0].rpartition("KEY-----")[2].strip() or match[0]
            if not _is_dummy(secret) and _entropy(secret) >= 3.0:
                found = True
                yield kind, secret
    for match in _IN_URL.finditer(text) if "://" in text and "@" in text else ():
        user, password = match.groups()
        usual = user.lower() in ("user", "username") or password.lower() in ("password", "secret", "passwd")
        if not _is_dummy(password) and not usual and _entropy(password) >= 2.5:
            found = True
            yield "a password in a URL", password
    if found:
        return
    folded = text.casefold()
    for match in _ASSIGNED.finditer(text) if any(mark in folded for mark in _MARKS) else ():
        if _is_random(match[1], 20):
            yield "a key", match[1]
            return
    if name and asks_for_secret(name, {}) and " " not in text and _is_random(text, 20):
        yield "a key", text


def _forms(text: str) -> Iterator[tuple[str, str]]:
    """Kind and form of the known keys that the text may hold."""
    for kind, marks, pattern in _KNOWN:
        for mark in marks:  # a plain loop: this is asked of every text
            if mark in text:
                yield kind, pattern
                break


def _is_dummy(value: str) -> bool:
    return bool(_DUMMY.search(value)) or any(known in value for known in _PUBLISHED)


def _is_random(value: str, length: int) -> bool:
    """Whether a text is random: long, mixed, high in entropy, and no UUID, digest, path or identifier."""
    if len(value) < length or _is_dummy(value) or _UUID.search(value) or _HEX.fullmatch(value):
        return False
    digits = sum(c.isdigit() for c in value)
    has_both = any(c.islower() for c in value) and any(c.isupper() for c in value)
    return digits >= 2 and has_both and value.count("/") < 3 and _entropy(value) >= 3.7


def _entropy(value: str) -> float:
    """Shannon entropy in bits a character."""
    counts = Counter(value).values()
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts)


def _strings(operation: Operation) -> Iterator[tuple[str, Origin | Path, str]]:
    yield operation.description, ("description",), ""
    stack: list[tuple[Any, tuple[str | int, ...]]] = [(written(operation), ())]
    while stack:
        here, path = stack.pop()
        if isinstance(here, str):
            if len(here) >= 16 and path[-1] not in ("$ref", "pattern", "$schema", "$id"):
                value_of = path[-1] in ("default", "const") or path[-2:-1] == ("enum",)
                holder = next((str(s) for p, s in pairwise(path) if p == "properties"), "")
                yield here, ("input", *path), holder if value_of else ""
        elif isinstance(here, dict):
            stack += [(value, (*path, key)) for key, value in reversed(here.items())]
        elif isinstance(here, list):
            stack += [(value, (*path, index)) for index, value in reversed(list(enumerate(here)))]
    for example in operation.examples:
        # of values that only look random, examples are full: keys with a known form count
        for name, value in example.arguments.items():
            if isinstance(value, str):
                yield value, example.place(name) or operation.origin, ""
