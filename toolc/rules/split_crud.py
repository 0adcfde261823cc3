"""Several tools that should be one action tool.

What it does
    Finds create, update and delete of one thing (three or more readings of it likewise) that are tools of their own,
    drafts the tool that `toolc build` would make of them, and tells what it saves. Only CRUD verbs on one noun, only
    within one safety class, and never a read with a write, since a harness grants permission per tool.

Why it is bad
    Each tool repeats the parameters of the others, and each is one more choice.

Example
    memory_create(title, body), memory_update(note_id, body), memory_delete(note_id)

Use instead
    memory_write(action: create|update|delete, title, body, note_id)

When it is wrong
    If permission is granted for one of them alone: name it under `consolidate.keep`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolc import families
from toolc.diagnostics import Diagnostic, Severity
from toolc.families import Member
from toolc.ir import Case, Dispatch, HttpCall, Operation, Source, SqlCall, Tool
from toolc.lexicon import lexicon, words
from toolc.merge import SELECTORS, Part, merge, unmergeable
from toolc.naming import merged_choices
from toolc.rules import Seen, Subject, in_order, list_place
from toolc.schema.identity import Fingerprints
from toolc.schema.normalise import normalise
from toolc.selectors import selector

STAGE = "catalog"
CATEGORY = "redundancy"
SEVERITY = Severity.note
SILENCES = ("same-verb-family",)
READS = frozenset({"get", "list", "search", "count"})
WRITES = frozenset({"create", "update", "delete", "add", "set", "remove"})
STANDS_FOR = {"add": "create", "set": "update", "remove": "delete"}
HTTP_METHODS = frozenset({"get", "post", "put", "patch", "delete"})
FEWEST = {"read": 3, "write": 2}
LEAST = 10  # tokens of saving that are worth a finding


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a family and class, about the list; databases are merged by other rules."""
    alone = {tool.operations[0].id: tool for tool in subject.tools if len(tool.operations) == 1}
    kept = subject.config.consolidate
    for source in subject.catalog.sources if kept.enabled else ():
        operations = [
            operation
            for operation in subject.operations
            if operation.source == source.name and operation.id in alone and not isinstance(operation.call, SqlCall)
        ]
        for family in families.find(operations, lexicon()) if len(operations) > 1 else ():
            for kind, members in _classes(family.members, source, alone):
                yield from _finding(kind, members, family.nouns, alone, subject)


def _classes(members: tuple[Member, ...], source: Source, alone: dict[str, Seen]) -> Iterator[tuple[str, list[Member]]]:
    """The CRUD members of a family by safety class, each verb once; action tools are left out."""
    for kind, verbs in (("read", READS), ("write", WRITES)):
        classes: dict[str, dict[str, Member]] = {}
        for member in members:
            effect = member.operation.hints.effect
            if member.verb not in verbs or unmergeable(member.operation) or selector(member.operation.input):
                continue
            if (effect == "read") != (kind == "read"):
                continue
            apart = "destructive" in source.separate and effect in ("destructive", "unknown")
            by_verb = classes.setdefault("destructive" if apart else kind, {})
            by_verb.setdefault(member.verb if kind == "read" else member.actions[0], member)
        for found in classes.values():
            meant = {STANDS_FOR.get(member.verb, member.verb) for member in found.values()}
            if len(found) >= FEWEST[kind] and len(meant) > 1 and not _sends_requests(found.values()):
                yield kind, list(found.values())


def _sends_requests(members: Iterable[Member]) -> bool:
    """Whether the verbs are HTTP methods: `playwright_post` and `playwright_patch` send requests."""
    said = [set(words(m.operation.name)) & HTTP_METHODS for m in members if not isinstance(m.operation.call, HttpCall)]
    return bool(said) and all(said) and not set().union(*said) <= {"get", "delete"}


def _finding(
    kind: str, members: list[Member], nouns: tuple[str, ...], alone: dict[str, Seen], subject: Subject
) -> Iterator[Diagnostic]:
    parts = [Part(m.actions[0], m.verb, _single(m.operation), m.operation) for m in members]
    name = merged_choices(nouns, kind, "")[0]
    thing = nouns[-1].replace("_", " ")
    draft = merge(name, (thing,), "", parts, lexicon(), Fingerprints())
    tools = in_order(alone[m.operation.id] for m in members)
    count = subject.counter.canonical
    saved = sum(map(subject.tokens, tools)) - count(draft.name, draft.description, draft.input_schema)
    if saved < LEAST:
        return
    select = draft.dispatch.select[0] if draft.dispatch.select else SELECTORS[0]
    actions = "|".join(case.when[select] for case in draft.dispatch.cases)
    rest = ", ".join(key for key in list(draft.input_schema["properties"])[:7] if key != select)
    place = list_place(tools)  # endpoints stand in no list of their own
    yield Diagnostic(
        "split-crud",
        SEVERITY,
        f"{', '.join(f'`{tool.name}`' for tool in tools)} could be one tool, `{name}({select}: {actions}; {rest})`, "
        f"and save {saved:,} tokens",
        place if place.pointer else tools[0].origin,
        tuple(tool.origin for tool in tools),
        help="`toolc build` merges them and proves that nothing is lost; `consolidate.keep` keeps one apart",
        cause=f"{tools[0].operations[0].source} {name} {actions} {tools[0].name}",
        count=len(tools),
    )


def _single(operation: Operation) -> Tool:
    return Tool(
        operation.name,
        operation.description.strip(),
        normalise(operation.input),
        Dispatch((), (Case({}, operation.id),)),
        (operation.origin,),
        hints=operation.hints,
    )
