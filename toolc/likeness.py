"""How tools resemble one another: by what their names mean, and by whether the arguments of one do for the other.

Similarity of texts is no use here: edit distance of names is wrong 48 % of the time, and cosine similarity of
descriptions
finds nothing usable. What holds is one argument set valid for both schemas and related names, with a veto where verbs
are opposite or a single noun differs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolc.ir import Schema
from toolc.lexicon import Lexicon, words
from toolc.schema.identity import same
from toolc.schema.subsumes import subsumes
from toolc.schema.walk import definition

# Words that tell no two tools apart.
FILLER = frozenset(
    "a an the of for in on to by from with and or all any my tool api mcp item items record records object objects"
    " entity"
    " entities resource resources".split()
)
# Other words for the same thing, where a lexicon of verbs does not reach.
SAME_NOUN = {
    "doc": "document",
    "docs": "document",
    "documentation": "document",
    "repository": "repo",
    "directory": "folder",
    "dir": "folder",
    "message": "msg",
    "image": "img",
    "picture": "img",
    "photo": "img",
    "organization": "org",
    "organisation": "org",
    "configuration": "config",
    "application": "app",
    "database": "db",
    "environment": "env",
    "webpage": "page",
    "website": "site",
    "mail": "email",
}
SAME_VERB = {
    "remove": "delete",
    "execute": "run",
    "invoke": "run",
    "start": "start",
    "launch": "start",
    "query": "search",
}


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a name says. verb: as the lexicon calls it, `` if it has none; nouns: singular, without filler."""

    verb: str
    nouns: frozenset[str]
    several: bool


def meaning(name: str, lexicon: Lexicon, prefix: tuple[str, ...] = ()) -> Meaning:
    """The verb and the things of a name in any style; prefix: the product's words, which say nothing."""
    parts = words(name)
    if prefix and parts[: len(prefix)] == prefix and len(parts) > len(prefix):
        parts = parts[len(prefix) :]
    found = lexicon.first(parts)
    if found is None and len(parts) > 1:  # `web_search`: a word that is a noun as often, at the end
        last = lexicon.at(parts, len(parts) - 1)
        found = last if last is not None and last.stop == len(parts) else None
    rest = parts if found is None else (*parts[: found.start], *parts[found.stop :])
    verb = found.verb.name if found is not None else ""
    nouns = []
    several = False
    for word in rest:
        base = lexicon.singular(word)
        several |= base != word
        base = SAME_NOUN.get(base, SAME_NOUN.get(word, base))
        if base not in FILLER and word not in FILLER:
            nouns.append(base)
    verb = SAME_VERB.get(verb, verb)
    return Meaning("list" if verb == "get" and several else verb, frozenset(nouns), several)


def key_of(name: str) -> str:
    """A parameter's name without its style: `userId`, `user_id` and `user-id` are one."""
    return "".join(words(name))


def interchangeable(one: Schema, other: Schema) -> bool:
    """Whether one set of arguments is valid for both: what either requires, both take, with a type in common."""
    mine, theirs = parameters(one), parameters(other)
    if not mine or not theirs:
        return not mine and not theirs
    needed = {key_of(name) for schema in (one, other) for name in schema.get("required", ()) if isinstance(name, str)}
    shared = mine.keys() & theirs.keys()
    if not shared or not needed <= shared:
        return False
    if not needed and len(shared) < max(1, min(len(mine), len(theirs)) // 2):
        return False
    defs, other_defs = one.get("$defs", {}), other.get("$defs", {})
    return all(_meet(mine[key], defs, theirs[key], other_defs) for key in (needed or shared))


def covers(whole: Schema, part: Schema) -> bool:
    """Whether every call of `part` could be made with `whole`: all its parameters are there, as wide at least."""
    mine, theirs = parameters(whole), parameters(part)
    if not theirs.keys() <= mine.keys():
        return False
    needed = {key_of(name) for name in whole.get("required", ()) if isinstance(name, str)}
    given = {key_of(name) for name in part.get("required", ()) if isinstance(name, str)}
    if not needed <= given:
        return False
    defs, other_defs = whole.get("$defs", {}), part.get("$defs", {})
    return all(
        same(mine[key], theirs[key], defs, other_defs)
        or subsumes({**_plain(mine[key]), "$defs": defs}, {**_plain(theirs[key]), "$defs": other_defs}) == "yes"
        for key in theirs
    )


def alike(one: Schema, other: Schema) -> bool:
    """Whether two schemas have the same parameters, the same ones required, and the same types, up to annotations."""
    mine, theirs = one.get("properties", {}), other.get("properties", {})
    if mine.keys() != theirs.keys() or set(one.get("required", ())) != set(other.get("required", ())):
        return False
    defs, other_defs = one.get("$defs", {}), other.get("$defs", {})
    return all(same(mine[name], theirs[name], defs, other_defs) for name in mine)


def parameters(schema: Schema) -> Mapping[str, Any]:
    """The parameters by `key_of` their names."""
    properties = schema.get("properties")
    return {key_of(name): value for name, value in properties.items()} if isinstance(properties, dict) else {}


def _plain(schema: Any) -> Schema:
    return schema if isinstance(schema, dict) else {}


def _kinds(schema: Any, defs: Schema) -> frozenset[str]:
    if isinstance(schema, dict) and (name := definition(schema.get("$ref"))) is not None:
        schema = defs.get(name)
    kind = schema.get("type") if isinstance(schema, dict) else None
    found = frozenset([kind] if isinstance(kind, str) else kind if isinstance(kind, list) else ())
    return found | {"number"} if "integer" in found else found


def _meet(one: Any, one_defs: Schema, other: Any, other_defs: Schema) -> bool:
    mine, theirs = _kinds(one, one_defs), _kinds(other, other_defs)
    if mine and theirs and not mine & theirs:
        return False
    values = [set(map(str, s["enum"])) for s in (one, other) if isinstance(s, dict) and isinstance(s.get("enum"), list)]
    return len(values) < 2 or bool(values[0] & values[1])


_CONTENT_WORD = re.compile(r"[a-z][a-z0-9]+")
_EMPTY = FILLER | frozenset(
    "info information detail details data result results content contents this that these those is are be it its as"
    " at into via using use used given specified provided based new one"
    " existing"
    " return returns returned get gets list lists search searches find finds fetch fetches retrieve retrieves show"
    " shows"
    " create creates update updates delete deletes remove removes read reads which can will you your if not only also"
    " current specific more when their through about other".split()
)


def content_words(text: str, lexicon: Lexicon) -> frozenset[str]:
    """The words of a text that say what it is about, in the singular."""
    return frozenset(
        SAME_NOUN.get(base, base)
        for word in _CONTENT_WORD.findall(text.lower())
        if word not in _EMPTY and (base := lexicon.singular(word)) not in _EMPTY
    )
