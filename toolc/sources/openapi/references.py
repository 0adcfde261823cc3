"""Following `$ref` from one place to another, through as many files as the description has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urljoin

from toolc.diagnostics import UserError
from toolc.ir import unescape
from toolc.sources.openapi.places import Part, Place

if TYPE_CHECKING:
    from toolc.documents import Document
    from toolc.sources import Context

_URL = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]+:")


class DanglingError(Exception):
    """A reference that leads nowhere; rule, message and help are those of the diagnostic."""

    def __init__(self, rule: str, message: str, help: str = "") -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.help = help


class References:
    """Finds what references point at, reading other files of the description when they are needed."""

    def __init__(self, context: Context, root: Document, folders: tuple[str, ...]) -> None:
        self._context = context
        path = context.root / root.path
        self.root = Part(root.path, path.parent, root.data)
        self._parts: dict[Path, Part] = {path.resolve(): self.root}
        self._allowed = [context.root.resolve(), *((context.base / folder).resolve() for folder in folders)]
        self._found: dict[tuple[str, str], Place | None] = {}
        self._anchors: dict[str, dict[str, Place]] = {}
        self._ends: dict[int, Place] = {}
        self._by_uri: dict[str, Part] = {}
        self._by_schema: dict[int, Part] = {}
        self._searched: set[str] = set()
        self.ambiguous: set[str] = set()  # anchors that `$dynamicRef` may find in several schemas

    def follow(self, place: Place) -> Place:
        """What the place stands for: itself, or what its chain of `$ref` ends at; raises DanglingError."""
        seen: set[str] = set()
        while isinstance(place.value, dict) and isinstance(reference := place.value.get("$ref"), str):
            key = f"{place.part.path}#{place.pointer}"
            if key in seen:
                raise DanglingError("circular-ref", f"the reference `{reference}` leads back to itself")
            seen.add(key)
            place = self.resolve(reference, place.part)
        return place

    def below_config(self, path: str) -> Part:
        """The file of this path below the config's folder, under the same rules as a reference to it."""
        return self._load(path, Part("", self._context.root, None))

    def resolve(self, reference: str, part: Part) -> Place:
        """What a reference written in a part points at, itself perhaps a reference; raises DanglingError."""
        key = (part.path + part.start, reference)
        if (found := self._found.get(key)) is not None:
            return found
        if key in self._found:
            raise DanglingError("circular-ref", f"the reference `{reference}` leads back to itself")
        self._found[key] = None
        try:
            file, _, fragment = reference.partition("#")
            start = (self._named(file, part) or self._load(file, part)) if file else part
            try:
                found = self._inside(start, fragment, reference)
            except DanglingError:
                if start.outer is None:
                    raise
                found = self._inside(start.outer, fragment, reference)  # meant of the file, as many generators write it
            found = Place(found.value, self.resource(found.value, found.part), found.pointer)
        except RecursionError:
            raise DanglingError("too-deep", f"`{reference}` leads through too many other references") from None
        finally:
            del self._found[key]
        self._found[key] = found
        return found

    def end_of_aliases(self, place: Place) -> Place:
        """Where a chain of schemas that are nothing but a `$ref` ends; raises DanglingError if it does not."""
        passed: dict[int, Place] = {}
        while isinstance(place.value, dict) and place.value.keys() == {"$ref"}:
            if (known := self._ends.get(id(place.value))) is not None:
                place = known
                break
            if id(place.value) in passed:
                raise DanglingError("circular-ref", f"the reference `{place.value['$ref']}` leads back to itself")
            passed[id(place.value)] = place
            place = self.resolve(str(place.value["$ref"]), place.part)
        self._ends.update(dict.fromkeys(passed, place))
        return place

    def layers(self, place: Place) -> Iterator[Place]:
        """A schema and all that it takes in by `$ref` and allOf, each once; what leads nowhere is passed over."""
        seen: set[int] = set()
        stack = [place]
        while stack:
            here = stack.pop()
            if not isinstance(here.value, dict) or id(here.value) in seen:
                continue
            seen.add(id(here.value))
            yield here
            if isinstance(members := here.value.get("allOf"), list):
                stack.extend(here.at("allOf", index) for index in reversed(range(len(members))))
            if isinstance(reference := here.value.get("$ref"), str):
                with suppress(DanglingError):
                    stack.append(self.resolve(reference, here.part))

    def _inside(self, part: Part, fragment: str, reference: str) -> Place:
        pointer = unquote(fragment)
        if pointer and not pointer.startswith("/"):
            anchors = self._anchors.get(part.path + part.start)
            if anchors is None:
                anchors = self._anchors[part.path + part.start] = _anchors(part, self.ambiguous)
            if pointer not in anchors:
                raise DanglingError("unresolved-ref", f"`{reference}` points at no anchor", _CHECK)
            return anchors[pointer]
        place = Place(part.data, part, part.start)
        for token in pointer.split("/")[1:]:
            place = self._step(place, unescape(token), reference)
        return place

    def resource(self, schema: Any, part: Part) -> Part:
        """The part that references inside a schema start from: itself if it has an `$id`, else the one it stands in."""
        if not isinstance(schema, dict) or not isinstance(schema.get("$id"), str) or schema is part.data:
            return part
        self._search(part.outer or part)
        return self._by_schema.get(id(schema), part)

    def _named(self, file: str, part: Part) -> Part | None:
        """The schema that has this `$id` in the files read so far, or the description with this `$self`."""
        uri = urljoin(part.uri, file).rstrip("#")
        if uri and uri == self.root.data.get("$self"):
            return self.root
        if not _URL.match(uri):
            return None
        if len(self._searched) < len(self._parts):
            for known in self._parts.values():
                self._search(known)
        return self._by_uri.get(uri)

    def _search(self, part: Part) -> None:
        """Note the schemas of a file that have an `$id`; the first of a name stands."""
        if part.path in self._searched:
            return
        self._searched.add(part.path)
        for place in Place(part.data, part, "").inside().values():
            if place.pointer and isinstance(uri := place.value.get("$id"), str):
                inner = Part(part.path, part.folder, place.value, part, place.pointer, uri.rstrip("#"))
                self._by_schema[id(place.value)] = inner
                self._by_uri.setdefault(inner.uri, inner)

    def _step(self, place: Place, token: str, reference: str) -> Place:
        """One token further; through a `$ref` where the token is not beside it."""
        for _ in range(100):
            value = place.value
            if isinstance(value, dict):
                if token in value:
                    return place.at(token)
                if isinstance(onward := value.get("$ref"), str) and onward != reference:
                    place = self.resolve(onward, place.part)
                    continue
            elif isinstance(value, list) and token.isdecimal() and int(token) < len(value):
                return place.at(int(token))
            break
        raise DanglingError("unresolved-ref", f"`{reference}` points at nothing: there is no `{token}`", _CHECK)

    def _load(self, file: str, part: Part) -> Part:
        if _URL.match(file) or file.startswith("//"):
            raise DanglingError(
                "remote-ref",
                f"`{file}` is not fetched: a build reads local files only",
                "Save the file beside the description and point the reference at it.",
            )
        try:
            path = (part.folder / unquote(file)).resolve()
        except (OSError, ValueError):
            raise DanglingError("unresolved-ref", f"`{file}` is no file name", _CHECK) from None
        if path in self._parts:
            return self._parts[path]
        if not any(path.is_relative_to(folder) for folder in self._allowed):
            raise DanglingError(
                "outside-ref",
                f"`{file}` lies outside the folder of the config and is not read",
                "Move it inside, or name its folder under `ref_folders` of this source.",
            )
        try:
            document = self._context.document(path)
        except UserError as error:
            raise DanglingError("unresolved-ref", f"`{file}` cannot be read: {error}", _CHECK) from None
        new = self._parts[path] = Part(document.path, path.parent, document.data)
        return new


_CHECK = "Correct the reference, or add what it points at."


def _anchors(part: Part, ambiguous: set[str]) -> dict[str, Place]:
    """Every `$anchor` and `$dynamicAnchor` of a file; the first of a name stands, and it is ambiguous."""
    found: dict[str, Place] = {}
    stack = [Place(part.data, part, part.start)]
    while stack:
        here = stack.pop()
        if isinstance(here.value, dict):
            for keyword in ("$anchor", "$dynamicAnchor"):
                name = here.value.get(keyword)
                if isinstance(name, str) and found.setdefault(name, here) is not here:
                    ambiguous.add(name)
            stack.extend(here.at(key) for key in reversed(here.value))
        elif isinstance(here.value, list):
            stack.extend(here.at(index) for index in reversed(range(len(here.value))))
    return found
