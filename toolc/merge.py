"""Makes one action tool out of several tools with one operation each; proves nothing, decides nothing about cost."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from toolc.ir import Case, Dispatch, Hint, Hints, Operation, Schema, Tool
from toolc.lexicon import Lexicon, lexicon, words
from toolc.schema.walk import Fingerprints, children, definition, is_noise, rebuild
from toolc.wording import EMPTY, contained, listed, repeats, sentence, shared

SELECTORS = ("action", "operation", "method", "op", "command")
BOUNDS = {
    "minimum": min,
    "exclusiveMinimum": min,
    "minLength": min,
    "minItems": min,
    "minProperties": min,
    "maximum": max,
    "exclusiveMaximum": max,
    "maxLength": max,
    "maxItems": max,
    "maxProperties": max,
}
ROOT_KEYWORDS = frozenset({"type", "properties", "required", "additionalProperties", "$defs"})
NO_DEFS: Schema = {}
# What the parts of a tool are about: a thing itself, `also` what belongs to it, `only` that; things whose names begin
# with it (`compound`); or whatever its `name` covers.
Spread = Literal["", "also", "only", "compound", "name"]
MOST_OBJECTS = 4
MOST_LEAD = 160  # characters in which a tool's description has to carry its meaning


@dataclass(frozen=True, slots=True)
class Part:
    """One operation that goes into a merged tool: its action, its verb, and its own model-facing tool."""

    action: str
    verb: str
    tool: Tool
    operation: Operation


@dataclass(frozen=True, slots=True)
class Pins:
    """What the lock fixed for a tool: the selector's name and, by operation id, {merged name: original name}."""

    select: str = ""
    args: Mapping[str, Mapping[str, str]] | None = None


def unmergeable(operation: Operation) -> str:
    """Why an operation can go into no merged tool, or an empty string."""
    schema = operation.input
    if schema.get("additionalProperties", False) is not False or "patternProperties" in schema:
        return "takes free keys"
    if not isinstance(schema.get("properties"), dict):
        return "takes alternatives or free keys without declared properties"
    return ""


def merge(
    name: str,
    nouns: Sequence[str],
    spread: Spread,
    parts: Sequence[Part],
    lexicon: Lexicon,
    marks: Fingerprints,
    pins: Pins | None = None,
) -> Tool:
    """The action tool; parts in any order, none `unmergeable`, each with an action of its own.

    nouns: what it is about, as in a sentence (`account keys`); spread: how far the parts are.
    """
    parts = sorted(parts, key=lambda part: lexicon.order(part.action))
    pins = pins or Pins()
    used = {key for part in parts for key in part.tool.input_schema["properties"]}
    select = pins.select if pins.select and pins.select not in used else _selector(used)
    schemas, defs = _shared_defs(parts, marks)
    properties, renames = _properties(parts, schemas, {select, *used}, marks, pins)
    required = [select] + [
        key
        for key, takers in properties.takers.items()
        if len(takers) == len(parts) and all(key in properties.required[part.action] for part in parts)
    ]
    schema: Schema = {
        "type": "object",
        "properties": {select: {"type": "string", "enum": [part.action for part in parts]}, **properties.schemas},
        "required": required,
    }
    if defs:
        schema["$defs"] = defs
    return Tool(
        name=name,
        description=_description(nouns, spread, parts, lexicon),
        input_schema=schema,
        dispatch=Dispatch(
            (select,),
            tuple(Case({select: part.action}, part.operation.id, renames[part.action]) for part in parts),
        ),
        origins=tuple(origin for part in parts for origin in part.tool.origins),
        hints=join_hints([part.tool.hints for part in parts]),
        details="\n\n".join(f"{part.action}: {part.tool.details}" for part in parts if part.tool.details),
    )


def _selector(used: set[str]) -> str:
    return next((name for name in SELECTORS if name not in used), None) or next(
        name for number in range(2, len(used) + 3) if (name := f"action_{number}") not in used
    )


def join_hints(hints: Sequence[Hints]) -> Hints:
    """The cautious join: a promise holds only if all make it, a danger if any does."""

    def join(name: str, cautious: bool) -> Hint:
        members: list[Hint] = [getattr(hint, name) for hint in hints]
        if any(hint.value is cautious for hint in members):
            return next(hint for hint in members if hint.value is cautious)
        if all(hint.value is (not cautious) for hint in members):
            return members[0]
        return next(hint for hint in members if hint.value is None)

    return Hints(
        join("read_only", cautious=False),
        join("destructive", cautious=True),
        join("idempotent", cautious=False),
        join("open_world", cautious=True),
    )


