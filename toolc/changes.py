"""What changed between two builds as callers see it, and what of it breaks a call that was valid.

A call breaks where it fails or goes elsewhere: its operation, tool, action, alias or a parameter is gone or called
otherwise, something is newly required, a value is no longer taken, or the effect is worse than what was permitted.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from toolc.ir import EFFECTS, Effect, Schema
from toolc.lock import Contract, Lock, PinnedTool
from toolc.schema.identity import fingerprint, same
from toolc.schema.narrowing import narrowings

Kind = Literal["removed", "renamed", "moved", "required", "narrowed", "effect", "call", "text", "widened", "added"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is not as it was. operation: its id in the old build (in the new one, where it was added).

    removed, added: the operation. renamed: the operation has another id. moved: it is called by other names (tool,
    action, alias, parameter). required, narrowed, widened: its input. effect: its safety class. call: it does
    something else. text: its description or those in its input. place: for required and narrowed, the parameter. now:
    for renamed, the other id.
    """

    kind: Kind
    operation: str
    words: str
    breaking: bool = False
    place: str = ""
    now: str = ""


def compare(old: Lock, new: Lock) -> list[Change]:
    """All changes, by kind and operation."""
    return sorted(_all(old, new), key=lambda change: (not change.breaking, KINDS.index(change.kind), change.operation))


def _all(old: Lock, new: Lock) -> Iterator[Change]:
    before, after = old.operations, new.operations
    names = _Names(new)
    renamed = _renamed(old, new)
    for key in old.contracts:
        now = renamed.get(key, key)
        if now not in new.contracts:
            yield Change("removed", key, f"is gone (was {_address(before[key], key)})", True)
            continue
        lost = list(_lost_names(key, now, old, new, names))
        if now != key:
            yield Change("renamed", key, f"is `{now}` now", bool(lost), now=now)
        yield from lost
        if not lost and before[key].name != after[now].name:
            words = f"was {_address(before[key], key)}, is {_address(after[now], now)}; the old name still works"
            yield Change("moved", key, words)
        yield from _contract(key, old.contracts[key], new.contracts[now])
    for key in new.contracts.keys() - old.contracts.keys() - set(renamed.values()):
        yield Change("added", key, f"as {_address(after[key], key)}")
        was, effect = _effect(old, after[key].name), new.contracts[key].effect
        if was is not None and EFFECTS.index(effect) > EFFECTS.index(was):
            # no call breaks, but whoever allowed the tool allows this too, and a harness may ask for it now
            yield Change("effect", key, f"makes `{after[key].name}` {effect} (was {was})")


def _effect(lock: Lock, name: str) -> Effect | None:
    """The worst effect of a tool's operations; None if there is no such tool."""
    tool = lock.tools.get(name)
    return max((lock.contracts[key].effect for key in tool.actions.values()), key=EFFECTS.index) if tool else None


def _address(tool: PinnedTool, operation: str) -> str:
    action = tool.action_of(operation)
    return f"`{tool.name}` {tool.select} {action}" if action else f"`{tool.name}`"


class _Names:
    """What each name of a build leads to: a tool, or an operation by an alias."""

    def __init__(self, lock: Lock) -> None:
        self.tools = lock.tools
        self.aliases = {name: key for key, contract in lock.contracts.items() for name in contract.aliases}

    def alone(self, name: str) -> str:
        """The operation that a name calls with the operation's own arguments; `` if it does not."""
        tool = self.tools.get(name)
        if tool is not None:
            return next(iter(tool.actions.values())) if not tool.select else ""
        return self.aliases.get(name, "")

    def known(self, name: str) -> bool:
        return name in self.tools or name in self.aliases


