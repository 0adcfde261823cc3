"""What an operation does to the world, from its method, its name and what vendors' extensions say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from toolc.hints import complete, infer_from_name
from toolc.ir import Hint, Hints
from toolc.lexicon import lexicon, words

READING = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "QUERY"})
# Verbs that write elsewhere but read where the method is GET: the answer is what they make.
_HANDS_OUT = frozenset({"export", "test"})
_SIGN = re.compile(r"[^A-Za-z0-9]")
_WORLD = Hint(True, "inferred", "a call over the network")
_DECLARED = {
    "read_only": ("readOnlyHint", "read_only", "readOnly"),
    "destructive": ("destructiveHint", "destructive"),
    "idempotent": ("idempotentHint", "idempotent"),
    "open_world": ("openWorldHint", "open_world", "openWorld"),
}


def infer(method: str, operation_id: str, path: str, summary: str) -> Hints:
    """Hints from the method; a name that says delete or write is believed over a method that does not.

    APIs in the style of remote calls do everything by GET (Slack: `views_publish`, `files_remote_share`). A POST that
    says search or query may only read, but nothing promises it: it stays a write.
    """
    because = f"HTTP {method}"
    yes, no = Hint(True, "inferred", because), Hint(False, "inferred", because)
    if method == "DELETE":
        return Hints(no, yes, yes, _WORLD)
    segment = path.rstrip("/").rpartition("/")[2]
    name = operation_id or (segment if "{" not in segment else "")
    named = infer_from_name(_method_name(name), summary) if name else Hints()
    if named.destructive.value:
        reason = f"{because}, but {named.destructive.reason}"
        return Hints(Hint(False, "inferred", reason), Hint(True, "inferred", reason), Hint(), _WORLD)
    if method in READING:
        if named.read_only.value is False and not _HANDS_OUT.intersection(words(name)):
            written = Hint(False, "inferred", f"{because}, but {named.read_only.reason}")
            return Hints(written, no, Hint(), _WORLD)
        return Hints(yes, no, yes, _WORLD)
    if named.read_only.value:
        no = Hint(False, "inferred", f"{because}; {named.read_only.reason}: declare it read-only if it is")
    idempotent = yes if method == "PUT" else no if method == "POST" else Hint()
    return Hints(no, no, idempotent, _WORLD)


def _method_name(name: str) -> str:
    """The last part of a name, where that is a verb with its object and no part before is just a verb.

    `conversations_restrictAccess_listGroups` restricts nothing, `droplets_get_destroyStatus` destroys nothing.
    """
    *before, last = map(words, _SIGN.split(name))
    verbs = [lexicon().at(part, 0) for part in before]
    is_said = any(verb and verb.stop == len(part) for verb, part in zip(verbs, before, strict=True))
    return _SIGN.split(name)[-1] if len(last) > 1 and lexicon().at(last, 0) and not is_said else name


def declared(inferred: Hints, extensions: Mapping[str, Any]) -> Hints:
    """The hints with those that `x-toolc`, `x-mcp` or `x-speakeasy-mcp` state; the first to state one stands."""
    stated: dict[str, Hint] = {}
    for name, extension in extensions.items():
        inner = extension.get("hints", extension.get("annotations")) if isinstance(extension, dict) else None
        for holder in (extension, inner):
            if isinstance(holder, dict):
                for hint, value in _stated(holder):
                    stated.setdefault(hint, Hint(value, "declared", name))
    return complete(Hints(**stated), inferred) if stated else inferred


def _stated(holder: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    for hint, keys in _DECLARED.items():
        for key in keys:
            if isinstance(value := holder.get(key), bool):
                yield hint, value
