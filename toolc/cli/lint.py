"""`toolc lint`."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolc import registry
from toolc.bind import did_you_mean
from toolc.cli import cache, console, inputs, staged
from toolc.diagnostics import Diagnostic, Report, Severity, UserError, user_error, worst_first
from toolc.ir import Origin
from toolc.lock import FILE_NAME as LOCK

if TYPE_CHECKING:
    from toolc.config import Config
    from toolc.pipeline import LintResult, fixing

PRESETS = ("default", "strict", "security", "all")
# After so many rounds what mends one finding brings another, and a person has to look.
ROUNDS = 5


# What the cache keeps of a run as it is.
_KEPT = ("findings", "suppressed", "tools", "skipped", "rules", "reported", "sources")


@dataclass(slots=True)
class _Run:
    """What the rules found in all paths; places are relative to the current folder.

    definitions: where the tools that findings speak of stand. units: each config with its result, if they were made in
    this process. files: what the result depends on; sources: those of them that tools were read from. folders: those
    whose contents it depends on.
    """

    findings: list[Diagnostic] = field(default_factory=list)
    suppressed: list[tuple[Diagnostic, str]] = field(default_factory=list)
    definitions: dict[str, Origin] = field(default_factory=dict)
    tools: int = 0
    skipped: int = 0
    rules: list[str] = field(default_factory=list)
    reported: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    units: list[tuple[Config, LintResult]] = field(default_factory=list)


def _formats(context: click.Context, parameter: click.Parameter, value: Sequence[str]) -> list[tuple[str, str]]:
    """Each `NAME` or `NAME:FILE` in its two parts; the file `-` is stdout."""
    pairs = [(name, "" if file == "-" else file) for name, _, file in (entry.partition(":") for entry in value)]
    console.member("printers")(context, parameter, [name for name, _ in pairs])
    if sum(not file for _, file in pairs) > 1:
        raise click.BadParameter("only one of them can go to stdout; give the others a file, as in sarif:out.sarif")
    files = [os.path.realpath(file) for _, file in pairs if file]
    if len(set(files)) < len(files):
        raise click.BadParameter("two of them have the same file; give each its own")
    return pairs


def _check_outputs(formats: Sequence[tuple[str, str]], inputs: Iterable[str]) -> None:
    """Refuse to write over what is looked at."""
    read = {os.path.realpath(file) for file in inputs}
    for name, file in formats:
        if file and os.path.realpath(file) in read and Path(file).is_file():
            advice = f"Give another file, as in {name}:findings.{name}."
            raise user_error("unsafe-output", f"{file} is a file that is looked at, not one to write to", help=advice)


@click.command("lint", short_help="Check tool definitions and say what is wrong with them.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--format",
    "formats",
    multiple=True,
    default=["text"],
    callback=_formats,
    metavar="NAME[:FILE]",
    help="text, json, sarif or github; with a file, several at once.",
)
@click.option(
    "--fail-on",
    type=click.Choice([*(severity.name for severity in reversed(Severity)), "never"]),
    default="warning",
    show_default=True,
    help="Least severity that makes the exit code 1.",
)
@click.option("--preset", type=click.Choice(PRESETS), help="Which rules run, instead of what the config says.")
@click.option("--select", "selected", multiple=True, metavar="RULE", help="Run only these rules.")
@click.option("--ignore", "ignored", multiple=True, metavar="RULE", help="Leave out these rules.")
@click.option(
    "--target", "targets", multiple=True, callback=console.member("targets"), help="Check against its limits."
)
@click.option("--all", "everything", is_flag=True, help="Show every finding, not the first few of each rule.")
@click.option("--fix", is_flag=True, help="Mend what can be mended, in the files themselves.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing.")
@click.option("--baseline", type=click.Path(path_type=Path, dir_okay=False), help="Let pass what this file knows.")
@click.option("--update-baseline", is_flag=True, help="Write what is found now to the baseline.")
@click.option("--locked", is_flag=True, help="Fail if a definition of others is not what toolc.lock says.")
@click.option(
    "--skip-other",
    is_flag=True,
    help="For pre-commit: pass over files that are no tool source, and look at each of the others by itself.",
)
@click.option("--no-cache", is_flag=True, help="Look at everything again.")
def command(paths: tuple[Path, ...], formats: list[tuple[str, str]], everything: bool, **asked: Any) -> int:
    """Check PATHS: configs, source files of any kind, or folders of them (default ./toolc.yaml).

    Findings in sources that are declared as vendored are shown but do not fail the check; --fix mends them by overrides
    in toolc.yaml.
    """
    if asked["update_baseline"] and asked["baseline"] is None:
        raise click.UsageError("--update-baseline needs --baseline FILE, the file to write")
    run = _run(paths, asked, asked["no_cache"] or asked["fix"] or asked["diff"])
    _check_outputs(formats, [*run.sources, *([str(asked["baseline"])] if asked["baseline"] else [])])
    _check_names((*asked["selected"], *asked["ignored"]), run.reported)
    known: set[int] = set()
    if asked["baseline"] is not None:
        run, known = _baseline(run, asked["baseline"], asked["update_baseline"])
    mended = 0
    if asked["fix"] or asked["diff"]:
        draft, run, known, mended = _mend(run, known, lambda: _again(paths, asked))
        if asked["diff"]:
            console.patch(draft.diff())
            console.say(
                f"--fix would mend {mended:,} finding{'s' * (mended != 1)}"
                if mended
                else "there is nothing that --fix mends"
            )
            return 1 if mended else 0
        draft.write()
    shown = [finding for index, finding in enumerate(run.findings) if index not in known]
    passed = [*run.suppressed, *((run.findings[index], "in the baseline") for index in sorted(known))]
    # files first: whoever reads the other may stop reading
    for name, file in sorted(formats, key=lambda each: not each[1]):
        _print(name, file, shown, passed, everything)
    text = any(name == "text" and not file for name, file in formats)
    if run.skipped:
        console.say(f"skipped {run.skipped} {'file that is' if run.skipped == 1 else 'files that are'} no tool source")
    if not run.tools and not run.findings and not asked["skip_other"]:
        console.say(inputs.nothing_in(paths))
    if text:
        console.out(_totals(shown, run, len(known), mended))
        if shown:
            console.out(_next(shown, paths, everything, fixed=asked["fix"]))
    sys.stdout.flush()
    fail_on = asked["fail_on"]
    gating = 0 if fail_on == "never" else sum(item.count for item in shown if item.severity >= Severity[fail_on])
    if gating:
        console.say(f"failed: {gating} finding{'s' * (gating > 1)} of severity {fail_on} or above")
    return 1 if gating else 0


def _run(paths: Sequence[Path], options: dict[str, Any], fresh: bool) -> _Run:
    """Lint everything, or tell what it gave the last time if nothing has changed since."""
    found = inputs.files(paths)
    asked = {
        "folder": str(Path.cwd()),
        "paths": [[path.as_posix(), inside] for path, inside in found],
        "options": {key: options[key] for key in ("selected", "ignored", "preset", "targets", "locked", "skip_other")},
    }
    name = cache.key(asked)
    entry = None if fresh else cache.load(name)
    if entry is not None:
        definitions = {subject: Origin(*place) for subject, place in entry["definitions"].items()}
        told = {key: entry[key] for key in _KEPT}
        return _Run(**told, definitions=definitions, files=list(entry["files"]))
    run = _fresh(found, options)
    if not fresh:
        subjects = {part.subject for finding in run.findings for part in finding.parts or (finding,)}
        cache.store(
            name,
            {
                "files": {file: cache.digest(Path(file)) for file in run.files},
                "folders": run.folders,
                "definitions": {
                    subject: [place.source, place.pointer]
                    for subject, place in run.definitions.items()
                    if subject in subjects
                },
                **{key: getattr(run, key) for key in _KEPT},
            },
        )
    return run


def _fresh(found: Sequence[tuple[Path, bool]], options: dict[str, Any]) -> _Run:
    from toolc import pipeline

    choice = pipeline.Choice(options["selected"], options["ignored"], options["preset"] or "", options["locked"])
    report = Report()
    files = [path.as_posix() for path, _ in found if path.is_file()]
    parts: dict[str, set[str]] = {}
    if options["skip_other"]:
        files += [place.as_posix() for path, _ in found for place in staged.candidates(path)]
        found, parts = staged.owned(found)
    configs, skipped = inputs.configs_for(found, report, options["skip_other"])
    run = _Run(list(report.diagnostics), skipped=skipped, files=files)
    rules: set[str] = set()
    optional = options["skip_other"] or all(inside for _, inside in found)
    for config in (_aimed(config, options["targets"]) for config in configs):
        console.stand_in(config.root)
        try:
            result = pipeline.lint(config, choice)
        except UserError as error:
            from toolc.pipeline.reading import NOT_PULLED

            # nobody asked for these files by name, so that there is nothing to look at in them is no failure
            if not optional or any(item.rule != NOT_PULLED for item in error.diagnostics):
                raise
            notes = [replace(item, severity=Severity.note) for item in error.diagnostics]
            run.findings += console.placed(notes, config.root)
            continue
        if any(finding.fix for finding in result.findings):
            from toolc.pipeline import fixing

            result = fixing.promised(result, config)
        only = parts.get(console.moved(config.origin, config.root).source)
        result = _part(result, config, only) if only is not None else result
        run.units.append((config, result))
        run.findings += console.placed(result.findings, config.root)
        run.suppressed += [
            (finding, reason)
            for (_, reason), finding in zip(
                result.suppressed, console.placed((each for each, _ in result.suppressed), config.root), strict=True
            )
        ]
        places = {subject: console.moved(origin, config.root) for subject, origin in result.definitions.items()}
        run.definitions |= places
        run.tools += result.tools
        run.reported = sorted({*run.reported, *result.reported})
        rules.update(result.rules)
        own = [Origin(file) for file in (*result.files, LOCK) if not file.startswith("catalog:")]
        run.sources += [console.moved(origin, config.root).source for origin in own]
        run.folders += _folders(config)
    run.findings = worst_first(run.findings)
    run.rules = sorted(rules)
    run.files = list(dict.fromkeys([*run.files, *run.sources]))
    return run


def _part(result: LintResult, config: Config, files: set[str]) -> LintResult:
    """The result with what was found in these files only."""

    def stands(finding: Diagnostic) -> bool:
        return finding.origin is not None and console.moved(finding.origin, config.root).source in files

    findings = tuple(filter(stands, result.findings))
    return replace(result, findings=findings, suppressed=tuple(each for each in result.suppressed if stands(each[0])))


def _aimed(config: Config, targets: Sequence[str]) -> Config:
    """The config with only these targets; plain source files, which declare none, get them with their defaults."""
    from toolc.config import TargetEntry

    if not targets:
        return config
    entries = {
        name: config.targets.get(name)
        or TargetEntry(name, registry.load("targets", name).Options(), config.root, config.origin)
        for name in targets
    }
    return replace(config, targets=entries)


def _folders(config: Config) -> list[str]:
    """Folders of which a file that is added or removed would change what is read."""
    found = []
    for entry in config.sources.values():
        path = getattr(entry.options, "path", "")
        if entry.type == "skills" and path:
            found.append((entry.base / path).as_posix())
        elif any("*" in str(each) or "?" in str(each) or "[" in str(each) for each in path or ()):
            found.append(entry.base.as_posix())
    return sorted(set(found))


def _check_names(names: Iterable[str], reported: Iterable[str]) -> None:
    """Refuse rule names that neither exist nor were reported, so that a slip does not pass as a clean check."""
    known = {*registry.names("rules"), *reported}
    for name in names:
        if name not in known:
            raise click.UsageError(f"`{name}` is no lint rule{did_you_mean(name, known)} `toolc rules` lists them.")


def _baseline(run: _Run, path: Path, update: bool) -> tuple[_Run, set[int]]:
    """The run, and which of its findings the baseline knows, after it was brought up to date if that is asked for.

    Of a finding with several places, what is known at some of them becomes a finding of its own.
    """
    from toolc import output
    from toolc.pipeline import baseline
    from toolc.pipeline.filtering import together

    parts = [(index, part) for index, finding in enumerate(run.findings) for part in finding.parts or (finding,)]
    prints = baseline.fingerprints([part for _, part in parts], Path(), run.definitions)
    entries = baseline.load(path)
    if update:
        text = baseline.updated(entries, prints, run.files, run.rules, Path())
        output.write_file(path, text)
        count = text.count("\n") - 1
        console.say(f"{path.as_posix()} knows {count:,} finding{'s' * (count != 1)}")
        entries = baseline.load(path)
    elif not path.is_file():
        console.say(f"there is no {path.as_posix()} yet; --update-baseline writes it")
    halves: dict[tuple[int, bool], list[Diagnostic]] = {}
    for (index, part), new in zip(parts, baseline.unknown(entries, prints), strict=True):
        halves.setdefault((index, new), []).append(part)
    split = {index for index, new in halves if (index, not new) in halves}
    pairs = [(together(half) if index in split else run.findings[index], new) for (index, new), half in halves.items()]
    known = {at for at, (_, new) in enumerate(pairs) if not new}
    return replace(run, findings=[finding for finding, _ in pairs]), known


def _fixable(run: _Run, known: set[int]) -> list[tuple[Config, LintResult, list[Diagnostic]]]:
    """For each config the findings with a fix that are not in the baseline, with places as their config has them."""
    from toolc.pipeline.filtering import rest

    spared = {_identity(part) for index in known for part in run.findings[index].parts or (run.findings[index],)}
    chosen = []
    for config, result in run.units:

        def is_new(part: Diagnostic, root: Path = config.root) -> bool:
            return _identity(console.placed([part], root)[0]) not in spared

        chosen.append((config, result, [left for own in result.findings for left in rest(own, is_new)]))
    return chosen


def _identity(finding: Diagnostic) -> tuple[object, ...]:
    return finding.rule, finding.origin, finding.message


def _mend(run: _Run, known: set[int], again: Any) -> tuple[fixing.Draft, _Run, set[int], int]:
    """Mend on paper and look again, until nothing is left to mend: what becomes of the files, and what is then found.

    Nothing is written; the last is the number of findings that were mended.
    """
    from toolc import documents
    from toolc.pipeline import fixing

    draft = fixing.Draft()
    mended = 0
    with documents.instead(draft.contents):
        for _ in range(ROUNDS):
            made = 0
            for config, result, chosen in _fixable(run, known):
                fixed = fixing.fixes(chosen, result, config)
                names = {file: console.moved(Origin(file), config.root).source for file in fixed.files}
                draft.take(fixed, config.root, names)
                made += len(fixed.made) if fixed.files else 0
            if not made:
                break
            mended += made
            run, known = again()
    return draft, run, known, mended


def _again(paths: Sequence[Path], asked: dict[str, Any]) -> tuple[_Run, set[int]]:
    run = _run(paths, asked, fresh=True)
    return _baseline(run, asked["baseline"], update=False) if asked["baseline"] is not None else (run, set())


def _print(name: str, file: str, shown: list[Diagnostic], passed: list[Any], everything: bool) -> None:
    from toolc import output

    printer = registry.load("printers", name)
    if file:
        text = printer.show(shown, Path(), passed)
        output.write_file(Path(file), text)
    elif name == "text":
        if text := printer.grouped(shown, Path(), everything, _width(), console.encoding(sys.stdout)):
            console.out(text)
    else:
        console.machine(printer.show(shown, Path(), passed))


def _width() -> int:
    """How wide a frame may be: all that a terminal has, less its margin."""
    if not sys.stdout.isatty() and "COLUMNS" not in os.environ:
        return 100
    return max(30, min(100, shutil.get_terminal_size().columns - 12))


def _totals(shown: Sequence[Diagnostic], run: _Run, known: int, mended: int) -> str:
    counts = dict.fromkeys(reversed(Severity), 0)
    for finding in shown:
        counts[finding.severity] += finding.count
    said = [f"{number:,} {severity.name}{'s' * (number != 1)}" for severity, number in counts.items() if number]
    tools = f"{run.tools:,} tool{'s' * (run.tools != 1)}"
    rest = [f"{len(run.suppressed):,} let pass"] * bool(run.suppressed) + [f"{known:,} in the baseline"] * bool(known)
    rest += [f"{mended:,} mended"] * bool(mended)
    return " · ".join([f"{', '.join(said) or 'no findings'} in {tools}", *rest])


def _next(shown: Sequence[Diagnostic], paths: Sequence[Path], everything: bool, fixed: bool) -> str:
    """What to do about it: mend what can be, read about the worst, see the rest."""
    names = " ".join(path.as_posix() for path in paths[:3]) + (" …" if len(paths) > 3 else "")
    steps = []
    fixable = sum(finding.fix is not None for finding in shown)
    if fixable and not fixed:
        steps.append(f"toolc lint --fix {names}".strip() + f" mends {fixable:,}")
    rules = [finding.rule for finding in shown if finding.rule in registry.names("rules")]
    if rules:
        steps.append(f"toolc rules explain {rules[0]}")
    if not everything:
        steps.append("--all shows everything")
    return f"next: {' · '.join(steps)}" if steps else ""
