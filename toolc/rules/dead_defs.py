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
    If something outside reads them: a generator of types, say.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolc.diagnostics import Diagnostic, Edit, Fix, Severity
from toolc.ir import HttpCall, Operation, Schema, SqlCall
from toolc.rules import Subject, written
from toolc.tokens import compact

STAGE = "source"
CATEGORY = "cost"
SEVERITY = Severity.note
HOLDERS = ("$defs", "definitions")


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


def _edits(operation: Operation, schema: Schema, dead: list[tuple[str, str]]) -> Iterator[Edit]:
    """Each dead definition is removed, or all of them with the key that held nothing else."""
    for holder in dict.fromkeys(holder for holder, _ in dead):
        names = [name for where, name in dead if where == holder]
        if len(names) == len(schema[holder]):
            yield Edit(operation.place("input", holder), remove=True)
        else:
            yield from (Edit(operation.place("input", holder, name), remove=True) for name in names)


def _dead(schema: Schema) -> Iterator[tuple[str, str]]:
    holders = {holder: schema[holder] for holder in HOLDERS if isinstance(schema.get(holder), dict)}
    live = _references({key: value for key, value in schema.items() if key not in holders})
    waiting = list(live)
    while waiting:
        holder, _, name = waiting.pop().removeprefix("#/").partition("/")
        name = name.partition("/")[0].replace("~1", "/").replace("~0", "~")
        for reference in _references(holders.get(holder, {}).get(name)) - live:
            live.add(reference)
            waiting.append(reference)
    if any(not reference.startswith(("#/$defs/", "#/definitions/")) and reference != "#" for reference in live):
        return  # an anchor or an address: what it reaches is not known
    used = {reference.removeprefix("#/") for reference in live}
    for holder, entries in holders.items():
        for name in entries:
            path = f"{holder}/{name.replace('~', '~0').replace('/', '~1')}"
            if not any(reference == path or reference.startswith(f"{path}/") for reference in used):
                yield holder, name


def _references(value: Any) -> set[str]:
    found: set[str] = set()
    stack = [value]
    while stack:
        here = stack.pop()
        if isinstance(here, dict):
            for key, inner in here.items():
                if key in ("$ref", "$dynamicRef") and isinstance(inner, str):
                    found.add(inner)
                else:
                    stack.append(inner)
        elif isinstance(here, list):
            stack.extend(here)
    return found
