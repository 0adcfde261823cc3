"""Printers: each module here turns diagnostics into one output format.

A member has `show(diagnostics, root, suppressed=()) -> str`; root is the folder that origins are relative to, and
suppressed are findings that were let pass, each with the reason.
"""

from __future__ import annotations

import os
from pathlib import Path

from toolc.diagnostics import Diagnostic

Suppressed = tuple[Diagnostic, str]


class Checkout:
    """The repository that findings are in: code hosts know files by their paths from its top, wherever one stands.

    root: the folder that places are relative to. Outside of any repository the top is that folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = Path(os.path.realpath(root))
        self._top = _top(self._root)

    def path(self, source: str) -> str:
        """The path from the top, with `/`; of a file outside the absolute path; a catalog's own name as it is."""
        if source.startswith("catalog:"):
            return source
        path = Path(os.path.normpath(self._root / source))
        return (path.relative_to(self._top) if path.is_relative_to(self._top) else path).as_posix()


def _top(folder: Path) -> Path:
    for place in (folder, *folder.parents):
        if (place / ".git").exists():
            return place
    # a checkout without git: the API's archive, in a container that has none
    workspace = os.environ.get("GITHUB_WORKSPACE")
    top = Path(os.path.realpath(workspace)) if workspace else folder
    return top if folder.is_relative_to(top) else folder


def named(finding: Diagnostic) -> str:
    """The message, with the name of what it speaks of where it does not say that itself, and how often."""
    said = not finding.subject or finding.subject.rpartition(":")[2] in finding.message
    times = f" ({finding.count} times)" if finding.count > 1 else ""
    return ("" if said else f"{finding.subject}: ") + finding.message + times
