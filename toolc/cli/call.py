"""`toolc call`."""

from __future__ import annotations

from pathlib import Path

import click

from toolc.cli import console


@click.command("call", short_help="Carry out a call of a tool.")
@click.argument("tool")
@click.argument("arguments", metavar="[JSON]", default="{}")
@click.option("--dry-run", is_flag=True, help="Show what would be sent, secrets masked, and send nothing.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How the result is shown.")
@console.run_options
@console.profile_option
@console.bundle_option
def command(
    tool: str,
    arguments: str,
    dry_run: bool,
    form: str,
    files: tuple[Path, ...],
    timeout: float,
    most_bytes: int,
    profile: str,
    folder: Path | None,
) -> int:
    """Call TOOL with the arguments JSON (`-`: from stdin) and print what it gives.

    Secrets come from the environment variables that toolc.yaml names. Exit code 1: the call failed.
    """
    from toolc.runtime import Executor, Failed, Refused, Settings

    data = console.arguments(arguments)
    bundle = console.load_bundle(folder, profile)
    with Executor(bundle, files=files, settings=Settings(timeout, most_bytes), warn=console.say) as executor:
        if dry_run:
            try:
                console.dump(executor.preview(tool, data))
            except (Refused, Failed) as error:
                console.say(str(error))
                return 1
            return 0
        result = executor.call(tool, data)
    if form == "json":
        console.dump(result.to_data())
    elif result.is_error:
        console.say(result.text)
    else:
        console.out(result.text)
    return 1 if result.is_error else 0
