"""The two encodings, counted by tiktoken with the vocabularies in this package.

tiktoken's own `get_encoding` is not used: it downloads, and a plugin that declares a known name breaks it. Loading
takes about 0.5 s of CPU, half of it for tiktoken's own tables.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from toolc.diagnostics import UserError, user_error
from toolc.resources import PACKAGE

if TYPE_CHECKING:
    from tiktoken import Encoding

_BLANK = r"[\t\x0b\x0c \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
# The run of blanks at which a piece is cut out of the text; tiktoken 0.14 overflows its stack at 999,000.
LONGEST_BLANK = 100_000


@dataclass(frozen=True, slots=True)
class Definition:
    """pattern: how text is cut into pieces; sha256: of the vocabulary. Both as in tiktoken_ext.openai_public 0.14.

    ends_whole: blanks at the end of a text are one piece together with the line ends before them.
    """

    pattern: str
    sha256: str
    ends_whole: bool


ENCODINGS = {
    "o200k_base": Definition(
        "|".join(
            [
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"\p{N}{1,3}",
                r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
                r"\s*[\r\n]+",
                r"\s+(?!\S)",
                r"\s+",
            ]
        ),
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        ends_whole=False,
    ),
    "cl100k_base": Definition(
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]"
        r"|\s+(?!\S)|\s",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        ends_whole=True,
    ),
}


@cache
def engine(encoding: str) -> Engine:
    """The engine of an encoding, loaded once."""
    return Engine(encoding)


class Engine:
    """Counts with tiktoken; made when the first text is met that no cache knows."""

    def __init__(self, encoding: str, longest_blank: int = LONGEST_BLANK) -> None:
        """Load an encoding of ENCODINGS; raises UserError if the installation is damaged."""
        self._name = encoding
        definition = ENCODINGS[encoding]
        self._ranks = _ranks(encoding)
        self._encoding = self._make(definition.pattern)
        self._piece: Encoding | None = None
        self._longest = longest_blank
        follower = r"(?=[^\r\n])" if definition.ends_whole else r"(?![\r\n])"
        self._blanks = re.compile(f"(?<!{_BLANK}){_BLANK}{{{longest_blank},}}+{follower}")

    def count(self, text: str) -> int:
        """The number of tokens of a text, all of it taken as ordinary text."""
        if len(text) < self._longest or not self._blanks.search(text):
            return len(self._encoding.encode_ordinary(text))
        return self._count_around_blanks(text)

    def _count_around_blanks(self, text: str) -> int:
        """Exact for texts with endless blanks, on which tiktoken panics.

        In both patterns a run of blanks without line ends begins a piece of its own, which ends at the end of the text,
        or before the run's last blank if something follows; only that piece is counted apart, as one piece.
        """
        total = start = 0
        for match in self._blanks.finditer(text):
            end = match.end() if match.end() == len(text) else match.end() - 1
            total += len(self._encoding.encode_ordinary(text[start : match.start()]))
            total += self._count_piece(text[match.start() : end])
            start = end
        return total + len(self._encoding.encode_ordinary(text[start:]))

    def _count_piece(self, piece: str) -> int:
        if self._piece is None:
            self._piece = self._make(r"[\s\S]+")
        return len(self._piece.encode_ordinary(piece))

    def _make(self, pattern: str) -> Encoding:
        from tiktoken import Encoding

        return Encoding(self._name, pat_str=pattern, mergeable_ranks=self._ranks, special_tokens={})


def _ranks(encoding: str) -> dict[bytes, int]:
    """Token → rank. Each line of a vocabulary is a token in base64 and its rank, which counts up from 0."""
    import gzip
    import zlib
    from binascii import a2b_base64
    from hashlib import sha256

    path = PACKAGE / "vocab" / f"{encoding}.tiktoken.gz"
    try:
        data = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error):
        raise _damaged(path) from None
    if sha256(data).hexdigest() != ENCODINGS[encoding].sha256:
        raise _damaged(path)
    tokens = data.split()[::2]
    return dict(zip(map(a2b_base64, tokens), range(len(tokens)), strict=True))


def _damaged(path: Path) -> UserError:
    message = f"the vocabulary {path.name} of this installation is missing or damaged"
    return user_error("damaged-vocabulary", message, help="Install toolc again.")
