"""Request bodies: which content type, and its fields as inputs where that loses nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolc.ir import Schema, escape
from toolc.schema import flatten, keywords, walk
from toolc.sources.openapi import kinds, samples
from toolc.sources.openapi.findings import Problem, dangling
from toolc.sources.openapi.flags import settled
from toolc.sources.openapi.inputs import Body, Input, described
from toolc.sources.openapi.places import Place
from toolc.sources.openapi.references import DanglingError
from toolc.sources.openapi.schemas import Converted, Schemas

FORM = "application/x-www-form-urlencoded"
# Text with a structure of its own, which JSON is no way to write.
_OTHER_TEXT = ("csv", "tab-separated", "html", "sql", "graphql", "pem")
_TEXTUAL = ("json", "yaml", "graphql", "javascript", "csv", "sql", "ndjson", "jsonl", "pem")
# What is sent where the description leaves the type open; of any other open type only the bytes are known.
_WILD = {
    "*/*": "application/json",
    "application/*": "application/json",
    "multipart/*": "multipart/form-data",
    "text/*": "text/plain",
}
# Ranges whose types can be told from the file that is sent, when it is sent.
_TOLD_BY_BYTES = frozenset({"image", "audio", "video"})
# Root keywords that hold for the fields alone; any other keeps the body together.
_FIELDWISE = frozenset(
    {"type", "properties", "required", "additionalProperties", "unevaluatedProperties", "dependentRequired"}
)
# Schemas that allOf may bring together in one body; a hostile description can ask for any number.
_LARGEST = 1000
_COUNTING = frozenset({"minProperties", "maxProperties"})


def rank(content_type: str) -> int:
    """How well a model can fill in a body of this type; the least comes first."""
    media = content_type.split(";")[0].strip().lower()
    if media == "application/json":
        return 0
    if media.endswith(("+json", "/json")):
        return 1
    if media in ("*/*", "application/*"):
        return 2
    if media == FORM:
        return 3
    if media.startswith("multipart/"):
        return 4
    if media.endswith(("/xml", "+xml")):
        return 6
    if media.startswith("text/") or any(word in media for word in _TEXTUAL):
        return 5
    return 7


class Bodies:
    """Reads request bodies; one that several operations refer to is converted once."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._read: dict[tuple[object, ...], Body | Problem] = {}

    def read(self, place: Place, alone: bool) -> Body | Problem | None:
        """The body at a place; alone: the operation has no other inputs."""
        try:
            target = self._schemas.references.follow(place)
        except DanglingError as error:
            return dangling(error, place)
        content = target.value.get("content") if isinstance(target.value, dict) else None
        if not isinstance(content, dict):
            return Problem("invalid-body", "a request body needs `content`", target.origin, "lost")
        if not content:
            return None
        # In Swagger 2.0 the content types are those of the operation, which may share the body with others.
        key = (target.part.path, target.pointer, alone, *content)
        if key not in self._read:
            self._read[key] = self._body(target, alone)
        return self._read[key]

    def _body(self, place: Place, alone: bool) -> Body | Problem:
        media = place.items("content")
        content_type, chosen = min(media, key=lambda item: rank(item[0]))
        problems: list[Problem] = []
        try:
            chosen = self._schemas.references.follow(chosen)
        except DanglingError as error:
            return dangling(error, chosen)
        if not isinstance(chosen.value, dict):
            chosen = Place({}, chosen.part, chosen.pointer)
        if len(media) > 1:
            problems.append(self._dropped(place, content_type, chosen, media))
        required = settled(place, problems).get("required") is True
        converted = self._converted(content_type, chosen, problems)
        problems += converted.problems
        if rank(content_type) == 4 and self._is_list(converted.schema):
            text = f"a body of type {content_type} is made of named fields here; a list of parts cannot be sent"
            return Problem("unsupported-content-type", text, chosen.origin, "lost")
        lost = [problem for problem in self._schemas.closure(converted.refs)[1] if problem.weight == "lost"]
        encoding = _encoding(chosen.value, content_type)
        problems += _part_headers(chosen) if encoding else ()
        given_name = place.value.get("x-body-name")
        fields = None
        if not lost and not isinstance(given_name, str) and rank(content_type) <= 4:
            fields = self._fields(converted.schema, alone, required)
        description = place.value.get("description")
        hidden = (
            self._schemas.direction.left_out(chosen.value.get("schema"), chosen.part)
            if fields is not None
            else frozenset()
        )
        found = samples.read(chosen, self._schemas.references, problems)
        content_type = _WILD.get(content_type.partition(";")[0].strip().lower(), content_type)
        if "*" in content_type and content_type.partition("/")[0].lower() not in _TOLD_BY_BYTES:
            content_type = "application/octet-stream"
        if fields is not None:
            inputs, keywords = _flat(fields, required, content_type, self._schemas.defs)
        else:
            name = given_name if isinstance(given_name, str) and given_name else "body"
            binding: dict[str, Any] = {"in": "body", "pointer": ""}
            schema, binary = _binary(converted.schema, self._schemas.defs)
            if rank(content_type) == 7 and not binary and schema.get("type") != "string":
                if self._is_structured(chosen.at("schema")):
                    text = f"a body of type {content_type} is sent as bytes; the structure of its schema is not shown"
                    problems.append(Problem("unsupported-content-type", text, chosen.at("schema").origin, "repaired"))
                schema, binary = {"type": "string", "contentEncoding": "base64", "description": _BASE64}, True
            if binary:
                binding["contentEncoding"] = "base64"
            schema = described(schema, description)
            inputs, keywords = (Input("body", name, schema, required, binding, references(schema)),), {}
        return Body(
            content_type=content_type,
            required=required,
            inputs=inputs,
            keywords=keywords,
            whole=fields is None,
            description=description if isinstance(description, str) and fields is not None else "",
            encoding=encoding,
            hidden=hidden,
            samples=found,
            problems=tuple(problems),
        )

    def _converted(self, content_type: str, media: Place, problems: list[Problem]) -> Converted:
        """The schema of the chosen content type; that of XML or CSV is text, whatever structure it describes."""
        kind = rank(content_type)
        plain = content_type.split(";")[0].strip()
        key = "schema" if "schema" in media.value or "itemSchema" not in media.value else "itemSchema"
        schema = media.at(key)
        is_other = kind == 5 and any(word in plain.lower() for word in _OTHER_TEXT)
        if kind == 6 or (is_other and self._is_structured(schema)):
            if isinstance(schema.value, dict) and schema.value.get("type") != "string":
                text = f"a body of type {content_type} is given as one text; the structure of its schema is not shown"
                problems.append(Problem("unsupported-content-type", text, schema.origin, "repaired"))
            return Converted({"type": "string", "contentMediaType": plain})
        if key == "itemSchema":
            inner = self._schemas.convert(schema)
            return Converted({"type": "array", "items": inner.schema}, inner.refs, inner.problems)
        if schema.value is None:
            return Converted({"type": "string"} if kind == 5 else {})
        return self._schemas.convert(schema)

    def _is_list(self, schema: Schema) -> bool:
        plain = flatten.resolve(schema, self._schemas.defs) if "$ref" in schema else schema
        return plain.get("type") == "array"

    def _is_structured(self, schema: Place) -> bool:
        layers = self._schemas.references.layers(schema)
        return any(
            not {"object", "array"}.isdisjoint(_types(layer.value)) or "properties" in layer.value for layer in layers
        )

    def _dropped(self, place: Place, kept: str, chosen: Place, media: list[tuple[str, Place]]) -> Problem:
        others = [name for name, _ in media if name != kept]
        text = f"the body is sent as {kept}; {', '.join(others)} not offered"
        known = self._schemas.field_names(chosen.at("schema"))
        only = [
            name
            for content_type, other in media
            if content_type != kept
            for name in self._schemas.field_names(other.at("schema"))
            if name not in known
        ]
        if only:
            text += f" (fields that only those have: {', '.join(dict.fromkeys(only))})"
        return Problem("dropped-content-type", text, place.at("content").origin, "note")

    def _fields(self, schema: Schema, alone: bool, required: bool) -> Schema | None:
        """The body as one plain object schema whose fields can stand beside the parameters; None if that changes it."""
        if self._schemas.unfolded(schema) > _LARGEST:
            return None
        losses: list[str] = []
        merged = flatten.flatten(schema, self._schemas.defs, losses.append)
        properties = merged.get("properties")
        if losses or not isinstance(properties, dict) or not properties:
            return None
        types = merged.get("type", "object")
        types = {types} if isinstance(types, str) else set(types)
        # Where the body may be absent, null says no more than that.
        if types != {"object"} and (required or types != {"object", "null"}):
            return None
        closing = [key for key in ("additionalProperties", "unevaluatedProperties") if key in merged]
        if closing and merged is not schema and not _one_layer(schema, self._schemas.defs, properties):
            return None
        if not alone and any(merged[key] is not False for key in closing):
            return None
        if not required and merged.get("minProperties", 0) > 1:
            return None  # no field at all means no body, one field too few
        undeclared: Schema = {name: {} for name in merged.get("required", ()) if name not in properties}
        if undeclared and closing:
            return None
        allowed = _FIELDWISE | _COUNTING if alone else _FIELDWISE
        rest = [key for key in merged if key not in allowed and not (keywords.is_noise(key) and key != "discriminator")]
        return None if rest else {**merged, "properties": {**properties, **undeclared}}


