"""What a runtime accepts (names, descriptions, counts, schema dialect), and a tool made to fit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import TOOL_NAME, Schema, Tool
from toolc.schema.dialects import Dialect as Dialect
from toolc.schema.lower import Lost, lower, strict_problem
from toolc.tokens import compact

# Where a description may be cut: after a sentence, else between words.
_LONGEST_WITH_EXAMPLES = 2048  # Claude Code cuts descriptions at 2,048 to 4,096 characters (2.1, November 2026)
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n")


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one target; every figure with its source and date in `source`.

    name_pattern, param_pattern: anchored regular expressions. description_length: in characters, 0 = no limit.
    tools: most tools in one request, 0 = no limit. name_warn: length above which a name is doubtful.
    prefix: what the runtime puts before the names of tools; the limits of names hold for both together.
    """

    source: str
    name_pattern: str = r"^[a-zA-Z0-9_-]{1,64}$"
    name_warn: int = 64
    prefix: str = ""
    param_pattern: str = r"^[a-zA-Z0-9_.-]{1,64}$"
    description_length: int = 0
    tools: int = 0
    dialect: Dialect = "2020-12"
    examples: bool = False
    deferral: bool = False
    namespaces: bool = False
    annotations: bool = False


PORTABLE = Limits(
    source="safe common subset of the API targets, November 2026",
    name_pattern=f"^{TOOL_NAME}$",
    description_length=1024,
    tools=128,
    dialect="portable",
)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A tool as a runtime takes it.

    losses: their pointers are into the tool (`/input_schema/…`). strict: the schema is in the strict form that was
    asked for; not_strict: why it is not.
    """

    tool: Tool
    description: str
    input_schema: Schema
    losses: tuple[Lost, ...] = ()
    strict: bool = False
    not_strict: str = ""


def fit(tool: Tool, limits: Limits, strict: bool = False) -> Fitted:
    """The tool's texts cut to the limits and its schema lowered; examples go into the text if nothing else holds them.

    strict: in the vendor's strict mode, if that mode can say the schema.
    """
    dialect = limits.dialect
    problem = ""
    if strict and (dialect == "anthropic" or dialect == "openai"):
        strict_dialect: Literal["anthropic-strict", "openai-strict"] = f"{dialect}-strict"  # type: ignore[assignment]
        problem = strict_problem(tool.input_schema, strict_dialect)
        dialect = dialect if problem else strict_dialect
    lowered = lower(tool.input_schema, dialect)
    losses = [Lost(f"/input_schema{loss.pointer}", loss.keyword, loss.went, loss.words) for loss in lowered.losses]
    description = cut(tool.description, limits.description_length)
    if description != tool.description:
        losses.append(Lost("/description", "description", "dropped"))
    if tool.details:
        losses.append(Lost("/details", "details", "dropped"))
    if tool.examples and not limits.examples:
        description, told = _with_examples(tool, description, limits.description_length or _LONGEST_WITH_EXAMPLES)
        losses += [
            Lost(f"/examples/{i}", "examples", "words" if i in told else "dropped") for i in range(len(tool.examples))
        ]
    return Fitted(tool, description, lowered.schema, tuple(losses), dialect.endswith("-strict"), problem)


def _with_examples(tool: Tool, description: str, length: int) -> tuple[str, set[int]]:
    """The description with those examples that fit into the length, as compact JSON, and which they are."""
    told = set()
    for index, example in enumerate(tool.examples):
        line = f"\nExample: {compact(example.arguments)}"
        if len(description) + len(line) <= length:
            description += line
            told.add(index)
    return description.lstrip("\n"), told


def cut(text: str, length: int) -> str:
    """The text if it has at most `length` characters (0: always), else its first whole sentences, else whole words."""
    if not length or len(text) <= length:
        return text
    head = text[: length + 1]
    ends = [match.end() for match in _SENTENCE_END.finditer(head) if match.end() <= length]
    if ends and ends[-1] > length // 3:
        return head[: ends[-1]].rstrip()
    return head[:length].rsplit(None, 1)[0].rstrip(" ,;:-") + "…" if " " in head else head[:length]


def refusals(tool: Tool, limits: Limits) -> Iterator[Diagnostic]:
    """Why the runtime would refuse the tool, or the whole request for its sake; nothing if it takes it."""
    origin = tool.origins[0] if tool.origins else None
    related = tool.origins[1:]

    def refusal(rule: str, message: str, help: str) -> Diagnostic:
        return Diagnostic(rule, Severity.error, message, origin, related, f"{help} ({limits.source})", tool.name)

    name = limits.prefix + tool.name
    if not re.fullmatch(limits.name_pattern, name):
        length = f" has {len(name)} characters and" if len(name) > limits.name_warn else ""
        yield refusal(
            "name-charset",
            f"the name `{name}`{length} does not match {limits.name_pattern}",
            "give it another with `name` in the source's overrides",
        )
    elif len(name) > limits.name_warn:
        yield Diagnostic(
            "name-too-long",
            Severity.warning,
            f"the name `{name}` has {len(name)} characters; above {limits.name_warn} it may be refused",
            origin,
            related,
            f"give it a shorter one with `name` in the source's overrides ({limits.source})",
            tool.name,
        )
    for key in tool.input_schema.get("properties", {}):
        if not re.fullmatch(limits.param_pattern, key):
            yield refusal(
                "param-charset",
                f"the parameter `{key}` of `{tool.name}` does not match {limits.param_pattern}",
                "rename it in the source, or leave the operation out for this target with a profile",
            )


def too_many(count: int, limits: Limits, what: str = "tools") -> Iterator[Diagnostic]:
    """An error if a request may not hold so many."""
    if limits.tools and count > limits.tools:
        yield Diagnostic(
            "too-many-tools",
            Severity.error,
            f"{count:,} {what} where the runtime takes at most {limits.tools:,} in one request",
            help=f"emit a profile with fewer operations, or select fewer in the sources ({limits.source})",
        )
