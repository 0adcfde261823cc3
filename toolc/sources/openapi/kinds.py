"""Kinds of a schema: those that a discriminator chooses between without a oneOf, because they extend the schema.

`Pet` has a discriminator, `Cat` is `allOf: [Pet, …]`: where a Pet is asked for, a Cat may be given.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from toolc.sources.openapi.places import Place
from toolc.sources.openapi.references import DanglingError, References


def mapping(discriminator: Any) -> dict[str, str]:
    """Value → reference, as the discriminator says; a plain schema name is one of the components."""
    given = discriminator.get("mapping") if isinstance(discriminator, dict) else None
    found: dict[str, str] = {}
    for value, reference in given.items() if isinstance(given, Mapping) else ():
        found[str(value)] = _reference(str(reference))
    return found


def default(discriminator: Any) -> str:
    """The reference of the kind that any other value, or none, stands for (3.2, `defaultMapping`); `` for none."""
    given = discriminator.get("defaultMapping") if isinstance(discriminator, dict) else None
    return _reference(given) if isinstance(given, str) else ""


def named(discriminator: Any) -> list[str]:
    """All references of a discriminator."""
    return [*mapping(discriminator).values(), *filter(None, [default(discriminator)])]


def _reference(text: str) -> str:
    plain = re.fullmatch(r"[A-Za-z0-9_.-]+", text) and not text.endswith((".json", ".yaml", ".yml"))
    return f"#/components/schemas/{text}" if plain else text


class Kinds:
    """Finds the kinds of a schema; looks through the components only when a discriminator asks for them."""

    def __init__(self, references: References) -> None:
        self._references = references
        self._children: dict[int, list[Place]] | None = None

    def of(self, schema: Place) -> list[Place]:
        """The schemas that extend one with a discriminator: those its mapping names, else all that there are."""
        value = schema.value
        if "discriminator" not in value or "oneOf" in value or "anyOf" in value:
            return []
        children = self._extending().get(id(value), [])
        listed: list[Place] = []
        for reference in named(value["discriminator"]) if mapping(value["discriminator"]) else ():
            with suppress(DanglingError):
                listed.append(self._references.resolve(reference, schema.part))
        if not listed:
            return list(children)
        return [child for child in children if any(child.value is place.value for place in listed)]

    def _extending(self) -> dict[int, list[Place]]:
        """Schema → the components that take it in by allOf, directly or not."""
        if self._children is None:
            self._children = {}
            root = Place(self._references.root.data, self._references.root, "")
            for _, place in (*root.at("components").items("schemas"), *root.items("definitions")):
                if isinstance(place.value, dict) and "allOf" in place.value:
                    for layer in self._references.layers(place):
                        if layer.value is not place.value and "discriminator" in layer.value:
                            self._children.setdefault(id(layer.value), []).append(place)
        return self._children
