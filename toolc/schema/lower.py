"""A schema said in a runtime's own dialect. Lowering only widens: what the exact schema accepts stays accepted.

What the dialect cannot carry is said in words where a short sentence does it, and checked at dispatch in any case.
The exceptions are the strict modes, which refuse undeclared keys (and, at OpenAI, take null for what is left out), and
`nullable`, which the OpenAPI dialect has and JSON Schema has not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from toolc.ir import Schema, escape
from toolc.schema import keywords, strict, walk
from toolc.schema.dialects import DIALECTS, OPENAPI, Dialect, Rules
from toolc.schema.flatten import conjoin, flatten, resolve
from toolc.schema.phrases import describe, say

Went = Literal["kept", "words", "dispatch", "dropped"]


@dataclass(frozen=True, slots=True)
class Lost:
    """A keyword that the dialect cannot carry: where it stood, where it went (see targets.Loss), and the words."""

    pointer: str
    keyword: str
    went: Went
    words: str = ""


@dataclass(frozen=True, slots=True)
class Lowered:
    """A schema in the dialect, and what it lost on the way."""

    schema: Schema
    losses: tuple[Lost, ...] = ()


# Keywords under which a wider schema makes the whole narrower.
_NEGATIVE = ("not", "if", "contains")
_RELEVANT = {
    "string": frozenset({"minLength", "maxLength", "pattern", "format", "enum"}),
    "number": frozenset({"minimum", "maximum", "format", "enum"}),
    "integer": frozenset({"minimum", "maximum", "format", "enum"}),
    "array": frozenset({"items", "minItems", "maxItems"}),
    "object": frozenset({"properties", "required", "minProperties", "maxProperties"}),
}
_SAID_OF_ALL = frozenset({"type", "title", "description", "nullable", "default", "anyOf"})
# "only 'enum' and 'date-time' are supported for STRING type" (Gemini API, seen 2025–26).
_FORMATS = frozenset({"enum", "date-time", "float", "double", "int32", "int64"})
_MOST_NODES = 2000


def lower(schema: Schema, dialect: Dialect) -> Lowered:
    """The schema of a tool's input (an object) in a dialect; the same parts are shared where nothing changes."""
    rules = DIALECTS[dialect]
    defs = schema.get("$defs", {})
    losses: list[Lost] = []
    root = _plain_root(schema, rules, defs, losses)
    if rules.refused or rules.openapi:
        work = _Lowering(rules, defs)
        lowered = work.definitions()
        root = work.node({key: value for key, value in root.items() if key != "$defs"}, "", ())
        losses += work.losses
        if lowered and not rules.openapi:
            root["$defs"] = lowered
    if rules.strict:
        root = strict.close(root, rules.all_required)
    return Lowered(walk.keep_needed_defs(root), tuple(losses))


def strict_problem(schema: Schema, dialect: Literal["anthropic-strict", "openai-strict"]) -> str:
    """Why a strict mode cannot say this schema, or an empty string; only without one may it be lowered to the mode."""
    return strict.problem(schema, DIALECTS[dialect].all_required)


def untyped(schema: Schema) -> str:
    """The pointer of the first value that says no type, which Gemini's `parameters` refuses, or an empty string."""
    for path, node in walk.descend(schema):
        if "type" not in node and "anyOf" not in node:
            return "".join("/" + escape(str(step)) for step in path)
    return ""


def _plain_root(schema: Schema, rules: Rules, defs: Schema, losses: list[Lost]) -> Schema:
    """The root with `type: object` and without the keywords that the dialect refuses there."""
    words: list[str] = []

    def lose(keyword: str, text: str = "") -> None:
        if not any(loss.keyword == keyword for loss in losses):
            losses.append(Lost(f"/{escape(keyword)}", keyword, "words" if text else "dispatch", text))
            words.extend([text] if text else [])

    for keyword in ("anyOf", "oneOf"):
        if keyword in rules.root and keyword in schema and (text := say(keyword, schema)):
            lose(keyword, text)
    root = flatten(schema, defs, lose) if rules.root else schema
    for keyword in sorted(rules.root & root.keys()):
        lose(keyword, say(keyword, root) if keyword == "dependentRequired" else "")
        root = {key: value for key, value in root.items() if key != keyword}
    if root.get("type") != "object":
        root = {"type": "object", **{key: value for key, value in root.items() if key != "type"}}
    return describe(root, words)


