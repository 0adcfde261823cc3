"""Which files the paths of a command line stand for, and the configs they are read by."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolc.bind import nearest
from toolc.cli import console
from toolc.diagnostics import Report, UserError, user_error

if TYPE_CHECKING:
    from toolc.config import Config

# As `config.FILE_NAME`; importing all that reads a config takes longer than a lint that is served from the cache.
CONFIG = "toolc.yaml"
_BUNDLE, _FORMAT = "bundle.json", b'"toolc-bundle/'  # as in `bundle`
_READS = (
    "it reads toolc.yaml, OpenAPI documents, MCP tool lists and manifests, tool lists of any vendor, captured API "
    "requests, SQL schemas (.sql, .ddl), SQLite files and folders with SKILL.md"
)
_INSTALLED = ("node_modules", "__pycache__", "site-packages")
_SUFFIXES = {".json", ".jsonc", ".yaml", ".yml", ".sql", ".ddl", ".db", ".sqlite", ".sqlite3", ".mcpb", ".dxt"}


def load_configs(paths: Sequence[Path], report: Report, skip: bool = False) -> list[Config]:
    """The configs that paths stand for, as `configs_for`; stderr says how many files were no tool source."""
    configs, skipped = configs_for(files(paths), report, skip)
    if skipped:
        console.say(f"skipped {skipped} {'file that is' if skipped == 1 else 'files that are'} no tool source")
    return configs


def configs_for(found: Sequence[tuple[Path, bool]], report: Report, skip: bool = False) -> tuple[list[Config], int]:
    """The configs for some `files`: each toolc.yaml its own, and one for all plain source files together.

    A file that is no tool source is an error, unless it was found in a folder or `skip` is given; then it is counted.
    With `skip`, each plain file has a config of its own: what is staged together need not be loaded together.
    One that is a source of a config among them is read there, with all that the config says of it, and not once more.
    """
    from toolc import config

    configs: list[Config] = []
    entries: list[dict[str, Any]] = []
    skipped = 0
    others = [(path, inside) for path, inside in found if not config.is_config(path)]
    for path, _ in found:
        if config.is_config(path):
            configs.append(console.load_config(path, report))
    named = {place for each in configs for place in _named(each)}
    console.stand_in(Path())
    for path, inside in others:
        if not named.isdisjoint((path.resolve(), *path.resolve().parents)):
            continue
        if skip and is_in_bundle(path):
            skipped += 1
            continue
        if is_written(path):
            raise _written(path)
        try:
            entry = config.detect(path, named=not (skip or inside))
        except UserError:
            if not (skip or inside):
                raise
            entry = None
        if entry is not None:
            entries.append(entry)
        elif skip or inside:
            skipped += 1
        else:
            raise user_error("no-source", f"{path.as_posix()} is nothing that toolc reads tools from", help=_READS)
    together = [[entry] for entry in entries] if skip else [entries] * bool(entries)
    return [*configs, *(config.for_files(each, Path()) for each in together)], skipped


def _named(config: Config) -> Iterator[Path]:
    """The files and folders that the sources of a config name."""
    for entry in config.sources.values():
        for key in fields(entry.options):
            value = getattr(entry.options, key.name)
            for each in (value,) if isinstance(value, str) else value if isinstance(value, tuple) else ():
                if not isinstance(each, str) or not each or "://" in each:
                    continue
                places = glob.glob(each, root_dir=entry.base, recursive=True) if glob.has_magic(each) else [each]  # noqa: PTH207
                yield from (place for name in places if (place := (entry.base / name).resolve()).exists())


def _is_source(folder: Path) -> bool:
    from toolc import config

    return config.detect(folder) is not None


def files(paths: Sequence[Path]) -> list[tuple[Path, bool]]:
    """The files that paths stand for (no path: ./toolc.yaml), and whether each was only found in a folder.

    Folders are searched, except one that is a skill or holds skills.
    """
    return list(_files(paths or [Path(CONFIG)]))


def _files(paths: Sequence[Path]) -> Iterator[tuple[Path, bool]]:
    for path in paths:
        if (path / CONFIG).is_file():
            yield path / CONFIG, False
        elif path.is_dir() and is_written(path):
            raise _written(path)
        elif path.is_dir() and not _is_source(path):
            yield from ((place, True) for place in walk(path))
        elif path.exists():
            yield path, False
        else:
            raise user_error("missing-file", f"there is no {path.as_posix()}", help=_not_there(path))


def walk(folder: Path) -> Iterator[Path]:
    """Files below a folder that may be tool sources.

    Passed over are hidden folders, installed packages, bundles, and what git ignores.
    """
    from toolc import revision

    found: list[Path] = []
    for place, folders, files in os.walk(folder):
        here = Path(place)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in _INSTALLED
            and not is_written(here / name)
            and not (here / name / "pyvenv.cfg").is_file()
        )
        found += [here / name for name in sorted(files) if Path(name).suffix.lower() in _SUFFIXES or name == "SKILL.md"]
    ignored = revision.ignored(folder, found)
    return (place for place in found if place not in ignored)


def is_written(path: Path) -> bool:
    """Whether a path is a bundle, or its `bundle.json`: toolc's own output, which says the same as its sources."""
    path = path / _BUNDLE if path.is_dir() else path
    if path.name != _BUNDLE or not path.is_file():
        return False
    with path.open("rb") as file:
        return _FORMAT in file.read(100)


def _written(path: Path) -> UserError:
    message = f"{path.as_posix()} was written by `toolc build`"
    return user_error("wrong-file", message, help="give the toolc.yaml that it was built from, or its source files")


def is_in_bundle(path: Path) -> bool:
    """Whether a file stands in a bundle below the current folder."""
    here = Path.cwd()
    return any(is_written(folder) for folder in (here / path).parents if folder.is_relative_to(here))


def nothing_in(paths: Sequence[Path]) -> str:
    """What to say where folders hold nothing that was asked for: a check of nothing should not look like a pass."""
    return f"there is nothing to read tools from in {' '.join(path.as_posix() for path in paths)}"


def _not_there(path: Path) -> str:
    if path.name == CONFIG:
        return "`toolc init` writes one to start from"
    neighbours = [item.name for item in path.parent.iterdir()] if path.parent.is_dir() else []
    close = nearest(path.name, neighbours, count=1)
    return f"did you mean {(path.parent / close[0]).as_posix()}?" if close else ""
