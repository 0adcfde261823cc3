"""An input schema that is not of type `object`.

What it does
    Reports a tool whose input schema does not say `type: object`. Readers report under the same name a schema that
    names another type, and leave the tool out.

Why it is bad
    Arguments are always an object. MCP demands `type: object`, and Anthropic answers 400 where it is missing ("type:
    Field required"; both seen November 2026).

Example
    inputSchema: {properties: {city: {type: string}}}

Use instead
    inputSchema: {type: object, properties: {city: {type: string}}}

When it is wrong
    If only runtimes that add the type themselves ever see the list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Edit, Fix, Severity
from toolc.rules import Subject

STAGE = "catalog"
CATEGORY = "schema"
SEVERITY = Severity.error
SILENCES = ("invalid-schema",)
_GEMINI = re.compile(r"(?<!/function)/parameters$")  # whose declarations spell types in capitals


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool; with `properties`, only the word `object` can be meant, so that is the fix."""
    for tool in subject.tools:
        kind = tool.schema.get("type")
        place = tool.place("input")
        if kind == "object" or (kind == "OBJECT" and _GEMINI.search(place.pointer)):
            continue
        fix = Fix("add `type: object`", (Edit(place.at("type"), "object"),)) if kind is None and tool.schema else None
        yield Diagnostic(
            "root-not-object",
            SEVERITY,
            f"the input schema of `{tool.name}` "
            + ("does not say `type: object`" if kind is None else f"has the type {kind!r}"),
            place,
            tool.related,
            help="arguments are an object with named values: write `type: object`",
            subject=tool.name,
            fix=fix,
        )
