"""An input that is nested more than five levels deep.

What it does
    Counts objects and arrays inside one another, through references, and reports a tool that goes deeper than the
    limit.

Why it is bad
    Models lose brackets and put values on the wrong level; OpenAI's strict mode takes ten levels at most (November
    2026).

Example
    {"query": {"where": {"all": [{"any": [{"field": {"op": {"value": …}}}]}]}}}

Use instead
    A flat form, or a text in a query language with an example

When it is wrong
    For a recursive format that models know well; a reference back to itself counts as one level.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import Schema
from toolc.rules import Subject
from toolc.schema.walk import children, definition

STAGE = "catalog"
CATEGORY = "schema"
SEVERITY = Severity.note


@dataclass(frozen=True, slots=True)
class Options:
    """The keys of the rule."""

    levels: int = field(default=5, metadata={"doc": "most levels of objects and arrays", "min": 1})


def check(subject: Subject, options: Options) -> Iterator[Diagnostic]:
    """One finding a tool, at its deepest parameter."""
    for tool in subject.tools:
        properties = tool.schema.get("properties")
        if not isinstance(properties, dict):
            continue
        defs = tool.schema.get("$defs") or tool.schema.get("definitions") or {}
        known: dict[str, int] = {}
        depths = {name: _depth(schema, defs, known, ()) for name, schema in properties.items()}
        name, deepest = max(depths.items(), key=lambda item: item[1], default=("", 0))
        if deepest > options.levels:
            yield Diagnostic(
                "deep-schema",
                SEVERITY,
                f"`{name}` of `{tool.name}` is nested {deepest} levels deep",
                tool.place("input", "properties", name),
                tool.related,
                help="flatten it, or take it as a text in a language that models know",
                subject=tool.name,
            )


def _depth(schema: Any, defs: Schema, known: dict[str, int], open_refs: tuple[str, ...]) -> int:
    if not isinstance(schema, dict):
        return 0
    name = definition(schema.get("$ref"))
    if name is not None and name in defs:
        if name in open_refs:
            return 0
        if name not in known:
            known[name] = _depth(defs[name], defs, known, (*open_refs, name))
        return known[name]
    own = 1 if "properties" in schema or "items" in schema or schema.get("type") in ("object", "array") else 0
    inner = [_depth(child, defs, known, open_refs) for path, child in children(schema) if path[0] != "$defs"]
    return own + max(inner, default=0)
