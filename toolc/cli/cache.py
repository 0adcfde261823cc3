"""Results of `lint` over files that have not changed, in the user's cache folder.

An entry is found by what was asked (version, options, names of the files) and holds only as long as every file that was
read has the same bytes. It is one JSON file, written in one step: two runs at once do no harm, and an entry that cannot
be read is none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from toolc import __version__, resources
from toolc.diagnostics import Diagnostic, Fix, Severity
from toolc.ir import Origin

FORMAT = "toolc-lint-cache/1"
# Entries that are kept; what was written longest ago goes first.
MOST = 200


def key(asked: Mapping[str, Any]) -> str:
    """The name of the entry for what was asked; a changed toolc has other entries."""
    parts = {"format": FORMAT, "version": __version__, "code": _code(), **asked}
    return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:40]


def _code() -> list[Any]:
    """When the modules and data files of toolc last changed, so that work on toolc itself is not served old results."""
    newest, count = 0, 0
    for top in (resources.PACKAGE, resources.data("catalogs")):
        for place, folders, files in os.walk(top):
            folders[:] = [name for name in folders if name != "__pycache__"]
            for name in files:
                newest = max(newest, os.stat(f"{place}/{name}").st_mtime_ns)  # noqa: PTH116
                count += 1
    return [newest, count]


def digest(path: Path) -> str:
    """The hash of a file's bytes; `` where it cannot be read."""
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def listing(folders: Iterable[str]) -> str:
    """The hash of the names of all files below some folders."""
    names = sorted(f"{place}/{name}" for folder in folders for place, _, files in os.walk(folder) for name in files)
    return sha256("\0".join(names).encode("utf-8", "surrogateescape")).hexdigest()


def load(name: str) -> dict[str, Any] | None:
    """The entry, if there is one and every file it was made from is as it was."""
    folder = _folder()
    try:
        entry = json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) if folder else None
        if not isinstance(entry, dict) or entry.get("format") != FORMAT:
            return None
        if any(digest(Path(path)) != known for path, known in entry["files"].items()):
            return None
        if entry["folders"] and listing(entry["folders"]) != entry["listing"]:
            return None
        entry["findings"] = [_decoded(item) for item in entry["findings"]]
        entry["suppressed"] = [(_decoded(item), reason) for item, reason in entry["suppressed"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return entry


def store(name: str, entry: Mapping[str, Any]) -> None:
    """Keep an entry; where that cannot be done the next run takes its time again."""
    folder = _folder()
    if folder is None:
        return
    data = {
        **entry,
        "format": FORMAT,
        "listing": listing(entry["folders"]) if entry["folders"] else "",
        "findings": [_encoded(finding) for finding in entry["findings"]],
        "suppressed": [[_encoded(finding), reason] for finding, reason in entry["suppressed"]],
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        fresh = folder / f".{name}.{os.getpid()}"
        fresh.write_text(json.dumps(data), encoding="utf-8")
        fresh.replace(folder / f"{name}.json")
        entries = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
        for path in entries[:-MOST]:
            path.unlink(missing_ok=True)
    except (OSError, ValueError):
        return


def _folder() -> Path | None:
    top = resources.cache_folder()
    return top / "lint" if top is not None else None


def _encoded(finding: Diagnostic) -> list[Any]:
    fix = finding.fix
    return [
        finding.rule,
        int(finding.severity),
        finding.message,
        _place(finding.origin),
        [_place(origin) for origin in finding.related],
        finding.help,
        finding.subject,
        finding.count,
        None if fix is None else fix.words,
        [_encoded(part) for part in finding.parts],
    ]


def _decoded(item: list[Any]) -> Diagnostic:
    rule, severity, message, origin, related, advice, subject, count, fix, parts = item
    places = [place for place in map(_origin, related) if place is not None]
    made = Diagnostic(rule, Severity(severity), message, _origin(origin), tuple(places), advice, subject, count)
    made = replace(made, parts=tuple(map(_decoded, parts)))
    # What mends does not look here: that a fix exists is all that is told.
    return made if fix is None else replace(made, fix=Fix(fix, ()))


def _place(origin: Origin | None) -> list[Any] | None:
    return None if origin is None else [origin.source, origin.pointer, origin.line, origin.column]


def _origin(place: list[Any] | None) -> Origin | None:
    return None if place is None else Origin(*place)
