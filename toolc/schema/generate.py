"""Makes calls out of a schema alone: valid ones that reach its corners, and ones that it must refuse.

Independent of the merge code on purpose: verify would prove nothing if both shared a mistake.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from toolc.ir import Arguments, Schema
from toolc.schema.formats import PLACEHOLDERS
from toolc.schema.pattern_samples import samples
from toolc.schema.validator import Validator
from toolc.schema.walk import definition

MOST_DEPTH = 6  # nesting below which only what is required is filled in
MOST_VALUES = 16  # values tried for one property, enums aside
LONGEST = 1024  # longest string made to reach a bound
# A text for each format of JSON Schema and OpenAPI that narrows what a text may be; a format is no constraint for our
# own validator, but servers and other validators may hold a caller to it.
FORMATS = {
    **PLACEHOLDERS,
    "iri-reference": "/path",
    "uri-template": "/path/{name}",
    "json-pointer": "/path/0",
    "relative-json-pointer": "0",
    "regex": "^a+$",
}
PROBES: tuple[Any, ...] = ({"toolc": {"probe": 1}}, "toolc probe", -7.25, True, None, [["toolc"]])


class Generator:
    """Makes values of schemas; remembers them by object, since readers share parameter schemas."""

    def __init__(self) -> None:
        self._values: dict[tuple[int, int], list[Any]] = {}
        self._keep: list[Any] = []  # what ids stand for, so that they stay theirs
        self._wrong: dict[int, list[Any]] = {}

    def valid_calls(self, schema: Schema) -> Iterator[Arguments]:
        """Calls meant to be valid: the required alone, halves of the optionals, then rounds through all values.

        In round n every property takes its n-th value, so the number of calls is that of the property with the most
        values, not the sum. Root constraints may still refuse one; the caller checks.
        """
        defs = schema.get("$defs", {})
        for variant in _root_variants(schema, defs):
            yield from self._calls(variant, defs)

    def _calls(self, schema: Schema, defs: Schema) -> Iterator[Arguments]:
        required = set(schema.get("required", ()))
        # What is required without being declared is what any other key may be.
        undeclared = dict.fromkeys(sorted(required), schema.get("additionalProperties", True))
        values = {
            name: found
            for name, inner in {**undeclared, **schema.get("properties", {})}.items()
            if (found := self.values(inner, defs)) or name in required
        }
        if any(not found for found in values.values()):
            return
        yield {name: found[0] for name, found in values.items() if name in required}
        optional = [name for name in values if name not in required]
        for half in (0, 1):
            chosen = required | set(optional[half::2])
            if len(optional) > 1:
                yield {name: found[-1] for name, found in values.items() if name in chosen}
        for turn in range(max(map(len, values.values()), default=0)):
            yield {name: found[turn % len(found)] for name, found in values.items()}

    def values(self, schema: Schema | bool, defs: Schema, depth: int = 0) -> list[Any]:
        """Values meant to be valid, the plainest first; empty if none could be made."""
        if isinstance(schema, bool):
            return ["x", 1, {"k": None}] if schema else []
        key = (id(schema), depth)
        if key not in self._values:
            self._values[key] = []  # a schema that needs itself has no finite value
            self._keep.append(schema)
            self._values[key] = list(self._make(schema, defs, depth))
        return self._values[key]

    def _make(self, schema: Schema, defs: Schema, depth: int) -> Iterator[Any]:
        if "const" in schema:
            yield schema["const"]
            return
        if isinstance(schema.get("enum"), list):
            yield from schema["enum"]
            return
        if depth > MOST_DEPTH * 2:
            return
        if (name := definition(schema.get("$ref"))) is not None:
            if isinstance(target := defs.get(name), dict):
                rest = {key: value for key, value in schema.items() if key != "$ref"}
                merged = _combined([target, rest], defs) if rest.keys() - {"description", "title"} else target
                yield from self.values(merged, defs, depth + 1)
            return
        for keyword in ("anyOf", "oneOf"):
            if isinstance(branches := schema.get(keyword), list):
                rest = {key: value for key, value in schema.items() if key != keyword}
                for branch in branches:
                    yield from self.values(_combined([rest, branch], defs), defs, depth + 1)[:MOST_VALUES]
                return
        if isinstance(parts := schema.get("allOf"), list):
            rest = {key: value for key, value in schema.items() if key != "allOf"}
            yield from self.values(_combined([rest, *parts], defs), defs, depth + 1)
            return
        types = schema.get("type", _guess(schema))
        for kind in [types] if isinstance(types, str) else types:
            yield from _distinct(self._of_type(kind, schema, defs, depth))

    def _of_type(self, kind: str, schema: Schema, defs: Schema, depth: int) -> Iterator[Any]:
        if kind == "string":
            yield from _strings(schema)
        elif kind in ("integer", "number"):
            yield from _numbers(schema, kind)
        elif kind == "boolean":
            yield from (True, False)
        elif kind == "null":
            yield None
        elif kind == "array":
            yield from self._arrays(schema, defs, depth)
        elif kind == "object":
            yield from self._objects(schema, defs, depth)

    def _arrays(self, schema: Schema, defs: Schema, depth: int) -> Iterator[Any]:
        least, most = schema.get("minItems", 0), schema.get("maxItems")
        prefix = schema.get("prefixItems", [])
        head = [values[0] for item in prefix if (values := self.values(item, defs, depth + 1))]
        if len(head) < len(prefix):
            return
        items = self.values(schema.get("items", True), defs, depth + 1)
        if least == 0:
            yield []
        if not items and not head:
            return
        for count in sorted({max(least, 1), min(most if most is not None else len(items), max(least, 20))}):
            rest = [items[index % len(items)] for index in range(count - len(head))] if items else []
            if schema.get("uniqueItems"):
                rest = list(_distinct(rest))
            if least <= len(head) + len(rest):
                yield head + rest
        for item in items[1:MOST_VALUES]:
            if least <= 1 and not head:
                yield [item]

    def _objects(self, schema: Schema, defs: Schema, depth: int) -> Iterator[Any]:
        required = set(schema.get("required", ()))
        properties: Mapping[str, Any] = schema.get("properties", {})
        extra = schema.get("additionalProperties", True)
        least: dict[str, Any] = {}
        for name in sorted(required):
            found = self.values(properties.get(name, extra), defs, depth + 1)
            if not found:
                return
            least[name] = found[0]
        yield least
        if depth > MOST_DEPTH:
            return
        values = {name: found for name, inner in properties.items() if (found := self.values(inner, defs, depth + 1))}
        for turn in range(min(MOST_VALUES, max(map(len, values.values()), default=0))):
            yield {**least, **{name: found[turn % len(found)] for name, found in values.items()}}
        if isinstance(extra, dict) and (found := self.values(extra, defs, depth + 1)):
            yield {**least, "extra_key": found[0]}
        if not properties and extra is True:
            yield {**least, "k": "v"}

    def invalid_calls(self, schema: Schema, valid: Arguments) -> Iterator[Arguments]:
        """Calls meant to be refused: one thing in a valid call is missing, of a wrong type or out of bounds."""
        defs = schema.get("$defs", {})
        for name in schema.get("required", ()):
            yield {key: value for key, value in valid.items() if key != name}
        for name, inner in schema.get("properties", {}).items():
            for value in self._wrong_values(inner, defs):
                yield {**valid, name: value}

    def _wrong_values(self, schema: Schema | bool, defs: Schema) -> list[Any]:
        """Values out of bounds, one that is wrong only inside, and one of a wrong type."""
        key = id(schema)
        if key not in self._wrong:
            self._keep.append(schema)
            self._wrong[key] = []
            if isinstance(schema, dict):
                accepts = Validator({**schema, "$defs": defs} if defs else schema).accepts
                probe = next((value for value in PROBES if value is not None and not accepts(value)), None)
                inside = (_broken_inside(value) for value in reversed(self.values(schema, defs)))
                good = self.values(schema, defs)[:2]
                alike = (other for value in good for other in (*_incomplete(value), *_look_alikes(value)))
                found = [value for value in (*_out_of_bounds(schema), *alike) if not accepts(value)]
                found += [next((value for value in inside if value is not None and not accepts(value)), probe)]
                self._wrong[key] = list(_distinct(value for value in [*found, probe] if value is not None))
        return self._wrong[key]


def _root_variants(schema: Schema, defs: Schema) -> Iterator[Schema]:
    """The schema without alternatives at its root: one variant an alternative."""
    if isinstance(parts := schema.get("allOf"), list):
        rest = {key: value for key, value in schema.items() if key != "allOf"}
        yield from _root_variants(_combined([rest, *parts], defs), defs)
        return
    for keyword in ("anyOf", "oneOf"):
        if isinstance(branches := schema.get(keyword), list):
            rest = {key: value for key, value in schema.items() if key != keyword}
            for branch in branches[:MOST_VALUES]:
                yield from _root_variants(_combined([rest, branch], defs), defs)
            return
    yield schema


def _combined(parts: list[Any], defs: Schema) -> Schema:
    """Roughly what all parts accept; good enough to make candidates from."""
    result: Schema = {}
    for part in parts:
        if not isinstance(part, dict):
            continue
        name = definition(part.get("$ref"))
        if name is not None and isinstance(defs.get(name), dict):
            part = {**defs[name], **{key: value for key, value in part.items() if key != "$ref"}}
        for key, value in part.items():
            if key == "properties" and isinstance(result.get(key), dict):
                merged = dict(result[key])
                for name_, inner in value.items():
                    merged[name_] = {**merged[name_], **inner} if _dicts(merged.get(name_), inner) else inner
                result[key] = merged
            elif key == "required" and key in result:
                result[key] = [*result[key], *(name_ for name_ in value if name_ not in result[key])]
            elif key == "allOf" and key in result:
                result[key] = [*result[key], *value]
            else:
                result[key] = value
    return result


def _dicts(*values: Any) -> bool:
    return all(isinstance(value, dict) for value in values)


def _guess(schema: Schema) -> list[str]:
    """The types that untyped keywords speak of."""
    if schema.keys() & {"properties", "required", "additionalProperties", "minProperties"}:
        return ["object"]
    if schema.keys() & {"items", "prefixItems", "minItems", "maxItems"}:
        return ["array"]
    if schema.keys() & {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}:
        return ["number"]
    if schema.keys() & {"pattern", "minLength", "maxLength", "format"}:
        return ["string"]
    return ["string", "integer", "object"]


def _strings(schema: Schema) -> Iterator[str]:
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if isinstance(pattern := schema.get("pattern"), str):
        for text in samples(pattern):
            if len(text) >= least and (most is None or len(text) <= most):
                yield text
        return
    formatted = FORMATS.get(str(schema.get("format", "")))
    if formatted is not None and least <= len(formatted) and (most is None or len(formatted) <= most):
        yield formatted
        return
    usual = max(least, 1) if most is None else min(max(least, 1), most)
    yield "a" * usual
    if least == 0:
        yield ""
    if most is not None and usual < most <= LONGEST:
        yield "z" * most
    if most is None or most >= max(least, 5):
        yield " É\n" + "x" * max(least - 4, 1) + " "


def _numbers(schema: Schema, kind: str) -> Iterator[int | float]:
    step = schema.get("multipleOf") or (1 if kind == "integer" else 0)
    low, high = schema.get("minimum"), schema.get("maximum")
    if isinstance(above := schema.get("exclusiveMinimum"), int | float):
        low = above + (step or 0.5)
    if isinstance(below := schema.get("exclusiveMaximum"), int | float):
        high = below - (step or 0.5)
    if step and step != 1:
        low = low if low is None else -(-low // step) * step
        high = high if high is None else high // step * step
    candidates = [low, high, 1, 0, -1, 2 if step == 1 else step * 3 if step else 2.5]
    for value in candidates:
        if value is not None and (low is None or value >= low) and (high is None or value <= high):
            yield int(value) if kind == "integer" else value


def _out_of_bounds(schema: Schema) -> Iterator[Any]:
    if isinstance(low := schema.get("minimum"), int | float):
        yield low - 1
    if isinstance(high := schema.get("maximum"), int | float):
        yield high + 1
    if isinstance(above := schema.get("exclusiveMinimum"), int | float):
        yield above
    if isinstance(below := schema.get("exclusiveMaximum"), int | float):
        yield below
    if isinstance(least := schema.get("minLength"), int) and least > 0:
        yield "a" * (least - 1)
    if isinstance(most := schema.get("maxLength"), int) and most <= LONGEST:
        yield "a" * (most + 1)
    if isinstance(schema.get("enum"), list) or "const" in schema or "pattern" in schema:
        yield "\x00 toolc"
    if isinstance(most := schema.get("maxItems"), int) and most <= LONGEST:
        # alike, and each another one, since `uniqueItems` may forbid the first for its own reason
        yield from (["a"] * (most + 1), [f"a{number}" for number in range(most + 1)], list(range(most + 1)))
    if isinstance(least := schema.get("minItems"), int) and least > 0:
        yield []
    if schema.get("uniqueItems"):
        yield ["a", "a"]


def _broken_inside(value: Any) -> Any:
    """A nested value with one part of a wrong kind, to see that constraints below the first level are kept."""
    if isinstance(value, dict) and value:
        name = sorted(value)[-1]
        return {**value, name: {"toolc": ["probe"]} if not isinstance(value[name], dict) else "toolc probe"}
    if isinstance(value, list) and value:
        return [*value[:-1], {"toolc": ["probe"]} if not isinstance(value[-1], dict) else "toolc probe"]
    return None


def _incomplete(value: Any) -> Iterator[Any]:
    """An object without each of its properties in turn; the same for the first object in a list."""
    if isinstance(value, dict):
        yield from ({key: item for key, item in value.items() if key != name} for name in sorted(value))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        yield from ([less, *value[1:]] for less in _incomplete(value[0]))


def _look_alikes(value: Any) -> Iterator[Any]:
    """What is not the value, though a kind reader might take it for that: its text, a list of it, its only item."""
    if value is not None and not isinstance(value, str):
        yield json.dumps(value)
    if isinstance(value, list) and len(value) == 1:
        yield value[0]
    elif not isinstance(value, list):
        yield [value]


def _distinct(values: Any) -> Iterator[Any]:
    seen = set()
    for value in values:
        key = json.dumps(value, sort_keys=True)
        if key not in seen:
            seen.add(key)
            yield value
