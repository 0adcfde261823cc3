"""The ways in which one parameter stands in the schemas of several actions; what differs in bounds only is one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolc.ir import Schema
from toolc.schema.identity import Fingerprints
from toolc.schema.keywords import LOWER_BOUNDS, UPPER_BOUNDS
from toolc.schema.phrases import plain
from toolc.schema.walk import children
from toolc.wording import contained, sentence

# What chooses the loosest of several bounds, which every action keeps to.
_BOUNDS = {**dict.fromkeys(LOWER_BOUNDS, min), **dict.fromkeys(UPPER_BOUNDS, max)}
_NO_DEFS: Schema = {}


@dataclass(slots=True)
class Form:
    """One way in which a property stands in the family: its schema and the actions that take it so."""

    schema: Schema
    texts: dict[str, str]
    schemas: dict[str, Schema]
    words: list[str]


def forms_of(name: str, schemas: Mapping[str, Schema], marks: Fingerprints) -> list[Form]:
    """The forms of one property, the commonest first; equal ones, and ones that differ only in bounds, are one."""
    groups: dict[str, dict[str, Schema]] = {}
    for action, schema in schemas.items():
        inner = schema["properties"][name]
        inner = {} if inner is True else {"not": {}} if inner is False else inner
        if not inner.keys().isdisjoint(_BOUNDS):
            loose = {key: value for key, value in inner.items() if key not in _BOUNDS}
        else:
            loose = inner
        groups.setdefault(marks.of(loose, schema.get("$defs", _NO_DEFS)), {})[action] = inner
    ordered = sorted(groups.values(), key=len, reverse=True)  # stable: ties keep the order of actions
    return [_form(members) for members in ordered]


def _form(members: dict[str, Schema]) -> Form:
    schemas = list(members.values())
    merged = dict(schemas[0])
    remarks = []
    for keyword, choose in _BOUNDS.items():
        values = [schema[keyword] for schema in schemas if keyword in schema]
        if not values:
            continue
        if len(values) == len(schemas):
            merged[keyword] = choose(values)
        else:
            merged.pop(keyword, None)
        remarks += [
            f"{action}: {keyword} {schema[keyword]}."
            for action, schema in members.items()
            if keyword in schema and schema[keyword] != merged.get(keyword)
        ]
    for schema in schemas[1:]:
        merged = _texts_of_both(merged, schema)
    defaults = [(action, schema["default"]) for action, schema in members.items() if "default" in schema]
    if "default" in merged or defaults:
        same = len(defaults) == len(members) and all(value == defaults[0][1] for _, value in defaults)
        merged.pop("default", None)
        if same:
            merged["default"] = defaults[0][1]
        else:
            remarks += [f"{action}: default {plain(value)}." for action, value in defaults]
    texts = {action: str(schema.get("description", "")) for action, schema in members.items()}
    return Form(merged, texts, members, remarks)


def _texts_of_both(one: Schema, other: Schema) -> Schema:
    """One schema with the nested words of both; they are equal up to annotations."""
    result = None
    mine = dict(children(one))
    for path, theirs in children(other):
        ours = mine.get(path)
        if not isinstance(ours, dict) or not isinstance(theirs, dict) or ours is theirs:
            continue
        new = _texts_of_both(ours, theirs)
        said, more = str(ours.get("description", "")), str(theirs.get("description", ""))
        if more and not contained(more, said):
            new = {**new, "description": more if contained(said, more) else f"{sentence(said)} {more}"}
        if new is not ours:
            result = result or dict(one)
            _put(result, path, new)
    return result or one


def _put(schema: Schema, path: tuple[str | int, ...], value: Schema) -> None:
    if len(path) == 1:
        schema[str(path[0])] = value
        return
    holder: Any = schema[str(path[0])]
    holder = list(holder) if isinstance(holder, list) else dict(holder)
    holder[path[1]] = value
    schema[str(path[0])] = holder
