"""An example that is not in the format the schema or the text asks for.

What it does
    Checks texts in usage examples, and examples and defaults in schemas, against `format` (date, date-time, time,
    duration, email, uri, uuid, ipv4, ipv6), and reports a written date where the description says Unix time, and a
    time beside the day where it says YYYY-MM-DD.

Why it is bad
    Validators take `format` as an annotation and let it pass; models copy what they see, and the server refuses it.

Example
    {"due": "12/01/2026"} for {"due": {"type": "string", "format": "date"}}

Use instead
    {"due": "2026-12-01"}

When it is wrong
    If the server takes other forms than the one that the schema names: drop the format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import Schema
from toolc.rules import Subject, spoken
from toolc.schema.formats import FORMATS, looks_like_date
from toolc.schema.walk import Path, definition

STAGE = "source"
CATEGORY = "examples"
SEVERITY = Severity.error
_UNIX = re.compile(r"\bunix (?:epoch|time(?:stamps?)?)\b|\bepoch\b|\bseconds since 1970\b|\bunix seconds\b", re.I)
# A day without a time: where the text asks for it, the time in an example is what a model copies.
_DAY = re.compile(r"\byyyy-mm-dd\b(?!\s*t?\s*hh)", re.I)
_ALSO_TIME = re.compile(
    r"\bhh\b|hh:|t?hhmm|8601|3339|\b(?:date-?)?times?\b|\btimestamps?\b|\bor\b[^.]{0,30}\byyyy", re.I
)
_WITH_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:.*")
_ALSO_WRITTEN = re.compile(r"\biso\b|8601|3339|\bdate string\b|\bor a date\b|yyyy", re.I)
MOST_DEPTH = 12


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a value."""
    for operation in subject.operations:
        defs = operation.input.get("$defs", {})
        for example in operation.examples:
            if example.provenance == "derived":
                continue
            for path, problem in _contradictions(example.arguments, operation.input, defs, ()):
                place = example.place(*path) or operation.origin
                yield _finding(f"an example of `{operation.name}`", path, problem, place, operation.id)
        for path, schema in subject.nodes(operation.input):
            if not path or not schema.keys() & {"examples", "default"}:
                continue
            examples = schema.get("examples")
            values = [
                (("examples", index), value)
                for index, value in enumerate(examples if isinstance(examples, list) else ())
            ]
            if "default" in schema:
                values.append((("default",), schema["default"]))  # type: ignore[arg-type]
            for key, value in values:
                for inner, problem in _contradictions(value, schema, defs, ()):
                    place = operation.place("input", *path, *key, *inner)
                    what = f"{'the default' if key[0] == 'default' else 'an example'} of {spoken(path, operation.name)}"
                    yield _finding(what, inner, problem, place, operation.id)


def _contradictions(value: Any, schema: Any, defs: Schema, path: Path) -> Iterator[tuple[Path, str]]:
    """What in a value is not in its format: path and reason."""
    if len(path) > MOST_DEPTH or not isinstance(schema, dict):
        return
    if (name := definition(schema.get("$ref"))) is not None:
        schema = {**defs.get(name, {}), **{key: inner for key, inner in schema.items() if key != "$ref"}}
    if isinstance(value, str):
        known = FORMATS.get(str(schema.get("format")))
        if known is not None and value and not known[0](value) and not _is_slot(value):
            yield path, f"{value!r:.60} is no {schema['format']} such as {known[1]}"
        elif known is None and _says_unix(schema) and looks_like_date(value):
            yield path, f"{value!r:.60} is a written date, the description says Unix time"
        elif _WITH_TIME.fullmatch(value) and _says_day(schema):
            yield path, f"{value!r:.60} has a time, the description says YYYY-MM-DD"
    elif isinstance(value, dict):
        properties = schema.get("properties")
        for key, inner in value.items() if isinstance(properties, dict) else ():
            yield from _contradictions(inner, properties.get(key), defs, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _contradictions(inner, schema.get("items"), defs, (*path, index))


def _says_unix(schema: Schema) -> bool:
    text = schema.get("description")
    return isinstance(text, str) and bool(_UNIX.search(text)) and not _ALSO_WRITTEN.search(text)


def _says_day(schema: Schema) -> bool:
    text = schema.get("description")
    return isinstance(text, str) and bool(_DAY.search(text)) and not _ALSO_TIME.search(text)


def _is_slot(value: str) -> bool:
    """Whether a value is a place to fill in: `<uuid>`, `{id}`, `$URL`."""
    return value[0] in "<{$" or value.startswith("{{")


def _finding(what: str, path: Path, problem: str, place: Any, subject: str) -> Diagnostic:
    where = ".".join(map(str, path))
    return Diagnostic(
        "example-contradicts-format",
        SEVERITY,
        f"{what}{f' (`{where}`)' if where else ''}: {problem}",
        place,
        help="write it in the form that the schema names, or name the right `format`; models copy examples",
        subject=subject,
    )
