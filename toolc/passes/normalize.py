"""Makes one tool of each operation: the schema without noise, the text as long as its source wants it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from toolc.ir import Case, Catalog, Dispatch, Operation, Schema, Tool
from toolc.passes.context import Context
from toolc.schema.lower import lower
from toolc.schema.normalise import normalise
from toolc.schema.phrases import plain, root_words
from toolc.schema.walk import Path, descend, rebuild
from toolc.wording import contained, first_sentence, sentence

COMBINATORS = ("anyOf", "oneOf", "allOf", "not", "if", "$ref")
# A parameter text up to this length is left whole: cutting it would save next to nothing.
SHORT_TEXT = 60
# Characters of an example: a longer one (a certificate, a token) shows no form that its beginning would not show.
LONGEST_EXAMPLE = 400


def apply(catalog: Catalog, context: Context) -> Catalog:
    """The catalog with a tool for every operation, named as the source named it."""
    lead = {source.name: source.lead for source in catalog.sources}
    tools = [_tool(operation, lead[operation.source], context) for operation in catalog.operations.values()]
    return replace(catalog, tools=tuple(tools))


def _tool(operation: Operation, lead: bool, context: Context) -> Tool:
    ledger, count = context.ledger, context.counter.canonical
    written = operation.extra.get("input_as_written", operation.input)
    schema = normalise(operation.extra.get("shown_input", operation.input), ledger.steps)
    whole = operation.description.strip()
    ledger.source[operation.id] = count(operation.name, operation.description, written)
    ledger.noise[operation.id] = count(operation.name, whole, schema)
    description, worded, details = whole, schema, ""
    if lead:
        # a summary is written as a lead; the description may begin with who may call and other preliminaries
        summary = str(operation.extra.get("summary", ""))
        description = first_sentence(summary if summary and contained(summary, whole) else whole)
        worded, cut = _lead_schema(schema)
        left_out = [whole] if not contained(whole, description) else []
        details = "\n\n".join([*left_out, *(f"{_shown(path)}: {text}" for path, text in cut)])
    if not worded.keys().isdisjoint(COMBINATORS):
        # no runtime takes alternatives at the root: a plain one that accepts at least as much, the rule in words
        rule = root_words({key: worded[key] for key in worded if key in COMBINATORS and key != "$ref"})
        description = " ".join(filter(None, [sentence(description) if rule else description, rule]))
        flat = {key: value for key, value in lower(worded, "anthropic").schema.items() if key != "description"}
        worded = {"properties": {}, **flat, **{key: worded[key] for key in worded if key == "description"}}
    beside = (str(operation.extra.get(key, "")) for key in ("body", "appendix"))
    details = "\n\n".join(filter(None, [details, *beside]))
    changed = worded is not schema or description != whole
    ledger.text[operation.id] = count(operation.name, description, worded) if changed else ledger.noise[operation.id]
    return Tool(
        name=operation.name,
        description=description,
        input_schema=worded,
        dispatch=Dispatch((), (Case({}, operation.id),)),
        origins=(operation.origin,),
        hints=operation.hints,
        details=details,
    )


def _lead_schema(schema: Schema) -> tuple[Schema, list[tuple[Path, str]]]:
    """The schema with only the first sentence of its longer texts and without endless examples; what was cut."""

    def shorten(inner: Schema) -> Schema:
        examples = inner.get("examples")
        if isinstance(examples, list) and (kept := [one for one in examples if not _is_endless(one)]) != examples:
            rest = {key: value for key, value in inner.items() if key != "examples"}
            inner = {**rest, "examples": kept} if kept else rest
        text = inner.get("description")
        if not isinstance(text, str) or len(text) <= SHORT_TEXT:
            return inner
        short = first_sentence(text)
        return inner if short == text else {**inner, "description": short}

    shortened = rebuild(schema, shorten)
    return shortened, list(_cut(schema, shortened)) if shortened is not schema else []


def _cut(before: Schema, after: Schema) -> Iterator[tuple[Path, str]]:
    for (path, one), (_, other) in zip(descend(before), descend(after), strict=True):
        if one.get("description") != other.get("description") and not contained(
            str(one["description"]), str(other["description"])
        ):
            yield path, one["description"]
        for example in one.get("examples", ()) if one.get("examples") != other.get("examples") else ():
            if example not in other.get("examples", ()):
                yield path, f"for example {plain(example)}"


def _is_endless(example: Any) -> bool:
    return len(plain(example)) > LONGEST_EXAMPLE


def _shown(path: Path) -> str:
    """The place of a text as a reader would name it: `filter.state`, without the schema's own keywords."""
    names: list[Any] = [key for key in path if key not in ("properties", "items", "$defs", "anyOf", "oneOf", "allOf")]
    return ".".join(str(name) for name in names if not isinstance(name, int)) or "parameters"
