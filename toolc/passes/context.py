"""What the passes share besides the catalog."""

from __future__ import annotations

from collections import Counter as Tally
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toolc.config import Config
from toolc.diagnostics import Report
from toolc.lock import Lock
from toolc.verify import Proof, Prover

if TYPE_CHECKING:
    from toolc.tokens import Counter


@dataclass(slots=True)
class Ledger:
    """Figures for the report, in canonical tokens by operation id: as the source has it, then after each lever.

    steps: how often each step of `schema.normalise` was taken. unmerged: families that stayed apart, and why.
    proofs: by tool name. examples: how many were left out, by reason.
    """

    source: dict[str, int] = field(default_factory=dict)
    noise: dict[str, int] = field(default_factory=dict)
    text: dict[str, int] = field(default_factory=dict)
    steps: Tally[str] = field(default_factory=Tally)
    unmerged: dict[str, str] = field(default_factory=dict)
    proofs: dict[str, Proof] = field(default_factory=dict)
    examples: Tally[str] = field(default_factory=Tally)


@dataclass(slots=True)
class Context:
    """One run of the passes over one catalog."""

    config: Config
    report: Report
    counter: Counter
    prover: Prover
    lock: Lock = field(default_factory=Lock)
    ledger: Ledger = field(default_factory=Ledger)
