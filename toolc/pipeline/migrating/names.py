"""What the tools of a bundle's operations were called before: by their own servers, and by earlier builds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from toolc.ir import Catalog, McpCall, Operation, Tool


@dataclass(frozen=True, slots=True)
class Known:
    """One old name. current: it is the name of a tool as it is now, not of what went into one."""

    server: str
    tool: str
    operations: frozenset[str]
    current: bool = False


def known(catalog: Catalog, server: str, servers: Mapping[str, str]) -> tuple[Known, ...]:
    """All old names. server: what the bundle's own server is called; servers: old server → source, where they differ.

    A name that is of an operation and of a tool too stands here twice.
    """
    callers: dict[str, set[str]] = {}
    for operation in catalog.operations.values():
        callers.setdefault(operation.source, {operation.source, clean(operation.source)})
    for old, source in servers.items():
        callers.setdefault(source, set()).add(old)
    found = [
        Known(caller, name, frozenset((operation.id,)))
        for operation in catalog.operations.values()
        for caller in sorted(callers[operation.source])
        for name in _spelled(operation)
    ]
    tools = {tool.name: tool for tool in catalog.tools}
    for name, alias in catalog.aliases.items():
        if alias.tool in tools:
            found.append(Known(server, name, frozenset(_meant(tools[alias.tool], alias.when))))
    return (*found, *(Known(server, tool.name, frozenset(tool.operations), True) for tool in catalog.tools))


def clean(name: str) -> str:
    """A name as most programs rewrite it."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)


def _spelled(operation: Operation) -> list[str]:
    names = [operation.name, *([operation.call.tool] if isinstance(operation.call, McpCall) else [])]
    return sorted({*names, *map(clean, names)})


def _meant(tool: Tool, when: Mapping[str, str]) -> Iterator[str]:
    """The operations of the cases that an alias stands for."""
    for case in tool.dispatch.cases:
        if all(case.when.get(key) == value for key, value in when.items()):
            yield case.operation
