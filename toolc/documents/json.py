"""JSON text to data, by the standard library's scanner."""

from __future__ import annotations

import json
import math
import re
from itertools import islice
from typing import Any, NoReturn

from toolc.diagnostics import UserError
from toolc.documents import entries
from toolc.documents.entries import TOKEN, Refused, half_character, is_number, no_number
from toolc.documents.faults import DEEPEST, MOST, fault, too_deep, too_many, twice

# A comment, to its end or that of the text; never given back, so that many of them take linear time.
_COMMENT = r"(?>//[^\n]*|/\*(?:(?!\*/).)*(?:\*/)?)"
# A text (group 1), a comment, or a comma that nothing follows; each of the last two leaves blanks of its length.
_NO_JSON = re.compile(rf'("[^"\\]*(?:\\.[^"\\]*)*")|{_COMMENT}|,(?=(?>(?:\s|{_COMMENT})*)[}}\]])', re.DOTALL)


class _RefusedError(ValueError):
    """Valid for the scanner, but not for us; the scanner does not say where."""


def parse_entries(text: str, shown: str) -> tuple[Any, list[Refused]]:
    """The data, with `Refused` in a list of tools for an entry that cannot be read; raises UserError for the rest.

    Comments and commas before a closing bracket, which editors allow in their settings, are passed over.
    """
    try:
        return entries.parse(text, shown, parse)
    except UserError:
        plain = blanked(text)
        if plain == text:
            raise
        return entries.parse(plain, shown, parse)


def blanked(text: str) -> str:
    """A text of the same length with blanks for comments and for commas before a closing bracket."""
    return _NO_JSON.sub(lambda match: match[1] or re.sub(r"[^\n]", " ", match[0]), text)


def parse(text: str, shown: str) -> Any:
    """The data; raises UserError with line and column."""
    if len(text) > 3 * MOST and text.count("{") + text.count("[") > MOST:  # an empty one and its comma: 3 characters
        raise _deep(text, shown) or too_many(shown)
    try:
        data = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite)
    except json.JSONDecodeError as error:
        raise _broken(text, shown, error) from None
    except RecursionError:
        raise (_deep(text, shown) or too_deep(text, shown, 0)) from None
    except ValueError:  # ours, or an integer with more digits than Python converts
        raise _refused(text, shown) from None
    if _is_deep(data):
        raise _deep(text, shown, None) or too_deep(text, shown, 0)
    if ("\\ud" in text or "\\uD" in text) and (half := half_character(text, shown, 0, text)):
        raise half
    return data


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # On GitHub's 13 MB this hook takes 0.08 s beside the 0.12 s of the scanner; nothing cheaper sees a lost value.
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _RefusedError
    return result


def _refuse(_: str) -> NoReturn:
    raise _RefusedError


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise _RefusedError
    return number


def _is_deep(data: Any) -> bool:
    # The scanner's own limit is Python's recursion limit up to 3.11, and thousands of levels from 3.12 on.
    level = [data]
    for _ in range(DEEPEST):
        level = [
            child
            for node in level
            for child in (node.values() if type(node) is dict else node if type(node) is list else ())
            if type(child) is dict or type(child) is list
        ]
        if not level:
            return False
    return True


def _broken(text: str, shown: str, error: json.JSONDecodeError) -> UserError:
    """What the scanner says, and what most likely has to be done."""
    at, found = error.pos, text[error.pos : error.pos + 1]
    reason = error.msg.removesuffix(" starting at").removesuffix(" at")
    reason = reason[:1].lower() + reason[1:]
    if text[at:].isspace() or not found:
        advice = "The file ends too early; it may be cut off."
    elif error.msg.startswith("Unterminated string"):
        advice = "The closing quote of this text is missing."
    elif error.msg == "Extra data":
        reason, advice = "more stands after its end", "Keep one value in the file: put several into one list."
    elif found in "}]" and text[:at].rstrip().endswith(","):
        advice = "Remove the comma before it."
    elif found == "," and text[at + 1 :].lstrip()[:1] in ("}", "]"):
        advice = "Remove this comma."
    elif found in "/#":
        advice = "JSON has no comments: remove it."
    elif found == "'":
        advice = "JSON text stands in double quotes."
    elif error.msg.startswith("Expecting ','"):
        advice = "A comma or a closing bracket is missing before this, or a quote inside text lacks its backslash."
    elif error.msg.startswith("Invalid control character"):
        advice = "Write a line break inside text as \\n, a tab as \\t."
    else:
        advice = "Correct the JSON here."
    return fault("invalid-json", text, shown, at, f"{shown} is not valid JSON: {reason}", advice)


def _refused(text: str, shown: str) -> UserError:
    """Find what one of the hooks refused; the text before it is valid JSON."""
    keys: list[set[str] | None] = []
    last = (0, "")
    for match in TOKEN.finditer(text):
        part, index = match[0], match.start()
        if part in "{[":
            keys.append(set() if part == "{" else None)
        elif part in "}]":
            keys.pop()
        elif part == ":" and (here := keys[-1]) is not None:
            key = json.loads(last[1])
            if key in here:
                return twice(text, shown, last[0], key)
            here.add(key)
        elif part[0] not in '",:tfn' and not is_number(part):
            return no_number(text, shown, index, part)
        last = (index, part)
    return fault("invalid-json", text, shown, 0, f"{shown} is not valid JSON", "Correct the JSON.")


def _deep(text: str, shown: str, parts: int | None = 100_000) -> UserError | None:
    """Point at the bracket that goes too deep, if there is one in the first parts of the text."""
    depth = 0
    for match in islice(TOKEN.finditer(text), parts):
        depth += (match[0] in "{[") - (match[0] in "}]")
        if depth > DEEPEST:
            return too_deep(text, shown, match.start())
    return None
