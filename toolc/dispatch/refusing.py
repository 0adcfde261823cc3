"""Why a call is refused, in words that a model can repair it from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from toolc.dispatch.checking import Checker
from toolc.ir import Arguments, Case, Tool, unescape
from toolc.nearest import nearest, word_parts
from toolc.schema.validator import Violation

# Longest value a message repeats: an error is read by a model, and paid for.
MOST_CHARACTERS = 160
MOST_NAMES = 12


def no_tool(
    name: str, known: Sequence[str], tools: Mapping[str, Tool], arguments: Arguments, *, exact: bool = False
) -> str:
    """That there is no tool of this name. known: names that would be understood; exact: each may be meant."""
    near = " or ".join(sorted(map(_quote, known))) if exact else _nearest(name, known)
    if not exact and any(select in arguments for tool in tools.values() for select in tool.dispatch.select):
        # `customer` with the action `delete` means customer_delete, not customer_read
        near = _nearest(name, (one for one, tool in tools.items() if _takes(tool, arguments))) or near
    hint = f" Did you mean {near}?" if near else ""
    return f"There is no tool {_quote(name)}.{hint}"


def foreign(key: str, tool: Tool, case: Case, names: Mapping[str, Mapping[str, str]]) -> str:
    """What to say of a parameter that this case does not take. names: by operation, those that it takes."""
    action = " ".join(case.when.values())
    if own := next((merged for merged, original in case.args.items() if original == key), ""):
        return f"{_quote(key)} is called {_quote(own)} for {action}."
    takers = [" ".join(other.when.values()) for other in tool.dispatch.cases if key in names[other.operation]]
    if takers:
        return f"{_quote(key)} is not taken by {action}, only by {_listed(takers)}."
    return _unknown(key, f"by {action}", list(names[case.operation]))


def no_case(tool: Tool, arguments: Arguments, tools: Iterable[Tool]) -> Iterator[str]:
    """Why the selectors name no case. tools: all that might have been meant."""
    problems = []
    for select in tool.dispatch.select:
        allowed = list(dict.fromkeys(case.when[select] for case in tool.dispatch.cases))
        if select not in arguments:
            problems.append(f"{_quote(select)} is required: one of {_listed(allowed)}.")
        elif arguments[select] not in allowed:
            value = arguments[select]
            hint = _meant(value, select, tool, allowed, tools) if isinstance(value, str) else ""
            problems.append(f"{_quote(select)} cannot be {_shown(value)}.{hint} Allowed: {_listed(allowed)}.")
    yield from problems or _no_combination(tool, arguments)
    known = tool.input_schema.get("properties", {})
    missing = [select for select in tool.dispatch.select if select not in arguments]
    chosen = [case.when[select] for case in tool.dispatch.cases for select in missing]
    for key, value in arguments.items():
        if key in known:
            continue
        if len(missing) == 1 and (key.lower() == missing[0] or value in chosen):
            yield f"{_quote(key)} is not known. Did you mean {_quote(missing[0])}?"
        else:
            yield _unknown(key, "by any action", [name for name in known if name not in tool.dispatch.select])


def _meant(value: str, select: str, tool: Tool, allowed: Sequence[str], tools: Iterable[Tool]) -> str:
    """What a wrong value of a selector may mean: an action by its old name or another word, or one of another tool."""
    folded = "".join(word_parts(value))
    old = {"".join(word_parts(case.operation.rpartition(":")[2])): case.when[select] for case in tool.dispatch.cases}
    short = "_".join(word for word in word_parts(value) if not _shares(word, tool.name))
    if near := old.get(folded) or nearest(value, allowed) or nearest(short, allowed):
        return f" Did you mean {_quote(near)}?"
    others = [other.name for other in tools if other is not tool and _takes(other, {select: value})]
    noun = tool.name.rpartition("_")[0]
    others = [name for name in others if name == noun or (noun and name.rpartition("_")[0] == noun)]
    return f" {_quote(others[0])} has that action." if len(others) == 1 else ""


def _shares(word: str, name: str) -> bool:
    return any(word.removesuffix("s") == own.removesuffix("s") for own in word_parts(name))


def _takes(tool: Tool, arguments: Arguments) -> bool:
    """Whether a tool has a case that the selectors among the arguments choose."""
    return bool(tool.dispatch.select) and any(
        all(arguments.get(select) == value for select, value in case.when.items()) for case in tool.dispatch.cases
    )


def _no_combination(tool: Tool, arguments: Arguments) -> Iterator[str]:
    chosen = ", ".join(f"{select} {_shown(arguments[select])}" for select in tool.dispatch.select)
    yield f"There is no {chosen}."
    for select in tool.dispatch.select:
        others = [other for other in tool.dispatch.select if other != select]
        allowed = [
            case.when[select]
            for case in tool.dispatch.cases
            if all(case.when[other] == arguments[other] for other in others)
        ]
        if allowed:
            fixed = ", ".join(f"{other} {_shown(arguments[other])}" for other in others)
            yield f"With {fixed}, {_quote(select)} is one of {_listed(allowed)}."


def explain(
    violation: Violation, merged: Mapping[str, str], action: str, checker: Checker, arguments: Arguments
) -> Iterator[str]:
    """What is wrong with the arguments of an operation, by the names that the tool gives them.

    merged: {original name: name in the tool} where they differ; action: empty for a tool with one operation.
    """
    path = _path(violation.path, merged)
    taker = f" by {action}" if action else ""
    if violation.keyword == "required" and violation.names:
        for name in violation.names:
            shown = merged.get(name, name) if not violation.path else name
            yield f"{_quote(f'{path}.{shown}' if path else shown)} is required{' for ' + action if action else ''}."
    elif violation.keyword == "additionalProperties" and violation.names:
        for name in violation.names:
            known = _known(violation.path, merged, checker, arguments)
            yield _unknown(f"{path}.{name}" if path else name, taker.strip(), known, name)
    else:
        place = f"{_quote(path)}: " if path else ""
        yield f"{place}{_cut(violation.message)} ({violation.keyword})."


def _known(path: tuple[str | int, ...], merged: Mapping[str, str], checker: Checker, arguments: Arguments) -> list[str]:
    """Property names that the schema declares at a place in the arguments."""
    if not path:
        return [merged.get(name, name) for name in checker.properties]
    defs = checker.operation.input.get("$defs", {})
    current: Any = checker.operation.input
    for key in path:
        current = _resolved(current, defs)
        current = current.get("items") if isinstance(key, int) else current.get("properties", {}).get(key)
    return list(_resolved(current, defs).get("properties", {}))


def _resolved(schema: Any, defs: Mapping[str, Any]) -> dict[str, Any]:
    for _ in range(len(defs) + 1):
        if not isinstance(schema, dict):
            return {}
        if not isinstance(reference := schema.get("$ref"), str):
            return schema
        schema = defs.get(unescape(reference.removeprefix("#/$defs/")))
    return {}


def _unknown(shown: str, taker: str, known: list[str], name: str | None = None) -> str:
    near = _nearest(name or shown, known)
    hint = f" Did you mean {near}?" if near else f" Known: {_listed(known)}." if known else ""
    return f"{_quote(shown)} is not known{' ' + taker if taker else ''}.{hint}"


def _path(path: tuple[str | int, ...], merged: Mapping[str, str]) -> str:
    text = ""
    for index, key in enumerate(path):
        if isinstance(key, int):
            text += f"[{key}]"
        else:
            name = merged.get(key, key) if index == 0 else key
            text += f".{name}" if text else name
    return text


def _nearest(name: str, known: Iterable[str]) -> str:
    found = nearest(name, known)
    return _quote(found) if found else ""


def _listed(names: Iterable[str]) -> str:
    unique = list(dict.fromkeys(names))
    shown = ", ".join(unique[:MOST_NAMES])
    return shown if len(unique) <= MOST_NAMES else f"{shown} and {len(unique) - MOST_NAMES} more"


def _quote(name: str) -> str:
    return f"`{_cut(name)}`"


def _shown(value: Any) -> str:
    return _quote(value) if isinstance(value, str) else _cut(json.dumps(value, ensure_ascii=False, default=repr))


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"
