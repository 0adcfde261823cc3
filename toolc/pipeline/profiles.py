"""Profiles: for each agent the bundle of the operations that it may use, with nothing in it of any other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolc import lock as lock_file
from toolc import registry
from toolc.config import Config, Profile
from toolc.diagnostics import Diagnostic, Report
from toolc.ir import EFFECTS, Catalog, File, Operation, Source
from toolc.pipeline.compiling import Compiled, compile_catalog
from toolc.pipeline.emitting import emit, written
from toolc.pipeline.figures import figures
from toolc.pipeline.linting import built
from toolc.select import select
from toolc.tokens import Counter


@dataclass(frozen=True, slots=True)
class Choice:
    """What a profile holds: ids, and those of its selection left out by `max_effect`, or as their effect is unknown."""

    ids: frozenset[str]
    worse: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProfileResult:
    """The files of a profile, its entry in `report.json` of the whole bundle, and the budgets that it exceeds."""

    files: tuple[File, ...]
    entry: dict[str, Any]
    over_budget: tuple[Diagnostic, ...]


def choose(profile: Profile, catalog: Catalog) -> Choice:
    """The operations of a profile; one of unknown effect counts as worse than every `max_effect`."""
    operations = catalog.operations.values()
    chosen = set(select(operations, profile.select.entries).ids)
    worse: set[str] = set()
    if profile.max_effect is not None:
        limit = EFFECTS.index(profile.max_effect)
        worse = {key for key in chosen if EFFECTS.index(catalog.operations[key].hints.effect) > limit}
    allowed = set(select(operations, profile.allow.entries).ids) if profile.allow.entries else set()
    left_out = sorted(worse - allowed)
    unknown = tuple(key for key in left_out if catalog.operations[key].hints.effect == "unknown")
    return Choice(frozenset(chosen - worse | allowed), tuple(key for key in left_out if key not in unknown), unknown)


def build_profile(
    name: str,
    config: Config,
    catalog: Catalog,
    whole: Compiled,
    counter: Counter,
    targets: Sequence[str],
    report: Report,
) -> ProfileResult:
    """The passes run again over the operations of a profile, with the names of the whole catalog.

    A call means the same in every profile: a merged tool keeps its name and its selector even if one action is left.
    """
    profile = config.profiles[name]
    choice = choose(profile, catalog)
    _tell(name, profile, choice, report)
    operations = {key: operation for key, operation in catalog.operations.items() if key in choice.ids}
    held = {operation.source for operation in operations.values()}
    sources = tuple(_described(source, operations.values()) for source in catalog.sources if source.name in held)
    part = replace(catalog, operations=operations, sources=sources, name=f"{catalog.name}-{name}")
    own = Report()
    pins = lock_file.of(whole.catalog, whole.tokens, {}).only(choice.ids)
    compiled = compile_catalog(part, config, own, counter, pins)
    # a name that is ambiguous in the whole is none here either
    known = whole.catalog.aliases.keys()
    aliases = {old: alias for old, alias in compiled.catalog.aliases.items() if old in known}
    compiled = replace(compiled, catalog=replace(compiled.catalog, aliases=aliases))
    emitted = emit(compiled, config, counter, targets, own, name)
    said = {(d.rule, d.message, d.origin) for d in report.diagnostics}
    report.diagnostics.extend(d for d in own.diagnostics if (d.rule, d.message, d.origin) not in said)
    data = figures(compiled, emitted, counter, own.diagnostics)
    subject = built(replace(config, budgets=profile.budgets), compiled, emitted, counter, pins)
    over = tuple(
        replace(finding, message=f"profile {name}: {finding.message}")
        for finding in registry.load("rules", "over-budget").check(subject)
    )
    files = tuple(replace(file, path=f"profiles/{name}/{file.path}") for file in written(compiled, emitted, data))
    return ProfileResult(files, _entry(compiled, data, choice), over)


def _described(source: Source, operations: Iterable[Operation]) -> Source:
    """The source; a database's description names its tables, also those that the profile has nothing of."""
    whole = source.operations == sum(operation.source == source.name for operation in operations)
    return source if whole or source.type != "database" else replace(source, description="")


def _entry(compiled: Compiled, data: dict[str, Any], choice: Choice) -> dict[str, Any]:
    return {
        "operations": len(compiled.catalog.operations),
        "tools": len(compiled.catalog.tools),
        "tokens": {key: data["tokens"][key] for key in ("full", "always", "stubs", "index")},
        "above_max_effect": list(choice.worse),
        "unknown_effect": list(choice.unknown),
    }


def _tell(name: str, profile: Profile, choice: Choice, report: Report) -> None:
    if choice.unknown:
        count = len(choice.unknown)
        what = f"{count} operations of unknown effect" if count > 1 else "an operation of unknown effect"
        report.note(
            "unknown-effect",
            f"profile {name} leaves out {what}: {', '.join(choice.unknown[:10])}" + (" …" if count > 10 else ""),
            profile.origin,
            help="declare their hints under `overrides`, or name them in the profile's `allow`",
            subject=name,
        )
    if not choice.ids:
        report.warning(
            "empty-profile",
            f"profile {name} holds no operation"
            + (f": all {len(choice.worse) + len(choice.unknown)} are above its `max_effect`" if choice.worse else ""),
            profile.origin,
            help="select other operations, or name some in its `allow`",
            subject=name,
        )
