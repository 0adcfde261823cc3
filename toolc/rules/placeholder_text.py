"""Text that was to be written later.

What it does
    Reports descriptions of tools and parameters that are a placeholder: `TODO: …`, `FIXME`, `TBD`, lorem ipsum,
    `description here`, `<description>`, `...`, or the bare name of a type (`string`) for a whole text.

Why it is bad
    A model reads it as a fact. It says nothing, and "TODO" in a list of tools invites guesses.

Example
    {"name": "sync", "description": "TODO: describe"}

Use instead
    {"name": "sync", "description": "Fetch new mail from all accounts."}

When it is wrong
    A tool about to-do items is no finding ("Create a TODO item"); neither is a parameter named like its text, nor
    filler in the code of an example.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import Origin
from toolc.lexicon import words
from toolc.rules import Subject, spoken

STAGE = "source"
CATEGORY = "descriptions"
SEVERITY = Severity.error
SILENCES = ("name-as-description", "thin-description", "undocumented-param", "filler-example", "duplicate-description")
_WHOLE = re.compile(
    r"\W*(?:todo|tbd|tba|fixme|xxx+|n/?a|string|str|integer|int|number|object|array|boolean|bool|null|undefined|none"
    r"|placeholder|lorem|foo|bar|asdf|qwerty|\?+|coming soon|to be (?:done|defined|determined|added|written|documented)"
    r"|(?:no|add|missing|insert|enter|your|the|a|some|write)?\s*(?:a |the |your )?description(?: (?:here|goes here"
    r"|provided"
    r"|available|given|needed|missing|of the (?:tool|function|parameter|argument)))?"
    r"|add (?:a )?description (?:for|of|to) (?:this|the) \w+"
    r"|(?:tool|function|parameter|param|argument|field|property|method) description(?: (?:goes |comes )?here)?)\W*",
    re.I,
)
_OPENING = re.compile(r"\s*\W{0,3}(?:(?:TODO|FIXME|TBD|XXX)\s*(?:[:(\-–—]|\.\.\.)|(?:todo|fixme)\s*:)")
_LOREM = re.compile(r"\blorem ipsum\b|\bdolor sit amet\b", re.I)
_CODE = re.compile(r"```.*?(?:```|$)|`[^`\n]*`", re.S)
_OF_A_DESCRIPTION = re.compile(r"(?:the|a) description of the \w+\W*", re.I)
_SLOT = re.compile(
    r"\s*(?:<[a-z][\w -]{0,30}(?:description|text|here)[\w ]{0,20}>|\[(?:insert|your|add|enter)\b[^\]\n]{0,60}\]"
    r"|\{\{[^{}\n]{1,60}\}\}|insert (?:text|description) here|your text here)\W*",
    re.I,
)


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a text."""
    for operation in subject.operations:
        if is_placeholder(operation.description, operation.name):
            yield _finding(operation.description, f"`{operation.name}`", operation.place("description"), operation.id)
        for path, schema in subject.nodes(operation.input):
            text = schema.get("description")
            name = str(path[-1]) if path else ""
            if isinstance(text, str) and is_placeholder(text, name):
                place = operation.place("input", *path, "description")
                yield _finding(text, spoken(path, operation.name), place, operation.id)


def is_placeholder(text: str, name: str) -> bool:
    """Whether a text stands for one that is not written yet; one that is the thing's own name is not."""
    if not text or not text.strip():
        return False
    if name.lower().endswith("description") and _OF_A_DESCRIPTION.fullmatch(text.strip()):
        return False  # a field that holds a description
    if len(text) <= 60 and (_WHOLE.fullmatch(text) or text.strip() in ("...", "…", "-", "--", ".")):
        return words(text) != words(name) or not words(text)
    return bool(_OPENING.match(text) or _is_lorem(text) or (len(text) <= 120 and _SLOT.fullmatch(text)))


def _is_lorem(text: str) -> bool:
    """Whether the text itself, not an example in code, is filler."""
    return bool(_LOREM.search(text) and _LOREM.search(_CODE.sub(" ", text)))


def _finding(text: str, what: str, place: Origin, subject: str) -> Diagnostic:
    shown = " ".join(text.split())
    return Diagnostic(
        "placeholder-text",
        SEVERITY,
        f"the description of {what} is a placeholder: {shown[:60]!r}",
        place,
        help="write what it is, or leave the key out",
        subject=subject,
    )
