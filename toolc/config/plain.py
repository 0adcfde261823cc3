"""Configs for plain source files, so that any of them can be linted and counted without a toolc.yaml."""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Sequence
from pathlib import Path
from typing import Any

from toolc import documents, registry
from toolc.config.merging import source_entry
from toolc.config.model import Config, SourceEntry
from toolc.diagnostics import Report, Severity, UserError, user_error
from toolc.ir import Origin
from toolc.select import KEYWORDS

# Asked in this order: whatever says so in its first key is an OpenAPI document, and almost any list could be of tools.
_DOCUMENTS = ("openapi", "mcp", "tools")
_HEAD = 20_000
_OPENAPI = re.compile(r"""\A\s*\{\s*"(openapi|swagger)"\s*:|^(openapi|swagger)\s*:""", re.MULTILINE)
_CONFIG_KEYS = ("sources", "include")


def detect(path: Path, named: bool = True) -> dict[str, Any] | None:
    """The `type` and keys that would name this file or folder as a source in a toolc.yaml, or None if it is none.

    named: the user said that it is one, so that its name may end in anything, and tools may stand anywhere in it, as in
    a log; otherwise SQL that makes no table (queries, data, a migration) is none.
    Raises UserError for a JSON or YAML file that cannot be read, and for what a reader knows and cannot read.
    """
    shown = path.as_posix()
    if path.is_dir() or path.name == "SKILL.md":
        folder = path if path.is_dir() else path.parent
        skills = (folder / "SKILL.md").is_file() or any(folder.glob("*/SKILL.md"))
        return {"type": "skills", "path": folder.as_posix()} if skills else None
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if head.startswith(b"SQLite format 3\0"):
        return {"type": "database", "path": shown}
    ending = path.suffix.lower()
    if ending in (".mcpb", ".dxt"):
        return {"type": "mcp", "path": shown}
    if ending in (".sql", ".ddl"):
        schema = named or registry.load("sources", "database").recognise(documents.read_text(path, shown)[0])
        return {"type": "database", "ddl": shown} if schema else None
    # what was saved of an exchange with a server has any ending, or none
    if ending not in (".json", ".jsonc", ".yaml", ".yml") and not named and b'"jsonrpc"' not in head:
        return None
    if _OPENAPI.search(head.decode("utf-8-sig", "replace")):
        return {"type": "openapi", "path": shown}
    data = documents.read(path, shown, Report()).data
    kinds = [kind for kind in _DOCUMENTS if kind in registry.names("sources")]
    kind = next((kind for kind in kinds if registry.load("sources", kind).recognise(data)), None)
    if kind is not None:
        return {"type": kind, "path": shown}
    refusals = [getattr(registry.load("sources", kind), "refusal", None) for kind in kinds]
    if refused := next((error for why in refusals if why and (error := why(data, Origin(shown)))), None):
        raise refused
    return {"type": "tools", "path": shown} if named and registry.load("sources", "tools").holds_tools(data) else None


def is_config(path: Path) -> bool:
    """Whether this is a toolc.yaml, by its name or, if it is a YAML file, by its keys."""
    if path.name in ("toolc.yaml", "toolc.yml"):
        return True
    if path.suffix not in (".yaml", ".yml") or not path.is_file():
        return False
    head = path.read_bytes()[:_HEAD].decode("utf-8-sig", "replace")
    keys = set(re.findall(r"^([a-z_]+):", head, re.MULTILINE))
    return "version" in keys and not keys.isdisjoint(_CONFIG_KEYS)


def for_files(entries: Sequence[dict[str, Any]], root: Path) -> Config:
    """A config whose sources are plain files, given as `detect` names them; raises UserError.

    root: the folder that their paths are relative to. Sources are called after their files.
    """
    report = Report()
    sources: dict[str, SourceEntry] = {}
    for data in entries:
        path = Path(data.get("path") or data["ddl"])
        name = source_name(path, sources)
        entry = source_entry(name, data, root, Origin(path.as_posix()), report)
        if entry is not None:
            sources[name] = entry
    if report.has(Severity.error):
        raise UserError(*report.diagnostics)
    if not sources:
        raise user_error("no-source", "there is nothing to read", help="give a toolc.yaml or a source file")
    name = next(iter(sources)) if len(sources) == 1 else "sources"
    return Config(name=name, root=root, origin=Origin(""), sources=sources)


def source_name(path: Path, taken: Container[str]) -> str:
    """A name for the source in a file, made from the file's: not taken, and no word of the selector grammar."""
    stem = path.resolve().parent.name if path.name == "SKILL.md" else path.resolve().stem
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", stem).strip("_-")[:40] or "source"
    if name in KEYWORDS or not re.match(r"[A-Za-z_]", name):
        name = f"source_{name}"
    numbered = (f"{name}_{count}" for count in itertools.count(2))
    return name if name not in taken else next(free for free in numbered if free not in taken)
