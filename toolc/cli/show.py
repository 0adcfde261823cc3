"""`toolc show`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from toolc import registry
from toolc.bind import did_you_mean
from toolc.cli import console
from toolc.diagnostics import user_error
from toolc.ir import Catalog, Operation, Tool


@click.command("show", short_help="Show a tool, an operation or a group of a bundle.")
@click.argument("name")
@console.bundle_option
@click.option("--target", callback=console.member("targets"), help="Show the tool as this runtime takes it, in JSON.")
@click.option("--level", type=click.Choice(["name", "stub", "signature", "full"]), help="How much to show.")
@click.option("--format", "format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(name: str, folder: Path | None, target: str | None, level: str | None, format: str) -> int:
    """Show NAME: a tool, an old name of one, an operation id, or a group.

    A tool is shown in full, with all text that was left out of what a model sees; a group as the stubs of its tools.
    """
    catalog = console.load_bundle(folder).catalog
    tools, is_group = _find(catalog, name)
    level = level or ("stub" if is_group else "full")
    if target is not None:
        module = registry.load("targets", target)
        shown = [module.render(tool, module.Options()) for tool in tools]
        console.dump(shown if is_group else shown[0])
    elif format == "json":
        from toolc.bundle import encode_tool

        encoded = [encode_tool(tool) for tool in tools]
        console.dump(encoded if is_group else encoded[0])
    else:
        console.out("\n".join(_text(tool, level, catalog) for tool in tools))
    return 0


def _find(catalog: Catalog, name: str) -> tuple[list[Tool], bool]:
    """The tools that a name stands for, and whether it names a group."""
    tools = {tool.name: tool for tool in catalog.tools}
    groups = {group.name: group for group in catalog.groups}
    if name in tools:
        return [tools[name]], False
    if name in groups:
        return [tools[member] for member in groups[name].tools if member in tools], True
    if name in catalog.aliases:
        return [tools[catalog.aliases[name].tool]], False
    holding = [tool for tool in catalog.tools if name in tool.operations]
    if holding:
        return holding[:1], False
    known = [*tools, *groups, *catalog.aliases, *catalog.operations]
    message = f"the bundle has no tool, group or operation `{name}`{did_you_mean(name, known)}"
    raise user_error("unknown-tool", message, help="`toolc search` finds tools by words")


def _text(tool: Tool, level: str, catalog: Catalog) -> str:
    from toolc import levels

    if level == "name":
        return tool.name
    if level == "stub":
        return levels.stub(tool)
    if level == "signature":
        return levels.signature(tool)
    facts = [f"effect: {tool.hints.effect}", f"tier: {tool.tier}", *([f"group: {tool.group}"] if tool.group else [])]
    parts = [f"{tool.name}  ({', '.join(facts)})", tool.description]
    if tool.details:
        parts.append(tool.details)
    parts.append("Input:\n" + json.dumps(tool.input_schema, ensure_ascii=False, indent=2))
    if tool.examples:
        examples = (json.dumps(example.arguments, ensure_ascii=False) for example in tool.examples)
        parts.append("Examples:\n" + "\n".join(f"  {example}" for example in examples))
    parts.append("Operations:\n" + "\n".join(f"  {line}" for line in _operations(tool, catalog)))
    return "\n\n".join(part for part in parts if part)


def _operations(tool: Tool, catalog: Catalog) -> list[str]:
    """One line an operation: how it is chosen, its id, and where it was declared."""
    lines = []
    for case in tool.dispatch.cases:
        chosen = ", ".join(f"{name}={value}" for name, value in case.when.items())
        place = _place(catalog.operations.get(case.operation))
        renamed = ", ".join(f"{merged} → {own}" for merged, own in case.args.items() if merged != own)
        lines.append(
            " ".join(filter(None, [chosen and f"{chosen}:", case.operation, renamed and f"[{renamed}]", place]))
        )
    return lines


def _place(operation: Operation | None) -> str:
    return f"({operation.origin.source}#{operation.origin.pointer})" if operation else ""
