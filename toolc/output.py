"""The only module that writes: a bundle as a whole or not at all, and single files in one step."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import zip_longest
from pathlib import Path, PurePosixPath

from toolc.diagnostics import UserError, user_error
from toolc.ir import File
from toolc.position.visible import visible

# What tells a bundle from any other folder: this file, with this in it (the beginning of its `format`).
MARKER = "bundle.json"
MARK = b'"toolc-bundle/'
_OPEN = re.compile(r"/dev/(stdout|stderr|fd/\d+)|/proc/\w+/fd/\d+")

_IGNORED = (".DS_Store", "Thumbs.db")  # left by file browsers


def write(files: Sequence[File], folder: Path) -> None:
    """Replace the bundle in a folder by these files; raises UserError, and then the old bundle is as it was.

    Everything is written beside the folder first and moved into place by renaming. A folder that holds anything but a
    bundle is refused. Where the folder is a link, what it points at is replaced.
    """
    with _reported(folder):
        target = folder.resolve()
        _check_replaceable(target, folder)
        contents = _contents(files)
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh, old = (target.with_name(f".{target.name}.{os.getpid()}.{kind}") for kind in ("new", "old"))
        try:
            _fill(fresh, contents)
            if target.exists():
                target.rename(old)
            fresh.rename(target)
        finally:  # also when interrupted between the two
            if old.exists() and not target.exists():
                old.rename(target)
            for rest in (fresh, old):
                shutil.rmtree(rest, ignore_errors=True)


def differences(files: Sequence[File], folder: Path) -> list[str]:
    """What `write` would change, one line a file, by path; empty if the folder holds exactly these files.

    `changed PATH: line N: was …, now …` · `missing PATH` · `stray PATH`.
    """
    with _reported(folder):
        expected = _contents(files)
        found = {
            path.relative_to(folder).as_posix(): path
            for path in folder.rglob("*")
            if not path.is_dir() and path.name not in _IGNORED
        }
        lines = {path: f"missing {visible(path)}" for path in expected.keys() - found.keys()}
        lines |= {path: f"stray {visible(path)}" for path in found.keys() - expected.keys()}
        for path in expected.keys() & found.keys():
            before = found[path].read_bytes()
            if before != expected[path]:
                lines[path] = f"changed {visible(path)}: {_first_difference(before, expected[path])}"
    return [lines[path] for path in sorted(lines)]


def write_file(path: Path, text: str) -> None:
    """Replace one file in one step; raises UserError, and then the old one is as it was.

    What is no file, such as a pipe or `/dev/stdout`, is written to and stays.
    """
    if _is_stream(path):
        with _reported(path), path.open("ab") as stream:
            stream.write(encoded(text))
    else:
        write_bytes(path, encoded(text))


def _is_stream(path: Path) -> bool:
    """Whether bytes go through the path; `/dev/stdout` may stand for a file that is open already."""
    return bool(_OPEN.fullmatch(path.as_posix())) or (path.exists() and not path.is_file() and not path.is_dir())


def write_bytes(path: Path, data: bytes) -> None:
    """As `write_file` for bytes, as they are."""
    with _reported(path):
        target = path.resolve()
        fresh = target.with_name(f".{target.name}.{os.getpid()}.new")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            fresh.write_bytes(data)
            if target.exists():
                shutil.copymode(target, fresh)
            fresh.replace(target)
        finally:
            with suppress(OSError):
                fresh.unlink(missing_ok=True)


def _check_replaceable(target: Path, folder: Path) -> None:
    """Nothing that toolc did not make is ever deleted."""
    if not target.exists():
        return
    if not target.is_dir():
        raise _refused(folder, "is a file")
    if not any(target.iterdir()):
        return
    if (target / ".git").exists():
        raise _refused(folder, "is the root of a git repository")
    marker = target / MARKER
    if not marker.is_file() or MARK not in marker.read_bytes():
        raise _refused(folder, "holds files that are no bundle")


def _refused(folder: Path, reason: str) -> UserError:
    message = f"the output folder {visible(str(folder))} {reason}"
    return user_error("unsafe-output", message, help="Name a new or empty folder, or one that toolc has written.")


def _contents(files: Sequence[File]) -> dict[str, bytes]:
    """The bytes of each file by its path, which must stay inside the folder and be there once."""
    contents: dict[str, bytes] = {}
    for file in files:
        path = PurePosixPath(file.path)
        plain = path.as_posix() == file.path and path.parts and not path.is_absolute() and ".." not in path.parts
        if not plain or any(sign in file.path for sign in "\\:\0"):
            message = f"the file name {visible(file.path)!r} does not stay inside the output folder"
            raise user_error("unsafe-output", message, help="Change the name in the configuration it comes from.")
        if file.path in contents:
            message = f"two files of the output have the name {visible(file.path)}"
            raise user_error("unsafe-output", message, help="Change one of the names they come from.")
        contents[file.path] = encoded(file.text)
    return contents


def encoded(text: str) -> bytes:
    """The bytes that are written for a text: UTF-8 with LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8")


def _fill(folder: Path, contents: dict[str, bytes]) -> None:
    shutil.rmtree(folder, ignore_errors=True)  # left by a process of the same number that was killed
    folder.mkdir()
    for path, data in contents.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


def _first_difference(before: bytes, after: bytes) -> str:
    old, new = (data.decode("utf-8", "surrogateescape").split("\n") for data in (before, after))
    pairs = enumerate(zip_longest(old, new), start=1)
    number, (was, now) = next((number, pair) for number, pair in pairs if pair[0] != pair[1])
    apart = (at for at, (one, other) in enumerate(zip(was or "", now or "", strict=False)) if one != other)
    at = next(apart, min(len(was or ""), len(now or "")))
    return f"line {number}: was {_excerpt(was, at)}, now {_excerpt(now, at)}"


def _excerpt(line: str | None, at: int) -> str:
    """Some 60 characters of a line around an index."""
    if line is None:
        return "nothing"
    start = max(0, at - 20)
    end = start + 60
    return f"`{'…' if start else ''}{visible(line[start:end])}{'…' if end < len(line) else ''}`"


@contextmanager
def _reported(path: Path) -> Iterator[None]:
    """Turn what the file system refuses into a UserError."""
    try:
        yield
    except (OSError, RuntimeError, UnicodeEncodeError, shutil.Error) as error:  # RuntimeError: a circle of links
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        advice = "Check that it can be written and that the disk has room; nothing was changed."
        raise user_error("unwritable-output", f"cannot write {visible(str(path))}: {reason}", help=advice) from None
