"""A server's answer as the body of a snapshot: every tool, in the order of their names, or why it cannot be kept."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toolc.diagnostics import Report
from toolc.documents import DEEPEST, Refused
from toolc.ir import Origin

if TYPE_CHECKING:
    from mcp import ClientSession

# Where a snapshot names what the server sent and JSON cannot keep.
REFUSED = "refused"


def identity(session: ClientSession) -> dict[str, Any]:
    """What the server says of itself, and the revision of the protocol that was agreed on."""
    info = session.server_info
    found = {"name": info.name, "title": info.title, "version": info.version} if info else {}
    return {**found, "protocol": session.protocol_version}


def body(instructions: str | None, tools: list[Any]) -> dict[str, Any]:
    """The body of a snapshot. What is refused is named in it too, as every build has to tell what is missing."""
    kept, refused = [], []
    for tool in tools:
        reason = _refusal(tool)
        if reason is None:
            kept.append(tool)
        else:
            name = tool.name if isinstance(tool, Refused) else tool.get("name") if isinstance(tool, dict) else None
            refused.append({"name": name if isinstance(name, str) and _is_text(name) else "", "reason": reason})
    kept.sort(key=_order)
    refused.sort(key=lambda entry: (entry["name"], entry["reason"]))
    return {
        **({"instructions": instructions} if instructions and _refusal(instructions) is None else {}),
        "tools": kept,
        **({REFUSED: refused} if refused else {}),
    }


def name_refused(data: Mapping[str, Any], origin: Origin, source: str, report: Report) -> None:
    """Report what a snapshot names as refused."""
    entries = data.get(REFUSED)
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, dict):
            name, reason = entry.get("name"), entry.get("reason")
            what = f"`{name}`" if name else "a tool"
            report.error(
                "refused-value",
                f"{what} is left out, as the server sent it in a form that cannot be kept: {reason}",
                origin.at(REFUSED, index),
                help="report it to the author of the server, and pull again",
                subject=f"{source}:{name}" if name else "",
            )


def _order(tool: Any) -> tuple[str, str]:
    name = tool.get("name") if isinstance(tool, dict) else None
    return (name if isinstance(name, str) else "", json.dumps(tool, sort_keys=True, default=str))


def _refusal(value: Any, depth: int = 0) -> str | None:
    """Why a value cannot stand in a JSON file that others read too, or None."""
    if isinstance(value, Refused):
        return value.reason
    if depth > DEEPEST - 10:
        return f"it is nested deeper than {DEEPEST} levels"
    if isinstance(value, float) and not math.isfinite(value):
        return "it holds a number that JSON cannot carry"
    if isinstance(value, str):
        return None if _is_text(value) else "it holds half of a character"
    if isinstance(value, dict):
        found = (_refusal(item, depth + 1) for pair in value.items() for item in pair)
    elif isinstance(value, list):
        found = (_refusal(item, depth + 1) for item in value)
    else:
        return None
    return next((reason for reason in found if reason), None)


def _is_text(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
