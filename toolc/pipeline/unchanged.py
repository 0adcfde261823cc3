"""What a build depends on in the file system, and the stamp of one that was done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from toolc import lock as lock_file
from toolc import output, snapshot, stamp
from toolc.config import Config
from toolc.diagnostics import Severity
from toolc.documents import CATALOG
from toolc.pipeline.building import BuildResult


def picture(config: Config, out: Path) -> stamp.Picture | None:
    """All that sources and targets may read, taken before they do; more than they do read. None if it is too much."""
    found = stamp.Picture({str(_at(config, path)): digest for path, digest in config.files.items() if _own(path)})
    apart = (out.absolute(), _at(config, lock_file.FILE_NAME))
    try:
        named = [(entry.base, entry.options) for entry in config.sources.values()]
        named += [(entry.base, entry.options) for entry in config.targets.values()]
        for base, options in named:
            for text in _texts(options):
                found.add(base.absolute(), text, apart)
        for name, entry in config.sources.items():  # a snapshot need not be named, and may come later
            found.add(entry.base.absolute(), snapshot.default_path(name), apart)
    except stamp.TooMuchError:
        return None
    return found


def _own(path: str) -> bool:
    return not path.startswith(CATALOG)


def _at(config: Config, path: str) -> Path:
    return config.root.absolute() / path


def _texts(value: Any) -> Iterator[str]:
    """Every text in the options: what it means only their module knows, and what names no file does no harm."""
    if isinstance(value, str):
        if value:
            yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
    elif is_dataclass(value):
        for item in fields(value):
            yield from _texts(getattr(value, item.name))


def keep(
    asked: object, before: stamp.Picture | None, config: Config, result: BuildResult, out: Path, lock: str
) -> None:
    """Keep the stamp of a build that was written, or found as it should be; lock: the text of the lock before.

    Not where the lock was another: a build with the new one has not been seen. Nor where a file was missing.
    """
    now = lock_file.render(result.lock)
    if before is None or lock not in ("", now) or any(item.rule == "unresolved-ref" for item in result.diagnostics):
        return
    for path, digest in result.lock.inputs.items():
        place = str(_at(config, path))
        if not _own(path) or place in before.files or any(_is_below(place, folder) for folder in before.folders):
            continue
        if stamp.digest(Path(place)) != digest:
            return  # changed since, or it is no digest of the file
        before.files[place] = digest
    written = {file.path: sha256(output.encoded(file.text)).hexdigest() for file in result.files}
    counts = f"{len(result.catalog.operations):,} operations, {len(result.catalog.tools):,} tools"
    fixed = (str(_at(config, lock_file.FILE_NAME)), sha256(output.encoded(now)).hexdigest())
    worth = sum(item.severity >= Severity.warning for item in result.diagnostics)
    found = f"; {worth} findings, `toolc lint` tells them" if worth else ""
    said = f"{result.catalog.name}: {counts}, {result.report['tokens']['full']:,} tokens in full{found}"
    stamp.save(asked, stamp.Stamp(stamp.code(), before, (str(out.absolute()), stamp.digest_of(written)), fixed, said))


def _is_below(path: str, folder: str) -> bool:
    return Path(path).is_relative_to(folder)
