"""Recorded arguments without what they may give away, still valid for their schema.

Kept are values of enums and constants, booleans, nulls, numbers, and whatever the caller says is safe. Every other
string becomes a placeholder for its format; so does a number that names a person, a card or a place, and a key that the
schema does not declare. What the schema itself names (examples, defaults) is public already and is kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolc.schema.flatten import resolve
from toolc.schema.formats import PLACEHOLDERS
from toolc.schema.generate import Generator
from toolc.schema.pattern_samples import samples
from toolc.schema.validator import Validator
from toolc.schema.words import words

MOST_ITEMS = 2  # of an array: a reader learns no more from a third
MOST_DIGITS = 6  # an integer with more may be an account, a phone number, a card
# Values without a declared format whose form can be told by itself, first match first.
_FORMS = {
    "date-time": re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.{0,12}"),
    "date": re.compile(r"\d{4}-\d\d-\d\d"),
    "uuid": re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    "email": re.compile(r"[^@\s]{1,64}@[^@\s]{1,200}\.[^@\s]{1,30}"),
    "url": re.compile(r"https?://\S+"),
    "ipv4": re.compile(r"(?:\d{1,3}\.){3}\d{1,3}"),
}
# Words in the name of a number that names somebody or somebody's things, however short it is.
_PERSONAL = frozenset(
    "account card cvc cvv fax iban license mobile passport passwd password patient phone pin routing salary secret "
    "social ssn tax telephone token".split()
)
_PLACES = frozenset("lat latitude lng lon longitude".split())


_Forms = Sequence[Mapping[str, Any]]  # the schemas that say something of one value


@dataclass(frozen=True, slots=True)
class Masked:
    """Masked arguments. telling: whether more than types is left in them: a kept value, a format, something nested."""

    arguments: dict[str, Any]
    telling: bool


@dataclass(slots=True)
class Masking:
    """How arguments of one schema are masked. safe: names or dotted paths of fields that keep their value."""

    schema: Mapping[str, Any]
    safe: frozenset[str] = frozenset()
    _telling: bool = field(default=False, init=False)
    _validators: dict[str, Validator] = field(default_factory=dict, init=False)
    _generator: Generator = field(default_factory=Generator, init=False)

    def mask(self, arguments: Mapping[str, Any]) -> Masked | None:
        """The arguments masked; None if that cannot be done so that the schema still takes them."""
        self._telling = False
        required = set(self.schema.get("required", ()))
        masked = self._object(arguments, [self.schema], ())
        validator = self._validator(self.schema)
        for name in [name for name in masked if name not in required]:
            # An optional argument whose placeholder is refused is left out rather than shown as it was.
            if not validator.accepts(masked) and any(v.path[:1] == (name,) for v in validator.violations(masked)):
                del masked[name]
        return Masked(masked, self._telling) if validator.accepts(masked) else None

    def _value(self, value: Any, schema: Any, path: tuple[str, ...]) -> Any:
        if value is None or isinstance(value, bool):
            self._telling |= isinstance(value, bool)
            return value
        forms = list(self._applying(value, schema))
        if self._keeps(value, forms, path):
            self._telling = True
            return value
        if isinstance(value, dict):
            return self._object(value, forms, path)
        if isinstance(value, list):
            return self._array(value, forms, path)
        if isinstance(value, str):
            return self._string(value, forms, path)
        return self._number(value, forms, path)

    def _keeps(self, value: Any, forms: _Forms, path: tuple[str, ...]) -> bool:
        if path and (path[-1] in self.safe or ".".join(path) in self.safe):
            return True
        public = [known for form in forms for key in ("enum", "examples") for known in form.get(key, ()) or ()] + [
            form[key] for form in forms for key in ("const", "default") if key in form
        ]
        return any(_same(value, known) for known in public)

    def _object(self, value: Mapping[str, Any], forms: _Forms, path: tuple[str, ...]) -> dict[str, Any]:
        properties = _declared(forms)
        self._telling |= bool(path)
        result: dict[str, Any] = {}
        for key, item in value.items():
            if key in properties or key in self.safe:
                result[key] = self._value(item, properties.get(key, True), (*path, key))
                continue
            rest, shown = True, f"key_{len(result.keys() - properties.keys()) + 1}"
            for form in forms:
                rest = form.get("additionalProperties", rest)
                for pattern, inner in form.get("patternProperties", {}).items():
                    if _matches(pattern, key):
                        rest, shown = inner, next(iter(samples(pattern)), shown)
            if len(result.keys() - properties.keys()) < MOST_ITEMS:
                # The name of such a key is the caller's own word, so it is no path to a safe field either.
                result[shown] = self._value(item, rest, (*path, ""))
        return result

    def _array(self, value: Sequence[Any], forms: _Forms, path: tuple[str, ...]) -> list[Any]:
        self._telling = True
        prefix: list[Any] = next(
            (form["prefixItems"] for form in forms if isinstance(form.get("prefixItems"), list)), []
        )
        inner = next((form["items"] for form in forms if "items" in form), True)
        least = max((form.get("minItems", 0) for form in forms), default=0)
        result: list[Any] = []
        for index, item in enumerate(value):
            if len(result) >= max(MOST_ITEMS, least, len(prefix)):
                break
            masked = self._value(item, prefix[index] if index < len(prefix) else inner, path)
            if masked not in result or index < len(prefix):
                result.append(masked)
            elif len(result) < least:
                result.append(self._another(masked, inner, result))
        return result

    def _another(self, masked: Any, schema: Any, known: Sequence[Any]) -> Any:
        """One more item where an array needs more than there are different ones."""
        made = self._generator.values(schema, self.schema.get("$defs", {}))
        numbered = f"{masked} {len(known) + 1}" if isinstance(masked, str) else masked
        return next((item for item in [numbered, *made] if item not in known and self._accepts(item, schema)), masked)

    def _string(self, value: str, forms: _Forms, path: tuple[str, ...]) -> str:
        named = [name for form in forms for name in (form.get("format"), form.get("contentEncoding")) if name]
        own = next((name for name, form in _FORMS.items() if form.fullmatch(value)), None)
        patterns = [form["pattern"] for form in forms if isinstance(form.get("pattern"), str)]
        label = f"<{' '.join(words(path[-1])) or 'text'}>" if path else "<text>"
        candidates = [
            *(str(sample) for form in forms for sample in form.get("examples", ()) or () if isinstance(sample, str)),
            *(PLACEHOLDERS[name] for name in (*named, own) if name in PLACEHOLDERS),
        ]
        self._telling |= bool(candidates or patterns)
        candidates += [sample for pattern in patterns for sample in samples(pattern)]
        if value.isdecimal():
            candidates.append(_digits(len(value)))
        candidates.append(_fitted(label, forms))
        schema = _all(forms)
        fallback = [made for form in forms for made in self._generator.values(dict(form), self.schema.get("$defs", {}))]
        candidates += [made for made in fallback if isinstance(made, str)]
        return next((text for text in candidates if self._accepts(text, schema)), label)

    def _number(self, value: float, forms: _Forms, path: tuple[str, ...]) -> Any:
        said = set(words(path[-1])) if path else set()
        if said & _PLACES:
            return self._first([float(round(value)), round(value), 0], forms)
        digits = len(str(abs(int(value)))) if value == value and abs(value) != float("inf") else 0
        if said & _PERSONAL or digits > MOST_DIGITS:
            return self._first([int(_digits(min(digits, 15))), 1, *self._made(forms)], forms)
        self._telling = True
        return value

    def _made(self, forms: _Forms) -> Iterator[Any]:
        for form in forms:
            yield from self._generator.values(dict(form), self.schema.get("$defs", {}))

    def _first(self, candidates: Sequence[Any], forms: _Forms) -> Any:
        schema = _all(forms)
        fitting = [c for c in candidates if isinstance(c, int | float) and not isinstance(c, bool)]
        return next((candidate for candidate in fitting if self._accepts(candidate, schema)), 0)

    def _applying(self, value: Any, schema: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
        """The schemas that say something of a value: itself, what it refers to, all of allOf, the branches that fit."""
        if not isinstance(schema, dict) or depth > 20:
            return
        schema = resolve(schema, self.schema.get("$defs", {})) if "$ref" in schema else schema
        if not isinstance(schema, dict):
            return
        yield {key: inner for key, inner in schema.items() if key not in ("allOf", "anyOf", "oneOf", "$ref")}
        for part in schema.get("allOf", ()):
            yield from self._applying(value, part, depth + 1)
        for keyword in ("anyOf", "oneOf"):
            for branch in schema.get(keyword, ()):
                if self._accepts(value, branch):
                    yield from self._applying(value, branch, depth + 1)

    def _accepts(self, value: Any, schema: Any) -> bool:
        if not isinstance(schema, dict):
            return schema is not False
        return self._validator({**schema, "$defs": self.schema.get("$defs", {})}).accepts(value)

    def _validator(self, schema: Mapping[str, Any]) -> Validator:
        key = json.dumps({name: item for name, item in schema.items() if name != "$defs"}, sort_keys=True)
        if key not in self._validators:
            self._validators[key] = Validator(dict(schema))
        return self._validators[key]


def _declared(forms: _Forms) -> dict[str, Any]:
    """What all schemas together say of each key; a key that must be there is the schema's word, not the caller's."""
    found: dict[str, list[Any]] = {}
    for form in forms:
        for key in form.get("required", ()):
            found.setdefault(key, [])
        for key, inner in form.get("properties", {}).items():
            found.setdefault(key, []).append(inner)
    return {key: inner[0] if len(inner) == 1 else {"allOf": inner} if inner else True for key, inner in found.items()}


def _all(forms: _Forms) -> dict[str, Any]:
    return {"allOf": [dict(form) for form in forms]} if forms else {}


def _same(value: Any, known: Any) -> bool:
    return bool(value == known) and isinstance(value, bool) == isinstance(known, bool)


def _digits(count: int) -> str:
    return ("1234567890" * (count // 10 + 1))[:count]


def _fitted(label: str, forms: _Forms) -> str:
    least = max((form.get("minLength", 0) for form in forms), default=0)
    most = min((form["maxLength"] for form in forms if "maxLength" in form), default=len(label) + least)
    text = label if len(label) <= most else label.strip("<>")[:most]
    return text + "x" * (least - len(text))


def _matches(pattern: str, key: str) -> bool:
    try:
        return re.search(pattern, key) is not None
    except re.error:
        return False
