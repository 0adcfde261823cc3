"""`toolc lint`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from toolc import registry
from toolc.bind import did_you_mean
from toolc.cli import console
from toolc.diagnostics import Diagnostic, Report, Severity, worst_first


@click.command("lint", short_help="Check tool definitions and say what is wrong with them.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--format", "printer", default="text", callback=console.member("printers"), help="How findings are shown."
)
@click.option(
    "--fail-on",
    type=click.Choice([*(severity.name for severity in reversed(Severity)), "never"]),
    default="warning",
    show_default=True,
    help="Least severity that makes the exit code 1.",
)
@click.option("--select", "selected", multiple=True, metavar="RULE", help="Show only findings of these rules.")
@click.option("--ignore", "ignored", multiple=True, metavar="RULE", help="Leave out findings of these rules.")
@click.option("--skip-other", is_flag=True, help="Pass over files that are no tool source, as pre-commit needs it.")
def command(
    paths: tuple[Path, ...],
    printer: str,
    fail_on: str,
    selected: tuple[str, ...],
    ignored: tuple[str, ...],
    skip_other: bool,
) -> int:
    """Check PATHS: configs, source files of any kind, or folders of them (default ./toolc.yaml).

    Findings in sources that are declared as vendored are shown but do not fail the check.
    """
    from toolc import pipeline

    report = Report()
    found: list[Diagnostic] = []
    for config in console.load_configs(paths, report, skip_other):
        found += console.placed(pipeline.lint(config), config.root)
    found = worst_first([*report.diagnostics, *found])
    _check_names((*selected, *ignored), found)
    shown = [item for item in found if item.rule not in ignored and (not selected or item.rule in selected)]
    text = registry.load("printers", printer).show(shown, Path())
    if printer == "text":
        console.out(text or "no findings")
    else:
        console.machine(text)
    gating = 0 if fail_on == "never" else sum(item.severity >= Severity[fail_on] for item in shown)
    if gating:
        console.say(f"failed: {gating} finding{'s' * (gating > 1)} of severity {fail_on} or above")
    return 1 if gating else 0


def _check_names(names: Iterable[str], found: Iterable[Diagnostic]) -> None:
    """Refuse rule names that neither exist nor were reported, so that a slip does not pass as a clean check."""
    known = {*registry.names("rules"), *(finding.rule for finding in found)}
    for name in names:
        if name not in known:
            raise click.UsageError(f"`{name}` is no lint rule{did_you_mean(name, known)} `toolc rules` lists them.")
