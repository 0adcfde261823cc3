"""Families of HTTP operations: by resource path."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import replace

from toolc.families.member import RELATIONS, Family, Member, unique, without
from toolc.ir import HttpCall, Operation
from toolc.lexicon import Lexicon, words

_VERSION = re.compile(r"(?:api|rest|v\d+(?:[._-]?\d+)*(?:alpha|beta|rc)?\d*)", re.I)
_METHOD_MARK = re.compile(r"(?<=[A-Za-z}])[.:#](?=[A-Za-z])")
_FILE_FORMAT = re.compile(r"\.(?:json|xml|csv|ya?ml)$", re.I)
# Parameters with which a collection is read in parts.
PAGING = frozenset({"page", "per_page", "page_size", "pageSize", "limit", "offset", "cursor", "marker", "page_token"})
HTTP_METHODS = frozenset({"get", "head", "post", "put", "patch", "delete", "options"})
METHOD_VERBS = {"GET": "get", "HEAD": "check", "POST": "create", "PUT": "update", "PATCH": "update", "DELETE": "delete"}


def by_path(operations: list[Operation], lexicon: Lexicon) -> list[Family]:
    """Families of HTTP operations: the static segments of the path, without a last one that is a verb."""
    paths = _without_version({operation.id: _static(operation) for operation in operations})
    prefixes: Counter[tuple[str, ...]] = Counter()
    for path in set(paths.values()):
        prefixes.update(path[:length] for length in range(1, len(path)))
    on_path: dict[tuple[str, ...], list[Operation]] = defaultdict(list)
    for operation in operations:
        on_path[paths[operation.id]].append(operation)
    nodes: dict[tuple[str, ...], list[tuple[Operation, str]]] = defaultdict(list)
    collections = set()
    for path, found in sorted(on_path.items()):
        verb = _action_segment(path, found, prefixes[path] > 0, lexicon)
        key = path[:-1] if verb else path
        nodes[key].extend((operation, verb) for operation in found)
        if not verb and any(map(_is_item, found)):
            collections.add(path)
    families = []
    for key, entries in nodes.items():
        nouns = tuple("_".join(map(lexicon.singular, words(segment))) for segment in key)
        members = tuple(
            replace(member, path=key, nouns=nouns, written=key, is_crud=_is_crud(member.verb, lexicon))
            for member in (
                _http_member(operation, verb, nouns, key in collections, _updates_by_post(entries), lexicon)
                for operation, verb in entries
            )
        )
        writes = any(operation.hints.effect != "read" for operation, _ in entries)
        alone = not any(key[:length] in nodes for length in range(1, len(key)))
        families.append(Family(operations[0].source, key, nouns, members, path=key, stays=writes or alone))
    return families


def _is_crud(name: str, lexicon: Lexicon) -> bool:
    verb = lexicon.named.get(name)
    return verb is None or verb.order < 7 or bool(verb.near) or name == "check"


def _static(operation: Operation) -> tuple[str, ...]:
    """The static segments of an operation's path; `/chat.post`, `/jobs/{id}:cancel` and `/token#refresh` have two."""
    path = operation.call.path if isinstance(operation.call, HttpCall) else ""
    path = _FILE_FORMAT.sub("", path.split("?")[0])
    segments = (text for segment in path.split("/") if (text := _outside_braces(segment)))
    return tuple(part for text in segments for part in _METHOD_MARK.split(text) if part)


