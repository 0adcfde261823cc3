"""`toolc.lock`: what a build fixed for the next one: digests of inputs, tools with their names, operations' contracts.

One JSON object a line, sorted, so that two branches that touch different tools merge without a conflict. A contract is
what callers rely on: enough to say in words what a change breaks, without the sources of the last build.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from toolc.diagnostics import UserError, user_error
from toolc.ir import EFFECTS, TOOL_NAME, Call, Catalog, Effect, HttpCall, McpCall, Operation, Origin, Schema, SqlCall
from toolc.schema.walk import bare, descend

FORMAT = "toolc-lock/1"
FILE_NAME = "toolc.lock"
# What a schema tells a model beside what it accepts.
_SAID = ("title", "description", "default", "examples", "$comment")
_MERGE_MARKS = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")
_ADVICE = (
    "of a merge, keep the lines of both sides (one of a tool or operation that both changed), or the file of one side; "
    "then run `toolc build`"
)


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
    tier: str = "deferred"

    def action_of(self, operation: str) -> str:
        """The action under which an operation is called."""
        return next(action for action, held in self.actions.items() if held == operation)

    def renamed(self, operation: str, parameter: str) -> str:
        """What the tool calls a parameter of an operation."""
        renames = self.args.get(operation, {})
        return next((merged for merged, original in renames.items() if original == parameter), parameter)


@dataclass(frozen=True, slots=True)
class Contract:
    """What callers of an operation rely on.

    call: what is done in the end, as `POST /memories`; `` where the name alone says it. input: the exact schema without
    its texts. text, input_text: digests of the description and of the texts in the schema, with defaults and examples.
    aliases: other names by which it is called.
    """

    effect: Effect
    call: str
    input: Schema
    text: str = ""
    input_text: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lock:
    """A build as callers see it. inputs: digest by file; tools by name; contracts by operation id."""

    inputs: Mapping[str, str] = field(default_factory=dict)
    tools: Mapping[str, PinnedTool] = field(default_factory=dict)
    contracts: Mapping[str, Contract] = field(default_factory=dict)

    @property
    def operations(self) -> dict[str, PinnedTool]:
        """The tool that held each operation, by id."""
        return {operation: tool for tool in self.tools.values() for operation in tool.actions.values()}

    def only(self, operations: Collection[str]) -> Lock:
        """What it says of these operations; tools that hold none of them are left out."""
        tools = {}
        for name, tool in self.tools.items():
            actions = {action: held for action, held in tool.actions.items() if held in operations}
            if actions:
                args = {held: renames for held, renames in tool.args.items() if held in operations}
                tools[name] = replace(tool, actions=actions, args=args)
        contracts = {key: contract for key, contract in self.contracts.items() if key in operations}
        return Lock(self.inputs, tools, contracts)


def of(catalog: Catalog, tokens: Mapping[str, int], inputs: Mapping[str, str]) -> Lock:
    """The lock of a compiled catalog. tokens: canonical tokens by tool; inputs: digest by file."""
    names: dict[str, list[str]] = defaultdict(list)
    homes = {
        (tool.name, tuple(case.when.items())): case.operation for tool in catalog.tools for case in tool.dispatch.cases
    }
    for name, alias in catalog.aliases.items():
        names[homes[(alias.tool, tuple(alias.when.items()))]].append(name)
    tools = {}
    for tool in catalog.tools:
        actions = {" ".join(case.when.values()): case.operation for case in tool.dispatch.cases}
        args = {case.operation: dict(case.args) for case in tool.dispatch.cases if case.args}
        select = " ".join(tool.dispatch.select)
        tools[tool.name] = PinnedTool(tool.name, actions, select, args, tokens.get(tool.name, 0), tool.tier)
    contracts = {key: contract(operation, names[key]) for key, operation in catalog.operations.items()}
    return Lock(dict(inputs), tools, contracts)


def contract(operation: Operation, aliases: Iterable[str] = ()) -> Contract:
    """What callers of an operation rely on; aliases: other names by which it is called."""
    schema = operation.input
    texts = [[path, key, inner[key]] for path, inner in descend(schema) for key in _SAID if inner.get(key)]
    return Contract(
        operation.hints.effect,
        said if (said := _called(operation.call)) != operation.name else "",
        bare(schema),
        _digest(operation.description),
        _digest(json.dumps(texts, sort_keys=True)) if texts else "",
        tuple(sorted(aliases)),
    )


def _called(call: Call) -> str:
    """What a call does in the end, in one line; how the user's own runtime does it is nobody's concern."""
    if isinstance(call, HttpCall):
        return f"{call.method} {call.path}"
    if isinstance(call, SqlCall):
        return " ".join((call.action, ".".join(filter(None, (call.schema, call.table)))))
    return call.tool if isinstance(call, McpCall) else ""


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest() if text else ""


def load(root: Path) -> Lock:
    """The lock beside a config in this folder; an empty one where there is none; raises UserError."""
    path = root / FILE_NAME
    return read(path.read_text(encoding="utf-8", errors="replace"), FILE_NAME) if path.is_file() else Lock()


def required(root: Path) -> Lock:
    """The lock beside a config in this folder; raises UserError where there is none."""
    if not (root / FILE_NAME).is_file():
        message = f"there is no {FILE_NAME} that anything could be held against"
        raise user_error("missing-lock", message, help="run `toolc build` once without --locked, and commit the file")
    return load(root)


def read(text: str, shown: str) -> Lock:
    """The lock in a file's text; raises UserError for what is none."""
    inputs: dict[str, str] = {}
    tools: dict[str, PinnedTool] = {}
    contracts: dict[str, Contract] = {}
    places: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):  # not at U+2028, which JSON has in texts
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            if number == 1 and entry.get("format") != FORMAT:
                raise ValueError(f"its format is {entry.get('format')!r}, not {FORMAT}")
            # two digests of one file are what a merge of both sides leaves: the next build writes the one that holds
            for kind in ("tool", "operation"):
                if kind in entry and (first := places.setdefault(f"{kind} `{entry[kind]}`", number)) != number:
                    raise ValueError(f"the {kind} `{entry[kind]}` stands in line {first} too")
            if "digest" in entry:
                inputs[str(entry["input"])] = str(entry["digest"])
            elif "tool" in entry:
                tools[entry["tool"]] = _pinned(entry)
            elif "operation" in entry:
                contracts[entry["operation"]] = _agreed(entry)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            reason = "a merge conflict" if line.startswith(_MERGE_MARKS) else _reason(error)
            raise _damaged(reason, shown, number) from None
    if contracts:  # without any it was written by a toolc that kept none: its names still hold
        _check_homes(tools, contracts, places, shown)
    return Lock(inputs, tools, contracts)


