"""`build`: from a config to the files of a bundle and the text of its lock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolc import lock as lock_file
from toolc import registry
from toolc.bind import did_you_mean
from toolc.changes import Change, compare
from toolc.config import Config
from toolc.diagnostics import Diagnostic, Report, Severity, user_error
from toolc.ir import Catalog, File
from toolc.lock import FILE_NAME, Lock
from toolc.pipeline import breaking
from toolc.pipeline.compiling import compile_catalog
from toolc.pipeline.emitting import emit, written
from toolc.pipeline.figures import figures
from toolc.pipeline.linting import built, findings
from toolc.pipeline.profiles import build_profile
from toolc.pipeline.reading import Inputs, read
from toolc.tokens import Counter

ENCODING = "o200k_base"


@dataclass(frozen=True, slots=True)
class BuildResult:
    """What a build made.

    failed: reasons not to write it, the gate's own words; changes: against the lock of the last build; broken: those of
    the diagnostics that say what of it breaks callers and is not accepted.
    """

    files: tuple[File, ...]
    lock: Lock
    catalog: Catalog
    report: dict[str, Any]
    diagnostics: list[Diagnostic]
    failed: tuple[str, ...]
    changes: tuple[Change, ...]
    findings: tuple[Diagnostic, ...] = ()
    broken: tuple[Diagnostic, ...] = ()


def build(
    config: Config,
    *,
    strict: bool = False,
    repin: bool = False,
    locked: bool = False,
    targets: Sequence[str] | None = None,
    profiles: Sequence[str] | None = None,
    lint: bool = False,
) -> BuildResult:
    """Everything the config asks for, in memory; raises UserError where nothing can be built.

    lint: run the rules as well, over what is built; `findings` of the result are what `lint` would find.
    """
    report = Report()
    previous = lock_file.required(config.root) if locked else lock_file.load(config.root)
    inputs = read(config, report, strict=strict)
    wanted = _wanted("target", targets, config.targets)
    chosen = _wanted("profile", profiles, config.profiles)
    with Counter(ENCODING) as counter:
        compiled = compile_catalog(inputs.catalog, config, report, counter, Lock() if repin else previous)
        emitted = emit(compiled, config, counter, wanted, report)
        subject = replace(built(config, compiled, emitted, counter, previous), locked=locked)
        found = findings(subject, report.diagnostics).findings if lint else ()
        budget = list(registry.load("rules", "over-budget").check(subject))
        report.diagnostics.extend(budget)
        moved = list(registry.load("rules", "definition-changed").check(subject))
        report.diagnostics.extend(moved)
        data = figures(compiled, emitted, counter, report.diagnostics)
        parts = {
            name: build_profile(name, config, inputs.catalog, compiled, counter, wanted, report) for name in chosen
        }
        report.diagnostics.extend(finding for part in parts.values() for finding in part.over_budget)
        budget += [finding for part in parts.values() for finding in part.over_budget]
        data["profiles"] = {name: part.entry for name, part in parts.items()}
        files = written(compiled, emitted, data)
        files += [file for part in parts.values() for file in part.files]
    lock = lock_file.of(compiled.catalog, compiled.tokens, inputs.digests)
    changes = compare(previous, lock) if previous.contracts else []
    broken = breaking.unaccepted(changes, config, repin)
    breaks = Report()
    breaking.report_breaking(broken, config, compiled.catalog, breaks)
    report.diagnostics.extend(breaks.diagnostics)
    breaking.report_unused(changes, config, previous, report)
    failed = _failures(budget, broken, report, strict, moved, _drifted(previous, inputs, moved) if locked else [])
    reported = {finding.rule for finding in report.diagnostics}
    slips = list(registry.load("rules", "unknown-rule").check(replace(subject, reported=reported)))
    return BuildResult(
        files=tuple(files),
        lock=lock,
        catalog=compiled.catalog,
        report=data,
        diagnostics=[*report.diagnostics, *slips],
        failed=tuple(failed),
        changes=tuple(changes),
        findings=found,
        broken=tuple(breaks.diagnostics),
    )


def _wanted(kind: str, asked: Sequence[str] | None, declared: Any) -> list[str]:
    for name in asked or ():
        if name not in declared:
            known = ", ".join(declared) or "none"
            raise user_error(
                f"unknown-{kind}",
                f"the config declares no {kind} `{name}`{did_you_mean(name, declared)}",
                help=f"add it under `{kind}s`; declared: {known}",
            )
    return [name for name in declared if asked is None or name in asked]


def _drifted(lock: Lock, inputs: Inputs, moved: Iterable[Diagnostic]) -> list[str]:
    """The files that are not what the lock says, but for those of which findings say how."""
    told = {place.source for finding in moved for place in (finding.origin, *finding.related) if place is not None}
    names = sorted({*lock.inputs, *inputs.digests} - told)
    return [name for name in names if lock.inputs.get(name) != inputs.digests.get(name)]


def _failures(
    budget: Sequence[Diagnostic],
    broken: Mapping[str, Sequence[Change]],
    report: Report,
    strict: bool,
    moved: Sequence[Diagnostic],
    drifted: Sequence[str],
) -> list[str]:
    failed = []
    if budget:
        failed.append(f"{len(budget)} budget{'s' * (len(budget) > 1)} exceeded")
    if broken:
        count = f"{len(broken)} operations break their callers" if len(broken) > 1 else "1 operation breaks its callers"
        failed.append(f"{count}, which `accept` does not name (`toolc diff` shows it all)")
    if moved:
        count = f"{len(moved)} definitions are" if len(moved) > 1 else "1 definition is"
        failed.append(f"{count} not what {FILE_NAME} says")
    if drifted:
        are = "inputs are" if len(drifted) > 1 else "input is"
        files = ", ".join(drifted[:5]) + (" …" if len(drifted) > 5 else "")
        failed.append(
            f"{len(drifted)} {are} not what {FILE_NAME} says: {files} (put back what it says, "
            f"or build without --locked and commit {FILE_NAME})"
        )
    if (
        strict
        and (
            errors := sum(d.severity is Severity.error for d in report.diagnostics)
            - len(budget)
            - len(broken)
            - len(moved)
        )
        > 0
    ):
        failed.append(f"{errors} errors in the sources (--strict)")
    return failed
