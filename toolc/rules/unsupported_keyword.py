"""A schema keyword that a target refuses.

What it does
    Reports keywords of a plain list that the schema dialect of a named target does not take. A build lowers schemas to
    each target's dialect, so nothing is found there but what lowering loses (lossy-lowering).

Why it is bad
    The API refuses the tool or the whole request, or drops the keyword silently. Dialects as read off SDK types and API
    answers in November 2026: OpenAI takes no `unevaluated…`; Gemini's `parameters` refuses oneOf, const, integer enums,
    lists of types, exclusive bounds and $ref (`parametersJsonSchema` takes them), and no enum may be empty or hold "".

Example
    targets: {gemini: {}}, and {"size": {"const": 3}}

Use instead
    {"size": {"type": "integer", "minimum": 3, "maximum": 3}}, or send it as `parametersJsonSchema`

When it is wrong
    If something between the list and the API rewrites schemas, as `toolc build` does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import HttpCall, Schema, SqlCall
from toolc.rules import Subject
from toolc.schema.dialects import DIALECTS, Rules

STAGE = "target"
CATEGORY = "targets"
SEVERITY = Severity.warning
SILENCES = ("lossy-lowering",)
GEMINI = frozenset(
    "oneOf const exclusiveMinimum exclusiveMaximum $ref patternProperties prefixItems not if then else contains".split()
)
COMBINATORS = frozenset({"anyOf", "oneOf", "allOf", "$ref"})


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a place and keyword, with all targets that refuse it."""
    if not subject.plain:
        return
    dialects = {target: DIALECTS[limits.dialect] for target, limits in subject.limits.items()}
    for tool in subject.tools:
        if isinstance(tool.operations[0].call, HttpCall | SqlCall):
            continue  # no list that is sent as it stands
        for path, schema in subject.nodes(tool.schema):
            found: dict[str, list[str]] = {}
            for target, rules in dialects.items():
                for keyword in _refused(schema, rules, root=not path, gemini=target == "gemini"):
                    found.setdefault(keyword, []).append(target)
            for keyword, targets in found.items():
                who = "some model APIs do" if targets == ["portable"] else f"{', '.join(targets)} will"
                yield Diagnostic(
                    "unsupported-keyword",
                    SEVERITY,
                    f"{_shown(keyword, schema)} in `{tool.name}` is what {who} not take",
                    tool.place("input", *path, keyword),
                    tool.related,
                    help="say it another way, or let `toolc build` lower the schema",
                    subject=tool.name,
                )


def _refused(schema: Schema, rules: Rules, root: bool, gemini: bool) -> Iterator[str]:
    for keyword in schema:
        if (
            keyword in rules.refused
            or (root and keyword in rules.root and keyword not in COMBINATORS)
            or (gemini and (keyword in GEMINI or (keyword == "type" and _mixed(schema[keyword]))))
        ):
            yield keyword
    values = schema.get("enum")
    if isinstance(values, list) and (
        (not rules.blank and (not values or "" in values))
        or (gemini and any(not isinstance(value, str) for value in values))
    ):
        yield "enum"


def _mixed(kind: Any) -> bool:
    return isinstance(kind, list) and len([one for one in kind if one != "null"]) > 1


def _shown(keyword: str, schema: Schema) -> str:
    if keyword == "enum":
        return (
            "`enum: []`"
            if not schema["enum"]
            else "an enum with an empty string"
            if "" in schema["enum"]
            else "an enum of numbers"
        )
    return f"`{keyword}`"
