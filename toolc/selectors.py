"""Action tools: tools with a parameter that chooses what they do, and what their texts say of each action."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolc.ir import Schema
from toolc.lexicon import lexicon, words

NAMES = frozenset("action operation op command subcommand sub_command method verb mode task function".split())
CERTAIN = frozenset("action operation op subcommand sub_command".split())
_HTTP = frozenset("get post put patch delete head options".split())


@dataclass(frozen=True, slots=True)
class Selector:
    """The parameter by which a call chooses an action, and the actions."""

    name: str
    actions: tuple[str, ...]


def selector(schema: Schema) -> Selector | None:
    """The selector of a tool's schema, or None where the tool does one thing."""
    properties = schema.get("properties")
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        key = "_".join(words(name))
        values = inner.get("enum") if isinstance(inner, dict) else None
        if key not in NAMES or not isinstance(values, list) or len(values) < 2:
            continue
        if not all(isinstance(value, str) and value for value in values):
            continue
        if {value.lower() for value in values} <= _HTTP and key == "method":
            continue  # it sends requests, whatever their method
        verbs = sum(lexicon().at(words(value), 0) is not None for value in values)
        if name in schema.get("required", ()) and ((key in CERTAIN and verbs) or verbs * 2 >= len(values)):
            return Selector(name, tuple(values))
    return None


def speaks_of(text: str, actions: tuple[str, ...]) -> bool:
    """Whether a text names one of the actions, in whatever style, as a word."""
    lower = text.lower()
    return any(
        re.search(rf"(?<![\w-]){re.escape(form)}(?:s|d|ing|ed)?(?![\w-])", lower)
        for action in actions
        for form in {action.lower(), " ".join(words(action))}
    )


def ungated(schema: Schema, chosen: Selector, description: str) -> list[str]:
    """Optional parameters of which nothing says with which actions they go."""
    properties: Mapping[str, Any] = schema["properties"]
    required = schema.get("required", ())
    if schema.keys() & {"oneOf", "anyOf", "allOf", "if", "dependentSchemas"}:
        return []
    about = f"{description}\n{properties[chosen.name].get('description', '')}"
    lines = [line for line in re.split(r"\n|(?<=[.;])\s", about) if speaks_of(line, chosen.actions)]
    found = []
    for name, inner in properties.items():
        if name == chosen.name or name in required or not isinstance(inner, dict):
            continue
        if speaks_of(str(inner.get("description", "")), chosen.actions):
            continue
        if any(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", line) for line in lines):
            continue
        found.append(name)
    return found
