"""Labelled cases of lint rules, as `rules evaluate` reads them.

A case file is YAML: a mapping {slug, kind, tools, context, expect: [{rule, tool, path, level}], silent: [rule]}, or a
list of cases {name, tools, expect: [pointer]} of the one rule that the file is called after, with `config` for a
toolc.yaml around them (else they are taken as they stand), `files`, `type`, `targets` and `runtime_has`; with a
`toolc.lock` among the files it is a locked run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from toolc import documents
from toolc.bind import bind
from toolc.diagnostics import Diagnostic, Report, UserError, user_error
from toolc.ir import Origin

_FORM = "the form of a case stands in `toolc rules evaluate --help`"


@dataclass(frozen=True, slots=True)
class Expected:
    """A finding that has to be there. path: its pointer, None for any; tool, level: `` where the case does not say."""

    rule: str
    path: str | None = None
    tool: str = ""
    level: Literal["", "error", "warning", "note"] = ""

    def fits(self, finding: Diagnostic) -> bool:
        """Whether this is the finding meant."""
        return (
            finding.rule == self.rule
            and (self.path is None or (finding.origin is not None and finding.origin.pointer == self.path))
            and self.level in ("", finding.severity.name)
            and (not self.tool or self.tool in (finding.subject, finding.subject.partition(":")[2]))
        )


@dataclass(frozen=True, slots=True)
class Context:
    """What surrounds the tools of a case.

    server_name: they are those of an MCP server of this name. shell_tools: programs that the runtime has, on the same
    files if `same_filesystem` says so. type: the kind of source that they are.
    """

    targets: tuple[str, ...] = ()
    server_name: str = ""
    shell_tools: tuple[str, ...] = ()
    same_filesystem: bool = True
    type: str = ""


@dataclass(frozen=True, slots=True)
class _Written:
    """The keys of a case in a file of its own."""

    origin: Origin
    tools: tuple[Any, ...]
    slug: str = ""
    kind: Literal["positive", "negative"] = "positive"
    why: str = ""
    context: Context = Context()
    expect: tuple[Expected, ...] = ()
    silent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Own:
    """The keys of a case in the file of a rule; says, levels: words and levels of the findings, for tests of texts."""

    origin: Origin
    expect: tuple[str, ...]
    name: str = ""
    tools: tuple[Any, ...] = ()
    files: Mapping[str, Any] = field(default_factory=dict)
    type: str = ""
    config: Mapping[str, Any] | None = None
    targets: tuple[str, ...] = ()
    runtime_has: tuple[str, ...] = ()
    says: Any = None
    levels: Any = None


@dataclass(frozen=True, slots=True)
class Case:
    """Tools, and what has to be found in them. silent: rules that must find nothing more than is expected of them."""

    name: str
    origin: Origin
    tools: tuple[Any, ...]
    expect: tuple[Expected, ...]
    silent: tuple[str, ...]
    context: Context = Context()
    config: Mapping[str, Any] | None = None
    files: Mapping[str, Any] = field(default_factory=dict)


def read(folder: Path, report: Report) -> list[Case]:
    """The cases in a folder, or in one file; raises UserError with all that is wrong with them, or if there is none.

    Keys that nobody reads are warnings in the report: whoever wrote the case may have meant them for others.
    """
    files = [folder] if folder.is_file() else sorted([*folder.glob("**/*.yaml"), *folder.glob("**/*.yml")])
    found = Report()
    cases = [case for path in files for case in _in_file(path, found)]
    if any(each.rule != "unknown-key" for each in found.diagnostics):
        raise UserError(*found.diagnostics)
    for each in found.diagnostics:
        report.warning(each.rule, each.message, each.origin, each.help)
    if not cases:
        raise user_error("no-cases", f"there are no cases in {folder.as_posix()}", help=_FORM)
    return cases


def _in_file(path: Path, report: Report) -> list[Case]:
    origin = Origin(path.as_posix())
    try:
        data = documents.read(path, path.as_posix(), Report()).data
    except UserError as error:
        report.diagnostics.extend(error.diagnostics)
        return []
    if isinstance(data, list):
        own = [bind(_Own, each, origin.at(index), report) for index, each in enumerate(data)]
        cases = [_of_rule(path.stem, each, index) for index, each in enumerate(own) if each is not None]
    else:
        whole = bind(_Written, data, origin, report)
        cases = [] if whole is None else [_alone(whole, path.stem)]
    for case in cases:
        _check(case, report)
    return cases


def _alone(written: _Written, stem: str) -> Case:
    name = written.slug or stem
    return Case(name, written.origin, written.tools, written.expect, written.silent, written.context)


def _of_rule(rule: str, own: _Own, index: int) -> Case:
    """`expect` lists the pointers of the rule's findings."""
    expect = tuple(Expected(rule, pointer) for pointer in own.expect)
    context = Context(own.targets, shell_tools=own.runtime_has, type=own.type)
    name = f"{rule}: {own.name or index}"
    return Case(name, own.origin, own.tools, expect, (rule,), context, own.config, own.files)


def _check(case: Case, report: Report) -> None:
    if not case.tools and not case.files:
        report.error("invalid-case", f"`{case.name}` has no tools to look at", case.origin, _FORM)
    if not case.expect and not case.silent:
        message = (
            f"`{case.name}` says neither what is to be found (`expect`) nor which rules are to be silent (`silent`)"
        )
        report.error("invalid-case", message, case.origin, _FORM)
