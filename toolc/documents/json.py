"""JSON text to data, by the standard library's scanner."""

from __future__ import annotations

import json
import math
import re
from itertools import islice
from typing import Any, NoReturn

from toolc.diagnostics import UserError
from toolc.documents.faults import DEEPEST, MOST, fault, too_deep, too_many, twice

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
# A pair of surrogates, one that stands alone (group 1), or any other escape.
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)")


class _RefusedError(ValueError):
    """Valid for the scanner, but not for us; the scanner does not say where."""


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
    if "\\ud" in text or "\\uD" in text:
        _check_surrogates(text, shown)
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
    for match in _TOKEN.finditer(text):
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
        elif part[0] not in '",:tfn' and not _is_number(part):
            message = f"{part if len(part) < 40 else part[:40] + '…'} is not a number that JSON can carry"
            return fault("invalid-json", text, shown, index, message, "Write a finite number, or text in quotes.")
        last = (index, part)
    return fault("invalid-json", text, shown, 0, f"{shown} is not valid JSON", "Correct the JSON.")


def _is_number(part: str) -> bool:
    try:
        return math.isfinite(float(part)) if set(part) & set(".eE") else int(part) is not None
    except ValueError:
        return False


def _deep(text: str, shown: str, parts: int | None = 100_000) -> UserError | None:
    """Point at the bracket that goes too deep, if there is one in the first parts of the text."""
    depth = 0
    for match in islice(_TOKEN.finditer(text), parts):
        depth += (match[0] in "{[") - (match[0] in "}]")
        if depth > DEEPEST:
            return too_deep(text, shown, match.start())
    return None


def _check_surrogates(text: str, shown: str) -> None:
    for match in _ESCAPE.finditer(text):
        if match[1]:
            message = f"\\{match[1]} is half of a character"
            advice = "Write the character itself, or both halves of its escape."
            raise fault("invalid-json", text, shown, match.start(), message, advice)
