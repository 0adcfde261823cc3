"""`diff`: what changed against the lock, a bundle, or a git revision, and what it means for callers and for tokens."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from toolc import bundle, config, revision
from toolc import lock as lock_file
from toolc.changes import Change, compare
from toolc.config import Config
from toolc.diagnostics import Report, UserError, user_error
from toolc.ir import Operation
from toolc.lock import FILE_NAME, Lock
from toolc.pipeline.breaking import unaccepted
from toolc.pipeline.building import BuildResult, build
from toolc.schema.walk import descend


@dataclass(frozen=True, slots=True)
class Wording:
    """A text that a model reads and that is not as it was. place: the parameter, `` for the operation's description."""

    operation: str
    place: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Side:
    """One of two builds. shown: what it is, for people. tokens: by what is counted; operations: where known."""

    shown: str
    lock: Lock
    tokens: Mapping[str, int] = field(default_factory=dict)
    operations: Mapping[str, Operation] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two builds compared. tokens: (what, before, after), None where the old build does not tell.

    accepted: why a change may break, by operation; broken: operations whose breaking changes nobody accepted.
    tools: names that are gone, and names that are new.
    """

    name: str
    against: Side
    changes: tuple[Change, ...]
    wordings: tuple[Wording, ...]
    accepted: Mapping[str, str]
    broken: tuple[str, ...]
    tools: tuple[tuple[str, ...], tuple[str, ...]]
    tokens: tuple[tuple[str, int | None, int], ...]


def diff(loaded: Config, against: str | None) -> Comparison:
    """The config as it builds now against the lock (None), a bundle folder, a lock file, or a git revision."""
    result = build(loaded, profiles=())
    old = _old(loaded, against, result)
    new = Side("now", result.lock, _measured(result), result.catalog.operations)
    changes = tuple(compare(old.lock, new.lock))
    broken = unaccepted(changes, loaded)
    named = {change.operation for change in changes if change.breaking}
    return Comparison(
        loaded.name,
        old,
        changes,
        tuple(_wordings(old, new, changes)),
        {key: reason.text for key, reason in loaded.accept.items() if key in named},
        tuple(broken),
        (
            tuple(sorted(old.lock.tools.keys() - new.lock.tools.keys())),
            tuple(sorted(new.lock.tools.keys() - old.lock.tools.keys())),
        ),
        tuple((what, old.tokens.get(what), now) for what, now in new.tokens.items()),
    )


def _old(loaded: Config, against: str | None, result: BuildResult) -> Side:
    if against is None:
        lock = lock_file.load(loaded.root)
        remarks = () if lock.contracts else (f"there is no {FILE_NAME} yet, so everything is new",)
        return Side(FILE_NAME, lock, _counted(lock) | _beside(lock, loaded.root / loaded.out), remarks=remarks)
    place = Path(against)
    if (place / bundle.FILE_NAME).is_file():
        return _bundle(place)
    if place.is_file() and place.name == bundle.FILE_NAME:
        return _bundle(place.parent)
    if place.is_file():
        lock = lock_file.read(place.read_text(encoding="utf-8", errors="replace"), place.as_posix())
        return Side(place.as_posix(), lock, _counted(lock))
    return _revision(loaded, against, result)


def _counted(lock: Lock) -> dict[str, int]:
    """What a lock alone tells of tokens."""
    if not lock.tools:
        return {}
    full, always = (
        sum(tool.tokens for tool in lock.tools.values() if not tier or tool.tier == tier) for tier in ("", "always")
    )
    return {"operations": len(lock.contracts), "tools": len(lock.tools), "full": full, "always": always}


def _measured(result: BuildResult) -> dict[str, int]:
    return _counted(result.lock) | _reported(result.report)


def _reported(report: Mapping[str, Any]) -> dict[str, int]:
    tokens = {name: report["tokens"][name] for name in ("index", "names", "stubs", "signatures")}
    for name, entry in report["targets"].items():
        tokens |= {f"{name} up front": entry["loaded"], f"{name} deferred": entry["deferred"]}
    return tokens


def _beside(lock: Lock, folder: Path) -> dict[str, int]:
    """The figures of the bundle in a folder, if it is the one that the lock was written with."""
    report = _report(folder)
    try:
        same = {name: entry["tokens"] for name, entry in report["tools"].items()} == {
            tool.name: tool.tokens for tool in lock.tools.values()
        }
        return _reported(report) if same else {}
    except (KeyError, TypeError, AttributeError):
        return {}


def _report(folder: Path) -> dict[str, Any]:
    """`report.json` of a bundle; empty if it cannot be read."""
    try:
        data = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _bundle(folder: Path) -> Side:
    """A written bundle; its figures stand in the report beside it."""
    catalog = bundle.load(folder)
    report = _report(folder)
    tokens = {name: entry["tokens"] for name, entry in report.get("tools", {}).items()}
    lock = lock_file.of(catalog, tokens, {})
    counted = _counted(lock) if tokens else {"operations": len(lock.contracts), "tools": len(lock.tools)}
    return Side(folder.as_posix(), lock, counted | _beside(lock, folder), catalog.operations)


def _revision(loaded: Config, name: str, result: BuildResult) -> Side:
    """The config as it was at a revision, built again from the files there; failing that, its lock.

    Building again tells texts and all tokens, and needs no lock to be committed. It cannot be done where files are kept
    elsewhere (submodules, LFS without its filter, snapshots that are not committed); the lock holds the contracts then.
    """
    at = revision.find(loaded.root, name)
    shown = f"{name} ({at.commit[:10]})"
    if at.read(loaded.origin.source) is None:
        return Side(shown, Lock(), remarks=(f"{loaded.origin.source} is not in {name}, so everything is new",))
    try:
        built = _rebuilt(at, loaded, result)
    except UserError as error:
        text = at.read(FILE_NAME)
        reason = error.diagnostics[0].message
        if text is None:
            raise user_error(
                "unreadable-revision",
                f"what {name} has cannot be built, and it has no {FILE_NAME}: {reason}",
                help=f"commit {FILE_NAME}, or compare with the folder of a bundle",
            ) from None
        lock = lock_file.read(text, f"{name}:{FILE_NAME}")
        return Side(f"{FILE_NAME} of {shown}", lock, _counted(lock), remarks=(f"{name} cannot be built: {reason}",))
    return Side(shown, built.lock, _measured(built), built.catalog.operations)


def _rebuilt(at: revision.Revision, loaded: Config, result: BuildResult) -> BuildResult:
    """The build of a revision: of the config's folder and where its files are now, else of the whole repository."""
    files = [path for path in map(at.at, result.lock.inputs) if path is not None]
    modules = at.submodules()
    if inside := next((module for module in modules for path in files if _below(path, module)), None):
        raise user_error("submodule", f"{inside} is a submodule")
    folders = sorted({at.inside, *(path.rpartition("/")[0] for path in files if not _below(path, at.inside))})
    tries = [folders, []] if all(folders) else [[]]
    for number, paths in enumerate(tries, 1):
        with TemporaryDirectory(prefix="toolc-") as folder:
            tree = Path(folder).resolve() / "tree"
            tree.mkdir()
            at.extract(tree, paths)
            try:
                old = config.load(tree / at.inside / loaded.origin.source, Report())
                return build(old, profiles=())
            except UserError:
                if number == len(tries):
                    raise
    raise AssertionError("one of the tries returns or raises")


def _below(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")


def _wordings(old: Side, new: Side, changes: tuple[Change, ...]) -> Iterator[Wording]:
    """What was said and is said now, where both builds tell."""
    renamed = {change.operation: change.words for change in changes if change.kind == "renamed"}
    for change in changes:
        if change.kind != "text" or change.operation in renamed:
            continue
        was, now = old.operations.get(change.operation), new.operations.get(change.operation)
        if was is None or now is None:
            continue
        before, after = _texts(was), _texts(now)
        for place in dict.fromkeys((*before, *after)):
            if before.get(place, "") != after.get(place, ""):
                yield Wording(change.operation, place, before.get(place, ""), after.get(place, ""))


def _texts(operation: Operation) -> dict[str, str]:
    """All texts of an operation by place: `description`, `id`, `filter.state`."""
    texts = {"": operation.description}
    for path, inner in descend(operation.input):
        name = ".".join(str(part) for part in path if part not in ("properties", "$defs", "items"))
        for key in ("title", "description"):
            if isinstance(text := inner.get(key), str):
                texts[f"{name} ({key})" if key == "title" or not name else name] = text
    return texts
