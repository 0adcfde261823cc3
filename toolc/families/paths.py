"""Families of HTTP operations: by resource path."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace

from toolc.families.member import RELATIONS, Family, Member, unique, without
from toolc.ir import HttpCall, Operation
from toolc.lexicon import Found, Lexicon, words

_VERSION = re.compile(r"(?:api|rest|v\d+(?:[._-]?\d+)*(?:alpha|beta|rc)?\d*)", re.I)
_METHOD_MARK = re.compile(r"(?<=[A-Za-z}])[.:#](?=[A-Za-z])")
_FILE_FORMAT = re.compile(r"\.(?:json|xml|csv|ya?ml)$", re.I)
_HUMP = re.compile(r"[a-z][A-Z]")
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
        members = []
        for operation, segment in entries:
            member = _http_member(operation, segment, nouns, key in collections, _updates_by_post(entries), lexicon)
            thing = "" if segment else _thing(operation, member.verb, key, lexicon)
            is_crud = _is_crud(member.verb, lexicon)
            members.append(replace(member, path=key, nouns=nouns, written=key, is_crud=is_crud, thing=thing))
        writes = any(operation.hints.effect != "read" for operation, _ in entries)
        alone = not any(key[:length] in nodes for length in range(1, len(key)))
        families.append(Family(operations[0].source, key, nouns, tuple(members), path=key, stays=writes or alone))
    return families


def _thing(operation: Operation, verb: str, path: tuple[str, ...], lexicon: Lexicon) -> str:
    """The last segment in the singular, where the operation is about one: `delete_replica`, not `delete_replicas`.

    It is if its path ends in a parameter, unless its name has the plural (`get_route_stats`), or if it creates what its
    name has in the singular (`createSubtask` at `/subtasks`).
    """
    *before, last = words(path[-1]) if path else ("",)
    one = lexicon.singular(last)
    said = () if _is_generated(operation) else words(operation.name.rpartition("/")[2])
    if one == last or last in said or verb in ("list", "search", "count"):
        return ""
    return "_".join((*before, one)) if _is_item(operation) or (verb == "create" and one in said) else ""


def _is_crud(name: str, lexicon: Lexicon) -> bool:
    verb = lexicon.named.get(name)
    return verb is None or verb.order < 7 or bool(verb.near) or name == "check"


def _static(operation: Operation) -> tuple[str, ...]:
    """The static segments of an operation's path; `/chat.post`, `/jobs/{id}:cancel` and `/token#refresh` have two."""
    path = _FILE_FORMAT.sub("", _path(operation).split("?")[0])
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
    return _path(operation).rstrip("/").endswith("}")


def _has_method_mark(operation: Operation) -> bool:
    """Whether the path ends in a method behind a sign: `/users.list`, `/jobs/{id}:cancel`."""
    return _METHOD_MARK.search(_path(operation).rpartition("/")[2]) is not None


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
    # a method name behind a dot or colon is a verb even where it only reads: `/users.list`
    is_method = all(map(_has_method_mark, found))
    if not is_method and all(operation.hints.effect == "read" for operation in found):
        return ""
    methods = set(map(_method, found))
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
    posts = {_is_item(operation) for operation, verb in entries if not verb and _method(operation) == "POST"}
    return len(posts) == 2


def _http_member(
    operation: Operation,
    segment: str,
    nouns: tuple[str, ...],
    is_collection: bool,
    updates_by_post: bool,
    lexicon: Lexicon,
) -> Member:
    """The operation with its verb and what it may be called. segment: the last of its path, where that is a verb."""
    default = _default_verb(operation, segment, updates_by_post)
    name = _name(operation, default, lexicon)
    many = is_collection or _is_paged(operation)
    verb = name.found.verb.name if name.found else default
    if verb == "get" and default == "list" and many:
        verb = "list"
    if name.found is None and default == "list" and not many and nouns and not _is_plural(operation, lexicon):
        verb = "get"
    if segment:
        return _called_by_segment(operation, segment, verb, default, name, lexicon)
    end = tuple(words(nouns[-1])) if nouns else ()
    if (
        name.found is None
        and default in ("create", "update")
        and not _is_item(operation)
        and (name.is_given or not is_collection)
        and end
        and set(end) <= set(name.parts if name.is_given else name.parts[1:])
    ):
        # `POST /pools/7/recycle`, called `recycle_pool`: a verb that the lexicon does not know
        return Member(operation, unique("_".join(end), name.full), "")
    rest = tuple(word for word in without(name.others, nouns, lexicon) if word not in RELATIONS)
    if set(rest) == {"id"}:
        rest = ("by", "id")
    # `DELETE /labels` beside `DELETE /labels/{name}`
    spoken_first = f"{verb}_all" if "all" in rest and default in ("update", "delete") else verb
    # PUT and PATCH of one thing are both updates: their own words tell them apart
    own_word = name.verb if name.found and name.found.verb.name == "update" == verb else ""
    if name.found is None and _method(operation) == "PUT":
        own_word = "replace"
    # `DELETE /labels` beside `DELETE /labels/{name}`, where the names say no more
    is_many = is_collection and default in ("update", "delete") and not _is_item(operation)
    of_many = f"{own_word or verb}_many" if is_many else ""
    return Member(operation, unique(spoken_first, own_word, "_".join((verb, *rest)), of_many, name.full), verb)


