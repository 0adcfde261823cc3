"""Where a part of an operation stands in the description, through every `$ref`; asked only for findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from toolc.ir import Origin, unescape
from toolc.sources.openapi.endpoints import Endpoint
from toolc.sources.openapi.places import Place
from toolc.sources.openapi.references import DanglingError
from toolc.sources.openapi.schemas import Schemas

Path = tuple[str | int, ...]


def trace(endpoint: Endpoint, inputs: Mapping[str, Mapping[str, Any]], schemas: Schemas, path: Path) -> Origin:
    """The place of `path` as `Operation.place` takes it, or of the nearest thing that holds it.

    inputs: those of the operation's call.
    """
    here = endpoint.place
    if path[:1] == ("name",):
        return _first(here, "operationId")
    if path[:1] == ("description",):
        return _first(here, *(key for key in ("description", "summary") if here.value.get(key)))
    if path[:2] == ("input", "properties") and len(path) > 2:
        return _input(endpoint, inputs.get(str(path[2]), {}), schemas, path[3:])
    if path[:2] == ("input", "$defs") and len(path) > 2:
        target = schemas.place(str(path[2]))
        return _below(target, path[3:], schemas).origin if target is not None else here.origin
    return here.origin


def _first(place: Place, *keys: str) -> Origin:
    """The first of these keys that there is, or else the place itself."""
    return next((place.at(key).origin for key in keys if key in place.value), place.origin)


def _input(endpoint: Endpoint, binding: Mapping[str, Any], schemas: Schemas, rest: Path) -> Origin:
    where, wire = binding.get("in"), binding.get("name")
    if where == "body":
        found = _body(endpoint, str(binding.get("pointer", "")), schemas)
        return _below(found, rest, schemas).origin if found is not None else endpoint.place.origin
    for place in _parameters(endpoint, schemas):
        if place.value.get("in") == where and place.value.get("name") == wire:
            own = not rest or (rest == ("description",) and "description" in place.value)
            return _below(place if own else _schema(place), rest, schemas).origin
    return endpoint.place.origin


def _parameters(endpoint: Endpoint, schemas: Schemas) -> Iterator[Place]:
    """The parameters, the operation's own first, since they override those of its path."""
    own = endpoint.place.at("parameters")
    count = len(own.value) if isinstance(own.value, list) else 0
    for place in (*(own.at(index) for index in range(count)), *endpoint.parameters):
        with suppress(DanglingError):
            target = schemas.references.follow(place)
            if isinstance(target.value, dict):
                yield target


def _schema(parameter: Place) -> Place:
    """Where the schema of a parameter or a media type stands; in Swagger 2.0 it is the parameter itself."""
    if "schema" in parameter.value:
        return parameter.at("schema")
    content = parameter.value.get("content")
    return (
        parameter.at("content", next(iter(content)), "schema") if isinstance(content, dict) and content else parameter
    )


def _body(endpoint: Endpoint, pointer: str, schemas: Schemas) -> Place | None:
    """The schema of the body, or of one of its fields."""
    wire = unescape(pointer[1:])
    bodies = []
    with suppress(DanglingError):
        body = schemas.references.follow(endpoint.place.at("requestBody"))
        for _, media in body.items("content"):
            bodies.append(_schema(schemas.references.follow(media)))
    for place in _parameters(endpoint, schemas):  # Swagger 2.0
        if place.value.get("in") == "formData" and place.value.get("name") == wire:
            return place
        if place.value.get("in") == "body":
            bodies.append(_schema(place))
    if not pointer:
        return bodies[0] if bodies else None
    fields = (_member(body, "properties", wire, schemas) or _required(body, wire, schemas) for body in bodies)
    return next((found for found in fields if found is not None), None)


def _required(body: Place, wire: str, schemas: Schemas) -> Place | None:
    """The entry of `required` that names a field which nothing declares."""
    for layer in schemas.references.layers(body):
        names = layer.value.get("required")
        if isinstance(names, list) and wire in names:
            return layer.at("required", names.index(wire))
    return None


def _member(place: Place, keyword: str, name: str | int, schemas: Schemas) -> Place | None:
    for layer in schemas.references.layers(place):
        holder = layer.value.get(keyword)
        if (isinstance(holder, dict) and name in holder) or (
            isinstance(holder, list) and isinstance(name, int) and name < len(holder)
        ):
            return layer.at(keyword, name)
    return None


def _below(place: Place, path: Path, schemas: Schemas) -> Place:
    """As far down the path as it leads, through `$ref` and allOf; the one of `examples` may be written as `example`."""
    for index, key in enumerate(path):
        if isinstance(place.value, list) or (isinstance(place.value, dict) and key in place.value):
            place = place.at(key)
            continue
        layers = list(schemas.references.layers(place))
        onward = next((layer.at(key) for layer in layers if key in layer.value), None)
        if onward is None and key == "examples":
            onward = next((layer.at("example") for layer in layers if "example" in layer.value), None)
            return _below(onward, path[index + 2 :], schemas) if onward is not None else place
        if onward is None:
            break
        place = onward
    return place
