"""`toolc tokens`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolc.cli import console, inputs
from toolc.diagnostics import Report

if TYPE_CHECKING:
    from toolc.pipeline.measuring import Cost, Costs

# Findings that say a part of the input is not in the figures; all others are the linter's business.
_UNCOUNTED = ("builtin-tool", "empty-source", "invalid-schema", "missing-name", "not-pulled", "root-not-object")
_ESTIMATES = "Claude's and Gemini's tokenizers are not public: read the figures as o200k estimates for them."
_SORTS = ("tokens", "name", "description", "parameters", "structure", "saved", "change")


@dataclass(slots=True)
class _Row:
    """The figures of one tool, source or group. locked: tokens in the lock of those of its tools that are in it."""

    name: str
    tools: int = 0
    tokens: int = 0
    description: int = 0
    parameters: int = 0
    structure: int = 0
    apart: int = 0
    noise: int = 0
    text: int = 0
    merging: int = 0
    locked: int = 0
    change: int = 0

    @property
    def saved(self) -> int:
        """What all levers together took off."""
        return self.apart - self.tokens if self.apart else 0


_FIGURES = ("tokens", "description", "parameters", "structure", "apart", "noise", "text", "merging")


@click.command("tokens", short_help="Count what tools cost in tokens.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--by", type=click.Choice(["tool", "source", "group"]), default="tool", show_default=True)
@click.option("--sort", type=click.Choice(_SORTS), default="tokens", show_default=True)
@click.option(
    "--level",
    type=click.Choice(["full", "signature", "stub", "name"]),
    default="full",
    show_default=True,
    help="Count tools in full, or as one of the levels shows them.",
)
@click.option("--top", type=click.IntRange(min=1), help="Show only so many rows; totals are always of all.")
@click.option("--encoding", type=click.Choice(["o200k_base", "cl100k_base"]), default="o200k_base", show_default=True)
@click.option("--format", "format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(
    paths: tuple[Path, ...], by: str, sort: str, level: str, top: int | None, encoding: str, format: str
) -> int:
    """Count the tokens of the tools in PATHS: configs, source files of any kind, or folders (default ./toolc.yaml).

    A config is counted as it is built, with what removing noise, shortening texts and merging saved, and the change
    against toolc.lock; a source file as it stands. In a captured API request the system prompt and the messages are
    counted too.
    """
    from toolc import pipeline

    report = Report()
    counted: list[Costs] = []
    for config in inputs.load_configs(paths, report):
        console.stand_in(config.root)
        counted.append(pipeline.tokens(config, encoding=encoding, level=level))
        console.problems((finding for finding in counted[-1].diagnostics if finding.rule in _UNCOUNTED), config.root)
    console.problems(report.diagnostics, Path())
    if not counted:
        console.say(inputs.nothing_in(paths))
    tools = [tool for costs in counted for tool in costs.tools]
    rows = _sorted(_rows(tools, by), sort)
    parts = {"tools": sum(tool.tokens for tool in tools)}
    for costs in counted:
        for part, number in costs.request.items():
            parts[part] = parts.get(part, 0) + number
    if format == "json":
        console.dump(
            {
                "encoding": encoding,
                "level": level,
                "totals": parts,
                f"{by}s": [_as_json(row, by, level) for row in rows[:top]],
            }
        )
        return 0
    _show(rows, by, level, top)
    totals = ", ".join(f"{part} {number:,}" for part, number in parts.items())
    head = f"{len(tools):,} tool{'s' * (len(tools) != 1)}"
    console.out(f"{head}; tokens: {totals} ({encoding}{'' if level == 'full' else f', level {level}'})")
    uncounted = [f"{number} {kind}" for costs in counted for kind, number in costs.uncounted.items()]
    if uncounted:
        console.out(f"not counted, since it is no text: {', '.join(uncounted)}")
    console.out(_ESTIMATES)
    return 0


def _rows(tools: Iterable[Cost], by: str) -> list[_Row]:
    """One row a tool, source or group."""
    rows: dict[str, _Row] = {}
    for index, tool in enumerate(tools):
        name = tool.name if by == "tool" else getattr(tool, by) or "(none)"
        row = rows.setdefault(str(index) if by == "tool" else name, _Row(name))
        row.tools += 1
        for figure in _FIGURES:
            setattr(row, figure, getattr(row, figure) + getattr(tool, figure))
        if tool.locked is not None:
            row.locked += tool.locked
            row.change += tool.tokens - tool.locked
    return list(rows.values())


def _sorted(rows: list[_Row], sort: str) -> list[_Row]:
    return sorted(rows, key=lambda row: (0 if sort == "name" else -getattr(row, sort), row.name))


def _as_json(row: _Row, by: str, level: str) -> dict[str, Any]:
    data = asdict(row)
    if by == "tool":
        del data["tools"]
    if level != "full":
        return {key: data[key] for key in ("name", "tools", "tokens") if key in data}
    saved = {key: data.pop(key) for key in ("noise", "text", "merging")}
    return {**data, "saved": saved}


def _show(rows: Sequence[_Row], by: str, level: str, top: int | None) -> None:
    """The table: shares in percent of the row; what a lever saved in tokens, only where there is anything of it."""
    total = _Row("all")
    for row in rows:
        for figure in (*_FIGURES, "tools", "locked", "change"):
            setattr(total, figure, getattr(total, figure) + getattr(row, figure))
    heads = ["tokens"] + ["tools"] * (by != "tool")
    full = level == "full"
    levers = [lever for lever in ("noise", "text", "merging") if full and getattr(total, lever)]
    heads += ["share"] + ["descr.", "params", "struct."] * full
    heads += ["1:1", *(f"-{lever}" for lever in levers)] if levers else []
    heads += ["lock"] if full and total.locked else []
    lines = [(*heads, by)]
    every = [*rows[:top], total] if len(rows) > 1 else rows
    for row in every:
        cells = [f"{row.tokens:,}"] + [f"{row.tools:,}"] * (by != "tool") + [_percent(row.tokens, total.tokens)]
        if full:
            cells += [_percent(getattr(row, part), row.tokens) for part in ("description", "parameters", "structure")]
        if levers:
            cells += [f"{row.apart:,}", *(f"{getattr(row, lever):,}" for lever in levers)]
        if full and total.locked:
            cells.append(_change(row))
        lines.append((*cells, row.name))
    console.table(lines, right=len(heads))
    if top is not None and len(rows) > top:
        console.out(f"… and {len(rows) - top:,} more")


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else ""


def _change(row: _Row) -> str:
    """How much more or less than in the lock; new: it is not in the lock."""
    if not row.locked:
        return "new"
    return f"{100 * row.change / row.locked:+.0f} %" if row.change else "="