@dataclass(slots=True)
class _Lowering:
    """One run over a schema. fragile: some definition lost a constraint; room: nodes that may still be written out."""

    rules: Rules
    defs: Schema
    losses: list[Lost] = field(default_factory=list)
    fragile: bool = False
    room: int = _MOST_NODES

    def definitions(self) -> Schema:
        """The lowered `$defs`; a second time, more carefully, when one of them was widened."""
        for _ in range(1 if self.rules.openapi else 2):
            self.losses = []
            result = {
                name: self.node(form, f"/$defs/{escape(name)}", ()) if isinstance(form, dict) else form
                for name, form in ({} if self.rules.openapi else self.defs).items()
            }
            if not self.losses or self.fragile:
                break
            self.fragile = True
        return result

    def lose(self, pointer: str, keyword: str, words: str = "", went: Went = "dispatch") -> None:
        self.losses.append(Lost(pointer, keyword, "words" if words else went, words))

    def node(self, schema: Schema, pointer: str, open_refs: tuple[str, ...]) -> Schema:
        """One schema and all inside it; open_refs: the definitions that are being written out around it."""
        self.room -= 1
        words: list[str] = []
        result, open_refs = self.plain(schema, pointer, open_refs)
        self.enumeration(result, pointer, words)
        self.untangle(result)
        if self.rules.openapi:
            self.openapi(result, pointer, words)
        self.drop(result, pointer, words)
        self.inside(result, pointer, open_refs)
        if self.rules.items and "array" in _listed(result.get("type")) and "items" not in result:
            result["items"] = {}
        if self.rules.openapi and "required" in result:
            self.known_required(result, pointer)
        if self.rules.strict and "$ref" in result and len(result) > 1 and "anyOf" not in result:
            result["anyOf"] = [{"$ref": result.pop("$ref")}]
        return describe(result, words)

    def plain(self, schema: Schema, pointer: str, open_refs: tuple[str, ...]) -> tuple[Schema, tuple[str, ...]]:
        """A copy without the combinators that the dialect has not: `allOf`, `oneOf`, a choice with null, `$ref`."""
        result = dict(schema)
        if not (self.rules.strict or self.rules.openapi):
            return result, open_refs
        while True:
            result, open_refs = self.merged(result, pointer, open_refs, self.rules.openapi)
            if "oneOf" in result:
                self.choice(result, pointer)
            branches = result.get("anyOf", ())
            rest = [branch for branch in branches if not _is_null(branch)]
            if not self.rules.openapi or len(rest) == len(branches):
                return result, open_refs
            result["nullable"] = True
            result["anyOf"] = rest
            if not rest:
                result = {"type": "null"}
            elif len(rest) == 1 and isinstance(rest[0], dict):
                del result["anyOf"]
                result = conjoin(result, rest[0], lambda keyword: self.lose(pointer, keyword))

    def merged(
        self, schema: Schema, pointer: str, open_refs: tuple[str, ...], write_out: bool
    ) -> tuple[Schema, tuple[str, ...]]:
        """The schema with `allOf` merged into it and, with `write_out`, the definition a `$ref` stands for."""

        def lose(keyword: str) -> None:
            self.lose(f"{pointer}/{escape(keyword)}", keyword)

        result = {key: value for key, value in schema.items() if key != "allOf" and not (write_out and key == "$ref")}
        if write_out and "$ref" in schema:
            name, target = str(schema["$ref"]), resolve(schema, self.defs)
            if name in open_refs or self.room <= 0:
                lose("$ref")
                target = {key: target[key] for key in ("type", "description") if key in target}
            else:
                target, open_refs = self.merged(target, pointer, (*open_refs, name), True)
            result = conjoin(result, target, lose)
        branches = [branch for branch in schema.get("allOf", ()) if isinstance(branch, dict)]
        wrapper = len(branches) == 1 and all(map(keywords.is_noise, result))
        for branch in branches:
            part, open_refs = self.merged(branch, pointer, open_refs, write_out or not wrapper)
            result = conjoin(result, part, lose)
        return result, open_refs

    def choice(self, result: Schema, pointer: str) -> None:
        """`oneOf` as `anyOf`, which accepts more; where both stand, one of them is left to dispatch."""
        words = "" if "anyOf" not in result else say("oneOf", result)
        branches = result.pop("oneOf")
        result.setdefault("anyOf", branches)
        self.lose(f"{pointer}/oneOf", "oneOf", words)

    def enumeration(self, result: Schema, pointer: str, words: list[str]) -> None:
        """`enum` and `const` where the dialect takes the values, else their type, and the values in words."""
        if self.rules.openapi and "const" in result and "enum" not in result:
            result["enum"] = [result.pop("const")]
        values = result.get("enum")
        if not isinstance(values, list):
            return
        if self.rules.openapi and None in values and len(values) > 1:
            result["nullable"] = True
            result["enum"] = values = [value for value in values if value is not None]
        refused = not (self.rules.blank or (values and "" not in values))
        if refused or (self.rules.strings and not all(isinstance(value, str) for value in values)):
            text = say("enum", result)
            del result["enum"]
            words += [text] if text else []
            if values != [None]:
                self.lose(f"{pointer}/enum", "enum", text)
        if values and "type" not in result and (self.rules.openapi or "enum" not in result):
            kinds = list(dict.fromkeys(map(_kind, values)))
            result["type"] = kinds[0] if len(kinds) == 1 else kinds

    def openapi(self, result: Schema, pointer: str, words: list[str]) -> None:
        """Types, bounds and formats as OpenAPI 3.0 has them."""
        kinds = _listed(result.get("type"))
        if "null" in kinds and len(kinds) > 1:
            kinds.remove("null")
            result["nullable"] = True
        if "enum" in result and "string" in kinds:
            kinds = ["string"]
        self.exclusive_bounds(result, kinds, pointer, words)
        if result.get("format", "enum") not in _FORMATS:
            self.say_instead("format", result, pointer, words)
        if len(kinds) == 1:
            result["type"] = kinds[0]
            if "anyOf" in result:
                self.say_instead("anyOf", result, pointer, words)
            for keyword in result.keys() - _RELEVANT.get(kinds[0], frozenset()) - _SAID_OF_ALL:
                if keyword in OPENAPI:
                    del result[keyword]
            return
        if len(kinds) > 1 and "anyOf" not in result:
            result["anyOf"] = [
                {"type": kind, **{key: result[key] for key in sorted(_RELEVANT.get(kind, frozenset()) & result.keys())}}
                for kind in kinds
            ]
            del result["type"]
        elif "anyOf" in result:
            for keyword in sorted((result.keys() & OPENAPI) - _SAID_OF_ALL | (result.keys() & {"type"})):
                self.say_instead(keyword, result, pointer, words)
        if "anyOf" in result:
            for keyword in (result.keys() & OPENAPI) - _SAID_OF_ALL:
                del result[keyword]

    def exclusive_bounds(self, result: Schema, kinds: list[str], pointer: str, words: list[str]) -> None:
        """For integers the next value is the same bound; for other numbers the bound itself is let in."""
        for keyword, plain, step, tighter in (
            ("exclusiveMinimum", "minimum", 1, max),
            ("exclusiveMaximum", "maximum", -1, min),
        ):
            if keyword not in result:
                continue
            bound = result[keyword]
            if kinds == ["integer"]:
                bound = (math.floor(bound) if step > 0 else math.ceil(bound)) + step
                del result[keyword]
            else:
                self.say_instead(keyword, result, pointer, words)
            result[plain] = tighter(bound, result.get(plain, bound))

    def say_instead(self, keyword: str, result: Schema, pointer: str, words: list[str]) -> None:
        """Take a keyword out and say it in words if a short sentence does it."""
        text = say(keyword, result)
        del result[keyword]
        words += [text] if text else []
        annotation = keywords.is_noise(keyword)
        self.lose(f"{pointer}/{escape(keyword)}", keyword, text, "dropped" if annotation else "dispatch")

    def untangle(self, result: Schema) -> None:
        """Take out what would mean more once the refused keyword beside it is gone."""
        if "prefixItems" in result and self.refuses("prefixItems"):
            result.pop("items", None)  # it spoke of what comes after the first ones
        if "patternProperties" in result and self.refuses("patternProperties"):
            result.pop("additionalProperties", None)  # it spoke of the other keys

    def drop(self, result: Schema, pointer: str, words: list[str]) -> None:
        """Take out every keyword that the dialect refuses."""
        for keyword in [keyword for keyword in result if self.refuses(keyword)]:
            if _says_nothing(keyword, result[keyword]):
                del result[keyword]
            else:
                self.say_instead(keyword, result, pointer, words)

    def refuses(self, keyword: str) -> bool:
        return keyword in self.rules.refused or (self.rules.openapi and keyword not in OPENAPI)

    def inside(self, result: Schema, pointer: str, open_refs: tuple[str, ...]) -> None:
        """Lower the schemas inside one; a wider schema in a negative place would narrow the whole, so that goes."""
        for keyword, value in list(result.items()):
            here, mark = f"{pointer}/{escape(keyword)}", len(self.losses)
            if keyword in keywords.MAP_KEYWORDS and isinstance(value, dict):
                lowered = {name: self.value(form, f"{here}/{escape(name)}", open_refs) for name, form in value.items()}
                result[keyword] = {name: form for name, form in lowered.items() if form is not None}
            elif keyword in keywords.LIST_KEYWORDS and isinstance(value, list):
                forms = [self.value(form, f"{here}/{index}", open_refs) for index, form in enumerate(value)]
                result[keyword] = [{} if form is None else form for form in forms]
            elif keyword == "items" or (keyword in keywords.SCHEMA_KEYWORDS and isinstance(value, dict)):
                result[keyword] = self.value(value, here, open_refs) or {}
            if keyword in (*_NEGATIVE, "oneOf") and self.widened(mark, value):
                if keyword == "oneOf":
                    self.choice(result, pointer)
                    continue
                del self.losses[mark:]
                for gone in ("if", "then", "else") if keyword == "if" else (keyword,):
                    result.pop(gone, None)
                self.lose(here, keyword)

    def value(self, form: Any, pointer: str, open_refs: tuple[str, ...]) -> Schema | None:
        """A schema that may be a boolean; None for one that accepts nothing."""
        if isinstance(form, dict):
            return self.node(form, pointer, open_refs)
        if form is False:
            self.lose(pointer, "false")
            return None
        return {}

    def widened(self, mark: int, form: Any) -> bool:
        """Whether what was lowered since `mark` accepts more than before."""
        if any(loss.went in ("words", "dispatch") for loss in self.losses[mark:]):
            return True
        return self.fragile and any("$ref" in node for _, node in walk.descend({"allOf": _listed(form)}))

    def known_required(self, result: Schema, pointer: str) -> None:
        """Gemini refuses a required name that is no property."""
        known = [name for name in result["required"] if name in result.get("properties", {})]
        if len(known) < len(result["required"]):
            self.lose(f"{pointer}/required", "required")
        if known:
            result["required"] = known
        else:
            del result["required"]


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list) else [value]


def _is_null(form: Any) -> bool:
    return isinstance(form, dict) and (
        form.get("type") == "null" or form.get("enum") == [None] or form.get("const", 0) is None
    )


def _kind(value: Any) -> str:
    """The JSON Schema type of a value."""
    kinds: Iterable[tuple[type, str]] = (
        (bool, "boolean"),
        (int, "integer"),
        (float, "number"),
        (str, "string"),
        (list, "array"),
        (dict, "object"),
    )
    return next((kind for type_, kind in kinds if isinstance(value, type_)), "null")


def _says_nothing(keyword: str, value: Any) -> bool:
    """Whether a keyword with this value accepts everything anyway."""
    if keyword in ("minLength", "minItems", "minProperties", "minContains"):
        return bool(value == 0)
    return (keyword == "uniqueItems" and value is False) or (
        keyword.startswith(("additional", "unevaluated")) and value in (True, {})
    )
