"""Schemas of a description as draft 2020-12 with local `$defs`, each converted once and shared by all operations."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from toolc.diagnostics import Diagnostic, Report
from toolc.ir import Origin, Schema, unescape
from toolc.schema import flatten, patterns, upgrade
from toolc.sources.openapi import names
from toolc.sources.openapi.directions import Direction
from toolc.sources.openapi.findings import Problem
from toolc.sources.openapi.kinds import Kinds
from toolc.sources.openapi.places import Part, Place
from toolc.sources.openapi.references import References
from toolc.sources.openapi.rewriting import Rewriting

_STRUCTURE = frozenset(
    upgrade.ONE
    | upgrade.MANY
    | upgrade.NAMED
    | {"schema", "schemas", "content", "responses", "requestBody", "parameters", "components", "paths", "headers"}
    | {"get", "put", "post", "delete", "patch", "head", "options", "trace", "query"}
)


@dataclass(frozen=True, slots=True)
class Converted:
    """A schema, the definitions it refers to directly, and what is wrong in it."""

    schema: Schema
    refs: frozenset[str] = frozenset()
    problems: tuple[Problem, ...] = ()


class Schemas:
    """Converts the schemas of one direction; holds the definitions they share.

    keyword: marks what the direction leaves out, `readOnly` or `writeOnly`.
    """

    def __init__(self, references: References, keyword: str) -> None:
        self.references = references
        self.kinds = Kinds(references)
        self.defs: dict[str, Schema] = {}
        self.direction = Direction(references, keyword)
        self._names: dict[tuple[str, str], str] = {}
        self._places: dict[str, Place] = {}
        self._converted: dict[str, Converted] = {}
        self._in_place: dict[str, frozenset[str]] = {}
        self._pending: list[str] = []
        self._closures: dict[frozenset[str], tuple[tuple[str, ...], tuple[Problem, ...]]] = {}
        root = references.root.data
        self._dialect = dialect(root, "2020-12")
        schemas = Place(root, references.root, "").at("components").items("schemas")
        self._reserved = {name for name, _ in schemas}

    def convert(self, place: Place) -> Converted:
        """The schema at a place; everything it refers to is in `defs` afterwards."""
        converted, _ = self._run(place)
        new: list[str] = []
        while self._pending:
            name = self._pending.pop()
            new.append(name)
            result, in_place = self._run(self._places[name])
            self._converted[name] = result
            self._in_place[name] = in_place
            self.defs[name] = result.schema
        self._refuse_loops(new)
        return converted

    def place(self, name: str) -> Place | None:
        """Where a definition came from."""
        return self._places.get(name)

    def closure(self, refs: Iterable[str]) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
        """All definitions that these lead to, sorted, and the problems in them."""
        key = frozenset(refs)
        known = self._closures.get(key)
        if known is None:
            found = set(key)
            stack = list(key)
            while stack:
                inner = self._converted[stack.pop()].refs - found
                found |= inner
                stack.extend(inner)
            ordered = tuple(sorted(found))
            problems = tuple(problem for name in ordered for problem in self._converted[name].problems)
            known = self._closures[key] = (ordered, problems)
        return known

    def with_defs(self, schema: Schema, refs: Iterable[str]) -> Schema:
        """The schema with the definitions it needs."""
        needed, _ = self.closure(refs)
        return {**schema, "$defs": {name: self.defs[name] for name in needed}} if needed else schema

    def unfolded(self, schema: Schema) -> int:
        """How many schemas come together when `$ref` and the combinators at the top of a converted one are followed."""
        known: dict[int, int] = {}
        stack: list[tuple[Schema, bool]] = [(schema, False)]
        while stack:
            here, leaving = stack.pop()
            inner = [item for key in flatten.COMBINATORS[1:] for item in here.get(key, ()) if isinstance(item, dict)]
            if "$ref" in here:
                inner.append(flatten.resolve(here, self.defs))
            if leaving:
                known[id(here)] = 1 + sum(known.get(id(item), 1) for item in inner)
            elif id(here) not in known:
                known[id(here)] = 1
                stack.append((here, True))
                stack.extend((item, False) for item in inner)
        return known[id(schema)]

    def name(self, target: Place) -> str:
        """The name in `$defs` of what a reference points at."""
        key = (target.part.path, target.pointer)
        known = self._names.get(key)
        if known is None:
            known = self._names[key] = self._new_name(target)
            self._places[known] = target
            self._pending.append(known)
        return known

    def field_names(self, place: Place) -> list[str]:
        """Names of the properties of an object schema, through `$ref` and allOf."""
        return [name for layer in self.references.layers(place) for name, _ in layer.items("properties")]

    def dialect(self, part: Part) -> upgrade.Dialect:
        """The dialect of a file's schemas: what it says, else that of the description."""
        return self._dialect if part is self.references.root else dialect(part.data, self._dialect)

    def _new_name(self, target: Place) -> str:
        tokens = [unescape(token) for token in target.pointer.split("/")[1:]]
        component = tokens[:-1] == ["components", "schemas"] or len(tokens) == 2
        telling = [token for token in tokens if token not in _STRUCTURE and not token.isdecimal() and "/" not in token]
        if not telling and tokens[:1] == ["paths"]:
            telling = [word for word in tokens[1].split("/") if "{" not in word]
        last = (
            tokens[-1] if component else telling[-1] if telling else target.part.path.rpartition("/")[2].split(".")[0]
        )
        name = names.legible(last)[:64] or "schema"
        is_own = component and name == last and target.part.path == self.references.root.path
        if name not in self._places and (is_own or name not in self._reserved):
            return name
        number = 2
        while f"{name[:60]}_{number}" in self._places or f"{name[:60]}_{number}" in self._reserved:
            number += 1
        return f"{name[:60]}_{number}"

    def _run(self, place: Place) -> tuple[Converted, frozenset[str]]:
        run = Rewriting(self, place)
        schema = run.rewrite(place.value, place.part, 0, True)
        if isinstance(schema, bool):
            schema = {} if schema else {"not": {}}
        if not isinstance(schema, dict):
            text = f"a schema is expected here, not {json.dumps(schema)[:40]}; any value is accepted"
            run.problems.append(Problem("doubtful-schema", text, place.origin, "repaired"))
            schema = {}

        def note(pointer: str, message: str) -> None:
            where = Place(None, place.part, place.pointer + pointer)
            run.problems.append(Problem("doubtful-schema", message, where.origin, "repaired"))

        schema = upgrade.to_2020_12(schema, self.dialect(place.part), note)
        if run.has_patterns:
            report = Report()
            schema = patterns.usable_patterns(schema, report, place.origin)
            run.problems += [_problem(diagnostic) for diagnostic in report.diagnostics]
        return Converted(schema, frozenset(run.refs), tuple(run.problems)), frozenset(run.in_place)

    def _refuse_loops(self, new: list[str]) -> None:
        """Mark definitions that apply themselves to the same value: no validator ever ends on one."""
        done: set[str] = set()
        for start in new:
            trail: set[str] = set()
            stack = [(start, False)]
            while stack:
                name, leaving = stack.pop()
                if leaving:
                    trail.remove(name)
                    done.add(name)
                elif name in trail:
                    self._mark_loop(name)
                elif name not in done:
                    trail.add(name)
                    stack.append((name, True))
                    stack.extend((inner, False) for inner in sorted(self._in_place.get(name, ())))

    def _mark_loop(self, name: str) -> None:
        known = self._converted[name]
        problem = Problem(
            "circular-ref",
            f"the schema `{name}` refers to itself without a property or item in between, so nothing can be valid",
            self._places[name].origin,
            "lost",
            "Break the circle: leave the reference out of allOf, anyOf or oneOf on one side.",
        )
        if problem not in known.problems:
            self._converted[name] = Converted(known.schema, known.refs, (*known.problems, problem))


def dialect(document: Any, default: upgrade.Dialect) -> upgrade.Dialect:
    """The dialect in which the schemas of a file are written."""
    if not isinstance(document, dict):
        return default
    version = str(document.get("openapi", document.get("swagger", "")))
    if version.startswith(("2", "3.0")):
        return "openapi-3.0"
    named = str(document.get("jsonSchemaDialect", document.get("$schema", "")))
    if "draft-04" in named or "draft-03" in named:
        return "draft-04"
    if "draft-06" in named or "draft-07" in named:
        return "draft-07"
    return "2020-12" if version or "2020-12" in named or "2019-09" in named else default


def _problem(diagnostic: Diagnostic) -> Problem:
    return Problem(diagnostic.rule, diagnostic.message, diagnostic.origin or Origin(""), "repaired", diagnostic.help)
