"""Where a part of an operation stands in the description, through every `$ref`; asked only for findings."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from toolc.ir import Origin, unescape
from toolc.sources.openapi.endpoints import Endpoint
from toolc.sources.openapi.places import Place
from toolc.sources.openapi.references import DanglingError
from toolc.sources.openapi.schemas import Schemas

Path = tuple[str | int, ...]


class Tracer:
    """Finds the parts of one operation; inputs: those of its call."""

    def __init__(self, endpoint: Endpoint, inputs: Mapping[str, Mapping[str, Any]], schemas: Schemas) -> None:
        self._endpoint = endpoint
        self._inputs = inputs
        self._schemas = schemas
        self._found: dict[Path, Origin] = {}

    def find(self, path: Path) -> Origin:
        """The place of `path` as `Operation.place` takes it, or of the nearest thing that holds it."""
        found = self._found.get(path)
        if found is None:
            found = self._found[path] = self._place(path).origin
        return found

    def _place(self, path: Path) -> Place:
        here = self._endpoint.place
        if path[:1] == ("name",):
            return _first(here, "operationId")
        if path[:1] == ("description",):
            return _first(here, *(key for key in ("description", "summary") if here.value.get(key)))
        if path[:2] == ("input", "properties") and len(path) > 2:
            return self._input(self._inputs.get(str(path[2]), {}), path[3:])
        if path[:2] == ("input", "$defs") and len(path) > 2:
            target = self._schemas.place(str(path[2]))
            return self._below(target, path[3:]) if target is not None else here
        return here

    def _input(self, binding: Mapping[str, Any], rest: Path) -> Place:
        where, wire = binding.get("in"), binding.get("name")
        if where == "body":
            found = self._body(str(binding.get("pointer", "")))
            return self._below(found, rest) if found is not None else self._endpoint.place
        for place in self._parameters:
            if place.value.get("in") == where and place.value.get("name") == wire:
                own = not rest or (rest == ("description",) and "description" in place.value)
                return self._below(place if own else _schema(place), rest)
        return self._endpoint.place

    @cached_property
    def _parameters(self) -> list[Place]:
        """The parameters, the operation's own first, since they override those of its path."""
        own = self._endpoint.place.at("parameters")
        count = len(own.value) if isinstance(own.value, list) else 0
        found = []
        for place in (*(own.at(index) for index in range(count)), *self._endpoint.parameters):
            with suppress(DanglingError):
                target = self._schemas.references.follow(place)
                if isinstance(target.value, dict):
                    found.append(target)
        return found

    def _body(self, pointer: str) -> Place | None:
        """The schema of the body, or of one of its fields."""
        follow = self._schemas.references.follow
        wire = unescape(pointer[1:])
        bodies = []
        with suppress(DanglingError):
            body = follow(self._endpoint.place.at("requestBody"))
            for _, media in body.items("content"):
                bodies.append(_schema(follow(media)))
        for place in self._parameters:  # Swagger 2.0
            if place.value.get("in") == "formData" and place.value.get("name") == wire:
                return place
            if place.value.get("in") == "body":
                bodies.append(_schema(place))
        if not pointer:
            return bodies[0] if bodies else None
        fields = (self._member(body, "properties", wire) or self._required(body, wire) for body in bodies)
        return next((found for found in fields if found is not None), None)

    def _required(self, body: Place, wire: str) -> Place | None:
        """The entry of `required` that names a field which nothing declares."""
        for layer in self._schemas.references.layers(body):
            names = layer.value.get("required")
            if isinstance(names, list) and wire in names:
                return layer.at("required", names.index(wire))
        return None

    def _member(self, place: Place, keyword: str, name: str | int) -> Place | None:
        for layer in self._schemas.references.layers(place):
            holder = layer.value.get(keyword)
            if (isinstance(holder, dict) and name in holder) or (
                isinstance(holder, list) and isinstance(name, int) and name < len(holder)
            ):
                return layer.at(keyword, name)
        return None

    def _below(self, place: Place, path: Path) -> Place:
        """As far down the path as it leads, through `$ref` and allOf; one of `examples` may be written as `example`."""
        for index, key in enumerate(path):
            if isinstance(place.value, list) or (isinstance(place.value, dict) and key in place.value):
                place = place.at(key)
                continue
            layers = list(self._schemas.references.layers(place))
            onward = next((layer.at(key) for layer in layers if key in layer.value), None)
            if onward is None and key == "examples":
                onward = next((layer.at("example") for layer in layers if "example" in layer.value), None)
                return self._below(onward, path[index + 2 :]) if onward is not None else place
            if onward is None:
                break
            place = onward
        return place


def _first(place: Place, *keys: str) -> Place:
    """The first of these keys that there is, or else the place itself."""
    return next((place.at(key) for key in keys if key in place.value), place)


def _schema(parameter: Place) -> Place:
    """Where the schema of a parameter or a media type stands; in Swagger 2.0 it is the parameter itself."""
    if "schema" in parameter.value:
        return parameter.at("schema")
    content = parameter.value.get("content")
    return (
        parameter.at("content", next(iter(content)), "schema") if isinstance(content, dict) and content else parameter
    )
