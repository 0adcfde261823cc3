"""Anthropic Messages API: always tools in full, the rest deferred behind tool search.

`tools.json` is the request's `tools` array. `context_management.json`, if there is one, is the request's
`context_management`: it keeps results that are costly to get again out of context clearing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from toolc.ir import Catalog, File, Tool
from toolc.limits import Fitted, Limits, fit, too_many
from toolc.schema.validator import Validator
from toolc.targets import Emission, Loss, listing, prepare, reading
from toolc.tokens import compact

LIMITS = Limits(
    source="Anthropic Messages API: docs and API answers, SDK 2.14, November 2026",
    name_pattern=r"^[a-zA-Z0-9_-]{1,128}$",  # the API takes 128, the docs promise 64
    name_warn=64,
    tools=10_000,  # with tool search
    dialect="anthropic",
    examples=True,
    deferral=True,
)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of `targets.anthropic`."""

    search: Literal["regex", "bm25"] = field(
        default="regex", metadata={"doc": "Tool search by regular expression or by natural words."}
    )
    strict: bool = field(
        default=False, metadata={"doc": "Ask for strict tool use, for every tool whose schema allows it."}
    )


def render(tool: Tool, options: Options) -> dict[str, Any]:
    """One tool as an entry of `tools`; `defer_loading` says that it is found by search."""
    return _entry(fit(tool, LIMITS, options.strict))


def emit(catalog: Catalog, options: Options) -> Emission:
    """`tools.json` and, where the catalog marks results worth keeping, `context_management.json`."""
    prepared = prepare(catalog, LIMITS, options.strict)
    standby = [_entry(fitted) for fitted in prepared.standby]
    name = f"tool_search_tool_{options.search}"
    # Never deferred itself, so one tool is loaded even where the catalog loads none.
    upfront = [{"type": f"{name}_20251119", "name": name}] if standby else []
    upfront += [_entry(fitted) for fitted in prepared.always]
    files = [File("tools.json", listing([*upfront, *standby]) + "\n")]
    if keep := [fitted.tool.name for fitted in prepared.tools if _keeps_results(fitted.tool, catalog)]:
        edits = [{"type": "clear_tool_uses_20250919", "exclude_tools": keep}]
        files.append(File("context_management.json", compact({"edits": edits}) + "\n"))
    lost = [
        Loss(fitted.tool.name, f"/examples/{index}", "examples", "dropped")
        for fitted in prepared.tools
        for index in _unfit_examples(fitted)
    ]
    return Emission(
        tuple(files),
        loaded=reading(upfront),
        deferred=reading(standby),
        losses=(*prepared.losses, *lost),
        quarantined=prepared.quarantined,
        diagnostics=(*prepared.diagnostics, *too_many(len(upfront) + len(standby), LIMITS)),
    )


def _entry(fitted: Fitted) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": fitted.tool.name}
    if fitted.description:
        entry["description"] = fitted.description
    entry["input_schema"] = fitted.input_schema
    unfit = _unfit_examples(fitted)
    if examples := [e.arguments for index, e in enumerate(fitted.tool.examples) if index not in unfit]:
        entry["input_examples"] = examples
    if fitted.strict:
        entry["strict"] = True
    if fitted.tool.tier != "always":
        entry["defer_loading"] = True
    return entry


def _unfit_examples(fitted: Fitted) -> set[int]:
    """Examples that the API would answer with 400: valid for the tool, but not for the closed form of strict mode."""
    if not fitted.strict or not fitted.tool.examples:
        return set()
    validator = Validator(fitted.input_schema)
    return {i for i, example in enumerate(fitted.tool.examples) if not validator.accepts(example.arguments)}


def _keeps_results(tool: Tool, catalog: Catalog) -> bool:
    results = (catalog.operations[key].extra.get("results") for key in tool.operations if key in catalog.operations)
    return any(isinstance(result, dict) and result.get("keep") is True for result in results)
