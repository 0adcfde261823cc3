"""What git knows of a folder: the files of a revision, and which it ignores; working tree and index stay as they are.

Done by git itself with an index of its own, so that attributes and filters (line ends, LFS) work as in a checkout.
"""

from __future__ import annotations

import os
import posixpath
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from toolc.diagnostics import UserError, user_error
from toolc.documents import CATALOG

_FETCH = (
    "name a branch, tag or commit that is here: `git fetch origin` brings the branches of the other side, in CI with "
    "`fetch-depth: 0` at the checkout, and `git fetch --unshallow` what a shallow clone left out"
)


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit of the repository that a folder is in. inside: the folder as seen from the top, `` for the top."""

    top: Path
    commit: str
    name: str
    inside: str

    def read(self, path: str) -> str | None:
        """The text of a file below the folder as it was; None where it was not."""
        place = self.at(path)
        found = _git(self.top, "cat-file", "blob", f"{self.commit}:{place}") if place is not None else None
        return found.stdout.decode("utf-8", "replace") if found is not None and found.returncode == 0 else None

    def submodules(self) -> list[str]:
        """Folders of the repository whose files are in repositories of their own."""
        found = _git(self.top, "ls-tree", "-r", "-z", self.commit)
        entries = found.stdout.decode("utf-8", "surrogateescape").split("\0")
        return [entry.partition("\t")[2] for entry in entries if entry.startswith("160000 ")]

    def extract(self, folder: Path, paths: Sequence[str] = ()) -> None:
        """Write the files of the revision (all of them, or those below these paths from the top) into a folder."""
        own = {"GIT_INDEX_FILE": str(folder.with_name(folder.name + ".index"))}
        _must(_git(self.top, "read-tree", self.commit, env=own), self.name)
        listed = _must(_git(self.top, "ls-files", "-z", "--cached", "--", *paths, env=own), self.name)
        into = f"--prefix={folder.as_posix()}/"
        _must(_git(self.top, "checkout-index", "-f", "-z", "--stdin", into, env=own, stdin=listed), self.name)

    def at(self, path: str) -> str | None:
        """Where a file stands, seen from the top; path: from the folder. None if it is not in the repository."""
        place = posixpath.normpath(posixpath.join(self.inside, path))
        return None if posixpath.isabs(path) or place.startswith("../") or path.startswith(CATALOG) else place


def find(folder: Path, name: str) -> Revision:
    """The revision of this name in the repository that the folder is in; raises UserError."""
    top = _git(folder, "rev-parse", "--show-toplevel")
    if top.returncode != 0:
        said = _said(top.stderr)
        raise user_error(
            "no-repository",
            f"{folder.as_posix() or '.'} is in no git repository that can be read" + (f": {said}" if said else ""),
            help="without git, `--against` takes the folder of a bundle or a toolc.lock",
        )
    found = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if found.returncode != 0:
        raise user_error("unknown-revision", f"`{name}` is no revision here, no bundle and no lock", help=_FETCH)
    root = Path(os.fsdecode(top.stdout.rstrip(b"\r\n")))
    inside = Path(os.path.relpath(folder.resolve(), root.resolve())).as_posix()
    return Revision(root, found.stdout.decode().strip(), name, "" if inside == "." else inside)


def ignored(folder: Path, files: Sequence[Path]) -> set[Path]:
    """Which files below a folder git is told to ignore; none where there is no repository, or no git."""
    if not any((above / ".git").exists() for above in (folder.resolve(), *folder.resolve().parents)):
        return set()
    names = "\0".join(file.relative_to(folder).as_posix() for file in files)
    try:
        found = _git(folder, "check-ignore", "-z", "--stdin", stdin=os.fsencode(names))
    except UserError:
        return set()
    return {folder / os.fsdecode(name) for name in found.stdout.split(b"\0") if name}


def _git(
    folder: Path, *arguments: str, env: dict[str, str] | None = None, stdin: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    # git's own variables (set inside its hooks) name the repository and index of somebody else
    outer = {key: value for key, value in os.environ.items() if not key.startswith("GIT_") or key in _KEPT}
    # and a repository that came as a folder may name a program there
    command = ["git", "-C", str(folder), "-c", "core.fsmonitor=false", *arguments]
    try:
        return subprocess.run(  # noqa: S603
            command, input=stdin, capture_output=True, check=False, env=outer | (env or {}) | {"LC_ALL": "C"}
        )
    except FileNotFoundError:
        raise user_error(
            "no-git",
            "git is not installed",
            help="without it, `--against` takes the folder of a bundle or a toolc.lock",
        ) from None


_KEPT = (
    "GIT_CEILING_DIRECTORIES",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_ASKPASS",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
)


def _must(done: subprocess.CompletedProcess[bytes], name: str) -> bytes:
    if done.returncode != 0:
        raise _failed(done, name)
    return done.stdout


def _failed(done: subprocess.CompletedProcess[bytes], name: str) -> UserError:
    return user_error(
        "unreadable-revision", f"git cannot give the files of `{name}`: {_said(done.stderr)}", help=_FETCH
    )


def _said(text: bytes) -> str:
    """git's own last words, on one line."""
    lines = [line.strip() for line in text.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[0].removeprefix("fatal: ") if lines else ""
