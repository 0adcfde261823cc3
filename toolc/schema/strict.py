"""The strict modes: which schemas they can say at all, and the closed form they want.

OpenAI: every property required, `additionalProperties: false`, at most 10 levels, 5,000 properties and 1,000 enum
values. Anthropic: `additionalProperties: false`, no recursion. (Read off both vendors' pages, November 2026.)
"""

from __future__ import annotations

from typing import Any

from toolc.ir import Schema
from toolc.schema import walk
from toolc.schema.flatten import resolve

LEVELS, PROPERTIES, ENUM_VALUES = 10, 5000, 1000
_VALUE_HOLDERS = (("properties",), ("prefixItems",), ("anyOf",), ("oneOf",), ("$defs",))
_SAYS_A_TYPE = ("type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref")


def problem(schema: Schema, all_required: bool) -> str:
    """Why strict mode would refuse calls that the schema accepts, or refuse the schema; empty if it would not."""
    defs = schema.get("$defs", {})
    properties = values = 0
    for path, node in walk.descend(schema):
        here = "/".join(map(str, path)) or "the root"
        if node.get("additionalProperties") not in (None, False) or node.get("patternProperties"):
            return f"{here} takes free keys"
        if path and not any(key in node for key in _SAYS_A_TYPE) and _is_value(path):
            return f"{here} takes any value"
        if _is_object(node) and not ({"properties", "anyOf", "oneOf", "allOf", "$ref"} & node.keys()):
            return f"{here} takes free keys"
        properties += len(node.get("properties", ()))
        values += len(node.get("enum", ()))
        if all_required and (name := _ambiguous(node, defs)):
            return f"{name} in {here} may be left out or null, and strict mode can only say null"
    depth = _depth(schema, defs, (), {})
    if depth is None:
        return "" if all_required else "it refers to itself"
    if all_required and (depth > LEVELS or properties > PROPERTIES or values > ENUM_VALUES):
        return f"it has {depth} levels, {properties} properties and {values} enum values"
    return ""


def close(schema: Schema, all_required: bool) -> Schema:
    """The closed form: no free keys and, if asked, every property required, an optional one by taking null."""

    def closed(node: Schema) -> Schema:
        if not (_is_object(node) or "properties" in node):
            return node
        properties = node.get("properties", {})
        required = list(node.get("required", ()))
        if all_required:
            needed = set(required)
            properties = {name: form if name in needed else _nullable(form) for name, form in properties.items()}
            required = list(properties)
        return {**node, "properties": properties, "required": required, "additionalProperties": False}

    return walk.rebuild(schema, closed)


def _is_value(path: walk.Path) -> bool:
    """Whether a schema at this path describes a value of its own rather than adding to one."""
    if {"not", "if", "then", "else", "contains"} & set(path):
        return False
    return path[-1] == "items" or path[-2:-1] in _VALUE_HOLDERS


def _is_object(node: Schema) -> bool:
    kind = node.get("type")
    return kind == "object" or (isinstance(kind, list) and "object" in kind)


def _ambiguous(node: Schema, defs: Schema) -> str:
    required = node.get("required", ())
    for name, form in node.get("properties", {}).items():
        if name not in required and _takes_null(form, defs, 0):
            return str(name)
    return ""


def _takes_null(form: Any, defs: Schema, depth: int) -> bool:
    if not isinstance(form, dict) or depth > LEVELS:
        return form is not False
    if "$ref" in form and not _takes_null(resolve(form, defs), defs, depth + 1):
        return False
    kind = form.get("type", "null")
    if kind != "null" and "null" not in kind:
        return False
    if None not in form.get("enum", (None,)) or form.get("const") is not None:
        return False
    choices = [form[key] for key in ("anyOf", "oneOf") if key in form]
    if not all(any(_takes_null(branch, defs, depth + 1) for branch in branches) for branches in choices):
        return False
    return all(_takes_null(branch, defs, depth + 1) for branch in form.get("allOf", ()))


def _nullable(form: Any) -> Any:
    if not isinstance(form, dict):
        return form
    if isinstance(form.get("type"), str) and not ({"enum", "const", "anyOf", "oneOf", "allOf", "$ref"} & form.keys()):
        return {**form, "type": [form["type"], "null"]}
    said = {key: form[key] for key in ("description", "title") if key in form}
    if form.keys() - said.keys() == {"anyOf"}:
        return {**form, "anyOf": [*form["anyOf"], {"type": "null"}]}
    rest = {key: value for key, value in form.items() if key not in said}
    return {"anyOf": [rest, {"type": "null"}], **said}


def _depth(schema: Any, defs: Schema, open_refs: tuple[str, ...], known: dict[str, int]) -> int | None:
    """Levels of objects and arrays, or None where a definition holds itself; known: depths of definitions."""
    if not isinstance(schema, dict):
        return 0
    levels = [0]
    name = walk.definition(schema.get("$ref"))
    if name is not None and name not in known:
        depth = None if name in open_refs else _depth(resolve(schema, defs), defs, (*open_refs, name), known)
        if depth is None:
            return None
        known[name] = depth
    if name is not None:
        levels.append(known[name])
    for path, child in walk.children(schema):
        if path[0] != "$defs":
            if (depth := _depth(child, defs, open_refs, known)) is None:
                return None
            levels.append(depth)
    return max(levels) + ("properties" in schema or "items" in schema)
