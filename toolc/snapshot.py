"""What a live source answered, kept in a file that builds read instead: its head, digest and text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from toolc.diagnostics import Report, UserError, user_error
from toolc.documents import Document
from toolc.ir import Origin

FORMAT = "toolc-snapshot/1"
# OpenAPI allows any key that begins so at the top of a document, and MCP ignores what it does not know.
KEY = "x-toolc-snapshot"
FOLDER = "snapshots"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One answer. type: of the source. server: what answered: name, version, protocol. body: what the reader reads.

    Whoever makes it puts the body in an order of its own that does not change from one answer to the next.
    """

    type: str
    server: Mapping[str, Any]
    body: Mapping[str, Any]


def default_path(source: str) -> str:
    """The file of a source that names none, relative to the config it stands in."""
    return f"{FOLDER}/{source}.json"


def render(snapshot: Snapshot) -> str:
    """The text of the file, a value a line, so that a change shows as the line that changed."""
    server = {key: value for key, value in snapshot.server.items() if value not in (None, "", {})}
    head = {"format": FORMAT, "type": snapshot.type, "server": server, "digest": digest(snapshot.body)}
    return json.dumps({KEY: head, **snapshot.body}, ensure_ascii=False, indent=1) + "\n"


def digest(body: Mapping[str, Any]) -> str:
    """The sha256 of what is in a body, whatever order its keys stand in."""
    text = json.dumps(_plain(body), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return "sha256:" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def same(text: str, snapshot: Snapshot) -> bool:
    """Whether the text of a file says what the snapshot says, but for the order of keys and of `required`."""
    try:
        data = json.loads(text)
    except ValueError:
        return False
    if not isinstance(data, dict) or not isinstance(head := data.pop(KEY, None), dict):
        return False
    fresh = json.loads(render(snapshot)).pop(KEY)
    return bool(head == fresh) and digest(data) == fresh["digest"]


def check(document: Document, type: str, report: Report) -> None:
    """Report what does not fit in the head of a snapshot; raises UserError if it is one of something else."""
    head = document.data.get(KEY) if isinstance(document.data, dict) else None
    if not isinstance(head, dict):
        return
    origin = Origin(document.path).at(KEY)
    if head.get("format") != FORMAT or head.get("type") != type:
        found = f"{head.get('format')} of type {head.get('type')}"
        advice = "pull it again with this version of toolc, or check the path"
        raise user_error("wrong-snapshot", f"this snapshot is {found}, not {FORMAT} of {type}", origin, advice)
    if head.get("digest") != digest({key: value for key, value in document.data.items() if key != KEY}):
        report.warning(
            "edited-snapshot",
            "this snapshot was changed after it was pulled; the next pull would undo that",
            origin.at("digest"),
            help="put what should differ from the source into `select` and `overrides` in toolc.yaml, and pull again",
        )


def missing(source: str, shown: str) -> UserError:
    """The error of a build for a live source that was not pulled yet."""
    return user_error(
        "missing-snapshot",
        f"source `{source}` is live, and its snapshot {shown} is not there",
        help=f"run `toolc pull {source}`, and commit the file that it writes; builds need no network",
    )


def _plain(value: Any) -> Any:
    """The value with the names under each `required` in order: like keys, they mean the same in any."""
    if isinstance(value, dict):
        return {
            key: sorted(item)
            if key == "required" and isinstance(item, list) and all(isinstance(name, str) for name in item)
            else _plain(item)
            for key, item in value.items()
        }
    return [_plain(item) for item in value] if isinstance(value, list) else value
