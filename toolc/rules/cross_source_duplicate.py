"""Two sources that offer the same tool.

What it does
    Reports tools of different sources whose names mean the same, for which one set of arguments is valid, and whose
    texts speak of the same things. What names a product or source of its own (Jira, the wiki) is no duplicate.

Why it is bad
    A model picks one at random; results, rights and errors differ by chance.

Example
    `web:fetch_url(url)` and `browser_tools:get_url(url)`, both "Fetch a page by its URL."

Use instead
    select: ["!fetch_url"] in one of the sources

When it is wrong
    If they reach different systems: say which in both descriptions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import Operation
from toolc.lexicon import Lexicon, lexicon, words
from toolc.likeness import content_words, interchangeable, meaning
from toolc.rules import Seen, Subject, in_order

STAGE = "catalog"
CATEGORY = "redundancy"
SEVERITY = Severity.warning
MOST_OF_A_KIND = 12


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding for each tool that another source has too."""
    lex = lexicon()
    kinds: dict[tuple[str, frozenset[str]], list[Seen]] = defaultdict(list)
    names = {_source(tool.operations[0]) for tool in subject.tools}
    if len(names) < 2:
        return
    for tool in in_order(subject.tools):
        said = meaning(tool.name, lex)
        if said.verb and len(tool.operations) == 1:
            kinds[said.verb, said.nouns].append(tool)
    for tools in kinds.values():
        told = set()
        for one, other in combinations(tools[:MOST_OF_A_KIND], 2):
            own, foreign = _source(one.operations[0]), _source(other.operations[0])
            if own == foreign or other.name in told or not _same(one, other, lex):
                continue
            told.add(other.name)
            yield Diagnostic(
                "cross-source-duplicate",
                SEVERITY,
                f"`{other.name}` of `{foreign}` does what `{one.name}` of `{own}` does; without it "
                f"{subject.tokens(other):,} tokens are saved",
                other.origin,
                (one.origin,),
                help='leave one of them out with `select: ["!…"]`, or say in both which system they reach',
                subject=other.name,
            )


def _source(operation: Operation) -> str:
    return str(operation.extra.get("x_source") or operation.source)


def _same(one: Seen, other: Seen, lex: Lexicon) -> bool:
    if not interchangeable(one.schema, other.schema):
        return False
    mine, theirs = content_words(one.description, lex), content_words(other.description, lex)
    products = set(words(_source(one.operations[0]))) ^ set(words(_source(other.operations[0])))
    if (mine ^ theirs) & products or not mine or not theirs:
        return False
    return len(mine & theirs) * 5 >= 3 * min(len(mine), len(theirs)) and len(mine & theirs) >= 2
