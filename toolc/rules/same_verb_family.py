"""Three tools or more with one verb and one schema.

What it does
    Reports tools of one source that have the same verb, different things, and exactly the same parameters: two at least
    beside those that only page. They could be one tool with the kind of thing as a parameter. With one parameter, or
    with no verb in their names, they are reported where they are five at least, share a word that not every tool of the
    source has, and (without a verb) only read: web_data_amazon_product(url), web_data_ebay_product(url) …

Why it is bad
    The same schema is paid for once a tool. OpenMetadata's server has nine such tools of 24 (issue 32076).

Example
    create_glossary(name, description, owner), create_domain(…), create_metric(…), create_dashboard(…)

Use instead
    create_entity(kind: glossary|domain|metric|dashboard, name, description, owner)

When it is wrong
    If permission is granted for one of them alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import HttpCall, SqlCall
from toolc.lexicon import lexicon, words
from toolc.likeness import meaning
from toolc.rules import Seen, Subject, in_order, list_place
from toolc.schema.identity import Fingerprints

STAGE = "catalog"
CATEGORY = "redundancy"
SEVERITY = Severity.note
SILENCES = ("subset-tool",)
FEWEST, MANY = 3, 5
PAGING = frozenset("limit offset page cursor size count per_page page_size page_token top skip".split())


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a family, about the list."""
    lex = lexicon()
    marks = Fingerprints()
    kinds: dict[tuple[str, str, str], list[Seen]] = defaultdict(list)
    sizes: Counter[str] = Counter(tool.operations[0].source for tool in subject.tools)
    nouns: dict[str, Counter[str]] = defaultdict(Counter)
    for tool in in_order(subject.tools):
        operation = tool.operations[0]
        if len(tool.operations) > 1 or isinstance(operation.call, HttpCall | SqlCall):
            continue
        said = meaning(tool.name, lex)
        nouns[operation.source].update(said.nouns)
        if _own(tool) and said.nouns and (said.verb or operation.hints.effect == "read"):
            plain = {key: value for key, value in tool.schema.items() if key not in ("$schema", "title", "$defs")}
            mark = marks.of(plain, tool.schema.get("$defs", {}))
            kinds[operation.source, said.verb, mark].append(tool)
    for (source, verb, _), tools in kinds.items():
        everywhere = {noun for noun, count in nouns[source].items() if count == sizes[source]}
        for family in _families(verb, tools, everywhere):
            yield from _finding(verb, family, subject)


def _own(tool: Seen) -> int:
    """How many parameters it has beside those that only page."""
    return sum("_".join(words(name)) not in PAGING for name in tool.schema.get("properties", ()))


def _families(verb: str, tools: list[Seen], everywhere: set[str]) -> Iterator[list[Seen]]:
    """Tools of one verb and one schema that could be one; everywhere: words that all tools of the source have."""
    said = {tool.name: meaning(tool.name, lexicon()).nouns for tool in tools}
    alike = verb and _own(tools[0]) >= 2
    shared = Counter(noun for tool in tools for noun in said[tool.name] - everywhere).most_common(1)
    common = [tool for tool in tools if shared and shared[0][0] in said[tool.name]]
    if len(common) >= MANY and not alike:
        yield common
    elif alike and frozenset.intersection(*said.values()):
        yield tools
    elif alike:
        by_length: dict[int, list[Seen]] = defaultdict(list)
        for tool in tools:
            by_length[len(said[tool.name])].append(tool)
        yield from by_length.values()


def _finding(verb: str, tools: list[Seen], subject: Subject) -> Iterator[Diagnostic]:
    things = {meaning(tool.name, lexicon()).nouns for tool in tools}
    saved = sum(map(subject.tokens, tools[1:])) - 8 * len(tools)  # the enum that takes their place
    if len(tools) < FEWEST or len(things) < FEWEST or saved <= 0:
        return
    names = ", ".join(f"`{tool.name}`" for tool in tools[:4]) + (", …" if len(tools) > 4 else "")
    yield Diagnostic(
        "same-verb-family",
        SEVERITY,
        f"{len(tools)} tools {verb.replace('_', ' ') or 'read'} different things with one schema ({names});"
        f" one tool with the kind as a parameter saves about {saved:,} tokens",
        list_place(tools),
        tuple(tool.origin for tool in tools),
        help="offer one tool whose parameter names the kind of thing",
        cause=f"{tools[0].operations[0].source} {tools[0].name}",
        count=len(tools),
    )