def _types(schema: Mapping[str, Any]) -> list[str]:
    kinds = schema.get("type")
    return [kind for kind in kinds if isinstance(kind, str)] if isinstance(kinds, list) else [str(kinds)]


def _part_headers(media: Place) -> Iterator[Problem]:
    """Headers of single parts of a form: no argument carries them."""
    for field, how in media.items("encoding"):
        for name, place in how.items("headers"):
            if name.lower() != "content-type":
                text = f"the header `{name}` of the part `{field}` is not sent: a part has its content only"
                yield Problem("unsupported-part-header", text, place.origin, "dropped")


def _one_layer(schema: Schema, defs: Schema, properties: Schema) -> bool:
    """Whether all the properties come from one schema, so that what it says of further ones still means the same."""
    while "$ref" in schema and "properties" not in schema:
        schema = flatten.resolve(schema, defs)
    return "allOf" not in schema and schema.get("properties") == properties


def _flat(merged: Schema, required: bool, content_type: str, defs: Schema) -> tuple[tuple[Input, ...], Schema]:
    """The fields as inputs, and the keywords about all of them.

    An optional body with required fields needs them only when any field is given: `dependentRequired` says that.
    """
    needed = [name for name in merged.get("required", ()) if isinstance(name, str)]
    inputs: list[Input] = []
    for name, value in merged["properties"].items():
        schema: Schema = value if isinstance(value, dict) else ({} if value else {"not": {}})
        binding: dict[str, Any] = {"in": "body", "pointer": "/" + escape(name)}
        if content_type.lower().startswith("multipart/"):
            schema, binary = _binary(schema, defs)
            if binary:
                binding["contentEncoding"] = "base64"
        inputs.append(Input("body", name, schema, required and name in needed, binding, references(schema)))
    keywords = {
        key: merged[key]
        for key in ("additionalProperties", "unevaluatedProperties", "dependentRequired", *sorted(_COUNTING))
        if key in merged
    }
    if not required:
        keywords.pop("minProperties", None)
        depends: dict[str, list[str]] = {name: list(needed) for name in merged["properties"]} if needed else {}
        for name, names in keywords.get("dependentRequired", {}).items():
            depends[name] = [*depends.get(name, ()), *(other for other in names if other not in needed)]
        depends = {name: [other for other in names if other != name] for name, names in depends.items()}
        if depends := {name: names for name, names in depends.items() if names}:
            keywords["dependentRequired"] = depends
    return tuple(inputs), keywords


