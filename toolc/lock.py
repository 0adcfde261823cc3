"""`toolc.lock`: what a build fixed for the next one: digests of inputs, tools with their members and names, tokens.

One JSON object a line, sorted, so that two branches that touch different tools merge without a conflict.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolc.diagnostics import user_error
from toolc.ir import TOOL_NAME, Origin, Tool

FORMAT = "toolc-lock/1"
FILE_NAME = "toolc.lock"


@dataclass(frozen=True, slots=True)
class PinnedTool:
    """One tool of the last build. actions: action → operation id; args: id → {merged name: original name}.

    A tool with one operation has it under the action ``.
    """

    name: str
    actions: Mapping[str, str]
    select: str = ""
    args: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Lock:
    """The last build. inputs: digest by file; tools by name."""

    inputs: Mapping[str, str] = field(default_factory=dict)
    tools: Mapping[str, PinnedTool] = field(default_factory=dict)

    @property
    def operations(self) -> dict[str, PinnedTool]:
        """The tool that held each operation, by id."""
        return {operation: tool for tool in self.tools.values() for operation in tool.actions.values()}


def load(root: Path) -> Lock:
    """The lock beside a config in this folder; an empty one where there is none; raises UserError."""
    path = root / FILE_NAME
    return read(path.read_text(encoding="utf-8", errors="replace"), FILE_NAME) if path.is_file() else Lock()


def read(text: str, shown: str) -> Lock:
    """The lock in a file's text; raises UserError for what is none."""
    inputs: dict[str, str] = {}
    tools: dict[str, PinnedTool] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            if number == 1 and entry.get("format") != FORMAT:
                raise ValueError(f"its format is {entry.get('format')!r}, not {FORMAT}")
            if "input" in entry:
                inputs[str(entry["input"])] = str(entry["digest"])
            elif "tool" in entry:
                tools[entry["tool"]] = _pinned(entry)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            reason = "a merge conflict" if line.startswith(("<<<<<<<", "=======", ">>>>>>>")) else str(error)
            raise user_error(
                "invalid-lock",
                f"the lock cannot be read: {reason}",
                Origin(shown, line=number, column=1),
                help="keep the lines of both sides of a merge, or restore the file from version control",
            ) from None
    return Lock(inputs, tools)


def _pinned(entry: dict[str, Any]) -> PinnedTool:
    """A tool's line; raises ValueError where it is not what `render` writes."""
    name, actions, select, args = entry["tool"], entry["actions"], entry.get("select", ""), entry.get("args", {})
    if not isinstance(name, str) or not re.fullmatch(TOOL_NAME, name):
        raise ValueError(f"{name!r} is no tool name")
    if not _texts(actions) or not actions or not isinstance(select, str) or not isinstance(entry["tokens"], int):
        raise ValueError(f"the entry of `{name}` has values of a wrong type")
    if not isinstance(args, dict) or not all(map(_texts, args.values())):
        raise ValueError(f"the renames of `{name}` have a wrong type")
    return PinnedTool(name, actions, select, args, entry["tokens"])


def _texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


def render(inputs: Mapping[str, str], tools: Iterable[Tool], tokens: Mapping[str, int]) -> str:
    """The text of the lock."""
    lines: list[dict[str, Any]] = [{"format": FORMAT}]
    lines += [{"input": path, "digest": inputs[path]} for path in sorted(inputs)]
    for tool in sorted(tools, key=lambda tool: tool.name):
        select = tool.dispatch.select
        entry: dict[str, Any] = {
            "tool": tool.name,
            "tokens": tokens[tool.name],
            "actions": {" ".join(case.when.values()): case.operation for case in tool.dispatch.cases},
        }
        if select:
            entry["select"] = " ".join(select)
        if args := {case.operation: dict(case.args) for case in tool.dispatch.cases if case.args}:
            entry["args"] = args
        lines.append(entry)
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
