"""Model Context Protocol: the result of `tools/list`, for a server or client of your own.

`tools.json` is the result object. It is valid for the protocol revisions 2025-06-18, 2025-11-25 and 2026-07-28: the
last wants resultType, ttlMs and cacheScope, which older clients ignore.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from toolc.ir import Catalog, File, Hints, Operation, Tool
from toolc.limits import Fitted, Limits, fit
from toolc.targets import Emission, listing, prepare, reading

LIMITS = Limits(
    source="MCP revision 2026-07-28 and SDK 2.3; names above 64 with the client's prefix break some, November 2026",
    name_pattern=r"^[A-Za-z0-9._-]{1,128}$",
    name_warn=64,
    param_pattern=r"^[\s\S]+$",
    deferral=True,
    annotations=True,
)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of `targets.mcp`."""

    output_schemas: bool = field(
        default=False,
        metadata={"doc": "Add the schema of the result, for clients that check it. No client shows it to a model."},
    )


def render(tool: Tool, options: Options) -> dict[str, Any]:
    """One tool as an entry of `tools`, as far as the tool alone tells."""
    return _entry(fit(tool, LIMITS), None, options)


def emit(catalog: Catalog, options: Options) -> Emission:
    """`tools.json`."""
    prepared = prepare(catalog, LIMITS)
    order = (*prepared.always, *prepared.standby)
    entries = [_entry(fitted, _only_operation(fitted.tool, catalog), options) for fitted in order]
    head = '"resultType": "complete", "ttlMs": 0, "cacheScope": "private"'
    return Emission(
        (File("tools.json", f'{{"tools": {listing(entries)},\n{head}}}\n'),),
        loaded=reading(_seen(fitted) for fitted in prepared.always),
        deferred=reading(_seen(fitted) for fitted in prepared.standby),
        losses=prepared.losses,
        quarantined=prepared.quarantined,
        diagnostics=prepared.diagnostics,
    )


def _only_operation(tool: Tool, catalog: Catalog) -> Operation | None:
    """The operation of a tool that has one; a merged tool has no single title or result."""
    return catalog.operations.get(tool.operations[0]) if len(tool.operations) == 1 else None


def _entry(fitted: Fitted, operation: Operation | None, options: Options) -> dict[str, Any]:
    tool = fitted.tool
    entry: dict[str, Any] = {"name": tool.name}
    if operation is not None and isinstance(title := operation.extra.get("title"), str) and title:
        entry["title"] = title
    if fitted.description:
        entry["description"] = fitted.description
    entry["inputSchema"] = fitted.input_schema
    if options.output_schemas and operation is not None and operation.output is not None:
        output = operation.output()
        # Up to revision 2025-11-25 the result must be an object.
        if output is not None and output.get("type") == "object":
            entry["outputSchema"] = output
    if annotations := _annotations(tool.hints):
        entry["annotations"] = annotations
    meta: dict[str, Any] = {"anthropic/alwaysLoad": True} if tool.tier == "always" else {}
    if tool.group:
        meta["toolc/group"] = tool.group
    if meta:
        entry["_meta"] = meta
    return entry


def _annotations(hints: Hints) -> dict[str, bool]:
    """Only what is known: a client's own default is more cautious than a guess."""
    named = {
        "readOnlyHint": hints.read_only,
        "destructiveHint": hints.destructive,
        "idempotentHint": hints.idempotent,
        "openWorldHint": hints.open_world,
    }
    return {key: hint.value for key, hint in named.items() if hint.value is not None}


def _seen(fitted: Fitted) -> dict[str, Any]:
    """What clients hand on to the model: no annotation, no output schema."""
    return {"name": fitted.tool.name, "description": fitted.description, "inputSchema": fitted.input_schema}
