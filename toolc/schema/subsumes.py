"""Whether one schema accepts everything that another accepts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import ceil, floor
from typing import Any, Literal

from toolc.ir import Schema
from toolc.schema.identity import same
from toolc.schema.keywords import APPLIES_TO, LOWER_BOUNDS, TYPES, UPPER_BOUNDS, is_noise
from toolc.schema.validator import Validator
from toolc.schema.walk import definition

Answer = Literal["yes", "no", "unknown"]

# Compared only for equality: what they mean together is beyond a simple rule.
OPAQUE = (
    "pattern",
    "format",
    "multipleOf",
    "contains",
    "minContains",
    "maxContains",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
    "prefixItems",
    "patternProperties",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "$dynamicRef",
)


def subsumes(
    general: Schema | bool,
    specific: Schema | bool,
    general_defs: Mapping[str, Any] | None = None,
    specific_defs: Mapping[str, Any] | None = None,
) -> Answer:
    """`yes` if every instance valid for `specific` is valid for `general`; `unknown` where it cannot be told.

    `format` counts as a constraint, so a schema without a format is more general than one with it.
    """
    return _Comparison(dict(general_defs or {}), dict(specific_defs or {})).ask(general, specific)


class _Comparison:
    """One question, with the definitions of both sides and what is known of pairs of schemas already asked about.

    A pair met again while it is being compared is assumed to fit, as no counterexample was found on the way round.
    Where it turns out not to, whatever was concluded since is forgotten, since it may rest on that; a pair that does
    not fit, however much is assumed, stays so.
    """

    def __init__(self, general_defs: Schema, specific_defs: Schema, opposite: _Comparison | None = None) -> None:
        self.general_defs = general_defs
        self.specific_defs = specific_defs
        # both hold the objects too, so that no other gets their ids
        self.assumed: dict[tuple[int, int, int], tuple[object, object]] = opposite.assumed if opposite else {}
        self.refused: dict[tuple[int, int], tuple[Answer, object, object]] = {}
        self._opposite = opposite

    @property
    def opposite(self) -> _Comparison:
        """The same question the other way round, made when it is first asked."""
        self._opposite = self._opposite or _Comparison(self.specific_defs, self.general_defs, self)
        return self._opposite

    def ask(self, general: Schema | bool, specific: Schema | bool) -> Answer:
        if general is True or specific is False or general == {}:
            return "yes"
        if specific is True:
            specific = {}
        if general is False:
            return "no"
        if isinstance(general, bool) or isinstance(specific, bool):
            return "unknown"
        if same(general, specific, self.general_defs, self.specific_defs):
            return "yes"
        pair = (id(general), id(specific))
        if pair in self.refused:
            return self.refused[pair][0]
        if (id(self), *pair) in self.assumed:
            return "yes"
        before = len(self.assumed)
        self.assumed[id(self), *pair] = (general, specific)
        answer = self._compare(inline(general, self.general_defs), inline(specific, self.specific_defs))
        if answer != "yes":
            while len(self.assumed) > before:
                self.assumed.popitem()
            self.refused[pair] = (answer, general, specific)
        return answer

    def _compare(self, general: Schema | None, specific: Schema | None) -> Answer:
        if general is None or specific is None:
            return "unknown"
        values = [specific["const"]] if "const" in specific else specific.get("enum")
        if values is None and specific.get("type") in ("null", ["null"]):
            values = [None]
        if isinstance(values, list):
            return self._accepts_all(general, values)
        if (answer := self._branch_by_branch(general, specific)) == "yes":
            return answer
        for keyword in ("anyOf", "oneOf"):
            if isinstance(branches := specific.get(keyword), list):
                rest = {key: value for key, value in specific.items() if key != keyword}
                answers = [self.ask(general, both(rest, branch)) for branch in branches]
                return _all(answers) if _all(answers) != "no" else "unknown"
        if isinstance(specific.get("allOf"), list):
            whole: Schema = {}
            for part in self._parts(specific):
                whole = both(whole, part)
            return self.ask(general, whole) if whole.get("allOf") is None else "unknown"
        if isinstance(parts := general.get("allOf"), list):
            rest = {key: value for key, value in general.items() if key != "allOf"}
            return _all([self.ask(rest, specific), *(self.ask(part, specific) for part in parts)])
        types = specific.get("type")
        if isinstance(types, list) and len(types) > 1 and ("anyOf" in general or "oneOf" in general):
            fits = all(self.ask(general, {**specific, "type": each}) == "yes" for each in types)
            return "yes" if fits else "unknown"
        for keyword in ("anyOf", "oneOf"):
            if isinstance(branches := general.get(keyword), list):
                rest = {key: value for key, value in general.items() if key != keyword}
                return _all([self.ask(rest, specific), self._one_of(branches, specific, keyword)])
        return self._keywords(general, specific)

    def _parts(self, schema: Schema) -> Iterator[Any]:
        """What an instance has to satisfy together: the schema without its `allOf`, then the parts of that, flat."""
        yield {key: value for key, value in schema.items() if key != "allOf"}
        for part in schema["allOf"]:
            inner = inline(part, self.specific_defs) if isinstance(part, dict) else part
            if isinstance(inner, dict) and isinstance(inner.get("allOf"), list):
                yield from self._parts(inner)
            else:
                yield inner

    def _branch_by_branch(self, general: Schema, specific: Schema) -> Answer:
        """Alternatives written alike on both sides: equivalent one by one, and the rest fits."""
        for keyword in ("anyOf", "oneOf", "allOf"):
            ours, theirs = general.get(keyword), specific.get(keyword)
            if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
                pairs = list(zip(ours, theirs, strict=True))
                if any(
                    self.ask(a, b) != "yes" or (keyword == "oneOf" and self.opposite.ask(b, a) != "yes")
                    for a, b in pairs
                ):
                    continue
                rest = [{key: value for key, value in side.items() if key != keyword} for side in (general, specific)]
                if self.ask(rest[0], rest[1]) == "yes":
                    return "yes"
        return "unknown"

    def _one_of(self, branches: list[Any], specific: Schema, keyword: str) -> Answer:
        fitting = [branch for branch in branches if self.ask(branch, specific) == "yes"]
        if keyword == "anyOf":
            return "yes" if fitting else "unknown"
        # oneOf wants exactly one: the others must refuse, which only disjoint types show simply
        others = [branch for branch in branches if branch not in fitting]
        types = types_of(specific)
        disjoint = all(isinstance(b, dict) and not types & types_of(inline(b, self.general_defs) or {}) for b in others)
        return "yes" if len(fitting) == 1 and disjoint else "unknown"

    def _accepts_all(self, general: Schema, values: list[Any]) -> Answer:
        try:
            validator = Validator({**general, "$defs": self.general_defs} if self.general_defs else general)
        except ValueError:
            return "unknown"
        return "yes" if all(map(validator.accepts, values)) else "no"

    def _keywords(self, general: Schema, specific: Schema) -> Answer:
        known = {"type", "items", "properties", "required", "additionalProperties", "uniqueItems", "$defs"}
        answers: list[Answer] = []
        types = types_of(specific)
        if not types <= types_of(general):
            return "no"
        for keyword, value in general.items():
            if is_noise(keyword) or keyword in known or types.isdisjoint(APPLIES_TO.get(keyword, TYPES)):
                continue
            if keyword in LOWER_BOUNDS or keyword in UPPER_BOUNDS:
                answers.append(fits_bound(keyword, value, specific))
            elif keyword in ("enum", "const"):
                answers.append("no")
            elif keyword in OPAQUE and same(
                {keyword: value}, {keyword: specific.get(keyword)}, self.general_defs, self.specific_defs
            ):
                continue
            else:
                answers.append("unknown")
        if "array" in types and general.get("uniqueItems") and not specific.get("uniqueItems"):
            answers.append("no")
        if "array" in types and "items" in general:
            answers.append(self.ask(general["items"], specific.get("items", True)))
        if "object" in types:
            answers.extend(self._objects(general, specific))
        return _all(answers)

    def _objects(self, general: Schema, specific: Schema) -> Iterable[Answer]:
        if not set(general.get("required", ())) <= set(specific.get("required", ())):
            yield "no"
        theirs: Mapping[str, Any] = specific.get("properties", {})
        ours: Mapping[str, Any] = general.get("properties", {})
        rest = general.get("additionalProperties", True)
        free = specific.get("additionalProperties", "patternProperties" not in specific or True)
        for name, schema in theirs.items():
            yield self.ask(ours.get(name, rest), schema)
        for name, schema in ours.items():
            if name not in theirs:
                yield self.ask(schema, free)
        if rest is not True:
            yield self.ask(rest, free)


def inline(schema: Schema, defs: Schema) -> Schema | None:
    """The schema with a `$ref` at its root replaced by what it stands for; None if that cannot be done."""
    for _ in range(len(defs) + 1):
        if "$ref" not in schema:
            return schema
        name = definition(schema["$ref"])
        target = defs.get(name) if name is not None else None
        if target is True:
            target = {}
        if not isinstance(target, dict):
            return None
        rest = {key: value for key, value in schema.items() if key != "$ref" and not is_noise(key)}
        schema = both(rest, target) if rest else target
    return None


def both(one: Schema, other: Any) -> Schema:
    """A schema for what both accept: a plain union of keywords where none clash, else an allOf."""
    if other is True:
        return one
    if not isinstance(other, dict):
        return {**one, "allOf": [other]}
    clashing = [key for key in other if key in one and not is_noise(key) and one[key] != other[key]]
    if not clashing:
        return {**one, **other}
    if set(clashing) <= {"properties", "required"}:
        properties = dict(one.get("properties", {}))
        for name, schema in other.get("properties", {}).items():
            if name in properties and properties[name] != schema:
                return {**one, "allOf": [*one.get("allOf", []), other]}
            properties[name] = schema
        required = sorted({*one.get("required", ()), *other.get("required", ())})
        return {**one, **other, "properties": properties, "required": required}
    return {**one, "allOf": [*one.get("allOf", []), other]}


def types_of(schema: Schema) -> frozenset[str]:
    """The types that the keyword `type` of a schema leaves; a number may be an integer."""
    types = schema.get("type")
    if types is None:
        return TYPES
    found = frozenset([types] if isinstance(types, str) else types)
    return found | {"integer"} if "number" in found else found


def fits_bound(keyword: str, value: Any, specific: Schema) -> Answer:
    """Whether a bound refuses nothing that the bounds of another schema let through."""
    if types_of(specific) == {"integer"}:
        keyword, value = _inclusive(keyword, value)
        plain = [_inclusive(key, bound) for key, bound in specific.items() if key in (*LOWER_BOUNDS, *UPPER_BOUNDS)]
        specific = {key: (max if key in LOWER_BOUNDS else min)(b for k, b in plain if k == key) for key, _ in plain}
    partner = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}.get(keyword)
    theirs = [specific[key] for key in (keyword, partner) if key in specific]
    inner = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}.get(keyword)
    if not theirs and inner in specific:
        inside = specific[inner] > value if inner == "minimum" else specific[inner] < value
        return "yes" if inside else "no"
    if not theirs:
        return "yes" if keyword in ("minLength", "minItems", "minProperties") and value == 0 else "no"
    if keyword in LOWER_BOUNDS:
        return "yes" if max(theirs) >= value else "no"
    return "yes" if min(theirs) <= value else "no"


def _inclusive(keyword: str, value: Any) -> tuple[str, Any]:
    """The bound that means the same of integers: above 0 is from 1 on."""
    if keyword == "exclusiveMinimum":
        return "minimum", floor(value) + 1
    return ("maximum", ceil(value) - 1) if keyword == "exclusiveMaximum" else (keyword, value)


def _all(answers: Iterable[Answer]) -> Answer:
    found = set(answers)
    return "no" if "no" in found else "unknown" if "unknown" in found else "yes"
