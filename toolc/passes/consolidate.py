"""Merges families into action tools where that pays and is proven; names all tools."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from toolc import families, naming
from toolc.families import Family, Member
from toolc.ir import Catalog, Effect, Operation, Source, Tool
from toolc.lexicon import Lexicon, lexicon
from toolc.lock import PinnedTool
from toolc.merge import Part, Pins, merge, unmergeable
from toolc.naming import Wish
from toolc.passes import databases
from toolc.passes.context import Context
from toolc.passes.pools import Bucket, Pool, absorb, choose_actions, split
from toolc.schema.walk import Fingerprints
from toolc.select import Selector, select
from toolc.verify import Proof

LONGEST_DESCRIPTION = 1024
APART = "kept apart by the lock, or dearer than apart under the name it would need beside other sources"


@dataclass(frozen=True, slots=True)
class Draft:
    """A tool without its final name. nouns, path, suffix, extra: what the name is made of; empty for one operation."""

    tool: Tool
    members: tuple[Member, ...] = ()
    nouns: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    suffix: str = ""
    extra: str = ""
    pinned: str = ""
    proof: Proof | None = None


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
    for source in catalog.sources:
        operations = [operation for operation in everything if operation.source == source.name]
        shop = _Workshop(context, source, singles, buckets, keep, lexicon(), Fingerprints())
        tabular = shop.of_database(operations, by_hand)
        done = {operation for draft in tabular for operation in draft.tool.operations}
        drafts += tabular + shop.drafts([operation for operation in operations if operation.id not in done], by_hand)
    drafts, tools = _paying(drafts, singles, catalog.operations, context)
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


@dataclass(slots=True)
class _Workshop:
    """Consolidates one source."""

    context: Context
    source: Source
    singles: Mapping[str, Tool]
    buckets: Mapping[str, Bucket]
    keep: set[str]
    lexicon: Lexicon
    marks: Fingerprints
    prices: dict[tuple[tuple[str, ...], tuple[str, ...]], int | None] = field(default_factory=dict)

    def drafts(self, operations: Sequence[Operation], by_hand: Mapping[str, Sequence[str]]) -> list[Draft]:
        """Every operation in exactly one draft, as the lock has it wherever it says something.

        The plan is made afresh each time, so that a build tells the same with and without a lock; what the lock fixed
        otherwise is then put in its place, and an operation it does not know joins its family or stands alone.
        """
        enabled = self.context.config.consolidate.enabled
        found = families.find(operations, self.lexicon, by_hand) if enabled else []
        fresh = _told_apart([draft for pool in self._pools(found) for draft in self._draft(pool)])
        merged = {operation for draft in fresh for operation in draft.tool.operations}
        fresh += [Draft(self.singles[operation.id]) for operation in operations if operation.id not in merged]
        fixed = self._fixed(operations)
        result: list[Draft] = []
        open_ids: set[str] = set()
        kept: set[str] = set()
        for draft in fresh:
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
                    self.context.ledger.unmerged[_label(draft)] = APART
                if draft.members:
                    kept |= {pin.name for pin in pins if pin is not None and pin.select}
        as_pinned = self._pinned([op for op in operations if op.id in open_ids], found) if enabled else []
        self._tell_kept(len(kept | {draft.pinned for draft in as_pinned if not self._pays(draft.tool)}))
        result += as_pinned
        done = {operation for draft in result for operation in draft.tool.operations}
        for operation in operations:
            if operation.id not in done:
                pin = fixed.get(operation.id)
                name = pin.name if pin is not None and not pin.select else ""
                result.append(Draft(self.singles[operation.id], pinned=name))
        return result

    def of_database(self, operations: Sequence[Operation], by_hand: Mapping[str, Sequence[str]]) -> list[Draft]:
        """The tools of tables, under the names that the lock has for them; those put together by hand are left out."""
        if not self.context.config.consolidate.enabled:
            return []
        taken = {operation for ids in by_hand.values() for operation in ids}
        free = [operation for operation in operations if operation.id not in taken and self._mergeable(operation)]
        found = databases.make(self.source, free, self.singles, self.buckets, self._class, self.context)
        fixed = self.context.lock.operations
        drafts = []
        for made in found:
            pins = {pin.name: pin for operation in made.tool.operations if (pin := fixed.get(operation)) and pin.select}
            pinned = next((name for name, pin in pins.items() if pin.select == " ".join(made.tool.dispatch.select)), "")
            drafts.append(Draft(made.tool, nouns=made.nouns, suffix=made.suffix, pinned=pinned))
        return drafts

    def _fixed(self, operations: Sequence[Operation]) -> dict[str, PinnedTool]:
        """What the lock says of these operations, as far as the config still allows it.

        A name that the config gives wins over the lock, and a tool that the config no longer allows, since its members
        are now of different classes, tiers or groups, is planned afresh.
        """
        known = {operation.id: operation for operation in operations}
        fixed = {}
        for key, pin in self.context.lock.operations.items():
            if key not in known or known[key].pinned_name or " " in pin.select:
                continue
            there = [known[op] for op in pin.actions.values() if op in known and self._mergeable(known[op])]
            if len({(self._class(op.hints.effect), self.buckets[op.id]) for op in there}) < 2:
                fixed[key] = pin
        return fixed

    def _tell_kept(self, count: int) -> None:
        if count and self.context.lock.inputs:
            self.context.report.note(
                "kept-by-lock",
                f"source `{self.source.name}`: {count} tools stay as the lock has them, though a new plan would differ",
                help="`toolc build --repin` plans and names all tools afresh",
                subject=self.source.name,
            )

    def _pools(self, found: Iterable[Family]) -> list[Pool]:
        """What may become one tool: by family, safety class and bucket, then read-only sub-resources drawn up."""
        pools: list[Pool] = []
        for family in found:
            parts: dict[tuple[str, Bucket], list[Member]] = defaultdict(list)
            for member in family.members:
                if reason := unmergeable(member.operation):
                    self.context.ledger.unmerged[member.operation.id] = reason
                elif self._mergeable(member.operation):
                    label = self._class(member.operation.hints.effect)
                    parts[(label, self.buckets[member.operation.id])].append(member)
            pools += [Pool(family, label, bucket, tuple(members)) for (label, bucket), members in parts.items()]
        return absorb(pools, self._cost)

    def _mergeable(self, operation: Operation) -> bool:
        return operation.id not in self.keep and not operation.pinned_name and not unmergeable(operation)

    def _class(self, effect: Effect) -> str:
        """The label of the safety class an effect falls into; `` where all are merged."""
        separate = self.source.separate
        kind = "destructive" if effect == "unknown" else effect
        if kind in separate:
            return kind
        if kind == "destructive" and "write" in separate:
            return "write"
        return ""

    def _cost(self, pool: Pool) -> int | None:
        """Canonical tokens of the pool as one tool (None if it cannot be one), or of its only member."""
        if len(pool.members) == 1:
            return self.context.ledger.text[pool.members[0].operation.id]
        if len(pool.members) > self.context.config.consolidate.max_actions:
            return None
        key = (pool.family.key, tuple(member.operation.id for member in pool.members))
        if key not in self.prices:
            tool = self._tool(pool)
            self.prices[key] = None if self._over_cap(tool) else self._tokens(tool)
        return self.prices[key]

    def _tokens(self, tool: Tool) -> int:
        return self.context.counter.canonical(tool.name, tool.description, tool.input_schema)

    def _tool(self, pool: Pool, pins: Pins | None = None, actions: Mapping[str, str] | None = None) -> Tool:
        named = actions or choose_actions(pool)
        parts = [Part(named[m.operation.id], m.verb, self.singles[m.operation.id], m.operation) for m in pool.members]
        name = naming.merged_choices(pool.nouns, _suffix(pool), "")[0]
        return merge(name, (pool.thing,), pool.spread, parts, self.lexicon, self.marks, pins)

    def _over_cap(self, tool: Tool) -> str:
        caps = self.context.config.consolidate
        if len(tool.dispatch.cases) > caps.max_actions:
            return f"{len(tool.dispatch.cases)} actions are more than {caps.max_actions}"
        if len(tool.input_schema["properties"]) - 1 > caps.max_params:
            return f"{len(tool.input_schema['properties']) - 1} parameters are more than {caps.max_params}"
        if len(tool.description) > LONGEST_DESCRIPTION:
            return f"a description of {len(tool.description)} characters is longer than {LONGEST_DESCRIPTION}"
        return ""

    def _draft(self, pool: Pool) -> list[Draft]:
        """The pool as one tool if it pays and is proven; over a cap it is split; else nothing."""
        extra = pool.extra
        if len(pool.members) < 2:
            return []
        tool = self._tool(pool)
        name = naming.merged_choices(pool.nouns, _suffix(pool), extra)[-1]
        if reason := self._over_cap(tool):
            if len(pool.members) == 2:
                self.context.ledger.unmerged[name] = reason
                return []
            return [draft for part in split(pool, self.lexicon) for draft in self._draft(part)]
        alone = sum(self.context.ledger.text[member.operation.id] for member in pool.members)
        if (tokens := self._tokens(tool)) >= alone:
            self.context.ledger.unmerged[name] = f"would cost {tokens} tokens, {alone} apart"
            return []
        proof = self.context.prover.prove(tool)
        if not proof.holds:
            return self._without_offenders(pool, name, proof.problems)
        return [Draft(tool, pool.members, pool.nouns, pool.path, _suffix(pool), extra, proof=proof)]

    def _without_offenders(self, pool: Pool, name: str, problems: Sequence[str]) -> list[Draft]:
        offending = {m.operation.id for m in pool.members if any(p.startswith(f"{m.operation.id}: ") for p in problems)}
        rest = tuple(member for member in pool.members if member.operation.id not in offending)
        self.context.ledger.unmerged[name] = f"not proven: {problems[0]}"
        self.context.report.note(
            "unproven-family",
            f"{', '.join(sorted(offending)) or name} stays apart: {problems[0]}",
            pool.members[0].operation.origin,
            subject=name,
        )
        return self._draft(replace(pool, members=rest)) if offending and len(rest) > 1 else []

    def _pinned(self, operations: Sequence[Operation], found: Sequence[Family]) -> list[Draft]:
        """The merged tools of the last build as they were, each with new operations of its family if they fit."""
        known = {operation.id: operation for operation in operations}
        homes = {member.operation.id: family for family in found for member in family.members}
        members = {member.operation.id: member for family in found for member in family.members}
        fixed = self.context.lock.operations
        drafts = []
        for pin in self.context.lock.tools.values():
            there = [op for op in pin.actions.values() if op in known and op in members and self._mergeable(known[op])]
            if not pin.select or not there:
                continue
            home = homes[there[0]]
            bucket = self.buckets[there[0]]
            label = self._class(known[there[0]].hints.effect)
            if any(self.buckets[op] != bucket or self._class(known[op].hints.effect) != label for op in there):
                continue
            pool = Pool(home, label, bucket, tuple(members[operation] for operation in there))
            newcomers = [
                member
                for member in home.members
                if member.operation.id not in fixed
                and self._class(member.operation.hints.effect) == label
                and self.buckets[member.operation.id] == bucket
                and self._mergeable(member.operation)
                and member.operation.id in known
            ]
            if (draft := self._as_pinned(pin, pool, newcomers)) is not None:
                drafts.append(draft)
        return drafts

    def _pays(self, tool: Tool) -> bool:
        return self._tokens(tool) < sum(self.context.ledger.text[operation] for operation in tool.operations)

    def _as_pinned(self, pin: PinnedTool, pool: Pool, newcomers: Sequence[Member]) -> Draft | None:
        """The tool as the lock has it, whatever it costs now and if one action is left; newcomers have to pay."""
        actions = {operation: action for action, operation in pin.actions.items()}
        pins = Pins(pin.select, pin.args)
        best: Draft | None = None
        for extra in [(), *((member,) for member in newcomers)]:
            base = best.members if best is not None else pool.members
            trial = replace(pool, members=(*base, *extra))
            named = {**choose_actions(trial, actions), **actions}
            tool = self._tool(trial, pins, {m.operation.id: named[m.operation.id] for m in trial.members})
            if self._over_cap(tool):
                continue
            if (
                extra
                and best is not None
                and self._tokens(tool) >= self._tokens(best.tool) + self.context.ledger.text[extra[0].operation.id]
            ):
                continue
            proof = self.context.prover.prove(tool)
            if proof.holds:
                best = Draft(tool, trial.members, pinned=pin.name, proof=proof)
        return best


def _told_apart(drafts: list[Draft]) -> list[Draft]:
    """The drafts; of several about the same, the one that is most so needs no word that tells it apart."""
    alike: dict[tuple[tuple[str, ...], str], list[Draft]] = defaultdict(list)
    for draft in drafts:
        alike[(draft.nouns, draft.suffix)].append(draft)
    result = []
    for draft in drafts:
        largest = max(alike[(draft.nouns, draft.suffix)], key=lambda other: (_direct(other), len(other.members)))
        result.append(replace(draft, extra="" if draft is largest else draft.extra or "more"))
    return result


def _direct(draft: Draft) -> int:
    """How many of its members are about what its name says, and not about what belongs to that."""
    return sum(member.path == draft.path for member in draft.members)


def _label(draft: Draft) -> str:
    return naming.merged_choices(draft.nouns, draft.suffix, draft.extra)[-1]


def _as_fixed(tool: Tool, pin: PinnedTool) -> bool:
    """Whether a tool is the one that the lock has, up to its name and words."""
    if not tool.dispatch.select:
        return not pin.select and list(pin.actions.values()) == list(tool.operations)
    select = tool.dispatch.select[0]
    actions = {case.when[select]: case.operation for case in tool.dispatch.cases}
    args = {case.operation: dict(case.args) for case in tool.dispatch.cases if case.args}
    return select == pin.select and actions == dict(pin.actions) and args == {k: dict(v) for k, v in pin.args.items()}


def _suffix(pool: Pool) -> str:
    if pool.label == "destructive":
        return "delete" if all(member.verb in ("delete", "remove") for member in pool.members) else "destructive"
    return pool.label


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
                context.ledger.unmerged[_label(draft)] = APART
                kept += [Draft(singles[operation]) for operation in tool.operations]
            else:
                kept.append(draft)
        drafts = kept


def _named(drafts: Sequence[Draft], operations: Mapping[str, Operation]) -> list[Tool]:
    wishes = []
    for draft in drafts:
        first = operations[draft.tool.operations[0]]
        key = min(draft.tool.operations)
        if draft.pinned:
            wishes.append(Wish(key, first.source, (draft.pinned,), fixed=True))
        elif draft.nouns:
            choices = naming.merged_choices(draft.nouns, draft.suffix, draft.extra, draft.path)
            spare = naming.merged_choices(draft.nouns, draft.suffix, draft.extra or "more")[0]
            wishes.append(Wish(key, first.source, choices, spare=spare))
        else:
            name = naming.single_name(first)
            wishes.append(Wish(key, first.source, (name,), bool(first.pinned_name), name == first.name))
    names = naming.assign(wishes, (operation.name for operation in operations.values()))
    return [replace(draft.tool, name=names[wish.key]) for draft, wish in zip(drafts, wishes, strict=True)]
