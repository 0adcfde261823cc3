"""The figures of a build: `report.json`."""

from __future__ import annotations

from collections import Counter as Tally
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from toolc.diagnostics import Diagnostic
from toolc.ir import Catalog, Tool
from toolc.pipeline.compiling import Compiled
from toolc.pipeline.emitting import Emitted
from toolc.pipeline.permissions import permissions
from toolc.schema.normalise import STEPS
from toolc.targets import Emission
from toolc.tokens import Counter

FORMAT = "toolc-report/1"


def figures(
    compiled: Compiled, emitted: Emitted, counter: Counter, diagnostics: Iterable[Diagnostic]
) -> dict[str, Any]:
    """Everything `report.json` holds; all tokens in the canonical form unless they are a target's."""
    catalog, ledger = compiled.catalog, compiled.ledger
    counts = {name: counter.count(text) for name, text in emitted.levels.items()}
    always = sum(compiled.tokens[tool.name] for tool in catalog.tools if tool.tier == "always")
    tokens = {
        "source": sum(ledger.source.values()),
        "noise": sum(ledger.noise.values()),
        "text": sum(ledger.text.values()),
        "full": sum(compiled.tokens.values()),
        "always": always,
        **{name: counts[name] for name in sorted(counts)},
    }
    upfront = always + counts["stubs"]
    return {
        "format": FORMAT,
        "name": catalog.name,
        "encoding": counter.encoding,
        "tokens": tokens,
        "saved": {
            "noise": tokens["source"] - tokens["noise"],
            "text": tokens["noise"] - tokens["text"],
            "merging": tokens["text"] - tokens["full"],
            "deferral": tokens["full"] - upfront,
        },
        "normalisation": {name: {"label": STEPS[name], "count": count} for name, count in sorted(ledger.steps.items())},
        "verification": _verification(compiled),
        "sources": _sources(compiled, diagnostics),
        "tools": {tool.name: _tool(tool, compiled) for tool in catalog.tools},
        "examples": _examples(compiled),
        "unmerged": dict(sorted(ledger.unmerged.items())),
        "permissions": permissions(catalog),
        "closed": sorted(_closed(catalog)),
        "targets": {name: _target(emission, counter) for name, emission in emitted.targets.items()},
        "losses": {name: _losses(emission) for name, emission in emitted.targets.items()},
        "diagnostics": dict(sorted(Tally(diagnostic.rule for diagnostic in diagnostics).items())),
    }


def _verification(compiled: Compiled) -> dict[str, Any]:
    proofs = [compiled.ledger.proofs[tool.name] for tool in compiled.catalog.tools]
    merged = {tool.name for tool in compiled.catalog.tools if tool.dispatch.select}
    return {
        "tools": len(proofs),
        "proven": sum(proof.holds for proof in proofs),
        "merged": len(merged),
        "merged_proven": sum(proof.holds for proof in proofs if proof.tool in merged),
        "calls": sum(proof.calls for proof in proofs),
        "refusals": sum(proof.refusals for proof in proofs),
        "problems": {proof.tool: list(proof.problems) for proof in proofs if not proof.holds},
        "untested": sorted(operation for proof in proofs for operation in proof.untested),
    }


def _sources(compiled: Compiled, diagnostics: Iterable[Diagnostic]) -> dict[str, Any]:
    ledger = compiled.ledger
    lost: Tally[str] = Tally()
    files = {file: source.name for source in compiled.catalog.sources for file in source.files}
    for diagnostic in diagnostics:
        if diagnostic.origin is not None and diagnostic.origin.source in files:
            lost[files[diagnostic.origin.source]] += diagnostic.count
    result = {}
    for source in compiled.catalog.sources:
        ids = [key for key, operation in compiled.catalog.operations.items() if operation.source == source.name]
        tools = [tool for tool in compiled.catalog.tools if tool.operations[0].partition(":")[0] == source.name]
        result[source.name] = {
            "type": source.type,
            "operations": len(ids),
            "tools": len(tools),
            "source": sum(ledger.source[key] for key in ids),
            "noise": sum(ledger.noise[key] for key in ids),
            "text": sum(ledger.text[key] for key in ids),
            "full": sum(compiled.tokens[tool.name] for tool in tools),
            "diagnostics": lost[source.name],
        }
    return result


def _tool(tool: Tool, compiled: Compiled) -> dict[str, Any]:
    apart = sum(compiled.ledger.text[operation] for operation in tool.operations)
    return {"tokens": compiled.tokens[tool.name], "apart": apart, "operations": len(tool.operations)}


def _examples(compiled: Compiled) -> dict[str, Any]:
    """Examples by where they come from, actions of merged tools that have none, and what was left out and why."""
    tools = compiled.catalog.tools
    merged = [tool for tool in tools if tool.dispatch.select]
    uncovered: dict[str, list[str]] = {}
    for tool in merged:
        shown = [tuple(example.arguments[name] for name in tool.dispatch.select) for example in tool.examples]
        wanted = [tuple(case.when[name] for name in tool.dispatch.select) for case in tool.dispatch.cases]
        if missing := [" ".join(action) for action in wanted if action not in shown]:
            uncovered[tool.name] = missing
    return {
        "provenance": dict(sorted(Tally(example.provenance for tool in tools for example in tool.examples).items())),
        "tools": sum(bool(tool.examples) for tool in tools),
        "actions": sum(len(tool.dispatch.cases) for tool in merged),
        "uncovered_actions": sum(map(len, uncovered.values())),
        "uncovered": uncovered,
        "left_out": dict(sorted(compiled.ledger.examples.items())),
    }


def _closed(catalog: Catalog) -> Iterable[str]:
    """Operations that took undeclared keys by saying nothing of them, and do not in their merged tool."""
    for tool in catalog.tools:
        if tool.dispatch.select:
            for operation in tool.operations:
                if "additionalProperties" not in catalog.operations[operation].input:
                    yield operation


def _target(emission: Emission, counter: Counter) -> dict[str, Any]:
    return {
        "loaded": counter.count(emission.loaded),
        "deferred": counter.count(emission.deferred),
        "quarantined": list(emission.quarantined),
        "hoisting": _hoisting(emission, counter),
        "losses": dict(sorted(Tally(f"{loss.keyword}: {loss.went}" for loss in emission.losses).items())),
    }


def _hoisting(emission: Emission, counter: Counter) -> dict[str, Any]:
    """Texts of parameters that stand in a group's text instead of in its tools, and what that saves in all.

    loaded_more: tokens that the groups' texts cost up front, while the tools themselves are deferred.
    """
    if not emission.hoisted:
        return {}
    loaded, deferred = (counter.count(text) for text in emission.unhoisted)
    more = counter.count(emission.loaded) - loaded
    return {
        "label": "model-facing",
        "saved": deferred - counter.count(emission.deferred) - more,
        "loaded_more": more,
        "texts": sum(map(len, emission.hoisted.values())),
        "tools": {name: list(emission.hoisted[name]) for name in sorted(emission.hoisted)},
    }


def _losses(emission: Emission) -> Mapping[str, list[str]]:
    """By tool, what was lost where: `/properties/limit minimum: dispatch`."""
    result: dict[str, list[str]] = defaultdict(list)
    for loss in emission.losses:
        result[loss.tool].append(f"{loss.pointer} {loss.keyword}: {loss.went}")
    return dict(sorted(result.items()))
