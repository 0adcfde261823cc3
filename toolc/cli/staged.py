"""Which toolc.yaml a file belongs to, so that a hook that is given files judges them as the team declared them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolc.cli import console, inputs
from toolc.diagnostics import Report

if TYPE_CHECKING:
    from toolc.config import Config

Found = list[tuple[Path, bool]]


def owned(found: Sequence[tuple[Path, bool]]) -> tuple[Found, dict[str, set[str]]]:
    """The files with their configs in the place of those that a config names, and of each such config its files.

    A config that was given itself is looked at as a whole and has no entry. Found as `inputs.files` gives it.
    """
    given = {_absolute(path) for path, _ in found}
    configs: dict[Path, Config] = {}
    rest: Found = []
    parts: dict[str, set[str]] = {}
    for path, inside in found:
        owner = next((place for place in candidates(path) if place.is_file()), None)
        if owner is None or _absolute(owner) == _absolute(path):
            rest.append((path, inside))
            continue
        if owner not in configs:
            configs[owner] = console.load_config(owner, Report())
        if not names(configs[owner], path):
            rest.append((path, inside))
        elif _absolute(owner) not in given:
            parts.setdefault(owner.as_posix(), set()).add(Path(os.path.normpath(path)).as_posix())
    return [*rest, *((Path(owner), False) for owner in parts)], parts


def candidates(path: Path) -> Iterator[Path]:
    """Where the toolc.yaml of a file may stand, the nearest first: beside it and above, up to the current folder."""
    here = Path.cwd()
    folder = _absolute(path).parent
    while folder.is_relative_to(here):
        yield (folder / inputs.CONFIG).relative_to(here)
        folder = folder.parent


def names(config: Config, path: Path) -> bool:
    """Whether a source of the config is read from this file, from a folder that it is in, or from its snapshot."""
    from toolc import snapshot

    place = _absolute(path)
    for name, entry in config.sources.items():
        base = _absolute(entry.base)
        listed = getattr(entry.options, "path", ())
        texts = [*((listed,) if isinstance(listed, str) else listed or ()), getattr(entry.options, "ddl", "")]
        kept = getattr(entry.options, "snapshot", "") or snapshot.default_path(name)
        # of an mcp.json the snapshots of its servers stand in a folder
        for text in (*filter(None, texts), kept, kept.removesuffix(".json")):
            target = Path(os.path.normpath(base / text))
            if target in (place, *place.parents):
                return True
            pattern = any(sign in text for sign in "*?[") and not Path(text).is_absolute()
            if pattern and place in map(_absolute, base.glob(text)):
                return True
    return False


def _absolute(path: Path) -> Path:
    return Path(os.path.normpath(Path.cwd() / path))
