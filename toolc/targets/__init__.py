"""Emitters: each module here turns a catalog into the files of one runtime.

A member has `LIMITS` (what the runtime accepts, with source and date), `Options` (a frozen dataclass: its keys in
toolc.yaml), `render(tool, options) -> dict` (one tool as the runtime takes it) and `emit(catalog, options) ->
Emission`. An emitter never touches the disk. What is the same for all stands here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import Catalog, File
from toolc.limits import Fitted, Limits, fit, refusals
from toolc.tokens import compact

_FLAGS = frozenset({"defer_loading", "strict"})


@dataclass(frozen=True, slots=True)
class Loss:
    """One constraint or text that a target cannot carry, and where it went.

    went: `kept` (another way, same meaning) | `words` (said in a description) | `dispatch` (checked only at the call) |
    `dropped` (not said, not checked anywhere; only annotations).
    """

    tool: str
    pointer: str
    keyword: str
    went: str


@dataclass(frozen=True, slots=True)
class Emission:
    """What a target emits.

    loaded: the text that a model reads before the first turn; deferred: the text of what it may load later (both are
    counted against budgets). quarantined: tools the runtime would refuse, left out, each with a diagnostic.
    hoisted: by tool, parameters whose text stands in the text of its group instead; unhoisted: loaded and
    deferred as they would be without that.
    """

    files: tuple[File, ...]
    loaded: str
    deferred: str = ""
    losses: tuple[Loss, ...] = ()
    quarantined: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    hoisted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unhoisted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Prepared:
    """The tools of a catalog that a runtime takes, fitted to its limits, and what is to be said of it all."""

    tools: tuple[Fitted, ...]
    losses: tuple[Loss, ...]
    quarantined: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def always(self) -> list[Fitted]:
        """The tools that are loaded from the start."""
        return [fitted for fitted in self.tools if fitted.tool.tier == "always"]

    @property
    def standby(self) -> list[Fitted]:
        """All the others."""
        return [fitted for fitted in self.tools if fitted.tool.tier != "always"]


def prepare(catalog: Catalog, limits: Limits, strict: bool = False) -> Prepared:
    """Fit every tool; one that the runtime would refuse is left out, with a diagnostic."""
    tools: list[Fitted] = []
    losses: list[Loss] = []
    quarantined: list[str] = []
    diagnostics: list[Diagnostic] = []
    for tool in catalog.tools:
        found = list(refusals(tool, limits))
        diagnostics += found
        if any(diagnostic.severity is Severity.error for diagnostic in found):
            quarantined.append(tool.name)
            continue
        fitted = fit(tool, limits, strict)
        tools.append(fitted)
        losses += [Loss(tool.name, loss.pointer, loss.keyword, loss.went) for loss in fitted.losses]
        diagnostics += _notes(fitted, limits)
    return Prepared(tuple(tools), tuple(losses), tuple(quarantined), tuple(diagnostics))


def _notes(fitted: Fitted, limits: Limits) -> Iterable[Diagnostic]:
    """What the author of a tool may want to change although the runtime takes it."""
    tool = fitted.tool
    origin = tool.origins[0] if tool.origins else None
    if any(loss.pointer == "/description" for loss in fitted.losses):
        yield Diagnostic(
            "long-for-target",
            Severity.note,
            f"the description of `{tool.name}` has {len(tool.description):,} characters and is cut at "
            f"{limits.description_length:,}",
            origin,
            tool.origins[1:],
            f"shorten it, or give another with `description` in the source's overrides ({limits.source})",
            tool.name,
        )
    if fitted.not_strict:
        yield Diagnostic(
            "strict-subset",
            Severity.warning,
            f"`{tool.name}` is emitted without strict: {fitted.not_strict}",
            origin,
            tool.origins[1:],
            "declare the keys and types in the source, or leave `strict` off for this target",
            tool.name,
        )


def listing(entries: Iterable[Any]) -> str:
    """A JSON array with one entry a line: it diffs by tool, and is written at C speed."""
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
    return f"[\n{lines}\n]" if lines else "[]"


def reading(entries: Iterable[dict[str, Any]]) -> str:
    """What a model reads of these entries: compact JSON without the flags meant for the API; empty if there is none."""
    seen = [{key: value for key, value in entry.items() if key not in _FLAGS} for entry in entries]
    return compact(seen) if seen else ""
