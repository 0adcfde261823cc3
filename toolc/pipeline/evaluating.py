"""`rules evaluate`: precision and recall of the rules over labelled cases.

A case file is YAML: a mapping {slug, kind, tools, context, expect: [{rule, tool, path, level}], silent: [rule]}, or a
list of cases {name, tools, expect: [pointer]} of the one rule that the file is called after, with `config` for a
toolc.yaml around them (else they are taken as they stand), `files`, `type`, `targets` and `runtime_has`; with a
`toolc.lock` among the files it is a locked run. Every rule
runs, on or off; a finding of a rule that a case does not speak of is neither right nor wrong.
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
from toolc import documents, registry
from toolc.config import Config, TargetEntry
from toolc.diagnostics import Diagnostic, Report, UserError, user_error
from toolc.ir import Origin
from toolc.lock import FILE_NAME
from toolc.pipeline.linting import Choice, lint

FILE = "tools.json"
YAML_FILE = "tools.yaml"  # what configs of own cases call it


@dataclass(frozen=True, slots=True)
class Expected:
    """A finding that has to be there. path: its pointer; tool, level: `` where the case does not say."""

    rule: str
    path: str
    tool: str = ""
    level: str = ""

    def fits(self, finding: Diagnostic) -> bool:
        """Whether this is the finding meant."""
        return (
            finding.rule == self.rule
            and finding.origin is not None
            and finding.origin.pointer == self.path
            and self.level in ("", finding.severity.name)
            and (not self.tool or self.tool in (finding.subject, finding.subject.partition(":")[2]))
        )


@dataclass(frozen=True, slots=True)
class Case:
    """Tools, and what has to be found in them. silent: rules that must find nothing more than is expected of them."""

    name: str
    tools: list[Any]
    expect: tuple[Expected, ...]
    silent: tuple[str, ...]
    context: Mapping[str, Any] = field(default_factory=dict)
    config: Mapping[str, Any] | None = None
    files: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Score:
    """Of one rule: findings expected, those of them found, and findings that are wrong."""

    expected: int = 0
    found: int = 0
    false: int = 0


@dataclass(slots=True)
class Evaluation:
    """Scores by rule, and every finding that is missing or wrong."""

    cases: int = 0
    rules: dict[str, Score] = field(default_factory=dict)
    missed: list[dict[str, str]] = field(default_factory=list)
    false: list[dict[str, str]] = field(default_factory=list)


def evaluate(folder: Path) -> Evaluation:
    """Run every rule over the cases in a folder, or in one file; raises UserError where there is none."""
    files = [folder] if folder.is_file() else sorted(folder.glob("**/*.yaml"))
    cases = [case for path in files for case in _cases(path)]
    if not cases:
        advice = "a case is a YAML file with `tools` and `expect`; the format stands in `toolc rules evaluate --help`"
        raise user_error("no-cases", f"there are no cases in {folder.as_posix()}", help=advice)
    result = Evaluation(len(cases))
    for case in cases:
        _score(case, _found(case), result)
    result.rules = dict(sorted(result.rules.items()))
    return result


def _cases(path: Path) -> list[Case]:
    data = documents.read(path, path.as_posix(), Report()).data
    if isinstance(data, list):
        return [_own(path.stem, case, index, path) for index, case in enumerate(data)]
    if not isinstance(data, dict) or not isinstance(data.get("tools"), list):
        raise _no_case(path, "")
    try:
        expect = tuple(
            Expected(entry["rule"], entry["path"], entry.get("tool") or "", entry.get("level") or "")
            for entry in data.get("expect") or ()
        )
    except (KeyError, TypeError):
        raise _no_case(path, "/expect") from None
    silent = tuple(data.get("silent") or ())
    return [Case(str(data.get("slug", path.stem)), data["tools"], expect, silent, data.get("context") or {})]


def _own(rule: str, data: Any, index: int, path: Path) -> Case:
    """A case of a rule's own file, in which `expect` lists the pointers of its findings."""
    if not isinstance(data, dict) or not (isinstance(data.get("tools"), list) or data.get("files")):
        raise _no_case(path, f"/{index}")
    if not isinstance(data.get("expect"), list):
        raise _no_case(path, f"/{index}")
    expect = tuple(Expected(rule, pointer) for pointer in data["expect"])
    context = {"type": data.get("type"), "targets": data.get("targets"), "shell_tools": data.get("runtime_has")}
    name, files = f"{rule}: {data.get('name', index)}", data.get("files") or {}
    return Case(name, data.get("tools") or [], expect, (rule,), context, data.get("config"), files)


def _no_case(path: Path, pointer: str) -> UserError:
    message = "a case needs `tools`, a list, and `expect`, a list of {rule, path}"
    return user_error("invalid-case", message, Origin(path.as_posix(), pointer))


def _found(case: Case) -> list[Diagnostic]:
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


def _full(data: Mapping[str, Any], folder: Path, report: Report) -> Config:
    """A toolc.yaml around the tools, with the keys that the case gives."""
    whole = {"version": 1, "name": "case", "sources": {"core": {"type": "tools", "path": YAML_FILE}}, **data}
    (folder / configs.FILE_NAME).write_text(json.dumps(whole), encoding="utf-8")
    return configs.load(folder / configs.FILE_NAME, report)


def _plain(context: Mapping[str, Any], folder: Path, names: Sequence[str]) -> Config:
    """The files as they stand, with what the case knows of their surroundings.

    server_name: they are those of an MCP server of this name. shell_tools: programs that the runtime has. type: kind of
    source that the files are.
    """
    server = context.get("server_name")
    kind = context.get("type") or ("mcp" if server else "tools")
    config = configs.for_files([{"type": kind, "path": name} for name in names], folder)
    if server:
        (entry,) = config.sources.values()
        config = replace(config, sources={str(server): replace(entry, name=str(server))})
    known = registry.names("targets")
    targets = [name for name in context.get("targets") or () if name in known]
    entries = {
        name: TargetEntry(name, registry.load("targets", name).Options(), folder, Origin("")) for name in targets
    }
    return replace(config, targets=entries, runtime_has=tuple(context.get("shell_tools") or ()))


def _score(case: Case, found: Sequence[Diagnostic], result: Evaluation) -> None:
    rest = list(found)
    for expected in case.expect:
        score = result.rules.setdefault(expected.rule, Score())
        score.expected += 1
        hit = next((finding for finding in rest if expected.fits(finding)), None)
        if hit is None:
            result.missed.append({"case": case.name, "rule": expected.rule, "path": expected.path})
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
