"""Something is let pass that is not there, or no longer.

What it does
    Reports an entry of `lint.allow`, an `x-toolc-allow` or a comment `# toolc: allow` that let nothing pass though its
    rule did run; and one without a reason, which never lets anything pass.

Why it is bad
    It hides the next fault of that kind, and nobody knows any more what it was for. Linters that report unused
    suppressions (ruff's RUF100, ESLint's reportUnusedDisableDirectives) keep their number small.

Example
    lint: {allow: {"core:sync": {missing-description: called by our code only}}}, and `sync` has a description by now

Use instead
    Take the entry out; `toolc lint --fix` does it.

When it is wrong
    Where the finding depends on the targets or the runtime, and another build of the same files still has it.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc import registry
from toolc.diagnostics import Diagnostic, Edit, Fix, Severity
from toolc.rules import Subject

STAGE = "catalog"
CATEGORY = "config"
SEVERITY = Severity.warning
PRESETS = ("default", "strict", "security")


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a suppression that is of no use."""
    for suppression in subject.suppressions:
        if suppression.rule not in registry.names("rules") and suppression.rule not in subject.reported:
            continue
        fix = None
        if not suppression.line:
            fix = Fix("take the allowance out", (Edit(suppression.origin, remove=True),))
        if not suppression.reason:
            message = f"`{suppression.rule}` is allowed without a reason, so it is not let pass"
            yield Diagnostic("unused-suppression", SEVERITY, message, suppression.origin, help=_HELP)
        elif suppression.used is False:
            message = f"`{suppression.rule}` is allowed here, but nothing of the kind is found"
            yield Diagnostic("unused-suppression", SEVERITY, message, suppression.origin, help="take it out", fix=fix)


_HELP = "say why: `x-toolc-allow: {rule: reason}`, or in a comment `toolc: allow rule -- reason`"
