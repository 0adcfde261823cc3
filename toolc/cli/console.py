"""What commands share: reading their input, and writing results to stdout and the rest to stderr."""

from __future__ import annotations

import glob
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from toolc import registry
from toolc.bind import did_you_mean, nearest
from toolc.diagnostics import Diagnostic, Report, UserError, user_error, worst_first
from toolc.ir import Origin

if TYPE_CHECKING:
    from types import ModuleType

    from toolc.config import Config
    from toolc.runtime import Bundle


def out(text: str) -> None:
    """Write a result to stdout, with characters that a terminal would obey or hide as escapes.

    Not by click, which writes UTF-8 to a stream that says it takes ASCII only.
    """
    print(_safe(text, sys.stdout))


def machine(text: str) -> None:
    """Write JSON to stdout, with unseen characters escaped, and all others where the encoding is not UTF-8."""
    from toolc.position.visible import UNSEEN

    text = UNSEEN.sub(lambda found: found[0] if found[0] == "\n" else json.dumps(found[0])[1:-1], text)
    if encoding(sys.stdout).lower().replace("-", "") != "utf8":
        text = "".join(c if c.isascii() else json.dumps(c)[1:-1] for c in text)
    print(text.rstrip("\n"))


def say(text: str) -> None:
    """Write what is not the result to stderr, made safe likewise; if that cannot be, nobody is there to be told."""
    try:
        print(_safe(text, sys.stderr), file=sys.stderr, flush=True)
    except (OSError, ValueError):
        discard(sys.stderr)


