"""A tool that asks for strict mode and does not fit into it.

What it does
    For tools of a plain list that say `strict: true`: reports what the strict mode of the named targets (OpenAI's rules
    where none is named) refuses: objects that are not closed, properties that are not required (OpenAI), keywords it
    does not know. In a build the target itself says which tools it emits without strict.

Why it is bad
    The API answers 400 to the whole request (OpenAI: "additionalProperties is required to be supplied and to be false";
    Anthropic likewise; November 2026).

Example
    {"name": "f", "strict": true, "parameters": {"type": "object", "properties": {"x": {"type": "string"}}}}

Use instead
    {…, "parameters": {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"],
    "additionalProperties": false}}

When it is wrong
    If an SDK rewrites the schema before it is sent.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import Schema
from toolc.rules import Subject
from toolc.schema.dialects import DIALECTS
from toolc.schema.walk import Path, descend

STAGE = "target"
CATEGORY = "targets"
SEVERITY = Severity.error
STRICT = {"openai": "openai-strict", "openai-chat": "openai-strict", "anthropic": "anthropic-strict"}


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool: the first thing that strict mode refuses."""
    dialects = {STRICT[target] for target in subject.limits if target in STRICT} or {"openai-strict"}
    for tool in subject.tools if subject.plain else ():
        if not any(_asks(operation.extra) for operation in tool.operations):
            continue
        found = next((hit for dialect in sorted(dialects) for hit in _problems(tool.schema, dialect)), None)
        if found is not None:
            path, reason = found
            yield Diagnostic(
                "strict-subset",
                SEVERITY,
                f"`{tool.name}` asks for strict mode, but {reason}",
                tool.place("input", *path),
                tool.related,
                help="close every object, require every property (null for what may be left out), or drop `strict`",
                subject=tool.name,
            )


def _asks(extra: object) -> bool:
    return isinstance(extra, dict) and (
        extra.get("strict") is True
        or (isinstance(extra.get("function"), dict) and extra["function"].get("strict") is True)
    )


def _problems(schema: Schema, dialect: str) -> Iterator[tuple[Path, str]]:
    rules = DIALECTS[dialect]
    for path, inner in descend(schema):
        name = next((f"`{step}`" for step in reversed(path) if step not in ("properties", "items")), "its input")
        properties = inner.get("properties")
        if isinstance(properties, dict) or inner.get("type") == "object":
            if inner.get("additionalProperties") is not False:
                yield path, f"{name} does not say `additionalProperties: false`"
            left_out = [key for key in properties or () if key not in inner.get("required", ())]
            if rules.all_required and left_out:
                yield path, f"`{left_out[0]}` is not required"
        for keyword in inner:
            if keyword in rules.refused - {"default", "examples", "deprecated", "readOnly"}:
                yield (*path, keyword), f"strict mode does not take `{keyword}`"
