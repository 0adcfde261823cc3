"""Whether schemas are the same up to their words: by a digest, or one against the other."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any

from toolc.ir import Schema
from toolc.schema.keywords import ANNOTATIONS, LIST_KEYWORDS, MAP_KEYWORDS, SCHEMA_KEYWORDS
from toolc.schema.walk import definition


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
