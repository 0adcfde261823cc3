"""A text that names a tool which is no longer there.

What it does
    Looks in descriptions for names of operations that the sources or the last build had and that are now no tool:
    merged under another name, renamed or left out. Only names of two words or more count, as whole words.

Why it is bad
    "Call list_migrations first" sends a model after a tool that it does not have; it then invents a call, or gives up.

Example
    run_migration: "Call list_migrations first", after list_migrations became an action of migration_read

Use instead
    run_migration: "Call migration_read (action list) first"

When it is wrong
    If the name stands for something else as well, for example a command of the same name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import Origin
from toolc.lexicon import words
from toolc.rules import Seen, Subject

STAGE = "catalog"
CATEGORY = "descriptions"
SEVERITY = Severity.warning
_IDENTIFIER = re.compile(r"[A-Za-z][\w.-]*[\w]")


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a text and name, with the tool that now holds the operation."""
    if subject.plain:
        return
    current = {tool.name for tool in subject.tools}
    now = {op.name: tool.name for tool in subject.tools for op in tool.operations if op.name not in current}
    gone = {name: "" for name in subject.lock.tools if name not in current}
    stale = {
        name: holder
        for name, holder in {**gone, **now}.items()
        if (len(words(name)) > 1 and not name.islower()) or "_" in name or "-" in name
    }
    if not stale:
        return
    for tool in subject.tools:
        texts: list[tuple[str, Origin | None]] = [(tool.description, None)]
        for path, schema in subject.nodes(tool.schema):
            if path and isinstance(schema.get("description"), str):
                texts.append((schema["description"], tool.place("input", *path, "description")))
        for text, place in texts:
            for name in dict.fromkeys(_IDENTIFIER.findall(text)):
                if name in stale and name not in {op.name for op in tool.operations}:
                    holder = stale[name]
                    yield Diagnostic(
                        "stale-tool-reference",
                        SEVERITY,
                        f"the text of `{tool.name}` names `{name}`, "
                        + (f"which is now part of `{holder}`" if holder else "which is no longer there"),
                        place or _description(tool, name),
                        help=f"write `{holder}` there" if holder else "name a tool that is there, or leave it out",
                        subject=tool.name,
                        cause=f"{tool.name}:{name}",
                    )


def _description(tool: Seen, name: str) -> Origin:
    """Where a description names something: that of the operation that does, in a tool merged from several."""
    places = [each.place("description") for each in tool.operations if name in each.description]
    return places[0] if places else tool.place("description")
