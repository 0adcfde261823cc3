"""What a merged tool says of itself: one sentence that is true of all its actions, then a line an action."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toolc.lexicon import Lexicon, words
from toolc.merge.parts import Part, Spread
from toolc.schema.phrases import root_words
from toolc.wording import EMPTY, listed, plural, repeats, sentence, shared, without_opening

_MOST_OBJECTS = 4
_MOST_LEAD = 160  # characters in which a tool's description has to carry its meaning


def description(nouns: Sequence[str], spread: Spread, parts: Sequence[Part], lexicon: Lexicon) -> str:
    """What the tool does in one sentence, then a line for each action that says more than verb and noun."""
    lines = [_lead(" ".join(nouns), spread, parts, lexicon)]
    texts = {}
    for part in parts:
        known = {*words(part.action), *words(part.verb), *words(" ".join(nouns))}
        said = without_opening(part.tool.description)
        texts[part.action] = "" if repeats(said, known, part.verb, lexicon) else said
    common, texts = shared(texts)
    if common:
        lines.append(f"All: {common}")
    for part in parts:
        said = texts[part.action]
        text = " ".join(filter(None, [sentence(said) if said else "", root_words(part.tool.input_schema)]))
        if text:
            lines.append(f"{part.action}: {text}")
    return "\n".join(lines)


def _lead(thing: str, spread: Spread, parts: Sequence[Part], lexicon: Lexicon) -> str:
    """One sentence for the whole tool, so short that it is read where only a beginning is shown."""
    spoken = {part.action: _spoken(part, lexicon) for part in parts}
    direct = [part for part in parts if _is_direct(part, thing, lexicon)] if spread != "only" else []
    verbs = _once(spoken[part.action][0].replace("_", " ") for part in parts)
    objects = _once(" ".join(spoken[part.action][1]) for part in parts)
    few = all(objects) and len(objects) <= _MOST_OBJECTS
    if spread == "compound" and few:
        lead = f"{listed(verbs).capitalize()} {thing} {listed(objects)}."
    elif spread in ("compound", "name") and len(verbs) == 1 and direct:
        lead = f"{verbs[0].capitalize()} {plural(thing)}."
    elif spread in ("compound", "name"):
        lead = f"{thing.capitalize()}: {', '.join(verbs)}."
    elif not direct and few:
        lead = f"{thing.capitalize()}: {listed(verbs)} {listed(objects)}."
    elif not direct:
        lead = f"{listed(verbs).capitalize()} what belongs to {thing}."
    else:
        whole = spread == "" and len(direct) == len(parts)
        verbs = _once(spoken[part.action][0].replace("_", " ") for part in direct)
        lead = f"{listed(verbs).capitalize()} {thing}{'' if whole else ' and what belongs to them'}."
    return lead if len(lead) <= _MOST_LEAD else f"{thing.capitalize()}: {len(parts)} actions."


def _once(items: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(items))


def _spoken(part: Part, lexicon: Lexicon) -> tuple[str, tuple[str, ...]]:
    """The verb as the action says it (`terminate`, where the lexicon says `kill`), and the words after it."""
    said = words(part.action)
    found = lexicon.at(said, 0)
    if found is None or found.verb.name != part.verb:
        return part.verb or part.action, ()
    return " ".join(said[: found.stop]), said[found.stop :]


def _is_direct(part: Part, thing: str, lexicon: Lexicon) -> bool:
    """Whether an action is done to the thing itself: `add`, `get_by_id`, but not `add_followers`."""
    if not part.verb:
        return len(words(part.action)) == 1
    own = {"id", *map(lexicon.singular, words(thing)[-1:])}
    return all(word in EMPTY or lexicon.singular(word) in own for word in _spoken(part, lexicon)[1])