def _without_version(paths: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The paths without leading segments that name no resource: `/api/v2`."""

    def cut(path: tuple[str, ...]) -> tuple[str, ...]:
        start = next((n for n, segment in enumerate(path) if not _VERSION.fullmatch(segment)), 0)
        return path[start:]

    return {key: cut(path) for key, path in paths.items()}


def _is_paged(operation: Operation) -> bool:
    return not PAGING.isdisjoint(operation.input.get("properties", ()))


def _is_plural(operation: Operation, lexicon: Lexicon) -> bool:
    last = ("", *words(("", *_static(operation))[-1]))[-1]
    return lexicon.singular(last) != last


def _is_item(operation: Operation) -> bool:
    return isinstance(operation.call, HttpCall) and operation.call.path.rstrip("/").endswith("}")


def _outside_braces(segment: str) -> str:
    text = ""
    depth = 0
    for character in segment:
        depth += character == "{"
        if depth == 0:
            text += character
        depth -= character == "}" and depth > 0
    return text.strip(".:#-_")


def _action_segment(path: tuple[str, ...], found: list[Operation], has_children: bool, lexicon: Lexicon) -> str:
    """The last segment as an action, or an empty string where it is a resource of its own."""
    if len(path) < 2 or has_children:
        return ""
    last = words(path[-1])
    verb = lexicon.at(last, 0)
    if verb is None:
        return ""
    calls = [operation.call for operation in found if isinstance(operation.call, HttpCall)]
    # a method name behind a dot or colon is a verb even where it only reads: `/users.list`
    is_method = all(_METHOD_MARK.search(call.path.rpartition("/")[2]) for call in calls)
    if not is_method and all(operation.hints.effect == "read" for operation in found):
        return ""
    methods = {call.method for call in calls}
    if len(last) > 1:
        own = [words(operation.name.rpartition("/")[2]) for operation in found]
        said = [lexicon.first(name) for name in own if name and name[0] not in HTTP_METHODS]
        if any(one is not None and one.verb is not verb.verb for one in said):
            return ""  # `set-fork-pr-approval` and `create-remove-token` do not fork and remove
    if last[0] in lexicon.also_nouns:
        if verb.stop == len(last) and (len(methods) > 2 or "PATCH" in methods):
            return ""
        if verb.stop < len(last) and any(map(_is_item, found)):
            return ""  # `issue-types` with `issue-types/{id}` is a thing, `set-parent` is not
    return "_".join(last)


def _updates_by_post(entries: list[tuple[Operation, str]]) -> bool:
    """Whether POST makes a thing at its collection and changes one at the item, as Stripe has it."""
    posts = {
        _is_item(o) for o, verb in entries if not verb and isinstance(o.call, HttpCall) and o.call.method == "POST"
    }
    return len(posts) == 2


def _http_member(
    operation: Operation,
    segment: str,
    nouns: tuple[str, ...],
    is_collection: bool,
    updates_by_post: bool,
    lexicon: Lexicon,
) -> Member:
    method = operation.call.method.upper() if isinstance(operation.call, HttpCall) else ""
    path = operation.call.path if isinstance(operation.call, HttpCall) else ""
    is_named = operation.name != f"{method.lower()} {path}"
    parts = words(operation.name.rpartition("/")[2] if is_named else operation.name)
    found = lexicon.first(parts)
    if not is_named or (found is not None and parts[found.start] == "post"):
        found = None  # says no more than the method does
    default = METHOD_VERBS.get(method, method.lower())
    if method == "POST" and updates_by_post and _is_item(operation):
        default = "update"
    if default == "get" and not path.rstrip("/").endswith("}") and not segment:
        default = "list"
    if found is not None and found.verb.kind != "read" and operation.hints.effect == "read":
        found = None  # the trash, a fork, an archive: in what only reads, such a word is a thing
    if found is None and is_named:
        own = (lexicon.at(parts, start) for start in range(len(parts)))
        found = next((verb for verb in own if verb is not None and verb.verb.name == default), None)
    verb = found.verb.name if found else default
    many = is_collection or _is_paged(operation)
    if verb == "get" and default == "list" and many:
        verb = "list"
    if found is None and default == "list" and not many and nouns and not _is_plural(operation, lexicon):
        verb = "get"
    rest = without((*parts[: found.start], *parts[found.stop :]) if found else (), nouns, lexicon)
    rest = tuple(word for word in rest if word not in RELATIONS)
    if set(rest) == {"id"}:
        rest = ("by", "id")
    full = "_".join(parts)
    if segment:
        spoken = lexicon.at(words(segment), 0)
        # `GET /pulls/7/merge` does not merge, `GET /users.lookup` looks up
        is_said = spoken is not None and (spoken.verb.kind == "read" or _METHOD_MARK.search(path.rpartition("/")[2]))
        if spoken is not None and is_said and default in ("get", "list"):
            action = "_".join((spoken.verb.name, *words(segment)[spoken.stop :]))
            return Member(operation, unique(action, full), spoken.verb.name)
        if spoken is not None and default in ("create", "update"):
            verb = spoken.verb.name
        action = segment if default in ("create", "update") else unique(f"{verb}_{segment}")[0]
        if found and "_".join(parts[found.start : found.stop]) != segment and default == "delete":
            action = found.verb.name if found.verb.name != "delete" else f"delete_{segment}"
        return Member(operation, unique(action, full), verb)
    end = tuple(words(nouns[-1])) if nouns else ()
    if (
        found is None
        and default in ("create", "update")
        and not _is_item(operation)
        and (is_named or not is_collection)
        and end
        and set(end) <= set(parts if is_named else parts[1:])
    ):
        # `POST /pools/7/recycle`, called `recycle_pool`: a verb that the lexicon does not know
        return Member(operation, unique("_".join(end), full), "")
    qualified = "_".join((verb, *rest))
    # `DELETE /labels` beside `DELETE /labels/{name}`
    spoken_first = f"{verb}_all" if "all" in rest and default in ("update", "delete") else verb
    # PUT and PATCH of one thing are both updates: their own words tell them apart
    own_word = "_".join(parts[found.start : found.stop]) if found and found.verb.name == "update" == verb else ""
    if found is None and method == "PUT":
        own_word = "replace"
    # `DELETE /labels` beside `DELETE /labels/{name}`, where the names say no more
    is_many = is_collection and default in ("update", "delete") and not _is_item(operation)
    of_many = f"{own_word or verb}_many" if is_many else ""
    return Member(operation, unique(spoken_first, own_word, qualified, of_many, full), verb)
