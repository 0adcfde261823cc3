"""The one screen that a build prints."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toolc.changes import Change
from toolc.diagnostics import Severity
from toolc.pipeline.building import BuildResult
from toolc.pipeline.permissions import told

MOST_ROWS = 12  # sources, unmerged families, permissions: what is more stands in report.json


def summary(result: BuildResult, folder: Path) -> str:
    """What was read, what it costs now, what was proven and what to do next."""
    data = result.report
    lines = [*_sources(data), "", *_savings(data), *_proof(data)]
    lines += _listed("unmerged", [f"{name}: {reason}" for name, reason in data["unmerged"].items()], 3)
    lines += _listed("permissions", told(data["permissions"]), 4)
    lines += _changes(result.changes)
    lines += _targets(data)
    lines += _listed("profile", [_profile(name, entry) for name, entry in data["profiles"].items()], 6)
    counts = Tally(diagnostic.severity.name for diagnostic in result.diagnostics)
    found = (
        ", ".join(
            f"{counts[s.name]:,} {s.name}{'s' * (counts[s.name] != 1)}" for s in reversed(Severity) if counts[s.name]
        )
        or "nothing"
    )
    lines.append(f"found: {found}")
    if not result.failed:
        lines += ["", f"{result.catalog.name}: built → {_shown(folder)}   next: toolc search WORDS · toolc show TOOL"]
    return "\n".join(lines)


COLUMNS = ("operations", "tools", "source", "full", "diagnostics")


def _sources(data: dict[str, Any]) -> list[str]:
    rows = [["source", "operations", "tools", "tokens 1:1", "full", "findings"]]
    entries = sorted(data["sources"].items(), key=lambda item: -item[1]["source"])
    rows += [_row(name, [entry]) for name, entry in entries[:MOST_ROWS]]
    every = [entry for _, entry in entries]
    if len(entries) > MOST_ROWS:
        rows.append(_row(f"{len(entries) - MOST_ROWS} more", every[MOST_ROWS:]))
    if len(entries) > 1:
        rows.append(_row("all", every))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]


def _row(name: str, entries: list[dict[str, Any]]) -> list[str]:
    return [name, *(f"{sum(entry[column] for entry in entries):,}" for column in COLUMNS)]


def _savings(data: dict[str, Any]) -> list[str]:
    tokens, saved = data["tokens"], data["saved"]
    levels = " · ".join(f"{name} {tokens[name]:,}" for name in ("index", "names", "stubs", "signatures", "full"))
    levers = " · ".join(f"{name} {_percent(saved[name], tokens['source'])}" for name in ("noise", "text", "merging"))
    upfront = tokens["always"] + tokens["stubs"]
    return [
        f"tokens ({data['encoding']}): 1:1 {tokens['source']:,} → {levels}",
        f"saved: {levers} · deferral leaves {upfront:,} up front (always {tokens['always']:,} + stubs)",
    ]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "0 %"


def _proof(data: dict[str, Any]) -> list[str]:
    proof = data["verification"]
    untested = f", {len(proof['untested'])} without a generated call" if proof["untested"] else ""
    return [
        f"proven: {proof['proven']:,} of {proof['tools']:,} tools ({proof['merged_proven']:,} of {proof['merged']:,} "
        f"merged) by {proof['calls']:,} calls and {proof['refusals']:,} refusals{untested}"
    ]


def _listed(title: str, entries: list[str], most: int) -> list[str]:
    if not entries:
        return []
    lines = [f"{title}: {entry}" for entry in entries[:most]]
    return [*lines, f"{title}: {len(entries) - most} more in report.json"] if len(entries) > most else lines


def _changes(changes: Sequence[Change]) -> list[str]:
    """A line for what breaks, and one for all else, by kind with the first operations."""
    lines = []
    for title, breaking in (("breaks", True), ("changes", False)):
        kinds: dict[str, dict[str, None]] = {}  # an operation once, in the order of the changes
        for change in changes:
            if change.breaking is breaking:
                kinds.setdefault(change.kind, {})[change.operation] = None
        parts = [f"{len(ids)} {kind} ({', '.join([*ids][:2])}{', …' * (len(ids) > 2)})" for kind, ids in kinds.items()]
        lines += [f"{title}: {' · '.join(parts)}"] if parts else []
    return lines


def _went(losses: dict[str, int]) -> dict[str, int]:
    """How much went where: said in words, text left out, checked only at the call."""
    said = sum(count for what, count in losses.items() if what.endswith(": words"))
    texts = sum(count for what, count in losses.items() if what.startswith(("details:", "description:")))
    checked = sum(count for what, count in losses.items() if what.endswith(": dispatch"))
    rest = sum(losses.values()) - said - texts - checked
    left_out = f"text{'s' * (texts != 1)} left out"
    return {"said in words": said, left_out: texts, "only checked at the call": checked, "not carried": rest}


def _targets(data: dict[str, Any]) -> list[str]:
    lines = []
    for name, entry in data["targets"].items():
        left = f", {len(entry['quarantined'])} left out" if entry["quarantined"] else ""
        lost = "".join(f", {count:,} {what}" for what, count in _went(entry["losses"]).items() if count)
        lines.append(f"target {name}: {entry['loaded']:,} loaded, {entry['deferred']:,} deferred{left}{lost}")
        if hoisting := entry["hoisting"]:
            lines.append(
                f"  hoisted (model-facing): {hoisting['texts']:,} parameter texts said once a group save "
                f"{hoisting['saved']:,} tokens in all and cost {hoisting['loaded_more']:,} up front"
            )
    return lines


def _profile(name: str, entry: dict[str, Any]) -> str:
    left = len(entry["above_max_effect"])
    unknown = len(entry["unknown_effect"])
    out = f", {left} left out by max_effect" if left else ""
    out += f", {unknown} as their effect is unknown" if unknown else ""
    tokens = entry["tokens"]
    return f"{name}: {entry['operations']} operations, {entry['tools']} tools, {tokens['full']:,} tokens in full{out}"


def _shown(folder: Path) -> str:
    try:
        return folder.resolve().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return folder.as_posix()
