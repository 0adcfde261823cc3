"""Keyword search over the tools of a bundle: BM25 on what their stubs say, and a discount on what else finds them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import log
from typing import Any

from toolc.schema.words import words

K1 = 1.2
B = 0.75
# What a hit is worth where the word is none of the stub, its group or an old name, but a synonym, or the name of a
# parameter or another word of the description.
SYNONYM = 0.7
PARAMETER = 0.35
# Words of a question that say nothing of what is looked for.
IGNORED = frozenset(
    "a about all also an and any are as at be been but by can could did do does for from had has have he help her here "
    "his how i if in into is it its let me my need of on one or our out please she should show so tell that the their "
    "them then there these they this those to up us using via want was we were what when where which who why will with "
    "would you your".split()
)


class Index:
    """The documents of a `search.json`, inverted."""

    def __init__(self, documents: Sequence[Mapping[str, Any]]) -> None:
        self._documents = [(document["name"], document["stub"]) for document in documents]
        self._said: dict[str, dict[int, int]] = defaultdict(dict)
        self._other: dict[str, dict[int, float]] = defaultdict(dict)
        self._lengths: list[int] = []
        for number, document in enumerate(documents):
            said = _terms(document["stub"], document.get("group", ""), *document.get("old_names", ()))
            self._lengths.append(len(said))
            for term, count in Counter(said).items():
                self._said[term][number] = count
            others = _joined(document["name"], *document.get("old_names", ()))
            self._add(number, set(said), [*others, *_terms(*document.get("synonyms", ()))], SYNONYM)
            others = _terms(*document.get("parameters", ()), document.get("words", ""))
            self._add(number, set(said), others, PARAMETER)
        self._mean = sum(self._lengths) / len(self._lengths) if self._lengths else 1.0

    def _add(self, number: int, said: set[str], terms: Iterable[str], worth: float) -> None:
        for term in terms:
            if term not in said:
                self._other[term].setdefault(number, worth)

    def search(self, query: str, limit: int) -> list[tuple[str, str]]:
        """(name, stub) of the best documents; ties in the order of names."""
        terms = set(_terms(query))
        terms |= {pair for pair in _joined(query) if pair in self._said or pair in self._other}
        scores: dict[int, float] = defaultdict(float)
        for term in sorted(terms - IGNORED or terms):
            said, other = self._said.get(term, {}), self._other.get(term, {})
            weight = self._rarity(len(said))
            for number, count in said.items():
                norm = K1 * (1 - B + B * self._lengths[number] / self._mean)
                scores[number] += weight * count * (K1 + 1) / (count + norm)
            weight = self._rarity(len(said) + len(other))
            for number, worth in other.items():
                scores[number] += weight * worth
        best = sorted(scores, key=lambda number: (-scores[number], self._documents[number][0]))
        return [self._documents[number] for number in best[:limit]]

    def _rarity(self, count: int) -> float:
        return log(1 + (len(self._documents) - count + 0.5) / (count + 0.5))


def _joined(*texts: str) -> list[str]:
    """Neighbouring words as one: `mind_map` is found by `mindmap`, and the other way round."""
    return [first + second for text in texts for first, second in pairwise(words(text))]


def _terms(*texts: str) -> list[str]:
    """Words without a plural s, so that `issues` finds `issue`; a text without spaces between its words in pairs."""
    found: list[str] = []
    for text in texts:
        for word in words(text):
            if len(word) > 2 and "\u2e80" <= word[0] <= "\u9fff":
                found += map("".join, pairwise(word))
            else:
                found.append(word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word)
    return found
