"""One parameter written in two styles.

What it does
    Reports parameters of one source whose names differ only in style (`userId`, `user_id`), each less common form once,
    with the tools that use it.

Why it is bad
    A model carries a name over from the last call; the other style is refused as unknown, or ignored, which is worse.

Example
    get_user(user_id), list_orders(userId)

Use instead
    get_user(user_id), list_orders(user_id)

When it is wrong
    Where the wire really has both names and no layer between can rename them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import Operation
from toolc.lexicon import words
from toolc.rules import Subject

STAGE = "source"
CATEGORY = "names"
SEVERITY = Severity.note


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding for each rarer spelling in a source, at its first use."""
    forms: dict[tuple[str, tuple[str, ...]], dict[str, list[Operation]]] = defaultdict(lambda: defaultdict(list))
    for operation in subject.operations:
        for name in operation.input.get("properties", {}):
            if len(parts := words(name)) > 1 or name.lower() != name:
                forms[(operation.source, parts)][name].append(operation)
    for spellings in forms.values():
        if len(spellings) < 2:
            continue
        usual, *others = sorted(spellings, key=lambda name: (-len(spellings[name]), name))
        for name in others:
            users = spellings[name]
            place = users[0].place("input", "properties", name)
            yield Diagnostic(
                "param-name-drift",
                SEVERITY,
                f"`{name}` in {_of(users)} is `{usual}` in {_of(spellings[usual])}",
                place,
                tuple(user.place("input", "properties", name) for user in users[1:]),
                help=f"call it `{usual}` everywhere",
                subject=users[0].id,
                count=len(users),
                cause=f"{users[0].source}:{name}",
            )


def _of(users: list[Operation]) -> str:
    return f"`{users[0].name}`" + (f" and {len(users) - 1} more" if len(users) > 1 else "")
