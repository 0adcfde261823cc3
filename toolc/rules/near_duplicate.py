"""Two tools of one source that do the same.

What it does
    Reports tools whose names mean the same (verbs of one meaning, the same things) and for which one set of arguments
    is valid. Opposite verbs (attach, detach) and a single differing noun (update_person, update_company) veto it, as
    do texts that name different things.

Why it is bad
    A model picks one of the two at random, and both are paid for.

Example
    get_document(id), fetch_doc(id)

Use instead
    one of them

When it is wrong
    If they differ in something that neither name nor parameters say: say it in both descriptions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import HttpCall, SqlCall
from toolc.lexicon import Lexicon, lexicon, words
from toolc.likeness import alike, content_words, interchangeable, meaning
from toolc.rules import Seen, Subject, in_order

STAGE = "catalog"
CATEGORY = "redundancy"
SEVERITY = Severity.warning
SILENCES = ("subset-tool", "same-verb-family", "thin-description")
OF_A_PRODUCT = 3
MOST_OF_A_KIND = 12  # more tools of one meaning are a family, not duplicates


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding for each tool that repeats an earlier one of its source; HTTP operations differ by their paths."""
    lex = lexicon()
    kinds: dict[tuple[str, str, frozenset[str]], list[Seen]] = defaultdict(list)
    firsts = Counter((tool.operations[0].source, (words(tool.name) or ("",))[0]) for tool in subject.tools)
    for tool in in_order(subject.tools):
        operation = tool.operations[0]
        if len(tool.operations) > 1 or isinstance(operation.call, HttpCall | SqlCall) or operation.deprecated:
            continue
        said = meaning(tool.name, lex)
        if said.verb and said.nouns and not _is_product(said.nouns, operation.source, firsts):
            kinds[str(operation.extra.get("x_source") or operation.source), said.verb, said.nouns].append(tool)
    for tools in kinds.values():
        told = set()
        for one, other in combinations(tools[:MOST_OF_A_KIND], 2):
            if other.name not in told and _same(one, other, lex):
                told.add(other.name)
                yield Diagnostic(
                    "near-duplicate",
                    SEVERITY,
                    f"`{other.name}` takes the same arguments as `{one.name}` and by its name does the same; "
                    f"without it {subject.tokens(other):,} tokens are saved",
                    other.origin,
                    (*other.related, *one.origins),
                    help="keep one of them, or say in both how they differ",
                    subject=other.name,
                )


def _is_product(nouns: frozenset[str], source: str, firsts: Counter[tuple[str, str]]) -> bool:
    """Whether the only noun is a product's name before its commands: kubectl_get, kubectl_describe."""
    return len(nouns) == 1 and firsts[source, next(iter(nouns))] >= OF_A_PRODUCT


def _same(one: Seen, other: Seen, lex: Lexicon) -> bool:
    if not interchangeable(one.schema, other.schema):
        return False
    mine, theirs = content_words(one.description, lex), content_words(other.description, lex)
    if alike(one.schema, other.schema) and not (one.description and other.description):
        return True
    # texts that share less than a third of what the shorter one says speak of different things
    return len(mine & theirs) * 3 >= min(len(mine), len(theirs))
