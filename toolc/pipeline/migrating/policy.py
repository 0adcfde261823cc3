"""What a harness was told of old tools, and what that comes to for tools that hold several of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from toolc.ir import Catalog, Tool

Level = Literal["allow", "ask", "deny"]
Result = Literal["carried", "partly", "refused", "unknown", "kept"]
MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a file: its text there, and what it says of which operations.

    keys: of the list or mapping that it stands in. kept: why it stays as it is, if it does and nothing is made of it;
    foreign: it is not about tools of the bundle at all, or not known. broad: a pattern, which also covered what the
    server has not yet.
    """

    text: str
    keys: tuple[str, ...]
    level: Level
    operations: frozenset[str] = frozenset()
    kept: str = ""
    unknown: bool = False
    broad: bool = False

    @property
    def moves(self) -> bool:
        """Whether something is made of it for the new tools."""
        return bool(self.operations) and not self.kept


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a new tool comes to: `` if nothing, which is what the harness does unasked.

    others: its operations that are against it, or, of a tool that is denied or asked for, that come along unasked.
    """

    level: Level | Literal[""]
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one entry. to: the new names; why: what the user should know of it."""

    entry: Entry
    result: Result
    to: tuple[str, ...] = ()
    why: tuple[str, ...] = ()


def decide(catalog: Catalog, said: Mapping[str, Level]) -> dict[str, Verdict]:
    """By tool. said: by operation, what held for it before; one that is not in it was left to the harness.

    A tool speaks for all its operations: it is allowed only if every one of them was, and denied if any one was, since
    else that one could be called.
    """
    return {tool.name: _verdict(tool, said) for tool in catalog.tools}


def _verdict(tool: Tool, said: Mapping[str, Level]) -> Verdict:
    levels: dict[str, Level | Literal[""]] = {key: said.get(key, "") for key in tool.operations}
    level: Level
    for level in ("deny", "ask"):
        if level in levels.values():
            return Verdict(level, tuple(key for key, own in levels.items() if own != level))
    others = tuple(key for key, own in levels.items() if own != "allow")
    return Verdict("" if others else "allow", others)


def account(
    entries: Iterable[Entry],
    verdicts: Mapping[str, Verdict],
    catalog: Catalog,
    named: Callable[[Tool], str],
    otherwise: str,
) -> list[Outcome]:
    """What became of each entry.

    named: what a tool is called in the file's new entries. otherwise: what becomes of one that is not allowed.
    """
    return [_outcome(entry, verdicts, catalog, named, otherwise) for entry in entries]


def _outcome(
    entry: Entry, verdicts: Mapping[str, Verdict], catalog: Catalog, named: Callable[[Tool], str], otherwise: str
) -> Outcome:
    if not entry.moves:
        return Outcome(entry, "unknown" if entry.unknown else "kept", why=(entry.kept,) if entry.kept else ())
    tools = [tool for tool in catalog.tools if entry.operations & set(tool.operations)]
    rank = {"allow": ("allow",), "ask": ("ask", "deny"), "deny": ("deny",)}[entry.level]
    good = [tool for tool in tools if verdicts[tool.name].level in rank]
    why = [_against(tool, verdicts[tool.name], otherwise) for tool in tools if tool not in good]
    if entry.level != "allow":
        why += [_along(tool, verdicts[tool.name]) for tool in good if verdicts[tool.name].others]
    if entry.broad:
        why.append("what the server gains later is not covered")
    result: Result = "carried" if len(good) == len(tools) else "partly" if good else "refused"
    return Outcome(entry, result, tuple(named(tool) for tool in good), tuple(why))


def _against(tool: Tool, verdict: Verdict, otherwise: str) -> str:
    """Why a tool is not allowed although operations of it were."""
    if verdict.level:
        done = "denied" if verdict.level == "deny" else "asked for"
        held = [key for key in tool.operations if key not in verdict.others]
        return f"`{tool.name}` is {done}, as {_few(held)} in it {'was' if len(held) == 1 else 'were'}"
    return f"`{tool.name}` also does {_few(verdict.others)}, which was not allowed; {otherwise}"


def _along(tool: Tool, verdict: Verdict) -> str:
    done = "denied" if verdict.level == "deny" else "asked for"
    return f"{_few(verdict.others)} in `{tool.name}` {'is' if len(verdict.others) == 1 else 'are'} {done} with it"


def _few(ids: Iterable[str]) -> str:
    names = list(ids)
    return ", ".join(names[:MOST_NAMED]) + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "")
