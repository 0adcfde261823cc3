"""An example that only repeats the types.

What it does
    Reports usage examples all of whose values are filler ("string", "foo", "example", 0 beside them), and the example
    "string" in a schema, and removes them with `--fix`.

Why it is bad
    Editors of OpenAPI documents write "string" by themselves. It tells nothing that the type did not, and models send
    it.

Example
    {"title": "string", "count": 0}

Use instead
    {"title": "Crash on start", "count": 2}, or none

When it is wrong
    If "string" is a real value there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolc.diagnostics import Diagnostic, Edit, Fix, Severity
from toolc.ir import Example, Origin
from toolc.rules import Subject, spoken

STAGE = "source"
CATEGORY = "examples"
SEVERITY = Severity.warning
# An entry of a list of examples; elsewhere the place may be that of what holds it.
_ENTRY = re.compile(r"/(?:input_examples|inputExamples|examples)/\d+$|/example$")
FILLER = frozenset(
    "string str text value example foo bar baz lorem test xxx abc todo sample placeholder dummy some_string your_value"
    " integer number boolean object array".split()
)
IN_SCHEMA = frozenset({"string", "str", "<string>", "lorem ipsum", "placeholder"})


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding an example."""
    for operation in subject.operations:
        filler = {index: word for index, example in enumerate(operation.examples) if (word := _filler_in(example))}
        for index, word in filler.items():
            if place := operation.examples[index].origin:
                alone = len(filler) == len(operation.examples)
                yield _finding(f"an example of `{operation.name}`", word, place, operation.id, alone)
        for path, schema in subject.nodes(operation.input):
            examples = schema.get("examples")
            values = schema.get("enum", ())
            entries = examples if isinstance(examples, list) and path else []
            bad = [isinstance(value, str) and value.lower() in IN_SCHEMA and value not in values for value in entries]
            for index in (index for index, is_bad in enumerate(bad) if is_bad):
                place = operation.place("input", *path, "examples", index)
                what = f"an example of {spoken(path, operation.name)}"
                yield _finding(what, entries[index], place, operation.id, all(bad))


def _filler_in(example: Example) -> str:
    """A word of an example that is filler throughout; else an empty text."""
    leaves = list(_leaves(example.arguments))
    words = [leaf for leaf in leaves if isinstance(leaf, str)]
    return words[0] or " " if words and example.provenance != "derived" and all(map(_is_filler, leaves)) else ""


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    else:
        yield value


def _is_filler(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in FILLER or not value.strip()
    return value is None or value in (0, 0.0, False, True)


def _finding(what: str, value: str, place: Origin, subject: str, alone: bool) -> Diagnostic:
    """alone: nothing else stands in the list, so that it goes as a whole."""
    fixable = _ENTRY.search(place.pointer) is not None
    listed = fixable and place.pointer.rpartition("/")[2].isdigit()
    gone = Origin(place.source, place.pointer.rpartition("/")[0]) if alone and listed else place
    return Diagnostic(
        "filler-example",
        SEVERITY,
        f"{what} is filler: {value!r}",
        place,
        help="write a value as it really occurs, or leave it out",
        subject=subject,
        fix=Fix("remove the example", (Edit(gone, remove=True),)) if fixable else None,
    )
