"""Places in YAML text."""

from __future__ import annotations

from collections.abc import Sequence

from toolc.documents.nodes import Nodes, compose


class YamlIndex:
    """Walks down the composed nodes; keys are as written, aliases are followed, `<<` is looked into."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._shares = "&" in text and ("*" in text or "<<" in text)
        self._nodes: Nodes | None = None

    def find(self, keys: list[str]) -> int:
        """The index of the key at this path, or of the value in a list, or of the nearest ancestor."""
        if not keys and self._nodes is None:
            return 0
        nodes = self._composed()
        node = nodes.root
        place: int = node.start_mark.index if node is not None else 0
        for key in keys:
            member = nodes.members(node).get(key)
            if member is None:
                break
            place, node = member
        return place

    def first(self, keys: Sequence[str]) -> tuple[str, ...]:
        """The path to what stands at a path, by where it is written, which is at the anchor if an alias leads there."""
        return self._composed().first(keys) if self._shares else tuple(keys)

    def _composed(self) -> Nodes:
        if self._nodes is None:
            self._nodes = Nodes(compose(self._text))
        return self._nodes
