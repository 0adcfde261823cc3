"""The layout of YAML text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from toolc.documents.nodes import Nodes, compose
from toolc.edits import scalars
from toolc.edits.layout import (
    Change,
    Holder,
    Part,
    add_between_brackets,
    line_end,
    line_start,
    nested,
    remove_between_brackets,
    runs,
)

if TYPE_CHECKING:
    from yaml.nodes import Node

_ALIAS = re.compile(r"\s*:\s*(\*[^\s,\[\]{}]+)")
_COLON = re.compile(r"\s*:")
# What stands behind the sign of a block text on its line.
_HEADER = re.compile(r"[|>][-+0-9]*([ \t]+#[^\n]*)")
_COMMENT = re.compile(r"([ \t]+#[^\n]*)")
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)+")
_STYLES = {"|": "literal", ">": "folded", "'": "single", '"': "double"}


class YamlLayout:
    """Reads the whole text into nodes, each with its place."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._holders: dict[int, Holder] = {}
        self._root: Node | None = compose(text)
        self._nodes = Nodes(self._root)

    def first(self, keys: Sequence[str]) -> tuple[str, ...]:
        """See `Layout.first`."""
        return self._nodes.first(keys) if "&" in self._text else tuple(keys)

    def set(self, keys: Sequence[str], value: Any) -> list[Change]:
        """See `Layout.set`."""
        node: Any = self._root
        above: Part | None = None
        above_flow = False
        for depth, key in enumerate(keys):
            if getattr(node, "id", "") == "scalar" and above is not None and node.value in ("", "null", "~"):
                return [self._replacement(above, nested(keys[depth:], value))]
            holder = self._holder(node)
            index = holder.index(key)
            if index is None:
                return [self._addition(holder, key, nested(keys[depth + 1 :], value))]
            above = holder.parts[index]
            above_flow = holder.flow
            node = above.node
        if above is None:
            raise LookupError
        return [self._replacement(above, value, above_flow)]

    def remove(self, holder: Sequence[str], keys: Iterable[str]) -> list[Change]:
        """See `Layout.remove`."""
        node: Any = self._root
        above: Part | None = None
        for key in holder:
            found = self._holder(node)
            index = found.index(key)
            if index is None:
                raise LookupError
            above = found.parts[index]
            node = above.node
        target = self._holder(node)
        if target.flow:
            return remove_between_brackets(target, keys)
        chosen = runs(target, keys)
        if sum(last - first + 1 for first, last in chosen) == len(target.parts):
            empty: Any = {} if target.mapping else []
            if above is None:
                return [Change(target.start, target.parts[-1].end, scalars.in_flow(empty, "plain"))]
            return [self._replacement(above, empty)]
        return [change for first, last in chosen for change in self._removals(target, first, last)]

    def _removals(self, holder: Holder, first: int, last: int) -> list[Change]:
        """What takes neighbours out of a block: their lines, or all up to the next where they begin behind a dash."""
        starts = [part.start if holder.mapping else self._dash(part.start) for part in holder.parts]
        line = line_start(self._text, starts[first])
        if not self._text[line : starts[first]].strip(" "):
            ends = [line_end(self._text, part.end) for part in holder.parts[first : last + 1]]
            begins = [line_start(self._text, start) for start in starts[first : last + 1]]
            return [Change(begin, end, "") for begin, end in zip(begins, ends, strict=True)]
        if last + 1 >= len(holder.parts):
            raise LookupError
        return [Change(starts[first], starts[last + 1], "")]

    def _replacement(self, part: Part, value: Any, flow: bool = False) -> Change:
        """What puts a value in the place of another; an anchor or tag before it stays."""
        text, start = self._text, part.value
        old = text[start : part.end]
        if not old.startswith("*") and (properties := _PROPERTIES.match(old)):
            start += properties.end()
        node = part.node
        style = _STYLES.get(getattr(node, "style", None) or "", "plain") if not old.startswith("*") else "plain"
        column = self._column(part.start)
        if flow:
            return Change(start, part.end, scalars.in_flow(value, style))
        if node.id != "scalar" and not node.flow_style:
            start = part.after  # a block begins on a line of its own, where nothing else may stand
        block = scalars.indent_of_block(text[start : part.end]) if style in ("literal", "folded") else 0
        rendered = scalars.in_block(value, style, column, block)
        if comment := (_HEADER if node.id == "scalar" else _COMMENT).match(text, start):
            first, end_of_line, rest = rendered.partition("\n")
            rendered = first + comment[1] + end_of_line + rest
        gap = "" if (start > 0 and text[start - 1] in " \n-") or rendered.startswith("\n") else " "
        return Change(start, part.end, gap + rendered)

    def _addition(self, holder: Holder, key: str, value: Any) -> Change:
        if not holder.mapping:
            raise LookupError
        if holder.flow:
            return add_between_brackets(self._text, holder, key, scalars.in_flow(value, "plain"))
        last = holder.parts[-1]
        column = self._column(holder.parts[0].start)
        at = line_end(self._text, last.end)
        before = "" if at and self._text[at - 1] == "\n" else "\n"
        rendered = scalars.in_block(value, "plain", column, 0)
        gap = "" if rendered.startswith("\n") else " "
        return Change(at, at, f"{before}{' ' * column}{scalars.key(key)}:{gap}{rendered}\n")

    def _column(self, index: int) -> int:
        return index - line_start(self._text, index)

    def _dash(self, index: int) -> int:
        """Where the dash before an entry of a list stands."""
        return self._text.rindex("-", 0, index)

    def _holder(self, node: Any) -> Holder:
        kind = getattr(node, "id", "")
        if kind not in ("mapping", "sequence"):
            raise LookupError
        known = self._holders.get(id(node))
        if known is None:
            parts: list[Part] = []
            for entry in node.value:
                part = self._entry(*entry) if kind == "mapping" else self._item(entry, parts)
                if part is not None:
                    parts.append(part)
            start, end = node.start_mark.index, node.end_mark.index
            if node.flow_style:
                start = self._text.index("{" if kind == "mapping" else "[", start)
            known = self._holders[id(node)] = Holder(kind == "mapping", bool(node.flow_style), start, end, parts)
        return known

    def _entry(self, key: Any, value: Any) -> Part | None:
        start, key_end = key.start_mark.index, key.end_mark.index
        if not isinstance(key.value, str):
            raise LookupError
        if value.start_mark.index < key_end:
            alias = _ALIAS.match(self._text, key_end)
            if alias is None:
                raise LookupError
            return Part(key.value, start, alias.start(1), alias.end(1), alias.start(1), value)
        colon = _COLON.match(self._text, key_end)
        if colon is None:
            raise LookupError
        return Part(key.value, start, value.start_mark.index, self._end(value), colon.end(), value)

    def _item(self, value: Any, before: list[Part]) -> Part:
        start = value.start_mark.index
        if before and start < before[-1].end:
            raise LookupError  # an alias: the nodes do not tell where it stands
        return Part(str(len(before)), start, start, self._end(value), start, value)

    def _end(self, node: Any) -> int:
        """Where the last sign of a value stands; a block's end mark is where the next thing begins."""
        while node.id != "scalar" and not node.flow_style and node.value:
            last = node.value[-1]
            before = node
            node = last[1] if node.id == "mapping" else last
            if node.start_mark.index < before.start_mark.index:  # an alias at the end
                key_end = last[0].end_mark.index if before.id == "mapping" else before.end_mark.index
                alias = _ALIAS.match(self._text, key_end)
                if alias is None:
                    raise LookupError
                return alias.end(1)
        start, end = node.start_mark.index, node.end_mark.index
        kept = len(self._text[start:end].rstrip())
        return int(start + kept) if kept else int(start)
