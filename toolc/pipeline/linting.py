"""`lint`: what readers, passes, targets and rules find in the tools of a config."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from toolc import lock as lock_file
from toolc import registry, rules
from toolc.config import Config
from toolc.diagnostics import Diagnostic, Report, user_error, worst_first
from toolc.ir import Catalog, Operation, Origin
from toolc.limits import PORTABLE, Limits, fit
from toolc.lock import Lock
from toolc.pipeline.filtering import collapsed, demoted, levelled, news, silenced
from toolc.pipeline.reading import read
from toolc.pipeline.suppressions import applied, collect
from toolc.position import Locator
from toolc.rules import Rule, Seen, Subject, written
from toolc.tokens import Counter

if TYPE_CHECKING:
    from toolc.pipeline.compiling import Compiled
    from toolc.pipeline.emitting import Emitted

STAGES = ("source", "catalog", "target")
# They look at what the others made of the suppressions.
LAST = ("unused-suppression", "unknown-rule")


@dataclass(frozen=True, slots=True)
class Choice:
    """Which rules the command line asks for.

    select: only these, whatever the preset says. preset: instead of the config's. locked: whether definitions of
    vendored sources have to be what the lock says.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    preset: str = ""
    locked: bool = False


def is_plain(config: Config) -> bool:
    """Whether the config was made for plain source files, which are looked at as they stand."""
    return not config.origin.source


@dataclass(frozen=True, slots=True)
class LintResult:
    """What was found, the worst first, and what is known of the run.

    suppressed: findings that were let pass, with the reason. tools: how many were looked at. files: those that were
    read, by the path their findings show. rules: names of those that ran. definitions: subject → where its definition
    stands. vendored: files that the team cannot edit. operations: as read, by id. reported:
    names of all that was found, let pass and left out included.
    """

    findings: tuple[Diagnostic, ...]
    suppressed: tuple[tuple[Diagnostic, str], ...] = ()
    tools: int = 0
    files: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    definitions: Mapping[str, Origin] = field(default_factory=dict)
    vendored: frozenset[str] = frozenset()
    operations: Mapping[str, Operation] = field(default_factory=dict)
    reported: frozenset[str] = frozenset()


def lint(config: Config, choice: Choice = Choice()) -> LintResult:
    """Findings of readers, passes, targets and rules, with the config's levels and allowances applied."""
    report = Report()
    inputs = read(config, report, lenient=is_plain(config))
    with Counter() as counter:
        if is_plain(config):
            if choice.locked:
                message = "source files without a toolc.yaml have no lock"
                raise user_error("missing-lock", message, help="name the toolc.yaml, or leave --locked out")
            subject = _plain(config, inputs.catalog, counter)
        else:
            from toolc.pipeline.compiling import compile_catalog
            from toolc.pipeline.emitting import emit

            lock = lock_file.required(config.root) if choice.locked else lock_file.load(config.root)
            compiled = compile_catalog(inputs.catalog, config, report, counter, lock)
            emitted = emit(compiled, config, counter, config.targets, report)
            subject = replace(built(config, compiled, emitted, counter, lock), locked=choice.locked)
        result = findings(subject, report.diagnostics, choice)
    return replace(result, files=tuple(inputs.digests))


def findings(subject: Subject, reported: Sequence[Diagnostic], choice: Choice = Choice()) -> LintResult:
    """What the rules find and what was reported before them; the counter is still open."""
    config, catalog = subject.config, subject.catalog
    chosen = [rules.load(name) for name in wanted(config, choice)]
    of_rules = list(_run(chosen, subject))
    raised = [*news(reported, of_rules), *of_rules]
    names = frozenset(finding.rule for finding in raised)
    found = _of_interest(raised, config, choice)
    locator = Locator(config.root)
    found = silenced(collapsed(found, locator.first), {rule.name: rule.silences for rule in chosen})
    suppressions = collect(subject, locator)
    kept, passed, used = applied(found, suppressions, locator)
    ran = {*(rule.name for rule in chosen), *(finding.rule for finding in found)}
    judged = [
        replace(each, used=index in used if each.rule in ran else None) for index, each in enumerate(suppressions)
    ]
    last = _run(chosen, replace(subject, suppressions=judged, reported=names), LAST)
    kept += _of_interest(last, config, choice)
    gating = {rule.name for rule in chosen if rule.vendored}
    vendored = frozenset(file for source in catalog.sources if source.vendored for file in source.files)
    return LintResult(
        tuple(worst_first(demoted(levelled(kept, config.lint.levels), vendored, gating))),
        tuple((finding, suppression.reason) for finding, suppression in passed),
        len(subject.tools),
        tuple(file for source in catalog.sources for file in source.files),
        tuple(sorted(ran)),
        _definitions(subject),
        vendored,
        catalog.operations,
        names,
    )


def _of_interest(found: Iterable[Diagnostic], config: Config, choice: Choice) -> list[Diagnostic]:
    ignored = {*config.lint.ignore, *choice.ignore}
    return [
        finding
        for finding in found
        if finding.rule not in ignored and (not choice.select or finding.rule in choice.select)
    ]


def _definitions(subject: Subject) -> dict[str, Origin]:
    """Where the definition of each tool and operation stands, by its name and its id."""
    places = {tool.name: tool.origin for tool in subject.tools}
    return places | {operation.id: operation.origin for operation in subject.operations}


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


def _run(chosen: Sequence[Rule], subject: Subject, only: Sequence[str] = ()) -> Iterator[Diagnostic]:
    """The findings of the rules, stage by stage: of those in `only`, else of all but the last."""
    for stage in STAGES:
        for rule in chosen:
            if rule.stage == stage and (rule.name in only if only else rule.name not in LAST):
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
        stubs=counter.count(emitted.levels["stubs"]),
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
