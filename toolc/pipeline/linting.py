"""`lint` and `tokens`: what is wrong with the tools of a config, and what they cost."""

from __future__ import annotations

from collections import Counter as Tally
from dataclasses import replace
from typing import Any

from toolc import documents, levels, registry
from toolc import lock as lock_file
from toolc.config import Config
from toolc.diagnostics import Diagnostic, Report, Severity, worst_first
from toolc.ir import Origin
from toolc.lock import Lock
from toolc.pipeline.compiling import as_written, compile_catalog
from toolc.pipeline.emitting import emit
from toolc.pipeline.reading import read
from toolc.rules import Subject
from toolc.select import select
from toolc.tokens import Counter

LEVELS = {"error": Severity.error, "warning": Severity.warning, "note": Severity.note}


def is_plain(config: Config) -> bool:
    """Whether the config was made for plain source files, which are looked at as they stand."""
    return not config.origin.source


def lint(config: Config) -> list[Diagnostic]:
    """Findings of readers, passes, targets and rules, with the config's levels and allowances applied."""
    report = Report()
    if is_plain(config):
        config = as_written(config)
    inputs = read(config, report)
    lock = Lock() if is_plain(config) else lock_file.load(config.root)
    with Counter() as counter:
        compiled = compile_catalog(inputs.catalog, config, report, counter, lock)
        emitted = emit(compiled, config, counter, config.targets, report)
        stubs = sum(counter.count(levels.stub(tool)) for tool in compiled.catalog.tools)
        subject = Subject(config, compiled.catalog, compiled.tokens, counter, stubs, emitted.targets)
        for name in registry.names("rules"):
            if name not in config.lint.ignore:
                report.diagnostics.extend(registry.load("rules", name).check(subject))
    vendored = {file for source in inputs.catalog.sources if source.vendored for file in source.files}
    found = [_levelled(finding, config) for finding in report.diagnostics if finding.rule not in config.lint.ignore]
    allowed = _allowed(config, subject)
    kept = [finding for finding in found if finding is not None and (finding.rule, finding.subject) not in allowed]
    return worst_first(_demoted(finding, vendored) for finding in kept)


def _levelled(finding: Diagnostic, config: Config) -> Diagnostic | None:
    level = config.lint.levels.get(finding.rule)
    if level is None:
        return finding
    return None if level == "off" else replace(finding, severity=LEVELS[level])


def _demoted(finding: Diagnostic, vendored: set[str]) -> Diagnostic:
    """In a source that the team cannot edit nothing gates."""
    origin = finding.origin or Origin("")
    return replace(finding, severity=Severity.note) if origin.source in vendored else finding


def _allowed(config: Config, subject: Subject) -> set[tuple[str, str]]:
    """(rule, tool or operation) pairs that the config lets pass."""
    holders = {operation: tool.name for tool in subject.catalog.tools for operation in tool.operations}
    allowed = set()
    for entry, rules in config.lint.allow.items():
        for operation in select(subject.catalog.operations.values(), [entry]).ids:
            allowed |= {(rule, name) for rule in rules for name in (operation, holders[operation])}
    return allowed


def tokens(config: Config, *, encoding: str = "o200k_base") -> dict[str, Any]:
    """Canonical tokens by tool, and of the other parts of a captured API request; what could not be counted is told."""
    report = Report()
    plain = is_plain(config)
    inputs = read(config, report)
    with Counter(encoding) as counter:
        if plain:
            tools = [
                {
                    "name": operation.name,
                    "source": operation.source,
                    "group": operation.tags[0] if operation.tags else "",
                    "tokens": counter.canonical(
                        operation.name,
                        operation.description,
                        operation.extra.get("input_as_written", operation.input),
                    ),
                }
                for operation in inputs.catalog.operations.values()
            ]
        else:
            compiled = compile_catalog(inputs.catalog, config, report, counter, lock_file.load(config.root))
            tools = [
                {
                    "name": tool.name,
                    "source": tool.operations[0].partition(":")[0],
                    "group": tool.group,
                    "tokens": compiled.tokens[tool.name],
                }
                for tool in compiled.catalog.tools
            ]
        request, uncounted = _request(config, counter) if plain else ({}, {})
    return {
        "encoding": encoding,
        "tools": tools,
        "request": request,
        "uncounted": uncounted,
        "diagnostics": report.diagnostics,
    }


def _request(config: Config, counter: Counter) -> tuple[dict[str, int], dict[str, int]]:
    """Tokens of system prompt and messages where a source is a captured request, and how much in it is no text."""
    found: Tally[str] = Tally()
    uncounted: Tally[str] = Tally()
    for entry in config.sources.values():
        if entry.type != "tools":
            continue
        reader = registry.load("sources", "tools")
        for path in entry.options.path:
            data = documents.read(entry.base / path, path).data
            parts = reader.request_parts(data)
            if parts is not None:
                found.update({part: counter.count(text) for part, text in parts.items()})
                uncounted.update(reader.uncounted_parts(data))
    return dict(found), dict(sorted(uncounted.items()))
