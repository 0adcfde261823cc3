"""Constraints in words: what a model is told where the runtime's schema language has no keyword for it."""

from __future__ import annotations

import json
from typing import Any

from toolc.ir import Schema
from toolc.schema import keywords

_LONGEST = 200

_PHRASES = {
    "minimum": "At least {}.",
    "maximum": "At most {}.",
    "exclusiveMinimum": "Greater than {}.",
    "exclusiveMaximum": "Less than {}.",
    "multipleOf": "A multiple of {}.",
    "minLength": "At least {} characters.",
    "maxLength": "At most {} characters.",
    "minItems": "At least {} items.",
    "maxItems": "At most {} items.",
    "minProperties": "At least {} keys.",
    "maxProperties": "At most {} keys.",
    "pattern": "Pattern: {}",
    "format": "Format: {}.",
    "default": "Default: {}.",
    "const": "Must be {}.",
}
_PLAIN_ROOT = frozenset({"type", "properties", "required", "additionalProperties", "$defs"})
_CHOICES = {"anyOf": "Needs one of: {}.", "oneOf": "Needs exactly one of: {}."}


def say(keyword: str, schema: Schema) -> str:
    """What the keyword demands, in a sentence of at most 200 characters, or nothing where no short one says it."""
    value = schema[keyword]
    text = ""
    if keyword in ("minLength", "minItems", "minProperties") and value == 1:
        text = "Not empty."
    elif keyword in _PHRASES:
        text = _PHRASES[keyword].format(plain(value))
    elif keyword == "uniqueItems" and value is True:
        text = "No duplicates."
    elif keyword == "enum" and isinstance(value, list) and value:
        text = f"One of: {', '.join(map(plain, value))}."
    elif keyword in _CHOICES and (sets := _required_sets(value)):
        text = _CHOICES[keyword].format("; ".join(sets))
    elif keyword == "dependentRequired" and isinstance(value, dict):
        text = " ".join(_needs(value))
    return text if len(text) <= _LONGEST else ""


def root_words(schema: Schema) -> str:
    """In words, what a root demands beyond its properties; dispatch checks it."""
    said = []
    for keyword, value in schema.items():
        if keyword in _PLAIN_ROOT or keywords.is_noise(keyword):
            continue
        if keyword in ("anyOf", "oneOf") and isinstance(value, list):
            choices = [" + ".join(branch.get("required", ())) for branch in value if isinstance(branch, dict)]
            if all(choices):
                said.append(f"{'Exactly' if keyword == 'oneOf' else 'At least'} one of: {', '.join(choices)}.")
                continue
        if keyword == "dependentRequired" and isinstance(value, dict):
            said += _needs(value)
        elif keyword == "minProperties":
            said.append(f"At least {value} of its parameters.")
        elif keyword == "maxProperties":
            said.append(f"At most {value} parameters.")
        else:
            said.append(f"Further rules ({keyword}) are checked at the call.")
    return " ".join(said)


def _needs(dependent: dict[str, Any]) -> list[str]:
    """`a, b need c, d.`: names with the same needs together, and those that need one another said once."""
    takers: dict[frozenset[str], list[str]] = {}
    together: dict[frozenset[str], list[str]] = {}
    for name, needed in dependent.items():
        if needed:
            takers.setdefault(frozenset(needed), []).append(name)
            together.setdefault(frozenset({name, *needed}), []).append(name)
    whole = {names: members for names, members in together.items() if len(members) == len(names) > 1}
    said = []
    for needed, names in takers.items():
        others = [name for name in names if needed | {name} not in whole]
        if others:
            said.append(f"{', '.join(others)} need{'s' * (len(others) == 1)} {', '.join(_ordered(needed, dependent))}.")
    said += [f"{', '.join(members)} go together." for members in whole.values()]
    return said


def _ordered(names: frozenset[str], dependent: dict[str, Any]) -> list[str]:
    """The names as the source writes them."""
    return next(list(dict.fromkeys(needed)) for needed in dependent.values() if frozenset(needed) == names)


def plain(value: Any) -> str:
    """A JSON value as a model reads it best: strings bare, an empty one quoted."""
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def describe(schema: Schema, words: list[str]) -> Schema:
    """The schema with the words at the end of its description, those left out that it says already."""
    text = schema.get("description", "")
    text = text.rstrip() if isinstance(text, str) else ""
    for sentence in words:
        if sentence not in text:
            text = f"{text} {sentence}" if not text or text[-1] in ".:!?)" else f"{text}. {sentence}"
    return {**schema, "description": text.strip()} if words else schema


def _required_sets(branches: Any) -> list[str]:
    """`a`, `b and c` where every branch only says what is required; else nothing."""
    sets = []
    for branch in branches if isinstance(branches, list) else ():
        if not isinstance(branch, dict) or not branch.get("required"):
            return []
        if any(key not in ("required", "type") and not keywords.is_noise(key) for key in branch):
            return []
        sets.append(" and ".join(branch["required"]))
    return sets