def _reason(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)


def _damaged(reason: str, shown: str, line: int) -> UserError:
    return user_error("invalid-lock", f"the lock cannot be read: {reason}", Origin(shown, line=line, column=1), _ADVICE)


def _check_homes(
    tools: Mapping[str, PinnedTool], contracts: Mapping[str, Contract], places: Mapping[str, int], shown: str
) -> None:
    """Every operation is in one tool and has its own line, or a line was lost or doubled in a merge."""
    homes: dict[str, str] = {}
    for tool in tools.values():
        place = places[f"tool `{tool.name}`"]
        for operation in tool.actions.values():
            if homes.setdefault(operation, tool.name) != tool.name:
                raise _damaged(f"`{operation}` is in `{homes[operation]}` too", shown, place)
            if operation not in contracts:
                raise _damaged(f"the line of `{operation}` is missing", shown, place)
    for operation in contracts.keys() - homes.keys():
        raise _damaged(f"`{operation}` is in no tool", shown, places[f"operation `{operation}`"])


def _pinned(entry: dict[str, Any]) -> PinnedTool:
    """A tool's line; raises ValueError where it is not what `render` writes."""
    name, actions, select, args = entry["tool"], entry["actions"], entry.get("select", ""), entry.get("args", {})
    if not isinstance(name, str) or not re.fullmatch(TOOL_NAME, name):
        raise ValueError(f"{name!r} is no tool name")
    if not _texts(actions) or not actions or not isinstance(select, str) or not isinstance(entry["tokens"], int):
        raise ValueError(f"the entry of `{name}` has values of a wrong type")
    if not isinstance(args, dict) or not all(map(_texts, args.values())):
        raise ValueError(f"the renames of `{name}` have a wrong type")
    return PinnedTool(name, actions, select, args, entry["tokens"], str(entry.get("tier", "deferred")))


def _agreed(entry: dict[str, Any]) -> Contract:
    """An operation's line; raises ValueError where it is not what `render` writes."""
    name, effect, schema, aliases = entry["operation"], entry["effect"], entry["schema"], entry.get("aliases", [])
    texts = [entry.get(key, "") for key in ("call", "text", "input_text")]
    if effect not in EFFECTS or not isinstance(schema, dict) or not isinstance(aliases, list):
        raise ValueError(f"the entry of `{name}` has values of a wrong type")
    if not isinstance(name, str) or not all(isinstance(item, str) for item in (*texts, *aliases)):
        raise ValueError(f"the entry of `{name}` has values of a wrong type")
    return Contract(effect, texts[0], schema, texts[1], texts[2], tuple(aliases))


def _texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


def render(lock: Lock) -> str:
    """The text of the lock; what says nothing is left out of a line."""
    lines: list[dict[str, Any]] = [{"format": FORMAT}]
    lines += [{"input": path, "digest": lock.inputs[path]} for path in sorted(lock.inputs)]
    for _, tool in sorted(lock.tools.items()):
        extra = {"select": tool.select, "args": tool.args, "tier": tool.tier if tool.tier != "deferred" else ""}
        entry = {"tool": tool.name, "tokens": tool.tokens, "actions": tool.actions}
        lines.append(entry | {key: value for key, value in extra.items() if value})
    for key, contract in sorted(lock.contracts.items()):
        said = {
            "call": contract.call,
            "text": contract.text,
            "input_text": contract.input_text,
            "aliases": list(contract.aliases),
        }
        entry = {"operation": key, "effect": contract.effect} | {name: value for name, value in said.items() if value}
        lines.append(entry | {"schema": contract.input})
    return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