def references(schema: Schema) -> frozenset[str]:
    """The definitions that a schema names directly."""
    found: set[str | None] = set()
    for _, inner in walk.descend(schema):
        found.add(walk.definition(inner.get("$ref")))
        found.update(map(walk.definition, kinds.named(inner.get("discriminator"))))
    return frozenset(name for name in found if name is not None)


_BASE64 = "The content of the file, base64-encoded."


def _binary(schema: Schema, defs: Schema) -> tuple[Schema, bool]:
    """Raw bytes as base64 text, and whether there were any; a file path would let a caller read any local file."""
    plain = flatten.resolve(schema, defs) if "$ref" in schema else schema
    if plain.get("type") == "array" and isinstance(items := plain.get("items"), dict):
        inner, binary = _binary(items, defs)
        return ({**plain, "items": inner}, True) if binary else (schema, False)
    media = plain.get("contentMediaType")
    raw = plain.get("format") == "binary" or (
        isinstance(media, str) and "contentEncoding" not in plain and "/" in media
    )
    if plain.get("type", "string") != "string" or not raw or (isinstance(media, str) and rank(media) in (0, 1, 5, 6)):
        return schema, False
    kept = {key: value for key, value in plain.items() if key not in ("format", "maxLength", "minLength", "pattern")}
    return described({**kept, "type": "string", "contentEncoding": "base64"}, schema.get("description"), _BASE64), True


def _encoding(media: Mapping[str, Any], content_type: str) -> Mapping[str, Any] | None:
    """How single fields of a form are sent; OpenAPI has it for forms only."""
    encoding = media.get("encoding")
    return encoding if isinstance(encoding, dict) and rank(content_type) in (3, 4) else None
