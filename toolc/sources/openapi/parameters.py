"""Parameters: path, query, header, cookie and querystring inputs, each read once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from toolc.ir import CLIENT_HEADERS, Schema
from toolc.schema import flatten
from toolc.sources.openapi import samples
from toolc.sources.openapi.findings import Problem, dangling
from toolc.sources.openapi.flags import settled
from toolc.sources.openapi.inputs import Input, described
from toolc.sources.openapi.names import PLACES
from toolc.sources.openapi.places import Place
from toolc.sources.openapi.references import DanglingError
from toolc.sources.openapi.schemas import Schemas
from toolc.sources.openapi.swagger2 import NESTED

# The call sets these itself (OpenAPI: such parameter definitions "SHALL be ignored").
BOUND_HEADERS = frozenset({"accept", "content-type", "authorization"})
_STYLES = {"query": "form", "cookie": "form", "path": "simple", "header": "simple"}


class Parameters:
    """Reads parameters; one that many operations refer to is converted once."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._read: dict[tuple[str, str], tuple[Input | None, tuple[Problem, ...]]] = {}

    def key(self, place: Place) -> tuple[str, str] | Problem:
        """Where a parameter goes and under which name: what makes two of them the same."""
        raw = place.value
        if not isinstance(raw, dict) or not isinstance(raw.get("in"), str) or not isinstance(raw.get("name"), str):
            text = "a parameter needs `name` and `in`"
            return Problem("invalid-parameter", text, place.origin, "lost", "Add them, or a `$ref` to a parameter.")
        if raw["in"] not in PLACES or raw["in"] == "body":
            return Problem(
                "invalid-parameter",
                f"`in: {raw['in']}` of the parameter `{raw['name']}` is no place for one: path, query, header, cookie",
                place.at("in").origin,
                "lost" if raw.get("required") is True else "dropped",
                "Correct `in`; as it stands the parameter cannot be sent.",
            )
        return raw["in"], raw["name"].lower() if raw["in"] == "header" else raw["name"]

    def read(self, place: Place) -> tuple[Input | None, tuple[Problem, ...]]:
        """The input, or None if there is none for the model to see; the place is no reference and has a key."""
        known = self._read.get((place.part.path, place.pointer))
        if known is None:
            known = self._read[place.part.path, place.pointer] = self._input(place)
        return known

    def _input(self, place: Place) -> tuple[Input | None, tuple[Problem, ...]]:
        problems: list[Problem] = []
        raw = settled(place, problems)
        where, wire = raw["in"], raw["name"]
        if where == "header" and wire.lower() in BOUND_HEADERS | CLIENT_HEADERS:
            sender = "call" if wire.lower() in BOUND_HEADERS else "HTTP client"
            text = f"the header `{wire}` is set by the {sender} itself and not shown to the model"
            return None, (Problem("bound-header", text, place.origin, "note"),)
        if where == "path" and raw.get("required") is not True:
            text = f"the path parameter `{wire}` has to be `required: true`; read as if it were"
            problems.append(Problem("invalid-parameter", text, place.at("required").origin, "repaired"))
        schema_place, content = self._schema_place(place, problems)
        converted = self._schemas.convert(schema_place)
        problems += converted.problems
        found = samples.read(place if not content else _media(place), self._schemas.references, problems)
        if not content and not raw.keys().isdisjoint(("example", "x-example", "examples")):
            plain = converted.schema
            plain = flatten.resolve(plain, self._schemas.defs) if "$ref" in plain else plain
            found = tuple(replace(sample, value=samples.unserialised(sample.value, plain, raw)) for sample in found)
        schema: Schema = described(converted.schema, raw.get("description"))
        if raw.get("deprecated") is True and "deprecated" not in schema:
            schema = {**schema, "deprecated": True}
        item = Input(
            where,
            wire,
            schema,
            where == "path" or raw.get("required") is True,
            _binding(raw, where, wire, content) | _must_appear(raw, where, content, schema),
            converted.refs,
            found,
        )
        return item, tuple(problems)

    def _schema_place(self, place: Place, problems: list[Problem]) -> tuple[Place, str]:
        """Where the schema stands, and the content type if the value is sent as one."""
        raw = place.value
        if "schema" in raw:
            if "content" in raw:
                text = f"the parameter `{raw['name']}` has both `schema` and `content`, which exclude each other"
                problems.append(Problem("invalid-parameter", f"{text}; `schema` is used", place.origin, "repaired"))
            return place.at("schema"), ""
        if isinstance(raw.get("content"), dict) and raw["content"]:
            media = _media(place)
            return media.at("schema"), str(next(iter(raw["content"])))
        text = f"the parameter `{raw['name']}` has no schema; read as a string"
        problems.append(Problem("invalid-parameter", text, place.origin, "repaired"))
        return Place({"type": "string"}, place.part, place.pointer), ""


def _media(place: Place) -> Place:
    return place.at("content", next(iter(place.value["content"])))


def _binding(raw: dict[str, Any], where: str, wire: str, content: str) -> dict[str, Any]:
    """Where the value goes; what equals OpenAPI's default for the place is left out."""
    binding: dict[str, Any] = {"in": where, "name": wire}
    if content:
        binding["content"] = content
        return binding
    default = _STYLES.get(where, "form")
    style = raw.get("style", default)
    if style != default:
        binding["style"] = style
    if isinstance(explode := raw.get("explode"), bool) and explode != (style in ("form", "cookie")):
        binding["explode"] = explode
    if nested := raw.get(NESTED):
        binding["nested"] = nested
    if raw.get("allowReserved") is True or raw.get("x-multi-segment") is True:
        binding["allowReserved"] = True
    if raw.get("allowEmptyValue") is True:
        binding["allowEmptyValue"] = True
    return binding


def _must_appear(raw: dict[str, Any], where: str, content: str, schema: Schema) -> dict[str, Any]:
    """`required` for what could be written as nothing at all: an empty list or object, or null."""
    if raw.get("required") is not True or where not in ("query", "header", "cookie") or content:
        return {}
    kinds = schema.get("type")
    plain = {"string", "integer", "number", "boolean"}
    return {} if kinds and plain.issuperset([kinds] if isinstance(kinds, str) else kinds) else {"required": True}


def referred(place: Place, schemas: Schemas) -> Place | Problem:
    """The parameter that an entry of a parameter list stands for."""
    try:
        return schemas.references.follow(place)
    except DanglingError as error:
        return dangling(error, place)