def _shared_defs(parts: Sequence[Part], marks: Fingerprints) -> tuple[dict[str, Schema], Schema]:
    """By action, the schema with `$ref`s into one set of definitions; clashing names get a content hash."""
    forms: dict[str, dict[str, str]] = defaultdict(dict)  # name → content → name in the merged tool
    merged: Schema = {}
    schemas = {}
    for part in parts:
        schema = part.tool.input_schema
        own: Schema = schema.get("$defs", {})
        names = {}
        for name, content in own.items():
            mark = marks.of(content, own)
            known = forms[name]
            if mark not in known:
                known[mark] = name if not known else f"{name}_{mark[:6]}"
            names[name] = known[mark]
        changed = {old: new for old, new in names.items() if old != new}
        for name, content in own.items():
            merged.setdefault(names[name], _renamed(content, changed))
        schemas[part.action] = _renamed(schema, changed)
    return schemas, merged


def _renamed(schema: Any, names: Mapping[str, str]) -> Any:
    """The schema with its references renamed."""
    if not names or not isinstance(schema, dict):
        return schema

    def rename(inner: Schema) -> Schema:
        name = definition(inner.get("$ref"))
        return {**inner, "$ref": f"#/$defs/{names[name]}"} if name is not None and name in names else inner

    return rebuild(schema, rename)


@dataclass(slots=True)
class _Form:
    """One way in which a property stands in the family: its schema and the actions that take it so."""

    schema: Schema
    texts: dict[str, str]
    schemas: dict[str, Schema]
    words: list[str]


@dataclass(frozen=True, slots=True)
class _Properties:
    schemas: Schema
    takers: dict[str, list[str]]
    required: dict[str, set[str]]


def _properties(
    parts: Sequence[Part], schemas: Mapping[str, Schema], reserved: set[str], marks: Fingerprints, pins: Pins
) -> tuple[_Properties, dict[str, dict[str, str]]]:
    """The union of the parameters, and by action {merged name: original name} where they differ."""
    renames: dict[str, dict[str, str]] = {part.action: {} for part in parts}
    ids = {part.action: part.operation.id for part in parts}
    everyone = [part.action for part in parts]
    out = _Properties({}, {}, {action: set() for action in everyone})
    for name in dict.fromkeys(key for action in everyone for key in schemas[action]["properties"]):
        forms = _forms(name, {a: s for a, s in schemas.items() if name in s["properties"]}, marks)
        for index, form in enumerate(forms):
            takers = list(form.schemas)
            merged = _pinned(pins, ids, takers, name) or (name if index == 0 else "")
            if not merged or merged in out.schemas:
                merged = _free(f"{takers[0]}_{name}", reserved)
            reserved.add(merged)
            for action in takers:
                if merged != name:
                    renames[action][merged] = name
                if name in schemas[action].get("required", ()):
                    out.required[action].add(merged)
            needed = [action for action in takers if merged in out.required[action]]
            out.takers[merged] = takers
            out.schemas[merged] = _with_text(form, takers, needed, everyone)
    return out, renames


def _pinned(pins: Pins, ids: Mapping[str, str], takers: Iterable[str], name: str) -> str:
    for action in takers:
        for merged, original in (pins.args or {}).get(ids[action], {}).items():
            if original == name:
                return merged
    return ""


