"""An action without an example.

What it does
    For action tools: names the actions that no usage example shows, where nothing else says which parameters each of
    them takes. Tools that toolc merged say it in their texts, so there only actions with a parameter of an unusual form
    would need one.

Why it is bad
    The schema of an action tool fits all actions at once; an example is what shows a model one of them. Examples raised
    parameter accuracy from 72 to 90 % (Anthropic's figure).

Example
    card(action: create|move|archive, …) without examples

Use instead
    examples: [{action: create, title: Buy paint}, {action: move, card_id: c-81, column: Done}, {action: archive,
    card_id: c-81}]

When it is wrong
    For actions without parameters of their own.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Subject
from toolc.selectors import selector, ungated

STAGE = "catalog"
CATEGORY = "examples"
SEVERITY = Severity.note


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool."""
    for tool in subject.tools:
        if len(tool.operations) > 1 or (chosen := selector(tool.schema)) is None:
            continue
        shown = {str(example.arguments.get(chosen.name)) for example in tool.examples}
        missing = [action for action in chosen.actions if action not in shown]
        if not missing or len(ungated(tool.schema, chosen, tool.description)) < 2:
            continue
        names = ", ".join(missing[:5]) + (", …" if len(missing) > 5 else "")
        yield Diagnostic(
            "uncovered-action",
            SEVERITY,
            f"no example shows {len(missing)} of the {len(chosen.actions)} actions of `{tool.name}`: {names}",
            tool.origin,
            tool.related,
            help="add one example an action, or say in each parameter's text which actions take it",
            subject=tool.name,
        )
