"""More tokens than the config allows.

What it does
    Compares what is emitted with `budgets` in toolc.yaml: all always-loaded tools, any one tool, any one group, in the
    canonical form (compact JSON of name, description, input schema); all stubs, as they stand in stubs.md; and for
    single targets what that target really loads up front.

Why it is bad
    Every tool definition is paid for on every turn, and accuracy falls as the list grows. A budget is the team's own
    decision, so exceeding it fails the build.

Example
    budgets: {always: 4000}, and the always-loaded tools cost 5,120 tokens

Use instead
    Load fewer tools always, shorten the heaviest (`toolc tokens` lists them), or raise the budget on purpose.

When it is wrong
    Never: the figure is yours.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from toolc.config import Budget
from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import Origin
from toolc.rules import Subject

STAGE = "catalog"
CATEGORY = "cost"
SEVERITY = Severity.error


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a budget that is exceeded (one a tool for the budget of single tools)."""
    budgets = subject.config.budgets
    general, place = budgets.general, budgets.origin
    if general == Budget() and not budgets.targets:
        return
    always = sum(subject.tokens(tool) for tool in subject.tools if tool.tier == "always")
    yield from _over("the always-loaded tools", always, general.always, place, "always")
    if subject.stubs is not None:
        yield from _over("all stubs", subject.stubs, general.stubs, place, "stubs")
    groups: dict[str, int] = defaultdict(int)
    for tool in subject.tools:
        groups[tool.group] += subject.tokens(tool)
        yield from _over(f"`{tool.name}`", subject.tokens(tool), general.tool, place, "tool", tool.name, tool.origins)
    for name in sorted(groups):
        yield from _over(f"the group {name}", groups[name], general.group, place, "group", name)
    for name, emission in subject.targets.items():
        budget = budgets.targets.get(name)
        if budget is not None and budget.always is not None:
            loaded = subject.counter.count(emission.loaded)
            yield from _over(f"what {name} loads up front", loaded, budget.always, place.at(name), "always", name)


def _over(
    what: str,
    tokens: int,
    most: int | None,
    place: Origin,
    key: str,
    subject: str = "",
    origins: tuple[Origin, ...] = (),
) -> Iterator[Diagnostic]:
    if most is not None and tokens > most:
        yield Diagnostic(
            "over-budget",
            SEVERITY,
            f"{what}: {tokens:,} tokens, {tokens - most:,} over the budget of {most:,}",
            place.at(key),
            origins,
            help="`toolc tokens` lists the heaviest tools; load less, shorten them, or raise the budget",
            subject=subject,
            cause=what,
        )
