"""`toolc rules`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolc import registry
from toolc.bind import did_you_mean
from toolc.cli import console

if TYPE_CHECKING:
    from toolc.pipeline.evaluating import Evaluation


@click.group("rules", short_help="List the lint rules, explain one, measure them.", invoke_without_command=True)
@click.option("--preset", type=click.Choice(["default", "strict", "security", "all"]), default="all", show_default=True)
@click.option("--format", "format", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True)
@click.pass_context
def command(context: click.Context, preset: str, format: str) -> int:
    """List the lint rules of a preset: name, severity, category, and what each finds."""
    if context.invoked_subcommand is not None:
        return 0
    from toolc import rules

    found = [rules.load(name) for name in registry.names("rules")]
    chosen = [rule for rule in found if preset == "all" or preset in rule.presets]
    if format == "json":
        keys = ("name", "category", "stage", "presets", "summary")
        console.dump([{key: getattr(rule, key) for key in keys} | {"severity": rule.severity.name} for rule in chosen])
        return 0
    if format == "markdown":
        from toolc.pipeline.pages import markdown

        console.machine(markdown(chosen))
        return 0
    rows = [
        (rule.name, rule.severity.name if "default" in rule.presets else "off", rule.category, rule.summary)
        for rule in sorted(chosen, key=lambda rule: (rule.category, rule.name))
    ]
    console.table([("rule", "level", "category", "what it finds"), *rows])
    console.out(f"{len(chosen)} rules; `toolc rules explain NAME` tells more of one")
    return 0


@command.command("explain", short_help="Say what a rule finds, why that is bad, and what to do.")
@click.argument("name")
def explain(name: str) -> int:
    """Say what the rule NAME finds, why that is bad, and what to do instead."""
    from toolc import rules

    if name not in registry.names("rules"):
        near = did_you_mean(name, registry.names("rules"))
        raise click.UsageError(f"`{name}` is no lint rule{near} `toolc rules` lists them.")
    rule = rules.load(name)
    presets = ", ".join((*rule.presets, "all"))
    console.out(f"{rule.name}: {rule.severity.name}, {rule.category}, looks at the {rule.stage}, presets {presets}\n")
    console.out(rule.text.strip())
    if rule.options is not None:
        from toolc.bind import schema_of

        console.out(f"\nOptions (in toolc.yaml under lint, options, {name})")
        for key, schema in schema_of(rule.options)["properties"].items():
            default = f" (default {schema['default']})" if "default" in schema else ""
            console.out(f"    {key}: {schema.get('description', '')}{default}")
    console.out(f'\nTo let it pass: `lint: {{allow: {{"SELECTOR": {{{name}: why}}}}}}` in toolc.yaml')
    return 0


@command.command("evaluate", short_help="Measure precision and recall over labelled cases.")
@click.argument("folder", type=click.Path(exists=True, path_type=Path))
@click.option("--format", "format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def evaluate(folder: Path, format: str) -> int:
    """Run every rule over the case files in FOLDER and count what they find, miss, and report wrongly.

    A case is a YAML file {slug, kind, tools, context, expect: [{rule, tool, path, level}], silent: [rule]}, where tool,
    path and level may be left out. Exit code 1 if anything is missed or wrong.
    """
    from toolc.pipeline.evaluating import evaluate as run

    result = run(folder)
    console.problems(result.diagnostics, Path())
    if format == "json":
        scores = {name: asdict(score) for name, score in result.rules.items()}
        console.dump({"rules": scores, "missed": result.missed, "false": result.false})
    else:
        _show(result)
    sys.stdout.flush()
    wrong = [f"{len(result.missed)} missed"] * bool(result.missed) + [f"{len(result.false)} false"] * bool(result.false)
    if wrong:
        console.say(f"failed: {', '.join(wrong)}")
    return 1 if wrong else 0


def _show(result: Evaluation) -> None:
    from toolc.pipeline.evaluating import rates

    rows: list[tuple[str, ...]] = [("rule", "expected", "found", "false", "precision", "recall")]
    for name, score in [*result.rules.items(), ("all", None)]:
        scores = list(result.rules.values()) if score is None else [score]
        counts = [sum(getattr(each, key) for each in scores) for key in ("expected", "found", "false")]
        shown = ["-" if rate is None else f"{rate:.2f}" for rate in rates(scores)]
        expected, found, false = map(str, counts)
        rows.append((name, expected, found, false, *shown))
    console.table(rows)
    for kind, entries in (("missed", result.missed), ("false", result.false)):
        for entry in entries:
            message = f": {entry['message']}" if "message" in entry else ""
            place = f" at {entry['path']}" if entry["path"] else ""
            console.out(f"{kind} {entry['rule']} in {entry['case']}{place}{message}")
    console.out(f"{result.cases} case{'s' * (result.cases != 1)}")
