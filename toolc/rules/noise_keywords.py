"""Keywords in a schema that no model and no validator reads.

What it does
    Reports `$schema`, `$id`, `$comment`, `x-…` and generated titles (a title that only writes its property's name in
    another way) in a tool's schema, with what they cost, and removes them with `--fix`. A build leaves them out by
    itself.

Why it is bad
    zod writes `$schema` into every tool and pydantic a title at every property: five to ten tokens each, on every turn.

Example
    {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"user_id": {"title": "User
    Id"}}}

Use instead
    {"type": "object", "properties": {"user_id": {}}}

When it is wrong
    If another program reads the schema from the same list. A `$schema` that changes what the schema means is left.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Edit, Fix, Severity
from toolc.ir import HttpCall, Schema, SqlCall
from toolc.lexicon import words
from toolc.rules import Subject, written
from toolc.schema.walk import Path, descend
from toolc.tokens import compact

STAGE = "source"
CATEGORY = "cost"
SEVERITY = Severity.note
NOISE = frozenset({"$schema", "$id", "$comment", "externalDocs", "xml"})
# Drafts in which a keyword of the schema means something else than in 2020-12.
OLD = ("draft-03", "draft-04", "draft-06")


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool, at the first keyword; in specs such words are nobody's cost."""
    for operation in subject.operations:
        if isinstance(operation.call, HttpCall | SqlCall):
            continue
        schema = written(operation)
        found = [(path, keyword, inner[keyword]) for path, inner in descend(schema) for keyword in _noise(path, inner)]
        if not found:
            continue
        tokens = sum(subject.counter.count(f'"{keyword}":{compact(value)},') for _, keyword, value in found)
        kinds = list(dict.fromkeys("x-…" if keyword.startswith("x-") else keyword for _, keyword, _ in found))
        places = [operation.place("input", *path, keyword) for path, keyword, _ in found]
        yield Diagnostic(
            "noise-keywords",
            SEVERITY,
            f"`{operation.name}` has {', '.join(f'`{kind}`' for kind in kinds)} in its schema, {tokens:,} tokens",
            places[0],
            tuple(places[1:]),
            help="remove them; `toolc build` does",
            subject=operation.id,
            count=len(found),
            fix=Fix("remove keywords that say nothing", tuple(Edit(place, remove=True) for place in places)),
        )


def _noise(path: Path, schema: Schema) -> Iterator[str]:
    for keyword, value in schema.items():
        if keyword == "$schema":
            if not (isinstance(value, str) and any(draft in value for draft in OLD)):
                yield keyword
        elif keyword == "$id":
            if not path and not any("$ref" in inner for _, inner in descend(schema)):
                yield keyword
        elif (
            keyword in NOISE
            or (keyword.startswith("x-") and not keyword.startswith("x-toolc"))
            or (keyword == "title" and isinstance(value, str) and _generated(path, value))
        ):
            yield keyword


def _generated(path: Path, title: str) -> bool:
    """Whether a title is the root's, or only the name of its property or definition again."""
    if not path:
        return True
    return path[-2:-1] in (("properties",), ("$defs",), ("definitions",)) and (
        "".join(words(title)) == "".join(words(str(path[-1])))
    )
