"""`migrate`: a harness' rules for the tools before merging, carried over to the tools of a bundle, never widened."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from toolc import documents, launch
from toolc.diagnostics import user_error
from toolc.ir import Catalog, Origin
from toolc.pipeline.migrating import changes as edits
from toolc.pipeline.migrating.changes import Change
from toolc.pipeline.migrating.names import known
from toolc.pipeline.migrating.policy import Outcome, account, decide

HARNESSES = ("claude-code", "codex", "opencode", "gemini-cli", "vscode")


@dataclass(frozen=True, slots=True)
class Migration:
    """What became of the entries of a file, the changes, and its text after them.

    missing: a server that the file has to have before they can be made.
    """

    harness: str
    outcomes: tuple[Outcome, ...]
    changes: tuple[Change, ...]
    before: str
    data: Any
    format: Literal["json", "toml"]
    shown: str
    missing: str = ""

    @property
    def after(self) -> str:
        """The text after the changes; raises UserError where they cannot be made in place."""
        if self.changes and self.missing:
            message = f"{self.shown} has no server `{self.missing}` of the bundle to write tools for"
            place = f"targets/{self.harness} of the bundle"
            raise user_error("missing-server", message, Origin(self.shown), f"merge the file in {place} into it first")
        write = edits.in_toml if self.format == "toml" else edits.in_json
        return write(self.before, self.changes, self.shown) if self.changes else self.before


def migrate(
    path: Path, shown: str, catalog: Catalog, server: str, servers: Mapping[str, str], harness: str = ""
) -> Migration:
    """Read a file and work out its new entries; raises UserError for a file of no known harness.

    catalog: of the bundle. server: what its server is called in the harness. servers: old server → source.
    """
    text, _ = documents.read_text(path, shown)
    form: Literal["json", "toml"] = "toml" if path.suffix == ".toml" else "json"
    data = _parsed(text, form, shown)
    name, module = _module(data, shown, harness)
    sources = sorted({operation.source for operation in catalog.operations.values()})
    for old, source in servers.items():
        if source not in sources:
            message = f"the bundle has no source `{source}`, which `{old}` is said to be"
            raise user_error("unknown-source", message, help=f"sources: {', '.join(sources)}")
    offered = launch.served(catalog)
    done = {key for tool in offered.tools for key in tool.operations}
    operations = {key: operation for key, operation in catalog.operations.items() if key in done}
    found = module.read(data, known(replace(offered, operations=operations), server, servers), server)
    aspects = [(one, decide(offered, one.said)) for one in found]
    outcomes = [
        outcome
        for one, verdicts in aspects
        for outcome in account(one.entries, verdicts, offered, lambda tool: module.named(tool, server), one.otherwise)
    ]
    made = module.write(data, aspects, offered, server)
    missing = module.missing(data, offered, server)
    return Migration(name, tuple(outcomes), tuple(made), text, data, form, shown, missing)


def _parsed(text: str, form: str, shown: str) -> dict[str, Any]:
    if form == "toml":
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            message = f"{shown} is no TOML that can be read: {error}"
            raise user_error("invalid-syntax", message, Origin(shown), "correct it there") from None
    data = documents.parse(documents.blanked(text), shown)
    if not isinstance(data, dict):
        raise user_error("wrong-type", f"{shown} is no JSON object", Origin(shown), "name the config of a harness")
    return data


def _module(data: Mapping[str, Any], shown: str, harness: str) -> tuple[str, ModuleType]:
    for name in (harness,) if harness else HARNESSES:
        module = import_module(f"{__name__}.{name.replace('-', '_')}")
        if harness or module.recognise(data, Path(shown).name):
            return name, module
    raise user_error(
        "unknown-config",
        f"{shown} is no config with rules for tools that toolc knows",
        Origin(shown),
        f"say whose it is with --harness ({', '.join(HARNESSES)})",
    )
