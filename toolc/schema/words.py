"""The words of a name in any style."""

from __future__ import annotations

import re
from functools import lru_cache

# digits stay with the letters before them: `oauth2` and `v2` are words
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*|[0-9]+|[^\W\d_]+")


@lru_cache(maxsize=20_000)  # the names of parameters come again and again
def words(name: str) -> tuple[str, ...]:
    """The lower-case words of a name in any style: camelCase, snake_case, kebab-case, dots, slashes."""
    return tuple(word.lower() for word in _WORD.findall(name))
