"""A name that is no rule is let pass, ignored or given a level.

What it does
    Reports a name in `ignore`, `levels` or `allow` under `lint` in toolc.yaml, in `x-toolc-allow` or in a comment
    `# toolc: allow` that is neither a rule nor anything that was reported in this run, with the nearest name that is.
    Under `lint.options`, and after --select and --ignore, such a name ends the command.

Why it is bad
    A slip in the name changes nothing, and who wrote it believes the finding was dealt with.

Example
    # toolc: allow missing-descripton -- internal

Use instead
    # toolc: allow missing-description -- internal

When it is wrong
    For the name of a rule that a newer version of toolc has; update toolc, or take the entry out. Likewise for what a
    reader of sources reported earlier and does not report any more.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc import registry
from toolc.bind import did_you_mean
from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject

STAGE = "catalog"
CATEGORY = "config"
SEVERITY = Severity.error
PRESETS = ("default", "strict", "security")


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a place where a name stands that does not exist."""
    rules = registry.names("rules")
    known = {*rules, *subject.reported}
    named = [*subject.config.lint.named, *((each.rule, each.origin) for each in subject.suppressions)]
    for name, place in named:
        if name not in known:
            message = f"`{name}` is no lint rule{did_you_mean(name, [*rules, *sorted(subject.reported)])}"
            yield Diagnostic("unknown-rule", SEVERITY, message, place, help="`toolc rules` lists them")
