"""Reads a toolc.yaml and the files it includes, each once, and puts them together."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from toolc import documents, resources
from toolc.bind import bind, did_you_mean
from toolc.config.merging import Layer, assemble
from toolc.config.model import Config, Keys
from toolc.diagnostics import Report, Severity, UserError, user_error
from toolc.ir import Origin

FILE_NAME = "toolc.yaml"
_CATALOG = documents.CATALOG
_KEYS = {item.name for item in fields(Keys)}
_ADVICE = "`build` takes a config, which `toolc init` writes; `lint` and `tokens` take source files too"


def load(path: Path, report: Report) -> Config:
    """Read a toolc.yaml, or the one in a folder; raises UserError with all that is wrong in it and its includes."""
    place = path / FILE_NAME if path.is_dir() else path
    if not place.is_file():
        raise user_error(
            "missing-file", f"there is no {place.as_posix()}", help="`toolc init` writes one to start from"
        )
    found = Report()
    reading = _Reading(place.parent, found)
    if not reading.take(place, ()):
        raise UserError(*found.diagnostics)
    config = assemble(reading.layers, reading.root, reading.files, found)
    if found.has(Severity.error):
        raise UserError(*found.diagnostics)
    report.diagnostics.extend(found.diagnostics)
    return config


class _Reading:
    """Collects the files of a config, each once, included ones before the file that includes them."""

    def __init__(self, root: Path, report: Report) -> None:
        self.root = root
        self.report = report
        self.layers: list[Layer] = []
        self.files: dict[str, str] = {}
        self._seen: set[Path] = set()

    def take(self, place: Path, chain: tuple[Path, ...]) -> bool:
        """Read one file after what it includes; chain: the files that led here. False if there is nothing to read."""
        self._seen.add(place.resolve())
        try:
            document = documents.read(place, documents.display(place, self.root))
        except UserError as error:
            self.report.diagnostics.extend(error.diagnostics)
            return False
        self.files[document.path] = document.digest
        origin = Origin(document.path)
        if not isinstance(document.data, dict) or not document.data.keys() & _KEYS:
            self.report.error("wrong-file", f"this is no toolc.yaml: {_reason(document.data)}", origin, help=_ADVICE)
            return False
        # Editors find the schema of a config written in JSON by this key.
        data = {key: value for key, value in document.data.items() if key != "$schema"}
        keys = bind(Keys, data, origin, self.report) or _sound_keys(data)
        for index, name in enumerate(keys.include):
            self._include(name, place, origin.at("include", index), (*chain, place.resolve()))
        self.layers.append(Layer(keys, data, place.parent, origin))
        return True

    def _include(self, name: str, includer: Path, origin: Origin, chain: tuple[Path, ...]) -> None:
        is_catalog = name.startswith(_CATALOG)
        place = _catalog(name) if is_catalog else includer.parent / name
        if place.is_dir():
            place /= FILE_NAME
        if not place.is_file():
            known = [_CATALOG + catalog for catalog in catalogs()] if is_catalog else []
            advice = f"there are {', '.join(known)}" if is_catalog else "give the path of a toolc.yaml, from this file"
            self.report.error("missing-file", f"`{name}` is not there{did_you_mean(name, known)}", origin, help=advice)
        elif place.resolve() in chain:
            ring = [*chain[chain.index(place.resolve()) :], place.resolve()]
            shown = " → ".join(documents.display(path, self.root.resolve()) for path in ring)
            self.report.error("include-cycle", f"`{name}` includes itself: {shown}", origin)
        elif place.resolve() not in self._seen:
            self.take(place, chain)


def _reason(data: object) -> str:
    if data is None:
        return "the file is empty"
    return "it has none of its keys" if isinstance(data, dict) else "it holds no mapping"


def _sound_keys(data: dict[str, Any]) -> Keys:
    """The keys that are right, so that what is wrong below `sources` is told together with a wrong key beside it."""

    def attempt(values: dict[str, Any]) -> Keys | None:
        return bind(Keys, {"version": 1, **values}, Origin(""), Report())

    sound = {key: value for key, value in data.items() if attempt({key: value}) is not None}
    return attempt(sound) or Keys(version=1)


def catalogs() -> tuple[str, ...]:
    """The names of the catalogs that come with toolc."""
    return tuple(sorted(path.parent.name for path in resources.data("catalogs").glob(f"*/{FILE_NAME}")))


def _catalog(name: str) -> Path:
    """Where a shipped catalog stands; only a plain name is looked for, so that none leads out of their folder."""
    plain = name.removeprefix(_CATALOG)
    return resources.data("catalogs") / (plain if plain in catalogs() else "")
