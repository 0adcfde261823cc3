"""`lint`: what readers, passes, targets and rules find in the tools of a config."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from toolc import levels, registry, rules
from toolc import lock as lock_file
from toolc.config import Config
from toolc.diagnostics import Diagnostic, Report, worst_first
from toolc.ir import Catalog, Operation
from toolc.limits import PORTABLE, Limits, fit
from toolc.lock import Lock
from toolc.pipeline.compiling import Compiled, compile_catalog
from toolc.pipeline.emitting import Emitted, emit
from toolc.pipeline.filtering import collapsed, demoted, levelled, silenced
from toolc.pipeline.reading import read
from toolc.rules import Rule, Seen, Subject, written
from toolc.select import select
from toolc.tokens import Counter

STAGES = ("source", "catalog", "target")


@dataclass(frozen=True, slots=True)
class Choice:
    """Which rules the command line asks for.

    select: only these, whatever the preset says. preset: instead of the config's.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    preset: str = ""


def is_plain(config: Config) -> bool:
    """Whether the config was made for plain source files, which are looked at as they stand."""
    return not config.origin.source


def lint(config: Config, choice: Choice = Choice()) -> list[Diagnostic]:
    """Findings of readers, passes, targets and rules, with the config's levels and allowances applied."""
    report = Report()
    inputs = read(config, report)
    with Counter() as counter:
        if is_plain(config):
            return findings(_plain(config, inputs.catalog, counter), report.diagnostics, choice)
        lock = lock_file.load(config.root)
        compiled = compile_catalog(inputs.catalog, config, report, counter, lock)
        emitted = emit(compiled, config, counter, config.targets, report)
        return findings(built(config, compiled, emitted, counter, lock), report.diagnostics, choice)


def findings(subject: Subject, reported: Sequence[Diagnostic], choice: Choice = Choice()) -> list[Diagnostic]:
    """What the rules find and what was reported before them, the worst first; the counter is still open."""
    config = subject.config
    chosen = [rules.load(name) for name in wanted(config, choice)]
    found = [*reported, *_run(chosen, subject)]
    if choice.select:
        found = [finding for finding in found if finding.rule in choice.select]
    ignored = {*config.lint.ignore, *choice.ignore}
    found = [finding for finding in found if finding.rule not in ignored]
    found = silenced(collapsed(found), {rule.name: rule.silences for rule in chosen})
    allowed = _allowed(config, subject)
    kept = [finding for finding in found if (finding.rule, finding.subject) not in allowed]
    vendored = {file for source in subject.catalog.sources if source.vendored for file in source.files}
    return worst_first(demoted(levelled(kept, config.lint.levels), vendored))


def wanted(config: Config, choice: Choice) -> list[str]:
    """The rules to run: those of the preset, those that a level switches on, or exactly those that were selected."""
    names = registry.names("rules")
    if choice.select:
        return [name for name in names if name in choice.select]
    preset = choice.preset or config.lint.preset
    return [name for name in names if name not in choice.ignore and _runs(name, preset, config)]


def _runs(name: str, preset: str, config: Config) -> bool:
    level = config.lint.levels.get(name)
    if name in config.lint.ignore or level == "off":
        return False
    return level is not None or preset == "all" or preset in rules.load(name).presets


def _run(chosen: Sequence[Rule], subject: Subject) -> Iterator[Diagnostic]:
    for stage in STAGES:
        for rule in chosen:
            if rule.stage == stage:
                options = [] if rule.options is None else [subject.config.lint.options.of(rule.name, rule.options)]
                yield from rule.check(subject, *options)


def _plain(config: Config, catalog: Catalog, counter: Counter) -> Subject:
    """The tools of plain files as they stand: no pass has changed them, and no target either."""
    tools = [_as_it_stands(operation) for operation in catalog.operations.values()]
    limits: dict[str, Limits] = {name: registry.load("targets", name).LIMITS for name in config.targets}
    limits = limits or {"portable": PORTABLE}
    return Subject(config, catalog, tools, counter, limits, dict.fromkeys(limits, tools), plain=True)


def _as_it_stands(operation: Operation) -> Seen:
    return Seen(
        operation.name,
        operation.description,
        written(operation),
        (operation,),
        (operation.origin,),
        operation.hints,
        "deferred" if operation.extra.get("defer_loading") is True else "always",
        operation.tags[0] if operation.tags else "",
        operation.examples,
    )


def built(config: Config, compiled: Compiled, emitted: Emitted, counter: Counter, lock: Lock) -> Subject:
    """The tools of a config as they are built, and as each of its targets takes them."""
    catalog = compiled.catalog
    tools = [
        Seen(
            tool.name,
            tool.description,
            tool.input_schema,
            tuple(catalog.operations[key] for key in tool.operations),
            tool.origins,
            tool.hints,
            tool.tier,
            tool.group,
            tool.examples,
            {case.operation: case.args for case in tool.dispatch.cases if case.args},
        )
        for tool in catalog.tools
    ]
    limits: dict[str, Limits] = {name: registry.load("targets", name).LIMITS for name in emitted.targets}
    return Subject(
        config,
        catalog,
        tools,
        counter,
        limits,
        _Sent(tools, compiled, emitted, limits),
        lock,
        stubs=sum(counter.count(levels.stub(tool)) for tool in catalog.tools),
        targets=emitted.targets,
        counts={tool.operations[0]: compiled.tokens[tool.name] for tool in catalog.tools},
    )


class _Sent(Mapping[str, Sequence[Seen]]):
    """Target → its tools, fitted when a rule first asks for them."""

    def __init__(
        self, tools: Sequence[Seen], compiled: Compiled, emitted: Emitted, limits: Mapping[str, Limits]
    ) -> None:
        self._tools = tools
        self._compiled = compiled
        self._emitted = emitted
        self._limits = limits
        self._fitted: dict[str, list[Seen]] = {}

    def __getitem__(self, target: str) -> Sequence[Seen]:
        if target not in self._fitted:
            limits, left_out = self._limits[target], self._emitted.targets[target].quarantined
            pairs = zip(self._tools, self._compiled.catalog.tools, strict=True)
            fitted = [(seen, fit(tool, limits)) for seen, tool in pairs if tool.name not in left_out]
            self._fitted[target] = [
                replace(seen, description=each.description, schema=each.input_schema) for seen, each in fitted
            ]
        return self._fitted[target]

    def __iter__(self) -> Iterator[str]:
        return iter(self._limits)

    def __len__(self) -> int:
        return len(self._limits)


def _allowed(config: Config, subject: Subject) -> set[tuple[str, str]]:
    """(rule, tool or operation) pairs that the config lets pass."""
    holders = {operation.id: tool.name for tool in subject.tools for operation in tool.operations}
    allowed = set()
    for entry, reasons in config.lint.allow.items():
        for operation in select(subject.catalog.operations.values(), [entry]).ids:
            allowed |= {(rule, name) for rule in reasons for name in (operation, holders[operation])}
    return allowed
