"""The JSON Schema of toolc.yaml, for editors: every key, with the options of every source, rule and target."""

from __future__ import annotations

from toolc import registry
from toolc.bind import schema_of, schema_of_parts
from toolc.config.model import Keys, Level, SourceEntry
from toolc.ir import Schema


def schema() -> Schema:
    """A draft 2020-12 schema, made from the same type hints that a config is checked against."""
    body = schema_of(Keys)
    sources = registry.names("sources")
    definitions = {f"source-{name}": _source(name) for name in sources}
    definitions |= {f"target-{name}": _options("targets", name) for name in registry.names("targets")}
    properties = body["properties"]
    properties["sources"] = {
        **properties["sources"],
        "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_-]{0,47}$"},
        "additionalProperties": {
            "type": "object",
            "properties": {"type": {"enum": list(sources)}},
            "required": ["type"],
            "allOf": [_if_type(name) for name in sources],
        },
    }
    properties["targets"] = {
        "description": properties["targets"]["description"],
        "type": ["object", "null"],
        "properties": {name: {"$ref": f"#/$defs/target-{name}"} for name in registry.names("targets")},
        "additionalProperties": False,
    }
    rules = {name: schema_of(Level) for name in registry.names("rules")}
    properties["lint"]["properties"]["levels"]["properties"] = rules
    editor = {"type": "string", "description": "Where an editor finds the schema of a config written in JSON."}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "toolc.yaml",
        **body,
        "properties": {"$schema": editor, **properties},
        "$defs": definitions,
    }


def _source(name: str) -> Schema:
    """The keys that every source takes and those of this type."""
    body = schema_of_parts((SourceEntry, registry.load("sources", name).Options))
    return {**body, "properties": {**body["properties"], "type": {"const": name}}}


def _options(kind: registry.Kind, name: str) -> Schema:
    return schema_of(registry.load(kind, name).Options)


def _if_type(name: str) -> Schema:
    """A condition rather than an alternative: editors then complete and complain for the type that was written."""
    chosen = {"properties": {"type": {"const": name}}, "required": ["type"]}
    return {"if": chosen, "then": {"$ref": f"#/$defs/source-{name}"}}
