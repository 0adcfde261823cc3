"""The parameters of a merged tool: those of all its actions, each with its own words and whom it belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from toolc.ir import Schema
from toolc.lexicon import lexicon, words
from toolc.merge.forms import Form, forms_of
from toolc.merge.parts import Part, Pins
from toolc.schema.identity import Fingerprints
from toolc.wording import contained, repeats, sentence, shared

# `New plan` is no word for the plan with which something is created.
_QUALIFIED = re.compile(r"\b(?:new|updated|changed|other|another)\b", re.I)


@dataclass(frozen=True, slots=True)
class Parameters:
    """schemas: by merged name; required: those that every action requires; renames: by action, {merged: original}."""

    schemas: Schema
    required: list[str]
    renames: dict[str, dict[str, str]]


def parameters(
    parts: Sequence[Part], schemas: Mapping[str, Schema], reserved: set[str], marks: Fingerprints, pins: Pins
) -> Parameters:
    """The union of the parameters; renamed where a name means something else in one action or is reserved."""
    ids = {part.action: part.operation.id for part in parts}
    everyone = list(ids)
    out = Parameters({}, [], {action: {} for action in everyone})
    for name in dict.fromkeys(key for action in everyone for key in schemas[action]["properties"]):
        forms = forms_of(name, {a: s for a, s in schemas.items() if name in s["properties"]}, marks)
        for index, form in enumerate(forms):
            takers = list(form.schemas)
            merged = _pinned(pins, ids, takers, name) or (name if index == 0 else "")
            if not merged or merged in out.schemas:
                merged = _free(f"{takers[0]}_{name}", reserved)
            reserved.add(merged)
            if merged != name:
                for action in takers:
                    out.renames[action][merged] = name
            needed = [action for action in takers if name in schemas[action].get("required", ())]
            if len(needed) == len(everyone):
                out.required.append(merged)
            out.schemas[merged] = _with_text(name, form, takers, needed, everyone)
    return out


def _pinned(pins: Pins, ids: Mapping[str, str], takers: Iterable[str], name: str) -> str:
    for action in takers:
        for merged, original in (pins.args or {}).get(ids[action], {}).items():
            if original == name:
                return merged
    return ""


def _free(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    return next(made for number in range(2, len(taken) + 3) if (made := f"{name}_{number}") not in taken)


def _with_text(name: str, form: Form, takers: list[str], needed: list[str], everyone: list[str]) -> Schema:
    """The property with its own words, then the actions it belongs to."""
    pieces = [_together(name, form.texts), *form.words]
    others = [action for action in takers if action not in needed]
    if len(takers) == len(everyone):
        if needed and others:
            pieces.append(f"Required: {', '.join(needed)}.")
    elif needed and others:
        pieces.append(f"Required: {', '.join(needed)}. Also: {', '.join(others)}.")
    elif needed:
        pieces.append(f"Required: {', '.join(needed)}.")
    else:
        pieces.append(f"{', '.join(others)}.")
    said = [piece for piece in pieces if piece]
    text = " ".join([*(sentence(piece) for piece in said[:-1]), *said[-1:]])
    schema = {key: value for key, value in form.schema.items() if key != "description"}
    return {**schema, "description": text} if text else schema


def _together(name: str, texts: Mapping[str, str]) -> str:
    """Identical texts once, one inside another as the longer, else each with the actions that say so.

    What all say, whole sentences, is said once, before the rest. Of several texts, one that says no more than the
    names of parameter and action (`The channel to archive` of `channel`) is left out.
    """
    distinct: dict[str, list[str]] = {}
    for action, text in texts.items():
        if text:
            distinct.setdefault(text, []).append(action)
    kept = {
        text: actions
        for text, actions in distinct.items()
        if not any(other != text and _says_all(other, text, actions) for other in distinct)
    }
    if len(kept) <= 1:
        return next(iter(kept), "")
    common, rest = shared({text: text for text in kept}) if len(kept) == len(distinct) else ("", {})
    telling = {text: actions for text, actions in kept.items() if common or not _repeats(name, text, actions)}
    said = [f"{', '.join(actions)}: {rest.get(text, text)}" for text, actions in telling.items()]
    pieces = "; ".join([*(text.removesuffix(".") for text in said[:-1]), *said[-1:]])
    return f"{sentence(common)} {pieces}" if common else pieces


def _repeats(name: str, text: str, actions: Sequence[str]) -> bool:
    """Whether a text says only what the names of the parameter and of each of its actions say."""
    known = lexicon()
    own = {*words(name), "id"}
    return all(
        repeats(text, {*own, *words(action)}, found.verb.name if (found := known.at(words(action), 0)) else "", known)
        for action in actions
    )


def _says_all(long: str, short: str, actions: Sequence[str]) -> bool:
    """Whether a text stands for a shorter one inside it; `Name to delete` is no name for what sets it."""
    if not contained(short, long) or (_QUALIFIED.search(long) and not _QUALIFIED.search(short)):
        return False
    known = lexicon()
    own = {found.verb for action in actions if (found := known.at(words(action), 0)) is not None}
    more = long.lower().replace(short.lower().rstrip(". "), " ")
    purposes = {known.verbs.get((word,)) for word in re.findall(r"\bto (\w+)", more)} - {None}
    return not purposes or not own or bool(purposes & own)
