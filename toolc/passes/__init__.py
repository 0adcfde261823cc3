"""Passes: pure functions from catalog to catalog, run in the order of `PASSES`."""

from __future__ import annotations

from collections.abc import Callable

from toolc.ir import Catalog
from toolc.passes import consolidate, examples, normalize, tier
from toolc.passes.context import Context

PASSES: tuple[Callable[[Catalog, Context], Catalog], ...] = (
    normalize.apply,
    consolidate.apply,
    examples.apply,
    tier.apply,
)
