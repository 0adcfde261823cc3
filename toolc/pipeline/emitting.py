"""Turns a compiled catalog into the files of a bundle."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from toolc import bundle, levels, registry
from toolc.config import Config
from toolc.diagnostics import Diagnostic, Report
from toolc.ir import File, Place
from toolc.pipeline import keywords
from toolc.pipeline.compiling import Compiled
from toolc.pipeline.serving import served
from toolc.targets import Emission
from toolc.tokens import Counter


@dataclass(frozen=True, slots=True)
class Emitted:
    """The files of one bundle and what its targets said. levels: text of each level file by name."""

    files: tuple[File, ...]
    levels: Mapping[str, str]
    targets: Mapping[str, Emission]


def emit(
    compiled: Compiled, config: Config, counter: Counter, targets: Iterable[str], report: Report, profile: str = ""
) -> Emitted:
    """The level files, the search index and the files of each target."""
    catalog = replace(compiled.catalog, place=Place(config.out, profile))
    level_files = levels.render_levels(catalog, counter.count)
    files = [*level_files, served(catalog), File("search.json", _lines({"documents": keywords.documents(catalog)}))]
    emissions: dict[str, Emission] = {}
    for name in targets:
        emission: Emission = registry.load("targets", name).emit(catalog, config.targets[name].options)
        emissions[name] = emission
        files += [replace(file, path=f"targets/{name}/{file.path}") for file in emission.files]
    report.diagnostics.extend(_one_per_cause(emissions))
    texts = {file.path.removesuffix(".md"): file.text for file in level_files}
    return Emitted(tuple(files), texts, emissions)


def _one_per_cause(emissions: Mapping[str, Emission]) -> list[Diagnostic]:
    """What targets say of tools, each cause once with the targets that it concerns."""
    found: dict[tuple[object, ...], tuple[Diagnostic, list[str]]] = {}
    for name, emission in emissions.items():
        for diagnostic in emission.diagnostics:
            key = (diagnostic.rule, diagnostic.severity, diagnostic.message, diagnostic.origin)
            found.setdefault(key, (diagnostic, []))[1].append(name)
    return [
        replace(diagnostic, message=f"{diagnostic.message} (target {', '.join(names)})")
        for diagnostic, names in found.values()
    ]


def written(compiled: Compiled, emitted: Emitted, figures: Mapping[str, Any]) -> list[File]:
    """All files of a bundle, by path."""
    files = [bundle_file(compiled, figures), report_file(figures), *emitted.files]
    return sorted(files, key=lambda file: file.path)


def bundle_file(compiled: Compiled, figures: Mapping[str, Any]) -> File:
    """`bundle.json`."""
    encoded = bundle.encode(compiled.catalog)
    for tool in encoded["tools"]:
        tool["tokens"] = compiled.tokens[tool["name"]]
    head = {"format": bundle.FORMAT, "name": compiled.catalog.name, "encoding": figures["encoding"]}
    head |= {"verification": figures["verification"], "tokens": figures["tokens"]}
    return File("bundle.json", _lines({**head, **encoded}))


def report_file(figures: Mapping[str, Any]) -> File:
    """`report.json`."""
    return File("report.json", _lines(figures))


def _lines(data: Mapping[str, Any]) -> str:
    """JSON with one line an entry of each list or mapping at the top: it diffs by tool, and dumps at C speed."""
    parts = []
    for key, value in data.items():
        if isinstance(value, list) and value:
            inner = ",\n".join(_dump(item) for item in value)
            parts.append(f"{_dump(key)}: [\n{inner}\n]")
        elif isinstance(value, dict) and value:
            inner = ",\n".join(f"{_dump(name)}: {_dump(item)}" for name, item in value.items())
            parts.append(f"{_dump(key)}: {{\n{inner}\n}}")
        else:
            parts.append(f"{_dump(key)}: {_dump(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
