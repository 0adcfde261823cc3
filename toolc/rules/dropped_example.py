"""Examples that a target has no place for.

What it does
    Tells, once a target, how many tools have usage examples that the target cannot carry as such. A build folds them
    into the description while there is room, and says here which did not fit.

Why it is bad
    Examples raised parameter accuracy from 72 to 90 % (Anthropic's figure). Only Anthropic's API, LangChain and the
    Vercel SDK have a field for them, and no harness uses it (November 2026): elsewhere they must be prose to be seen.

Example
    targets: {openai: {}}, and a tool with two `examples`

Use instead
    The important one in the description: `Example: {"due": "2026-12-01"}`

When it is wrong
    Where examples are for readers of the catalog only.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject

STAGE = "target"
CATEGORY = "examples"
SEVERITY = Severity.note


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a target."""
    for target, limits in subject.limits.items():
        if target == "portable":
            continue
        if subject.plain:
            lost = {tool.name for tool in subject.tools if tool.examples and not limits.examples}
        else:
            emission = subject.targets[target]
            lost = {loss.tool for loss in emission.losses if loss.keyword == "examples" and loss.went == "dropped"}
        tools = [tool for tool in subject.tools if tool.name in lost]
        if tools:
            yield Diagnostic(
                "dropped-example",
                SEVERITY,
                f"{target} has no place for the examples of {len(tools)} tool{'s' * (len(tools) > 1)}"
                f" (`{tools[0].name}`)",
                tools[0].origin,
                tuple(tool.origin for tool in tools[1:]),
                help="write the example that matters into the description",
                subject=tools[0].name,
                count=len(tools),
                cause=target,
            )
