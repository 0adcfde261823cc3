"""The command line: one command a file, imported when it is run.

Exit codes: 0 clean, 1 a gate failed (the last line says which), 2 a bad request or a bug, 130 interrupted, 141 the
reader of the output went away.
"""

from __future__ import annotations

import errno
import io
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from toolc import __version__

# Name → what it does. A command is in `toolc/cli/<name>.py` as `command`; nothing of it is imported for `--help`.
COMMANDS = {
    "init": "Write a toolc.yaml to start from.",
    "pull": "Ask live sources and keep what they answer.",
    "build": "Compile the catalog into a bundle.",
    "diff": "Show what changed since the last build, or since a git revision.",
    "lint": "Check tool definitions and say what is wrong with them.",
    "tokens": "Count what tools cost in tokens.",
    "show": "Show a tool, an operation or a group of a bundle.",
    "search": "Find tools of a bundle by words.",
    "resolve": "Translate a call of a tool into the call of its operation.",
    "migrate": "Carry a harness' permission rules over to the tools of a bundle.",
    "examples": "Propose examples from recorded calls.",
    "call": "Carry out a call of a tool.",
    "serve": "Serve a bundle to MCP clients.",
    "verify": "Prove again that a bundle has lost nothing.",
    "rules": "List the lint rules, explain one, measure them.",
    "targets": "List the runtimes that can be emitted for.",
    "schema": "Print the JSON Schema of toolc.yaml.",
}

# What the system answers where stdout takes no more; of a file, the error says which.
_UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}


class Commands(click.Group):
    """The group of all commands, which knows their names and turns whatever they raise into an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order in which one needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"toolc.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in the help text, without importing what it lists."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what it returns is the exit code."""
        try:
            code = super().invoke(ctx)
            sys.stdout.flush()
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except BrokenPipeError:
            return _gone()
        except KeyboardInterrupt:
            from toolc.cli import console

            console.say("interrupted")
            return 130
        except Exception as error:
            return _explain(error, ctx.obj or Path())
        return code

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is named, or an error that says which one may have been meant."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            close = get_close_matches(args[0], COMMANDS, n=1)
            ctx.fail(f"No such command '{args[0]}'." + (f" Did you mean '{close[0]}'?" if close else ""))
        return super().resolve_command(ctx, args)


def _explain(error: Exception, root: Path) -> int:
    """Say what ended a command: what the user can mend, or that it is a bug."""
    from toolc.cli import console
    from toolc.diagnostics import UserError

    if isinstance(error, UserError):
        console.problems(error.diagnostics, root)
        return 2
    if isinstance(error, OSError) and error.errno in _UNWRITABLE and error.filename is None:
        console.discard(sys.stdout)
        console.say(f"error: the output cannot be written: {error.strerror}")
        return 2
    if os.environ.get("TOOLC_DEBUG") == "1":
        traceback.print_exception(error)
    console.say(f"internal error: {type(error).__name__}: {error}".splitlines()[0])
    console.say("This is a bug in toolc; please report it with what TOOLC_DEBUG=1 shows.")
    return 2


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="toolc", message="%(prog)s %(version)s")
def toolc() -> None:
    """Compile and lint tool catalogs for LLM agents."""


def run(arguments: Sequence[str]) -> int:
    """Carry out a command line and return the exit code."""
    _open_missing()
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):
            # A terminal that cannot show a character gets its code point instead of ending the command.
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        code = toolc.main(list(arguments), prog_name="toolc", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        return _refuse(error)
    except click.Abort:
        return 130
    except SystemExit as end:  # with a code, how click itself, in a help text, answers a reader that went away
        return _gone() if end.code else 0  # without one, how `serve` ends at SIGTERM
    except OSError as error:
        return _explain(error, Path())
    return code if isinstance(code, int) else 0


def _refuse(error: click.ClickException) -> int:
    """Say what is wrong with a command line; what was typed may be a file's name, which is anyone's text."""
    from toolc.cli import console

    text = io.StringIO()
    error.show(file=text)
    console.say(text.getvalue())
    return 2


def _gone() -> int:
    from toolc.cli import console

    console.discard(sys.stdout)
    return 141


def _open_missing() -> None:
    """Put nothing in the place of streams that are closed, as git does: the next file opened would get their number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w", encoding="utf-8"))
