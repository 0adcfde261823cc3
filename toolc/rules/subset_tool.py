"""A tool that another tool of the source can do as well.

What it does
    Reports a tool whose name is another's with a qualifier more, where that qualifier is a value or a parameter of the
    other and the other takes all its arguments: list_open_issues beside list_issues(state).

Why it is bad
    It is paid for on every turn and adds a choice without adding an ability.

Example
    list_issues(repo, state: open|closed), list_open_issues(repo)

Use instead
    list_issues(repo, state: open|closed)

When it is wrong
    If the narrow tool is allowed where the wide one is not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import HttpCall, Schema, SqlCall
from toolc.lexicon import Lexicon, lexicon, words
from toolc.likeness import covers, meaning
from toolc.rules import Seen, Subject, in_order

STAGE = "catalog"
CATEGORY = "redundancy"
SEVERITY = Severity.note


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding for each tool that another covers."""
    lex = lexicon()
    tools = [
        tool
        for tool in in_order(subject.tools)
        if len(tool.operations) == 1 and not isinstance(tool.operations[0].call, HttpCall | SqlCall)
    ]
    kinds: dict[tuple[str, str, frozenset[str]], list[Seen]] = defaultdict(list)
    for tool in tools:
        said = meaning(tool.name, lex)
        kinds[tool.operations[0].source, said.verb, said.nouns].append(tool)
    for tool in tools:
        said = meaning(tool.name, lex)
        for word in sorted(said.nouns) if len(said.nouns) > 1 and said.verb else ():
            wider = kinds.get((tool.operations[0].source, said.verb, said.nouns - {word}), ())
            whole = next((w for w in wider if _offers(w.schema, word, lex) and covers(w.schema, tool.schema)), None)
            if whole is not None:
                yield Diagnostic(
                    "subset-tool",
                    SEVERITY,
                    f"`{whole.name}` takes all that `{tool.name}` takes, and `{word}` besides; "
                    f"without it {subject.tokens(tool):,} tokens are saved",
                    tool.origin,
                    (*tool.related, *whole.origins),
                    help=f"leave it out; `{whole.name}` can do it",
                    subject=tool.name,
                )
                break


def _offers(schema: Schema, word: str, lex: Lexicon) -> bool:
    """Whether a schema has the word as a value of an enum, or as (part of) a parameter's name."""
    for name, inner in schema.get("properties", {}).items():
        if not isinstance(inner, dict):
            continue
        values = inner.get("enum")
        values = values if isinstance(values, list) else (inner.get("items") or {}).get("enum", ())
        if any(isinstance(value, str) and lex.singular(value.lower()) == word for value in values or ()):
            return True
        if inner.get("type") == "boolean" and word in words(name):
            return True
    return False
