"""Annotations that say the opposite of what the tool does.

What it does
    Reports `readOnlyHint: true` on a tool whose name and text say that it changes or deletes something, and
    `destructiveHint: false` on one that deletes for good. Both name and description must speak of it; nouns and
    adjectives (get_deleted_items, drop_shadow) do not count.

Why it is bad
    Hosts skip the confirmation for what is marked read-only, so the deletion runs without anyone being asked.

Example
    {"name": "purge_cache", "description": "Delete every cached page.", "annotations": {"readOnlyHint": true}}

Use instead
    {…, "annotations": {"readOnlyHint": false, "destructiveHint": true}}

When it is wrong
    If the tool only plans or previews the change: begin its name and text with that verb.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.lexicon import lexicon, words
from toolc.rules import Subject

STAGE = "source"
CATEGORY = "safety"
SEVERITY = Severity.error
SILENCES = ("unmarked-destructive",)
CERTAIN = frozenset("delete del destroy erase purge wipe rm truncate".split())
# Verbs that change something whatever they are applied to.
WRITING = CERTAIN | frozenset(
    "create update insert remove send upload publish rename move edit modify write overwrite add append deploy"
    " cancel archive restore install uninstall revoke terminate kill drop clear merge commit push approve reject assign"
    " unassign".split()
)
_RECOVERABLE = re.compile(
    r"\b(?:trash|recycle|soft[- ]?delet\w*|can be restored|recoverable|undo(?:ne)? within|dry[- ]?run)\b", re.I
)
_NOT_MEANT = re.compile(
    r"\b(?:previews?|dry[- ]?run|simulat\w+|does not (?:change|modify|delete)|without (?:changing|modifying|saving)"
    r"|nothing is (?:changed|saved|written)|draft|plans?|in memory|locally)\b",
    re.I,
)


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding an operation with declared hints."""
    for operation in subject.operations:
        read_only, destructive = operation.hints.read_only, operation.hints.destructive
        claims_read = read_only.basis == "declared" and read_only.value is True
        claims_safe = destructive.basis == "declared" and destructive.value is False and not claims_read
        if not (claims_read or claims_safe):
            continue
        verb = _acts(operation.name, operation.description, WRITING if claims_read else CERTAIN)
        if not verb or (_NOT_MEANT if claims_read else _RECOVERABLE).search(operation.description):
            continue
        key = "read_only" if claims_read else "destructive"
        said = "read-only" if claims_read else "not destructive"
        yield Diagnostic(
            "hint-contradiction",
            SEVERITY,
            f"`{operation.name}` is marked {said}, but its name and text say `{verb}`",
            operation.place("hints", key),
            help="correct the annotation: hosts ask the user by it",
            subject=operation.id,
        )


def _acts(name: str, description: str, verbs: frozenset[str]) -> str:
    """The verb of these that both name and description act by, or an empty string."""
    lex = lexicon()
    parts = words(name)
    own = next((word for word in dict.fromkeys((*parts[:1], *parts[-1:])) if word in verbs), "")
    if not own or (own != parts[0] and own in lex.also_nouns):
        return ""
    opening = words(description[:80])[:1]
    said = lex.at((lex.singular(opening[0]),), 0) if opening else None
    if said is None:
        return own if own in CERTAIN and own == parts[0] and not opening else ""
    return own if said.verb.kind in ("write", "destructive") and said.verb.name not in ("generate", "open") else ""
