"""Reads all sources of a config into one catalog, selected and overridden as the config says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from types import ModuleType
from typing import Any

from toolc import registry
from toolc.config import Config, SourceEntry
from toolc.diagnostics import Diagnostic, Report, Severity, UserError
from toolc.ir import Catalog, Operation, Origin, Source
from toolc.pipeline.overriding import check_examples, check_names, overridden, with_recorded
from toolc.select import Selector, choose
from toolc.sources import Context, Reading
from toolc.tokens import compact

NOT_PULLED = "not-pulled"
# Beside sources that can be read, what is no fault of its file is only noted.
_LEFT_OUT = {NOT_PULLED: Severity.note}
LARGEST = 2_000_000  # characters of a definition; a single word of a million takes tiktoken a second


@dataclass(frozen=True, slots=True)
class Inputs:
    """The catalog before any pass, and the digest of every file it came from."""

    catalog: Catalog
    digests: Mapping[str, str]


def read(config: Config, report: Report, *, strict: bool = False, lenient: bool = False) -> Inputs:
    """Read every source; raises UserError for one that cannot be read, and for selectors that name nothing.

    lenient: a source that cannot be read is reported and left out, where another can be.
    """
    digests: dict[str, str] = dict(config.files)
    problems, unread = Report(), Report()
    sources: list[Source] = []
    operations: dict[str, Operation] = {}
    entries: dict[str, SourceEntry] = {}
    known: set[str] = set()
    parts: dict[str, list[str]] = {}
    connections: dict[str, Mapping[str, Any]] = {}
    for name, entry in config.sources.items():
        context = Context(name, entry.base, config.root, report, strict)
        module = registry.load("sources", entry.type)
        told = len(report.diagnostics)
        try:
            reading: Reading = module.read(entry.options, context)
            connections |= _connections(module, entry, context)
        except UserError as error:
            found = [_where_named(item, entry) for item in placed(error, entry.origin).diagnostics]
            unread.diagnostics.extend(found if config.origin.source else dict.fromkeys(_without_config(found)))
            continue
        digests |= context.files
        # Of several servers in one file, ids tell which is meant.
        inside = None if reading.parts else name
        if reading.parts:
            parts[name] = [part.source.name for part in reading.parts]
        chosen = set(choose(reading.operations, entry.select, problems, source=inside, parts=parts))
        kept = [
            operation for operation in reading.operations if operation.id in chosen and _bearable(operation, report)
        ]
        entries |= dict.fromkeys((operation.id for operation in kept), entry)
        known |= {operation.id for operation in reading.operations}
        for operation in overridden(kept, reading.operations, entry, problems):
            operations[operation.id] = with_recorded(operation, config)
        # what its reader said of it tells more
        if not chosen and (reading.operations or len(report.diagnostics) == told):
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
    if lenient and sources:
        report.diagnostics.extend(
            replace(item, severity=_LEFT_OUT.get(item.rule, item.severity)) for item in unread.diagnostics
        )
    else:
        problems.diagnostics.extend(unread.diagnostics)
    catalog = Catalog(config.name, tuple(sources), dict(sorted(operations.items())), connections=connections)
    check_names(entries, operations.values(), problems)
    check_examples(config, known, problems)
    if not problems.has(Severity.error):
        _check_selectors(config, catalog, parts, problems)
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


def _without_config(found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Where there is no toolc.yaml, nothing can be pulled: a file that only names servers has no tools to look at."""
    for diagnostic in found:
        if diagnostic.rule == "missing-snapshot":
            message = "this names live sources, whose tools are not here"
            advice = "name the file in a toolc.yaml (`toolc init` writes one), and run `toolc pull` there"
            diagnostic = replace(diagnostic, rule=NOT_PULLED, message=message, help=advice, cause=message)
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
        for index, name in enumerate(value if isinstance(value, tuple) else (value,)):
            if isinstance(name, str) and name and shown.endswith(name.removeprefix("./")):
                place = entry.origin.at(key.name)
                return replace(item, origin=place.at(index) if isinstance(value, tuple) else place)
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


def _name_taken(name: str, entry: SourceEntry, report: Report) -> None:
    """Report a server of an `mcp.json` that is called like another source."""
    report.error(
        "defined-twice",
        f"`{entry.name}` names a server `{name}`, and there is a source of that name already",
        entry.origin,
        help="rename one of them, or list the servers to take: `servers: [NAME]`",
    )


def _check_selectors(config: Config, catalog: Catalog, parts: Mapping[str, Sequence[str]], report: Report) -> None:
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
        choose(operations, selector, found, parts=parts)
    report.diagnostics.extend(dict.fromkeys(found.diagnostics))  # a profile has the entries of the one it extends, too
