"""`tokens`: what the tools of a config cost."""

from __future__ import annotations

from collections import Counter as Tally
from typing import Any

from toolc import documents, registry
from toolc import lock as lock_file
from toolc.config import Config
from toolc.diagnostics import Report
from toolc.pipeline.compiling import compile_catalog
from toolc.pipeline.linting import is_plain
from toolc.pipeline.reading import read
from toolc.tokens import Counter


def tokens(config: Config, *, encoding: str = "o200k_base") -> dict[str, Any]:
    """Canonical tokens by tool, and of the other parts of a captured API request; what could not be counted is told."""
    report = Report()
    plain = is_plain(config)
    inputs = read(config, report)
    with Counter(encoding) as counter:
        if plain:
            tools = [
                {
                    "name": operation.name,
                    "source": operation.source,
                    "group": operation.tags[0] if operation.tags else "",
                    "tokens": counter.canonical(
                        operation.name,
                        operation.description,
                        operation.extra.get("input_as_written", operation.input),
                    ),
                }
                for operation in inputs.catalog.operations.values()
            ]
        else:
            compiled = compile_catalog(inputs.catalog, config, report, counter, lock_file.load(config.root))
            tools = [
                {
                    "name": tool.name,
                    "source": tool.operations[0].partition(":")[0],
                    "group": tool.group,
                    "tokens": compiled.tokens[tool.name],
                }
                for tool in compiled.catalog.tools
            ]
        request, uncounted = _request(config, counter) if plain else ({}, {})
    return {
        "encoding": encoding,
        "tools": tools,
        "request": request,
        "uncounted": uncounted,
        "diagnostics": report.diagnostics,
    }


def _request(config: Config, counter: Counter) -> tuple[dict[str, int], dict[str, int]]:
    """Tokens of system prompt and messages where a source is a captured request, and how much in it is no text."""
    found: Tally[str] = Tally()
    uncounted: Tally[str] = Tally()
    for entry in config.sources.values():
        if entry.type != "tools":
            continue
        reader = registry.load("sources", "tools")
        for path in entry.options.path:
            data = documents.read(entry.base / path, path, Report()).data
            parts = reader.request_parts(data)
            if parts is not None:
                found.update({part: counter.count(text) for part, text in parts.items()})
                uncounted.update(reader.uncounted_parts(data))
    return dict(found), dict(sorted(uncounted.items()))
