"""What the words of a name mean: verbs with their class, and singular forms (data: `catalogs/verbs.yaml`)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from toolc import resources
from toolc.schema.words import words as words

VerbClass = Literal["read", "write", "destructive", "unknown"]


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb of the lexicon. order: its place among actions; near: the CRUD verb it can stand for, or ``."""

    name: str
    kind: VerbClass
    order: int
    near: str


@dataclass(frozen=True, slots=True)
class Found:
    """A verb at a place in a list of words: words[start:stop] are the verb."""

    verb: Verb
    start: int
    stop: int


class Lexicon:
    """The verbs and noun forms of `verbs.yaml`, ready for look-up."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.verbs: dict[tuple[str, ...], Verb] = {}
        for order, (name, entry) in enumerate(data["verbs"].items()):
            verb = Verb(name, entry["class"], order, entry.get("near", ""))
            for word in (name, *entry.get("synonyms", ())):
                self.verbs[tuple(word.split("_"))] = verb
        self.named = {verb.name: verb for verb in self.verbs.values()}
        self.also_nouns = frozenset(data["also_nouns"])
        self.qualifiers = frozenset(data["qualifiers"])
        self.weak = frozenset(data["weak"])
        self._singular: dict[str, str] = dict(data["singular"])
        self._unchanged = frozenset(data["unchanged"])
        self._longest = max(map(len, self.verbs))

    def at(self, words: tuple[str, ...], start: int) -> Found | None:
        """The longest verb that begins at a word."""
        for stop in range(min(len(words), start + self._longest), start, -1):
            if (verb := self.verbs.get(words[start:stop])) is not None:
                return Found(verb, start, stop)
        return None

    def first(self, words: tuple[str, ...], after: int = 0) -> Found | None:
        """The verb where a name has one: first, second behind a qualifier (`batch_create_x`), or last.

        In last place a word that is a noun as often (`sub_issue`) is taken for the noun.
        """
        for start in range(after, min(len(words), after + 2)):
            found = self.at(words, start)
            if found and (start == after or words[start] not in self.also_nouns):
                return found
        for start in range(max(after, len(words) - self._longest), len(words)):
            found = self.at(words, start)
            if found and found.stop == len(words) and words[start] not in self.also_nouns:
                return found
        return None

    def singular(self, word: str) -> str:
        """The singular of a noun, by the rules and exceptions of the lexicon."""
        if word in self._singular:
            return self._singular[word]
        if word in self._unchanged or len(word) < 4:
            return word
        if word.endswith("ies"):
            return word[:-3] + "y"
        if word.endswith(("sses", "shes", "ches", "xes", "zes")):
            return word[:-2]
        if word.endswith(("ss", "us", "is")) or not word.endswith("s"):
            return word
        return word[:-1]

    def order(self, action: str) -> tuple[int, bool, str]:
        """The place of an action inside its tool: the first seven verbs as listed, all others alphabetically.

        A synonym stands behind its verb: `update`, `patch`.
        """
        first = action.split("_")[0]
        verb = self.verbs.get((first,))
        if verb is None or verb.order >= 7:
            return 7, False, action
        return verb.order, first != verb.name, action


@cache
def lexicon() -> Lexicon:
    """The shipped lexicon, read once."""
    import yaml

    text = (resources.data("catalogs") / "verbs.yaml").read_text(encoding="utf-8")
    return Lexicon(yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))  # noqa: S506 - a safe loader
