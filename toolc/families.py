"""Which operations may become one tool: families, found by resource path, by verb and noun, or by hand."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from toolc.ir import HttpCall, Operation, SqlCall
from toolc.lexicon import Lexicon, words

_VERSION = re.compile(r"(?:api|rest|v\d+(?:[._-]?\d+)*(?:alpha|beta|rc)?\d*)", re.I)
_METHOD_MARK = re.compile(r"(?<=[A-Za-z}])[.:#](?=[A-Za-z])")
_FILE_FORMAT = re.compile(r"\.(?:json|xml|csv|ya?ml)$", re.I)
METHOD_VERBS = {"GET": "get", "HEAD": "check", "POST": "create", "PUT": "update", "PATCH": "update", "DELETE": "delete"}


@dataclass(frozen=True, slots=True)
class Member:
    """An operation in a family.

    actions: names it may have as an action, the shortest first. path: static segments of its resource, if it has one.
    nouns: the singular of each segment. is_crud: its verb needs a noun to say what it does.
    """

    operation: Operation
    actions: tuple[str, ...]
    verb: str
    path: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()
    is_crud: bool = True

    def actions_at(self, path: tuple[str, ...]) -> tuple[str, ...]:
        """Its action names in the tool of a parent resource: `list_comments`; `ping` is enough at `pings`."""
        way = self.path[len(path) :] if path and self.path[: len(path)] == path else ()
        if not way:
            return self.actions
        first = self.actions[0]
        below = "_".join(words("_".join(way)))
        last, whole = "_".join(words(way[-1])), "_".join(word for segment in way for word in words(segment))
        # `ping` of `pings` says enough; `cancel` for `orgs/invitations` would seem to cancel the organisation
        plain = (first,) if not self.is_crud and "_" not in first and first.removeprefix("un")[:4] in below else ()
        said = set(first.split("_")) >= set(last.split("_"))
        return _unique(*plain, first if said else f"{first}_{last}", f"{first}_{whole}", self.actions[-1])


@dataclass(frozen=True, slots=True)
class Family:
    """Operations on one thing.

    key: what identifies it inside its source. nouns: words for its name, from the general to the special; the last
    ones are used first. parent: the key of the family that a read-only one may join, if any.
    """

    source: str
    key: tuple[str, ...]
    nouns: tuple[str, ...]
    members: tuple[Member, ...]
    parent: tuple[str, ...] | None = None
    path: tuple[str, ...] = ()


def find(
    operations: Sequence[Operation], lexicon: Lexicon, by_hand: Mapping[str, Sequence[str]] | None = None
) -> list[Family]:
    """The families of one source's operations, in the order of their keys; those by hand (label → ids) first."""
    taken: dict[str, str] = {}
    for label, ids in (by_hand or {}).items():
        for operation_id in ids:
            taken.setdefault(operation_id, label)
    declared = [
        _declared(label, [operation for operation in operations if taken.get(operation.id) == label], lexicon)
        for label in (by_hand or {})
    ]
    rest = [operation for operation in operations if operation.id not in taken]
    http = [operation for operation in rest if isinstance(operation.call, HttpCall)]
    named = [operation for operation in rest if not isinstance(operation.call, HttpCall | SqlCall)]
    found = [*_by_path(http, lexicon), *_by_noun(named, lexicon)]
    return [family for family in declared if family.members] + sorted(found, key=lambda family: family.key)


def _declared(label: str, operations: list[Operation], lexicon: Lexicon) -> Family:
    nouns = tuple(words(label))
    members = tuple(_member(operation, nouns, lexicon) for operation in operations)
    source = operations[0].source if operations else ""
    return Family(source, ("", label), (label,), members)


def _member(operation: Operation, nouns: tuple[str, ...], lexicon: Lexicon, prefix: int = 0) -> Member:
    """The operation with the action names that its own name gives, without the words of the family's noun."""
    parts = words(operation.name)
    found = lexicon.first(parts, prefix)
    if found is None:
        rest = _without(parts[prefix:], nouns, lexicon)
        name = "_".join(rest or parts)
        return Member(operation, _unique(name, "_".join(parts)), "")
    before = _without(parts[prefix : found.start], nouns, lexicon)
    rest = (*before, *_without(parts[found.stop :], nouns, lexicon))
    spoken = "_".join(parts[found.start : found.stop])
    first = "_".join((*before, spoken)) if before else found.verb.name
    return Member(
        operation, _unique(first, spoken, "_".join((found.verb.name, *rest)), "_".join(parts)), found.verb.name
    )


def _unique(*names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))


def _without(parts: Sequence[str], nouns: Sequence[str], lexicon: Lexicon) -> tuple[str, ...]:
    known = {lexicon.singular(noun) for word in nouns for noun in word.split("_")}
    return tuple(part for part in parts if lexicon.singular(part) not in known)


