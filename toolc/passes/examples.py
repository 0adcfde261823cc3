"""Adds usage examples that are proven valid: authored, recorded, the source's own, or derived from the schema.

An example that the operation's exact schema or a format refuses, or that the tool cannot express, is a finding at its
place and never emitted; so is none that only says what the types say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from toolc.dispatch import Refusal
from toolc.ir import Arguments, Catalog, Example, Operation, Schema, Tool
from toolc.passes.context import Context
from toolc.schema.formats import FORMATS, PLACEHOLDERS, TELLING
from toolc.schema.validator import Validator
from toolc.schema.walk import definition
from toolc.tokens import compact

MOST_SINGLE = 2  # examples of a tool with one operation
MOST_TOKENS = 400  # of all examples of one tool together
# What generators and templates put where a value should stand.
_FILLER = frozenset(
    (
        "",
        "string",
        "str",
        "text",
        "value",
        "example",
        "sample",
        "test",
        "todo",
        "foo",
        "bar",
        "baz",
        "abc",
        "xxx",
        "none",
        "null",
    )
)


def apply(catalog: Catalog, context: Context) -> Catalog:
    """The catalog with examples on its tools; why others were left out is counted in the ledger."""
    return replace(catalog, tools=tuple(_with_examples(tool, catalog, context) for tool in catalog.tools))


def _with_examples(tool: Tool, catalog: Catalog, context: Context) -> Tool:
    """One example an action, or a few of a tool with one operation, as long as the budget lasts."""
    chosen: list[Example] = []
    left = MOST_TOKENS
    for case in tool.dispatch.cases:
        operation = catalog.operations[case.operation]
        most = 1 if tool.dispatch.select else MOST_SINGLE
        for example in _usable(tool, operation, context):
            price = context.counter.count(compact(example.arguments))
            if price > left:
                context.ledger.examples["over budget"] += 1
                continue
            left -= price
            most -= 1
            chosen.append(example)
            if most == 0:
                break
    return replace(tool, examples=tuple(chosen)) if chosen else tool


def _usable(tool: Tool, operation: Operation, context: Context) -> Iterator[Example]:
    """Examples as calls of the tool, the best first; one derived from the schema only where there is no other."""
    found = False
    seen: list[Arguments] = []
    for example in (*operation.examples, *_completed(operation, context)):
        if example.arguments in seen:
            continue
        seen.append(example.arguments)
        if example.provenance == "source" and _is_filler(example.arguments):
            context.ledger.examples["filler"] += 1
        elif (arguments := _translated(tool, operation, example, context)) is not None:
            found = True
            yield replace(example, arguments=arguments, places={})
    if not found and (derived := _derived(operation, bool(tool.dispatch.select))) is not None:
        call = _expressed(tool, operation, derived, context)
        if isinstance(call, dict) and context.prover.dispatcher.checker(operation.id).validator.accepts(derived):
            yield Example(call, "derived", operation.origin)


def _translated(tool: Tool, operation: Operation, example: Example, context: Context) -> Arguments | None:
    """The example as a call of the tool, if it is valid and comes back as it was; else it is reported."""
    if not _is_valid(operation, example, context):
        context.ledger.examples["invalid"] += 1
        return None
    arguments = _expressed(tool, operation, example.arguments, context)
    if isinstance(arguments, dict):
        return arguments
    context.ledger.examples["invalid"] += 1
    context.report.warning(
        "invalid-example",
        f"an example of `{operation.id}` is no call of `{tool.name}`: {arguments}",
        example.origin or operation.origin,
        help="use declared parameters only; a merged tool refuses others",
        subject=operation.id,
    )
    return None


def _is_valid(operation: Operation, example: Example, context: Context) -> bool:
    """Whether schema and formats take the arguments; reports what they refuse."""
    _, violations = context.prover.dispatcher.checker(operation.id).check(example.arguments)
    rule, said = "invalid-example", "is invalid"
    if not violations:
        violations = Validator(operation.input, formats=True).violations(example.arguments)
        violations = [violation for violation in violations if violation.format in FORMATS]
        rule, said = "example-contradicts-format", "contradicts its format"
    if not violations:
        return True
    place = ".".join(map(str, violations[0].path))
    origin = example.place(*violations[0].path) or operation.origin
    context.report.error(
        rule,
        f"an example of `{operation.id}` {said}: {f'`{place}`: ' if place else ''}{violations[0].message}",
        origin,
        help="mend the example or the schema; models copy examples",
        subject=operation.id,
    )
    return False


def _expressed(tool: Tool, operation: Operation, arguments: Arguments, context: Context) -> Arguments | str:
    """The arguments as a call of the tool that leads back to them, or why there is none."""
    dispatcher = context.prover.dispatcher
    expressed = dispatcher.express(tool, operation.id, arguments)
    result = dispatcher.resolve_tool(tool, expressed)
    if isinstance(result, Refusal):
        return result.message
    return expressed if result.arguments == arguments else "it comes back changed"


def _completed(operation: Operation, context: Context) -> Iterator[Example]:
    """Examples of the source that lack required arguments, where the schema names the only value they can have.

    An OpenAPI body has examples, its path parameters often none: what `owner` would be is not for us to invent. Such an
    example is counted as incomplete and left out.
    """
    defs = operation.input.get("$defs", {})
    for example in operation.extra.get("partial_examples", ()):
        arguments = dict(example.arguments)
        for name in operation.input.get("required", ()):
            if name not in arguments and (value := _named(operation.input["properties"].get(name), defs)) is not _NONE:
                arguments[name] = value
        if all(name in arguments for name in operation.input.get("required", ())):
            yield replace(example, arguments=arguments)
        else:
            context.ledger.examples["incomplete"] += 1


def _derived(operation: Operation, merged: bool) -> Arguments | None:
    """A call from examples, formats, defaults and enums of the schema; None where it would be filler or tells nothing.

    Required arguments must all have a value; an optional one is taken if it tells more than its type does. Two of the
    same made-up date would say that they are equal: `since` and `before`.
    """
    defs = operation.input.get("$defs", {})
    required = operation.input.get("required", ())
    values: Arguments = {}
    telling = 0
    for name, schema in operation.input.get("properties", {}).items():
        value, tells = _value(schema, defs)
        if value is _NONE or (tells and value in values.values() and value in PLACEHOLDERS.values()):
            if name in required:
                return None
            continue
        if name in required or tells:
            values[name] = value
            telling += tells
    optional = len(operation.input.get("properties", {})) - len(required)
    needed = merged or optional >= 4 or _format_matters(operation.input)
    return values if telling and needed and not _is_filler(values) else None


_NONE: Any = object()


def _named(schema: Any, defs: Schema) -> Any:
    """The value that a schema names itself: its example, its default, or the only one it takes."""
    schema = _target(schema, defs)
    if not isinstance(schema, dict):
        return _NONE
    if isinstance(examples := schema.get("examples"), list) and examples:
        return examples[0]
    if "const" in schema:
        return schema["const"]
    if schema.get("default") is not None:
        return schema["default"]
    values = schema.get("enum")
    return values[0] if isinstance(values, list) and len(values) == 1 else _NONE


def _value(schema: Any, defs: Schema) -> tuple[Any, bool]:
    """A value that stands for the parameter, and whether it tells a reader something that the type does not."""
    schema = _target(schema, defs)
    if not isinstance(schema, dict):
        return _NONE, False
    named = _named(schema, defs)
    if named is not _NONE:
        return named, bool(schema.get("examples"))
    if isinstance(values := schema.get("enum"), list) and values:
        return values[0], False
    if (name := schema.get("format")) in PLACEHOLDERS and schema.get("type") == "string" and "pattern" not in schema:
        return PLACEHOLDERS[name], name in TELLING
    return _NONE, False


def _target(schema: Any, defs: Schema) -> Any:
    for _ in range(len(defs) + 1):
        name = definition(schema.get("$ref")) if isinstance(schema, dict) else None
        if name is None:
            break
        schema = defs.get(name)
    return schema


def _format_matters(schema: Schema) -> bool:
    """Whether a parameter's form is not obvious from its type: a format, a pattern, something nested."""
    return any(
        isinstance(inner, dict)
        and (inner.keys() & {"format", "pattern", "contentEncoding"} or inner.get("type") in ("object", "array"))
        for inner in schema.get("properties", {}).values()
    )


def _is_filler(value: Any) -> bool:
    """Whether a value says nothing: `string`, 0, or made of such."""
    if isinstance(value, dict | list):
        return all(map(_is_filler, value.values() if isinstance(value, dict) else value))
    if isinstance(value, bool):
        return False
    return value is None or value == 0 or (isinstance(value, str) and value.strip().lower() in _FILLER)
