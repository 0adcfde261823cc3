"""Merging combinators away: the result accepts at least what the original accepts, and has one plain form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from toolc.ir import Schema
from toolc.schema import keywords, walk

COMBINATORS = ("$ref", "allOf", "anyOf", "oneOf")

# Keywords that mean something only together: on a clash one side's whole group stands.
_GROUPS = (
    frozenset({"prefixItems", "items"}),
    frozenset({"contains", "minContains", "maxContains"}),
    frozenset({"if", "then", "else"}),
)
_MOST_BRANCHES = 200

Lose = Callable[[str], None]


def resolve(schema: Schema, defs: Schema) -> Schema:
    """The definition that a `$ref` stands for; an empty schema where it leads nowhere."""
    name = walk.definition(schema.get("$ref"))
    target = defs.get(name) if name is not None else None
    return target if isinstance(target, dict) else {}


def conjoin(left: Schema, right: Schema, lose: Lose) -> Schema:
    """One schema that accepts at least what both accept; annotations of `left` win.

    lose: called with each keyword of `right` that could not be said as well.
    """
    result = dict(left)
    for keyword, value in right.items():
        group = next((group for group in _GROUPS if keyword in group), None)
        if keyword.startswith("unevaluated"):
            lose(keyword)
        elif group is not None:
            if group.isdisjoint(left):
                result[keyword] = value
            elif left.get(keyword) != value:
                lose(keyword)
        elif keyword not in left:
            result[keyword] = value
        elif left[keyword] != value and not keywords.is_noise(keyword):
            result[keyword] = _both(keyword, left[keyword], value, lose)
    return result


def _both(keyword: str, left: Any, right: Any, lose: Lose) -> Any:
    """What one keyword says when two schemas must hold; `left` where only one can be said."""
    both: Any = None
    if keyword in ("properties", "patternProperties", "dependentSchemas"):
        return {name: _meet(left, right, name, lose) for name in (*left, *(key for key in right if key not in left))}
    if keyword == "required":
        both = [*left, *(name for name in right if name not in left)]
    elif keyword == "type":
        both = _types(left, right)
    elif keyword == "enum":
        both = [value for value in left if any(same(value, other) for other in right)]
    elif keyword in keywords.LOWER_BOUNDS and _numbers(left, right):
        both = max(left, right)
    elif keyword in keywords.UPPER_BOUNDS and _numbers(left, right):
        both = min(left, right)
    elif keyword == "additionalProperties" and right is False:
        return False
    if both in (None, []):
        lose(keyword)
        return left
    return both


def _meet(left: Schema, right: Schema, name: str, lose: Lose) -> Schema | bool:
    first, second = left.get(name, True), right.get(name, True)
    if isinstance(first, dict) and isinstance(second, dict):
        return first if first == second else conjoin(first, second, lose)
    if first is False or second is False:
        return False
    return first if isinstance(first, dict) else second


def _types(left: Any, right: Any) -> Any:
    first, second = (value if isinstance(value, list) else [value] for value in (left, right))
    both = [kind for kind in first if kind in second or (kind == "integer" and "number" in second)]
    both += [kind for kind in second if kind == "integer" and "number" in first and kind not in both]
    return both[0] if len(both) == 1 else both


def _numbers(*values: Any) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal; `1` is `1.0` but not `true`."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return bool(left == right)


def unite(branches: Sequence[Schema]) -> Schema:
    """An object schema that accepts what any of these plain object schemas accepts.

    A property that some open branch leaves out may hold anything there, so only its text is carried.
    """
    names = dict.fromkeys(name for branch in branches for name in branch.get("properties", {}))
    result: Schema = {}
    if names:
        result["properties"] = {name: _any(branches, name) for name in names}
    required = [
        name
        for name in branches[0].get("required", [])
        if all(name in branch.get("required", []) for branch in branches)
    ]
    if required:
        result["required"] = required
    if all(map(_closed, branches)):
        result["additionalProperties"] = False
    return result


def _any(branches: Sequence[Schema], name: str) -> Schema:
    forms: list[Schema] = []
    anything = False
    for branch in branches:
        properties = branch.get("properties", {})
        form = properties.get(name)
        if isinstance(form, dict):
            if form not in forms:
                forms.append(form)
        elif name in properties:
            anything = anything or form is True
        else:
            anything = anything or not _closed(branch)
    if anything or not forms:
        return _text_of(forms)
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


def _text_of(forms: Iterable[Schema]) -> Schema:
    """A schema that accepts anything and says in words what it usually is."""
    said: dict[str, None] = {}
    for form in forms:
        if isinstance(text := form.get("description"), str) and text:
            said[text] = None
        elif isinstance(kind := form.get("type"), str):
            said[f"({kind})"] = None
    return {"description": " ".join(said)} if said else {}


def _closed(branch: Schema) -> bool:
    return branch.get("additionalProperties") is False and not branch.get("patternProperties")


def flatten(schema: Schema, defs: Schema, lose: Lose) -> Schema:
    """An object schema without combinators at its top that accepts at least every object the original accepts.

    lose: called with each keyword that does not hold any longer as it did.
    """
    return _flatten(schema, defs, lose, [_MOST_BRANCHES])


def _flatten(schema: Schema, defs: Schema, lose: Lose, room: list[int]) -> Schema:
    """room: how many branches may still be looked into, over the whole of one `flatten`."""
    result = {key: value for key, value in schema.items() if key not in COMBINATORS}
    if len(result) == len(schema):
        return schema
    room[0] -= 1
    if room[0] < 0:
        for keyword in schema.keys() - result.keys():
            lose(keyword)
        return result
    if "unevaluatedProperties" in result:
        del result["unevaluatedProperties"]
        lose("unevaluatedProperties")
    if "$ref" in schema:
        result = conjoin(result, _flatten(resolve(schema, defs), defs, lose, room), lose)
    for branch in _branches(schema, "allOf"):
        if branch.get("additionalProperties") is False:
            lose("allOf")
        result = conjoin(result, _flatten(branch, defs, lose, room), lose)
    for keyword in ("anyOf", "oneOf"):
        branches = [_flatten(branch, defs, _silent, room) for branch in _branches(schema, keyword)]
        if branches:
            lose(keyword)
            result = conjoin(result, unite(branches), lose)
    return result


def _branches(schema: Schema, keyword: str) -> list[Schema]:
    """The branches as dicts; `true` is an empty schema, `false` adds nothing to a choice."""
    value = schema.get(keyword)
    found = value if isinstance(value, list) else []
    return [branch if isinstance(branch, dict) else {} for branch in found if branch is not False]


def _silent(keyword: str) -> None:
    """What is lost inside a choice is lost with the choice."""