def _method(operation: Operation) -> str:
    return operation.call.method.upper() if isinstance(operation.call, HttpCall) else ""


def _path(operation: Operation) -> str:
    return operation.call.path if isinstance(operation.call, HttpCall) else ""


def _default_verb(operation: Operation, segment: str, updates_by_post: bool) -> str:
    """The verb that method and path say, whatever the name does."""
    method = _method(operation)
    default = METHOD_VERBS.get(method, method.lower())
    if method == "POST" and updates_by_post and _is_item(operation):
        return "update"
    return "list" if default == "get" and not _is_item(operation) and not segment else default


@dataclass(frozen=True, slots=True)
class _Name:
    """The words of an operation's name. found: the verb among them; is_given: whether it is not method and path."""

    parts: tuple[str, ...]
    found: Found | None
    is_given: bool

    @property
    def full(self) -> str:
        """All words."""
        return "_".join(self.parts)

    @property
    def verb(self) -> str:
        """The verb as the name says it (`set`, where the lexicon says `update`)."""
        return "_".join(self.parts[self.found.start : self.found.stop]) if self.found else ""

    @property
    def others(self) -> tuple[str, ...]:
        """The words beside the verb; none where no verb is known."""
        return (*self.parts[: self.found.start], *self.parts[self.found.stop :]) if self.found else ()


def _name(operation: Operation, default: str, lexicon: Lexicon) -> _Name:
    is_given = operation.name != f"{_method(operation).lower()} {_path(operation)}"
    parts = words(operation.name.rpartition("/")[2] if is_given else operation.name)
    found = lexicon.first(parts)
    if found is None and is_given:
        found = _after_tag(operation, parts, lexicon)
    if not is_given or (found is not None and parts[found.start] == "post"):
        found = None  # says no more than the method does
    if found is not None and found.verb.kind != "read" and operation.hints.effect == "read":
        found = None  # the trash, a fork, an archive: in what only reads, such a word is a thing
    if found is None and is_given:
        own = (lexicon.at(parts, start) for start in range(len(parts)))
        found = next((verb for verb in own if verb is not None and verb.verb.name == default), None)
    return _Name(parts, found, is_given)


def _is_generated(operation: Operation) -> bool:
    """Whether a name is method and path written in another way: `post_files_id_copy`."""
    first, *rest = words(operation.name) or ("",)
    if first != _method(operation).lower():
        return False
    static = {word for segment in _static(operation) for word in words(segment)}
    return static <= set(rest) <= static | {"id", "by"} | set(words(_path(operation)))


def _after_tag(operation: Operation, parts: tuple[str, ...], lexicon: Lexicon) -> Found | None:
    """The verb behind the tag that a name begins with, where signs divide it: `loadBalancers_remove_droplets`."""
    if not _HUMP.search(operation.name):
        return None  # in `map_commit_author`, signs divide words
    tag, sign, _ = operation.name.rpartition("/")[2].replace(".", "_").replace("-", "_").partition("_")
    found = lexicon.at(parts, len(words(tag))) if sign else None
    if found and parts[found.start] in lexicon.also_nouns:
        # a thing that is as often a verb stands last, or is only read
        return None if operation.hints.effect == "read" or found.stop == len(parts) else found
    return found


def _called_by_segment(
    operation: Operation, segment: str, verb: str, default: str, name: _Name, lexicon: Lexicon
) -> Member:
    """A member whose path ends in a verb: `POST /issues/7/lock`."""
    said = words(segment)
    spoken = lexicon.at(said, 0)
    # `GET /pulls/7/merge` does not merge, `GET /users.lookup` looks up
    is_said = spoken is not None and (spoken.verb.kind == "read" or _has_method_mark(operation))
    if spoken is not None and is_said and default in ("get", "list"):
        action = "_".join((spoken.verb.name, *said[spoken.stop :]))
        return Member(operation, unique(action, name.full), spoken.verb.name)
    if spoken is not None and default in ("create", "update"):
        verb = spoken.verb.name
    action = segment if default in ("create", "update") else unique(f"{verb}_{segment}")[0]
    if name.found and name.verb != segment and default == "delete":
        action = name.found.verb.name if name.found.verb.name != "delete" else f"delete_{segment}"
    return Member(operation, unique(action, name.full), verb)
