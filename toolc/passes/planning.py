"""The plan of one source: which operations become one tool, by what it costs, each tool proven."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from toolc import naming
from toolc.families import Family, Member
from toolc.ir import Effect, Operation, Source, Tool
from toolc.lexicon import Lexicon
from toolc.merge import Part, Pins, merge, unmergeable
from toolc.passes.context import Context
from toolc.passes.pools import Bucket, Pool, absorb, choose_actions, split
from toolc.schema.identity import Fingerprints
from toolc.verify import Proof

LONGEST_DESCRIPTION = 1024


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

    @property
    def label(self) -> str:
        """What the report calls it."""
        return naming.merged_choices(self.nouns, self.suffix, self.extra)[-1]


@dataclass(slots=True)
class Planner:
    """Plans one source. buckets: by operation id; keep: the ids that stay tools of their own."""

    context: Context
    source: Source
    singles: Mapping[str, Tool]
    buckets: Mapping[str, Bucket]
    keep: set[str]
    lexicon: Lexicon
    marks: Fingerprints
    prices: dict[tuple[tuple[str, ...], tuple[str, ...]], int | None] = field(default_factory=dict)

    def plan(self, operations: Sequence[Operation], found: Iterable[Family]) -> list[Draft]:
        """Every operation in exactly one draft, as if there had been no build before."""
        drafts = _told_apart([draft for pool in self._pools(found) for draft in self._draft(pool)])
        merged = {operation for draft in drafts for operation in draft.tool.operations}
        return drafts + [Draft(self.singles[operation.id]) for operation in operations if operation.id not in merged]

    def _pools(self, found: Iterable[Family]) -> list[Pool]:
        """What may become one tool: by family, safety class and bucket, then read-only sub-resources drawn up."""
        pools: list[Pool] = []
        for family in found:
            parts: dict[tuple[str, Bucket], list[Member]] = defaultdict(list)
            for member in family.members:
                if reason := unmergeable(member.operation):
                    self.context.ledger.unmerged[member.operation.id] = reason
                elif self.mergeable(member.operation):
                    label = self.label(member.operation.hints.effect)
                    parts[(label, self.buckets[member.operation.id])].append(member)
            pools += [Pool(family, label, bucket, tuple(members)) for (label, bucket), members in parts.items()]
        return absorb(pools, self._cost)

    def mergeable(self, operation: Operation) -> bool:
        """Whether it may become part of a tool: neither config nor schema speaks against it."""
        return operation.id not in self.keep and not operation.pinned_name and not unmergeable(operation)

    def label(self, effect: Effect) -> str:
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
            tool = self.tool(pool)
            self.prices[key] = None if self.over_cap(tool) else self.tokens(tool)
        return self.prices[key]

    def tokens(self, tool: Tool) -> int:
        """Its canonical tokens."""
        return self.context.counter.canonical(tool.name, tool.description, tool.input_schema)

    def tool(self, pool: Pool, pins: Pins | None = None, actions: Mapping[str, str] | None = None) -> Tool:
        """The pool as one tool, under a name for the moment; actions: by operation id, where they are fixed."""
        named = actions or choose_actions(pool)
        parts = [Part(named[m.operation.id], m.verb, self.singles[m.operation.id], m.operation) for m in pool.members]
        name = naming.merged_choices(pool.nouns, _suffix(pool), "")[0]
        return merge(name, (pool.thing,), pool.spread, parts, self.lexicon, self.marks, pins)

    def over_cap(self, tool: Tool) -> str:
        """Which cap the tool is over, in words; empty if none."""
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
        tool = self.tool(pool)
        name = naming.merged_choices(pool.nouns, _suffix(pool), extra)[-1]
        if reason := self.over_cap(tool):
            if len(pool.members) == 2:
                self.context.ledger.unmerged[name] = reason
                return []
            return [draft for part in split(pool, self.lexicon) for draft in self._draft(part)]
        alone = sum(self.context.ledger.text[member.operation.id] for member in pool.members)
        if (tokens := self.tokens(tool)) >= alone:
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

    def pays(self, tool: Tool) -> bool:
        """Whether it costs less than its operations apart."""
        return self.tokens(tool) < sum(self.context.ledger.text[operation] for operation in tool.operations)


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


def _suffix(pool: Pool) -> str:
    if pool.label != "destructive":
        return pool.label
    if all(member.operation.hints.effect == "unknown" for member in pool.members):
        return ""  # treated as the worst, but its name need not frighten whoever reads it
    return "delete" if all(member.verb in ("delete", "remove") for member in pool.members) else "destructive"
