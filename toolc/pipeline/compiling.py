"""Runs the passes over a catalog."""

from __future__ import annotations

from dataclasses import dataclass, replace

from toolc.config import Config
from toolc.diagnostics import Report
from toolc.ir import Catalog
from toolc.lock import Lock
from toolc.passes import PASSES, databases
from toolc.passes.context import Context, Ledger
from toolc.tokens import Counter
from toolc.verify import Prover


@dataclass(frozen=True, slots=True)
class Compiled:
    """A catalog after all passes. tokens: canonical tokens by tool name."""

    catalog: Catalog
    ledger: Ledger
    tokens: dict[str, int]


def compile_catalog(catalog: Catalog, config: Config, report: Report, counter: Counter, lock: Lock) -> Compiled:
    """All passes in order; a selector that no longer names anything in a subset is no fault here."""
    catalog = databases.settled(catalog, config, lock)
    context = Context(config, report, counter, Prover(catalog.operations), lock)
    for apply in PASSES:
        catalog = apply(catalog, context)
    tokens = {tool.name: counter.canonical(tool.name, tool.description, tool.input_schema) for tool in catalog.tools}
    return Compiled(catalog, context.ledger, tokens)


def as_written(config: Config) -> Config:
    """The config of plain source files: counted and linted as they stand, nothing merged or shortened."""
    sources = {name: replace(entry, descriptions="full") for name, entry in config.sources.items()}
    return replace(config, sources=sources, consolidate=replace(config.consolidate, enabled=False))
