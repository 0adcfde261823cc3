"""Definitions that nothing refers to.

What it does
    Reports entries under `$defs` or `definitions` that no `$ref` reaches, with what they cost, and removes them with
    `--fix`. A build leaves them out by itself.

Why it is bad
    They are sent with the tool on every turn and no model can use them.

Example
    {"type": "object", "properties": {}, "$defs": {"Color": {"enum": ["red", "green"]}}}

Use instead
    {"type": "object", "properties": {}}

When it is wrong
    If something outside reads them: a generator of types, say. A tool with a `$ref` that leads nowhere is refused as a
    whole and not looked at: what nothing refers to may be what the reference was meant for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from toolc.diagnostics import Diagnostic, Edit, Fix, Severity
from toolc.ir import HttpCall, Operation, Schema, SqlCall, unescape
from toolc.rules import Subject, written
from toolc.tokens import compact

STAGE = "source"
CATEGORY = "cost"
SEVERITY = Severity.note
HOLDERS = ("$defs", "definitions")
# Keywords that name a schema without its place; `id` up to draft 4.
_MARKS = ("$anchor", "$dynamicAnchor", "$id", "id")
# Holder and name of a definition.
_Key = tuple[str, str]


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool; specs and databases keep only what is used."""
    for operation in subject.operations:
        schema = written(operation)
        if isinstance(operation.call, HttpCall | SqlCall) or not schema.keys() & set(HOLDERS):
            continue
        dead = list(_dead(schema))
        if not dead:
            continue
        tokens = sum(subject.counter.count(f'"{name}":{compact(schema[holder][name])}') for holder, name in dead)
        places = [operation.place("input", holder, name) for holder, name in dead]
        names = ", ".join(f"`{name}`" for _, name in dead[:3]) + (", …" if len(dead) > 3 else "")
        yield Diagnostic(
            "dead-defs",
            SEVERITY,
            f"nothing in `{operation.name}` refers to {names}: {tokens:,} tokens",
            places[0],
            tuple(places[1:]),
            help="remove them",
            subject=operation.id,
            fix=Fix("remove unused definitions", tuple(_edits(operation, schema, dead))),
        )


def _edits(operation: Operation, schema: Schema, dead: list[_Key]) -> Iterator[Edit]:
    """Each dead definition is removed, or all of them with the key that held nothing else."""
    for holder in dict.fromkeys(holder for holder, _ in dead):
        names = [name for where, name in dead if where == holder]
        if len(names) == len(schema[holder]):
            yield Edit(operation.place("input", holder), remove=True)
        else:
            yield from (Edit(operation.place("input", holder, name), remove=True) for name in names)


def _dead(schema: Schema) -> Iterator[_Key]:
    """The definitions that certainly nothing reaches."""
    holders = {holder: schema[holder] for holder in HOLDERS if isinstance(schema.get(holder), dict)}
    known = {(holder, str(name)): body for holder, entries in holders.items() for name, body in entries.items()}
    marks = {key: set(_says(body, _MARKS, str)) for key, body in known.items()}
    live: set[_Key] = set()
    seen: set[str] = set()
    waiting: list[Any] = [{key: value for key, value in schema.items() if key not in holders}]
    while waiting:
        references = _references(waiting.pop()) - seen
        seen |= references
        for reference in references:
            reached = {*_reached(reference, marks)} - live
            live |= reached
            waiting += [known[key] for key in reached]
    yield from (key for key in known if key not in live)


def _reached(reference: str, marks: Mapping[_Key, set[str]]) -> Iterator[_Key]:
    """The definitions that a reference leads to; marks: the anchors and addresses in each definition.

    What does not lead below `$defs` leads to what is sent anyway: readers refuse a tool whose reference leads nowhere.
    """
    document, _, fragment = reference.partition("#")
    if document:  # of one that is relative, the address may be written in full
        end = document.rpartition("/")[2]
        yield from (key for key, said in marks.items() if any(mark.rstrip("#").endswith(end) for mark in said))
    if fragment and not fragment.startswith("/"):
        yield from (key for key, said in marks.items() if not said.isdisjoint((fragment, f"#{fragment}")))
        return
    for path in dict.fromkeys((fragment, unquote(fragment))):
        steps = [unescape(step) for step in path.split("/")[1:]]
        if len(steps) > 1 and steps[0] in HOLDERS:
            # readers take the old word for the new one
            yield from (key for holder in HOLDERS if (key := (holder, steps[1])) in marks)


def _says(value: Any, keys: tuple[str, ...], kind: type) -> Iterator[Any]:
    """The values of this type under any of the keys, at every depth."""
    stack = [value]
    while stack:
        here = stack.pop()
        if isinstance(here, dict):
            yield from (here[key] for key in keys if isinstance(here.get(key), kind))
            stack.extend(here.values())
        elif isinstance(here, list):
            stack.extend(here)


def _references(value: Any) -> set[str]:
    found = set(_says(value, ("$ref", "$dynamicRef"), str))
    for discriminator in _says(value, ("discriminator",), dict):
        if isinstance(mapping := discriminator.get("mapping"), dict):
            found.update(name for name in mapping.values() if isinstance(name, str))
    return found
