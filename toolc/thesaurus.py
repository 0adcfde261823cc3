"""Other words for the words of a name or stub, for search only (data: `catalogs/synonyms.yaml` and the verbs)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from toolc import resources
from toolc.lexicon import Lexicon, lexicon, words

Phrase = tuple[str, ...]

# `(PR)`, `(SLOs)`: an abbreviation that a text has just spelled out.
_ABBREVIATION = re.compile(r"\(([A-Z]{2,6})s?\)")
_LONGEST_TEXT = 120  # characters before an abbreviation in which its words are looked for


class Thesaurus:
    """Sets of phrases that stand for one another, ready for look-up."""

    def __init__(self, sets: Iterable[Iterable[Phrase]], lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._others: dict[Phrase, list[Phrase]] = defaultdict(list)
        for phrases in sets:
            known = list(phrases)
            for phrase in known:
                self._others[self._folded(phrase)] += (other for other in known if other != phrase)
        self._longest = max(map(len, self._others), default=0)

    def extended(self, sets: Iterable[Iterable[Phrase]]) -> Thesaurus:
        """This one with more sets; itself, if there are none."""
        more = Thesaurus(sets, self._lexicon)
        for phrase, others in self._others.items():
            more._others[phrase] = [*others, *more._others.get(phrase, ())]
        more._longest = max(self._longest, more._longest)
        return more

    def others(self, texts: Iterable[str]) -> list[str]:
        """Words that stand for words of the texts and are not in them, each once, in the order of the texts."""
        said = [words(text) for text in texts]
        known = {self._lexicon.singular(word) for each in said for word in each}
        found = (word for each in said for phrase in self._of(each) for word in phrase)
        return [word for word in dict.fromkeys(found) if self._lexicon.singular(word) not in known]

    def _of(self, said: Phrase) -> Iterator[Phrase]:
        folded = self._folded(said)
        for start in range(len(folded)):
            for stop in range(start + 1, min(len(folded), start + self._longest) + 1):
                yield from self._others.get(folded[start:stop], ())

    def _folded(self, phrase: Phrase) -> Phrase:
        return tuple(map(self._lexicon.singular, phrase))


def abbreviations(texts: Iterable[str]) -> list[tuple[Phrase, Phrase]]:
    """What texts abbreviate themselves, each with its long form: `Pull Request (PR)`, sorted."""
    found: set[tuple[Phrase, Phrase]] = set()
    for text in texts:
        for match in _ABBREVIATION.finditer(text) if "(" in text else ():
            short = match[1].lower()
            before = words(text[max(0, match.start() - _LONGEST_TEXT) : match.start()])[-len(short) :]
            if "".join(word[0] for word in before) == short:
                found.add(((short,), before))
    return sorted(found)


@cache
def thesaurus() -> Thesaurus:
    """The shipped one, read once."""
    import yaml

    text = (resources.data("catalogs") / "synonyms.yaml").read_text(encoding="utf-8")
    data: dict[str, Any] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - a safe loader
    sets = [[words(phrase) for phrase in phrases] for phrases in data["sets"]]
    return Thesaurus([*sets, *_verbs(lexicon())], lexicon())


def _verbs(lexicon: Lexicon) -> Iterator[list[Phrase]]:
    """Each verb with its synonyms, and with the one of the first seven that it can stand for."""
    named: dict[str, list[Phrase]] = defaultdict(list)
    for phrase, verb in lexicon.verbs.items():
        named[verb.name].append(phrase)
    for name, phrases in named.items():
        near = lexicon.named[name].near
        yield phrases
        if near:
            yield [tuple(name.split("_")), (near,)]
