"""Pools: members that may become one tool, and how pools grow and are split."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from toolc.families import RELATIONS, Family, Member
from toolc.ir import HttpCall
from toolc.lexicon import Lexicon, lexicon, words
from toolc.merge import Spread
from toolc.wording import plural

Bucket = tuple[bool, str]  # always loaded?, declared group: tools of different buckets are not merged


@dataclass(frozen=True, slots=True)
class Pool:
    """Members of one safety class (label) and bucket that may become one tool.

    extra: a word for its name where another pool is about the same.
    """

    family: Family
    label: str
    bucket: Bucket
    members: tuple[Member, ...]
    extra: str = ""

    @property
    def path(self) -> tuple[str, ...]:
        """What the paths of all members begin with: what the tool is about."""
        paths = [member.path for member in self.members]
        length = next((n for n, parts in enumerate(zip(*paths, strict=False)) if len(set(parts)) > 1), None)
        length = min(map(len, paths)) if length is None else length
        while length > 1 and paths[0][length - 1] in RELATIONS:
            length -= 1  # `build_song_from_text` and `build_song_from_file` are about songs
        return paths[0][:length]

    @property
    def nouns(self) -> tuple[str, ...]:
        """Words for the name of the tool, from the general to the special."""
        own = self.members[0].nouns[: len(self.path)]
        if not own:
            return self.family.nouns
        if isinstance(self.members[0].operation.call, HttpCall):
            # far down, one word is too little: `release_asset`, `codespace_access`
            count = 2 if len(own) > 2 or (len(own) > 1 and own[-1] in lexicon().weak) else 1
            return (*own[:-count], "_".join(own[-count:]))
        # words of a name make one noun; a product before it is needed only in a clash
        product = own[:1] if self.family.product and len(own) > 1 else ()
        return (*product, "_".join(own[len(product) :]))

    @property
    def thing(self) -> str:
        """What the tool is about: the last segment as the path writes it, `account keys`, `metadata`."""
        noun = " ".join(self.nouns[-1].split("_"))
        if not self.path:
            return plural(noun)
        if isinstance(self.members[0].operation.call, HttpCall):
            last = " ".join(words(self.path[-1]))
            return (
                f"{' '.join(self.members[0].nouns[len(self.path) - 2].split('_'))} {last}"
                if len(self.path) > 1
                else last
            )
        return plural(noun) if self.spread == "" else noun

    @property
    def spread(self) -> Spread:
        """How far its members are about the thing itself."""
        inside = [member for member in self.members if len(member.path) > len(self.path)]
        if not self.path or isinstance(self.members[0].operation.call, HttpCall):
            return "only" if len(inside) == len(self.members) else "also" if inside else ""
        if self.path == (self.family.product,) or not all(member.verb for member in self.members):
            return "name"
        return "compound" if len(inside) == len(self.members) else "name" if inside else ""


def absorb(pools: Sequence[Pool], cost: Callable[[Pool], int | None]) -> list[Pool]:
    """The pools, with what belongs to something further up drawn into its tool of the same class, if that pays.

    What is drawn up: what does not stay for itself, and lone members of a class (one DELETE makes no family). Works
    from the leaves of the tree up, each node trying its children from the smallest; `cost` gives the tokens of a pool
    as one tool.
    """
    result = [pool for pool in pools if not pool.family.path]
    trees: dict[tuple[str, Bucket], dict[tuple[str, ...], Pool]] = defaultdict(dict)
    for pool in pools:
        if pool.family.path:
            trees[(pool.label, pool.bucket)][pool.family.path] = pool
    staying = {pool.family.path for pool in pools if pool.family.stays}
    # a product is about everything: only what would be alone goes there
    staying |= {pool.family.path[:2] for pool in pools if pool.family.product}
    for tree in trees.values():
        result.extend(_grow(tree, staying, cost))
    return result


def _grow(
    tree: dict[tuple[str, ...], Pool], staying: set[tuple[str, ...]], cost: Callable[[Pool], int | None]
) -> list[Pool]:
    """The pools of one tree when nothing more can be drawn up. staying: nodes that keep a tool of two or more."""
    waiting: dict[tuple[str, ...], list[Pool]] = defaultdict(list)  # node → pools of its children
    nodes = {path[:length] for path in tree for length in range(1, len(path) + 1)}
    done: list[Pool] = []
    for node in sorted(nodes, key=lambda path: (-len(path), path)):
        own = tree.get(node)
        children = sorted(waiting.pop(node, ()), key=lambda pool: (len(pool.members), pool.family.path))
        if own is None and not children:
            continue
        base, *rest = _drawn(own, children, cost)
        done.extend(rest)
        if len(node) == 1 or (node in staying and len(base.members) > 1):
            done.append(base)
        else:
            waiting[node[:-1]].append(base)
    return done


def _drawn(own: Pool | None, children: Sequence[Pool], cost: Callable[[Pool], int | None]) -> list[Pool]:
    """The node's pool with all children that pay, then the others, each with those where it saves most."""
    drawn = [] if own is None else [own]
    for child in children:
        best: tuple[int, int, Pool] | None = None
        for index, pool in enumerate(drawn):
            trial = replace(pool, members=(*pool.members, *child.members))
            before, alone, together = cost(pool), cost(child), cost(trial)
            if before is None or alone is None or together is None or together >= before + alone:
                continue
            if best is None or before + alone - together > best[0]:
                best = before + alone - together, index, trial
            if index == 0 and own is not None:
                break
        if best is None:
            drawn.append(child)
        else:
            drawn[best[1]] = best[2]
    return drawn


def split(pool: Pool, lexicon: Lexicon) -> list[Pool]:
    """The pool in parts, each with a word that tells its tool's name apart: by verb class, then in halves."""
    plain = tuple(m for m in pool.members if m.verb in lexicon.named and lexicon.named[m.verb].order < 7)
    other = tuple(m for m in pool.members if m not in plain)
    if not plain or not other:
        ordered = sorted(pool.members, key=lambda m: (m.actions[0], m.operation.id))
        half = (len(ordered) + 1) // 2
        plain, other = tuple(ordered[:half]), tuple(ordered[half:])
    word = min(m.verb or m.actions[0] for m in other)
    return [replace(pool, members=plain), replace(pool, members=other, extra=word)]


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
