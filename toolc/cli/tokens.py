"""`toolc tokens`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from toolc.cli import console
from toolc.diagnostics import Report

# Findings that say a part of the input is not in the figures; all others are the linter's business.
_UNCOUNTED = ("builtin-tool", "empty-source", "invalid-schema", "missing-name", "root-not-object")
_ESTIMATES = "Claude's and Gemini's tokenizers are not public: read the figures as o200k estimates for them."


@click.command("tokens", short_help="Count what tools cost in tokens.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--by", type=click.Choice(["tool", "source", "group"]), default="tool", show_default=True)
@click.option("--sort", type=click.Choice(["tokens", "name"]), default="tokens", show_default=True)
@click.option("--top", type=click.IntRange(min=1), help="Show only so many rows; totals are always of all.")
@click.option("--encoding", type=click.Choice(["o200k_base", "cl100k_base"]), default="o200k_base", show_default=True)
@click.option("--format", "format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(paths: tuple[Path, ...], by: str, sort: str, top: int | None, encoding: str, format: str) -> int:
    """Count the tokens of the tools in PATHS: configs, source files of any kind, or folders (default ./toolc.yaml).

    A config is counted as it is built, a source file as it stands. In a captured API request the system prompt and
    the messages are counted too.
    """
    from toolc import pipeline

    report = Report()
    counts = []
    for config in console.load_configs(paths, report):
        counts.append(pipeline.tokens(config, encoding=encoding))
        uncounted = [finding for finding in counts[-1]["diagnostics"] if finding.rule in _UNCOUNTED]
        console.problems(uncounted, config.root)
    console.problems(report.diagnostics, Path())
    tools = [tool for count in counts for tool in count["tools"]]
    parts = {"tools": sum(tool["tokens"] for tool in tools)}
    for count in counts:
        for part, number in count["request"].items():
            parts[part] = parts.get(part, 0) + number
    rows = _rows(tools, by)
    rows.sort(key=lambda row: (row["name"],) if sort == "name" else (-row["tokens"], row["name"]))
    if format == "json":
        console.dump({"encoding": encoding, "totals": parts, by + "s": rows[:top]})
        return 0
    table = [(f"{row['tokens']:,}", *([f"{row['tools']:,}"] if by != "tool" else []), row["name"]) for row in rows]
    heads = ("tokens", *(["tools"] if by != "tool" else []), by)
    console.table([heads, *table[:top]], right=len(heads) - 1)
    if top is not None and len(rows) > top:
        console.out(f"… and {len(rows) - top:,} more")
    totals = ", ".join(f"{part} {number:,}" for part, number in parts.items())
    console.out(f"{len(tools):,} tools; tokens: {totals} ({encoding})")
    uncounted = [f"{number} {kind}" for count in counts for kind, number in count["uncounted"].items()]
    if uncounted:
        console.out(f"not counted, since it is no text: {', '.join(uncounted)}")
    console.out(_ESTIMATES)
    return 0


def _rows(tools: Iterable[Mapping[str, Any]], by: str) -> list[dict[str, Any]]:
    """One row a tool, source or group: its name, its tokens and how many tools are in it."""
    if by == "tool":
        return [{"name": tool["name"], "tokens": tool["tokens"]} for tool in tools]
    rows: dict[str, dict[str, Any]] = {}
    for tool in tools:
        name = tool[by] or "(none)"
        row = rows.setdefault(name, {"name": name, "tools": 0, "tokens": 0})
        row["tools"] += 1
        row["tokens"] += tool["tokens"]
    return list(rows.values())
