"""What a description claims of a value in so many words: its type, the values it may have, its default.

Only explicit phrases count ("an array of …", "must be an integer", "one of a, b or c", "defaults to 5"): on GitHub's
1,223
operations loose type words give 195 contradictions, all of them wrong, explicit phrases none (measured November 2026).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from toolc.ir import Schema
from toolc.schema.keywords import TYPES
from toolc.schema.walk import definition

_TYPE_WORDS = {
    "array": "array",
    "list": "array",
    "boolean": "boolean",
    "bool": "boolean",
    "integer": "integer",
    "int": "integer",
    "number": "number",
    "float": "number",
    "string": "string",
    "str": "string",
    "object": "object",
    "dict": "object",
    "dictionary": "object",
}
_WORD = "|".join(_TYPE_WORDS)
# Each must name the type of the value itself; what merely contains a type word (`number of the invoice`) must not
# match.
_CLAIMS = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        r"^\W*(?:an?|the)?\s*(array|list) of (?!strings? separated)",
        r"^\W*(?:an?|the)?\s*(array)\s*(?:[.:,;(]|$|containing|with|holding)",
        r"^\W*(?:an?\s+)?(boolean|bool|integer|int|float)\s*(?:[.:,;(]|$|flag\b|value\b|that\b|indicating\b|whether\b)",
        r"^\W*(?:an?\s+)?(?:single\s+|plain\s+|simple\s+)?(string)\s*(?:[.:,]|$|with\b|containing\b|that\b|holding\b)",
        r"\bas an? (integer|boolean|array)\b(?!\s*(?:string|index|or\b))",
        r"^\W*(integer) number of\b",
        r"^\W*(?:an?)\s+(integer|number|string|boolean)\s+(?:between|with|from|greater|less|that|which|representing|indicating"
        r"|containing|specifying)\b",
        r"^\W*(?:an?)\s+(object|dictionary|dict)\s+(?:with|containing|mapping|whose|of key|that (?:has|maps"
        r"|contains))\b",
        r"\b(?:must|should|has to|needs to) be (?:an?|the|given as an?|passed as an?|provided as an?|specified as"
        r" an?)\s+"
        r"(?:valid |single |non-empty |positive |plain )?(array|list|boolean|integer|object|string|number)"
        r"(?=\s*(?:[.,;)!]|$|of\b|between\b|with\b|from\b|greater\b|less\b|containing\b|and\b))(?! of (?:the|this"
        r"|an?)\b)",
        r"^[^()]*\((?:type:\s*|required,?\s*|optional,?\s*)?(array|list|boolean|bool|integer|int|float|string|str|dict)"
        r"(?:\[\w+\])?(?:,\s*(?:required|optional))?\)(?!.*\((?:array|list|boolean|bool|integer|int|float|string|str|dict)\b)",
        r"\b(?:data )?type\s*[:=]\s*`?(array|list|boolean|bool|integer|int|float|string|str|object|dict|number)\b",
        r"^\W*(array|list|integer|boolean|number|string)\s*(?:\(|\[)(?:required|optional)(?:\)|\])",
        r"\b(?:pass|provide|give|send|specify|expects?|accepts?|takes?) (?:it |this |them |these |labels |values )?"
        r"(?:only )?(?:as )?an? (array|boolean|integer)\b(?! or\b)",
    )
)
_TRUTH = re.compile(
    r"\b[Ss]et (?:it |this )?to [`'\"]?(?:true|false)\b|^(?:True|False) (?:if|to|when)\b|\btrue or false\b"
)
_DIGIT_TRUTH = re.compile(r"\b[01]\b|-1")
# Signs that a type word speaks of how the text inside the value is written, or that several forms are taken.
_SERIALISED = re.compile(
    r"comma|separated|delimited|delimiter|\bjson\b|\bcsv\b|stringif|seriali[sz]ed|encoded|newline|\bbase64\b|\byaml\b"
    r"|\bxml\b|\burl\b|\bgraphql\b|\bsyntax\b|\bquery\b|\bone per line\b|\b\w+,\w|\brepeat|\bas (?:a )?(?:text|string)",
    re.I,
)
_NEGATED = re.compile(
    r"\b(?:not|never|no longer|cannot|can't|don't|instead of|rather than|unlike|formerly|except)\b", re.I
)


def value_types(schema: Any, defs: Schema) -> frozenset[str]:
    """The JSON types that a schema's values may have; all of them where it cannot be told."""
    return _types(schema, defs, 0)


