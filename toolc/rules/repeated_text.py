"""The same text or schema many times over.

What it does
    Finds parameter schemas, their descriptions, and sentences or lines of tools' descriptions that stand three times or
    more in one source, and adds up what the repetitions cost: all but the first of each.

Why it is bad
    It is paid for on every turn in which the tools are loaded: on GitHub's API 68 % of all parameter text is repetition
    (measured November 2026). Merging tools of one family, or shorter texts, saves it; a model that knows `owner` from
    one tool needs no more words for it in the next.

Example
    "The account owner of the repository. The name is not case sensitive." in 600 tools

Use instead
    "Login of the owner."; or `consolidate`, which keeps one copy a family

When it is wrong
    Where tools are never loaded together.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from toolc.diagnostics import Diagnostic, Severity
from toolc.rules import Seen, Subject, in_order, list_place
from toolc.schema.walk import descend
from toolc.tokens import compact

STAGE = "catalog"
CATEGORY = "cost"
SEVERITY = Severity.note
_UNIT = re.compile(r"\n+|(?<=[.!?])\s+")  # between the lines and sentences of a description
SHORT_TEXT, SHORT_SCHEMA = 24, 40  # characters below which a repetition costs next to nothing


@dataclass(frozen=True, slots=True)
class Options:
    """The keys of the rule."""

    times: int = field(default=3, metadata={"doc": "how often a text must stand", "min": 2})
    tokens: int = field(default=30, metadata={"doc": "least saving that is worth a finding", "min": 0})


def check(subject: Subject, options: Options) -> Iterator[Diagnostic]:
    """One finding a source, with the three that cost most."""
    sources: dict[str, list[Seen]] = defaultdict(list)
    for tool in in_order(subject.tools):
        sources[tool.operations[0].source].append(tool)
    for tools in sources.values():
        repeated = _repeated(tools, options.times)
        # the commonest first, as counting tokens is what costs; equal texts are counted once
        priced = sorted(
            ((subject.counter.count(text) * (count - 1), count, shown) for text, (count, shown) in repeated.items()),
            reverse=True,
        )
        saved = sum(tokens for tokens, _, _ in priced)
        if priced and saved >= options.tokens:
            most = "; ".join(f"{shown} {count}×" for _, count, shown in priced[:3])
            yield Diagnostic(
                "repeated-text",
                SEVERITY,
                f"{saved:,} tokens are repetition; what costs most: {most}",
                list_place(tools),
                help="say it once or shorter, or merge tools of one family (`toolc build`)",
                count=len(priced),
                cause=tools[0].operations[0].source,
            )


def _repeated(tools: list[Seen], times: int) -> dict[str, tuple[int, str]]:
    """What stands often enough: text → (how often, how it is shown); texts inside a repeated schema count with it."""
    schemas: dict[str, list[str]] = defaultdict(list)
    texts: dict[str, list[str]] = defaultdict(list)
    inside: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    seen: dict[int, str] = {}
    sentences: dict[str, int] = defaultdict(int)
    for tool in tools:
        for unit in {" ".join(unit.split()) for unit in _UNIT.split(tool.description)}:
            if len(unit) >= SHORT_TEXT:
                sentences[unit] += 1
        properties = tool.schema.get("properties")
        for name, schema in properties.items() if isinstance(properties, dict) else ():
            if not isinstance(schema, dict):
                continue
            key = seen.get(id(schema)) or seen.setdefault(id(schema), f'"{name}":{compact(schema)}')
            if len(key) >= SHORT_SCHEMA:
                schemas[key].append(name)
            for _, inner in descend(schema):
                text = inner.get("description")
                if isinstance(text, str) and len(text) >= SHORT_TEXT:
                    texts[text].append(name)
                    inside[key][text] += 1
    found: dict[str, tuple[int, str]] = {}
    covered: dict[str, int] = defaultdict(int)
    for key, names in schemas.items():
        if len(names) >= times:
            found[key] = (len(names), f"`{names[0]}`")
            for text, count in inside[key].items():
                covered[text] += count
    for text, names in texts.items():
        left = len(names) - covered[text] + (1 if covered[text] else 0)
        if left >= times:
            found[text] = (left, repr(_short(text)))
    for text, count in sentences.items():
        if count >= times:
            found.setdefault(text, (count, repr(_short(text))))
    return found


def _short(text: Any) -> str:
    words = " ".join(str(text).split())
    return words if len(words) <= 40 else words[:39] + "…"
