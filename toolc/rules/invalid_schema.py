"""A schema that no runtime can use as it stands.

What it does
    Reports a tool whose emitted input schema is no valid JSON Schema (draft 2020-12), and in a list that is sent as it
    stands what only older drafts had: `exclusiveMinimum: true` (draft 04), a list under `items` (until 2019-09),
    whatever `$schema` says. Source readers report under the same name what they could not read as a schema, and leave
    that operation out.

Why it is bad
    An invalid schema is refused by every validating runtime, Anthropic with an error 400 for the whole request and so
    for every other tool in it (issues 586 of anthropics/claude-code, 74 of Dokploy/mcp, 2925 of hyperdxio/hyperdx;
    November 2026), and a model guesses what was meant.

Example
    {"name": "set", "input_schema": {"type": "object", "properties": {"size": {"type": "int"}}}}

Use instead
    {"name": "set", "input_schema": {"type": "object", "properties": {"size": {"type": "integer"}}}}

When it is wrong
    Never; if something between the list and the API rewrites schemas, as `toolc build` does, lint what it writes.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Edit, Fix, Severity
from toolc.ir import HttpCall, Origin, Schema, SqlCall
from toolc.rules import Subject, is_exact, written
from toolc.schema.validator import invalid_because

STAGE = "catalog"
CATEGORY = "schema"
SEVERITY = Severity.error
# What was a number's exclusive bound in draft 04 by being true beside it.
BOUNDS = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool: the first thing that is wrong with its schema; of plain files the reader has said it."""
    if subject.plain:
        yield from _outdated(subject)
        return
    for tool in subject.tools:
        if reason := invalid_because(tool.schema):
            yield Diagnostic(
                "invalid-schema",
                SEVERITY,
                f"the input schema of `{tool.name}` is no valid JSON Schema: {reason}",
                tool.origin,
                tool.related,
                help="mend the schema in the source",
                subject=tool.name,
            )


def _outdated(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a keyword that the reader has brought up to date, and that is sent as it stands all the same."""
    for operation in subject.operations:
        own = is_exact(operation.place("input"), "input")  # our own kind of file, which only a build sends
        if own or isinstance(operation.call, HttpCall | SqlCall):
            continue
        for path, schema in subject.nodes(written(operation)):
            for keyword, reason, advice in _older(schema):
                place = operation.place("input", *path, keyword)
                yield Diagnostic(
                    "invalid-schema",
                    SEVERITY,
                    f"`{operation.name}` is refused by APIs that check its schema (draft 2020-12): {reason}",
                    place,
                    help=advice,
                    subject=operation.id,
                    fix=_bound(schema, keyword, place) if is_exact(place, keyword) else None,
                )


def _older(schema: Schema) -> Iterator[tuple[str, str, str]]:
    """Keywords of older drafts that make the schema invalid in 2020-12, each with what is wrong and what to write."""
    for keyword, bound in BOUNDS.items():
        if isinstance(schema.get(keyword), bool):
            advice = f"say `{keyword}: N` instead of `{bound}: N`" if schema[keyword] else "leave it out"
            yield keyword, f"`{keyword}` is a number since draft 06", advice
    if isinstance(schema.get("items"), list):
        advice = "give one schema for all entries, with `minItems` and `maxItems`; or call the list `prefixItems`"
        yield "items", "`items` is one schema, not a list, since 2020-12", advice


def _bound(schema: Schema, keyword: str, place: Origin) -> Fix | None:
    """`minimum: 0, exclusiveMinimum: true` as `exclusiveMinimum: 0`."""
    bound = BOUNDS.get(keyword, "")
    if schema.get(keyword) is True and bound in schema:
        beside = Origin(place.source, place.pointer.rpartition("/")[0]).at(bound)
        return Fix("write the bound as a number", (Edit(place, schema[bound]), Edit(beside, remove=True)))
    return Fix("drop what says nothing", (Edit(place, remove=True),)) if bound else None
