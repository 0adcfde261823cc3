"""A text that names a tool which is no longer there.

What it does
    Looks in descriptions for names of operations that the sources or the last build had and that are now no tool:
    merged under another name, renamed or left out. Only names of two words or more count, as whole words. A name that
    several sources have means the tool of the text's own source.

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
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

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
    offered = {tool.name for tool in subject.tools}
    gone = {name: "" for name in subject.lock.tools if name not in offered and _is_name(name)}
    now: dict[str, dict[str, str]] = defaultdict(dict)  # name → source → tool that has the operation
    for tool in subject.tools:
        for operation in tool.operations:
            if operation.name != tool.name and _is_name(operation.name):
                now[operation.name][operation.source] = tool.name
    if not gone and not now:
        return
    holding = {tool.name: len(tool.operations) for tool in subject.tools}
    for tool in subject.tools:
        own = {operation.name for operation in tool.operations} | _actions(tool)
        sources = [operation.source for operation in tool.operations]
        texts: list[tuple[str, Origin | None]] = [(tool.description, None)]
        for path, schema in subject.nodes(tool.schema):
            if path and isinstance(schema.get("description"), str):
                texts.append((schema["description"], tool.place("input", *path, "description")))
        for text, place in texts:
            for name in dict.fromkeys(_IDENTIFIER.findall(text)):
                holder = _holder(name, now.get(name, {}), sources, offered) or gone.get(name)
                if holder is None or name in own:
                    continue
                became = "is now called" if holding.get(holder) == 1 else "is now part of"
                yield Diagnostic(
                    "stale-tool-reference",
                    SEVERITY,
                    f"the text of `{tool.name}` names `{name}`, "
                    + (f"which {became} `{holder}`" if holder else "which is no longer there"),
                    place or _description(tool, name),
                    help=f"write `{holder}` there" if holder else "name a tool that is there, or leave it out",
                    subject=tool.name,
                    cause=f"{tool.name}:{name}",
                )


def _is_name(name: str) -> bool:
    """Whether a text with this word can only mean a tool: two words or more, written as one."""
    return (len(words(name)) > 1 and not name.islower()) or "_" in name or "-" in name


def _holder(name: str, by_source: Mapping[str, str], sources: Sequence[str], offered: Collection[str]) -> str | None:
    """The tool that a text means by an old name: one of its own source; of another only if no other is meant."""
    for source in sources:
        if source in by_source:
            return by_source[source]
    return next(iter(by_source.values())) if len(by_source) == 1 and name not in offered else None


def _actions(tool: Seen) -> set[str]:
    """Values of the tool's own enums: in its text they are what they say, not names of tools."""
    return {
        value
        for schema in tool.schema.get("properties", {}).values()
        if isinstance(schema, dict)
        for value in schema.get("enum", ())
        if isinstance(value, str)
    }


def _description(tool: Seen, name: str) -> Origin:
    """Where a description names something: that of the operation that does, in a tool merged from several."""
    places = [each.place("description") for each in tool.operations if name in each.description]
    return places[0] if places else tool.place("description")
