"""A tool that a shell in the same list can do as well.

What it does
    Where a shell is loaded with a tool (a shell tool in the same tier, or `bash` under `runtime_has`), reports tools
    that one command does on the same files: listing, finding, grepping, moving, git, kubectl, curl … from the table
    `catalogs/shell.yaml`, and only for binaries that the runtime has. With a shell the POSIX ones are assumed, which
    the message says. What works on something else (a repository on GitHub, a drive, a bucket) is no finding.

Why it is bad
    The tool is paid for on every turn. It is advice: three harnesses tell the model to prefer dedicated file tools,
    which check and page, so nothing is wrong with keeping it.

Example
    tools: bash, list_dir

Use instead
    tools: bash, and `ls -la PATH`

When it is wrong
    If permissions differ: a reader may list, and may not run commands.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolc.abilities import Ability, abilities
from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import HttpCall, SqlCall
from toolc.rules import Seen, Subject

STAGE = "catalog"
CATEGORY = "redundancy"
SEVERITY = Severity.note


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a tool, with the command and the tokens that it would save."""
    table = abilities()
    shells = {tool.name: tool for tool in subject.tools if _is_shell(tool)}
    outside = [name for name in subject.config.runtime_has if table.is_shell(name, "", ())]
    if not shells and not outside:
        return
    stated = frozenset(subject.config.runtime_has)
    for tool in subject.tools:
        if tool.name in shells or len(tool.operations) > 1 or isinstance(tool.operations[0].call, HttpCall | SqlCall):
            continue
        shell = next(iter(outside), "") or next((name for name, other in shells.items() if other.tier == tool.tier), "")
        ability = table.of(tool.name, tool.description, tuple(tool.schema.get("properties") or ())) if shell else None
        command, assumed = _command(ability, stated, table.posix) if ability is not None else ("", False)
        if command:
            yield Diagnostic(
                "covered-by-shell",
                SEVERITY,
                f"`{tool.name}` does what `{command}` does in `{shell}`; without it {subject.tokens(tool):,} tokens"
                f" are saved" + (" (a POSIX system is assumed)" if assumed else ""),
                tool.origin,
                tool.related,
                help="leave it out, or keep it for its checks and its own permission",
                subject=tool.name,
            )


def _is_shell(tool: Seen) -> bool:
    kind = tool.operations[0].extra.get("type")
    parameters = tool.schema.get("properties") or ()
    return abilities().is_shell(tool.name, tool.description, parameters, kind if isinstance(kind, str) else "")


def _command(ability: Ability, stated: frozenset[str], posix: frozenset[str]) -> tuple[str, bool]:
    """The command for the first binary that is there, stated ones first, and whether it is only assumed to be there."""
    for binary, command in ability.run.items():
        if binary in stated:
            return command, False
    return next(((command, True) for binary, command in ability.run.items() if binary in posix), ("", False))
