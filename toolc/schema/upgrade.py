"""Brings schemas of older dialects to draft 2020-12 without changing what they accept.

The dialects differ in few keywords; the tables below name them. What stands in no dialect (`type: file`,
`minLength: "3"`, `required: true` on a property) is repaired or taken out, because a validator would refuse the whole
schema for it, and `note` is told.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from toolc.ir import Schema, escape
from toolc.schema.keywords import LIST_KEYWORDS, MAP_KEYWORDS, SCHEMA_KEYWORDS, TYPES

Dialect = Literal["draft-04", "draft-07", "openapi-3.0", "2020-12"]
Note = Callable[[str, str], None]

# What authors write for a type, and the type that accepts the same; None: any value.
LOOSE_TYPES = {"file": "string", "date": "string", "datetime": "string", "date-time": "string", "uuid": "string"} | {
    "int": "integer",
    "int32": "integer",
    "int64": "integer",
    "long": "integer",
    "float": "number",
    "double": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
}
ANY_TYPES = frozenset({"any", "mixed", "*", ""})

NUMBERS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
COUNTS = frozenset(
    {
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
        "minContains",
        "maxContains",
    }
)
TEXTS = frozenset({"title", "description", "format", "pattern", "$comment", "contentEncoding", "contentMediaType"})
FLAGS = frozenset({"uniqueItems", "deprecated", "readOnly", "writeOnly"})
ONE = frozenset({*SCHEMA_KEYWORDS, "additionalItems"})
MANY = frozenset(LIST_KEYWORDS)
NAMED = frozenset({*MAP_KEYWORDS, "definitions"})
# Keywords whose mere presence means that a level has to be looked at more closely than its children.
OLD = frozenset(
    {"nullable", "x-nullable", "example", "definitions", "additionalItems", "dependencies", "$schema", "$id", "id"}
)


def to_2020_12(schema: Schema, dialect: Dialect, note: Note) -> Schema:
    """The schema in draft 2020-12; parts that are the same in both dialects are shared.

    note: called with a pointer into the schema given and a sentence, for everything whose meaning was doubtful.
    """
    return _Upgrade(dialect, note).schema(schema)


# YAML 1.1 takes these words for booleans, after which many descriptions are written; 1.2 takes them for texts.
TRUTH = {"yes": True, "on": True, "true": True, "no": False, "off": False, "false": False}


class _Upgrade:
    """One run: the place it has come to, for notes."""

    __slots__ = ("_note", "_nullable", "_path")

    def __init__(self, dialect: Dialect, note: Note) -> None:
        self._nullable = dialect == "openapi-3.0"
        self._note = note
        self._path: list[str | int] = []

    def note(self, message: str) -> None:
        self._note("".join("/" + escape(str(step)) for step in self._path), message)

    def schema(self, schema: Schema) -> Schema:
        changed: Schema | None = None
        for keyword, value in schema.items():
            new = self.keyword(keyword, value)
            if new is not value:
                if changed is None:
                    changed = dict(schema)
                if new is _GONE:
                    del changed[keyword]
                else:
                    changed[keyword] = new
        result = schema if changed is None else changed
        if "type" in result or not OLD.isdisjoint(schema):
            result = self.level(result)
        if "exclusiveMinimum" in result or "exclusiveMaximum" in result:
            result = _exclusive(result)
        if isinstance(items := result.get("items"), list):
            result = _tuple(result, items)
        return self.lifted(schema, result)

    def keyword(self, keyword: str, value: Any) -> Any:
        """The value brought to 2020-12, or `_GONE`."""
        if keyword in TEXTS:
            return value if isinstance(value, str) else self.text(keyword, value)
        if keyword == "type":
            return value if isinstance(value, str) and value in TYPES else self.type(value)
        if keyword in ONE:
            return self.one(keyword, value)
        if keyword in NAMED:
            return self.named(keyword, value)
        if keyword in MANY:
            return self.many(keyword, value)
        if keyword == "required":
            return value if _names(value) else self.required(value)
        if keyword in NUMBERS or keyword == "multipleOf":
            return value if _number(value) or keyword.startswith("exclusive") else self.odd(keyword, value)
        if keyword in COUNTS:
            return value if _number(value) and value >= 0 and value == int(value) else self.odd(keyword, value)
        if keyword in FLAGS:
            return value if isinstance(value, bool) else self.odd(keyword, value)
        if keyword == "enum":
            return value if isinstance(value, list) and value else self.odd(keyword, value)
        if keyword == "examples":
            return value if isinstance(value, list) else _examples(value)
        if keyword == "$ref" and isinstance(value, str) and value.startswith("#/definitions/"):
            return "#/$defs/" + value[len("#/definitions/") :]
        return value

    def child(self, step: str | int, value: Any) -> Any:
        if isinstance(value, bool):
            return value
        self._path.append(step)
        if isinstance(value, dict):
            new: Any = self.schema(value)
        elif isinstance(value, str) and (meant := TRUTH.get(value.lower())) is not None:
            self.note(f"a schema is expected here, not {_shown(value)}; read as {str(meant).lower()}")
            new = meant
        else:
            self.note(f"a schema is expected here, not {_shown(value)}; any value is accepted")
            new = {}
        self._path.pop()
        return new

    def one(self, keyword: str, value: Any) -> Any:
        return (
            self.many(keyword, value) if keyword == "items" and isinstance(value, list) else self.child(keyword, value)
        )

    def many(self, keyword: str, value: Any) -> Any:
        if not isinstance(value, list) or not value:
            return value if keyword == "items" and value == [] else self.odd(keyword, value)
        self._path.append(keyword)
        new = [self.child(index, item) for index, item in enumerate(value)]
        self._path.pop()
        return value if all(map(_same, new, value)) else new

    def named(self, keyword: str, value: Any) -> Any:
        if not isinstance(value, dict):
            return self.odd(keyword, value)
        self._path.append(keyword)
        new = {key: self.child(key, item) for key, item in value.items()}
        self._path.pop()
        return value if all(new[key] is item for key, item in value.items()) else new

    def odd(self, keyword: str, value: Any) -> Any:
        self.note(f"`{keyword}` cannot be {_shown(value)}; it is ignored")
        return _GONE

    def text(self, keyword: str, value: Any) -> Any:
        if value is None or isinstance(value, dict | list):
            return _GONE if value is None else self.odd(keyword, value)
        return str(value)

    def type(self, value: Any) -> Any:
        if isinstance(value, list):
            kept = list(dict.fromkeys(item for item in value if isinstance(item, str) and item in TYPES))
            if kept and kept == value:
                return value
            self.note(f"`type` names {_shown(value)}; only JSON types are kept")
            return kept or _GONE
        if value is None or (isinstance(value, str) and value in ANY_TYPES):
            return _GONE
        if isinstance(value, str) and (meant := LOOSE_TYPES.get(value.lower(), value.lower())) in TYPES:
            if value != "file":
                self.note(f"`type` is {value}, which is no JSON type; read as {meant}")
            return meant
        return self.odd("type", value)

    def required(self, value: Any) -> Any:
        if isinstance(value, list):
            kept = list(dict.fromkeys(item for item in value if isinstance(item, str)))
            if len(kept) != len(value):
                self.note("`required` names a property twice or names something that is no string")
            return kept
        if isinstance(value, str) and value.lower() not in TRUTH:
            self.note(f"`required` is a list of names, not {_shown(value)}; read as a list with that name")
            return [value]
        if isinstance(value, int | float | dict) and not isinstance(value, bool):
            return self.odd("required", value)
        return _GONE  # a boolean; the object around it takes care of it in `lifted`

    def level(self, schema: Schema) -> Schema:
        """The keywords that exist in older dialects only."""
        if OLD.isdisjoint(schema):
            return schema
        new = {key: value for key, value in schema.items() if key not in OLD}
        if self._nullable and any(self.flag(key, schema.get(key)) for key in ("nullable", "x-nullable")):
            self.nullable(new)
        if "example" in schema and "examples" not in new:
            new["examples"] = [schema["example"]]
        if isinstance(definitions := schema.get("definitions"), dict):
            new["$defs"] = {**definitions, **new.get("$defs", {})}
        if "additionalItems" in schema and isinstance(schema.get("items"), list):
            new["additionalItems"] = schema["additionalItems"]
        if isinstance(dependencies := schema.get("dependencies"), dict):
            self.dependencies(new, dependencies)
        return new

    def flag(self, keyword: str, value: Any) -> bool:
        if value is None or isinstance(value, bool):
            return bool(value)
        meant = isinstance(value, str) and TRUTH.get(value.lower(), False)
        self.note(f"`{keyword}` has to be true or false, not {_shown(value)}; read as {str(meant).lower()}")
        return meant

    def nullable(self, schema: Schema) -> None:
        kind = schema.get("type")
        if kind is None:
            self.note(
                "`nullable` without `type` beside it has no effect (OpenAPI 3.0.3), so null stays refused;"
                " it belongs beside the `type`, where there are alternatives in one of them"
            )
            return
        kinds = [kind] if isinstance(kind, str) else list(kind)
        schema["type"] = kinds if "null" in kinds else [*kinds, "null"]
        if isinstance(values := schema.get("enum"), list) and None not in values:
            schema["enum"] = [*values, None]

    def dependencies(self, schema: Schema, dependencies: Schema) -> None:
        names = {key: value for key, value in dependencies.items() if isinstance(value, list)}
        schemas = {key: value for key, value in dependencies.items() if isinstance(value, dict | bool)}
        if names:
            schema["dependentRequired"] = {**names, **schema.get("dependentRequired", {})}
        if schemas:
            new = self.named("dependencies", schemas)
            schema["dependentSchemas"] = {**new, **schema.get("dependentSchemas", {})}

    def lifted(self, old: Schema, new: Schema) -> Schema:
        """`required: true` on a property, as draft 03 had it, belongs to the object around it."""
        properties = old.get("properties")
        if not isinstance(properties, dict):
            return new
        names = [key for key, value in properties.items() if isinstance(value, dict) and value.get("required") is True]
        if not names:
            return new
        self.note(f"`required: true` stands on a property; read as required: [{', '.join(names)}] of its object")
        return {**new, "required": list(dict.fromkeys([*new.get("required", ()), *names]))}


_GONE: Any = object()


def _same(new: object, old: object) -> bool:
    return new is old


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _names(value: Any) -> bool:
    return (
        isinstance(value, list) and len(set(map(str, value))) == len(value) and all(isinstance(v, str) for v in value)
    )


def _examples(value: Any) -> Any:
    """`examples` as OpenAPI writes it beside a schema: named, each with a `value`."""
    if not isinstance(value, dict):
        return _GONE
    return [item["value"] if isinstance(item, dict) and "value" in item else item for item in value.values()]


def _exclusive(schema: Schema) -> Schema:
    new = dict(schema)
    for exclusive, inclusive in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if exclusive not in new or _number(new[exclusive]):
            continue
        if new.pop(exclusive) is True and inclusive in new:
            new[exclusive] = new.pop(inclusive)
    return new


def _tuple(schema: Schema, items: list[Any]) -> Schema:
    new = {key: value for key, value in schema.items() if key not in ("items", "additionalItems")}
    if items:
        new["prefixItems"] = items
    if "additionalItems" in schema:
        new["items"] = schema["additionalItems"]
    return new
