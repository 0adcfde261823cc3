"""Where schemas stand inside a schema, and what can be said of one without its words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import Any

from toolc.ir import Schema

# Keywords of draft 2020-12 (core, applicator and unevaluated vocabularies) whose value is or holds schemas.
SCHEMA_KEYWORDS = (
    "items",
    "contains",
    "additionalProperties",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
)
LIST_KEYWORDS = ("allOf", "anyOf", "oneOf", "prefixItems")
MAP_KEYWORDS = ("properties", "patternProperties", "dependentSchemas", "$defs")

# Keywords that only describe: no instance is accepted or refused because of them.
ANNOTATIONS = frozenset(
    {
        "title",
        "description",
        "default",
        "examples",
        "example",
        "deprecated",
        "readOnly",
        "writeOnly",
        "$comment",
        "$schema",
        "$id",
        "externalDocs",
        "xml",
        "discriminator",
    }
)

Path = tuple[str | int, ...]


def children(schema: Schema) -> Iterator[tuple[Path, Schema | bool]]:
    """The schemas directly inside one, each with its path from there."""
    for keyword, value in schema.items():
        if keyword in SCHEMA_KEYWORDS:
            if isinstance(value, dict | bool):
                yield (keyword,), value
        elif keyword in LIST_KEYWORDS:
            if isinstance(value, list):
                for index, item in enumerate(value):
                    if isinstance(item, dict | bool):
                        yield (keyword, index), item
        elif keyword in MAP_KEYWORDS and isinstance(value, dict):
            for key, item in value.items():
                if isinstance(item, dict | bool):
                    yield (keyword, key), item


def descend(schema: Schema, path: Path = ()) -> Iterator[tuple[Path, Schema]]:
    """The schema and every object schema inside it, each with its path, outer before inner."""
    stack: list[tuple[Path, Schema]] = [(path, schema)]
    while stack:
        here, current = stack.pop()
        yield here, current
        inner = [(here + step, child) for step, child in children(current) if isinstance(child, dict)]
        stack.extend(reversed(inner))


def rebuild(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """A copy in which `change` was applied to every object schema, inner ones first; unchanged parts are shared."""
    result: Schema | None = None
    for path, child in children(schema):
        if not isinstance(child, dict):
            continue
        new = rebuild(child, change)
        if new is child:
            continue
        if result is None:
            result = dict(schema)
        if len(path) == 1:
            result[str(path[0])] = new
        else:
            keyword = str(path[0])
            holder: Any = result[keyword]
            if holder is schema[keyword]:
                holder = list(holder) if isinstance(holder, list) else dict(holder)
                result[keyword] = holder
            holder[path[1]] = new
    return change(schema if result is None else result)


def definition(reference: object) -> str | None:
    """The name of the local definition that a `$ref` points at, or None."""
    if isinstance(reference, str) and reference.startswith("#/$defs/"):
        name = reference[len("#/$defs/") :]
        return None if "/" in name else name.replace("~1", "/").replace("~0", "~")
    return None


def reachable(schema: Schema, defs: Schema) -> list[str]:
    """Names in `defs` that the schema needs, directly or through others, in the order they are met."""
    found: dict[str, None] = {}
    stack = [{key: value for key, value in schema.items() if key != "$defs"}]
    while stack:
        for _, inner in descend(stack.pop()):
            name = definition(inner.get("$ref"))
            if name is not None and name in defs and name not in found:
                found[name] = None
                if isinstance(defs[name], dict):
                    stack.append(defs[name])
    return list(found)


def keep_needed_defs(schema: Schema) -> Schema:
    """The schema without `$defs` that nothing in it refers to; the same object if there are none."""
    defs = schema.get("$defs")
    if not isinstance(defs, dict):
        return schema
    needed = set(reachable(schema, defs))
    if len(needed) == len(defs):
        return schema
    rest = {key: value for key, value in schema.items() if key != "$defs"}
    return {**rest, "$defs": {name: value for name, value in defs.items() if name in needed}} if needed else rest


def is_noise(keyword: str) -> bool:
    """Whether a keyword only describes, or is an extension that no validator reads."""
    return keyword in ANNOTATIONS or keyword.startswith("x-")


def bare(schema: Schema) -> Schema:
    """The schema without its annotations, at every depth."""

    def strip(inner: Schema) -> Schema:
        return {key: value for key, value in inner.items() if not is_noise(key)} if any(map(is_noise, inner)) else inner

    return rebuild(schema, strip)


class Fingerprints:
    """Digests that are equal for schemas equal up to annotations, key order and the names of definitions.

    `$ref`s are replaced by the content they stand for; a reference back into itself by its depth. Remembered by object:
    readers share the schemas of components, and a schema is compared many times while families are tried.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], tuple[str, Any, Any]] = {}  # the objects are kept, so ids stay theirs

    def of(self, schema: Any, defs: Schema) -> str:
        """The digest of a schema whose references are looked up in defs."""
        key = (id(schema), id(defs))
        if (found := self._known.get(key)) is None:
            found = self._known[key] = (fingerprint(schema, defs), schema, defs)
        return found[0]


