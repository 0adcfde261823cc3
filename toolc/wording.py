"""Short English for tool descriptions: what repeats what, first sentences, lists, plurals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from toolc.lexicon import Lexicon, words

EMPTY = frozenset(
    "a an the this that these those of for in on at to by from with and or all any one single multiple given specified"
    " specific its your their it is are as you can using via new existing entry object resource item record api"
    " endpoint".split()
)
# Words with which a sentence leans on the one before it.
LEANING = frozenset(
    "it its they their them these those he she however but and or also then else otherwise so such".split()
)
SHORTEST_SHARED = 20  # characters; less is not worth a second place to look
UNCOUNTABLE = tuple(
    "access advice audio content data documentation feedback hardware health help history html info information json"
    " markdown music research software storage traffic usage weather".split()
)
# A full stop that ends no sentence: initials, abbreviations, versions, file names.
_END = re.compile(
    r"(?<!\b[A-Z])(?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?<!\bvs)(?<!\bcf)(?<!\bNo)[.!?](?=[\s)\"'*_`]|$)|\n[^\S\n]*\n"
)
# Where a sentence or a line ends and what follows begins like a new one.
_BREAK = re.compile(rf"(?:{_END.pattern})[)\"'*_`]*\s+|\n\s*(?=[A-Z])")
# A line that begins a part of a text: `Args:`.
_PART = re.compile(r"^[^\S\n]*[A-Z][\w ]{0,30}:[^\S\n]*$", re.M)
_CODE_FENCE = re.compile(r"```.*?(?:```|$)", re.S)
# Only tags of HTML: `<owner>` is a placeholder that means something.
_TAG = re.compile(
    r"<!--.*?-->|</?(?:a|b|blockquote|br|code|details|div|em|h[1-6]|hr|i|img|li|ol|p|pre|span|strong|sub|summary|sup"
    r"|table|tbody|td|th|thead|tr|u|ul)\b[^<>]{0,300}>",
    re.S | re.I,
)
_IMAGE = re.compile(r"!\[([^\]\[]{0,300})\]\([^()\s]{0,1000}(?:\s+\"[^\"]*\")?\)")
_LINK = re.compile(r"\[([^\]\[]{0,300})\]\([^()\s]{0,1000}(?:\s+\"[^\"]*\")?\)")
_ADMONITION = re.compile(r"^[^\S\n]*>[^\S\n]?(\[![A-Z]+\]\s*)?", re.M)
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1", re.S)
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+", re.M)
# A line that only names a part of a text: `🎯 Purpose:`.
_MAIN = r"purpose|description|summary|overview"
_TITLE = re.compile(
    rf"^[^\w\n]{{0,20}}(?:(?P<main>{_MAIN})[ \t]{{0,9}}:?|[^\W\d_][\w &/'-]{{1,40}}?[ \t]{{0,9}}:)[ \t]{{0,99}}$",
    re.M | re.I,
)
_MARK = re.compile(
    rf"[\s\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]*(?:(?:{_MAIN})\s*:\s*)?(?:[-*•]\s+|\d{{1,2}}[.)]\s+)?", re.I
)
_OPENING = re.compile(
    r"(?:this|the)\s+(?:tool|function|endpoint|operation|command|method)\s+(?:(?:is|can\s+be)\s+used\s+to\s+|(?:allows|lets"
    r"|enables)\s+(?:you|users?|the\s+user)\s+(?:to\s+)?|helps?\s+(?:you\s+|users?\s+)?(?:to\s+)?)?(?=[a-z])(?!is\b|was\b|has\b|will\b|can\b|must\b|should\b)",
    re.I,
)


def sentence(text: str) -> str:
    """The text, ended with a full stop where no mark, quoted sentence or block of code ends it."""
    text = text.rstrip()
    ended = text.endswith("```") or text.rstrip(")\"'*_`”’").endswith(tuple(".!?:;…。！？：；"))
    return text if not text or ended else text + "."


def plain(text: str) -> str:
    """The text without Markdown and HTML markup; link texts and code stay."""
    text = _TAG.sub("", _LINK.sub(r"\1", _IMAGE.sub(r"\1", _CODE_FENCE.sub(" ", text))))
    text = _EMPHASIS.sub(r"\2", _HEADING.sub("", _ADMONITION.sub("", text)))
    return " ".join(text.split()) if "\n" not in text else re.sub(r"[ \t]+", " ", text).strip()


def first_sentence(text: str) -> str:
    """The first sentence of a text, without markup, on one line."""
    text = plain(text)
    match = _END.search(text)
    if match is not None:
        text = text[: match.end()]
    return " ".join(text.split())


_BEGINNING = 5_000  # characters in which the purpose of something is said


def purpose(text: str) -> str:
    """The sentence that says what something is for, without headings, list marks and `This tool …` before it.

    Under headings, that is the first sentence below `Purpose:` or the like, else below the first heading.
    """
    text = text[:_BEGINNING]
    titles = list(_TITLE.finditer(text))
    if titles and not text[: titles[0].start()].strip():
        chosen = next((title for title in titles if title["main"]), titles[0])
        text = text[chosen.end() :].strip() or text
    # A text of marks only stays as it is.
    said = first_sentence(_MARK.sub("", text, count=1) or text)
    return without_opening(said)


def without_opening(text: str) -> str:
    """The text without `This endpoint allows you to` before what it says."""
    opening = _OPENING.match(text)
    return text[opening.end()].upper() + text[opening.end() + 1 :] if opening else text


def contained(short: str, long: str) -> bool:
    """Whether all that one text says stands in the other, up to case, space and a last full stop."""
    return _folded(short) in _folded(long)


def _folded(text: str) -> str:
    return " ".join(text.lower().split()).rstrip(".")


def shared(texts: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """What all texts say in the same whole sentences or lines, and by key what is left of each.

    Nothing, where one text says nothing. A sentence that leans on the one before it (`It …`, `However …`), a heading
    and a text's only sentence stay where they are.
    """
    units = {key: _units(text) for key, text in texts.items()}
    if len(units) < 2 or any(len(own) < 2 for own in units.values()):
        return "", dict(texts)
    folded = [{" ".join(unit.split()) for unit in own} for own in units.values()]
    everywhere = set.intersection(*folded)
    common = [unit for unit in (" ".join(unit.split()) for unit in next(iter(units.values()))) if unit in everywhere]
    common = list(dict.fromkeys(filter(_stands_alone, common)))
    rest = {
        key: "".join(unit for unit in own if " ".join(unit.split()) not in common).strip() for key, own in units.items()
    }
    if not common or not all(rest.values()):
        return "", dict(texts)
    return " ".join(map(sentence, common)), rest


def _units(text: str) -> list[str]:
    """The text in pieces, each a sentence, a line that begins like one, or a part under a line like `Args:`.

    Together they are the text.
    """
    parts = [match.start() for match in _PART.finditer(text)]
    pieces = []
    start, stop = 0, parts[0] if parts else len(text)
    for match in _BREAK.finditer(text[:stop]):
        pieces.append(text[start : match.end()])
        start = match.end()
    pieces += [text[start:stop], *(text[here:there] for here, there in pairwise([*parts, len(text)]))]
    return [piece for piece in pieces if piece]


def _stands_alone(unit: str) -> bool:
    opening = re.match(r"\w+", unit)
    return (
        len(unit) >= SHORTEST_SHARED and unit[-1] not in ":,;" and bool(opening and opening[0].lower() not in LEANING)
    )


def listed(items: Sequence[str]) -> str:
    """`a, b or c`."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} or {items[-1]}"


def plural(noun: str) -> str:
    """The plural of an English noun phrase in the singular, by the regular rules."""
    if not noun or noun.endswith(UNCOUNTABLE) or (noun.endswith("s") and not noun.endswith(("ss", "us"))):
        return noun
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return noun + "es"
    return noun + "s"


def repeats(text: str, known: Iterable[str], verb: str, lexicon: Lexicon) -> bool:
    """Whether a description says nothing beyond a verb and words that are known anyway."""
    said = words(text)
    if not said or len(said) > 14:
        return not said
    names = {lexicon.singular(word) for word in known}
    for word in said:
        base = lexicon.singular(word)
        meaning = lexicon.verbs.get((base,)) or lexicon.verbs.get((word,))
        # `Get goals.` says no more of `list` than `List goals.`
        same_verb = meaning is not None and (meaning.name == verb or (meaning.name, verb) == ("get", "list"))
        if word not in EMPTY and base not in EMPTY and base not in names and word not in names and not same_verb:
            return False
    return True