def _types(schema: Any, defs: Schema, depth: int) -> frozenset[str]:
    if not isinstance(schema, dict) or depth > 8:
        return TYPES
    if (name := definition(schema.get("$ref"))) is not None:
        return _types(defs.get(name), defs, depth + 1)
    found = TYPES
    kind = schema.get("type")
    if isinstance(kind, str):
        found = frozenset({kind})
    elif isinstance(kind, list):
        found = frozenset(str(item) for item in kind)
    elif isinstance(values := schema.get("enum"), list):
        found = frozenset(_type_of(value) for value in values)
    for keyword in ("anyOf", "oneOf"):
        branches = schema.get(keyword)
        if isinstance(branches, list) and branches:
            found &= frozenset[str]().union(*(_types(branch, defs, depth + 1) for branch in branches))
    parts = schema.get("allOf")
    for part in parts if isinstance(parts, list) else ():
        found &= _types(part, defs, depth + 1)
    return found or TYPES


def _type_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "integer" if float(value).is_integer() else "number"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"


@dataclass(frozen=True, slots=True)
class TypeClaim:
    """A type that a text gives a value, and the words that say so."""

    type: str
    words: str


@lru_cache(maxsize=10_000)  # the texts of shared parameters come again and again
def contradicted_type(text: str, types: frozenset[str]) -> TypeClaim | None:
    """The type that the text claims, if values of these types never have it."""
    if not text or types == TYPES or len(types - {"null"}) != 1:
        return None
    (actual,) = types - {"null"}
    claims = list(_type_claims(text))
    if actual in ("integer", "number") and (match := _TRUTH.search(text)) and not _DIGIT_TRUTH.search(text):
        claims.append(TypeClaim("boolean", match[0]))
    if not claims:
        return None
    names = [word for word, kind in _TYPE_WORDS.items() if kind == actual]
    if re.search(rf"\b(?:{'|'.join(names)})\b(?!\s*[`'\"“])", text, re.I):
        return None  # it names the right type too: `an array of names as a string`; `the string "me"` is a value
    for claim in claims:
        fits = claim.type == actual or {claim.type, actual} == {"integer", "number"}
        if fits:
            return None
    claim = claims[0]
    if "string" in (actual, claim.type) and _SERIALISED.search(text):
        return None
    return claim


# `an array of [block objects](…)`; not of ids or names of objects, nor of lists of strings.
_ENTRIES = re.compile(
    r"\b(?:arrays?|lists?) of (?:\[?[\w-]+ ){0,3}\[?(objects|dictionaries|dicts|strings|integers|numbers|booleans)\b"
    r"(?!\s*(?:or|and|ids?|keys?|names?|identifiers?|references?|paths?|types?)\b|\s*\(|/)",
    re.I,
)
_ENTRY_WORDS = {"dictionaries": "dictionary", "dicts": "dict"}
_LAYERED = re.compile(r"\b[23]-?d\b|\bnested\b|dimensional|\b(?:arrays?|lists?) of (?:\w+ )?(?:arrays|lists)\b", re.I)


