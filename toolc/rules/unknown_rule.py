"""A name that is no rule is let pass.

What it does
    Reports a name in `lint.allow`, `x-toolc-allow` or a comment `# toolc: allow` that is neither a rule nor anything
    that was reported in this run, with the nearest name that is. In `ignore`, `levels` and `options` of toolc.yaml such
    a name is an error of the config.

Why it is bad
    A slip in the name lets nothing pass, and who wrote it believes the finding was dealt with.

Example
    # toolc: allow missing-descripton -- internal

Use instead
    # toolc: allow missing-description -- internal

When it is wrong
    For the name of a rule that a newer version of toolc has; update toolc, or take the entry out.
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
    """One finding a suppression of a name that does not exist."""
    known = registry.names("rules")
    for suppression in subject.suppressions:
        if suppression.rule not in known and suppression.used is not True:
            message = f"`{suppression.rule}` is no lint rule{did_you_mean(suppression.rule, known)}"
            yield Diagnostic("unknown-rule", SEVERITY, message, suppression.origin, help="`toolc rules` lists them")
