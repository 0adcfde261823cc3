"""One input of an operation: a parameter, a field of the body, or the body as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolc.ir import Origin, Schema
from toolc.sources.openapi.findings import Problem


@dataclass(frozen=True, slots=True)
class Sample:
    """A value that the description gives as an example; name: `` unless it stands among named ones."""

    name: str
    value: Any
    origin: Origin


@dataclass(frozen=True, slots=True, eq=False)
class Input:
    """What a caller may give.

    place: one of `names.PLACES`; wire: its name there; binding: its entry in HttpCall.inputs.
    """

    place: str
    wire: str
    schema: Schema
    required: bool
    binding: Mapping[str, Any]
    refs: frozenset[str] = frozenset()
    samples: tuple[Sample, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """A request body as inputs.

    keywords: what holds for all of its fields together, by wire name. whole: there is one input, which is the body.
    hidden: fields that only responses have.
    """

    content_type: str
    required: bool
    inputs: tuple[Input, ...]
    keywords: Schema
    whole: bool
    description: str = ""
    encoding: Mapping[str, Any] | None = None
    hidden: frozenset[str] = frozenset()
    samples: tuple[Sample, ...] = ()
    problems: tuple[Problem, ...] = ()


def described(schema: Schema, *texts: object) -> Schema:
    """The schema with these texts as its description, each said once."""
    said: list[str] = []
    for text in (*texts, schema.get("description")):
        if isinstance(text, str) and (clean := text.strip()) and not any(clean in known for known in said):
            said = [known for known in said if known not in clean]
            said.append(clean)
    return {**schema, "description": "\n\n".join(said)} if said else schema
