"""OpenAI Chat Completions API, and the many servers that speak it: one flat list, nothing deferred.

`tools.json` is the request's `tools` array, always tools first. It holds all tools also where they are more than the
API takes: a profile or a selection is the user's to make.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from toolc.ir import Catalog, File, Tool
from toolc.limits import Fitted, Limits, fit, too_many
from toolc.targets import Emission, listing, prepare, reading

LIMITS = Limits(
    source="OpenAI Chat Completions API: docs and SDK 3.57, November 2026; descriptions as enforced in 2024–25",
    description_length=1024,
    tools=128,
    dialect="openai",
)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of `targets.openai-chat`."""

    strict: bool = field(default=False, metadata={"doc": "Ask for strict mode, for every tool whose schema allows it."})


def render(tool: Tool, options: Options) -> dict[str, Any]:
    """One tool as an entry of `tools`."""
    return _entry(fit(tool, LIMITS, options.strict))


def emit(catalog: Catalog, options: Options) -> Emission:
    """`tools.json`."""
    prepared = prepare(catalog, LIMITS, options.strict)
    entries = [_entry(fitted) for fitted in (*prepared.always, *prepared.standby)]
    return Emission(
        (File("tools.json", listing(entries) + "\n"),),
        loaded=reading(entry["function"] for entry in entries),
        losses=prepared.losses,
        quarantined=prepared.quarantined,
        diagnostics=(*prepared.diagnostics, *too_many(len(entries), LIMITS)),
    )


def _entry(fitted: Fitted) -> dict[str, Any]:
    function: dict[str, Any] = {"name": fitted.tool.name}
    if fitted.description:
        function["description"] = fitted.description
    return {"type": "function", "function": {**function, "parameters": fitted.input_schema, "strict": fitted.strict}}
