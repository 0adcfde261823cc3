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

from toolc.abilities import Abilities, abilities
from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import HttpCall, Operation, SqlCall
from toolc.rules import Seen, Subject
from toolc.wording import listed

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
        if tool.name in shells or any(isinstance(each.call, HttpCall | SqlCall) for each in tool.operations):
            continue
        shell = next(iter(outside), "") or next((name for name, other in shells.items() if other.tier == tool.tier), "")
        found = [_command(each, stated, table) for each in tool.operations] if shell else []
        if found and all(command for command, _ in found):
            commands = list(dict.fromkeys(f"`{command}`" for command, _ in found))
            does = "does" if len(commands) == 1 else "do"
            yield Diagnostic(
                "covered-by-shell",
                SEVERITY,
                f"`{tool.name}` does what {listed(commands)} {does} in `{shell}`; without it "
                f"{subject.tokens(tool):,} tokens are saved"
                + (" (a POSIX system is assumed)" if any(assumed for _, assumed in found) else ""),
                tool.origin,
                tool.related,
                help="leave it out, or keep it for its checks and its own permission",
                subject=tool.name,
            )


def _is_shell(tool: Seen) -> bool:
    # the name that the source gave: in a build one that clashes has the source's name before it
    operation = tool.operations[0]
    kind = operation.extra.get("type")
    parameters = tool.schema.get("properties") or ()
    return abilities().is_shell(operation.name, tool.description, parameters, kind if isinstance(kind, str) else "")


def _command(operation: Operation, stated: frozenset[str], table: Abilities) -> tuple[str, bool]:
    """The command for the first binary that is there, stated ones first, and whether it is only assumed to be there."""
    ability = table.of(operation.name, operation.description, tuple(operation.input.get("properties") or ()))
    if ability is None:
        return "", False
    for binary, command in ability.run.items():
        if binary in stated:
            return command, False
    return next(((command, True) for binary, command in ability.run.items() if binary in table.posix), ("", False))
