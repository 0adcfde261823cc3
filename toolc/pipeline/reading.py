"""Reads all sources of a config into one catalog, selected and overridden as the config says."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from types import ModuleType
from typing import Any

from toolc import registry
from toolc.bind import did_you_mean
from toolc.config import Config, Override, SourceEntry
from toolc.diagnostics import Diagnostic, Report, Severity, UserError
from toolc.ir import Catalog, Example, Hint, Hints, Operation, Origin, Schema, Source
from toolc.select import Selector, choose
from toolc.sources import Context, Reading
from toolc.tokens import compact

LARGEST = 2_000_000  # characters of a definition; a single word of a million takes tiktoken a second


@dataclass(frozen=True, slots=True)
class Inputs:
    """The catalog before any pass, and the digest of every file it came from."""

    catalog: Catalog
    digests: Mapping[str, str]


def read(config: Config, report: Report, *, strict: bool = False, lenient: bool = False) -> Inputs:
    """Read every source; raises UserError for one that cannot be read, and for selectors that name nothing.

    lenient: a source that cannot be read is reported and left out, unless there is no other.
    """
    digests: dict[str, str] = dict(config.files)
    problems, unread = Report(), Report()
    sources: list[Source] = []
    operations: dict[str, Operation] = {}
    entries: dict[str, SourceEntry] = {}
    known: set[str] = set()
    connections: dict[str, Mapping[str, Any]] = {}
    for name, entry in config.sources.items():
        context = Context(name, entry.base, config.root, report, strict)
        module = registry.load("sources", entry.type)
        try:
            reading: Reading = module.read(entry.options, context)
            connections |= _connections(module, entry, context)
        except UserError as error:
            found = [_where_named(item, entry) for item in placed(error, entry.origin).diagnostics]
            unread.diagnostics.extend(found if config.origin.source else _without_config(found, lenient))
            continue
        digests |= context.files
        # Of several servers in one file, ids tell which is meant.
        inside = None if reading.parts else name
        chosen = set(choose(reading.operations, entry.select, problems, source=inside))
        kept = [
            operation for operation in reading.operations if operation.id in chosen and _bearable(operation, report)
        ]
        entries |= dict.fromkeys((operation.id for operation in kept), entry)
        known |= {operation.id for operation in reading.operations}
        for operation in _overridden(kept, reading.operations, entry, problems):
            operations[operation.id] = _with_recorded(operation, config)
        if not chosen:
            report.warning(
                "empty-source",
                f"source `{name}` gives no operation" + (": its `select` leaves none" if reading.operations else ""),
                entry.origin,
                help="check that it is the right file, or take the source out",
                subject=name,
            )
        for part in reading.parts or (reading,):
            if part.source.name in {source.name for source in sources} | (config.sources.keys() - {name}):
                _name_taken(part.source.name, entry, problems)
            count = sum(operation.source == part.source.name for operation in kept)
            sources.append(_as_declared(part.source, entry, count))
    left_out = lenient and (sources or not unread.has(Severity.warning))
    (report if left_out else problems).diagnostics.extend(unread.diagnostics)
    catalog = Catalog(config.name, tuple(sources), dict(sorted(operations.items())), connections=connections)
    _check_names(entries, operations.values(), problems)
    _check_examples(config, known, problems)
    if not problems.has(Severity.error):
        _check_selectors(config, catalog, problems)
    if problems.has(Severity.error):
        raise UserError(*problems.diagnostics)
    report.diagnostics.extend(problems.diagnostics)
    return Inputs(catalog, dict(sorted(digests.items())))


def _connections(module: ModuleType, entry: SourceEntry, context: Context) -> dict[str, Mapping[str, Any]]:
    """Where calls of a source go and how they are authorised, as far as its reader and the config say; by source."""
    offer = getattr(module, "connections", None)
    found: dict[str, dict[str, Any]] = offer(entry.options, context) if offer else {}
    if entry.auth is not None:
        auth = entry.auth.to_data()
        found = {name: {"auth": auth, **connection} for name, connection in (found or {entry.name: {}}).items()}
    return {name: connection for name, connection in found.items() if connection}


def _without_config(found: Iterable[Diagnostic], lenient: bool) -> Iterator[Diagnostic]:
    """Where there is no toolc.yaml, nothing can be pulled: a file that only names servers has no tools to look at."""
    for diagnostic in found:
        if diagnostic.rule == "missing-snapshot":
            message = "this names live sources, whose tools are not here"
            advice = "name the file in a toolc.yaml (`toolc init` writes one), and run `toolc pull` there"
            severity = Severity.note if lenient else diagnostic.severity
            diagnostic = Diagnostic("not-pulled", severity, message, diagnostic.origin, help=advice, cause=message)
        yield diagnostic


def _bearable(operation: Operation, report: Report) -> bool:
    """Whether a definition is of a size that can be counted and proven; one that is not costs its operation."""
    size = (
        len(operation.id) + len(operation.description) + sum(map(len, operation.tags)) + len(compact(operation.input))
    )
    if size > LARGEST:
        report.error(
            "oversized-operation",
            f"the definition of `{operation.id:.80}` has {size:,} characters and is left out (most: {LARGEST:,})",
            operation.origin,
            help="no model can take a definition of this size: correct the source",
        )
    return size <= LARGEST


def placed(error: UserError, origin: Origin) -> UserError:
    """The error, at the source's place in the config where it tells no other."""
    return UserError(*(replace(item, origin=item.origin or origin) for item in error.diagnostics))


