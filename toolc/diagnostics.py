"""The one type through which readers, config, passes and rules report, and the one exception users see."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from toolc.ir import Origin

_NUMBER = re.compile(r"(?<=/)\d+(?=/|$)")


class Severity(IntEnum):
    """error: a runtime refuses it or something is lost; warning: probably wrong; note: good to know."""

    note = 1
    warning = 2
    error = 3


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of the user's own file, made as a text edit that leaves everything around it as it is.

    origin: the exact place; the value there becomes `value` (a key that is missing is added), or with `remove` the key
    or list entry goes with its value. rewrite: makes the new value of the text as it stands in the file, where what the
    rule saw was put together from several; `value` then goes into overrides only.
    """

    origin: Origin
    value: Any = None
    remove: bool = False
    rewrite: Callable[[str], str] | None = None


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that mends a finding and keeps the meaning.

    words: what it does, as an order ("remove the HTML tags"). override: the keys of `overrides` in toolc.yaml that do
    the same where the source cannot be edited; texts of operations and parameters are found without it.
    """

    words: str
    edits: tuple[Edit, ...]
    override: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    rule: kebab-case name of the fault. origin: where; related: other places with the same cause.
    help: what to do next. subject: the operation id or tool name it speaks of. count: how often the cause stands.
    cause: findings of one rule with the same cause, if they name one, are one finding. fix: how to mend it.
    parts: of a finding that stands for several places, one for each, since each can be let pass alone.
    """

    rule: str
    severity: Severity
    message: str
    origin: Origin | None = None
    related: tuple[Origin, ...] = ()
    help: str = ""
    subject: str = ""
    count: int = 1
    cause: str = ""
    fix: Fix | None = field(default=None, compare=False)
    parts: tuple[Diagnostic, ...] = field(default=(), compare=False)


class UserError(Exception):
    """A request that cannot be carried out; the command ends with exit code 2 and prints these."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("\n".join(diagnostic.message for diagnostic in diagnostics))
        self.diagnostics = diagnostics


def user_error(rule: str, message: str, origin: Origin | None = None, help: str = "") -> UserError:
    """A UserError with one diagnostic."""
    return UserError(Diagnostic(rule, Severity.error, message, origin, help=help))


@dataclass(slots=True)
class Report:
    """Collects diagnostics in the order they come; nothing is printed before the command's end."""

    diagnostics: list[Diagnostic] = field(default_factory=list)

    def add(self, diagnostic: Diagnostic) -> None:
        """Take one finding."""
        self.diagnostics.append(diagnostic)

    def error(self, rule: str, message: str, origin: Origin | None = None, help: str = "", subject: str = "") -> None:
        """Something is lost or would be refused."""
        self.add(Diagnostic(rule, Severity.error, message, origin, help=help, subject=subject))

    def warning(self, rule: str, message: str, origin: Origin | None = None, help: str = "", subject: str = "") -> None:
        """Something is probably wrong."""
        self.add(Diagnostic(rule, Severity.warning, message, origin, help=help, subject=subject))

    def note(self, rule: str, message: str, origin: Origin | None = None, help: str = "", subject: str = "") -> None:
        """Something worth knowing that needs no action."""
        self.add(Diagnostic(rule, Severity.note, message, origin, help=help, subject=subject))

    def has(self, severity: Severity) -> bool:
        """Whether anything of this severity or above was reported."""
        return any(diagnostic.severity >= severity for diagnostic in self.diagnostics)


def worst_first(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Errors before warnings before notes, then by place: the order findings are printed in."""

    def key(diagnostic: Diagnostic) -> tuple[int, tuple[str, int, int, str], str]:
        return -diagnostic.severity, place_order(diagnostic.origin), diagnostic.rule + diagnostic.message

    return sorted(diagnostics, key=key)


def place_order(origin: Origin | None) -> tuple[str, int, int, str]:
    """What places are sorted by: the tenth entry of a list comes after the second."""
    origin = origin or Origin("")
    pointer = _NUMBER.sub(lambda found: found[0].zfill(6), origin.pointer)
    return origin.source, origin.line, origin.column, pointer
