"""Response schemas, made when asked for, and how an operation gives its results in pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from toolc.ir import Schema
from toolc.schema import walk
from toolc.sources.openapi import body
from toolc.sources.openapi.findings import Problem, dangling
from toolc.sources.openapi.inputs import Input
from toolc.sources.openapi.places import Place
from toolc.sources.openapi.references import DanglingError, References
from toolc.sources.openapi.schemas import Schemas

_LIMIT = {
    "limit",
    "count",
    "top",
    "first",
    "n",
    "take",
    "perpage",
    "pagesize",
    "pagelimit",
    "maxresults",
    "resultsperpage",
}
_DOUBTFUL = {"count", "top", "first", "n"}  # these mean a number of results only if they are a number
_CURSOR = {
    "cursor",
    "after",
    "pagetoken",
    "nexttoken",
    "nextpagetoken",
    "startcursor",
    "startingafter",
    "marker",
    "nextmarker",
    "continuationtoken",
    "pageafter",
    "pagecursor",
}
_OFFSET = {"offset", "skip", "startindex", "startat", "pageoffset"}
_PAGE = {"page", "pagenumber", "pageno", "pageindex"}
_NEXT = _CURSOR - {"after", "marker"} | {
    "next",
    "nextcursor",
    "nextpage",
    "nextpageurl",
    "nexturl",
    "nextlink",
    "hasmore",
}


def output(schemas: Schemas, operation: Place) -> Schema | None:
    """The schema of a successful JSON result, complete in itself; None if there is none."""
    place = _schema(schemas, operation)
    if place is None:
        return None
    converted = schemas.convert(place)
    _, problems = schemas.closure(converted.refs)
    if any(problem.weight == "lost" for problem in (*converted.problems, *problems)):
        return None
    schema, refs = converted.schema, converted.refs
    name = walk.definition(schema.get("$ref"))
    if name is not None and len(schema) == 1 and name in schemas.defs:
        schema = schemas.defs[name]
        refs = body.references(schema)
    return schemas.with_defs(schema, refs)


def problems(references: References, operation: Place) -> Iterator[Problem]:
    """References of the responses, and of their content to its schema, that lead nowhere; they cost the output only."""
    for _, place in operation.items("responses"):
        try:
            here = place
            response = references.follow(here)
            for holder in (response, *(media for _, media in response.items("content"))):
                here = holder.at("schema")
                if isinstance(here.value, dict) and isinstance(here.value.get("$ref"), str):
                    references.resolve(here.value["$ref"], here.part)
        except DanglingError as error:
            yield replace(dangling(error, here), weight="repaired")


def _success(operation: Place) -> list[Place]:
    """The successful responses, most telling first: 200 before 201, then 2XX, then default if nothing else is said."""
    found = {code.upper(): place for code, place in operation.items("responses")}
    exact = sorted(code for code in found if len(code) == 3 and code.startswith("2"))
    return [found[code] for code in exact or [code for code in ("DEFAULT",) if code in found]]


def _schema(schemas: Schemas, operation: Place) -> Place | None:
    for place in _success(operation):
        try:
            response = schemas.references.follow(place)
            if isinstance(response.value, dict) and "schema" in response.value:  # Swagger 2.0
                return response.at("schema")
            media = [item for item in response.items("content") if body.rank(item[0]) <= 2]
            for _, entry in sorted(media, key=lambda item: body.rank(item[0])):
                content = schemas.references.follow(entry)
                if isinstance(content.value, dict) and isinstance(content.value.get("schema"), dict | bool):
                    return content.at("schema")
        except DanglingError:
            continue
    return None


def pagination(schemas: Schemas, operation: Place, inputs: Sequence[Input], keys: Sequence[str]) -> dict[str, Any]:
    """How to go through the pages: which argument limits, which moves on, where the next position is found."""
    found: dict[str, Any] = {}
    for item, key in zip(inputs, keys, strict=True):
        if item.place not in ("query", "body"):
            continue
        plain = _plain(item.wire)
        if plain in _LIMIT and (plain not in _DOUBTFUL or _counts(schemas, item.schema)):
            found.setdefault("limit", key)
        for style, names in (("cursor", _CURSOR), ("offset", _OFFSET), ("page", _PAGE)):
            if plain in names and "position" not in found:
                found |= {"style": style, "position": key}
    if not found:
        return {}
    if following := _following(schemas, operation):
        found["next"] = following
    return found


def _counts(schemas: Schemas, schema: Schema) -> bool:
    """Whether it is a number: OData's `$count` is a boolean, and an `n` may be a text."""
    name = walk.definition(schema.get("$ref"))
    kinds = (schemas.defs.get(name, {}) if name else schema).get("type")
    return not {"integer", "number"}.isdisjoint([kinds] if isinstance(kinds, str) else kinds or ())


def _following(schemas: Schemas, operation: Place) -> str:
    """`header:Link`, or the pointer of the field that tells the next position; `` where neither is declared."""
    for place in _success(operation)[:1]:
        try:
            response = schemas.references.follow(place)
        except DanglingError:
            continue
        if any(name.lower() == "link" for name, _ in response.items("headers")):
            return "header:Link"
    schema = _schema(schemas, operation)
    if schema is None:
        return ""
    for pointer, name in _fields(schemas, schema, "", 0):
        if _plain(name) in _NEXT:
            return pointer
    return ""


def _fields(schemas: Schemas, place: Place, prefix: str, depth: int) -> Iterable[tuple[str, str]]:
    """The fields of an object and of the objects directly in it."""
    if depth > 1:
        return
    try:
        place = schemas.references.follow(place)
    except DanglingError:
        return
    properties = place.items("properties")
    for name, _ in properties:
        yield f"{prefix}/{name}", name
    for name, inner in properties:
        if re.search(r"meta|paging|pagination|links?$|cursor", name, re.IGNORECASE):
            yield from _fields(schemas, inner, f"{prefix}/{name}", depth + 1)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())
