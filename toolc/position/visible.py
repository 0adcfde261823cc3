"""Text of unknown origin made safe to print, and how much room it takes."""

from __future__ import annotations

import re
from unicodedata import category, east_asian_width

# Control characters and Unicode 16's Default_Ignorable_Code_Point, with line and paragraph separators, interlinear
# marks, half surrogates, private use, noncharacters and the empty Braille cell: what a terminal obeys or does not show.
UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u2800\u3164\ud800-\uf8ff\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U0010ffff]|(?<![^\x00-\x7f])\ufe0f|(?<=[\ufe00-\ufe0f])\ufe0f"
)
LONGEST = 2_000  # characters of one text that are printed
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_PLAIN = str.maketrans({"…": "...", "·": "-", "•": "*", "→": "->", "≤": "<=", "≥": ">=", "–": "-", "—": "-"})


def visible(text: str) -> str:
    r"""The text with control, bidirectional and other unseen characters as escapes (`\u202e`), on one line.

    The emoji variation selector (U+FE0F) stays where it follows a symbol once, as in most emoji. Of a text of more than
    LONGEST characters only the beginning.
    """
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}… ({len(text):,} characters)"
    return UNSEEN.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return _SHORT.get(match[0]) or (f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}")


def encodable(text: str, encoding: str) -> str:
    """The text in signs that an encoding has: typographic ones in ASCII, others as escapes."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(encoding, "backslashreplace").decode(encoding)
    return text


def columns(text: str) -> int:
    """How many columns a terminal takes for a text without unseen characters: wide signs two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(0 if category(sign) in ("Mn", "Me") else 1 + (east_asian_width(sign) in "WF") for sign in text)