def _lost_names(key: str, now: str, old: Lock, new: Lock, names: _Names) -> Iterator[Change]:
    """The names by which the operation was called and no longer is."""
    before, after = old.operations[key], new.operations[now]
    action = before.action_of(key)
    target = new.tools.get(before.name)
    if not action:
        if names.alone(before.name) != now:
            leads = names.known(before.name)
            words = _elsewhere(before.name, names) if leads else _gone([before.name], after, now)
            yield Change("moved", key, words, True)
    elif target is None or target.select != before.select or action not in target.actions:
        words = f"was {_address(before, key)}, is {_address(after, now)}"
        yield Change("moved", key, words, True)
    elif target.actions[action] != now:
        yield Change("moved", key, f"{_address(before, key)} now calls `{target.actions[action]}`", True)
    else:
        kept = new.contracts[now].input.get("properties", {})
        for name in old.contracts[key].input.get("properties", {}):
            was, is_now = before.renamed(key, name), after.renamed(now, name)
            if name in kept and was != is_now:
                yield Change("moved", key, f"`{was}` of `{before.name}` is called `{is_now}`", True, name)
    lost = [alias for alias in old.contracts[key].aliases if names.alone(alias) != now]
    for alias in filter(names.known, lost):
        yield Change("moved", key, _elsewhere(alias, names), True)
    if gone := [alias for alias in lost if not names.known(alias)]:
        yield Change("moved", key, _gone(gone, after, now), True)


def _elsewhere(name: str, names: _Names) -> str:
    leads = names.alone(name)
    return f"the name `{name}` now calls {f'`{leads}`' if leads else 'a tool with actions'}"


def _gone(lost: list[str], after: PinnedTool, now: str) -> str:
    several = len(lost) > 1
    return f"the name{'s' * several} {_listed(lost)} {'are' if several else 'is'} gone; call {_address(after, now)}"


def _contract(key: str, old: Contract, new: Contract) -> Iterator[Change]:
    if old.effect != new.effect:
        worse = EFFECTS.index(new.effect) > EFFECTS.index(old.effect)
        yield Change("effect", key, f"was {old.effect}, is {new.effect}", worse)
    if _PLACEHOLDER.sub("{}", old.call) != _PLACEHOLDER.sub("{}", new.call):
        yield Change("call", key, f"was {old.call or 'nothing'}, is {new.call or 'nothing'}", True)
    found = narrowings(old.input, new.input)
    for narrowing in found:
        kind: Kind = "required" if narrowing.kind == "required" else "narrowed"
        yield Change(kind, key, str(narrowing), True, narrowing.path)
    if not found and not same(old.input, new.input, _defs(old.input), _defs(new.input)):
        more = [name for name in new.input.get("properties", {}) if name not in old.input.get("properties", {})]
        if more or narrowings(new.input, old.input):
            yield Change("widened", key, f"also takes {_listed(more)}" if more else "takes more than before")
    said = [
        words
        for words, was, is_now in (
            ("description", old.text, new.text),
            ("texts of its parameters", old.input_text, new.input_text),
        )
        if was != is_now
    ]
    if said:
        yield Change("text", key, f"other {' and '.join(said)}")


def _defs(schema: Schema) -> Schema:
    found: Schema = schema.get("$defs", {})
    return found


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:3])
    return f"{shown} and {len(names) - 3} more" if len(names) > 3 else shown


def _renamed(old: Lock, new: Lock) -> dict[str, str]:
    """Operations that have another id now: the same source, and the same call or else the same input and words."""

    def marks(lock: Lock, other: Lock) -> dict[tuple[str, ...], list[str]]:
        found: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for key, contract in lock.contracts.items():
            if key in other.contracts:
                continue
            source = key.partition(":")[0]
            if contract.call:
                found[(source, _PLACEHOLDER.sub("{}", contract.call))].append(key)
            elif contract.text:
                found[(source, contract.text, fingerprint(contract.input, _defs(contract.input)))].append(key)
        return found

    gone, come = marks(old, new), marks(new, old)
    return {gone[mark][0]: come[mark][0] for mark in gone if len(gone[mark]) == 1 and len(come.get(mark, ())) == 1}