def _free(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    return next(made for number in range(2, len(taken) + 3) if (made := f"{name}_{number}") not in taken)


def _forms(name: str, schemas: Mapping[str, Schema], marks: Fingerprints) -> list[_Form]:
    """The forms of one property, the commonest first; equal ones, and ones that differ only in bounds, are one."""
    groups: dict[str, dict[str, Schema]] = {}
    for action, schema in schemas.items():
        inner = schema["properties"][name]
        inner = {} if inner is True else {"not": {}} if inner is False else inner
        if not inner.keys().isdisjoint(BOUNDS):
            loose = {key: value for key, value in inner.items() if key not in BOUNDS}
        else:
            loose = inner
        groups.setdefault(marks.of(loose, schema.get("$defs", NO_DEFS)), {})[action] = inner
    ordered = sorted(groups.values(), key=len, reverse=True)  # stable: ties keep the order of actions
    return [_form(members) for members in ordered]


def _form(members: dict[str, Schema]) -> _Form:
    schemas = list(members.values())
    merged = dict(schemas[0])
    remarks = []
    for keyword, choose in BOUNDS.items():
        values = [schema[keyword] for schema in schemas if keyword in schema]
        if not values:
            continue
        if len(values) == len(schemas):
            merged[keyword] = choose(values)
        else:
            merged.pop(keyword, None)
        remarks += [
            f"{action}: {keyword} {schema[keyword]}."
            for action, schema in members.items()
            if keyword in schema and schema[keyword] != merged.get(keyword)
        ]
    for schema in schemas[1:]:
        merged = _texts_of_both(merged, schema)
    defaults = [(action, schema["default"]) for action, schema in members.items() if "default" in schema]
    if "default" in merged or defaults:
        same = len(defaults) == len(members) and all(value == defaults[0][1] for _, value in defaults)
        merged.pop("default", None)
        if same:
            merged["default"] = defaults[0][1]
        else:
            remarks += [f"{action}: default {_plain(value)}." for action, value in defaults]
    texts = {action: str(schema.get("description", "")) for action, schema in members.items()}
    return _Form(merged, texts, members, remarks)


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else "null" if value is None else str(value)


def _texts_of_both(one: Schema, other: Schema) -> Schema:
    """One schema with the nested words of both; they are equal up to annotations."""
    result = None
    mine = dict(children(one))
    for path, theirs in children(other):
        ours = mine.get(path)
        if not isinstance(ours, dict) or not isinstance(theirs, dict) or ours is theirs:
            continue
        new = _texts_of_both(ours, theirs)
        said, more = str(ours.get("description", "")), str(theirs.get("description", ""))
        if more and not contained(more, said):
            new = {**new, "description": more if contained(said, more) else f"{sentence(said)} {more}"}
        if new is not ours:
            result = result or dict(one)
            _put(result, path, new)
    return result or one


def _put(schema: Schema, path: tuple[str | int, ...], value: Schema) -> None:
    if len(path) == 1:
        schema[str(path[0])] = value
        return
    holder: Any = schema[str(path[0])]
    holder = list(holder) if isinstance(holder, list) else dict(holder)
    holder[path[1]] = value
    schema[str(path[0])] = holder


def _with_text(form: _Form, takers: list[str], needed: list[str], everyone: list[str]) -> Schema:
    """The property with its own words, then the actions it belongs to."""
    pieces = [_together(form.texts), *form.words]
    others = [action for action in takers if action not in needed]
    if len(takers) == len(everyone):
        if needed and others:
            pieces.append(f"Required: {', '.join(needed)}.")
    elif needed and others:
        pieces.append(f"Required: {', '.join(needed)}. Also: {', '.join(others)}.")
    elif needed:
        pieces.append(f"Required: {', '.join(needed)}.")
    else:
        pieces.append(f"{', '.join(others)}.")
    said = [piece for piece in pieces if piece]
    text = " ".join([*(sentence(piece) for piece in said[:-1]), *said[-1:]])
    schema = {key: value for key, value in form.schema.items() if key != "description"}
    return {**schema, "description": text} if text else schema


def _together(texts: Mapping[str, str]) -> str:
    """Identical texts once, one inside another as the longer, else each with the actions that say so.

    What all say, whole sentences, is said once, before the rest.
    """
    distinct: dict[str, list[str]] = {}
    for action, text in texts.items():
        if text:
            distinct.setdefault(text, []).append(action)
    kept = {
        text: actions
        for text, actions in distinct.items()
        if not any(other != text and _says_all(other, text, actions) for other in distinct)
    }
    if len(kept) <= 1:
        return next(iter(kept), "")
    common, rest = shared({text: text for text in kept}) if len(kept) == len(distinct) else ("", {})
    said = [f"{', '.join(actions)}: {rest.get(text, text)}" for text, actions in kept.items()]
    pieces = "; ".join([*(text.removesuffix(".") for text in said[:-1]), said[-1]])
    return f"{sentence(common)} {pieces}" if common else pieces


def _says_all(long: str, short: str, actions: Sequence[str]) -> bool:
    """Whether a text stands for a shorter one inside it; `Name to delete` is no name for what sets it."""
    if not contained(short, long):
        return False
    known = lexicon()
    own = {found.verb for action in actions if (found := known.at(words(action), 0)) is not None}
    more = long.lower().replace(short.lower().rstrip(". "), " ")
    purposes = {known.verbs.get((word,)) for word in re.findall(r"\bto (\w+)", more)} - {None}
    return not purposes or not own or bool(purposes & own)


def _description(nouns: Sequence[str], spread: Spread, parts: Sequence[Part], lexicon: Lexicon) -> str:
    """What the tool does in one sentence, then a line for each action that says more than verb and noun."""
    lines = [_lead(" ".join(nouns), spread, parts, lexicon)]
    texts = {}
    for part in parts:
        known = {*words(part.action), *words(part.verb), *words(" ".join(nouns))}
        said = part.tool.description
        texts[part.action] = "" if repeats(said, known, part.verb, lexicon) else said
    common, texts = shared(texts)
    if common:
        lines.append(f"All: {common}")
    for part in parts:
        said = texts[part.action]
        text = " ".join(filter(None, [sentence(said) if said else "", root_words(part.tool.input_schema)]))
        if text:
            lines.append(f"{part.action}: {text}")
    return "\n".join(lines)


def _lead(thing: str, spread: Spread, parts: Sequence[Part], lexicon: Lexicon) -> str:
    """One sentence for the whole tool, so short that it is read where only a beginning is shown."""
    spoken = {part.action: _spoken(part, lexicon) for part in parts}
    direct = [part for part in parts if _is_direct(part, lexicon)] if spread != "only" else []
    verbs = _once(spoken[part.action][0].replace("_", " ") for part in parts)
    objects = _once(" ".join(spoken[part.action][1]) for part in parts)
    few = all(objects) and len(objects) <= MOST_OBJECTS
    if spread == "compound" and few:
        lead = f"{listed(verbs).capitalize()} {thing} {listed(objects)}."
    elif spread in ("compound", "name"):
        lead = f"{thing.capitalize()}: {', '.join(verbs)}."
    elif not direct:
        lead = f"{listed(verbs).capitalize()} {f'{listed(objects)} of' if few else 'what belongs to'} {thing}."
    else:
        whole = spread == "" and len(direct) == len(parts)
        verbs = _once(spoken[part.action][0].replace("_", " ") for part in direct)
        lead = f"{listed(verbs).capitalize()} {thing}{'' if whole else ' and what belongs to them'}."
    return lead if len(lead) <= MOST_LEAD else f"{thing.capitalize()}: {len(parts)} actions."


def _once(items: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(items))


def _spoken(part: Part, lexicon: Lexicon) -> tuple[str, tuple[str, ...]]:
    """The verb as the action says it (`terminate`, where the lexicon says `kill`), and the words after it."""
    said = words(part.action)
    found = lexicon.at(said, 0)
    if found is None or found.verb.name != part.verb:
        return part.verb or part.action, ()
    return " ".join(said[: found.stop]), said[found.stop :]


def _is_direct(part: Part, lexicon: Lexicon) -> bool:
    """Whether an action is done to the thing itself: `add`, `get_by_id`, but not `add_followers`."""
    return all(word in EMPTY or word == "id" for word in _spoken(part, lexicon)[1])


def root_words(schema: Schema) -> str:
    """In words, what a root demands beyond its properties; dispatch checks it."""
    said = []
    for keyword, value in schema.items():
        if keyword in ROOT_KEYWORDS or is_noise(keyword):
            continue
        if keyword in ("anyOf", "oneOf") and isinstance(value, list):
            choices = [" + ".join(branch.get("required", ())) for branch in value if isinstance(branch, dict)]
            if all(choices):
                said.append(f"{'Exactly' if keyword == 'oneOf' else 'At least'} one of: {', '.join(choices)}.")
                continue
        if keyword == "dependentRequired" and isinstance(value, dict):
            said += [f"{key} needs {', '.join(needs)}." for key, needs in value.items() if needs]
        elif keyword == "minProperties":
            said.append(f"At least {value} of its parameters.")
        elif keyword == "maxProperties":
            said.append(f"At most {value} parameters.")
        else:
            said.append(f"Further rules ({keyword}) are checked at the call.")
    return " ".join(said)
