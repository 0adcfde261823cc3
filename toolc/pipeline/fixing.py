"""`lint --fix`: the edits that findings bring, made in the files they stand in, or as overrides in toolc.yaml."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from toolc import documents, edits, output
from toolc.config import Config
from toolc.diagnostics import Diagnostic, Edit, UserError
from toolc.edits.difference import encode_like, unified
from toolc.ir import Operation, Origin
from toolc.pipeline.linting import LintResult

_EDITABLE = (".json", ".yaml", ".yml")


@dataclass(slots=True)
class Fixes:
    """What mending changes. files: path as shown → (text before, after). made: findings mended, of those with a fix."""

    files: dict[str, tuple[str, str]] = field(default_factory=dict)
    made: list[Diagnostic] = field(default_factory=list)
    left: list[Diagnostic] = field(default_factory=list)


def fixes(found: Iterable[Diagnostic], result: LintResult, config: Config) -> Fixes:
    """The edits of these findings, which are findings of `result`; nothing is written."""
    fixable = [finding for finding in found if finding.fix is not None and finding.fix.edits]
    overrides = _Overrides(result, config)
    by_file: dict[str, list[Edit]] = {}
    wanted: list[tuple[Diagnostic, list[Edit]]] = []
    for finding in fixable:
        own = list(overrides.instead_of(finding))
        wanted.append((finding, own))
        for edit in own:
            by_file.setdefault(edit.origin.source, []).append(edit)
    fixed = Fixes()
    made: set[int] = set()
    for file, wishes in by_file.items():
        made.update(map(id, _applied(file, wishes, config.root, fixed)))
    for finding, own in wanted:
        (fixed.made if own and any(id(edit) in made for edit in own) else fixed.left).append(finding)
    return fixed


def promised(result: LintResult, config: Config) -> LintResult:
    """The result with fixes only where `fixes` can make them: what is said to be mended is then mended."""
    overrides = _Overrides(result, config)

    def kept(finding: Diagnostic) -> Diagnostic:
        if finding.fix is None or any(_is_editable(edit.origin.source) for edit in overrides.instead_of(finding)):
            return finding
        return replace(finding, fix=None)

    return replace(result, findings=tuple(map(kept, result.findings)))


def _is_editable(file: str) -> bool:
    return file.endswith(_EDITABLE) and not file.startswith(documents.CATALOG)


def _applied(file: str, wishes: list[Edit], root: Path, fixed: Fixes) -> list[Edit]:
    """Make the edits of one file on paper; those that were made."""
    if not _is_editable(file):
        return []
    try:
        text, _ = documents.read_text(root / file, file)
    except UserError:
        return []
    changed, made = edits.apply(text, documents.recognise(file, text), wishes)
    if changed != text:
        fixed.files[file] = (text, changed)
    return made


class _Overrides:
    """What edits become that would change files the team cannot edit."""

    def __init__(self, result: LintResult, config: Config) -> None:
        self._result = result
        self._config = config
        self._texts: dict[Origin, list[tuple[Operation, tuple[str, ...]]]] | None = None

    def instead_of(self, finding: Diagnostic) -> Iterator[Edit]:
        """The edits of a finding, in the config where it stands in a vendored file; none if that cannot say them."""
        fix = finding.fix
        if fix is None:
            return
        if not any(edit.origin.source in self._result.vendored for edit in fix.edits):
            yield from fix.edits
            return
        if fix.override:
            for operation in self._operations(finding):
                yield from self._leaves(operation, fix.override, ())
            return
        for edit in fix.edits:
            if not edit.remove and isinstance(edit.value, str):
                for operation, path in self._known().get(edit.origin, ()):
                    yield Edit(self._place(operation).at(*path), edit.value)

    def _operations(self, finding: Diagnostic) -> list[Operation]:
        return [
            operation
            for operation in self._result.operations.values()
            if finding.subject in (operation.id, operation.name)
        ]

    def _leaves(self, operation: Operation, value: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[Edit]:
        for key, inner in value.items():
            if isinstance(inner, dict):
                yield from self._leaves(operation, inner, (*path, key))
            else:
                yield Edit(self._place(operation).at(*path, key), inner)

    def _place(self, operation: Operation) -> Origin:
        entry = self._config.sources.get(operation.source)
        if entry is None:  # one of the servers in an mcp.json, whose overrides stand in no place of their own
            return Origin("")
        return entry.origin.at("overrides", operation.name)

    def _known(self) -> Mapping[Origin, list[tuple[Operation, tuple[str, ...]]]]:
        """Texts that overrides can replace: place → the operations that have it there, and the override's keys."""
        if self._texts is None:
            self._texts = {}
            for operation in self._result.operations.values():
                if operation.origin.source in self._result.vendored:
                    self._texts.setdefault(operation.place("description"), []).append((operation, ("description",)))
                    for name in operation.input.get("properties", {}):
                        place = operation.place("input", "properties", name, "description")
                        keys = ("parameters", name, "description")
                        self._texts.setdefault(place, []).append((operation, keys))
        return self._texts


@dataclass(slots=True)
class Draft:
    """Files as they will be: what was mended so far, and not yet written.

    contents: resolved path → bytes, for `documents.instead`. before: those files as they are now, with how the user
    would name them.
    """

    contents: dict[Path, bytes] = field(default_factory=dict)
    before: dict[Path, tuple[str, bytes]] = field(default_factory=dict)

    def take(self, fixed: Fixes, root: Path, shown: Mapping[str, str]) -> None:
        """Put the changed files of a config with this root into the draft; shown: file → how the user would name it."""
        for file, (_, changed) in fixed.files.items():
            path = (root / file).resolve()
            now = documents.read_bytes(path)
            self.before.setdefault(path, (shown.get(file, file), now))
            self.contents[path] = encode_like(changed, now)

    def write(self) -> None:
        """Write the changed files, each in one step; raises UserError."""
        for path, data in sorted(self.contents.items()):
            output.write_bytes(path, data)

    def diff(self) -> str:
        """All changes as a unified diff, which `patch` and `git apply` take."""
        found = sorted((shown, now, self.contents[path]) for path, (shown, now) in self.before.items())
        return "".join(unified(_decoded(now), _decoded(then), shown) for shown, now, then in found)


def _decoded(data: bytes) -> str:
    """The text of a file with its own line ends and byte order mark; encoded as UTF-8, it is the file."""
    mark, encoding = documents.encoding_of(data)
    if encoding != "utf-8":  # no patch can say it, but a person can read it
        return data[len(mark) :].decode(encoding)
    return data.decode()
