"""Swagger 2.0 as OpenAPI 3.0, for a reader that knows no 2.0. Written from the two specifications, not from toolc.

What has no counterpart in 3.0 (`collectionFormat: tsv`, delimited lists outside a query) is left out and named.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

METHODS = ("get", "put", "post", "delete", "options", "head", "patch")
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
# Of the Parameter and Items Objects: what OpenAPI 3 has in a schema.
SCHEMA = set(
    "type format items default maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems "
    "minItems uniqueItems enum multipleOf x-nullable".split()
)
LISTS = {"csv": ("form", False), "multi": ("form", True), "ssv": ("spaceDelimited", False)}
LISTS["pipes"] = ("pipeDelimited", False)


def converted(spec: dict[str, Any]) -> tuple[dict[str, Any], set[str]]:
    """The description in 3.0, and the parameters that it cannot say, as `METHOD path name`."""
    spec = json.loads(json.dumps(spec).replace('"#/definitions/', '"#/components/schemas/'))
    unsaid: set[str] = set()
    paths: dict[str, Any] = {}
    for path, item in spec.get("paths", {}).items():
        paths[path] = {}
        for method in METHODS:
            if isinstance(operation := item.get(method), dict):
                given = parameters(spec, item, operation)
                paths[path][method] = one(spec, operation, [each for each in given if sayable(each)])
                unsaid |= {f"{method.upper()} {path} {each['name']}" for each in given if not sayable(each)}
    schemas = {name: schema(value) for name, value in spec.get("definitions", {}).items()}
    return {"openapi": "3.0.3", "info": spec["info"], "paths": paths, "components": {"schemas": schemas}}, unsaid


def parameters(spec: dict[str, Any], item: dict[str, Any], operation: dict[str, Any]) -> list[dict[str, Any]]:
    """Those of the path and of the operation, which come first where both have one."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for each in [*item.get("parameters", ()), *operation.get("parameters", ())]:
        if "$ref" in each:
            each = spec["parameters"][each["$ref"].rpartition("/")[2]]
        found[each["in"], each["name"]] = each
    return list(found.values())


def one(spec: dict[str, Any], operation: dict[str, Any], given: list[dict[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {"responses": {"default": {"description": ""}}}
    made["parameters"] = [parameter(each) for each in given if each["in"] not in ("body", "formData")]
    types = operation.get("consumes", spec.get("consumes")) or []
    for each in given:
        if each["in"] == "body":
            content = {kind: {"schema": schema(each["schema"])} for kind in types or ["application/json"]}
            made["requestBody"] = {"required": each.get("required", False), "content": content}
    if fields := [each for each in given if each["in"] == "formData"]:
        made["requestBody"] = form(fields, [kind for kind in types if kind in FORMS])
    return made


def form(fields: list[dict[str, Any]], types: list[str]) -> dict[str, Any]:
    properties = {each["name"]: schema({key: each[key] for key in each.keys() & SCHEMA}) for each in fields}
    required = [each["name"] for each in fields if each.get("required")]
    whole = {"type": "object", "properties": properties} | ({"required": required} if required else {})
    encoding = {each["name"]: listing(each) for each in fields if each.get("type") == "array"}
    types = types or [FORMS[any(each.get("type") == "file" for each in fields)]]
    media: dict[str, Any] = {"schema": whole}
    content = {kind: media | ({"encoding": encoding} if kind == FORMS[0] else {}) for kind in types}
    return {"required": bool(required), "content": content}


def parameter(each: dict[str, Any]) -> dict[str, Any]:
    made = {"name": each["name"], "in": each["in"], "schema": schema({key: each[key] for key in each.keys() & SCHEMA})}
    made["required"] = each.get("required", False)
    if each.get("type") == "array":
        made |= listing(each) if each["in"] == "query" else {}
    return made


def listing(each: dict[str, Any]) -> dict[str, Any]:
    style, explode = LISTS.get(each.get("collectionFormat", "csv"), ("form", False))
    return {"style": style, "explode": explode}


def sayable(each: dict[str, Any]) -> bool:
    if each.get("type") != "array":
        return True
    known = LISTS if each["in"] in ("query", "formData") else ("csv",)
    return each.get("collectionFormat", "csv") in known


def schema(value: Any) -> Any:
    """Swagger 2.0 is JSON Schema draft 4 as OpenAPI 3.0 is; only files and null are said in another way."""
    if isinstance(value, list):
        return [schema(item) for item in value]
    if not isinstance(value, dict):
        return value
    made = {key: schema(item) for key, item in members(value)}
    if made.get("type") == "file":
        made |= {"type": "string", "format": "binary"}
    if isinstance(made.get("discriminator"), str):
        made["discriminator"] = {"propertyName": made["discriminator"]}
    return made


def members(value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, item in value.items():
        yield ("nullable" if key == "x-nullable" else key), item