def contradicted_entries(text: str, types: frozenset[str]) -> TypeClaim | None:
    """The type that the text claims for the entries of an array, if entries of these types never have it."""
    if not text or types == TYPES or _LAYERED.search(text) or _SERIALISED.search(text):
        return None
    for match in _ENTRIES.finditer(text):
        word = match[1].lower()
        claimed = _TYPE_WORDS[_ENTRY_WORDS.get(word, word.rstrip("s"))]
        if (
            claimed in types
            or (claimed == "number" and "integer" in types)
            or (claimed == "integer" and "number" in types)
        ):
            return None
        if not _NEGATED.search(text[max(0, match.start() - 40) : match.start(1)]):
            return TypeClaim(claimed, " ".join(match[0].replace("[", "").split()))
    return None


def _matches(pattern: re.Pattern[str], text: str) -> Iterable[re.Match[str]]:
    """All matches; what begins with `^` is tried at the start only, where a search would try it everywhere."""
    if not pattern.pattern.startswith("^"):
        return pattern.finditer(text)
    first = pattern.match(text)
    return () if first is None else (first,)


def _type_claims(text: str) -> Iterator[TypeClaim]:
    for pattern in _CLAIMS:
        for match in _matches(pattern, text):
            if not _NEGATED.search(text[max(0, match.start() - 40) : match.start(1)]):
                yield TypeClaim(_TYPE_WORDS[match[1].lower()], " ".join(match[0].split()).strip(" .,;:("))


# The values a text lists, behind words that announce a closed list.
_LEAD = re.compile(
    r"\b(?:(?:must|can|may|should) (?:only )?be (?:exactly )?(?:one of|either|(?=[`'\"]))|is one of|one of|either"
    r"|(?:(?:allowed|valid|possible|accepted|supported|permitted|available|legal) (?:values|options|choices))"
    r"(?: (?:are|include))?|(?:values|options|choices)(?: are)?(?=\s*:))\s*(?:the following)?\s*:?\s*",
    re.I,
)
# What follows is said of something else, in case the value is this one: "If `transparent`, the format must be …".
_ABOUT_ONE_VALUE = re.compile(r"\W*(?:if|when|for|with)\s+(?:set to |the value is |it is )?[`'\"“]", re.I)
_QUOTED = r"(?:`[^`\n]{1,60}`|'[^'\n]{1,60}'|\"[^\"\n]{1,60}\"|“[^”\n]{1,60}”)"
_GLUE = r"(?:\s*(?:,|/|\||;|\bor\b|\band\b)\s*)+"
_REMARK = r"(?:\s*\([^()\n]{0,80}\))?"
_QUOTED_LIST = re.compile(rf"[\[({{]?\s*{_QUOTED}{_REMARK}(?:{_GLUE}{_QUOTED}{_REMARK})+")
_BARE = r"[A-Za-z0-9][\w.+-]{0,40}"
_BARE_LIST = re.compile(
    rf"[\[({{]?\s*({_BARE}(?:\s*,\s*{_BARE})*(?:\s*,?\s*(?:or|and)\s+{_BARE})|{_BARE}(?:\s*[|/]\s*{_BARE})+"
    rf"|{_BARE}(?:\s*,\s*{_BARE})+)\s*(?=[.;)\]}}\n]|$)"
)
_ITEM = re.compile(rf"{_QUOTED}")
_STRIP = "`'\"“”"


@dataclass(frozen=True, slots=True)
class ListClaim:
    """A closed list of values in a text. quoted: whether each is set in quotes, so that it is no plain word."""

    items: tuple[str, ...]
    quoted: bool