def _by_noun(operations: list[Operation], lexicon: Lexicon) -> list[Family]:
    """Families of MCP and native tools: the words of the name that are no verb, in the singular."""
    parts = {operation.id: words(operation.name) for operation in operations}
    prefix = _product_prefix(list(parts.values()), lexicon)
    nouns: dict[tuple[str, ...], list[Operation]] = defaultdict(list)
    for operation in operations:
        own = parts[operation.id]
        start = len(prefix) if own[: len(prefix)] == prefix and len(own) > len(prefix) else 0
        found = lexicon.first(own, start)
        if found is None:
            nouns[("", operation.name)].append(operation)
            continue
        rest = (*own[start : found.start], *own[found.stop :])
        noun = tuple(map(lexicon.singular, rest))
        # with a product prefix alone (`memory_create`), the prefix is the noun
        nouns[noun or prefix or ("", operation.name)].append(operation)
    families = []
    for noun, found_operations in nouns.items():
        if noun[0] == "":
            continue
        members = tuple(
            _member(operation, noun, lexicon, _start(parts[operation.id], prefix)) for operation in found_operations
        )
        families.append(Family(found_operations[0].source, noun, ("_".join(noun),), members))
    return families


def _start(own: tuple[str, ...], prefix: tuple[str, ...]) -> int:
    return len(prefix) if own[: len(prefix)] == prefix and len(own) > len(prefix) else 0


def _product_prefix(names: list[tuple[str, ...]], lexicon: Lexicon) -> tuple[str, ...]:
    """The first word of most names (`browser`, `hubspot`), if it is no verb."""
    firsts = Counter(name[0] for name in names if len(name) > 1)
    if not firsts:
        return ()
    word, count = max(firsts.items(), key=lambda item: (item[1], item[0]))
    if count < max(2, 0.6 * len(names)) or (lexicon.at((word,), 0) and word not in lexicon.also_nouns):
        return ()
    return (word,)


def _by_path(operations: list[Operation], lexicon: Lexicon) -> list[Family]:
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
        if not verb and path and _is_collection(path[-1], found, lexicon):
            collections.add(path)
    families = []
    for key, entries in nodes.items():
        nouns = tuple("_".join(map(lexicon.singular, words(segment))) for segment in key)
        members = tuple(
            replace(member, path=key, nouns=nouns, is_crud=_is_crud(member.verb, lexicon))
            for member in (
                _http_member(operation, verb, nouns, key in collections, lexicon) for operation, verb in entries
            )
        )
        reads_only = all(operation.hints.effect == "read" for operation, _ in entries)
        parent = next((key[:n] for n in range(len(key) - 1, 0, -1) if key[:n] in nodes), None) if reads_only else None
        families.append(Family(operations[0].source, key, nouns, members, parent, path=key))
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


def _is_collection(segment: str, found: list[Operation], lexicon: Lexicon) -> bool:
    """Whether a path without a closing parameter stands for many things: a plural, or something with items below it."""
    last = (words(segment) or ("",))[-1]
    return lexicon.singular(last) != last or any(_is_item(operation) for operation in found)


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
    if last[0] in lexicon.also_nouns:
        if verb.stop == len(last) and (len(methods) > 2 or "PATCH" in methods):
            return ""
        if verb.stop < len(last) and any(map(_is_item, found)):
            return ""  # `issue-types` with `issue-types/{id}` is a thing, `set-parent` is not
    return "_".join(last)


def _http_member(
    operation: Operation, segment: str, nouns: tuple[str, ...], is_collection: bool, lexicon: Lexicon
) -> Member:
    parts = words(operation.name.rpartition("/")[2])
    found = lexicon.first(parts)
    method = operation.call.method.upper() if isinstance(operation.call, HttpCall) else ""
    default = METHOD_VERBS.get(method, method.lower())
    path = operation.call.path if isinstance(operation.call, HttpCall) else ""
    if default == "get" and not path.rstrip("/").endswith("}") and not segment:
        default = "list"
    if found is not None and found.verb.kind != "read" and operation.hints.effect == "read":
        found = None  # the trash, a fork, an archive: in what only reads, such a word is a thing
    if found is None:
        own = (lexicon.at(parts, start) for start in range(len(parts)))
        found = next((verb for verb in own if verb is not None and verb.verb.name == default), None)
    verb = found.verb.name if found else default
    if verb == "get" and default == "list" and is_collection:
        verb = "list"
    rest = _without((*parts[: found.start], *parts[found.stop :]) if found else (), nouns, lexicon)
    full = "_".join(parts)
    if segment:
        spoken = lexicon.at(words(segment), 0)
        # `GET /pulls/7/merge` does not merge, `GET /users.lookup` looks up
        is_said = spoken is not None and (spoken.verb.kind == "read" or _METHOD_MARK.search(path.rpartition("/")[2]))
        if spoken is not None and is_said and default in ("get", "list"):
            action = "_".join((spoken.verb.name, *words(segment)[spoken.stop :]))
            return Member(operation, _unique(action, full), spoken.verb.name)
        if spoken is not None and default in ("create", "update"):
            verb = spoken.verb.name
        action = segment if default in ("create", "update") else _unique(f"{verb}_{segment}")[0]
        if found and "_".join(parts[found.start : found.stop]) != segment and default == "delete":
            action = found.verb.name if found.verb.name != "delete" else f"delete_{segment}"
        return Member(operation, _unique(action, full), verb)
    qualified = "_".join((verb, *rest))
    # PUT and PATCH of one thing are both updates: their own words tell them apart
    own_word = "_".join(parts[found.start : found.stop]) if found and found.verb.name == "update" == verb else ""
    return Member(operation, _unique(verb, own_word, qualified, full), verb)
