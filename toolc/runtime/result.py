"""What a call gives: content as MCP has it, for whatever loop or protocol hands it to a model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# Levels of lists and objects in arguments and answers: readers of JSON give up at some depth, each at another.
DEEPEST = 100


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one call.

    content: content blocks of MCP (`{"type": "text", "text": …}`, images, resources). is_error: the call failed, and
    the text says why, for a model to repair it. structured: the same as data, where there is any. meta: passed on.
    foot: text that is handed on even where the content is cut. unread: there is more than the content; size: bytes of
    it all, where this is known. portioned: it was cut to size already and says how to go on.
    """

    content: tuple[Mapping[str, Any], ...]
    is_error: bool = False
    structured: Mapping[str, Any] | None = None
    meta: Mapping[str, Any] | None = None
    foot: str = ""
    unread: bool = False
    size: int = 0
    portioned: bool = False

    @property
    def text(self) -> str:
        """All text of the content; other blocks are named."""
        return "\n".join(
            str(block["text"]) if block.get("type") == "text" else f"({block.get('type')})" for block in self.content
        )

    def to_data(self) -> dict[str, Any]:
        """The result of `tools/call` as MCP writes it."""
        found: dict[str, Any] = {"content": [dict(block) for block in self.content]}
        if self.structured is not None:
            found["structuredContent"] = self.structured
        if self.meta:
            found["_meta"] = self.meta
        return {**found, "isError": self.is_error}


class Failed(Exception):  # noqa: N818 - it says what happened, not that something broke
    """A call that could not be carried out; the text is for whoever can repair it and holds no secret."""


def text(words: str) -> Result:
    """A result of text."""
    return Result(({"type": "text", "text": words},))


def error(words: str) -> Result:
    """A result that says what went wrong."""
    return Result(({"type": "text", "text": words},), is_error=True)


def data(value: Any) -> Result:
    """A result of data, as JSON text."""
    return text(written(value))


def is_deep(values: list[Any]) -> bool:
    """Whether any of these is nested deeper than what is handed on; no recursion, whatever they hold."""
    for _ in range(DEEPEST):
        if not values:
            return False
        inner = [value for value in values if isinstance(value, Mapping | list | tuple)]
        values = [item for value in inner for item in (value.values() if isinstance(value, Mapping) else value)]
    return bool(values)


def written(value: Any) -> str:
    """Data as JSON text; what JSON has no form for is written as text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
