"""Examples: read where they stand, and put together to whole calls."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from toolc.ir import Arguments, Example, Origin, Schema
from toolc.sources.openapi.findings import Problem
from toolc.sources.openapi.inputs import Body, Input, Sample
from toolc.sources.openapi.places import Place
from toolc.sources.openapi.references import DanglingError, References


def read(place: Place, references: References, problems: list[Problem]) -> tuple[Sample, ...]:
    """The examples of a parameter or media type, else those of its schema."""
    raw = place.value
    if not isinstance(raw, dict):
        return ()
    if "example" in raw:
        return (Sample("", raw["example"], place.at("example").origin),)
    if "x-example" in raw:
        return (Sample("", raw["x-example"], place.at("x-example").origin),)
    if isinstance(raw.get("examples"), dict):
        found = [_named(name, item, references, problems) for name, item in place.items("examples")]
        return tuple(sample for sample in found if sample is not None)
    return _of_schema(place.at("schema"), references)


_SCALARS: dict[str, tuple[type, ...]] = {"boolean": (bool,), "integer": (int,), "number": (int, float)}
_DELIMITERS = {"spaceDelimited": " ", "pipeDelimited": "|", "ssv": " ", "pipes": "|", "tsv": "\t"}


def unserialised(value: Any, schema: Schema, parameter: Mapping[str, Any]) -> Any:
    """The value that an example of a parameter stands for: OpenAPI has it written as it is sent (`1,2` for a list) too.

    schema: of the parameter, not a reference. What cannot be read so stays as it is.
    """
    types = schema.get("type")
    if not isinstance(value, str) or not isinstance(types, str) or types in ("string", "null", "object"):
        return value
    if types == "array":
        items = schema.get("items")
        delimiter = _DELIMITERS.get(str(parameter.get("style", parameter.get("collectionFormat", ""))), ",")
        inner = items if isinstance(items, dict) else {}
        if not value or not isinstance(inner.get("type"), str):
            return value
        parts = [unserialised(part.strip(), inner, {}) for part in value.split(delimiter)]
        return value if inner["type"] != "string" and any(isinstance(part, str) for part in parts) else parts
    try:
        read = json.loads(value)
    except ValueError:
        return value
    fits = isinstance(read, _SCALARS.get(types, ())) and isinstance(read, bool) == (types == "boolean")
    return read if fits else value


def _named(name: str, place: Place, references: References, problems: list[Problem]) -> Sample | None:
    try:
        target = references.follow(place)
    except DanglingError as error:
        problems.append(Problem(error.rule, error.message, place.origin, "repaired", error.help))
        return None
    raw = target.value
    if not isinstance(raw, dict):
        return Sample(name, raw, target.origin)
    for key in ("value", "dataValue"):
        if key in raw:
            return Sample(name, raw[key], target.at(key).origin)
    for key in ("externalValue", "serializedValue"):
        if key in raw:
            text = f"the example `{name}` is given as `{key}` only, which is not read"
            problems.append(Problem("external-example", text, target.at(key).origin, "note"))
            return None
    return None


def _of_schema(place: Place, references: References) -> tuple[Sample, ...]:
    if not isinstance(place.value, dict):
        return ()
    if "example" not in place.value and "examples" not in place.value and "$ref" in place.value:
        try:
            place = references.follow(place)
        except DanglingError:
            return ()
    if not isinstance(place.value, dict):
        return ()
    if "example" in place.value:
        return (Sample("", place.value["example"], place.at("example").origin),)
    if isinstance(values := place.value.get("examples"), list):
        return tuple(Sample("", value, place.at("examples", index).origin) for index, value in enumerate(values))
    return ()


def calls(
    inputs: Sequence[Input], keys: Sequence[str], body: Body | None, required: Sequence[str]
) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    """Whole calls made of the samples; and those that lack a required argument, for a later pass to complete."""
    given = [(item, key) for item, key in zip(inputs, keys, strict=True) if item.place != "body" and item.samples]
    bodies = body.samples if body is not None else ()
    if not given and not bodies:
        return (), ()
    fields = {item.wire: key for item, key in zip(inputs, keys, strict=True) if item.place == "body"}
    found: list[Example] = []
    for sample in bodies:
        spread = _spread(sample, body, fields, keys) if body is not None else None
        if spread is not None:
            arguments, places = _parameters(given, sample.name)
            places |= {key: _in_body(sample, body, fields, key) for key in spread} if body is not None else {}
            found.append(Example(arguments | spread, "source", sample.origin, places))
    if not bodies:
        names = dict.fromkeys(sample.name for item, _ in given for sample in item.samples)
        for name in names:
            origin = next(sample.origin for item, _ in given for sample in item.samples if sample.name == name)
            arguments, places = _parameters(given, name)
            found.append(Example(arguments, "source", origin, places))
    unique: list[Example] = []
    for example in found:
        if not any(example.arguments == known.arguments for known in unique):
            unique.append(example)
    whole = tuple(example for example in unique if all(name in example.arguments for name in required))
    return whole, tuple(example for example in unique if example not in whole)


def _parameters(given: Sequence[tuple[Input, str]], name: str) -> tuple[Arguments, dict[str, Origin]]:
    """A value for each parameter that has one, that of this name or else its first; and where each stands."""
    chosen = {
        key: next((sample for sample in item.samples if sample.name == name), item.samples[0]) for item, key in given
    }
    return {key: sample.value for key, sample in chosen.items()}, {key: s.origin for key, s in chosen.items()}


def _in_body(sample: Sample, body: Body, fields: Mapping[str, str], key: str) -> Origin:
    """Where an argument stands in the example of a body; one written as JSON text has no places inside."""
    if body.whole or isinstance(sample.value, str):
        return sample.origin
    return sample.origin.at(next((wire for wire, name in fields.items() if name == key), key))


def _spread(sample: Sample, body: Body, fields: Mapping[str, str], keys: Sequence[str]) -> Arguments | None:
    """A body as arguments; None if it is no body of this kind."""
    value: Any = sample.value
    if body.whole:
        return {fields[body.inputs[0].wire]: value}
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return None
    if not isinstance(value, dict):
        return None
    result: Arguments = {}
    for name, item in value.items():
        if name in fields:
            result[fields[name]] = item
        elif name not in body.hidden and name not in keys:
            result[name] = item
    return result
