"""Merges families into action tools where that pays and is proven; names all tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from toolc import families, naming
from toolc.ir import Catalog, Operation, Tool
from toolc.lexicon import lexicon
from toolc.naming import Wish
from toolc.passes import databases
from toolc.passes.context import Context
from toolc.passes.pinning import BY_LOCK, settle
from toolc.passes.planning import Draft, Planner
from toolc.passes.pools import Bucket
from toolc.schema.identity import Fingerprints
from toolc.select import Selector, select

DEAR = "dearer than apart under the longer name it needs beside other sources"


def apply(catalog: Catalog, context: Context) -> Catalog:
    """The catalog with consolidated, named tools and the aliases of their old names."""
    everything = list(catalog.operations.values())
    keep = _named_by(everything, context.config.consolidate.keep)
    by_hand = {
        label: select(everything, selector.entries).ids
        for label, selector in context.config.consolidate.families.items()
    }
    buckets = _buckets(everything, context)
    singles = {tool.operations[0]: tool for tool in catalog.tools}
    drafts: list[Draft] = []
    plans: list[Draft] = []
    for source in catalog.sources:
        operations = [operation for operation in everything if operation.source == source.name]
        planner = Planner(context, source, singles, buckets, keep, lexicon(), Fingerprints())
        tabular = _of_database(planner, operations, by_hand)
        done = {operation for draft in tabular for operation in draft.tool.operations}
        rest = [operation for operation in operations if operation.id not in done]
        found = families.find(rest, planner.lexicon, by_hand) if context.config.consolidate.enabled else []
        plan = planner.plan(rest, found)
        plans += tabular + plan
        drafts += tabular + settle(planner, plan, rest, found)
    drafts, tools = _paying(drafts, singles, catalog.operations, context)
    _tell_dear(plans, singles, catalog.operations, context)
    proven = [_proven(tool, draft, catalog.operations, context) for tool, draft in zip(tools, drafts, strict=True)]
    ordered = tuple(sorted(proven, key=lambda tool: tool.name))
    return replace(catalog, tools=ordered, aliases=naming.aliases(ordered, catalog.operations))


def _proven(tool: Tool, draft: Draft, operations: Mapping[str, Operation], context: Context) -> Tool:
    """The tool with its proof noted; one whose normalised schema cannot be shown to fit takes the exact one."""
    proof = draft.proof or context.prover.prove(tool)
    if not proof.holds and not tool.dispatch.select:
        exact = replace(tool, input_schema=operations[tool.operations[0]].input)
        if (second := context.prover.prove(exact)).holds:
            tool, proof = exact, second
    if not proof.holds:
        context.report.error(
            "unproven-tool",
            f"`{tool.name}` is not proven to keep every call: {proof.problems[0]}",
            tool.origins[0],
            help="simplify the schema there, or leave the operation out with `select`",
            subject=tool.name,
        )
    context.ledger.proofs[tool.name] = replace(proof, tool=tool.name)
    return tool


def _named_by(operations: Sequence[Operation], selector: Selector) -> set[str]:
    """The ids that a list names; an empty list names nothing here, where it would mean everything elsewhere."""
    return set(select(operations, selector.entries).ids) if selector.entries else set()


def _buckets(operations: Sequence[Operation], context: Context) -> dict[str, Bucket]:
    config = context.config
    always = _named_by(operations, config.always)
    group: dict[str, str] = {}
    for name, entry in config.groups.items():
        for operation_id in select(operations, entry.select.entries).ids:
            if group.setdefault(operation_id, name) != name:
                context.report.warning(
                    "two-groups",
                    f"`{operation_id}` is in two groups, {group[operation_id]} and {name}; the first has it",
                    entry.origin,
                    help="take it out of one of them with `!`",
                )
    return {op.id: (op.id in always, group.get(op.id, "")) for op in operations}


def _of_database(
    planner: Planner, operations: Sequence[Operation], by_hand: Mapping[str, Sequence[str]]
) -> list[Draft]:
    """The tools of tables, under the names that the lock has for them; those put together by hand are left out."""
    if not planner.context.config.consolidate.enabled:
        return []
    taken = {operation for ids in by_hand.values() for operation in ids}
    free = [operation for operation in operations if operation.id not in taken and planner.mergeable(operation)]
    found = databases.make(planner.source, free, planner.singles, planner.buckets, planner.label, planner.context)
    fixed = planner.context.lock.operations
    drafts = []
    for made in found:
        pins = {pin.name: pin for operation in made.tool.operations if (pin := fixed.get(operation)) and pin.select}
        pinned = next((name for name, pin in pins.items() if pin.select == " ".join(made.tool.dispatch.select)), "")
        drafts.append(Draft(made.tool, nouns=made.nouns, suffix=made.suffix, pinned=pinned))
    return drafts


def _paying(
    drafts: list[Draft], singles: Mapping[str, Tool], operations: Mapping[str, Operation], context: Context
) -> tuple[list[Draft], list[Tool]]:
    """Drafts and their tools, without those that a longer name (sources clash) made dearer than apart."""
    while True:
        tools = _named(drafts, operations)
        dear = {
            tool.name
            for tool, draft in zip(tools, drafts, strict=True)
            if draft.members
            and not draft.pinned
            and context.counter.canonical(tool.name, tool.description, tool.input_schema)
            >= sum(context.ledger.text[operation] for operation in tool.operations)
        }
        if not dear:
            return drafts, tools
        kept: list[Draft] = []
        for tool, draft in zip(tools, drafts, strict=True):
            if tool.name in dear:
                context.ledger.unmerged[draft.label] = DEAR
                kept += [Draft(singles[operation]) for operation in tool.operations]
            else:
                kept.append(draft)
        drafts = kept


def _tell_dear(
    plans: list[Draft], singles: Mapping[str, Tool], operations: Mapping[str, Operation], context: Context
) -> None:
    """Why tools are apart in the lock: a plan made afresh may find the same cause as the build that wrote it."""
    told = dict(context.ledger.unmerged)
    if BY_LOCK not in told.values():
        return
    _paying(plans, singles, operations, context)
    afresh = dict(context.ledger.unmerged)
    context.ledger.unmerged.clear()
    context.ledger.unmerged.update(
        (label, afresh[label] if reason == BY_LOCK else reason) for label, reason in told.items()
    )


def _named(drafts: Sequence[Draft], operations: Mapping[str, Operation]) -> list[Tool]:
    wishes = []
    for draft in drafts:
        first = operations[draft.tool.operations[0]]
        key = min(draft.tool.operations)
        if draft.pinned:
            wishes.append(Wish(key, first.source, (draft.pinned,), fixed=True))
        elif draft.nouns:
            choices = naming.merged_choices(draft.nouns, draft.suffix, draft.extra, draft.path)
            suffix, extra = draft.suffix, draft.extra
            if suffix == "delete" and not extra:
                suffix = "destructive"  # `chat_delete` is an operation's own name
            spare = naming.merged_choices(draft.nouns, suffix, extra or ("" if suffix != draft.suffix else "more"))[0]
            wishes.append(Wish(key, first.source, choices, spare=spare))
        else:
            name = naming.single_name(first)
            wishes.append(Wish(key, first.source, (name,), bool(first.pinned_name), name == first.name))
    names = naming.assign(wishes, (operation.name for operation in operations.values()))
    return [replace(draft.tool, name=names[wish.key]) for draft, wish in zip(drafts, wishes, strict=True)]
