"""Changes values in the text of a JSON or YAML file, and nothing around them: comments, order and layout stay.

Every result is read again: an edit whose text would mean anything but the change that was asked for is not made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolc import documents
from toolc.diagnostics import Edit, UserError
from toolc.documents import Format
from toolc.edits.json import JsonLayout
from toolc.edits.layout import Change, Layout
from toolc.edits.yaml import YamlLayout
from toolc.ir import unescape

REMOVED = object()
Keys = tuple[str, ...]


@dataclass(slots=True)
class _Branch:
    """The edits at and below one value; value: what it becomes, as a list of none or one."""

    value: list[Any] = field(default_factory=list)
    inner: dict[str, _Branch] = field(default_factory=dict)


def apply(text: str, format: Format, edits: Iterable[Edit]) -> tuple[str, list[Edit]]:
    """The text after the edits, and those that were made; their origins are taken as pointers into this text.

    Of two at one place the first counts, and of two inside each other the outer. What cannot be made is left out.
    """
    try:
        data = documents.parse_leniently(text, f"text.{format}")
    except UserError:
        return text, []
    wanted = [edit for edit in _independent(edits) if _changes(edit, data)]
    changed = _attempt(text, format, data, wanted)
    if changed is not None:
        return changed, wanted
    made: list[Edit] = []
    # What stands once in the text changes as one. From the end, so that the places of those still to come stay.
    first = _layout(text, format).first
    groups: dict[Keys, list[Edit]] = {}
    for edit in wanted:
        groups.setdefault(first(_keys(edit)), []).append(edit)
    for keys in sorted(groups, key=_order, reverse=True):
        group = groups[keys]
        for chosen in (group, *([edit] for edit in group if len(group) > 1)):
            changed = _attempt(text, format, data, chosen)
            if changed is not None:
                text, data = changed, documents.parse_leniently(changed, f"text.{format}")
                made += chosen
                if chosen is group:
                    break
    return text, made


def _changes(edit: Edit, data: Any) -> bool:
    """Whether an edit would change anything; one that rewrites needs a text to begin with."""
    if edit.rewrite is None:
        return True
    old = _at(data, _keys(edit))
    return isinstance(old, str) and edit.rewrite(old) != old


def _value(edit: Edit, data: Any) -> Any:
    return edit.value if edit.rewrite is None else edit.rewrite(_at(data, _keys(edit)))


def _at(data: Any, keys: Keys) -> Any:
    """The value at a path; None where there is none."""
    for key in keys:
        if isinstance(data, dict):
            data = data.get(key)
        elif isinstance(data, list) and key.isdecimal() and int(key) < len(data):
            data = data[int(key)]
        else:
            return None
    return data


def _attempt(text: str, format: Format, data: Any, edits: Sequence[Edit]) -> str | None:
    """The text after all of these edits, or None if it cannot be had."""
    layout = _layout(text, format)
    tree = _Branch()
    for edit in edits:
        branch = tree
        for key in _keys(edit):
            branch = branch.inner.setdefault(key, _Branch())
        branch.value = [REMOVED if edit.remove else _value(edit, data)]
    try:
        expected = _edited(data, tree)
    except LookupError:
        return None
    places = [_keys(edit) for edit in edits]
    ways = [places, [layout.first(keys) for keys in places]]
    for way in ways if ways[0] != ways[1] else ways[:1]:
        try:
            changed = _replaced(text, _changes_at(layout, zip(way, edits, strict=True), data))
            if changed is not None and documents.parse_leniently(changed, f"text.{format}") == expected:
                return changed
        except (LookupError, UserError):
            continue
    return None


def _layout(text: str, format: Format) -> Layout:
    return JsonLayout(text) if format == "json" else YamlLayout(text)


def _changes_at(layout: Layout, edits: Iterable[tuple[Keys, Edit]], data: Any) -> list[Change]:
    """What makes each edit at its path; raises LookupError where that is not there."""
    changes: list[Change] = []
    removals: dict[Keys, list[str]] = {}
    for keys, edit in edits:
        if edit.remove:
            removals.setdefault(keys[:-1], []).append(keys[-1])
        else:
            changes += layout.set(keys, _value(edit, data))
    for holder, names in removals.items():
        changes += layout.remove(holder, names)
    return changes


def _replaced(text: str, changes: Sequence[Change]) -> str | None:
    """The text with the changes made, each once, or None where two of them touch the same."""
    parts: list[str] = []
    at = 0
    for change in sorted(set(changes)):
        if change.start < at:
            return None
        parts += [text[at : change.start], change.text]
        at = change.end
    return "".join([*parts, text[at:]])


def _independent(edits: Iterable[Edit]) -> Iterator[Edit]:
    """Without those at, or inside, the place of another."""
    taken: dict[Keys, Edit] = {}
    for edit in edits:
        if edit.origin.pointer:
            taken.setdefault(_keys(edit), edit)
    for keys, edit in taken.items():
        if not any(keys[:length] in taken for length in range(1, len(keys))):
            yield edit


def _keys(edit: Edit) -> Keys:
    return tuple(unescape(key) for key in edit.origin.pointer.split("/")[1:])


def _order(keys: Keys) -> list[tuple[int, str]]:
    """Sorts list entries by their number."""
    return [(int(key), "") if key.isdecimal() else (-1, key) for key in keys]


def _edited(data: Any, branch: _Branch) -> Any:
    """The data with the edits made; what they do not touch is shared. Raises LookupError where a place is missing."""
    if branch.value:
        return branch.value[0]
    if not branch.inner:
        return data
    if data is None or data is REMOVED:
        data = {}
    if isinstance(data, list):
        values = list(data)
        for key, inner in branch.inner.items():
            values[_index(key, values)] = _edited(values[int(key)], inner)
        return [value for value in values if value is not REMOVED]
    if not isinstance(data, dict):
        raise LookupError
    result = dict(data)
    for key, inner in branch.inner.items():
        if key not in result and inner.value and inner.value[0] is REMOVED:
            raise LookupError
        result[key] = _edited(result.get(key), inner)
    return {key: value for key, value in result.items() if value is not REMOVED}


def _index(key: str, values: Sequence[Any]) -> int:
    if not key.isdecimal() or int(key) >= len(values):
        raise LookupError
    return int(key)
