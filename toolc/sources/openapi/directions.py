"""What a schema leaves out in one direction: `readOnly` fields of requests, `writeOnly` fields of responses."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from toolc.sources.openapi.places import Part, Place
from toolc.sources.openapi.references import DanglingError, References

T = TypeVar("T", bool, "frozenset[str]")


class Direction:
    """Finds what belongs to the other direction only; looks at each schema once, however often it is referred to."""

    def __init__(self, references: References, keyword: str) -> None:
        self._references = references
        self._keyword = keyword
        # By identity; the schema is kept too, so that its identity is not given to another.
        self._flags: dict[int, tuple[bool, Any]] = {}
        self._names: dict[int, tuple[frozenset[str], Any]] = {}

    def leaves_out(self, schema: Any, part: Part) -> bool:
        """Whether a property is of the other direction: said on it, or on what it takes in by `$ref` or allOf."""
        if not isinstance(schema, dict):
            return False
        if "$ref" not in schema and "allOf" not in schema:
            return schema.get(self._keyword) is True
        own: Callable[[Place], bool] = lambda place: place.value.get(self._keyword) is True  # noqa: E731
        return self._fold(Place(schema, part, ""), self._flags, own)

    def left_out(self, schema: Any, part: Part) -> frozenset[str]:
        """Names of the properties that are left out of an object and of all that it takes in."""
        if not isinstance(schema, dict):
            return frozenset()
        return self._fold(Place(schema, part, ""), self._names, self._own_names)

    def _own_names(self, place: Place) -> frozenset[str]:
        properties = place.value.get("properties")
        named = properties.items() if isinstance(properties, dict) else ()
        return frozenset(str(name) for name, item in named if self.leaves_out(item, place.part))

    def _fold(self, start: Place, known: dict[int, tuple[T, Any]], own: Callable[[Place], T]) -> T:
        """What the schema says together with all that it takes in; a circle is cut where it closes."""
        stack = [(start, False)]
        while stack:
            here, leaving = stack.pop()
            if leaving:
                inner = [known[id(place.value)][0] for place in self._taken_in(here)]
                total = own(here)
                for value in inner:
                    total = total | value
                known[id(here.value)] = (total, here.value)
            elif id(here.value) not in known:
                known[id(here.value)] = (own(here), here.value)
                stack.append((here, True))
                stack.extend((place, False) for place in self._taken_in(here))
        return known[id(start.value)][0]

    def _taken_in(self, place: Place) -> list[Place]:
        members = place.value.get("allOf")
        found = [Place(item, place.part, "") for item in members] if isinstance(members, list) else []
        if isinstance(reference := place.value.get("$ref"), str):
            with suppress(DanglingError):
                found.append(self._references.resolve(reference, place.part))
        return [inner for inner in found if isinstance(inner.value, dict)]
