"""Findings that were there before: a file that lets them pass until what they speak of changes.

One JSON object a line, sorted, so that two branches merge: {rule, tool, pointer, content, file}. A finding is known by
its rule, its tool, its place below the tool (in the file where it speaks of no tool) and the hash of what stands there;
never by a line, nor by its place in a list. `file` only says where it was, so that updating after a run over some files
keeps what stands in the others.
"""

from __future__ import annotations

import json
from collections import Counter as Tally
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from toolc import documents
from toolc.diagnostics import Diagnostic, UserError, user_error
from toolc.ir import Origin, unescape
from toolc.position import Locator

FORMAT = "toolc-baseline/1"
_MISSING = object()


@dataclass(frozen=True, slots=True, order=True)
class Known:
    """One finding of a baseline."""

    rule: str
    tool: str
    pointer: str
    content: str
    file: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What it is known by."""
        return self.rule, self.tool, self.pointer, self.content


def fingerprints(found: Iterable[Diagnostic], root: Path, definitions: Mapping[str, Origin]) -> list[Known]:
    """How a baseline knows each of these findings.

    root: the folder that their files are relative to. definitions: subject of a finding → where its tool is defined.
    """
    contents = _Contents(root)
    result = []
    for finding in found:
        origin = finding.origin or Origin("")
        tool_origin = definitions.get(finding.subject, Origin(""))
        start = tool_origin.pointer if tool_origin.source == origin.source else ""
        inside = f"{origin.pointer}/".startswith(f"{start}/")
        pointer = origin.pointer[len(start) :] if inside else origin.pointer
        tool = finding.subject.rpartition(":")[2]
        result.append(Known(finding.rule, tool, pointer, contents.hash(origin), origin.source))
    return result


class _Contents:
    """Hashes of what stands at places in files; each file is read once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._locator = Locator(root)
        self._data: dict[str, Any] = {}

    def hash(self, origin: Origin) -> str:
        """Of the value at the pointer; of the line in a file that holds no data, or none at that place."""
        value = self._value(origin)
        text = self._locator.line(origin).strip() if value is _MISSING else json.dumps(value, sort_keys=True)
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def _value(self, origin: Origin) -> Any:
        if origin.source not in self._data:
            text = self._locator.text(origin.source)
            try:
                structured = origin.source.endswith((".json", ".yaml", ".yml"))
                self._data[origin.source] = documents.parse_leniently(text, origin.source) if structured else _MISSING
            except UserError:
                self._data[origin.source] = _MISSING
        value = self._data[origin.source]
        for token in origin.pointer.split("/")[1:] if not origin.line else ():
            key = unescape(token)
            if isinstance(value, dict) and key in value:
                value = value[key]
            elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
                value = value[int(key)]
            else:
                return _MISSING
        return value if origin.pointer and not origin.line else _MISSING


def load(path: Path) -> list[Known]:
    """The findings in a baseline file; none where it is not there; raises UserError for what is no baseline."""
    if not path.is_file():
        return []
    shown = path.as_posix()
    text, _ = documents.read_text(path, shown)
    result = []
    for number, line in enumerate(text.splitlines(), 1):
        entry = _entry(line)
        if entry is None or (number == 1 and entry.get("format") != FORMAT):
            reason = f"its first line does not say {FORMAT}" if number == 1 else "this line is no finding"
            advice = "name the file that `--update-baseline` wrote, or a new one"
            if line.startswith(("<<<<<<<", "=======", ">>>>>>>")):
                reason, advice = "a merge left its marks", "keep the lines of both sides, and take the marks out"
            place = Origin(shown, line=number, column=1)
            raise user_error("invalid-baseline", f"{shown} is no baseline: {reason}", place, advice)
        if "rule" in entry:
            result.append(Known(**entry))
    return result


def _entry(line: str) -> dict[str, str] | None:
    """What a line says: a finding, the format, or nothing; None if it is none of these."""
    try:
        entry = json.loads(line) if line.strip() else {}
    except (ValueError, RecursionError):
        return None
    names = {"format"} if isinstance(entry, dict) and "format" in entry else {each.name for each in fields(Known)}
    known = isinstance(entry, dict) and entry.keys() <= names and all(isinstance(each, str) for each in entry.values())
    return entry if known and (not entry or "format" in entry or names - entry.keys() <= {"file"}) else None


def unknown(known: Iterable[Known], prints: Iterable[Known]) -> list[bool]:
    """For each fingerprint whether the baseline does not hold it; one entry lets one finding pass."""
    left = Tally(entry.key for entry in known)
    result = []
    for entry in prints:
        result.append(left[entry.key] <= 0)
        left[entry.key] -= 1
    return result


def updated(
    known: Iterable[Known], prints: Iterable[Known], files: Collection[str], rules: Collection[str], root: Path
) -> str:
    """The text of the baseline after this run.

    What was found is in it; of what it held before, that which this run did not look at (files, rules) and whose file
    is still there.
    """
    kept = [
        entry
        for entry in known
        if (entry.file not in files or entry.rule not in rules) and (not entry.file or (root / entry.file).is_file())
    ]
    counted = Tally(prints)
    entries = sorted([*(entry for entry in kept if entry not in counted), *counted.elements()])
    lines = [{"format": FORMAT}, *map(_line, entries)]
    return "".join(json.dumps(line, ensure_ascii=True) + "\n" for line in lines)


def _line(entry: Known) -> dict[str, str]:
    return {name: getattr(entry, name) for name in ("rule", "tool", "pointer", "content", "file")}
