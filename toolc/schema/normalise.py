"""The same schema in fewer tokens: what says nothing is left out, what stands for one thing is written as that thing.

Every step is `exact` (the same instances are valid and nothing a reader could use is gone) or `model-facing` (an
annotation that only repeats something is gone). None is lossy.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

from toolc.ir import Schema
from toolc.schema.keywords import is_noise
from toolc.schema.walk import definition, descend, keep_needed_defs, rebuild
from toolc.schema.words import words

Label = Literal["exact", "model-facing"]

STEPS: dict[str, Label] = {
    "noise-keyword": "exact",
    "empty-keyword": "exact",
    "unused-definition": "exact",
    "single-use-definition": "exact",
    "single-member-allof": "exact",
    "plain-allof": "exact",
    "nullable-anyof": "exact",
    "generated-title": "model-facing",
    "numeric-format": "model-facing",
    "null-default": "model-facing",
    "empty-example": "model-facing",
    "white-space": "model-facing",
}
NOISE = frozenset({"$schema", "$id", "$comment", "externalDocs", "xml", "discriminator", "example"})
EMPTY: dict[str, Any] = {
    "required": [],
    "additionalProperties": True,
    "minItems": 0,
    "minLength": 0,
    "minProperties": 0,
    "uniqueItems": False,
    "deprecated": False,
    "readOnly": False,
    "writeOnly": False,
    "allOf": [],
    "description": "",
    "title": "",
    "patternProperties": {},
    "$defs": {},
}
# What may stand in the parts of an `allOf` that are one object together: each holds for itself, wherever it stands.
PLAIN = frozenset({"type", "properties", "required", "minProperties", "maxProperties"})
NUMERIC_FORMATS = frozenset({"int32", "int64", "float", "double"})


def normalise(schema: Schema, steps: Counter[str] | None = None) -> Schema:
    """The normalised schema; `steps` counts what was done, by the names in STEPS."""
    counts: Counter[str] = Counter() if steps is None else steps
    result = rebuild(schema, lambda inner: _lighter(inner, counts))
    kept = keep_needed_defs(_titles(result, counts))
    if kept is not result:
        counts["unused-definition"] += len(result.get("$defs", ())) - len(kept.get("$defs", ()))
    return rebuild(_inlined(kept, counts), lambda inner: _plain(inner, counts))


def _lighter(schema: Schema, counts: Counter[str]) -> Schema:
    """One schema without what says nothing; the same object where there is nothing to do."""
    result = schema
    for key, value in schema.items():
        new = value
        if key in NOISE or key.startswith("x-"):
            step = "noise-keyword"
        elif key in EMPTY and value == EMPTY[key] and type(value) is type(EMPTY[key]):
            step = "empty-keyword"
        elif key == "format" and value in NUMERIC_FORMATS:
            step = "numeric-format"
        elif key in ("description", "title") and isinstance(value, str) and value != (new := _tidy(value)):
            counts["white-space"] += 1
            result = {**result, key: new}
            continue
        else:
            continue
        counts[step] += 1
        result = {k: v for k, v in result.items() if k != key}
    parts = result.get("allOf")
    if isinstance(parts, list) and len(parts) == 1 and isinstance(parts[0], dict):
        rest = {key: value for key, value in result.items() if key != "allOf"}
        # an outer description wins: it speaks of this use of the part
        if all(key not in rest or (is_noise(key) and key in rest) for key in parts[0]):
            counts["single-member-allof"] += 1
            result = {**parts[0], **rest}
    result = _with_telling_examples(_nullable(result, counts), counts)
    properties = result.get("properties")
    if isinstance(properties, dict):
        result = _without_null_defaults(result, properties, counts)
    return result


def _plain(schema: Schema, counts: Counter[str]) -> Schema:
    """Without an `allOf` of plain objects: their properties and what they require, in one object."""
    parts = schema.get("allOf")
    if not isinstance(parts, list):
        return schema
    result = {key: value for key, value in schema.items() if key != "allOf"}
    for part in parts:
        if not isinstance(part, dict):
            return schema
        for key, value in part.items():
            if key not in PLAIN and not is_noise(key):
                return schema
            if key not in result or result[key] == value:
                result[key] = value
            elif key == "properties":
                if any(result[key].get(name, inner) != inner for name, inner in value.items()):
                    return schema
                result[key] = {**result[key], **value}
            elif key == "required":
                result[key] = [*result[key], *(name for name in value if name not in result[key])]
            elif key == "description":
                result[key] = f"{result[key]}\n{value}" if value not in result[key] else result[key]
            elif not is_noise(key):
                return schema
    if any(key not in PLAIN and not is_noise(key) and key != "$defs" for key in schema if key != "allOf"):
        return schema  # `additionalProperties` speaks of the properties beside it alone
    counts["plain-allof"] += 1
    return result


def _tidy(text: str) -> str:
    lines = (" ".join(line.split()) if not line.startswith((" ", "\t")) else line.rstrip() for line in text.split("\n"))
    return "\n".join(lines).strip()


def _with_telling_examples(schema: Schema, counts: Counter[str]) -> Schema:
    """Without examples that show nothing: null, a blank, a boolean, a value that `enum` or `default` says anyway."""
    examples = schema.get("examples")
    if not isinstance(examples, list):
        return schema
    said = [*enum] if isinstance(enum := schema.get("enum"), list) else []
    said += [schema["default"]] if "default" in schema else []
    kept = [
        one
        for one in examples
        if not (one is None or isinstance(one, bool) or (isinstance(one, str) and not one.strip()) or one in said)
    ]
    if len(kept) == len(examples):
        return schema
    counts["empty-example"] += len(examples) - len(kept)
    rest = {key: value for key, value in schema.items() if key != "examples"}
    return {**rest, "examples": kept} if kept else rest


def _nullable(schema: Schema, counts: Counter[str]) -> Schema:
    """`anyOf: [{type: string}, {type: null}]` as `type: [string, null]`."""
    branches = schema.get("anyOf")
    if not isinstance(branches, list) or "type" in schema or len(branches) != 2:
        return schema
    other = next((branch for branch in branches if branch != {"type": "null"}), None)
    if not isinstance(other, dict) or {"type": "null"} not in branches or not isinstance(other.get("type"), str):
        return schema
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    # enum and const would refuse the null; keywords on both levels may mean different things
    if other.keys() & {"enum", "const", "not", "allOf", "anyOf", "oneOf", "if", "$ref"} or (
        other.keys() & rest.keys() - {"description", "title", "default"}
    ):
        return schema
    if "description" in other and "description" in rest:
        return schema
    counts["nullable-anyof"] += 1
    return {**other, "type": [other["type"], "null"], **rest}


def _without_null_defaults(schema: Schema, properties: Schema, counts: Counter[str]) -> Schema:
    """Without `default: null` on optional properties: absent is what it says."""
    required = schema.get("required", ())
    changed = {
        name: {key: value for key, value in inner.items() if key != "default"}
        for name, inner in properties.items()
        if isinstance(inner, dict) and name not in required and "default" in inner and inner["default"] is None
    }
    if not changed:
        return schema
    counts["null-default"] += len(changed)
    return {**schema, "properties": {**properties, **changed}}


def _titles(schema: Schema, counts: Counter[str]) -> Schema:
    """Without titles that only write a property's or definition's name in another way, as pydantic makes them."""
    if isinstance(schema.get("title"), str):
        # the tool has a name and a description; FastMCP writes `toolNameArguments` here
        counts["generated-title"] += 1
        schema = {key: value for key, value in schema.items() if key != "title"}

    def strip(inner: Schema) -> Schema:
        result = inner
        for keyword in ("properties", "$defs"):
            named = inner.get(keyword)
            if not isinstance(named, dict):
                continue
            changed = {
                key: {k: v for k, v in value.items() if k != "title"}
                for key, value in named.items()
                if isinstance(value, dict) and isinstance(value.get("title"), str) and _same(value["title"], key)
            }
            if changed:
                counts["generated-title"] += len(changed)
                result = {**result, keyword: {**named, **changed}}
        return result

    return rebuild(schema, strip)


def _same(title: str, key: str) -> bool:
    return "".join(words(title)) == "".join(words(key))


def _inlined(schema: Schema, counts: Counter[str]) -> Schema:
    """With definitions that are referred to once put where they are used; recursive ones stay."""
    schema = keep_needed_defs(schema)
    while isinstance(defs := schema.get("$defs"), dict):
        uses = Counter(definition(inner.get("$ref")) for _, inner in descend(schema))
        # all are reachable, so one with a single use is in no cycle
        once = {name for name, body in defs.items() if uses[name] == 1 and isinstance(body, dict)}
        if not once:
            return schema
        bodies: Schema = {name: defs[name] for name in once}

        def put(inner: Schema, bodies: Schema = bodies) -> Schema:
            name = definition(inner.get("$ref"))
            if name is None or name not in bodies:
                return inner
            rest = {key: value for key, value in inner.items() if key != "$ref"}
            if any(key in bodies[name] and not is_noise(key) for key in rest):
                return inner
            return {**bodies[name], **rest}

        kept = keep_needed_defs(rebuild(schema, put))
        done = len(defs) - len(kept.get("$defs", ()))
        if done == 0:
            return schema
        counts["single-use-definition"] += done
        schema = kept
    return schema
