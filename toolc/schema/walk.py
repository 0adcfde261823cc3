"""Where schemas stand inside a schema, and how they are changed there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from toolc.ir import Schema, unescape
from toolc.schema.keywords import LIST_KEYWORDS, MAP_KEYWORDS, SCHEMA_KEYWORDS, is_noise

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
        return None if "/" in name else unescape(name)
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


def bare(schema: Schema) -> Schema:
    """The schema without its annotations, at every depth."""

    def strip(inner: Schema) -> Schema:
        return {key: value for key, value in inner.items() if not is_noise(key)} if any(map(is_noise, inner)) else inner

    return rebuild(schema, strip)
