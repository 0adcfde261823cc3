"""Which environment variables calls need, by what the config says of each source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from toolc.bind import Env
from toolc.config.model import Config, SourceEntry
from toolc.ir import Catalog

_PLACE = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}")


def variables(config: Config, catalog: Catalog) -> tuple[str, ...]:
    """Their names, sorted, for the sources that the catalog holds operations of."""
    held = {operation.source for operation in catalog.operations.values()}
    entries = (entry for name, entry in config.sources.items() if name in held or _is_file_of_servers(entry))
    return tuple(sorted({name for entry in entries for name in _of(entry)}))


def _is_file_of_servers(entry: SourceEntry) -> bool:
    """Whether the operations may belong to sources that a file names: the servers of an `mcp.json`."""
    return entry.type == "mcp" and bool(entry.options.path)


def _of(entry: SourceEntry) -> Iterator[str]:
    yield from _named(entry.auth)
    yield from _named(entry.options)
    if entry.type == "mcp":  # the one list of bare names: what the server is given
        yield from entry.options.env


def _named(value: Any) -> Iterator[str]:
    """The variables that a value names: `{env: NAME}` and `${env:NAME}`, at any depth."""
    if isinstance(value, Env):
        yield value.env
    elif isinstance(value, str):
        yield from _PLACE.findall(value)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _named(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _named(item)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _named(getattr(value, field.name))
