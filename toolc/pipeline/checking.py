"""`verify`: the whole proof again, on a bundle that was written."""

from __future__ import annotations

from collections import Counter as Tally
from dataclasses import dataclass
from pathlib import Path

from toolc import bundle
from toolc.diagnostics import Diagnostic, Severity
from toolc.dispatch import Dispatcher, Resolution
from toolc.ir import Origin
from toolc.verify import Prover


@dataclass(frozen=True, slots=True)
class Verification:
    """What the proof found, and its one-line summary."""

    diagnostics: list[Diagnostic]
    summary: str


def verify_bundle(folder: Path) -> Verification:
    """Prove every tool, every alias, and that every operation is in exactly one tool."""
    catalog = bundle.load(folder)
    dispatcher = Dispatcher(catalog.tools, catalog.operations, catalog.aliases)
    prover = Prover(catalog.operations, dispatcher)
    found: list[Diagnostic] = []
    calls = refusals = 0
    for tool in catalog.tools:
        proof = prover.prove(tool)
        calls += proof.calls
        refusals += proof.refusals
        found += [_problem("unproven-tool", f"{tool.name}: {problem}") for problem in proof.problems]
    homes = [operation for tool in catalog.tools for operation in tool.operations]
    found += [
        _problem("lost-operation", f"`{operation}` is in no tool")
        for operation in sorted({*catalog.operations} - {*homes})
    ]
    found += [
        _problem("two-tools", f"`{operation}` is in more than one tool")
        for operation, count in sorted(Tally(homes).items())
        if count > 1
    ]
    for name, alias in catalog.aliases.items():
        found += _alias_problems(name, alias.tool, dict(alias.when), prover)
    proven = len(catalog.tools) - len({d.message.partition(":")[0] for d in found if d.rule == "unproven-tool"})
    text = (
        f"{proven:,} of {len(catalog.tools):,} tools proven, {len(catalog.operations):,} operations: "
        f"{calls:,} valid calls came back identical, {refusals:,} invalid ones were refused, "
        f"{len(catalog.aliases):,} aliases checked"
    )
    return Verification(found, text)


def _alias_problems(name: str, tool_name: str, when: dict[str, str], prover: Prover) -> list[Diagnostic]:
    tool = prover.dispatcher.tools.get(tool_name)
    case = next((case for case in tool.dispatch.cases if dict(case.when) == when), None) if tool else None
    if case is None:
        return [_problem("broken-alias", f"alias `{name}` leads to no action of `{tool_name}`")]
    for arguments in prover.valid_calls(case.operation)[:1]:
        if prover.dispatcher.resolve(name, arguments) != Resolution(case.operation, arguments):
            return [_problem("broken-alias", f"alias `{name}` does not reach `{case.operation}` as it was")]
    return []


def _problem(rule: str, message: str) -> Diagnostic:
    return Diagnostic(
        rule, Severity.error, message, Origin(bundle.FILE_NAME), help="build the bundle again from its sources"
    )
