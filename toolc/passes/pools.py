"""Pools: members that may become one tool, and how pools grow and are split."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from toolc.families import Family, Member
from toolc.lexicon import Lexicon, words
from toolc.wording import plural

Bucket = tuple[bool, str]  # always loaded?, declared group: tools of different buckets are not merged


@dataclass(frozen=True, slots=True)
class Pool:
    """Members of one safety class (label) and bucket that may become one tool."""

    family: Family
    label: str
    bucket: Bucket
    members: tuple[Member, ...]

    @property
    def path(self) -> tuple[str, ...]:
        """The segments that the paths of all members begin with; what the tool is about."""
        paths = [member.path for member in self.members]
        length = next((n for n, parts in enumerate(zip(*paths, strict=False)) if len(set(parts)) > 1), None)
        return paths[0][: min(map(len, paths)) if length is None else length]

    @property
    def nouns(self) -> tuple[str, ...]:
        """Words for the name of the tool, from the general to the special."""
        return self.members[0].nouns[: len(self.path)] or self.family.nouns

    @property
    def thing(self) -> str:
        """What the tool is about: the last segment as the path writes it, `account keys`, `metadata`."""
        nouns = [" ".join(noun.split("_")) for noun in self.nouns[-2:]]
        return " ".join([*nouns[:-1], " ".join(words(self.path[-1]))]) if self.path else plural(" ".join(nouns))

    @property
    def spread(self) -> str:
        """Whether members are about the thing itself (``), also about what is in it (`also`), or only that (`only`)."""
        inside = [member for member in self.members if len(member.path) > len(self.path)]
        return "only" if len(inside) == len(self.members) else "also" if inside else ""


def absorb(pools: Sequence[Pool], cost: Callable[[Pool], int | None]) -> list[Pool]:
    """The pools, with what belongs to a resource further up drawn into its tool of the same class, if that pays.

    What is drawn up: sub-resources that are only read, and lone members of a class (one DELETE makes no family). Works
    from the leaves of the resource tree up, each node trying its children from the smallest; `cost` gives the tokens
    of a pool as one tool.
    """
    result = [pool for pool in pools if not pool.family.path]
    trees: dict[tuple[str, Bucket], dict[tuple[str, ...], Pool]] = defaultdict(dict)
    for pool in pools:
        if pool.family.path:
            trees[(pool.label, pool.bucket)][pool.family.path] = pool
    owned = {pool.family.path for pool in pools if pool.family.path and pool.family.parent is None}
    for tree in trees.values():
        result.extend(_grow(tree, owned, cost))
    return result


def _grow(
    tree: dict[tuple[str, ...], Pool], owned: set[tuple[str, ...]], cost: Callable[[Pool], int | None]
) -> list[Pool]:
    """The pools of one tree when nothing more can be drawn up. owned: resources with writes of their own."""
    waiting: dict[tuple[str, ...], list[Pool]] = defaultdict(list)  # node → pools of its children
    nodes = {path[:length] for path in tree for length in range(1, len(path) + 1)}
    done: list[Pool] = []
    for node in sorted(nodes, key=lambda path: (-len(path), path)):
        own = tree.get(node)
        children = sorted(waiting.pop(node, ()), key=lambda pool: (len(pool.members), pool.family.path))
        if own is None and len(children) == 1:
            base: Pool | None = children[0]
        else:
            base, rest = _drawn(own, children, cost)
            done.extend(rest)
        if base is None:
            continue
        if len(node) == 1 or (node in owned and len(base.members) > 1):
            done.append(base)
        else:
            waiting[node[:-1]].append(base)
    return done


def _drawn(
    own: Pool | None, children: Sequence[Pool], cost: Callable[[Pool], int | None]
) -> tuple[Pool | None, list[Pool]]:
    """The node's pool with all children that pay, and the others."""
    base = own
    price = cost(own) if own is not None else None
    rest = []
    for child in children:
        if base is None:
            base, price = child, cost(child)
            continue
        trial = replace(base, members=(*base.members, *child.members))
        alone, together = cost(child), cost(trial)
        if price is not None and alone is not None and together is not None and together < price + alone:
            base, price = trial, together
        else:
            rest.append(child)
    return base, rest


def split(pool: Pool, lexicon: Lexicon) -> list[tuple[Pool, str]]:
    """The pool in parts, each with a word that tells its tool's name apart: by verb class, then in halves."""
    plain = tuple(m for m in pool.members if m.verb in lexicon.named and lexicon.named[m.verb].order < 7)
    other = tuple(m for m in pool.members if m not in plain)
    if not plain or not other:
        ordered = sorted(pool.members, key=lambda m: (m.actions[0], m.operation.id))
        half = (len(ordered) + 1) // 2
        plain, other = tuple(ordered[:half]), tuple(ordered[half:])
    word = min(m.verb or m.actions[0] for m in other)
    return [(replace(pool, members=plain), ""), (replace(pool, members=other), word)]


def choose_actions(pool: Pool, fixed: Mapping[str, str] | None = None) -> dict[str, str]:
    """An action name for each operation: its shortest that no other has; who has a longer one gives way."""
    options = {member.operation.id: member.actions_at(pool.path) for member in pool.members}
    fixed = {key: action for key, action in (fixed or {}).items() if key in options}
    options |= {key: (action,) for key, action in fixed.items()}
    level = dict.fromkeys(options, 0)
    for _ in range(2 * max(map(len, options.values()))):
        holders = defaultdict(list)
        for key, names in options.items():
            holders[names[level[key]]].append(key)
        for keys in holders.values():
            # the last name of each is its whole old one: whoever has nothing shorter keeps what it has, if it is alone
            movable = [key for key in keys if level[key] + 2 < len(options[key])]
            if not movable:
                movable = [key for key in keys if level[key] + 1 < len(options[key])]
            if len(keys) > 1:
                for key in movable:
                    level[key] += 1
    chosen: dict[str, str] = {}
    for key in sorted(options, key=lambda key: (key not in fixed, key)):
        name = options[key][level[key]]
        number = 2
        while name in chosen.values():
            name = f"{options[key][level[key]]}_{number}"
            number += 1
        chosen[key] = name
    return chosen