def _where_named(item: Diagnostic, entry: SourceEntry) -> Diagnostic:
    """The finding; a file that is not there has no line, so it stands at the key of the config that names it."""
    if item.rule not in ("missing-file", "unreadable-file") or item.origin != Origin(
        str(item.origin and item.origin.source)
    ):
        return item
    shown = item.origin.source
    for key in fields(entry.options):
        value = getattr(entry.options, key.name)
        if isinstance(value, str) and value and shown.endswith(value.removeprefix("./")):
            return replace(item, origin=entry.origin.at(key.name))
    return item


def _as_declared(source: Source, entry: SourceEntry, operations: int) -> Source:
    """The source with what the config says of it instead of the defaults of its type."""
    return replace(
        source,
        lead=source.lead if entry.descriptions is None else entry.descriptions == "lead",
        separate=source.separate if entry.separate is None else entry.separate,
        vendored=source.vendored if entry.vendored is None else entry.vendored,
        operations=operations,
    )


def _overridden(
    kept: Iterable[Operation], everything: Iterable[Operation], entry: SourceEntry, report: Report
) -> Iterable[Operation]:
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


def _with_recorded(operation: Operation, config: Config) -> Operation:
    """The operation with recorded calls that the config has: after what its authors wrote, before all others."""
    if not (recorded := config.examples.get(operation.id)):
        return operation
    authored = [example for example in operation.examples if example.provenance == "authored"]
    others = operation.examples[len(authored) :]
    return replace(operation, examples=(*authored, *recorded, *others))


def _check_examples(config: Config, known: set[str], report: Report) -> None:
    """Report examples of operations that no source has; one that is not selected is no fault."""
    for key, examples in config.examples.items():
        if key not in known and examples:
            report.error(
                "unknown-operation",
                f"there is no operation `{key}`{did_you_mean(key, known)}",
                examples[0].origin,
                help="`examples` are keyed by operation ids, `source:name`; take out what the source no longer has",
            )


def _name_taken(name: str, entry: SourceEntry, report: Report) -> None:
    """Report a server of an `mcp.json` that is called like another source."""
    report.error(
        "defined-twice",
        f"`{entry.name}` names a server `{name}`, and there is a source of that name already",
        entry.origin,
        help="rename one of them, or list the servers to take: `servers: [NAME]`",
    )


def _check_names(entries: Mapping[str, SourceEntry], operations: Iterable[Operation], report: Report) -> None:
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


def _check_selectors(config: Config, catalog: Catalog, report: Report) -> None:
    """Report every entry of a list that names no operation, wherever in the config it stands."""
    selectors: list[Selector] = [config.always, config.consolidate.keep, *config.consolidate.families.values()]
    selectors += [group.select for group in config.groups.values()]
    selectors += [profile.select for profile in config.profiles.values()]
    selectors += [profile.allow for profile in config.profiles.values()]
    if not any(selector.entries for selector in selectors):
        return
    from toolc.passes import databases  # and with it all passes, which a lint of plain files has no use for

    operations = databases.selectable(catalog).operations.values()
    found = Report()
    for selector in selectors:
        choose(operations, selector, found)
    report.diagnostics.extend(dict.fromkeys(found.diagnostics))  # a profile has the entries of the one it extends, too
