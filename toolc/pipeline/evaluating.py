"""`rules evaluate`: precision and recall of the rules over labelled cases.

Every rule runs, on or off; a finding of a rule that a case does not speak of is neither right nor wrong.
"""

from __future__ import annotations

import json
from collections import Counter as Tally
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from toolc import config as configs
from toolc import registry
from toolc.config import Config, TargetEntry
from toolc.diagnostics import Diagnostic, Report, UserError, user_error
from toolc.ir import Origin
from toolc.lock import FILE_NAME
from toolc.pipeline import cases
from toolc.pipeline.cases import Case, Context
from toolc.pipeline.linting import Choice, lint

FILE = "tools.json"
YAML_FILE = "tools.yaml"  # what configs of own cases call it


@dataclass(slots=True)
class Score:
    """Of one rule: findings expected, those of them found, and findings that are wrong."""

    expected: int = 0
    found: int = 0
    false: int = 0


@dataclass(slots=True)
class Evaluation:
    """Scores by rule, and every finding that is missing or wrong. diagnostics: what is odd about the cases."""

    cases: int = 0
    rules: dict[str, Score] = field(default_factory=dict)
    missed: list[dict[str, str]] = field(default_factory=list)
    false: list[dict[str, str]] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def evaluate(folder: Path) -> Evaluation:
    """Run every rule over the cases in a folder, or in one file; raises UserError for what is no case."""
    report = Report()
    found = cases.read(folder, report)
    result = Evaluation(len(found), diagnostics=report.diagnostics)
    for case in found:
        _score(case, _found(case), result)
    result.rules = dict(sorted(result.rules.items()))
    return result


def _linted(case: Case) -> list[Diagnostic]:
    with TemporaryDirectory(prefix="toolc-") as place:
        folder = Path(place)
        file = FILE if case.config is None else YAML_FILE
        if case.tools:
            text = json.dumps({"tools": case.tools}, ensure_ascii=case.config is None)
            (folder / file).write_text(text, encoding="utf-8")
        for name, content in case.files.items():
            text = content if isinstance(content, str) else json.dumps(content)
            (folder / Path(name).name).write_text(text, encoding="utf-8")
        report = Report()
        names = [FILE] if case.tools else [Path(name).name for name in case.files]
        config = _plain(case.context, folder, names) if case.config is None else _full(case.config, folder, report)
        return [*report.diagnostics, *lint(config, Choice(preset="all", locked=FILE_NAME in case.files)).findings]


def _found(case: Case) -> list[Diagnostic]:
    """What lint finds; raises UserError at the case where it cannot be linted."""
    try:
        return _linted(case)
    except UserError as error:
        reason = error.diagnostics[0].message
        raise user_error("invalid-case", f"`{case.name}` cannot be linted: {reason}", case.origin) from None


def _full(data: Mapping[str, Any], folder: Path, report: Report) -> Config:
    """A toolc.yaml around the tools, with the keys that the case gives."""
    whole = {"version": 1, "name": "case", "sources": {"core": {"type": "tools", "path": YAML_FILE}}, **data}
    (folder / configs.FILE_NAME).write_text(json.dumps(whole), encoding="utf-8")
    return configs.load(folder / configs.FILE_NAME, report)


def _plain(context: Context, folder: Path, names: Sequence[str]) -> Config:
    """The files as they stand, with what the case knows of their surroundings."""
    server = context.server_name
    kind = context.type or ("mcp" if server else "tools")
    config = configs.for_files([{"type": kind, "path": name} for name in names], folder)
    if server:
        (entry,) = config.sources.values()
        config = replace(config, sources={server: replace(entry, name=server)})
    known = registry.names("targets")
    targets = [name for name in context.targets if name in known]
    entries = {
        name: TargetEntry(name, registry.load("targets", name).Options(), folder, Origin("")) for name in targets
    }
    return replace(config, targets=entries, runtime_has=context.shell_tools if context.same_filesystem else ())


def _score(case: Case, found: Sequence[Diagnostic], result: Evaluation) -> None:
    rest = list(found)
    for expected in case.expect:
        score = result.rules.setdefault(expected.rule, Score())
        score.expected += 1
        hit = next((finding for finding in rest if expected.fits(finding)), None)
        if hit is None:
            result.missed.append({"case": case.name, "rule": expected.rule, "path": expected.path or ""})
        else:
            score.found += 1
            rest.remove(hit)
    spoken_of = {*case.silent, *(expected.rule for expected in case.expect)}
    for rule in case.silent:
        result.rules.setdefault(rule, Score())
    for finding in rest:
        if finding.rule in spoken_of:
            result.rules[finding.rule].false += 1
            path = finding.origin.pointer if finding.origin else ""
            result.false.append({"case": case.name, "rule": finding.rule, "path": path, "message": finding.message})


def rates(scores: Iterable[Score]) -> tuple[float | None, float | None]:
    """Precision and recall over some rules; None where nothing was found or expected."""
    total: Tally[str] = Tally()
    for score in scores:
        total.update(expected=score.expected, found=score.found, false=score.false)
    shown = total["found"] + total["false"]
    return (
        total["found"] / shown if shown else None,
        total["found"] / total["expected"] if total["expected"] else None,
    )
