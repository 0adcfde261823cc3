"""What an operation does to the world: declared hints, completed from the verb in its name.

A wrong `read` lets a harness skip the user's consent, so a name only counts as read if nothing in it or in the first
word of its description speaks against that; in doubt the answer is unknown, which the compiler treats as the worst.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from toolc.ir import Hint, Hints
from toolc.lexicon import Found, Lexicon, VerbClass, lexicon, words

_WORST: tuple[VerbClass, ...] = ("read", "write", "destructive", "unknown")
_JOINTS = frozenset({"and", "or"})
# "Returns the list of …" speaks of the result, not of giving goods back.
_NO_ACTS = frozenset({"return", "use", "call"})
_OPENING = re.compile(r"[^\w]*([\w-]+)")


def infer_from_name(name: str, description: str = "") -> Hints:
    """Hints that follow from the verb of the name.

    All unknown, with the reason, if there is no verb, or if another one or the description's first word contradicts it.
    """
    lex = lexicon()
    found = words(name)
    said = _opening_verb(description, lex)
    verb = _verb(found, lex, said)
    if isinstance(verb, str):
        return _unknown(verb)
    kind = _worst(verb, found, lex)
    shown = "_".join(found[verb.start : verb.stop])
    if kind == "unknown":
        return _unknown(f"`{shown}` can do anything")
    if kind == "read" and said is not None and said.verb.kind in ("write", "destructive"):
        return _unknown(f"`{shown}` in the name, but the description begins with `{said.verb.name}`")
    return _of_class(kind, f"verb `{shown}` in the name")


def complete(declared: Hints, inferred: Hints) -> Hints:
    """Declared hints, with what was left open taken from the inferred ones as far as that contradicts nothing."""
    read_only, destructive = declared.read_only, declared.destructive
    if read_only.value is None:
        read_only = Hint(False, "inferred", "declared destructive") if destructive.value else inferred.read_only
    if destructive.value is None:
        if read_only.value:
            destructive = Hint(False, "inferred", "read only")
        elif inferred.read_only.value:
            destructive = Hint(reason="declared not to be read only, though the name reads like it")
        else:
            destructive = inferred.destructive
    return Hints(
        read_only,
        destructive,
        declared.idempotent if declared.idempotent.value is not None else inferred.idempotent,
        declared.open_world if declared.open_world.value is not None else inferred.open_world,
    )


def join(hints: Sequence[Hints]) -> Hints:
    """The cautious join: a promise holds only if all make it, a danger if any does."""

    def one(name: str, cautious: bool) -> Hint:
        members: list[Hint] = [getattr(hint, name) for hint in hints]
        if any(hint.value is cautious for hint in members):
            return next(hint for hint in members if hint.value is cautious)
        if all(hint.value is (not cautious) for hint in members):
            return members[0]
        return next(hint for hint in members if hint.value is None)

    return Hints(
        one("read_only", cautious=False),
        one("destructive", cautious=True),
        one("idempotent", cautious=False),
        one("open_world", cautious=True),
    )


def _verb(found: tuple[str, ...], lex: Lexicon, said: Found | None) -> Found | str:
    """The verb of a name, or why it is not known.

    A word that is a noun as often counts as the verb in first or last place, or where the description agrees with it.
    """

    def certain(here: Found) -> bool:
        return here.stop - here.start > 1 or found[here.start] not in lex.also_nouns or _agree(said, here)

    first = lex.at(found, 0)
    if first is not None and certain(first):
        return first
    others = [
        here for here in _verbs(found, lex, first.stop if first else 1) if certain(here) or here.stop == len(found)
    ]
    if first is None and others and not certain(others[-1]) and any(map(certain, others)):
        others.pop()  # `jira_get_issue`: behind a verb, a word that may be a noun is what it is done to
    kinds = {here.verb.kind for here in others}
    if not others:
        return first or "the name has no verb whose effect is known"
    if len(kinds) == 1 and (first is None or first.verb.kind in kinds):
        return others[0]
    if len(others) == 1 and others[0].stop == len(found) and certain(others[0]):
        return others[0]  # `issue_get`: what comes before is the noun
    names = [f"`{found[here.start]}`" for here in ([first] if first else []) + others]
    return f"{' and '.join(names)} in the name have different effects"


def _verbs(found: tuple[str, ...], lex: Lexicon, start: int) -> Iterator[Found]:
    """The verbs from a word on, one after the other; those joined to one by `and` or `or` belong to it."""
    while start < len(found):
        here = lex.at(found, start)
        if here is None:
            start += 1
            continue
        yield here
        start = here.stop
        while start + 1 < len(found) and found[start] in _JOINTS and (joined := lex.at(found, start + 1)):
            start = joined.stop


def _agree(said: Found | None, here: Found) -> bool:
    return said is not None and said.verb.kind == here.verb.kind


def _worst(verb: Found, found: tuple[str, ...], lex: Lexicon) -> VerbClass:
    """The class of the verb and of those joined to it by `and` or `or`."""
    kinds = [verb.verb.kind]
    stop = verb.stop
    while stop + 1 < len(found) and found[stop] in _JOINTS:
        joined = lex.at(found, stop + 1)
        if joined is None:
            break
        kinds.append(joined.verb.kind)
        stop = joined.stop
    return max(kinds, key=_WORST.index)


def _opening_verb(description: str, lex: Lexicon) -> Found | None:
    """The verb that a description begins with, in its plain or third-person form."""
    match = _OPENING.match(description)
    if match is None:
        return None
    word = match[1].lower()
    forms = [word]
    if word.endswith("s"):
        forms += [word[:-1], word[:-2] if word.endswith("es") else "", word[:-3] + "y" if word.endswith("ies") else ""]
    for form in forms:
        here = lex.at((form,), 0) if form else None
        if here is not None and form not in _NO_ACTS:
            return here
    return None


def _of_class(kind: VerbClass, reason: str) -> Hints:
    return Hints(
        read_only=Hint(kind == "read", "inferred", reason),
        destructive=Hint(kind == "destructive", "inferred", reason),
    )


def _unknown(reason: str) -> Hints:
    return Hints(read_only=Hint(reason=reason), destructive=Hint(reason=reason))
