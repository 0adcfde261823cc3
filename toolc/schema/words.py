"""The words of a name in any style."""

from __future__ import annotations

import re

# digits stay with the letters before them: `oauth2` and `v2` are words
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*|[0-9]+|[^\W\d_]+")


def words(name: str) -> tuple[str, ...]:
    """The lower-case words of a name in any style: camelCase, snake_case, kebab-case, dots, slashes."""
    return tuple(word.lower() for word in _WORD.findall(name))
