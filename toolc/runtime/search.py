"""Keyword search over the names and stubs of a bundle (BM25, k1 = 1.2, b = 0.75)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import log
from typing import Any

from toolc.schema.words import words

K1 = 1.2
B = 0.75


class Index:
    """The documents of a `search.json`, inverted."""

    def __init__(self, documents: Sequence[Mapping[str, Any]]) -> None:
        self._documents = [(document["name"], document["stub"]) for document in documents]
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._lengths: list[int] = []
        for number, document in enumerate(documents):
            terms = _terms(" ".join((document["name"], document["stub"], *document.get("operations", ()))))
            self._lengths.append(len(terms))
            for term, count in Counter(terms).items():
                self._postings[term].append((number, count))
        self._mean = sum(self._lengths) / len(self._lengths) if self._lengths else 1.0

    def search(self, query: str, limit: int) -> list[tuple[str, str]]:
        """(name, stub) of the best documents; ties in the order of names."""
        scores: dict[int, float] = defaultdict(float)
        for term in set(_terms(query)):
            postings = self._postings.get(term, ())
            weight = log(1 + (len(self._documents) - len(postings) + 0.5) / (len(postings) + 0.5))
            for number, count in postings:
                norm = K1 * (1 - B + B * self._lengths[number] / self._mean)
                scores[number] += weight * count * (K1 + 1) / (count + norm)
        best = sorted(scores, key=lambda number: (-scores[number], self._documents[number][0]))
        return [self._documents[number] for number in best[:limit]]


def _terms(text: str) -> list[str]:
    """Words without a plural s, so that `issues` finds `issue`."""
    return [
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in words(text)
    ]
