"""Three tools or more with one verb and one schema.

What it does
    Reports tools of one source that have the same verb, different things, and exactly the same parameters: two at least
    beside those that only page. They could be one tool with the kind of thing as a parameter.

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

from collections import defaultdict
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import HttpCall, SqlCall
from toolc.lexicon import lexicon, words
from toolc.likeness import meaning
from toolc.rules import Seen, Subject, in_order, list_place
from toolc.schema.identity import Fingerprints
from toolc.wording import plural

STAGE = "catalog"
CATEGORY = "redundancy"
SEVERITY = Severity.note
SILENCES = ("subset-tool",)
FEWEST = 3
PAGING = frozenset("limit offset page cursor size count per_page page_size page_token top skip".split())


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a family, about the list."""
    lex = lexicon()
    marks = Fingerprints()
    families: dict[tuple[str, str, int, str], list[Seen]] = defaultdict(list)
    for tool in in_order(subject.tools):
        operation = tool.operations[0]
        if len(tool.operations) > 1 or isinstance(operation.call, HttpCall | SqlCall):
            continue
        said = meaning(tool.name, lex)
        own = {name for name in tool.schema.get("properties", ()) if "_".join(words(name)) not in PAGING}
        if said.verb and said.nouns and len(own) >= 2:
            plain = {key: value for key, value in tool.schema.items() if key not in ("$schema", "title", "$defs")}
            mark = marks.of(plain, tool.schema.get("$defs", {}))
            families[operation.source, said.verb, len(said.nouns), mark].append(tool)
    for (_, verb, _, _), tools in families.items():
        things = {meaning(tool.name, lex).nouns for tool in tools}
        if len(tools) < FEWEST or len(things) < FEWEST:
            continue
        saved = sum(map(subject.tokens, tools[1:])) - 8 * len(tools)  # the enum that takes their place
        names = ", ".join(f"`{tool.name}`" for tool in tools[:4]) + (", …" if len(tools) > 4 else "")
        if saved > 0:
            yield Diagnostic(
                "same-verb-family",
                SEVERITY,
                f"{len(tools)} tools {verb.replace('_', ' ')} different {plural('thing')} with one schema ({names});"
                f" one tool "
                f"with the kind as a parameter saves about {saved:,} tokens",
                list_place(tools),
                tuple(tool.origin for tool in tools),
                help="offer one tool whose parameter names the kind of thing",
                cause=f"{tools[0].operations[0].source} {tools[0].name}",
                count=len(tools),
            )
