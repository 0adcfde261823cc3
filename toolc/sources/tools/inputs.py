"""Brings the parameter schema of any vendor's tool definition to an exact draft 2020-12 object schema."""

from __future__ import annotations

from typing import Any

from toolc.diagnostics import Report
from toolc.ir import Origin, Schema
from toolc.schema import keywords, references, walk
from toolc.schema.patterns import usable_patterns
from toolc.schema.upgrade import Dialect, to_2020_12
from toolc.schema.validator import invalid_because

# Gemini's `parameters` is protobuf JSON: 64-bit numbers are written as strings.
_COUNTS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
_PYTHON = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "dict": "object",
    **dict.fromkeys(("list", "set", "tuple", "sequence"), "array"),
}
# Python SDKs log keywords in snake case.
_CAMEL_CASE = {
    "any_of": "anyOf",
    "additional_properties": "additionalProperties",
    "min_items": "minItems",
    "max_items": "maxItems",
    "min_length": "minLength",
    "max_length": "maxLength",
    "min_properties": "minProperties",
    "max_properties": "maxProperties",
    "property_ordering": "propertyOrdering",
}


def exact_input(raw: Any, origin: Origin, report: Report, subject: str, protobuf: bool = False) -> Schema | None:
    """The schema of a tool's arguments, or None after reporting why there is none.

    protobuf: whether it is written as Gemini's `parameters`. origin: where the schema stands.
    """
    if raw is None:
        return {"type": "object", "properties": {}}
    if not isinstance(raw, dict):
        report.error("invalid-schema", f"a JSON Schema is expected here, not {raw!r:.60}", origin, subject=subject)
        return None
    schema = self_contained(from_protobuf(raw) if protobuf else raw, origin, report, subject, protobuf)
    if schema is None:
        return None
    schema = references.plain_root(schema)
    kind = schema.get("type", "object")
    if kind != "object" and not (isinstance(kind, list) and "object" in kind):
        message = f"arguments are always an object, but the schema's type is {kind!r}"
        report.error("root-not-object", message, origin.at("type") if "type" in raw else origin, subject=subject)
        return None
    if kind == "object" and "type" in schema:
        return schema
    return {"type": "object", **{key: value for key, value in schema.items() if key != "type"}}


def self_contained(raw: Schema, origin: Origin, report: Report, subject: str, nullable: bool = False) -> Schema | None:
    """A schema of any dialect in draft 2020-12 with local definitions only, or None after reporting what is wrong."""
    dialect: Dialect = "openapi-3.0" if nullable else dialect_of(raw)
    severe = dialect != "openapi-3.0"  # there, what is noted is doubtful rather than invalid

    def note(pointer: str, message: str) -> None:
        place = Origin(origin.source, origin.pointer + pointer)
        (report.error if severe else report.warning)("invalid-schema", message, place, subject=subject)

    base = raw.get("$id")
    upgraded = to_2020_12(raw, dialect, note)
    schema, unresolved = references.localise(upgraded, base if isinstance(base, str) else "")
    for path, reference in unresolved:
        report.error(
            "unresolved-ref",
            f"`$ref: {reference}` leads nowhere",
            origin.at(*path, "$ref"),
            help="put the definition under `$defs` of the same schema; other files and URLs are never read from here",
            subject=subject,
        )
    if unresolved:
        return None
    schema = usable_patterns(schema, report, origin)
    if reason := invalid_because(schema):
        report.error("invalid-schema", f"this is no valid JSON Schema: {reason}", origin, subject=subject)
        return None
    return schema


def dialect_of(schema: Schema) -> Dialect:
    """The dialect that `$schema` names, or else the one whose keywords are used."""
    named = schema.get("$schema")
    if isinstance(named, str):
        if "draft-03" in named or "draft-04" in named:
            return "draft-04"
        if any(draft in named for draft in ("draft-06", "draft-07", "2019-09")):
            return "draft-07"
        if "2020-12" in named:
            return "2020-12"
    for _, inner in walk.descend(schema):
        if isinstance(inner.get("nullable"), bool):
            return "openapi-3.0"
        if isinstance(inner.get("exclusiveMinimum"), bool) or isinstance(inner.get("exclusiveMaximum"), bool):
            return "draft-04"
        if isinstance(inner.get("items"), list) or "definitions" in inner or "dependencies" in inner:
            return "draft-07"
    return "2020-12"


def from_parameters(parameters: Schema) -> Schema:
    """Parameters by their names, each with a type as Python writes it and `required`, as a schema (Cohere)."""
    properties: Schema = {}
    for name, each in parameters.items():
        properties[name] = each
        if isinstance(each, dict):
            rest = {key: value for key, value in each.items() if key not in ("type", "required")}
            properties[name] = {**_type(each.get("type")), **rest}
    required = [name for name, each in parameters.items() if isinstance(each, dict) and each.get("required") is True]
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def _type(written: Any) -> Schema:
    """`str`, `list`, `List[int]`, `Dict[str, int]`, `Optional[str]` …; a name of JSON Schema stays."""
    if not isinstance(written, str):
        return {} if written is None else {"type": written}
    outer, _, inner = written.strip().removesuffix("]").partition("[")
    name = outer.strip().lower()
    if name == "optional":
        return _type(inner)
    if name in ("list", "set", "tuple", "sequence") and inner:
        return {"type": "array", "items": _type(inner.split(",")[0])}
    if name in ("any", ""):
        return {}
    return {"type": _PYTHON.get(name, name)}


def from_protobuf(schema: Schema) -> Schema:
    """Gemini's `parameters` as OpenAPI 3.0 writes it: types in lower case, counts as numbers, camelCase keywords."""
    result: Schema = {}
    for written, value in schema.items():
        keyword = _CAMEL_CASE.get(written, written)
        if keyword == "propertyOrdering" or value is None or value == "TYPE_UNSPECIFIED":
            continue
        if keyword == "type" and isinstance(value, str):
            value = value.lower()
        elif keyword in _COUNTS and isinstance(value, str) and value.isdigit():
            value = int(value)
        elif keyword in keywords.MAP_KEYWORDS and isinstance(value, dict):
            value = {name: _from_protobuf(item) for name, item in value.items()}
        elif keyword in keywords.LIST_KEYWORDS and isinstance(value, list):
            value = [_from_protobuf(item) for item in value]
        elif keyword in keywords.SCHEMA_KEYWORDS:
            value = _from_protobuf(value)
        result[keyword] = value
    return result


def _from_protobuf(value: Any) -> Any:
    return from_protobuf(value) if isinstance(value, dict) else value
