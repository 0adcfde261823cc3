"""The keywords of JSON Schema draft 2020-12, by what they hold and do."""

from __future__ import annotations

TYPES = frozenset({"null", "boolean", "object", "array", "number", "integer", "string"})
# Keywords of draft 2020-12 (core, applicator and unevaluated vocabularies) whose value is or holds schemas.
SCHEMA_KEYWORDS = (
    "items",
    "contains",
    "additionalProperties",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
)
LIST_KEYWORDS = ("allOf", "anyOf", "oneOf", "prefixItems")
MAP_KEYWORDS = ("properties", "patternProperties", "dependentSchemas", "$defs")

# Keywords that only describe: no instance is accepted or refused because of them.
ANNOTATIONS = frozenset(
    {
        "title",
        "description",
        "default",
        "examples",
        "example",
        "deprecated",
        "readOnly",
        "writeOnly",
        "$comment",
        "$schema",
        "$id",
        "externalDocs",
        "xml",
        "discriminator",
    }
)

# Of two such bounds the higher, or the lower, is the stricter one.
LOWER_BOUNDS = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
UPPER_BOUNDS = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")

_NUMBERS = frozenset({"number", "integer"})
# The types of values that a keyword says something of; it lets all others through.
APPLIES_TO = {
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), _NUMBERS),
    **dict.fromkeys(("minLength", "maxLength", "pattern"), frozenset({"string"})),
    **dict.fromkeys(("minItems", "maxItems", "uniqueItems", "contains", "prefixItems"), frozenset({"array"})),
    **dict.fromkeys(("minProperties", "maxProperties", "patternProperties"), frozenset({"object"})),
    **dict.fromkeys(("propertyNames", "dependentRequired", "dependentSchemas"), frozenset({"object"})),
}


def is_noise(keyword: str) -> bool:
    """Whether a keyword only describes, or is an extension that no validator reads."""
    return keyword in ANNOTATIONS or keyword.startswith("x-")
