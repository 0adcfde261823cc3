"""`toolc migrate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolc.cli import console

if TYPE_CHECKING:
    from toolc.pipeline.migrating import Migration

FORMAT = "toolc-migrate/1"


def _pairs(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    pairs = dict(value.partition("=")[::2] for value in values)
    if wrong := [old for old, source in pairs.items() if not old or not source]:
        raise click.BadParameter(f"`{wrong[0]}`: write OLD=SOURCE", ctx=ctx, param=parameter)
    return pairs


@click.command("migrate", short_help="Carry a harness' permission rules over to the tools of a bundle.")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--write", is_flag=True, help="Change FILE, and leave everything else in it as it is.")
@click.option("--server", default="toolc", show_default=True, help="What the bundle's server is called in the harness.")
@click.option(
    "--from", "servers", multiple=True, metavar="OLD=SOURCE", callback=_pairs, help="An old server and its source."
)
@click.option("--harness", default="", metavar="NAME", help="Whose file it is; without it, its shape tells.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How the result is shown.")
@console.bundle_option
def command(
    file: Path, write: bool, server: str, servers: dict[str, str], harness: str, form: str, folder: Path | None
) -> int:
    """Show what the permission rules and tool lists in FILE become, now that tools are merged.

    FILE is the settings.json of Claude Code or Gemini CLI, the config.toml of Codex, an opencode.json, or a
    .toolsets.jsonc of VS Code. Rules are never widened: a merged tool is allowed only if every action of
    it was, and denied if any was. Every entry is accounted for: carried, partly carried, refused, unknown, or kept.
    """
    from toolc import bundle, output
    from toolc.pipeline import migrating

    if harness and harness not in migrating.HARNESSES:
        raise click.BadParameter(f"`{harness}` is none of {', '.join(migrating.HARNESSES)}", param_hint="--harness")
    catalog = bundle.load(console.bundle_folder(folder))
    found = migrating.migrate(file, file.as_posix(), catalog, server, servers, harness)
    after = found.after if write else ""
    if form == "json":
        console.dump(_data(found))
    else:
        console.out("\n".join(_lines(found)) or "no rules for tools in this file")
        if found.changes and not write:
            console.out("")
            for change in found.changes:
                console.out(f"{'.'.join(change.keys)}: {json.dumps(change.value, ensure_ascii=False, indent=2)}")
            console.say(f"next: the same with --write changes {file.as_posix()}")
    if write and found.changes:
        output.write_file(file, after)
        console.say(f"wrote {file.as_posix()}")
    return 0


def _lines(found: Migration) -> list[str]:
    width = max((len(outcome.result) for outcome in found.outcomes), default=0)
    lines = []
    for outcome in found.outcomes:
        to = f" → {', '.join(outcome.to)}" if outcome.to else ""
        lines.append(f"{outcome.result.ljust(width)}  {outcome.entry.level} {outcome.entry.text}{to}")
        lines += [f"{' ' * width}    {why}" for why in outcome.why]
    return lines


def _data(found: Migration) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "harness": found.harness,
        "entries": [
            {
                "entry": outcome.entry.text,
                "at": list(outcome.entry.keys),
                "level": outcome.entry.level,
                "result": outcome.result,
                "to": list(outcome.to),
                "why": list(outcome.why),
            }
            for outcome in found.outcomes
        ],
        "changes": [{"at": list(change.keys), "value": change.value} for change in found.changes],
    }
