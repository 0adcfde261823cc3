"""The members of `sources`, `targets`, `rules` and `printers`, listed without importing them."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Literal

import toolc

Kind = Literal["sources", "targets", "rules", "printers"]


@cache
def names(kind: Kind) -> tuple[str, ...]:
    """The ids of all members, sorted; a module `openai_chat` has the id `openai-chat`."""
    folders = [f"{path}/{kind}" for path in toolc.__path__]
    found = (module.name for module in pkgutil.iter_modules(folders))
    return tuple(sorted(name.replace("_", "-") for name in found if not name.startswith("_")))


def summary(kind: Kind, name: str) -> str:
    """The first line of a member's docstring, read from its file: importing it costs what a cached lint takes."""
    files = (Path(path) / kind / f"{name.replace('-', '_')}.py" for path in toolc.__path__)
    text = next((file.read_text(encoding="utf-8") for file in files if file.is_file()), "")
    return text.partition('"""')[2].partition("\n")[0].removesuffix('"""')


def load(kind: Kind, name: str) -> ModuleType:
    """Import one member; the caller has checked that it is one of `names(kind)`."""
    return import_module(f"toolc.{kind}.{name.replace('-', '_')}")
