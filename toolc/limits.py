"""What a runtime accepts: names, descriptions, counts, schema dialect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Dialect = Literal["2020-12", "anthropic", "openai", "gemini", "gemini-openapi", "portable"]


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one target; every figure with its source and date in `source`.

    name_pattern, param_pattern: anchored regular expressions. description_length: in characters, 0 = no limit.
    tools: most tools in one request, 0 = no limit. name_warn: length above which a name is doubtful.
    """

    source: str
    name_pattern: str = r"^[a-zA-Z0-9_-]{1,64}$"
    name_warn: int = 64
    param_pattern: str = r"^[a-zA-Z0-9_.-]{1,64}$"
    description_length: int = 0
    tools: int = 0
    dialect: Dialect = "2020-12"
    examples: bool = False
    deferral: bool = False
    namespaces: bool = False
    annotations: bool = False


PORTABLE = Limits(
    source="safe common subset of the API targets, November 2026",
    name_pattern=r"^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$",
    description_length=1024,
    tools=128,
    dialect="portable",
)
