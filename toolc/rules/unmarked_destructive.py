"""A tool that destroys and does not say so.

What it does
    Reports a tool whose leading verb destroys (delete, purge, wipe, drop …) and whose annotations lack
    `destructiveHint: true`. The verb must be meant as one: for words that are also harmless (drop, clear, remove,
    reset) the description has to begin with a verb of the same kind, or say that it cannot be undone. Operations of
    specs and databases get the hint from method or statement, so they are no finding.

Why it is bad
    Hosts ask before a destructive call by its annotations. Without them some ask for everything, and people learn to
    click yes; others ask for nothing.

Example
    {"name": "delete_branch", "description": "Delete a branch.", "annotations": {"readOnlyHint": false}}

Use instead
    {"name": "delete_branch", …, "annotations": {"readOnlyHint": false, "destructiveHint": true}}

When it is wrong
    If what is deleted can be had back (a trash): say `destructiveHint: false`, and say so in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import HttpCall, Operation, SqlCall
from toolc.lexicon import lexicon, words
from toolc.rules import Subject

STAGE = "source"
CATEGORY = "safety"
SEVERITY = Severity.warning
CERTAIN = frozenset("delete del destroy erase purge wipe rm truncate".split())
LIKELY = frozenset(
    "drop remove clear reset revoke kill terminate prune flush uninstall discard evict overwrite cleanup".split()
)
# What these verbs are done to without harm: pictures, texts, views.
HARMLESS = frozenset(
    "background watermark noise duplicate whitespace space filter highlight selection format formatting style border"
    " screen console canvas zoom view timer input field cursor clipboard search pin shadow placeholder punctuation"
    " accent"
    " comment html markup tag prefix suffix layer effect vocal silence stopword outlier password_prompt".split()
)
_FOREVER = re.compile(
    r"\b(?:permanently|irreversibl[ye]|cannot be undone|can't be undone|can not be undone|for good|destructive)\b", re.I
)


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding an operation of a list whose form has annotations."""
    for operation in subject.operations:
        if isinstance(operation.call, SqlCall) or not _can_be_marked(operation):
            continue
        hint = operation.hints.destructive
        declared = hint.basis == "declared" or (
            operation.hints.read_only.basis == "declared" and operation.hints.read_only.value
        )
        if declared or (isinstance(operation.call, HttpCall) and hint.value):
            continue
        verb = destructive_verb(operation.name, operation.description)
        deletes = _method(operation) == "DELETE"
        if verb or deletes:
            yield Diagnostic(
                "unmarked-destructive",
                SEVERITY,
                f"`{operation.name}` destroys (`{verb or 'DELETE'}`), and nothing marks it as destructive",
                operation.origin,
                help="add `destructiveHint: true` to its annotations (`hints: {destructive: true}` in a tools file)",
                subject=operation.id,
            )


def destructive_verb(name: str, description: str) -> str:
    """The verb of a name that destroys something, or an empty string; the description must not speak against it."""
    parts = words(name)
    lex = lexicon()
    if not {*parts[:1], *parts[-1:]} & (CERTAIN | LIKELY):
        return ""
    opening = [lex.singular(word) for word in words(description[:80])[:1]]
    said = lex.at((opening[0],), 0) if opening else None
    speaks_of = (
        (said.verb.kind == "destructive") if said is not None else bool(opening and opening[0] in CERTAIN | LIKELY)
    )
    contradicts = said is not None and not speaks_of
    for word in dict.fromkeys((parts[0], parts[-1])):
        if word in CERTAIN and not contradicts and (len(parts) > 1 or speaks_of):
            return word
        harmless = HARMLESS.intersection(map(lex.singular, parts[1:]))
        said_so = speaks_of or (_FOREVER.search(description) and not contradicts)
        if word in LIKELY and word == parts[0] and said_so and not harmless:
            return word
    return ""


def _method(operation: Operation) -> str:
    if isinstance(operation.call, HttpCall):
        return operation.call.method.upper()
    facts = operation.extra.get("x_openapi")
    return str(facts.get("method", "")).upper() if isinstance(facts, dict) else ""


def _can_be_marked(operation: Operation) -> bool:
    """Whether the form in which it is written has a place for the hint: an OpenAI function, for one, has none."""
    pointers = operation.extra.get("pointers")
    if isinstance(operation.call, HttpCall):
        return True
    return not isinstance(pointers, dict) or not re.search(
        r"/(?:parameters|input_schema|parametersJsonSchema|toolSpec)\b", str(pointers.get("input", ""))
    )
