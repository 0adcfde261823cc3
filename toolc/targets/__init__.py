"""Emitters: each module here turns a catalog into the files of one runtime.

A member has `LIMITS` (what the runtime accepts, with source and date), `Options` (a frozen dataclass: its keys in
toolc.yaml), `render(tool, options) -> dict` (one tool as the runtime takes it) and `emit(catalog, options) -> Emission`.
An emitter never touches the disk.
"""

from __future__ import annotations

from dataclasses import dataclass

from toolc.diagnostics import Diagnostic
from toolc.ir import File


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
    """

    files: tuple[File, ...]
    loaded: str
    deferred: str = ""
    losses: tuple[Loss, ...] = ()
    quarantined: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
