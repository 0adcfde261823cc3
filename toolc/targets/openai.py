"""OpenAI Responses API: always tools as functions, the rest in namespaces behind tool search.

`tools.json` is the request's `tools` array. A group becomes a namespace; one of ten functions or more becomes several
(`name`, `name_2`, …), because search works best below ten.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from toolc.hoisting import hoist
from toolc.ir import Catalog, File, Tool
from toolc.levels import one_line
from toolc.limits import Fitted, Limits, cut, fit, too_many
from toolc.targets import Emission, Prepared, listing, prepare, reading

LIMITS = Limits(
    source="OpenAI Responses API: docs and SDK 3.57, November 2026",
    description_length=1024,
    tools=128,
    dialect="openai",
    deferral=True,
    namespaces=True,
)
MOST_IN_NAMESPACE = 9


@dataclass(frozen=True, slots=True)
class Options:
    """Options of `targets.openai`."""

    strict: bool = field(default=False, metadata={"doc": "Ask for strict mode, for every tool whose schema allows it."})
    hoist: bool = field(
        default=False,
        metadata={"doc": "Say texts that parameters of a namespace's tools share once, in its description."},
    )


def render(tool: Tool, options: Options) -> dict[str, Any]:
    """One tool as a function; a deferred one stands in a namespace."""
    return _function(fit(tool, LIMITS, options.strict))


def emit(catalog: Catalog, options: Options) -> Emission:
    """`tools.json`."""
    prepared = prepare(catalog, LIMITS, options.strict)
    functions = [_function(fitted) for fitted in prepared.always]
    namespaces, hoisted = _namespaces(prepared, catalog, options.hoist)
    entries = [*functions, *namespaces, *([{"type": "tool_search"}] if namespaces else [])]
    # Of a namespace the model reads name and description before it searches.
    heads = [{key: value for key, value in namespace.items() if key != "tools"} for namespace in namespaces]
    inner = [tool for namespace in namespaces for tool in namespace["tools"]]
    plain = emit(catalog, replace(options, hoist=False)) if hoisted else None
    return Emission(
        (File("tools.json", listing(entries) + "\n"),),
        loaded=reading([*functions, *heads]),
        deferred=reading(inner),
        losses=prepared.losses,
        quarantined=prepared.quarantined,
        diagnostics=(*prepared.diagnostics, *too_many(len(entries), LIMITS, "functions and namespaces")),
        hoisted=hoisted,
        unhoisted=(plain.loaded, plain.deferred) if plain is not None else (),
    )


def _function(fitted: Fitted) -> dict[str, Any]:
    function: dict[str, Any] = {"type": "function", "name": fitted.tool.name}
    if fitted.description:
        function["description"] = fitted.description
    function |= {"parameters": fitted.input_schema, "strict": fitted.strict}
    if fitted.tool.tier != "always":
        function["defer_loading"] = True
    return function


def _namespaces(
    prepared: Prepared, catalog: Catalog, hoisting: bool
) -> tuple[list[dict[str, Any]], dict[str, tuple[str, ...]]]:
    """The namespaces, and by tool the parameters whose text stands in the description of its namespace."""
    taken = {fitted.tool.name for fitted in prepared.tools}
    members: dict[str, list[Fitted]] = defaultdict(list)
    for fitted in prepared.standby:
        members[fitted.tool.group].append(fitted)
    texts = {group.name: one_line(group.description) for group in catalog.groups}
    result = []
    hoisted: dict[str, tuple[str, ...]] = {}
    for group in sorted(members):
        parts = _parts(members[group])
        for part in parts:
            name = _free(group, taken)
            taken.add(name)
            text = texts.get(group, "")
            if len(parts) > 1 or not text:  # nothing else would tell the parts apart
                names = ", ".join(fitted.tool.name for fitted in part)
                text = f"{text.rstrip('.')}: {names}" if text else names
            description = cut(text, LIMITS.description_length)
            if hoisting:
                shared = hoist(part, LIMITS.description_length - len(description) - 1)
                part = shared.tools
                description = "\n".join(filter(None, (description, shared.text)))
                hoisted.update(shared.taken)
            tools = [_function(fitted) for fitted in part]
            result.append({"type": "namespace", "name": name, "description": description, "tools": tools})
    return result, hoisted


def _parts(members: Sequence[Fitted]) -> list[Sequence[Fitted]]:
    """Parts of nearly equal size, none above the limit, in the order of the names."""
    count = -(-len(members) // MOST_IN_NAMESPACE)
    edges = [len(members) * index // count for index in range(count + 1)]
    return [members[start:stop] for start, stop in pairwise(edges)]


def _free(group: str, taken: set[str]) -> str:
    """A legal name for a namespace that neither a function nor another namespace has."""
    name = re.sub(r"[^a-zA-Z0-9_-]+", "_", group).strip("_")[:60] or "tools"
    number = 1
    while (candidate := name if number == 1 else f"{name}_{number}") in taken:
        number += 1
    return candidate