def discard(stream: TextIO) -> None:
    """Send what is still buffered, and all that follows, nowhere, so that Python does not complain at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def patch(text: str) -> None:
    """Write a diff to stdout: safe to look at on a terminal, and as it is, byte for byte, for a file or `patch`."""
    if sys.stdout.isatty():
        out(text)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.buffer.flush()


def _safe(text: str, stream: TextIO) -> str:
    from toolc.position.visible import encodable, visible

    return encodable("\n".join(map(visible, text.rstrip("\n").split("\n"))), encoding(stream))


def encoding(stream: TextIO) -> str:
    """The encoding of a stream; one that has none, as in tests, takes every sign."""
    return stream.encoding or "utf-8"


def dump(data: Any) -> None:
    """Write data to stdout as JSON."""
    machine(json.dumps(data, ensure_ascii=False, indent=2))


def problems(diagnostics: Iterable[Diagnostic], root: Path) -> None:
    """Write diagnostics to stderr, the worst first; root: the folder that their origins are relative to."""
    found = worst_first(placed(diagnostics, root))
    if found:
        say(registry.load("printers", "text").show(found, Path(), encoding=encoding(sys.stderr)))


def placed(diagnostics: Iterable[Diagnostic], root: Path) -> list[Diagnostic]:
    """Diagnostics with their places relative to the current folder, as whoever reads them stands there, not in root."""
    return [
        replace(
            item,
            origin=item.origin and moved(item.origin, root),
            related=tuple(moved(origin, root) for origin in item.related),
            parts=tuple(placed(item.parts, root)),
        )
        for item in diagnostics
    ]


def moved(origin: Origin, root: Path) -> Origin:
    """A place relative to root, relative to the current folder."""
    return replace(origin, source=_moved(origin.source, root))


@cache
def _moved(source: str, root: Path) -> str:
    if not source or source.startswith("catalog:"):
        return source
    return Path(os.path.normpath(root / source)).as_posix()


def member(kind: registry.Kind) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """A click callback that takes only names of built-in members and says which one was meant."""

    def check(ctx: click.Context, parameter: click.Parameter, value: Any) -> Any:
        known = registry.names(kind)
        for name in (value,) if isinstance(value, str) else value or ():
            if name not in known:
                message = f"`{name}` is none of the {kind}{did_you_mean(name, known)} (they are {', '.join(known)})"
                raise click.BadParameter(message, ctx=ctx, param=parameter)
        return value

    return check


def load_config(path: Path, report: Report) -> Config:
    """The config at a path; from here on, problems are shown relative to its folder."""
    from toolc import config

    stand_in(path if path.is_dir() else path.parent)
    return config.load(path, report)


def stand_in(folder: Path) -> None:
    """From here on, problems that end the command are shown relative to this folder."""
    click.get_current_context().find_root().obj = folder


def load_configs(paths: Sequence[Path], report: Report, skip: bool = False) -> list[Config]:
    """The configs that paths stand for, as `configs_for`; stderr says how many files were no tool source."""
    configs, skipped = configs_for(files(paths), report, skip)
    if skipped:
        say(f"skipped {skipped} {'file that is' if skipped == 1 else 'files that are'} no tool source")
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
            configs.append(load_config(path, report))
    named = {place for each in configs for place in _named(each)}
    stand_in(Path())
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


# As `config.FILE_NAME`; importing all that reads a config takes longer than a lint that is served from the cache.
CONFIG = "toolc.yaml"
_BUNDLE, _FORMAT = "bundle.json", b'"toolc-bundle/'  # as in `bundle`
_READS = (
    "it reads toolc.yaml, OpenAPI documents, MCP tool lists and manifests, tool lists of any vendor, captured API "
    "requests, SQL schemas (.sql, .ddl), SQLite files and folders with SKILL.md"
)
_INSTALLED = ("node_modules", "__pycache__", "site-packages")
_SUFFIXES = {".json", ".jsonc", ".yaml", ".yml", ".sql", ".ddl", ".db", ".sqlite", ".sqlite3", ".mcpb", ".dxt"}


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


def bundle_folder(folder: Path | None) -> Path:
    """The folder of the bundle that was named; if none was, the `out` of ./toolc.yaml, or ./bundle."""
    from toolc import config

    if folder is None:
        has_config = Path(config.FILE_NAME).is_file()
        folder = Path(load_config(Path(config.FILE_NAME), Report()).out) if has_config else Path("bundle")
    return folder


def load_bundle(folder: Path | None, profile: str = "") -> Bundle:
    """The bundle in a folder, or one of its profiles, ready to be called."""
    from toolc.runtime import Bundle

    return Bundle.load(profile_folder(bundle_folder(folder), profile))


def profile_folder(whole: Path, profile: str) -> Path:
    """The folder of a profile of a bundle, or of the whole; raises UserError for a profile that is none."""
    if not profile:
        return whole
    known = sorted(place.name for place in (whole / "profiles").glob("*"))
    if profile not in known:
        message = f"{whole.as_posix()} has no profile `{profile}`{did_you_mean(profile, known)}"
        raise user_error(
            "unknown-profile",
            message,
            help=f"profiles: {', '.join(known) or 'none; `toolc build` writes those that toolc.yaml declares'}",
        )
    return whole / "profiles" / profile


def arguments(text: str) -> dict[str, Any]:
    """The JSON object that the argument of a command is (`-`: from stdin)."""
    from toolc import documents

    # as strict as for sources: of a key that stands twice, a permission check may have read the other
    data = documents.parse_json(sys.stdin.read() if text == "-" else text, "argument JSON")
    if not isinstance(data, dict):
        raise click.BadParameter("arguments are a JSON object, as '{\"id\": 1}'", param_hint="JSON")
    return data


def first_line(module: ModuleType) -> str:
    """What a module is, by the first line of its docstring."""
    return (module.__doc__ or "").strip().split("\n")[0]


def table(rows: Sequence[tuple[str, ...]], right: int = 0) -> None:
    """Write rows with their columns below each other; right: how many columns, from the left, stand right-aligned."""
    from toolc.position.visible import columns, encodable, visible

    def padded(cell: str, width: int, right: bool) -> str:
        gap = " " * (width - columns(cell))
        return gap + cell if right else cell + gap

    drawn = [[encodable(visible(cell), encoding(sys.stdout)) for cell in row] for row in rows]
    widths = [max(map(columns, column)) for column in zip(*drawn, strict=True)]
    for row in drawn:
        cells = zip(row, widths, strict=True)
        out("  ".join(padded(cell, width, index < right) for index, (cell, width) in enumerate(cells)).rstrip())


bundle_option = click.option(
    "--bundle",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Folder of the bundle; without it, the `out` of ./toolc.yaml, or ./bundle.",
)


profile_option = click.option(
    "--profile", default="", metavar="NAME", help="Only what this profile of the bundle holds."
)


def run_options(command: Any) -> Any:
    """The options of commands that carry out calls: `files`, `timeout` and `most_bytes`."""
    files = click.option(
        "--files",
        multiple=True,
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        metavar="DIR",
        help="Folder from which `file:PATH` arguments may be sent; more than once for more.",
    )
    timeout = click.option(
        "--timeout", type=click.FloatRange(min=0.1), default=60.0, show_default=True, help="Seconds for one call."
    )
    most = click.option(
        "--max-bytes",
        "most_bytes",
        type=click.IntRange(min=1000),
        default=200_000,
        show_default=True,
        help="Most bytes of an answer that are handed on.",
    )
    return files(timeout(most(command)))
