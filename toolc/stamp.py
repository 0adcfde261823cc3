"""What a build saw, kept in the user's cache, so that a build with nothing changed need not be done again.

A stamp holds digests of every file that was read, what every pattern and folder named, the code that built, and what
was written. Whatever cannot be shown to be as it was counts as changed; losing a stamp costs a build.
"""

from __future__ import annotations

import glob
import json
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from toolc import __version__, resources

# Of what one text of the config names; what is larger is not looked through, and its builds are never skipped. The text
# may be an argument of a program that no build runs.
MOST_FILES = 2_000
MOST_BYTES = 256 * 1024 * 1024
_LIBRARIES = ("jinja2", "jsonschema_rs", "tiktoken", "yaml")  # those that what is built depends on
_PASSED_OVER = (".git", "__pycache__")
_LEFT_BY_BROWSERS = (".DS_Store", "Thumbs.db")


class TooMuchError(Exception):
    """A folder holds more files than are worth looking at."""


@dataclass(slots=True)
class Picture:
    """A part of the file system. files: digest by path, `` where there is none; folders: digest of all below.

    patterns: (folder, pattern) → what matches.
    """

    files: dict[str, str] = field(default_factory=dict)
    folders: dict[str, str] = field(default_factory=dict)
    patterns: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def add(self, base: Path, name: str, apart: Iterable[Path] = ()) -> None:
        """Take in whatever a text of the config may name: a file, a folder, a pattern, or nothing."""
        try:
            place = base / name
            if glob.has_magic(name):
                self.patterns[(str(base), name)] = _matches(base, name)
                for match in self.patterns[(str(base), name)]:
                    self.add(base, glob.escape(match) if not (base / match).exists() else match, apart)
            elif place.is_dir():
                self.folders[str(place)] = tree(place, apart)
            else:
                if place.is_file() and place.stat().st_size > MOST_BYTES:
                    raise TooMuchError
                for beside in ("", "-wal"):  # SQLite keeps what is new in a second file
                    self.files[f"{place}{beside}"] = digest(Path(f"{place}{beside}"))
        except (OSError, ValueError):
            return  # no text that could name a file

    def holds(self, apart: Iterable[Path] = ()) -> bool:
        """Whether all of it is still so."""
        return (
            all(digest(Path(path)) == known for path, known in self.files.items())
            and all(_matches(Path(base), pattern) == known for (base, pattern), known in self.patterns.items())
            and all(tree(Path(path), apart) == known for path, known in self.folders.items())
        )


def _matches(base: Path, pattern: str) -> list[str]:
    return sorted(glob.glob(pattern, root_dir=base, recursive=True, include_hidden=True))  # noqa: PTH207


def digest(path: Path) -> str:
    """The sha256 of a regular file; `` if there is none."""
    try:
        if not path.is_file():
            return ""  # nor a device, which may have no end
        with path.open("rb") as handle:
            return sha256(handle.read()).hexdigest()
    except OSError:
        return ""


def tree(folder: Path, apart: Iterable[Path] = ()) -> str:
    """One digest of all files below a folder, by name and content, without those apart; raises TooMuchError."""
    left_out = {str(path) for path in apart}
    found: dict[str, str] = {}
    size = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(n for n in folders if n not in _PASSED_OVER and str(Path(place) / n) not in left_out)
        for name in names:
            path = Path(place) / name
            if name not in _LEFT_BY_BROWSERS and str(path) not in left_out:
                size += path.stat().st_size if path.is_file() else 0
                if len(found) == MOST_FILES or size > MOST_BYTES:
                    raise TooMuchError
                found[path.relative_to(folder).as_posix()] = digest(path)
    return digest_of(found)


def digest_of(files: Mapping[str, str]) -> str:
    """One digest of files by name and digest."""
    return sha256(json.dumps(sorted(files.items())).encode()).hexdigest()


def code() -> str:
    """What tells this toolc, its data and its libraries from any other: their files, sizes and times."""
    facts: list[object] = [__version__, sys.version]
    for folder in (resources.PACKAGE, resources.data("templates"), resources.data("catalogs")):
        for place, folders, names in os.walk(folder):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            for name in sorted(names):
                found = os.stat(os.path.join(place, name))  # noqa: PTH116, PTH118
                facts.append((place, name, found.st_size, found.st_mtime_ns))
    for name in _LIBRARIES:
        spec = find_spec(name)
        origin = spec.origin if spec is not None else None
        facts.append((name, origin, os.stat(origin).st_mtime_ns if origin else 0))  # noqa: PTH116
    return sha256(json.dumps(facts).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Stamp:
    """A build that was done. out: its folder, with the digest of what is in it; lock: its path and digest.

    said: what to tell whoever builds again.
    """

    code: str
    picture: Picture
    out: tuple[str, str]
    lock: tuple[str, str]
    said: str

    def holds(self) -> bool:
        """Whether a build now would do nothing."""
        out, lock = Path(self.out[0]), Path(self.lock[0])
        try:
            return (
                self.code == code()
                and digest(lock) == self.lock[1]
                and self.picture.holds((out, lock))
                and tree(out) == self.out[1]
            )
        except (OSError, TooMuchError):
            return False


def load(asked: object) -> Stamp | None:
    """The stamp of the last build that was asked for in this way; None if there is none that can be read."""
    path = _path(asked)
    try:
        data = json.loads(path.read_text(encoding="utf-8")) if path is not None else None
        return None if data is None else _decoded(data)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def save(asked: object, stamp: Stamp) -> None:
    """Keep a stamp; no fault of the cache is ever seen outside."""
    path = _path(asked)
    if path is None:
        return
    picture = stamp.picture
    data = {
        "code": stamp.code,
        "files": picture.files,
        "folders": picture.folders,
        "patterns": [[*key, matches] for key, matches in picture.patterns.items()],
        "out": stamp.out,
        "lock": stamp.lock,
        "said": stamp.said,
    }
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    with suppress(OSError, ValueError):
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(json.dumps(data), encoding="utf-8")
        fresh.replace(path)


def _path(asked: object) -> Path | None:
    folder = resources.cache_folder()
    name = sha256(json.dumps(asked).encode()).hexdigest()[:32]
    return folder / "builds" / f"{name}.json" if folder is not None else None


def _decoded(data: Mapping[str, Any]) -> Stamp:
    patterns = {(str(base), str(pattern)): list(matches) for base, pattern, matches in data["patterns"]}
    picture = Picture(dict(data["files"]), dict(data["folders"]), patterns)
    out, lock = data["out"], data["lock"]
    return Stamp(str(data["code"]), picture, (out[0], out[1]), (lock[0], lock[1]), str(data["said"]))
