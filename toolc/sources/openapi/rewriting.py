"""One schema rewritten: references to local `$defs`, without what only the other direction uses."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from toolc.ir import Schema
from toolc.schema import upgrade
from toolc.sources.openapi import kinds
from toolc.sources.openapi.findings import Problem, Weight
from toolc.sources.openapi.places import Part, Place
from toolc.sources.openapi.references import DanglingError

if TYPE_CHECKING:
    from toolc.sources.openapi.schemas import Schemas

# Levels of schemas inside schemas; the deepest public description known has 34.
DEEPEST = 100
_ANNOTATIONS = frozenset(
    {"description", "title", "summary", "default", "example", "examples", "deprecated", "readOnly", "writeOnly"}
    | {"nullable", "x-nullable", "$comment", "externalDocs"}
)
# What makes a schema stand for several kinds; without it, it is the part that they share.
_KINDS = ("oneOf", "anyOf", "discriminator")
_IN_PLACE = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"})
# Keywords that only name a place for references; every reference is rewritten, so they are not needed.
_ANCHORS = frozenset({"$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$defs", "definitions", "$vocabulary"})


class Rewriting:
    """The rewriting of one schema: references found, problems met."""

    __slots__ = ("_places", "has_patterns", "in_place", "place", "problems", "refs", "schemas")

    def __init__(self, schemas: Schemas, place: Place) -> None:
        self.schemas = schemas
        self.place = place
        self.refs: set[str] = set()
        self.in_place: set[str] = set()
        self.problems: list[Problem] = []
        self.has_patterns = False
        self._places: dict[int, Place] | None = None

    def rewrite(self, schema: Any, part: Part, depth: int, here: bool, hidden: frozenset[str] = frozenset()) -> Any:
        """The schema with references to `$defs`, without what the other direction alone uses.

        here: whether it applies to the same value as the schema the run began with. hidden: properties of the
        surrounding allOf that are left out.
        """
        if not isinstance(schema, dict):
            return schema
        if depth > DEEPEST:
            self._add("too-deep", f"schemas are nested deeper than {DEEPEST} levels", schema, "lost")
            return {}
        if "$id" in schema:
            part = self.schemas.references.resource(schema, part)
        if "allOf" in schema:
            hidden = hidden | self.schemas.direction.left_out(schema, part)
        result: Schema = {}
        for keyword, value in schema.items():
            if keyword in upgrade.ONE:
                inside = here and keyword in _IN_PLACE
                result[keyword] = (
                    [self.rewrite(item, part, depth + 1, False) for item in value]
                    if isinstance(value, list)
                    else self.rewrite(value, part, depth + 1, inside)
                )
            elif keyword == "properties" and isinstance(value, dict):
                kept = {
                    str(name): item for name, item in value.items() if not self.schemas.direction.leaves_out(item, part)
                }
                if len(kept) < len(value):
                    hidden = hidden | (value.keys() - kept.keys())
                result[keyword] = {name: self.rewrite(item, part, depth + 1, False) for name, item in kept.items()}
            elif keyword in upgrade.MANY and isinstance(value, list):
                below = hidden if keyword == "allOf" else frozenset()
                inside = here and keyword != "prefixItems"
                result[keyword] = [self._member(keyword, item, part, depth + 1, inside, below) for item in value]
            elif keyword in upgrade.NAMED and isinstance(value, dict):
                if keyword not in _ANCHORS:
                    self.has_patterns = self.has_patterns or keyword == "patternProperties"
                    inside = here and keyword == "dependentSchemas"
                    result[keyword] = {
                        str(name): self.rewrite(item, part, depth + 1, inside) for name, item in value.items()
                    }
            elif keyword == "dependencies" and isinstance(value, dict):
                result[keyword] = {name: self.rewrite(item, part, depth + 1, here) for name, item in value.items()}
            elif keyword not in _ANCHORS:
                result[keyword] = value
                self.has_patterns = self.has_patterns or keyword == "pattern"
        if hidden and isinstance(required := schema.get("required"), list):
            result["required"] = [name for name in required if not isinstance(name, str) or name not in hidden]
            if not result["required"]:
                del result["required"]
        if "$ref" in schema or "$dynamicRef" in schema or "$recursiveRef" in schema:
            result = self._reference(schema, result, part, here)
        if "discriminator" in schema:
            self._discriminator(schema, result, part)
        return result

    def _member(self, keyword: str, item: Any, part: Part, depth: int, here: bool, hidden: frozenset[str]) -> Any:
        """One branch of a combinator.

        A child that takes its parent in by allOf, where the parent lists the child among its kinds, means the parent's
        own properties; taken literally the two would refer to each other for ever.
        """
        if here and keyword == "allOf" and isinstance(item, dict) and isinstance(reference := item.get("$ref"), str):
            with suppress(DanglingError):
                parent = self.schemas.references.resolve(reference, part)
                own = self._without_own_kind(parent)
                if own is not parent.value:
                    return self.rewrite(own, parent.part, depth, here, hidden)
        return self.rewrite(item, part, depth, here, hidden)

    def _without_own_kind(self, parent: Place) -> Any:
        """A parent without its kinds, where the schema of this run is one; a part of its allOf may list them."""
        value = parent.value
        if not isinstance(value, dict):
            return value
        own = {key: item for key, item in value.items() if key not in _KINDS} if self._is_kind_of(parent) else value
        if isinstance(parts := value.get("allOf"), list):
            inner = [
                part if isinstance(part, dict) and "$ref" in part else self._without_own_kind(parent.at("allOf", index))
                for index, part in enumerate(parts)
            ]
            if any(new is not old for new, old in zip(inner, parts, strict=True)):
                own = {**own, "allOf": inner}
        return own

    def _is_kind_of(self, parent: Place) -> bool:
        """Whether the schema of this run is one of the kinds that a parent lists."""
        kinds = self.schemas.kinds.of(parent)
        for keyword in ("oneOf", "anyOf"):
            for index, branch in enumerate(parent.value.get(keyword) or ()):
                if isinstance(branch, dict) and isinstance(branch.get("$ref"), str):
                    with suppress(DanglingError):
                        kinds.append(self.schemas.references.follow(parent.at(keyword, index)))
        return any(kind.value is self.place.value for kind in kinds)

    def _reference(self, schema: Schema, result: Schema, part: Part, here: bool) -> Schema:
        """The reference as one to `$defs`; an alias of an alias points straight at the end of the chain."""
        keyword = next(key for key in ("$ref", "$dynamicRef", "$recursiveRef") if key in schema)
        for key in ("$ref", "$dynamicRef", "$recursiveRef"):
            result.pop(key, None)
        if not isinstance(schema[keyword], str):
            self._add("unresolved-ref", f"`{keyword}` has to be a string", schema, "lost", keyword)
            return result
        try:
            target = self.schemas.references.resolve(schema[keyword], part)
            if target.value is part.data and ("openapi" in part.data or "swagger" in part.data):
                target = self._where(schema).whole_schema(recursive=keyword == "$recursiveRef")
            target = self.schemas.references.end_of_aliases(target)
        except DanglingError as error:
            self._add(error.rule, error.message, schema, "lost", keyword, error.help)
            return result
        if not isinstance(target.value, dict | bool):
            self._add("unresolved-ref", f"`{schema[keyword]}` points at no schema", schema, "lost", keyword)
            return result
        if keyword == "$dynamicRef" and schema[keyword].partition("#")[2] in self.schemas.references.ambiguous:
            text = (
                f"`{schema[keyword]}` means another schema by where it is reached from; the first of its name is used"
            )
            self._add("ambiguous-ref", text, schema, "repaired", keyword)
        name = self.schemas.name(target)
        self.refs.add(name)
        if here:
            self.in_place.add(name)
        if self.schemas.dialect(part) != "2020-12":
            ignored = [key for key in result if key not in _ANNOTATIONS and not key.startswith("x-")]
            if ignored:
                text = (
                    f"{', '.join(f'`{key}`' for key in ignored)} beside `$ref` has no effect in this version of OpenAPI"
                )
                advice = "To have both hold, put the reference and the rest under `allOf`."
                self._add("ignored-ref-sibling", text, schema, "note", help=advice)
                result = {key: value for key, value in result.items() if key not in ignored}
        return {"$ref": f"#/$defs/{name}", **result}

    def _discriminator(self, schema: Schema, result: Schema, part: Part) -> None:
        """Keep a discriminator with its mapping pointing at `$defs`, and list the kinds that extend the schema."""
        given = schema["discriminator"]
        broken: list[str] = []
        pointed: dict[str, str] = {}
        for reference in kinds.named(given):
            try:
                target = self.schemas.references.resolve(reference, part)
            except DanglingError:
                broken.append(reference)
                continue
            name = self.schemas.name(target)
            self.refs.add(name)
            pointed[reference] = f"#/$defs/{name}"
        new = {value: pointed[reference] for value, reference in kinds.mapping(given).items() if reference in pointed}
        if broken:
            shown = list(dict.fromkeys(broken))
            more = f" and {len(shown) - 3} more" if len(shown) > 3 else ""
            text = f"the mapping of this discriminator points at nothing with {', '.join(shown[:3])}{more}"
            place = given["mapping"] if isinstance(given.get("mapping"), dict) else given
            self._add("unresolved-ref", text, place, "repaired", help="Correct it, or leave it out.")
        property_name = given.get("propertyName") if isinstance(given, dict) else given
        result["discriminator"] = {"propertyName": property_name, **({"mapping": new} if new else {})}
        if (reference := kinds.default(given)) in pointed:
            result["discriminator"]["defaultMapping"] = pointed[reference]
        found = self.schemas.kinds.of(Place(schema, part, ""))
        if not found:
            return
        names = [self.schemas.name(kind) for kind in found]
        self.refs.update(names)
        self.in_place.update(names)
        result["anyOf"] = [{"$ref": f"#/$defs/{name}"} for name in dict.fromkeys(names)]
        if not new:
            result["anyOf"].append({})  # nothing says that these are all

    def _add(
        self,
        rule: str,
        message: str,
        node: Any,
        weight: Weight,
        key: str = "",
        help: str = "",
    ) -> None:
        where = self._where(node)
        self.problems.append(Problem(rule, message, (where.at(key) if key else where).origin, weight, help))

    def _where(self, node: Any) -> Place:
        """Where something in the schema of this run stands."""
        if self._places is None:
            self._places = self.place.inside()
        return self._places.get(id(node), self.place)
