"""Places in the user's files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolc.ir import Origin, escape, unescape

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One file of the description: as shown, the folder that its relative references start from, and its data.

    A schema with an `$id` of its own is a part too: references inside it start there. outer, start: the file it stands
    in, and where in it. uri: its `$id`.
    """

    path: str
    folder: Path
    data: Any
    outer: Part | None = None
    start: str = ""
    uri: str = ""

    def existing(self, pointer: str) -> str:
        """The longest start of a pointer that leads to something in the file."""
        value = self.outer.data if self.outer is not None else self.data
        kept = ""
        for token in pointer.split("/")[1:]:
            key = unescape(token)
            if isinstance(value, dict) and key in value:
                value = value[key]
            elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
                value = value[int(key)]
            else:
                break
            kept += "/" + token
        return kept


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A value, and where it stands."""

    value: Any
    part: Part
    pointer: str

    def at(self, *keys: str | int) -> Place:
        """The place below this one; its value is None where there is nothing."""
        value = self.value
        pointer = self.pointer
        for key in keys:
            if isinstance(value, dict):
                value = value.get(key)
            elif isinstance(value, list) and isinstance(key, int) and key < len(value):
                value = value[key]
            else:
                value = None
            pointer += f"/{key}" if isinstance(key, int) else "/" + escape(key)
        return Place(value, self.part, pointer)

    def items(self, key: str) -> list[tuple[str, Place]]:
        """The members of the mapping under a key; none if it is no mapping."""
        value = self.value.get(key) if isinstance(self.value, dict) else None
        if not isinstance(value, dict):
            return []
        start = f"{self.pointer}/{escape(key)}/"
        return [(str(name), Place(item, self.part, start + escape(str(name)))) for name, item in value.items()]

    def whole_schema(self, recursive: bool) -> Place:
        """The schema that `#` means inside one of a description: the component, or what stands under `schema`.

        A description is itself no schema. recursive: up to the nearest with `$recursiveAnchor` (draft 2019-09).
        """
        keys = [unescape(token) for token in self.pointer.split("/")[1:]]
        above = [Place(self.part.data, self.part, "")]
        for key in keys:
            here = above[-1]
            above.append(here.at(int(key) if isinstance(here.value, list) and key.isdecimal() else key))
        start = 3 if keys[:2] == ["components", "schemas"] else 2 if keys[:1] == ["definitions"] else 0
        if not start:
            start = keys.index("schema") + 1 if "schema" in keys else len(keys)
        for place in reversed(above[start:]):
            if recursive and isinstance(place.value, dict) and place.value.get("$recursiveAnchor") is True:
                return place
        return above[start]

    @property
    def origin(self) -> Origin:
        """The place as diagnostics name it; what a reader made up stands at what it was made from."""
        return Origin(self.part.path, self.part.existing(self.pointer))

    def inside(self) -> dict[int, Place]:
        """The places of this value and of every mapping inside it, by identity: only a diagnostic asks for one."""
        found: dict[int, Place] = {}
        stack: list[Place] = [self]
        while stack:
            here = stack.pop()
            if isinstance(here.value, dict):
                if id(here.value) not in found:
                    found[id(here.value)] = here
                    stack.extend(here.at(key) for key in reversed(here.value))
            elif isinstance(here.value, list):
                stack.extend(here.at(index) for index in reversed(range(len(here.value))))
        return found