_encode = json.JSONEncoder(sort_keys=True).encode


def fingerprint(schema: Any, defs: Schema | None = None) -> str:
    """One digest, as `Fingerprints` describes it."""
    return blake2b(_text(schema, defs or {}, ()).encode(), digest_size=12).hexdigest()


def _text(schema: Any, defs: Schema, open_refs: tuple[str, ...]) -> str:
    if not isinstance(schema, dict):
        return _encode(schema)
    parts = []
    for key in sorted(schema):
        if key in ANNOTATIONS or key == "$defs" or key.startswith("x-"):
            continue
        value = schema[key]
        if key == "$ref" and (name := definition(value)) is not None and name in defs:
            body = (
                f"^{len(open_refs) - open_refs.index(name)}"
                if name in open_refs
                else _text(defs[name], defs, (*open_refs, name))
            )
        elif key in SCHEMA_KEYWORDS:
            body = _text(value, defs, open_refs)
        elif key in LIST_KEYWORDS and isinstance(value, list):
            body = "[" + ",".join(_text(item, defs, open_refs) for item in value) + "]"
        elif key in MAP_KEYWORDS and isinstance(value, dict):
            body = "{" + ",".join(f"{_encode(k)}:{_text(value[k], defs, open_refs)}" for k in sorted(value)) + "}"
        elif isinstance(value, str):
            body = _encode(value)
        elif key in ("required", "type") and isinstance(value, list):
            body = _encode(sorted(value, key=str))
        else:
            body = _encode(value)
        parts.append(f"{key}={body}")
    return "{" + ";".join(parts) + "}"


def same(one: Any, other: Any, one_defs: Schema, other_defs: Schema) -> bool:
    """Whether two schemas are equal up to annotations and the names of definitions; quick where they share parts."""
    return _same(one, other, one_defs, other_defs, set())


def _same(one: Any, other: Any, one_defs: Schema, other_defs: Schema, assumed: set[tuple[str, str]]) -> bool:
    if not isinstance(one, dict) or not isinstance(other, dict):
        return bool(one == other) and type(one) is type(other)
    if one is other and one_defs is other_defs:
        return True
    keys = [key for key in one if not (key in ANNOTATIONS or key == "$defs" or key.startswith("x-"))]
    count = sum(1 for key in other if not (key in ANNOTATIONS or key == "$defs" or key.startswith("x-")))
    if len(keys) != count:
        return False
    for key in keys:
        if key not in other:
            return False
        mine, theirs = one[key], other[key]
        if key == "$ref":
            pair = (str(mine), str(theirs))
            if pair in assumed:
                continue
            assumed.add(pair)
            left, right = definition(mine), definition(theirs)
            if left is None or right is None or left not in one_defs or right not in other_defs:
                return False
            if not _same(one_defs[left], other_defs[right], one_defs, other_defs, assumed):
                return False
        elif key in SCHEMA_KEYWORDS:
            if not _same(mine, theirs, one_defs, other_defs, assumed):
                return False
        elif key in LIST_KEYWORDS and isinstance(mine, list) and isinstance(theirs, list):
            if len(mine) != len(theirs) or not all(
                _same(a, b, one_defs, other_defs, assumed) for a, b in zip(mine, theirs, strict=True)
            ):
                return False
        elif key in MAP_KEYWORDS and isinstance(mine, dict) and isinstance(theirs, dict):
            if mine.keys() != theirs.keys() or not all(
                _same(mine[name], theirs[name], one_defs, other_defs, assumed) for name in mine
            ):
                return False
        elif mine != theirs or (not isinstance(mine, str) and _encode(mine) != _encode(theirs)):
            return False  # 1 == True == 1.0 in Python, not in JSON
    return True