def listed_values(text: str) -> Iterator[ListClaim]:
    """The closed lists of values that a text announces ("one of …", "allowed values: …")."""
    for lead in _LEAD.finditer(text):
        if _ABOUT_ONE_VALUE.match(re.split(r"(?<=[.!?])\s|\n", text[: lead.start()])[-1]):
            continue
        if _NEGATED.search(text[max(0, lead.start() - 30) : lead.start()]):
            continue
        if match := _QUOTED_LIST.match(text, lead.end()):
            items = [item.strip(_STRIP) for item in _ITEM.findall(re.sub(r"\([^()]*\)", " ", match[0].lstrip("(")))]
            yield ListClaim(tuple(items), quoted=True)
        elif match := _BARE_LIST.match(text, lead.end()):
            items = re.split(r"\s*(?:,\s*(?:or|and)\s+|,|\||/|\s+or\s+|\s+and\s+)\s*", match[1])
            yield ListClaim(tuple(item.rstrip(".") for item in items if item), quoted=False)


def allowed_values(schema: Any, defs: Schema) -> tuple[Any, ...] | None:
    """The closed set of values of a schema, or of its items; None where it is open."""
    return _allowed(schema, defs, 0)


def _allowed(schema: Any, defs: Schema, depth: int) -> tuple[Any, ...] | None:
    if not isinstance(schema, dict) or depth > 8:
        return None
    if (name := definition(schema.get("$ref"))) is not None:
        return _allowed(defs.get(name), defs, depth + 1)
    if isinstance(schema.get("enum"), list):
        return tuple(schema["enum"])
    if "const" in schema:
        return (schema["const"],)
    for keyword in ("anyOf", "oneOf"):
        branches = schema.get(keyword)
        if isinstance(branches, list) and branches:
            found: list[Any] = []
            for branch in branches:
                if branch == {"type": "null"}:
                    continue
                values = _allowed(branch, defs, depth + 1)
                if values is None:
                    return None
                found += values
            return tuple(found)
    if schema.get("type") == "array":
        return _allowed(schema.get("items"), defs, depth + 1)
    return None


_DEFAULT = re.compile(
    r"(?:\bdefaults?(?: value)?(?: is| are)?(?: set)? to\b|\bdefaults? to\b|\bdefault(?: value)? is\b"
    r"|\bdefaults?(?: value)?\s*[:=]|\(default\b|\bby default,?(?: it is)?(?= [`'\"\d]))\s*:?\s*"
    r"(?P<value>`[^`\n]{0,60}`|'[^'\n]{0,60}'|\"[^\"\n]{0,60}\"|-?\d[\d,]*(?:\.\d+)?|true\b|false\b|(?P<word>[A-Za-z][\w-]*))"
    r"(?=\s*(?:[,;)\]!]|\.(?=\s|$)|$|\n))",
    re.I,
)
_CONDITION = re.compile(r"\b(?:if|when|unless|otherwise|for|on|depending|except|but|while)\b", re.I)
_ANY_DEFAULT = re.compile(r"\bdefault", re.I)


def claimed_default(text: str, words: frozenset[str] = frozenset()) -> str | None:
    """The one default that a text states, bare; None where it states none, or several, or one with conditions.

    words: those that count without quotes, in lower case.
    """
    if "efault" not in text:
        return None
    found = list(_DEFAULT.finditer(text))
    if len(found) != 1 or len(_ANY_DEFAULT.findall(text)) != 1:
        return None
    if found[0]["word"] and found[0]["word"].lower() not in words:
        return None
    sentence = re.split(r"(?<=[.!?])\s|\n", text[: found[0].start()])[-1] + text[found[0].end() : found[0].end() + 40]
    return None if _CONDITION.search(sentence) else found[0]["value"].strip(_STRIP)


def says(claim: str, value: Any) -> bool:
    """Whether a default in words is this value, however it is written."""
    bare = claim.strip().lower()
    if isinstance(value, bool):
        return bare == str(value).lower()
    if isinstance(value, int | float):
        number = re.sub(r"(?<=\d),(?=\d{3}\b)", "", bare)
        try:
            return float(number) == float(value)
        except ValueError:
            return False
    if isinstance(value, str):
        return bare == value.strip().lower()
    try:
        return bool(json.loads(claim) == value)
    except ValueError:
        return value in ([], {}) and bare in ("", "none", "empty")
