"""The definitions of several schemas as one set."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from toolc.ir import Schema
from toolc.merge.parts import Part
from toolc.schema.identity import Fingerprints
from toolc.schema.walk import definition, rebuild


def shared_definitions(parts: Sequence[Part], marks: Fingerprints) -> tuple[dict[str, Schema], Schema]:
    """By action, the schema with `$ref`s into one set of definitions; clashing names get a content hash."""
    forms: dict[str, dict[str, str]] = defaultdict(dict)  # name → content → name in the merged tool
    merged: Schema = {}
    schemas = {}
    for part in parts:
        schema = part.tool.input_schema
        own: Schema = schema.get("$defs", {})
        names = {}
        for name, content in own.items():
            mark = marks.of(content, own)
            known = forms[name]
            if mark not in known:
                known[mark] = name if not known else f"{name}_{mark[:6]}"
            names[name] = known[mark]
        changed = {old: new for old, new in names.items() if old != new}
        for name, content in own.items():
            merged.setdefault(names[name], _renamed(content, changed))
        schemas[part.action] = _renamed(schema, changed)
    return schemas, merged


def _renamed(schema: Any, names: Mapping[str, str]) -> Any:
    """The schema with its references renamed."""
    if not names or not isinstance(schema, dict):
        return schema

    def rename(inner: Schema) -> Schema:
        name = definition(inner.get("$ref"))
        return {**inner, "$ref": f"#/$defs/{names[name]}"} if name is not None and name in names else inner

    return rebuild(schema, rename)
