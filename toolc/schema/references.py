"""Makes a schema self-contained: every `$ref` leads to a local definition, and the root is the object itself."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

from toolc.ir import Schema, unescape
from toolc.schema import flatten, keywords, walk

_MISSING: Any = object()
# Characters that would need escapes in a reference, which not every reader of schemas undoes.
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]")
# Keywords that older dialects call differently; references were written before the schema was brought to 2020-12.
_RENAMED = {"definitions": "$defs", "items": "prefixItems", "dependencies": "dependentSchemas"}


def localise(schema: Schema, base: str = "") -> tuple[Schema, list[tuple[walk.Path, str]]]:
    """The schema with every `$ref` as `#/$defs/name`, without unused definitions; and the references that lead nowhere.

    References into other parts of the schema (`#`, `#/properties/a/items`, `#anchor`) are common in generated tool
    lists: what they point at is copied into `$defs`. base: the schema's own `$id`. A place is that of the reference.
    """
    names: dict[str, str] = {}
    targets: dict[tuple[str, ...], str] = {}
    unresolved: list[tuple[walk.Path, str]] = []
    taken = set(_defs(schema))
    pending: list[tuple[walk.Path, Any]] = [((), _without_defs(schema))]
    while pending:
        for path, inner in walk.descend(*reversed(pending.pop(0))):
            reference = inner.get("$ref")
            if not isinstance(reference, str) or reference in names:
                continue
            tokens = _tokens(reference, schema, base)
            target = _MISSING if tokens is None else _at(schema, tokens)
            if tokens is None or not isinstance(target, dict | bool):
                unresolved.append((path, reference))
                continue
            if tokens[:1] == ["$defs"] and len(tokens) == 2 and not _UNSAFE.search(tokens[1]):
                names[reference] = tokens[1]
            elif tuple(tokens) in targets:
                names[reference] = targets[tuple(tokens)]
            else:
                names[reference] = targets[tuple(tokens)] = _free_name(tokens, taken)
            if isinstance(target, dict) and tokens[:1] == ["$defs"]:
                pending.append((tuple(tokens), target))
    if unresolved:
        return schema, unresolved

    def rewrite(inner: Schema) -> Schema:
        name = names.get(inner["$ref"]) if isinstance(inner.get("$ref"), str) else None
        if name is None or inner["$ref"] == f"#/$defs/{name}":
            return inner
        return {**inner, "$ref": f"#/$defs/{name}"}

    result = walk.rebuild(schema, rewrite)
    if targets:
        copies = {name: _without_defs(_at(result, list(tokens))) for tokens, name in targets.items()}
        result = {**result, "$defs": {**_defs(result), **copies}}
    return walk.keep_needed_defs(result), []


def plain_root(schema: Schema) -> Schema:
    """The schema with a root `$ref` or `allOf` written out, where that changes nothing it accepts."""
    defs = _defs(schema)
    root = {key: value for key, value in schema.items() if key != "$defs"}
    for _ in range(len(defs) + 8):
        step = _one_level(root, defs)
        if step is None:
            break
        root = step
    return walk.keep_needed_defs({**root, "$defs": defs} if defs else root)


def _one_level(root: Schema, defs: Schema) -> Schema | None:
    """The root with its `$ref` and `allOf` merged into it; None if there are none or it would not be the same."""
    parts = [flatten.resolve(root, defs)] if "$ref" in root else []
    parts += root.get("allOf", [])
    if not parts or not all(isinstance(part, dict) and part for part in parts):
        return None
    rest = {key: value for key, value in root.items() if key not in ("$ref", "allOf")}
    if len(parts) == 1 and all(map(keywords.is_noise, rest)):
        return {**parts[0], **rest}
    if any(_sees_siblings(part) for part in (*parts, rest)):
        return None
    lost: list[str] = []
    for part in parts:
        if "$ref" in part or "allOf" in part:
            return None
        rest = flatten.conjoin(rest, part, lost.append)
    return None if lost else rest


def _sees_siblings(schema: Schema) -> bool:
    """Whether a keyword speaks of the properties that stand beside it, so that adding some changes its meaning."""
    return not {"additionalProperties", "patternProperties", "unevaluatedProperties"}.isdisjoint(schema)


def _defs(schema: Schema) -> Schema:
    defs = schema.get("$defs")
    return defs if isinstance(defs, dict) else {}


def _tokens(reference: str, schema: Schema, base: str) -> list[str] | None:
    """The pointer of a reference, in parts; None if it leads out of the schema or to no anchor."""
    document, _, fragment = reference.partition("#")
    if document and document != base.rstrip("#"):
        return None
    fragment = unquote(fragment)
    if not fragment:
        return []
    if fragment.startswith("/"):
        return [unescape(token) for token in fragment[1:].split("/")]
    for path, inner in walk.descend(schema):
        if fragment in (inner.get("$anchor"), inner.get("$dynamicAnchor")):
            return [str(step) for step in path]
    return None


def _at(schema: Schema, tokens: list[str]) -> Any:
    value: Any = schema
    for token in tokens:
        if isinstance(value, list) and token.isdigit() and int(token) < len(value):
            value = value[int(token)]
        elif isinstance(value, dict) and (token in value or _RENAMED.get(token) in value):
            value = value[token if token in value else _RENAMED[token]]
        else:
            return _MISSING
    return value


def _free_name(tokens: list[str], taken: set[str]) -> str:
    words = [token for token in tokens if token not in ("properties", "items", "$defs", "anyOf", "oneOf", "allOf")]
    stem = _UNSAFE.sub("_", "_".join(words)).strip("_") or "root"
    name, number = stem, 2
    while name in taken:
        name, number = f"{stem}_{number}", number + 1
    taken.add(name)
    return name


def _without_defs(schema: Any) -> Any:
    return {key: value for key, value in schema.items() if key != "$defs"} if isinstance(schema, dict) else schema
