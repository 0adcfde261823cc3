"""Pi coding agent: what its dynamic-tools extension reads, with the standby list for the system prompt.

`dynamic-tools.json` is the extension's config, `tools.json` holds every definition for registerTool, and `standby.md`
goes into the system prompt: one line a tool that is not active, below its group.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolc.ir import TOOL_NAME, Catalog, File, Tool
from toolc.levels import Section, fill, one_line, sections, stub
from toolc.limits import Fitted, Limits, fit
from toolc.schema.words import words
from toolc.targets import Emission, listing, prepare, reading

LIMITS = Limits(
    source="Pi 1.6 hands tools on to any provider, so the safe common subset of the API targets, November 2026",
    name_pattern=f"^{TOOL_NAME}$",
    description_length=1024,
    dialect="portable",
    deferral=True,
)
# 20 tools in 150 tokens, at about 3.7 characters a token; the first line and the headings count too.
_CHARACTERS_A_TOOL = 27
_GLOSS = 24


@dataclass(frozen=True, slots=True)
class Options:
    """Options of `targets.pi`."""

    default_tools: tuple[str, ...] = field(
        default=("read", "bash", "edit", "write"),
        metadata={"doc": "Tools of Pi that stay active beside the always-loaded ones; activation needs bash."},
    )
    auto_reset_on_session_start: bool = field(
        default=True, metadata={"doc": "Start each session with the default tools only."}
    )
    tool_ttl_runs: int = field(
        default=2, metadata={"doc": "Runs without a use after which an activated tool is put away again.", "min": 1}
    )


def render(tool: Tool, options: Options) -> dict[str, Any]:
    """One tool as registerTool takes it, without its `execute`."""
    return _definition(fit(tool, LIMITS))


def emit(catalog: Catalog, options: Options) -> Emission:
    """`dynamic-tools.json`, `standby.md` and `tools.json`."""
    prepared = prepare(catalog, LIMITS)
    taken = {fitted.tool.name for fitted in prepared.tools}
    groups = [
        Section(section.name, section.description, tools)
        for section in sections(catalog, always=False)
        if (tools := tuple(tool for tool in section.tools if tool.name in taken))
    ]
    config = {
        "defaultTools": list(dict.fromkeys([*options.default_tools, *(f.tool.name for f in prepared.always)])),
        "groups": {section.name: [tool.name for tool in section.tools] for section in groups},
        "autoResetOnSessionStart": options.auto_reset_on_session_start,
        "toolTtlRuns": options.tool_ttl_runs,
    }
    standby = standby_list(groups)
    return Emission(
        (
            File("dynamic-tools.json", json.dumps(config, indent=2, ensure_ascii=False) + "\n"),
            File("standby.md", standby),
            File("tools.json", listing(map(_definition, (*prepared.always, *prepared.standby))) + "\n"),
        ),
        loaded="\n".join(filter(None, [reading(_seen(fitted) for fitted in prepared.always), standby])),
        deferred=reading(_seen(fitted) for fitted in prepared.standby),
        losses=prepared.losses,
        quarantined=prepared.quarantined,
        diagnostics=prepared.diagnostics,
    )


def standby_list(groups: Sequence[Section]) -> str:
    """The standby tools by group; what a tool is for is added where the name says too little and room allows it."""
    if not groups:
        return ""
    room = _CHARACTERS_A_TOOL * sum(len(section.tools) for section in groups)
    text = ""
    for explained in (_every, _unclear, _none):
        shown = [{"name": s.name, "lines": [_line(tool, explained) for tool in s.tools]} for s in groups]
        text = fill("pi/standby.md.j2", sections=shown)
        if len(text) <= room:
            break
    return text


def _line(tool: Tool, explained: Callable[[Tool], bool]) -> str:
    return stub(tool, _GLOSS) if explained(tool) else one_line(tool.name)


def _every(tool: Tool) -> bool:
    return True


def _unclear(tool: Tool) -> bool:
    """Whether the name alone says too little: a single word, or a tool with several actions."""
    return len(words(tool.name)) < 2 or bool(tool.dispatch.select)


def _none(tool: Tool) -> bool:
    return False


def _definition(fitted: Fitted) -> dict[str, Any]:
    label = " ".join(words(fitted.tool.name)).capitalize()
    return {"name": fitted.tool.name, "label": label, **{k: v for k, v in _seen(fitted).items() if k != "name"}}


def _seen(fitted: Fitted) -> dict[str, Any]:
    """What Pi hands on to the model."""
    return {"name": fitted.tool.name, "description": fitted.description, "parameters": fitted.input_schema}
