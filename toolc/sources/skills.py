"""Skills: folders with a SKILL.md, whose front matter says what the skill is for."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from toolc import documents
from toolc.diagnostics import UserError, user_error
from toolc.ir import Hint, Hints, Opaque, Operation, Origin, Source
from toolc.sources import Context, Reading

FILE = "SKILL.md"
# Bytes of one SKILL.md: it is meant to be read by a model as a whole.
LARGEST = 1024 * 1024
# Characters of the scripts of one skill that go into its details.
LARGEST_SCRIPTS = 64 * 1024
# Files named for one skill, and folders looked into for all.
MOST_FILES = 1000
MOST_FOLDERS = 10_000

_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_SCRIPTS = frozenset(".py .sh .bash .js .mjs .ts .rb .pl .php .r .sql .ps1 .lua .awk".split())
_SKIPPED = frozenset({"node_modules", "__pycache__"})
_HINTS = Hints(
    Hint(True, "inferred", "reading a skill"),
    Hint(False, "inferred", "reading a skill"),
    Hint(True, "inferred", "reading a skill"),
    Hint(False, "inferred", "reading a skill"),
)


@dataclass(frozen=True, slots=True)
class Options:
    """The keys of a `skills` source."""

    path: str = field(default="", metadata={"doc": "folder of a skill, or a folder that holds such folders"})


def read(options: Options, context: Context) -> Reading:
    """One operation a skill, sorted by path; a broken one is reported and left out."""
    if not options.path:
        raise user_error("missing-key", f"source `{context.name}` names no folder", help="for example `path: skills/`")
    folder = context.base / options.path
    shown = documents.display(folder, context.root)
    if not folder.is_dir():
        if folder.name == FILE and folder.is_file():
            folder = folder.parent
        else:
            raise _no_folder(folder, shown)
    found: dict[str, Operation] = {}
    files = []
    places = list(_skill_folders(folder, context))
    for place in places:
        try:
            operation = _skill(place, context)
        except UserError as error:
            for diagnostic in error.diagnostics:
                context.report.add(diagnostic)
            continue
        files.append(operation.origin.source)
        if (first := found.get(operation.id)) is not None:
            context.report.error(
                "duplicate-name",
                f"the skill `{operation.name}` is there twice; the second one is left out",
                operation.origin,
                help=f"the first is {first.origin.source}; rename or remove one",
                subject=operation.id,
            )
        else:
            found[operation.id] = operation
    if not places:
        context.report.warning("empty-source", f"no skill was found in {shown}", Origin(shown), f"a skill has a {FILE}")
    source = Source(context.name, "skills", separate=("read", "write"), files=tuple(files), operations=len(found))
    return Reading(source, tuple(found.values()))


def recognise(data: Any) -> bool:
    """Whether data is the text of a SKILL.md; text is what a file gives that is neither JSON nor YAML."""
    match = _FRONT_MATTER.match(data) if isinstance(data, str) else None
    return match is not None and re.search(r"^description\s*:", match[1], re.MULTILINE) is not None


def _no_folder(folder: Path, shown: str) -> UserError:
    if folder.exists():
        return user_error("not-a-folder", f"{shown} is no folder", Origin(shown), help=f"name the folder of the {FILE}")
    advice = "Check the path."
    near = [entry.name for entry in folder.parent.iterdir() if entry.is_dir()] if folder.parent.is_dir() else []
    if near:
        advice = f"Folders there: {', '.join(sorted(near)[:8])}."
    return user_error("missing-file", f"{shown} does not exist", Origin(shown), advice)


def _skill_folders(top: Path, context: Context) -> Iterator[Path]:
    """The folders with a SKILL.md at or below a folder, outer before inner, by name.

    A link is followed only to where the source or the config may read anyway, and no folder is visited twice.
    """
    allowed = (top.resolve(), context.root.resolve())
    seen: set[Path] = set()
    pending = [top]
    while pending:
        folder = pending.pop()
        real = folder.resolve()
        if real in seen or _leads_out(folder, real, allowed, context):
            continue
        seen.add(real)
        if len(seen) > MOST_FOLDERS:
            shown = documents.display(top, context.root)
            message = f"{shown} holds more than {MOST_FOLDERS:,} folders; the rest is not looked into"
            context.report.error("input-limit", message, Origin(shown))
            return
        file = folder / FILE
        if file.is_file() and not _leads_out(file, file.resolve(), allowed, context):
            yield folder
        inner = (entry for entry in _entries(folder) if entry.is_dir() and not _is_skipped(entry.name))
        pending.extend(sorted(inner, key=lambda entry: entry.name, reverse=True))


def _leads_out(path: Path, real: Path, allowed: tuple[Path, ...], context: Context) -> bool:
    """Whether a path leads, by a link, to where nothing may be read; that is reported."""
    if any(real.is_relative_to(area) for area in allowed):
        return False
    shown = documents.display(path, context.root)
    context.report.warning("outside-link", f"{shown} is a link out of the source; it is not followed", Origin(shown))
    return True


def _skill(folder: Path, context: Context) -> Operation:
    """The operation of one folder; raises UserError for what is no usable skill."""
    path = folder / FILE
    shown = documents.display(path, context.root)
    text, digest = _text(path, shown)
    context.files[shown] = digest
    data, body = _front_matter(text, shown)
    name = data.get("name")
    if name is None:
        name = folder.resolve().name
        context.report.note("missing-name", f"{shown} has no `name`; the folder's is taken: {name}", Origin(shown))
    if not isinstance(name, str) or not name.strip():
        advice = f'put it in quotes: `name: "{name}"`' if isinstance(name, int | float) else "write `name: some-name`"
        message = f"`name` of a skill is a text, not {name!r:.40}"
        raise user_error("wrong-type", message, Origin(shown, "/name"), help=advice)
    description = data.get("description")
    if description is not None and not isinstance(description, str):
        message = f"`description` of a skill is a text, not {description!r:.40}"
        advice = "write one text, in quotes where it is a number or has a colon in it"
        raise user_error("wrong-type", message, Origin(shown, "/description"), help=advice)
    if not isinstance(description, str) or not description.strip():
        raise user_error(
            "missing-description",
            f"the skill `{name}` has no description, so no model can tell when to use it; it is left out",
            Origin(shown, "/description" if "description" in data else ""),
            help="write `description: …` into the front matter: what it does and when to use it",
        )
    extra = {str(key): value for key, value in data.items() if key not in ("name", "description")}
    files = _files(folder, shown, context)
    return Operation(
        f"{context.name}:{name.strip()}",
        name.strip(),
        description.strip(),
        {"type": "object", "properties": {}, "additionalProperties": False},
        Opaque(),
        Origin(shown),
        places=lambda path: Origin(shown).at(*path[:1]) if path[:1] in (("name",), ("description",)) else Origin(shown),
        hints=_HINTS,
        extra={**extra, "body": body, "files": files, "appendix": _appendix(extra, folder, files, context)},
    )


def _text(path: Path, shown: str) -> tuple[str, str]:
    try:
        size = path.stat().st_size
    except OSError:
        size = 0
    if size > LARGEST:
        message = f"{shown} is larger than {LARGEST // 1024**2} MB"
        raise user_error("input-limit", message, Origin(shown), "move what is not instructions into files beside it")
    return documents.read_text(path, shown)


def _front_matter(text: str, shown: str) -> tuple[dict[str, Any], str]:
    """The keys of the front matter, and the text behind it; raises UserError with lines of the file."""
    match = _FRONT_MATTER.match(text)
    if match is None:
        advice = "begin the file with `---`, then `name:` and `description:`, then `---` on a line of its own"
        raise user_error("invalid-front-matter", f"{shown} has no front matter", Origin(shown, "", 1, 1), advice)
    try:
        # As a name without ending it is taken for YAML; one line stands before it.
        data = documents.parse(match[1], f"{shown}.yaml")
    except UserError as error:
        raise UserError(*(_moved(diagnostic, shown) for diagnostic in error.diagnostics)) from None
    if not isinstance(data, dict):
        advice = "write `name: …` and `description: …` between the two lines of dashes"
        raise user_error("invalid-front-matter", "the front matter is no mapping", Origin(shown, "", 2, 1), advice)
    return data, text[match.end() :].strip("\n")


def _moved(diagnostic: Any, shown: str) -> Any:
    """A finding in the front matter, at its place in the file."""
    line = diagnostic.origin.line + 1 if diagnostic.origin and diagnostic.origin.line else 1
    column = diagnostic.origin.column if diagnostic.origin else 1
    message = diagnostic.message.replace(f"{shown}.yaml", f"the front matter of {shown}")
    return replace(diagnostic, message=message, origin=Origin(shown, "", line, column))


def _files(folder: Path, shown: str, context: Context) -> list[str]:
    """The other files of a skill, relative to its folder; links and skills inside are left out."""
    found: list[str] = []
    for place, folders, names in os.walk(folder):
        here = Path(place)
        folders[:] = sorted(name for name in folders if not _is_skipped(name) and not (here / name / FILE).exists())
        for name in sorted(names):
            path = here / name
            if name != FILE and not name.startswith(".") and path.is_file() and not path.is_symlink():
                found.append(path.relative_to(folder).as_posix())
        if len(found) > MOST_FILES:
            message = f"{shown} has more than {MOST_FILES:,} files beside it; the first are named"
            context.report.note("input-limit", message, Origin(shown))
            break
    return sorted(found)[:MOST_FILES]


def _appendix(extra: dict[str, Any], folder: Path, files: list[str], context: Context) -> str:
    """What belongs to a skill beside its body: the rest of its front matter, its files, and its scripts as they are.

    A runtime that hands out `details` need not have the files; other files, and large scripts, are only named.
    """
    parts = [
        f"{key}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for key, value in extra.items()
    ]
    if files:
        parts.append(f"Files: {', '.join(files)}")
    text = "\n".join(parts)
    room = LARGEST_SCRIPTS
    for name in files:
        script = _script(folder / name, context) if Path(name).suffix in _SCRIPTS else None
        if script is not None and len(script) <= room:
            room -= len(script)
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", script)), default=0))
            text += f"\n\n{name}:\n{fence}\n{script.rstrip()}\n{fence}"
    return text


def _script(path: Path, context: Context) -> str | None:
    """The text of a script, or None for what is none."""
    shown = documents.display(path, context.root)
    try:
        if path.stat().st_size > LARGEST_SCRIPTS:
            return None
        text, context.files[shown] = documents.read_text(path, shown)
    except (OSError, UserError):
        return None
    return text


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _is_skipped(name: str) -> bool:
    return name.startswith(".") or name in _SKIPPED
