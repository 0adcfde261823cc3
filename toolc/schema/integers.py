"""Integers written with a fraction of zero (`1.0`), which JSON Schema takes, as the integers that they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolc.ir import unescape

_BRANCHES = ("allOf", "anyOf", "oneOf")


def as_integers(value: Any, schema: Any) -> Any:
    """The value with `1.0` as 1 wherever its schema wants an integer; nothing else changes.

    schema: with local `$defs`, of which the value is known to be valid.
    """
    if not isinstance(schema, Mapping) or not _has_whole_float(value):
        return value
    return _converted(value, [schema], schema.get("$defs", {}))


def _has_whole_float(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_whole_float, value.values()))
    if isinstance(value, list):
        return any(map(_has_whole_float, value))
    return isinstance(value, float) and value.is_integer()


def _converted(value: Any, schemas: list[Any], defs: Mapping[str, Any]) -> Any:
    """schemas: those that may say something of the value."""
    found = list(_all(schemas, defs))
    if isinstance(value, float):
        kinds = {kind for schema in found for kind in _kinds(schema)}
        return int(value) if value.is_integer() and "integer" in kinds and "number" not in kinds else value
    if isinstance(value, Mapping):
        return {
            key: _converted(item, [_property(schema, key) for schema in found], defs) for key, item in value.items()
        }
    if isinstance(value, list):
        return [_converted(item, [_item(schema, at) for schema in found], defs) for at, item in enumerate(value)]
    return value


def _all(schemas: list[Any], defs: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The schemas with all that they refer to and combine."""
    seen: set[int] = set()
    waiting = list(schemas)
    while waiting:
        schema = waiting.pop()
        if not isinstance(schema, Mapping) or id(schema) in seen:
            continue
        seen.add(id(schema))
        yield schema
        waiting += (branch for key in _BRANCHES for branch in schema.get(key, ()))
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference.startswith("#/$defs/"):
            waiting.append(defs.get(unescape(reference.removeprefix("#/$defs/"))))


def _kinds(schema: Mapping[str, Any]) -> list[str]:
    kind = schema.get("type", ())
    return [kind] if isinstance(kind, str) else list(kind)


def _property(schema: Mapping[str, Any], name: str) -> Any:
    properties = schema.get("properties", {})
    return properties[name] if name in properties else schema.get("additionalProperties")


def _item(schema: Mapping[str, Any], at: int) -> Any:
    first = schema.get("prefixItems", ())
    return first[at] if at < len(first) else schema.get("items")
