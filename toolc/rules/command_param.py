"""A parameter that is run as a command or as code.

What it does
    Notes text parameters that are executed: a shell command, a script, code to evaluate, SQL. Strict and security
    presets only.

Why it is bad
    Whoever steers the model runs anything. For a shell tool that is its purpose; elsewhere it is easily overlooked.

Example
    {"name": "convert_video", "inputSchema": {"properties": {"ffmpeg_command": {"type": "string"}}}}

Use instead
    The options that are needed, each as a parameter of its own

When it is wrong
    For tools whose purpose is to run what they are given, inside a sandbox.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolc.diagnostics import Diagnostic, Severity
from toolc.lexicon import words
from toolc.rules import Subject

STAGE = "source"
CATEGORY = "safety"
SEVERITY = Severity.note
PRESETS = ("strict", "security")
NAMES = frozenset(
    "command cmd shell script code javascript python sql query_sql sql_query expression_code bash powershell".split()
)
_RUNS = re.compile(r"\b(?:run|runs|execut\w+|evaluat\w+|eval|invoke\w*)\b", re.I)


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding a parameter whose tool says that it runs something."""
    for operation in subject.operations:
        for name, schema in operation.input.get("properties", {}).items():
            if not isinstance(schema, dict) or "enum" in schema or schema.get("type") not in ("string", "array"):
                continue
            parts = words(name)
            named = "_".join(parts) in NAMES or (parts and parts[-1] in ("command", "script", "sql"))
            if named and _RUNS.search(
                f"{' '.join(words(operation.name))} {operation.description} {schema.get('description', '')}"
            ):
                yield Diagnostic(
                    "command-param",
                    SEVERITY,
                    f"`{name}` of `{operation.name}` is run as it is given",
                    operation.place("input", "properties", name),
                    help="take the options that are needed as parameters, or run it in a sandbox and ask each time",
                    subject=operation.id,
                )
