"""What a target cannot carry.

What it does
    Tells, once for each target and keyword, how many tools lose a constraint when they are said in the target's
    dialect, and where it goes: into words, or to the check at the call. Text that was cut and examples have rules of
    their own.

Why it is bad
    It is nothing to mend, but to know: what is only checked at the call costs the model a failed call to learn.

Example
    target gemini: `patternProperties` of 3 tools is checked at the call only

Use instead
    Properties with names, where a model should see them

When it is wrong
    It is a note for whoever writes the schema.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import Origin
from toolc.rules import Subject
from toolc.schema.lower import lower

STAGE = "target"
CATEGORY = "targets"
SEVERITY = Severity.note
OWN_RULES = frozenset({"description", "details", "examples"})
WHERE = {"words": "goes into words", "dispatch": "is checked at the call only", "dropped": "is dropped"}


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a target, keyword and way it went."""
    losses: dict[tuple[str, str, str], dict[str, str]] = defaultdict(dict)
    if subject.plain:
        for target, limits in subject.limits.items():
            for tool in subject.tools if target != "portable" else ():
                for lost in lower(tool.operations[0].input, limits.dialect).losses:
                    losses[target, lost.keyword, lost.went].setdefault(tool.name, lost.pointer)
    for target, emission in subject.targets.items():
        for loss in emission.losses:
            losses[target, loss.keyword, loss.went].setdefault(loss.tool, loss.pointer)
    places = {tool.name: tool.origin for tool in subject.tools}
    for (target, keyword, went), tools in sorted(losses.items()):
        if went == "kept" or keyword in OWN_RULES:
            continue
        found = [places.get(name, Origin("")) for name in tools]
        example = next(iter(tools))
        yield Diagnostic(
            "lossy-lowering",
            SEVERITY,
            f"{target}: `{keyword}` of {len(tools)} tool{'s' * (len(tools) > 1)} {WHERE[went]} (`{example}`)",
            found[0],
            tuple(found[1:]),
            help="`toolc show TOOL --target` shows what the target gets",
            count=len(tools),
            cause=f"{target} {keyword} {went}",
        )
