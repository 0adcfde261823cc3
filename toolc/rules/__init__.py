"""Lint rules, one a file; the file's name (with - for _) is the rule's name.

A member has a docstring with the headings of `toolc rules explain`, `STAGE` (source | catalog | target), `CATEGORY`,
`SEVERITY`, and `check(subject) -> Iterator[Diagnostic]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toolc.config import Config
from toolc.ir import Catalog
from toolc.targets import Emission

if TYPE_CHECKING:
    from toolc.tokens import Counter


@dataclass(frozen=True, slots=True)
class Subject:
    """What a rule may look at: the compiled catalog, its figures, and what the targets emit.

    tokens: canonical tokens by tool name. stubs: tokens of all stubs, None where levels were not rendered.
    """

    config: Config
    catalog: Catalog
    tokens: Mapping[str, int]
    counter: Counter
    stubs: int | None = None
    targets: Mapping[str, Emission] = field(default_factory=dict)
