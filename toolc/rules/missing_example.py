"""An input in a language of its own, without an example.

What it does
    Reports a text parameter that holds a query, filter, expression, cron line or template by its name or description,
    or an object or array written as JSON text, and a required object nested three levels deep, where neither tool nor
    parameter gives an example, enum or default.

Why it is bad
    Usage examples raised parameter accuracy from 72 to 90 % (Anthropic's figure), most where the form is not obvious;
    of 2,971 public MCP tools none carries any. Where a type says it all, an example only costs tokens.

Example
    {"filter": {"type": "string", "description": "Filter expression."}}

Use instead
    {"filter": {"type": "string", "description": "Filter expression, e.g. `status = open AND due < 2026-12-01`."}}

When it is wrong
    For languages that every model knows (SQL, regular expressions, JSONPath) it is silent already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import Schema
from toolc.lexicon import words
from toolc.rules import Seen, Subject
from toolc.schema.walk import definition

STAGE = "catalog"
CATEGORY = "examples"
SEVERITY = Severity.note
_LANGUAGE = re.compile(
    r"\b(?:filter|query|search|match(?:ing)?|rule|condition|boolean|odata|selector) (?:expression|language|syntax"
    r"|string syntax|dsl)\b"
    r"|\bquery dsl\b|\bexpression (?:language|syntax)\b|\b(?:cron|rrule)\b|\bsyntax\b",
    re.I,
)
_LANGUAGE_NAMES = frozenset(
    {
        "filter_expression",
        "filter_query",
        "cron",
        "rrule",
        "jql",
        "cql",
        "kql",
        "logql",
        "promql",
        "soql",
        "selector_expression",
        "dsl",
    }
)
# A structure written as text, of which the schema shows nothing.
_IN_JSON = re.compile(
    r"\bjson(?:[- ](?:based|encoded|formatted|serialized))?[- ](?:array|object|string|map)\b"
    r"|\b(?:array|object|map)\b[^.]{0,30}\b(?:as|in) json\b",
    re.I,
)
_FREE = frozenset(
    {"body", "payload", "data", "metadata", "content", "text", "value", "json"}
)  # whatever the caller has
_SHOWN = re.compile(
    r"\be\.?g\b|\bexamples?\b|\bfor instance\b|\bsuch as\b|\blike [`'\"]|[`'\"“][^`'\"”]{2,}[`'\"”]|https?://", re.I
)
_TARGET = re.compile(r"\]\([^()\s]*\)")  # where a link leads is no example
_KNOWN = re.compile(
    r"\b(?:sql|regex|regular expression|jsonpath|jmespath|xpath|css selector|glob|graphql|markdown|html)\b", re.I
)


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool, at the first parameter that needs one."""
    for tool in subject.tools:
        if tool.examples or _is_shown(tool.description):
            continue
        name = _needing(tool)
        if name:
            yield Diagnostic(
                "missing-example",
                SEVERITY,
                f"nothing shows what `{name}` of `{tool.name}` looks like",
                tool.place("input", "properties", name),
                tool.related,
                help="add one real value to its description, or an example to the tool",
                subject=tool.name,
            )


def _is_shown(text: str) -> bool:
    return bool(_SHOWN.search(_TARGET.sub("]", text)))


def _needing(tool: Seen) -> str:
    defs = tool.schema.get("$defs", {})
    required = tool.schema.get("required", ())
    properties = tool.schema.get("properties")
    for name, schema in properties.items() if isinstance(properties, dict) else ():
        if not isinstance(schema, dict) or schema.keys() & {"enum", "const", "examples", "example", "default"}:
            continue
        text = str(schema.get("description", ""))
        if schema.get("type") == "string":
            in_language = "_".join(words(name)) in _LANGUAGE_NAMES or _LANGUAGE.search(text)
            in_json = schema.get("format") == "json" or _IN_JSON.search(text)
            in_json = in_json and str(name).lower() not in _FREE
            if (in_language or in_json) and not _is_shown(text) and not _KNOWN.search(f"{name} {text}"):
                return str(name)
        elif name in required and _levels(schema, defs, 0) >= 3 and not _shows(schema, defs, 0):
            return str(name)
    return ""


def _levels(schema: Any, defs: Schema, depth: int) -> int:
    """How many objects stand inside one another; alternatives count as one."""
    if not isinstance(schema, dict) or depth > 8:
        return 0
    schema = defs.get(definition(schema.get("$ref")) or "", schema)
    inner = [*(schema.get("properties") or {}).values(), schema.get("items")]
    deepest = max((_levels(child, defs, depth + 1) for child in inner), default=0)
    return deepest + (1 if schema.get("properties") else 0)


def _shows(schema: Any, defs: Schema, depth: int) -> bool:
    """Whether an example, or a text with one, stands anywhere inside."""
    if not isinstance(schema, dict) or depth > 8:
        return False
    schema = defs.get(definition(schema.get("$ref")) or "", schema)
    if schema.keys() & {"examples", "example"} or _is_shown(str(schema.get("description", ""))):
        return True
    return any(
        _shows(child, defs, depth + 1) for child in [*(schema.get("properties") or {}).values(), schema.get("items")]
    )
