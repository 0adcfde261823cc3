"""What the schema dialects of the runtimes refuse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from toolc.schema.flatten import COMBINATORS

Dialect = Literal[
    "2020-12", "anthropic", "anthropic-strict", "openai", "openai-strict", "gemini", "gemini-openapi", "portable"
]


@dataclass(frozen=True, slots=True)
class Rules:
    """What a dialect refuses.

    root: at the root only; refused: anywhere; items: an array must say its items; blank: an enum may be empty or hold
    an empty string; strings: an enum holds strings only; openapi: the subset of OpenAPI 3.0 that Gemini's `parameters`
    takes; strict: closed objects; all_required: every property required.
    """

    root: frozenset[str] = frozenset(COMBINATORS)
    refused: frozenset[str] = frozenset()
    items: bool = False
    blank: bool = True
    strings: bool = False
    openapi: bool = False
    strict: bool = False
    all_required: bool = False


# What `unevaluated…` means hangs on every keyword beside it, so it cannot outlive a change to one of them.
_UNEVALUATED = frozenset({"unevaluatedProperties", "unevaluatedItems"})
_ROOT = frozenset({*COMBINATORS, "enum", "const", "not"})
_CONDITIONS = frozenset({"not", "if", "then", "else", "dependentRequired", "dependentSchemas", "propertyNames"})
_TUPLES = frozenset({"patternProperties", "prefixItems", "contains", "minContains", "maxContains"})
_BOUNDS = frozenset(
    {
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"),
        *("pattern", "format", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"),
    }
)
_STRICT = _UNEVALUATED | _CONDITIONS | _TUPLES | _BOUNDS | {"allOf", "oneOf", "examples", "deprecated", "readOnly"}
OPENAPI = frozenset(
    {
        *("type", "format", "title", "description", "nullable", "enum", "default", "anyOf", "items", "minItems"),
        *("maxItems", "properties", "required", "minProperties", "maxProperties", "minLength", "maxLength"),
        *("pattern", "minimum", "maximum"),
    }
)
DIALECTS: dict[str, Rules] = {
    "2020-12": Rules(root=frozenset()),
    "anthropic": Rules(),
    "anthropic-strict": Rules(root=_ROOT, refused=_STRICT, items=True, strict=True),
    "openai": Rules(root=_ROOT, refused=_UNEVALUATED, items=True),
    "openai-strict": Rules(root=_ROOT, refused=_STRICT | {"default"}, items=True, strict=True, all_required=True),
    "gemini": Rules(root=_ROOT, refused=_UNEVALUATED, items=True, blank=False),
    "gemini-openapi": Rules(root=_ROOT, items=True, blank=False, strings=True, openapi=True),
    "portable": Rules(root=_ROOT | _CONDITIONS, refused=_UNEVALUATED, items=True, blank=False, strings=True),
}
