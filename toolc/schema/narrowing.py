"""What one schema accepted and a later one does not, place by place, in words for whoever calls it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from toolc.ir import Schema
from toolc.schema.identity import same
from toolc.schema.keywords import LOWER_BOUNDS, UPPER_BOUNDS, is_noise
from toolc.schema.subsumes import OPAQUE, both, fits_bound, inline, types_of
from toolc.schema.validator import Validator

Kind = Literal["required", "removed", "type", "enum", "bound", "form", "closed", "unproven"]

DEEPEST = 40  # places inside each other; what is deeper is called unproven
MOST_VALUES = 6  # values of an enum that are named
# Number formats where the first takes no more than the second; the widest say no more than the type does.
_WIDER_FORMATS = {("int32", "int64"), ("float", "double"), (None, "int64"), (None, "double")}
_WALKED = {
    "type",
    "enum",
    "const",
    "items",
    "properties",
    "required",
    "additionalProperties",
    "anyOf",
    "oneOf",
    "allOf",
}


@dataclass(frozen=True, slots=True)
class Narrowing:
    """One thing that was accepted and is not any more. path: as `filter.ids[]`, empty for the whole."""

    path: str
    kind: Kind
    words: str

    def __str__(self) -> str:
        return f"`{self.path}` {self.words}" if self.path else f"the input {self.words}"


def narrowings(old: Schema, new: Schema) -> list[Narrowing]:
    """Why calls valid for `old` may not be valid for `new`; empty if all are. Both with their own `$defs`.

    As callers see it, not as sets: a new optional property is no narrowing, though an object that says nothing of
    undeclared keys took any value for it; a property that is gone is one, though such an object still takes its key.
    What cannot be shown to be as wide counts as narrowed.
    """
    walk = _Walk(old.get("$defs", {}), new.get("$defs", {}))
    return list(dict.fromkeys(walk.compare(old, new, "")))


class _Walk:
    """One comparison, with the definitions of both sides and what is known of pairs met before."""

    def __init__(self, old_defs: Schema, new_defs: Schema) -> None:
        self.old_defs = old_defs
        self.new_defs = new_defs
        self.known: dict[tuple[int, int], tuple[list[Narrowing], Any, Any]] = {}  # the objects are kept: ids stay

    def compare(self, old: Any, new: Any, path: str, depth: int = 0) -> list[Narrowing]:
        if new is True or new == {} or old is False:
            return []
        if new is False:
            return [Narrowing(path, "removed", "is not taken any more")]
        old = {} if old is True else old
        if depth > DEEPEST or not isinstance(old, dict) or not isinstance(new, dict):
            return [Narrowing(path, "unproven", "is nested too deeply to be compared")]
        if same(old, new, self.old_defs, self.new_defs):
            return []
        plain_old, plain_new = inline(old, self.old_defs), inline(new, self.new_defs)
        if plain_old is None or plain_new is None:
            return [Narrowing(path, "unproven", "refers to what is not there")]
        # by the reference and by what it stands for: the first ends cycles through references with keywords beside them
        pairs = [(old, new), (plain_old, plain_new)]
        for pair in pairs:
            if (known := self.known.get((id(pair[0]), id(pair[1])))) is not None:
                return known[0]
        for pair in pairs:  # on the way round a cycle nothing speaks against it
            self.known[(id(pair[0]), id(pair[1]))] = ([], *pair)
        found = self._inlined(plain_old, plain_new, path, depth)
        for pair in pairs:
            self.known[(id(pair[0]), id(pair[1]))] = (found, *pair)
        return found

    def _inlined(self, old: Schema, new: Schema, path: str, depth: int) -> list[Narrowing]:
        old, new = _whole(old, self.old_defs), _whole(new, self.new_defs)
        if (values := _values(old)) is not None:
            return self._lost(values, new, path)
        choices = _alternatives(new)
        branches = _alternatives(old) or (_by_type(old) if choices else [])
        if branches:
            return [found for branch in branches for found in self.compare(branch, new, path, depth + 1)]
        if choices:
            answers = [self.compare(old, choice, path, depth + 1) for choice in choices]
            fitting = [a for a, c in zip(answers, choices, strict=True) if types_of(old) & types_of(c)]
            return _least(fitting or answers, path)
        kept = old.get("allOf", ())
        parts = [p for p in new.get("allOf", ()) if not any(same(k, p, self.old_defs, self.new_defs) for k in kept)]
        found = [found for part in parts for found in self.compare(old, part, path, depth + 1)]
        return [*found, *self._own(old, new, path), *self._inner(old, new, path, depth)]

    def _lost(self, values: list[Any], new: Schema, path: str) -> list[Narrowing]:
        """Which of the values that were all there were are no longer taken, in whatever form that is said now."""
        try:
            validator = Validator({**new, "$defs": self.new_defs} if self.new_defs else new)
            lost = [value for value in values if not validator.accepts(value)]
        except ValueError:
            return [Narrowing(path, "unproven", "has a schema that cannot be checked")]
        return [Narrowing(path, "enum", f"no longer takes {_listed(lost)}")] if lost else []

    def _own(self, old: Schema, new: Schema, path: str) -> Iterator[Narrowing]:
        """What keywords about the value itself no longer take."""
        if lost_types := types_of(old) - types_of(new):
            yield Narrowing(path, "type", _types_words(old, new, lost_types))
        if ("enum" in new or "const" in new) and (values := _values(new)) is not None:
            yield Narrowing(path, "enum", f"only takes {_listed(values)} now")
        for keyword, value in new.items():
            if keyword in _WALKED or is_noise(keyword) or keyword == "$defs":
                continue
            yield from self._keyword(keyword, value, old, path)

    def _keyword(self, keyword: str, value: Any, old: Schema, path: str) -> Iterator[Narrowing]:
        before = old.get(keyword)
        if keyword in LOWER_BOUNDS or keyword in UPPER_BOUNDS:
            if fits_bound(keyword, value, old) != "yes":
                was = f" (was {_shown(before)})" if before is not None else ""
                yield Narrowing(path, "bound", f"has a tighter {keyword}: {_shown(value)}{was}")
        elif keyword == "uniqueItems":
            if value and not before:
                yield Narrowing(path, "bound", "takes no item twice now")
        elif same({keyword: value}, {keyword: before}, self.new_defs, self.old_defs):
            return
        elif keyword in ("format", "pattern", "multipleOf"):
            if keyword == "format" and (before, value) in _WIDER_FORMATS:
                return
            if keyword == "multipleOf" and _divides(value, 1 if types_of(old) == {"integer"} else None, before):
                return
            was = f" (was {_shown(before)})" if before is not None else ""
            yield Narrowing(path, "form", f"has a new {keyword}: {_shown(value)}{was}")
        elif keyword in OPAQUE:
            yield Narrowing(path, "unproven", f"has other rules ({keyword})")

    def _inner(self, old: Schema, new: Schema, path: str, depth: int) -> Iterator[Narrowing]:
        """What is inside objects and arrays."""
        types = types_of(old) & types_of(new)
        if "array" in types and "items" in new:
            yield from self.compare(old.get("items", True), new["items"], f"{path}[]", depth + 1)
        if "object" not in types:
            return
        ours: Schema = old.get("properties", {})
        theirs: Schema = new.get("properties", {})
        free, rest = old.get("additionalProperties"), new.get("additionalProperties")
        required = {*new.get("required", ())} - {*old.get("required", ())}
        for name in [*ours, *(name for name in theirs if name not in ours)]:
            here = f"{path}.{name}" if path else name
            if name not in theirs and name in ours:
                if rest is None or rest is False:
                    yield Narrowing(here, "removed", "is gone")
                else:
                    yield from self.compare(ours[name], rest, here, depth + 1)
            elif name in ours:
                yield from self.compare(ours[name], theirs[name], here, depth + 1)
            elif isinstance(free, dict) and free and name not in required:
                yield from self.compare(free, theirs[name], here, depth + 1)
            if name in required:
                yield Narrowing(here, "required", "is newly required")
        for name in sorted(required - {*ours, *theirs}):
            yield Narrowing(f"{path}.{name}" if path else name, "required", "is newly required")
        if free is not None and free is not False:
            if rest is False:
                yield Narrowing(path, "closed", "takes no undeclared keys any more")
            elif isinstance(rest, dict):
                yield from self.compare(free, rest, f"{path}.*" if path else "*", depth + 1)


def _divides(value: Any, *multiples: Any) -> bool:
    """Whether a multiple of one of these is one of the value; told of integers only."""
    return isinstance(value, int) and any(isinstance(other, int) and other % value == 0 for other in multiples)


def _least(answers: list[list[Narrowing]], path: str) -> list[Narrowing]:
    """The answer to show where no alternative takes everything: what the nearest one lacks."""
    if len(answers) > 1 and all(found.kind == "required" for answer in answers for found in answer):
        choices = [" + ".join(found.path.rpartition(".")[2] for found in answer) for answer in answers]
        return [] if not all(answers) else [Narrowing(path, "required", f"needs {' or '.join(choices)} now")]
    return min(answers, key=len)


def _whole(schema: Schema, defs: Schema) -> Schema:
    """The schema with its `allOf` taken into it, as far as no two parts clash."""
    parts = schema.get("allOf")
    if not isinstance(parts, list):
        return schema
    whole = {key: value for key, value in schema.items() if key != "allOf"}
    for part in parts:
        plain = inline(part, defs) if isinstance(part, dict) else part
        whole = both(whole, _whole(plain, defs) if isinstance(plain, dict) else plain)
    return whole


def _alternatives(schema: Schema) -> list[Schema]:
    """Each way a schema can be met, with what all of them ask; none if it has no alternatives."""
    for keyword in ("anyOf", "oneOf"):
        if isinstance(branches := schema.get(keyword), list):
            rest = {key: value for key, value in schema.items() if key != keyword and not is_noise(key)}
            return [both(rest, branch) if rest else branch if isinstance(branch, dict) else {} for branch in branches]
    return []


def _by_type(schema: Schema) -> list[Schema]:
    types = schema.get("type")
    return [{**schema, "type": kind} for kind in types] if isinstance(types, list) and len(types) > 1 else []


def _values(schema: Schema) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    if isinstance(values, list):
        return values
    few: dict[str, list[Any]] = {"boolean": [False, True], "null": [None]}
    types = types_of(schema)
    return [value for kind in sorted(types) for value in few[kind]] if types <= few.keys() else None


def _types_words(old: Schema, new: Schema, lost: frozenset[str]) -> str:
    if "type" not in old:
        return f"only takes {_type_names(types_of(new))} now"
    if isinstance(old["type"], list) and types_of(old) & types_of(new):
        return f"no longer takes {_type_names(lost)}"
    return f"is {_type_names(types_of(new))} now (was {_type_names(types_of(old))})"


def _type_names(types: frozenset[str]) -> str:
    return " or ".join(sorted(types - {"integer"} if "number" in types else types))


def _listed(values: list[Any]) -> str:
    shown = ", ".join(map(_shown, values[:MOST_VALUES]))
    return f"{shown} and {len(values) - MOST_VALUES} more" if len(values) > MOST_VALUES else shown


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:59]}…"
