"""Links, HTML and images in a description.

What it does
    Reports texts with HTML tags, images, or Markdown links, and takes them out with `--fix`; the words inside stay.
    Placeholders such as `<owner>` and code are left alone.

Why it is bad
    A model cannot click. A link costs about as many tokens as a sentence, on every turn.

Example
    "Lists issues. For more see [the docs](https://docs.example.com/rest/overview/resources)."

Use instead
    "Lists issues."

When it is wrong
    If the address itself is what the model has to know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Fix, Severity
from toolc.rules import Seen, Subject, spoken, text_edits
from toolc.schema.walk import Path

STAGE = "catalog"
CATEGORY = "descriptions"
SEVERITY = Severity.note
_TAG = re.compile(
    r"<!--.*?-->|</?(?:a|b|blockquote|br|div|em|h[1-6]|hr|i|img|li|nobr|ol|p|small|span|strong|sub|sup|tbody|td|th|thead|tr|u|ul)(?:\s[^<>]{0,300})?/?>",
    re.S | re.I,
)
_IMAGE = re.compile(r"!\[[^\]\[\n]{0,300}\]\([^()\s]{1,1000}(?:\s+\"[^\"\n]*\")?\)")
_LINK = re.compile(r"(?<![!\w])\[([^\]\[\n]{1,300})\]\((?:https?:|/|#|\.)[^()\s]{0,1000}(?:\s+\"[^\"\n]*\")?\)")
# Where a text speaks of HTML, its tags are what it speaks of: what a field takes, or what is taken out of it.
_SPEAKS_OF_TAGS = re.compile(r"(?<![./\w])html\b|\btags?\b[^.<]{0,30}<", re.I)
_HELD = "\ue000"  # stands for code while marks are taken out; for private use, so in no text
_CODE = re.compile(r"(```.*?(?:```|$)|`[^`\n]*`)", re.S)


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a text, with the fix."""
    for tool in subject.tools:
        texts: list[tuple[Path, str]] = [(("description",), tool.description)]
        for path, schema in subject.nodes(tool.schema):
            if path and isinstance(schema.get("description"), str):
                texts.append((("input", *path, "description"), schema["description"]))
        for where, text in texts:
            if found := _marks(text):
                yield _finding(tool, where, text, found)


def _marks(text: str) -> list[str]:
    if "<" not in text and "](" not in text:
        return []
    bare = _CODE.sub(" ", text)
    kinds = {"HTML": _tags(text) and _TAG.search(bare), "an image": _IMAGE.search(bare), "a link": _LINK.search(bare)}
    return [kind for kind, match in kinds.items() if match]


def clean(text: str) -> str:
    """The text without the marks, code left as it is, that in the words of a link too."""
    codes = _CODE.findall(text)
    bare = _bare(_CODE.sub(_HELD, text), _tags(text)) if _HELD not in text else ""
    if bare.count(_HELD) != len(codes):
        return text
    joined = re.sub(r"(?<=\S)[ \t]{2,}", " ", bare).strip()
    for code in codes:
        joined = joined.replace(_HELD, code, 1)
    return joined or text


def _tags(text: str) -> bool:
    """Whether tags in a text are markup, not what it is about."""
    return not _SPEAKS_OF_TAGS.search(text)


def _bare(piece: str, tags: bool) -> str:
    piece = _LINK.sub(r"\1", _IMAGE.sub("", piece))
    return _TAG.sub("", piece) if tags else piece


def _finding(tool: Seen, path: Path, text: str, found: list[str]) -> Diagnostic:
    plain = clean(text)
    edits = text_edits(tool, path, text, plain) if plain != text else ()
    return Diagnostic(
        "markup-noise",
        SEVERITY,
        f"the text of {spoken(path[1:], tool.name)} has {' and '.join(found)} in it",
        tool.place(*path),
        tool.related,
        help="keep the words and take the markup out, as `toolc lint --fix` does",
        subject=tool.name,
        fix=Fix("take the markup out of the text", edits) if edits else None,
    )
