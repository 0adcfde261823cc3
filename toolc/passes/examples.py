"""Adds usage examples that are proven valid: authored, the source's own, or derived from what the schema says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from toolc.dispatch import Resolution
from toolc.ir import Arguments, Catalog, Example, Operation, Schema, Tool
from toolc.passes.context import Context
from toolc.schema.walk import definition
from toolc.tokens import compact

MOST_SINGLE = 2  # examples of a tool with one operation
MOST_TOKENS = 400  # of all examples of one tool together


def apply(catalog: Catalog, context: Context) -> Catalog:
    """The catalog with examples on its tools; an invalid one is reported and never emitted."""
    return replace(catalog, tools=tuple(_with_examples(tool, catalog, context) for tool in catalog.tools))


def _with_examples(tool: Tool, catalog: Catalog, context: Context) -> Tool:
    chosen: list[Example] = []
    left = MOST_TOKENS
    for case in tool.dispatch.cases:
        operation = catalog.operations[case.operation]
        most = 1 if tool.dispatch.select else MOST_SINGLE
        for example in _distinct(_candidates(operation, bool(tool.dispatch.select))):
            if most == 0:
                break
            arguments = _translated(tool, operation, example, context)
            if arguments is None:
                continue
            price = context.counter.count(compact(arguments))
            if price <= left:
                left -= price
                most -= 1
                chosen.append(replace(example, arguments=arguments))
    return replace(tool, examples=tuple(chosen)) if chosen else tool


def _candidates(operation: Operation, merged: bool) -> Iterator[Example]:
    yield from operation.examples
    if not operation.examples and (derived := _derived(operation, merged)) is not None:
        yield Example(derived, "derived", operation.origin)


def _distinct(examples: Iterator[Example]) -> Iterator[Example]:
    seen: list[Arguments] = []
    for example in examples:
        if example.arguments not in seen:
            seen.append(example.arguments)
            yield example


def _translated(tool: Tool, operation: Operation, example: Example, context: Context) -> Arguments | None:
    """The example as a call of the tool, if it is valid and comes back as it was."""
    dispatcher = context.prover.dispatcher
    _, violations = dispatcher.checker(operation.id).check(example.arguments)
    if violations:
        place = ".".join(map(str, violations[0].path))
        context.report.error(
            "invalid-example",
            f"an example of `{operation.id}` is invalid: {f'`{place}`: ' if place else ''}{violations[0].message}",
            example.origin or operation.origin,
            help="mend the example or the schema; models copy examples",
            subject=operation.id,
        )
        return None
    arguments = dispatcher.express(tool, operation.id, example.arguments)
    result = dispatcher.resolve_tool(tool, arguments)
    return arguments if isinstance(result, Resolution) and result.arguments == example.arguments else None


def _derived(operation: Operation, merged: bool) -> Arguments | None:
    """A call from examples and defaults in the schema; None where it would be filler or says nothing new."""
    defs = operation.input.get("$defs", {})
    required = operation.input.get("required", ())
    values: Arguments = {}
    telling = 0
    for name, schema in operation.input.get("properties", {}).items():
        value, tells = _value(schema, defs)
        if value is _NONE:
            if name in required:
                return None
            continue
        if name in required or tells:
            values[name] = value
            telling += tells
    optional = len(operation.input.get("properties", {})) - len(required)
    needed = merged or optional >= 4 or _format_matters(operation.input)
    return values if telling and needed else None


_NONE: Any = object()


def _value(schema: Any, defs: Schema) -> tuple[Any, bool]:
    """A value the schema itself names, and whether it tells a reader something that the type does not."""
    for _ in range(len(defs) + 1):
        name = definition(schema.get("$ref")) if isinstance(schema, dict) else None
        if name is None:
            break
        schema = defs.get(name)
    if not isinstance(schema, dict):
        return _NONE, False
    if isinstance(examples := schema.get("examples"), list) and examples:
        return examples[0], True
    if "const" in schema:
        return schema["const"], False
    if "default" in schema and schema["default"] is not None:
        return schema["default"], False
    if isinstance(values := schema.get("enum"), list) and values:
        return values[0], False
    return _NONE, False


def _format_matters(schema: Schema) -> bool:
    """Whether a parameter's form is not obvious from its type: a format, a pattern, something nested."""
    return any(
        isinstance(inner, dict)
        and (inner.keys() & {"format", "pattern", "contentEncoding"} or inner.get("type") in ("object", "array"))
        for inner in schema.get("properties", {}).values()
    )
