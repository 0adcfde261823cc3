"""Places in YAML text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolc.documents.yaml import loader_class

if TYPE_CHECKING:
    from yaml.nodes import Node

# A node with the place of its key, or of itself in a list.
_Member = tuple[int, Any]


class YamlIndex:
    """Walks down the composed nodes; keys are as written, aliases are followed, `<<` is looked into."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._root: Node | None = None
        self._composed = False
        self._members: dict[int, dict[str, _Member]] = {}

    def find(self, keys: list[str]) -> int:
        """The index of the key at this path, or of the value in a list, or of the nearest ancestor."""
        if keys and not self._composed:
            self._root, self._composed = _compose(self._text), True
        node: Any = self._root
        place: int = node.start_mark.index if node is not None else 0
        for key in keys:
            member = self._members_of(node).get(key)
            if member is None:
                break
            place, node = member
        return place

    def _members_of(self, node: Any) -> dict[str, _Member]:
        known = self._members.get(id(node))
        if known is not None:
            return known
        members: dict[str, _Member] = {}
        self._members[id(node)] = members
        value = getattr(node, "value", None)
        if isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, tuple):
                    self._take(members, *item)
                else:
                    members[str(index)] = (item.start_mark.index, item)
        return members

    def _take(self, members: dict[str, _Member], key: Any, node: Any) -> None:
        if not isinstance(key.value, str):
            return
        if key.value != "<<" or key.style:
            members[key.value] = (key.start_mark.index, node)
            return
        if isinstance(node.value, list):
            for source in node.value if node.id == "sequence" else [node]:
                for name, member in self._members_of(source).items():
                    members.setdefault(name, member)


def _compose(text: str) -> Node | None:
    import yaml

    try:
        return yaml.compose(text, Loader=loader_class())
    except (yaml.YAMLError, RecursionError):
        return None
