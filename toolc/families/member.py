"""A family of operations and its members, with the names that each may have as an action."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toolc.ir import Operation
from toolc.lexicon import Lexicon, words

# Words of a name that only join others.
RELATIONS = frozenset({"a", "an", "at", "for", "from", "in", "of", "on", "the", "to"})


@dataclass(frozen=True, slots=True)
class Member:
    """An operation in a family.

    actions: names it may have as an action, the shortest first. path: where it stands among what its source is about,
    from the general to the special: static segments of a URL, or words of a name in the singular. written: the same as
    the source writes it. nouns: words for names, one for each step of the path. is_crud: its verb needs a noun to say
    what it does. spoken: the verb as a name says it (`show`); empty for paths. thing: the last segment of a URL in the
    number that it has here (`reply` for one of the `replies`), if that is another.
    """

    operation: Operation
    actions: tuple[str, ...]
    verb: str
    path: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    is_crud: bool = True
    spoken: str = ""
    thing: str = ""

    def actions_at(self, path: tuple[str, ...]) -> tuple[str, ...]:
        """Its action names in the tool of a parent resource: `list_comments`; `ping` is enough at `pings`."""
        way = self.written[len(path) :] if path and self.path[: len(path)] == path else ()
        if not way:
            return self.actions
        if self.thing:
            way = (*way[:-1], self.thing)
        last, whole = "_".join(words(way[-1])), "_".join(word for segment in way for word in words(segment))
        if not self.verb or self.spoken:
            return unique("_".join(filter(None, (self.spoken, whole))), self.actions[-1])
        first = self.actions[0]
        below = "_".join(words("_".join(way)))
        # `ping` of `pings` says enough; `cancel` for `orgs/invitations` would seem to cancel the organisation
        plain = (first,) if not self.is_crud and "_" not in first and first.removeprefix("un")[:4] in below else ()
        said = set(first.split("_")) >= set(last.split("_"))
        return unique(*plain, first if said else f"{first}_{last}", f"{first}_{whole}", self.actions[-1])


@dataclass(frozen=True, slots=True)
class Family:
    """Operations on one thing.

    key: what identifies it inside its source. nouns: words for its name, from the general to the special; the last
    ones are used first. path: its place in the source's tree, empty where it has none. stays: whether it stays a tool
    of its own when it has two members, whatever it belongs to. product: the first word of most names of its source
    (`browser`), if this is one of those.
    """

    source: str
    key: tuple[str, ...]
    nouns: tuple[str, ...]
    members: tuple[Member, ...]
    path: tuple[str, ...] = ()
    stays: bool = False
    product: str = ""


def unique(*names: str) -> tuple[str, ...]:
    """The names that are there, each once."""
    return tuple(dict.fromkeys(name for name in names if name))


def without(parts: Sequence[str], nouns: Sequence[str], lexicon: Lexicon) -> tuple[str, ...]:
    """The words that are none of the nouns, in singular or plural."""
    known = {lexicon.singular(noun) for word in nouns for noun in word.split("_")}
    return tuple(part for part in parts if lexicon.singular(part) not in known)
