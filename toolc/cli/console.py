"""What commands share: writing results to stdout and the rest to stderr, and reading configs, bundles and arguments."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from toolc import registry
from toolc.bind import did_you_mean
from toolc.diagnostics import Diagnostic, Report, user_error, worst_first
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
