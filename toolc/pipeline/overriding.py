"""What the config says of single operations beside their source: overrides and recorded examples."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace

from toolc.bind import did_you_mean
from toolc.config import Config, Override, SourceEntry
from toolc.diagnostics import Report
from toolc.ir import Example, Hint, Hints, Operation, Schema


def overridden(
    kept: Iterable[Operation], everything: Iterable[Operation], entry: SourceEntry, report: Report
) -> Iterable[Operation]:
    """What is kept of a source, as its entry overrides it; an override of what the source does not have is told."""
    everything = tuple(everything)
    names = Tally(operation.name for operation in everything)
    known = {*names, *(operation.id for operation in everything)}
    for name, override in entry.overrides.items():
        if names[name] > 1:
            ids = ", ".join(operation.id for operation in everything if operation.name == name)
            message = f"`{name}` is the name of {names[name]} operations of `{entry.name}`"
            report.error("ambiguous-name", message, override.origin, help=f"write the id instead: {ids}")
        elif name not in known:
            report.error(
                "unknown-operation",
                f"`{entry.name}` has no operation `{name}`{did_you_mean(name, known)}",
                override.origin,
                help="overrides are keyed by the operation's name as the source has it",
            )
    for operation in kept:
        found = _override_of(operation, entry)
        yield operation if found is None else _override(operation, found, report)


def _override_of(operation: Operation, entry: SourceEntry) -> Override | None:
    return entry.overrides.get(operation.name) or entry.overrides.get(operation.id)


def _override(operation: Operation, override: Override, report: Report) -> Operation:
    authored = tuple(
        Example(dict(arguments), "authored", override.origin.at("examples", index))
        for index, arguments in enumerate(override.examples)
    )
    properties = dict(operation.input.get("properties", {}))
    for name, parameter in override.parameters.items():
        if name not in properties:
            report.error(
                "unknown-parameter",
                f"`{operation.id}` has no parameter `{name}`{did_you_mean(name, properties)}",
                override.origin.at("parameters", name),
            )
        elif parameter.description:
            schema: Schema = {} if isinstance(properties[name], bool) else properties[name]
            properties[name] = {**schema, "description": parameter.description}
    changed = {**operation.input, "properties": properties} if override.parameters else operation.input
    return replace(
        operation,
        pinned_name=override.name or operation.pinned_name,
        description=override.description or operation.description,
        hints=_hints(operation.hints, override),
        examples=authored + operation.examples,
        input=changed,
    )


def _hints(hints: Hints, override: Override) -> Hints:
    said = {item.name: getattr(override.hints, item.name) for item in fields(hints)}
    declared = {
        name: Hint(value, "declared", "overrides in the config") for name, value in said.items() if value is not None
    }
    if declared.get("read_only", Hint()).value and "destructive" not in declared:
        declared["destructive"] = Hint(False, "declared", "overrides in the config: read_only")
    return replace(hints, **declared)


def with_recorded(operation: Operation, config: Config) -> Operation:
    """The operation with recorded calls that the config has: after what its authors wrote, before all others."""
    if not (recorded := config.examples.get(operation.id)):
        return operation
    authored = [example for example in operation.examples if example.provenance == "authored"]
    others = operation.examples[len(authored) :]
    return replace(operation, examples=(*authored, *recorded, *others))


def check_examples(config: Config, known: set[str], report: Report) -> None:
    """Report examples of operations that no source has; one that is not selected is no fault."""
    for key, examples in config.examples.items():
        if key not in known and examples:
            report.error(
                "unknown-operation",
                f"there is no operation `{key}`{did_you_mean(key, known)}",
                examples[0].origin,
                help="`examples` are keyed by operation ids, `source:name`; take out what the source no longer has",
            )


def check_names(entries: Mapping[str, SourceEntry], operations: Iterable[Operation], report: Report) -> None:
    """Report a name given in `overrides` that another operation has already, or was given too.

    entries: the config's entry that each operation came from, by id.
    """
    operations = list(operations)
    for operation in operations:
        if not (name := operation.pinned_name):
            continue
        clashing = [o.id for o in operations if o is not operation and name in (o.name, o.pinned_name)]
        if clashing:
            override = _override_of(operation, entries[operation.id])
            report.error(
                "name-taken",
                f"`{operation.id}` is given the name `{name}`, which is that of `{clashing[0]}`",
                override.origin if override is not None else operation.origin,
                help="give it another name; who was allowed to call the one would call the other",
            )
