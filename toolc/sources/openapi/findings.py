"""What is wrong in a description: found while reading a part, reported with every operation it touches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from toolc.diagnostics import Diagnostic, Report, Severity
from toolc.ir import Origin
from toolc.sources.openapi.places import Place
from toolc.sources.openapi.references import DanglingError

# lost: the operation cannot be called as meant and is left out. dropped: an input or text of it is missing.
# repaired: read as it was surely meant. note: worth knowing.
Weight = Literal["lost", "dropped", "repaired", "note"]

_SEVERITY = {
    "lost": Severity.error,
    "dropped": Severity.error,
    "repaired": Severity.warning,
    "note": Severity.note,
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault at one place; a part that is used by many operations carries its problems with it."""

    rule: str
    message: str
    origin: Origin
    weight: Weight
    help: str = ""


def dangling(error: DanglingError, place: Place) -> Problem:
    """The problem of a reference that leads nowhere, at the object that holds it."""
    return Problem(error.rule, error.message, place.at("$ref").origin, "lost", error.help)


@dataclass(slots=True)
class Findings:
    """Collects problems; one cause gives one diagnostic, whatever number of operations it touches."""

    strict: bool
    _found: dict[Problem, dict[str, Origin]] = field(default_factory=dict)

    def add(self, problem: Problem, operation: str = "", origin: Origin | None = None) -> None:
        """Note a problem, and the operation it touches if there is one."""
        touched = self._found.setdefault(problem, {})
        if operation and origin is not None:
            touched[operation] = origin

    def report(self, report: Report) -> None:
        """Hand everything over, in the order it was found."""
        for problem, touched in self._found.items():
            severity = _SEVERITY[problem.weight]
            if self.strict and problem.weight == "repaired":
                severity = Severity.error
            message = problem.message
            if problem.weight == "lost" and touched:
                message += f"; left out: {_listed(list(touched))}"
            report.add(
                Diagnostic(
                    problem.rule,
                    severity,
                    message,
                    problem.origin,
                    related=tuple(origin for origin in touched.values() if origin != problem.origin),
                    help=problem.help,
                    subject=next(iter(touched)) if len(touched) == 1 else "",
                    count=max(1, len(touched)),
                )
            )


def _listed(names: list[str]) -> str:
    return ", ".join(names)
