"""What the lock fixed: tools stay as they were, and what is new joins its family or stands alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from toolc.families import Family, Member
from toolc.ir import Operation, Tool
from toolc.lock import PinnedTool
from toolc.merge import Pins
from toolc.passes.planning import Draft, Planner
from toolc.passes.pools import Pool, choose_actions

BY_LOCK = "kept apart by the lock; `toolc build --repin` would merge them"


def settle(
    planner: Planner, plan: Sequence[Draft], operations: Sequence[Operation], found: Sequence[Family]
) -> list[Draft]:
    """The plan as the lock has it wherever it says something; every operation in exactly one draft.

    The plan is made afresh each time, so that a build tells the same with and without a lock; what the lock fixed
    otherwise is then put in its place, and an operation it does not know joins its family or stands alone.
    """
    fixed = _fixed(planner, operations)
    result: list[Draft] = []
    open_ids: set[str] = set()
    kept: set[str] = set()
    for draft in plan:
        pin = fixed.get(draft.tool.operations[0])
        if pin is not None and _as_fixed(draft.tool, pin):
            result.append(replace(draft, pinned=pin.name))
        elif all(operation not in fixed for operation in draft.tool.operations):
            # of an operation of a pinned family, whether it can join is still to be seen
            if draft.members or not fixed:
                result.append(draft)
            else:
                open_ids |= set(draft.tool.operations)
        else:
            open_ids |= set(draft.tool.operations)
            pins = [fixed.get(operation) for operation in draft.tool.operations]
            if draft.members and all(pin is not None and not pin.select for pin in pins):
                planner.context.ledger.unmerged[draft.label] = BY_LOCK
            if draft.members:
                kept |= {pin.name for pin in pins if pin is not None and pin.select}
    as_pinned = _pinned(planner, [op for op in operations if op.id in open_ids], found)
    _tell_kept(planner, len(kept | {draft.pinned for draft in as_pinned if not planner.pays(draft.tool)}))
    result += as_pinned
    done = {operation for draft in result for operation in draft.tool.operations}
    for operation in operations:
        if operation.id not in done:
            pin = fixed.get(operation.id)
            name = pin.name if pin is not None and not pin.select else ""
            result.append(Draft(planner.singles[operation.id], pinned=name))
    return result


def _fixed(planner: Planner, operations: Sequence[Operation]) -> dict[str, PinnedTool]:
    """What the lock says of these operations, as far as the config still allows it.

    A name that the config gives wins over the lock, and a tool that the config no longer allows, since its members
    are now of different classes, tiers or groups, is planned afresh.
    """
    known = {operation.id: operation for operation in operations}
    fixed = {}
    for key, pin in planner.context.lock.operations.items():
        if key not in known or known[key].pinned_name or " " in pin.select:
            continue
        there = [known[op] for op in pin.actions.values() if op in known and planner.mergeable(known[op])]
        if len({(planner.label(op.hints.effect), planner.buckets[op.id]) for op in there}) < 2:
            fixed[key] = pin
    return fixed


def _tell_kept(planner: Planner, count: int) -> None:
    if count and planner.context.lock.inputs:
        planner.context.report.note(
            "kept-by-lock",
            f"source `{planner.source.name}`: {count} tools stay as the lock has them, though a new plan would differ",
            help="`toolc build --repin` plans and names all tools afresh",
            subject=planner.source.name,
        )


def _pinned(planner: Planner, operations: Sequence[Operation], found: Sequence[Family]) -> list[Draft]:
    """The merged tools of the last build as they were, each with new operations of its family if they fit."""
    known = {operation.id: operation for operation in operations}
    homes = {member.operation.id: family for family in found for member in family.members}
    members = {member.operation.id: member for family in found for member in family.members}
    fixed = planner.context.lock.operations
    drafts = []
    for pin in planner.context.lock.tools.values():
        there = [op for op in pin.actions.values() if op in known and op in members and planner.mergeable(known[op])]
        if not pin.select or not there:
            continue
        home = homes[there[0]]
        bucket = planner.buckets[there[0]]
        label = planner.label(known[there[0]].hints.effect)
        if any(planner.buckets[op] != bucket or planner.label(known[op].hints.effect) != label for op in there):
            continue
        pool = Pool(home, label, bucket, tuple(members[operation] for operation in there))
        newcomers = [
            member
            for member in home.members
            if member.operation.id not in fixed
            and planner.label(member.operation.hints.effect) == label
            and planner.buckets[member.operation.id] == bucket
            and planner.mergeable(member.operation)
            and member.operation.id in known
        ]
        if (draft := _as_pinned(planner, pin, pool, newcomers)) is not None:
            drafts.append(draft)
    return drafts


def _as_pinned(planner: Planner, pin: PinnedTool, pool: Pool, newcomers: Sequence[Member]) -> Draft | None:
    """The tool as the lock has it, whatever it costs now and if one action is left; newcomers have to pay."""
    actions = {operation: action for action, operation in pin.actions.items()}
    pins = Pins(pin.select, pin.args)
    best: Draft | None = None
    for extra in [(), *((member,) for member in newcomers)]:
        base = best.members if best is not None else pool.members
        trial = replace(pool, members=(*base, *extra))
        named = {**choose_actions(trial, actions), **actions}
        tool = planner.tool(trial, pins, {m.operation.id: named[m.operation.id] for m in trial.members})
        if planner.over_cap(tool):
            continue
        if (
            extra
            and best is not None
            and planner.tokens(tool) >= planner.tokens(best.tool) + planner.context.ledger.text[extra[0].operation.id]
        ):
            continue
        proof = planner.context.prover.prove(tool)
        if proof.holds:
            best = Draft(tool, trial.members, pinned=pin.name, proof=proof)
    return best


def _as_fixed(tool: Tool, pin: PinnedTool) -> bool:
    """Whether a tool is the one that the lock has, up to its name and words."""
    if not tool.dispatch.select:
        return not pin.select and list(pin.actions.values()) == list(tool.operations)
    select = tool.dispatch.select[0]
    actions = {case.when[select]: case.operation for case in tool.dispatch.cases}
    args = {case.operation: dict(case.args) for case in tool.dispatch.cases if case.args}
    return select == pin.select and actions == dict(pin.actions) and args == {k: dict(v) for k, v in pin.args.items()}
