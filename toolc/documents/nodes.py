"""The nodes of a YAML text by their keys: aliases are followed, `<<` is looked into, and each has one first place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolc.documents.yaml import loader_class

# A node with the index in the text of its key, or of itself in a list.
Member = tuple[int, Any]


def compose(text: str) -> Any:
    """The root node of a text; None where it is no YAML."""
    import yaml

    try:
        return yaml.compose(text, Loader=loader_class())
    except (yaml.YAMLError, RecursionError):
        return None


class Nodes:
    """Looks into the nodes below a root, each once."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self._members: dict[int, dict[str, Member]] = {}
        self._places: dict[int, tuple[int, str]] = {}  # node → the node above it and its key there

    def members(self, node: Any) -> dict[str, Member]:
        """What stands in a mapping or list, by key; keys are as written."""
        known = self._members.get(id(node))
        if known is not None:
            return known
        members: dict[str, Member] = {}
        self._members[id(node)] = members
        value = getattr(node, "value", None)
        if isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, tuple):
                    self._take(members, *item)
                else:
                    members[str(index)] = (item.start_mark.index, item)
        return members

    def first(self, keys: Sequence[str]) -> tuple[str, ...]:
        """The path to what stands at a path, by where it is written, which is at the anchor if an alias leads there.

        What is not there is taken to be missing in what holds it.
        """
        if not self._places:
            self._find_places()
        node, rest = self.root, list(keys)
        while rest and (member := self.members(node).get(rest[0])) is not None:
            node = member[1]
            del rest[0]
        path: list[str] = []
        here = id(node)
        while here != id(self.root):
            here, key = self._places[here]
            path.append(key)
        return (*reversed(path), *rest)

    def _find_places(self) -> None:
        stack: list[tuple[Any, int, str]] = [(self.root, 0, "")]
        while stack:
            node, above, key = stack.pop()
            if id(node) not in self._places:
                self._places[id(node)] = (above, key)
                stack += [(child, id(node), name) for name, (_, child) in reversed(self.members(node).items())]

    def _take(self, members: dict[str, Member], key: Any, node: Any) -> None:
        if not isinstance(key.value, str):
            return
        if key.value != "<<" or key.style:
            members[key.value] = (key.start_mark.index, node)
            return
        if isinstance(node.value, list):
            for source in node.value if node.id == "sequence" else [node]:
                for name, member in self.members(source).items():
                    members.setdefault(name, member)
