"""`toolc examples`."""

from __future__ import annotations

from pathlib import Path

import click

from toolc.cli import console
from toolc.diagnostics import Report, user_error


@click.group("examples", short_help="Propose examples from recorded calls.")
def command() -> None:
    """Work with the examples of a catalog."""


@command.command("propose", short_help="Write a file of examples out of recorded calls.")
@click.argument("calls", metavar="CALLS.jsonl", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@console.bundle_option
@click.option(
    "--safe",
    multiple=True,
    metavar="FIELD",
    help="Field whose recorded values may be seen by everyone: a name, or a path such as filter.status. Repeatable.",
)
@click.option("--most", type=click.IntRange(min=1), default=2, show_default=True, help="Most examples an operation.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("examples.yaml"),
    show_default=True,
    help="File to write.",
)
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
def propose(calls: Path, folder: Path | None, safe: tuple[str, ...], most: int, output: Path, force: bool) -> int:
    """Write a file of examples out of recorded calls, to review, commit and include.

    CALLS.jsonl holds one JSON value a line: {"tool": NAME, "arguments": {…}}, or what an API or MCP client logged.
    Names are those of the bundle, old names included. Only enums, booleans, numbers and safe fields keep their value;
    all other strings, and numbers that may name somebody, are replaced by placeholders.
    """
    from toolc import bundle
    from toolc.output import write_file
    from toolc.pipeline import proposing, recordings

    if output.exists() and not force:
        message = f"{output.as_posix()} is there already; nothing was written"
        raise user_error("file-exists", message, help="name another file with -o, or replace it with --force")
    catalog = bundle.load(console.bundle_folder(folder))
    report = Report()
    recorded = recordings.read(calls.read_bytes(), calls.as_posix(), report)
    proposal = proposing.propose(recorded, catalog, report, safe=frozenset(safe), most=most)
    console.problems(report.diagnostics, Path())
    passed = len(report.diagnostics)
    count = sum(map(len, proposal.examples.values()))
    if not count:
        console.say(f"{proposal.calls:,} calls understood, {passed:,} findings; nothing to propose")
        return 1
    write_file(output, proposing.render(proposal, output.name))
    console.out(
        f"wrote {output.as_posix()}: {count:,} examples of {len(proposal.examples):,} operations from "
        f"{proposal.calls:,} calls ({passed:,} findings)"
    )
    if proposal.plain:
        shown = ", ".join(proposal.plain[:3]) + (" …" if len(proposal.plain) > 3 else "")
        console.out(f"none for {len(proposal.plain):,} operations whose calls say no more than their types: {shown}")
    console.out(f"next: review it, then add `include: [./{output.name}]` to toolc.yaml")
    return 0
