"""Swagger 2.0 parameters as OpenAPI 3 has them: parameters with a schema, and a request body.

Everything else of 2.0 (definitions, responses, securityDefinitions, host) is read where it stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolc.sources.openapi.body import FORM
from toolc.sources.openapi.places import Place

# Everything else on a parameter is its schema: 2.0 writes the keywords straight onto it.
_OWN = frozenset(
    {"name", "in", "description", "required", "collectionFormat", "allowEmptyValue", "schema", "x-example"}
)
# How lists inside of lists are written, which OpenAPI 3 cannot say: the styles of their lists.
NESTED = "x-nested-styles"
_STYLES = {"csv": "form", "ssv": "spaceDelimited", "tsv": "tabDelimited", "pipes": "pipeDelimited", "multi": "form"}
_GENERIC = frozenset({"body", "payload", "request", "data", "input", "requestbody", "parameters", "params"})


def is_body(place: Place) -> bool:
    """Whether a parameter is the body or a field of it."""
    return isinstance(place.value, dict) and place.value.get("in") in ("body", "formData")


def same(one: Place, other: Place) -> bool:
    """Whether one of two parameters of the body replaces the other: by name and place, as for all parameters."""
    return all(one.value.get(key) == other.value.get(key) for key in ("name", "in"))


def unsendable(parameters: Sequence[Place]) -> list[Place]:
    """Those that have no place beside the first `body` parameter."""
    whole = next((place for place in parameters if place.value.get("in") == "body"), None)
    return [place for place in parameters if whole is not None and place is not whole]


def parameter(place: Place) -> Place:
    """One parameter in the form of OpenAPI 3, at its place; `body` and `formData` are left to `request_body`."""
    raw = place.value
    if not isinstance(raw, dict) or is_body(place):
        return place
    new: dict[str, Any] = {key: raw[key] for key in _OWN if key in raw and key != "collectionFormat"}
    new["schema"] = _schema(raw)
    if raw.get("type") == "array":
        new |= _style(raw, "simple" if raw.get("in") in ("path", "header") else "form")
    return Place(new, place.part, place.pointer)


def request_body(parameters: Sequence[Place], operation: Place, root: Mapping[str, Any]) -> Place | None:
    """The `body` parameter, or all of the `formData` ones, as a request body."""
    consumes = operation.value.get("consumes", root.get("consumes"))
    types = [str(item) for item in consumes] if isinstance(consumes, list) else []
    for place in parameters:
        if place.value.get("in") == "body":
            media = {
                content_type: {"schema": place.value.get("schema")} for content_type in types or ["application/json"]
            }
            body: dict[str, Any] = {"required": place.value.get("required") is True, "content": media}
            if text := place.value.get("description"):
                body["description"] = text
            name = str(place.value.get("name", ""))
            if name and name.lower() not in _GENERIC:
                body["x-body-name"] = name
            return Place(body, place.part, place.pointer)
    fields = [place for place in parameters if place.value.get("in") == "formData"]
    return _form(fields, types, operation) if fields else None


def _form(fields: Sequence[Place], types: Sequence[str], operation: Place) -> Place:
    properties: dict[str, Any] = {}
    encoding: dict[str, Any] = {}
    for place in fields:
        name = str(place.value.get("name", ""))
        schema = _schema(place.value)
        if text := place.value.get("description"):
            schema["description"] = text
        if "x-example" in place.value:
            schema["example"] = place.value["x-example"]
        properties[name] = schema
        if place.value.get("type") == "array":
            encoding[name] = _style(place.value, "form")
    required = [str(place.value.get("name")) for place in fields if place.value.get("required") is True]
    has_file = any(place.value.get("type") == "file" for place in fields)
    forms = [item for item in types if item.startswith("multipart/") or item == FORM]
    content_type = "multipart/form-data" if has_file else forms[0] if forms else FORM
    media: dict[str, Any] = {"schema": {"type": "object", "properties": properties}}
    if required:
        media["schema"]["required"] = required
    if encoding := {name: style for name, style in encoding.items() if style}:
        media["encoding"] = encoding
    body = {"required": bool(required), "content": {content_type: media}}
    return Place(body, fields[0].part, operation.pointer + "/parameters")


def _schema(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords that stand on a parameter, as a schema; a file is a string of bytes."""
    schema = {key: value for key, value in raw.items() if key not in _OWN}
    if isinstance(items := schema.get("items"), dict):
        schema["items"] = _schema(items)
    if raw.get("type") == "file":
        schema |= {"type": "string", "format": "binary"}
    return schema


def _style(raw: Mapping[str, Any], simple: str) -> dict[str, Any]:
    collection = raw.get("collectionFormat", "csv")
    inner = {NESTED: nested} if (nested := list(_nested(raw.get("items")))) else {}
    if collection == "csv":
        return {"style": simple, "explode": False, **inner}
    return {"style": _STYLES.get(str(collection), simple), "explode": collection == "multi", **inner}


def _nested(items: Any) -> Iterator[str]:
    """How the lists inside of a list are written, from the outside in."""
    if isinstance(items, dict) and items.get("type") == "array":
        style = _STYLES.get(str(items.get("collectionFormat", "csv")), "form")
        yield style
        yield from _nested(items.get("items"))
