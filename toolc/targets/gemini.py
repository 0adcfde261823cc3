"""Gemini API: one list of function declarations, nothing deferred.

`tools.json` is the request's `tools` array, always tools first. It holds all tools also where they are more than the
API takes: a profile or a selection is the user's to make.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import Catalog, File, Tool
from toolc.limits import Fitted, Limits, fit, too_many
from toolc.schema.lower import untyped
from toolc.targets import Emission, listing, prepare, reading

LIMITS = Limits(
    source="Gemini API: docs and google-genai 3.6, November 2026",
    name_pattern=r"^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$",
    param_pattern=r"^[a-zA-Z0-9_]{1,64}$",
    tools=512,
    dialect="gemini",
)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of `targets.gemini`."""

    parameters: Literal["json-schema", "openapi"] = field(
        default="json-schema",
        metadata={
            "doc": "Which field holds the schema: `parametersJsonSchema`, or `parameters` for clients that know no "
            "other (a subset of OpenAPI 3.0, which loses more)."
        },
    )


def render(tool: Tool, options: Options) -> dict[str, Any]:
    """One tool as a function declaration."""
    return _declaration(fit(tool, _limits(options)), options)


def emit(catalog: Catalog, options: Options) -> Emission:
    """`tools.json`."""
    prepared = prepare(catalog, _limits(options))
    refused = {d.subject: d for fitted in prepared.tools for d in _untyped(fitted, options)}
    taken = [fitted for fitted in (*prepared.always, *prepared.standby) if fitted.tool.name not in refused]
    declarations = [_declaration(fitted, options) for fitted in taken]
    tools = f'[\n{{"functionDeclarations": {listing(declarations)}}}\n]\n' if declarations else "[]\n"
    return Emission(
        (File("tools.json", tools),),
        loaded=reading(declarations),
        losses=tuple(loss for loss in prepared.losses if loss.tool not in refused),
        quarantined=tuple(sorted({*prepared.quarantined, *refused})),
        diagnostics=(*prepared.diagnostics, *refused.values(), *too_many(len(declarations), LIMITS, "declarations")),
    )


def _limits(options: Options) -> Limits:
    return LIMITS if options.parameters == "json-schema" else replace(LIMITS, dialect="gemini-openapi")


def _declaration(fitted: Fitted, options: Options) -> dict[str, Any]:
    declaration: dict[str, Any] = {"name": fitted.tool.name}
    if fitted.description:
        declaration["description"] = fitted.description
    if options.parameters == "json-schema":
        declaration["parametersJsonSchema"] = fitted.input_schema
    elif fitted.input_schema.get("properties"):  # an object without any is refused there
        declaration["parameters"] = fitted.input_schema
    return declaration


def _untyped(fitted: Fitted, options: Options) -> Iterator[Diagnostic]:
    pointer = untyped(fitted.input_schema) if options.parameters == "openapi" else ""
    if pointer:
        tool = fitted.tool
        yield Diagnostic(
            "untyped-for-target",
            Severity.error,
            f"`{tool.name}` takes any value at {pointer}, and Gemini's `parameters` must say a type",
            tool.origins[0] if tool.origins else None,
            tool.origins[1:],
            f"set `parameters: json-schema` for this target, or declare a type in the source ({LIMITS.source})",
            tool.name,
        )
