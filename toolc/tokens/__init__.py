"""Exact token counts, without a network, and without tiktoken where a text was counted before.

Special tokens (`<|endoftext|>`) are counted as the ordinary text they are in a tool definition.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from toolc import resources
from toolc.diagnostics import user_error
from toolc.tokens.counts import CountFile
from toolc.tokens.encodings import ENCODINGS, Engine, engine

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def compact(value: Any) -> str:
    """JSON without blanks, characters as themselves: the form in which definitions are counted."""
    return _ENCODER.encode(value)


class Counter:
    """Counts the tokens of texts in one encoding; what it counted is kept for the next run by `close`.

    cache: the folder of the kept counts, the user's own cache folder by default; None keeps nothing. An encoding that
    is not known raises UserError.
    """

    def __init__(self, encoding: str = "o200k_base", cache: Path | Literal["user"] | None = "user") -> None:
        if encoding not in ENCODINGS:
            choices = " or ".join(ENCODINGS)
            raise user_error("unknown-encoding", f"there is no encoding {encoding}", help=f"Choose {choices}.")
        self.encoding = encoding
        folder = resources.cache_folder() if cache == "user" else cache
        self._kept = CountFile(folder / f"tokens-{encoding}.bin" if folder else None)
        self._engine: Engine | None = None

    def count(self, text: str) -> int:
        """The number of tokens of a text."""
        key = self._kept.key(text)
        count = self._kept.get(key)
        if count is None:
            if self._engine is None:
                self._engine = engine(self.encoding)
            count = self._engine.count(text)
            self._kept.add(key, count)
        return count

    def canonical(self, name: str, description: str, input_schema: dict[str, Any]) -> int:
        """The tokens of a tool in the canonical form, by which forms of a tool are compared."""
        return self.count(compact({"name": name, "description": description, "input_schema": input_schema}))

    def close(self) -> None:
        """Write the new counts to the cache; it may be called again."""
        self._kept.save()

    def __enter__(self) -> Counter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
