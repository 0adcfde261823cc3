"""What merging changes about permissions: a harness grants and asks per tool, so the worst member speaks for all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from toolc.ir import EFFECTS, Catalog

MOST_NAMED = 2


def permissions(catalog: Catalog) -> list[dict[str, Any]]:
    """Merged tools whose members differ in what a harness goes by, for `report.json`.

    effect: the worst of its members, which the tool is asked for by. members: effect by operation. widens: operations
    worse than the mildest member, which whoever allowed that one now allows too. prompts: operations milder than the
    tool, which a harness that asks by effect now asks for though it did not before, or asks harder. open_world:
    operations said to reach nothing outside, in a tool that may.
    """
    result = []
    for tool in catalog.tools:
        hints = {key: catalog.operations[key].hints for key in tool.operations}
        ranks = {key: EFFECTS.index(hint.effect) for key, hint in hints.items()}
        mildest, worst = min(ranks.values()), max(ranks.values())
        reaching = [key for key, hint in hints.items() if hint.open_world.value is False]
        entry: dict[str, Any] = {"tool": tool.name, "effect": EFFECTS[worst]}
        entry["members"] = {key: hint.effect for key, hint in hints.items()}
        entry["widens"] = [key for key, rank in ranks.items() if rank > mildest]
        entry["prompts"] = [key for key, rank in ranks.items() if rank < worst]
        entry["open_world"] = reaching if len(reaching) < len(hints) else []
        if entry["widens"] or entry["open_world"]:
            result.append(entry)
    return result


def told(entries: Iterable[Mapping[str, Any]]) -> list[str]:
    """Those of a report in a few lines: what comes with a permission unasked, and what is now asked for."""
    widened: dict[tuple[str, str], list[str]] = defaultdict(list)
    asked: dict[tuple[str, str], list[str]] = defaultdict(list)
    outside: list[str] = []
    for entry in entries:
        members = entry["members"]
        mildest = min(members.values(), key=EFFECTS.index)
        for operation in entry["widens"]:
            widened[(mildest, members[operation])].append(f"{operation} in {entry['tool']}")
        for operation in entry["prompts"]:
            asked[(members[operation], entry["effect"])].append(f"{operation} in {entry['tool']}")
        outside += [f"{operation} in {entry['tool']}" for operation in entry["open_world"]]

    def order(key: tuple[str, str]) -> tuple[int, int]:
        return -EFFECTS.index(key[1]), EFFECTS.index(key[0])

    lines = [
        f"{_counted(worse, widened[mild, worse])} with a permission for {mild} calls: {_few(widened[mild, worse])}"
        for mild, worse in sorted(widened, key=order)
    ]
    lines += [
        f"{_counted(own, asked[own, tool], 'is', 'are')} now asked for as {tool}: {_few(asked[own, tool])}"
        for own, tool in sorted(asked, key=order)
    ]
    if outside:
        lines.append(f"said to reach nothing outside, in a tool that may: {len(outside)} ({_few(outside)})")
    return lines


def _counted(effect: str, operations: list[str], one: str = "comes", many: str = "come") -> str:
    count = len(operations)
    what = f"operation{'s' if count > 1 else ''}"
    what = f"{what} of unknown effect" if effect == "unknown" else f"{effect} {what}"
    return f"{count} {what} {many if count > 1 else one}"


def _few(names: list[str]) -> str:
    return ", ".join(names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")
