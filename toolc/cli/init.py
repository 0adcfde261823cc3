"""`toolc init`."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from toolc import registry
from toolc.bind import did_you_mean
from toolc.cli import console, inputs
from toolc.diagnostics import Report, UserError, user_error

# More sources than these are no longer a start; the rest is only counted.
_MOST_SOURCES = 20
_SKILL = "SKILL.md"
_TARGETS = ("anthropic", "openai", "mcp")

_STARTER = """\
# Which tools an agent gets, and from where. `toolc build` compiles this, `toolc lint` checks it, and `toolc schema`
# prints a JSON Schema that editors can check it with.
version: 1
name: {name}

# Name → source. A source can be an OpenAPI document, a saved MCP tools/list result, a database schema, a list of tools
# in any vendor's shape, or a folder of skills.
sources:
{sources}

# Tools that are there from the start, by operation; all others wait in groups until they are asked for.
always: []            # as in ["{first}:*", "tag:issues", "!deprecated"]

# Tools that are activated together.
groups: {{}}            # as in {{writing: {{description: Change things, select: ["effect:write"]}}}}

# The build fails when the tools that are always there cost more tokens than this.
budgets: {{always: 4000}}

# Runtimes to emit for; `toolc targets` lists them.
targets: {{{targets}}}
"""
_NO_SOURCES = """\
  # api: {type: openapi, path: openapi.yaml, select: ["!deprecated"], auth: {bearer: {env: API_TOKEN}}}
  # files: {type: mcp, path: tools-list.json}
  # core: {type: tools, path: tools.yaml}"""


# An entry as `_starter` writes it; in an empty folder all of them are comments.
_SOURCE = re.compile(r"^  [A-Za-z_][\w-]*: \{", re.MULTILINE)


@click.command("init", short_help="Write a toolc.yaml to start from.")
@click.argument("folder", metavar="[DIR]", type=click.Path(path_type=Path, file_okay=False), default=Path())
@click.option("--from", "catalog", metavar="CATALOG", help="Start from a copy of one of the catalogs that come along.")
def command(folder: Path, catalog: str | None) -> int:
    """Write a toolc.yaml into DIR (default: here) that names the tool sources found there.

    With --from, copy a ready-made catalog instead. Nothing that exists is ever overwritten.
    """
    from toolc import config, lock, resources

    if catalog is None:
        files = {config.FILE_NAME: _starter(folder)}
    else:
        known = config.catalogs()
        if catalog not in known:
            message = f"there is no catalog `{catalog}`{did_you_mean(catalog, known)}"
            raise user_error("unknown-catalog", message, help=f"there are {', '.join(known)}")
        origin = resources.data("catalogs") / catalog
        files = {
            path.relative_to(origin).as_posix(): path.read_text(encoding="utf-8")
            for path in sorted(origin.rglob("*"))
            if path.is_file() and path.name != lock.FILE_NAME
        }
    _write(folder, files)
    for path in files:
        console.out(f"wrote {(folder / path).as_posix()}")
    place = folder / config.FILE_NAME
    where = "" if folder == Path() else f" {place.as_posix()}"
    first = "" if catalog or _SOURCE.search(files[config.FILE_NAME]) else "name a source under `sources`, then "
    if not first and _has_to_be_pulled(place):
        first = f"toolc pull{f' -c{where}' if where else ''}, then "
    console.out(f"next: {first}toolc build{where}")
    return 0


def _has_to_be_pulled(place: Path) -> bool:
    """Whether a config names live sources that were never asked; what is wrong with it, the build will tell."""
    from toolc import config
    from toolc.pipeline.pulling import unpulled

    try:
        return bool(unpulled(config.load(place, Report())))
    except UserError:
        return False


def _write(folder: Path, files: dict[str, str]) -> None:
    taken = [path for path in files if (folder / path).exists()]
    if taken:
        message = f"{(folder / taken[0]).as_posix()} is there already; nothing was written"
        raise user_error("file-exists", message, help="move it away, or name another folder: `toolc init DIR`")
    try:
        for path, text in files.items():
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise user_error("cannot-write", f"cannot write {error.filename}: {error.strerror}") from None


def _starter(folder: Path) -> str:
    """A commented toolc.yaml that names the sources found in the folder."""
    from toolc import config

    entries: dict[str, dict[str, Any]] = {}
    places = list(inputs.walk(folder)) if folder.is_dir() else []
    together = _skill_folders(places, folder)
    for place in places:
        try:
            entry = None if config.is_config(place) else config.detect(place, named=False)
        except UserError:
            continue
        shelf = next((above for above in place.parents if above in together), None) if place.name == _SKILL else None
        if entry is not None and shelf is not None:
            entry = {**entry, "path": shelf.as_posix()}
        if entry is not None and entry not in entries.values():
            entries[config.source_name(shelf or place, entries)] = entry
    for name in list(entries)[_MOST_SOURCES:]:
        console.say(f"left out: {_path(entries.pop(name))}")
    lines = [f"  {name}: {_flow(_relative(entry, folder))}" for name, entry in entries.items()]
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", folder.resolve().name).strip("._-")[:64] or "agent"
    targets = [f"{name}: {{}}" for name in _TARGETS if name in registry.names("targets")]
    return _STARTER.format(
        name=name,
        sources="\n".join(lines) or _NO_SOURCES,
        first=next(iter(entries), "core"),
        targets=", ".join(targets),
    )


def _skill_folders(places: Iterable[Path], folder: Path) -> set[Path]:
    """The folders below this one that hold several skills beside each other, which are one source."""
    shelves = Counter(place.parent.parent for place in places if place.name == _SKILL)
    return {shelf for shelf, count in shelves.items() if count > 1 and shelf != folder and folder in shelf.parents}


def _path(entry: dict[str, Any]) -> str:
    return str(entry.get("path") or entry.get("ddl"))


def _relative(entry: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The entry with its path as seen from the folder that the config will stand in."""
    key = "path" if "path" in entry else "ddl"
    return {**entry, key: Path(entry[key]).relative_to(folder).as_posix()}


def _flow(entry: dict[str, Any]) -> str:
    """The entry as a YAML flow mapping; a text that YAML may read otherwise is quoted."""
    plain = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
    items = (f"{key}: {value if plain.fullmatch(value) else json.dumps(value)}" for key, value in entry.items())
    return "{" + ", ".join(items) + "}"
