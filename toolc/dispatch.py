"""Turns a call of a tool into the call of one operation, and back.

Verify and the runtime both use this module, so the proof covers the code that runs. A call is checked against the
operation's exact schema; nothing is guessed and no default is filled in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolc.ir import Alias, Arguments, Case, Operation, Tool, unescape
from toolc.nearest import nearest
from toolc.schema.validator import Validator, Violation

# Longest value a message repeats: an error is read by a model, and paid for.
MOST_CHARACTERS = 160
MOST_NAMES = 12


@dataclass(frozen=True, slots=True)
class Resolution:
    """The original call: an operation's id and the arguments it takes under its own names."""

    operation: str
    arguments: Arguments


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call is not carried out: every problem at once, each naming what is wrong and what is allowed."""

    tool: str
    problems: tuple[str, ...]

    @property
    def message(self) -> str:
        """The text a model can repair its call from."""
        return f"{self.tool}: " + " ".join(self.problems)


class Checker:
    """The exact schema of one operation, compiled once."""

    __slots__ = ("_nullable", "_validator", "operation", "properties", "required")

    def __init__(self, operation: Operation) -> None:
        schema = operation.input
        self.operation = operation
        self.properties: Mapping[str, Any] = schema.get("properties", {})
        self.required = frozenset(schema.get("required", ()))
        self._validator: Validator | None = None
        self._nullable: dict[str, bool] = {}

    @property
    def validator(self) -> Validator:
        """The compiled schema."""
        if self._validator is None:
            self._validator = Validator(self.operation.input)
        return self._validator

    def nullable(self, name: str) -> bool:
        """Whether null is a value of this property rather than its absence."""
        if name not in self._nullable:
            schema = self.properties[name]
            if isinstance(schema, dict) and (defs := self.operation.input.get("$defs")):
                schema = {**schema, "$defs": defs}
            self._nullable[name] = Validator(schema).accepts(None)
        return self._nullable[name]

    def check(self, arguments: Arguments) -> tuple[Arguments, list[Violation]]:
        """The arguments without nulls that mean absent, and what is still wrong with them."""
        meant = {
            name: value
            for name, value in arguments.items()
            if not (value is None and name in self.properties and name not in self.required and not self.nullable(name))
        }
        if self.validator.accepts(meant):
            return meant, []
        violations = self.validator.violations(meant)
        pruned = _without_nulls(meant, violations)
        if pruned is not None and self.validator.accepts(pruned):
            return pruned, []
        return meant, violations


def _without_nulls(arguments: Arguments, violations: list[Violation]) -> Arguments | None:
    """A copy without the nested nulls that were refused by their type; None if there are none.

    Strict modes make every optional property required and nullable, so a model sends null for absent at any depth.
    """
    paths = [violation.path for violation in violations if len(violation.path) > 1]
    result: Any = arguments
    changed = False
    for path in paths:
        holder = _at(result, path[:-1])
        if isinstance(holder, dict) and path[-1] in holder and holder[path[-1]] is None:
            result = _without(result, path)
            changed = True
    return result if changed else None


def _at(value: Any, path: tuple[str | int, ...]) -> Any:
    for key in path:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _without(value: Any, path: tuple[str | int, ...]) -> Any:
    first, rest = path[0], path[1:]
    if not rest:
        return {key: item for key, item in value.items() if key != first}
    if isinstance(value, dict):
        return {**value, first: _without(value[first], rest)}
    return [*value[: int(first)], _without(value[int(first)], rest), *value[int(first) + 1 :]]


class _Route:
    """A tool's cases by what its selectors say, each with {merged name: original name} of all that it takes."""

    __slots__ = ("by_operation", "cases", "names", "tool")

    def __init__(self, tool: Tool, checkers: Callable[[str], Checker]) -> None:
        self.tool = tool
        self.cases: dict[tuple[str, ...], Case] = {}
        self.names: dict[str, dict[str, str]] = {}
        self.by_operation: dict[str, Case] = {}
        for case in tool.dispatch.cases:
            self.cases[tuple(case.when[select] for select in tool.dispatch.select)] = case
            self.by_operation.setdefault(case.operation, case)
            merged = {original: name for name, original in case.args.items()}
            self.names[case.operation] = {merged.get(name, name): name for name in checkers(case.operation).properties}


class Dispatcher:
    """Resolves calls of the tools it was given."""

    def __init__(
        self,
        tools: Iterable[Tool],
        operations: Mapping[str, Operation],
        aliases: Mapping[str, Alias] | None = None,
    ) -> None:
        self.tools = {tool.name: tool for tool in tools}
        self.operations = operations
        self.aliases = aliases or {}
        self._checkers: dict[str, Checker] = {}
        self._routes: dict[int, _Route] = {}  # by object; a route keeps its tool, so the id stays its own

    def checker(self, operation: str) -> Checker:
        """The compiled schema of an operation."""
        if operation not in self._checkers:
            self._checkers[operation] = Checker(self.operations[operation])
        return self._checkers[operation]

    def resolve(self, name: str, arguments: Any) -> Resolution | Refusal:
        """The original call that this call of a tool (or of an old name) means, or why there is none."""
        if not isinstance(arguments, dict):
            return Refusal(name, ("The arguments must be a JSON object.",))
        if (tool := self.tools.get(name)) is not None:
            return self.resolve_tool(tool, arguments)
        if (alias := self.aliases.get(name)) is not None:
            case = next(case for case in self.tools[alias.tool].dispatch.cases if case.when == alias.when)
            return self._checked(name, Case({}, case.operation), arguments, [])
        near = _nearest(name, [*self.tools, *self.aliases])
        hint = f" Did you mean {near}?" if near else ""
        return Refusal(name, (f"There is no tool {_quote(name)}.{hint}",))

    def resolve_tool(self, tool: Tool, arguments: Arguments, *, explain: bool = True) -> Resolution | Refusal:
        """As `resolve`, for a tool at hand; explain: whether a refusal says why, which costs more than refusing."""
        route = self._route(tool)
        select = tool.dispatch.select
        try:
            case = route.cases.get(tuple([arguments[name] for name in select]))
        except (KeyError, TypeError):  # missing, or a value that no text equals
            case = None
        if case is None:
            return Refusal(tool.name, tuple(_no_case(tool, arguments)) if explain else ())
        own = route.names[case.operation]
        original: Arguments = {}
        problems: list[str] = []
        declared = tool.input_schema.get("properties", {})
        for key, value in arguments.items():
            if key in select:
                continue
            if key in own:
                original[own[key]] = value
            elif not select:
                original[key] = value  # one operation: its own schema says whether free keys are taken
            elif not (value is None and key in declared):
                if not explain:
                    return Refusal(tool.name, ())
                problems.append(_foreign(route, case, key))
        return self._checked(tool.name, case, original, problems, explain)

    def _route(self, tool: Tool) -> _Route:
        if (route := self._routes.get(id(tool))) is None:
            route = self._routes[id(tool)] = _Route(tool, self.checker)
        return route

    def express(self, tool: Tool, operation: str, arguments: Arguments) -> Arguments:
        """The call of the tool that means this call of one of its operations."""
        case = self._route(tool).by_operation[operation]
        merged = {original: name for name, original in case.args.items()}
        return {**case.when, **{merged.get(name, name): value for name, value in arguments.items()}}

    def _checked(
        self, name: str, case: Case, original: Arguments, problems: list[str], explain: bool = True
    ) -> Resolution | Refusal:
        checker = self.checker(case.operation)
        meant, violations = checker.check(original)
        if not violations and not problems:
            return Resolution(case.operation, meant)
        if explain:
            merged = {original_name: merged_name for merged_name, original_name in case.args.items()}
            action = " ".join(case.when.values())
            for violation in violations:
                problems.extend(_explain(violation, merged, action, checker, meant))
        return Refusal(name, tuple(dict.fromkeys(problems)))  # parts of an allOf may all say the same


def _foreign(route: _Route, case: Case, key: str) -> str:
    """What to say of a parameter that this case does not take."""
    action = " ".join(case.when.values())
    takers = [
        " ".join(other.when.values()) for other in route.tool.dispatch.cases if key in route.names[other.operation]
    ]
    if takers:
        return f"{_quote(key)} is not taken by {action}, only by {_listed(takers)}."
    return _unknown(key, f"by {action}", list(route.names[case.operation]))


def _no_case(tool: Tool, arguments: Arguments) -> Iterator[str]:
    """Why the selectors name no case."""
    problems = []
    for select in tool.dispatch.select:
        allowed = list(dict.fromkeys(case.when[select] for case in tool.dispatch.cases))
        if select not in arguments:
            problems.append(f"{_quote(select)} is required: one of {_listed(allowed)}.")
        elif arguments[select] not in allowed:
            value = arguments[select]
            near = _nearest(value, allowed) if isinstance(value, str) else ""
            hint = f" Did you mean {near}?" if near else ""
            problems.append(f"{_quote(select)} cannot be {_shown(value)}.{hint} Allowed: {_listed(allowed)}.")
    yield from problems or _no_combination(tool, arguments)
    known = tool.input_schema.get("properties", {})
    for key in arguments:
        if key not in known:
            yield _unknown(key, "by any action", [name for name in known if name not in tool.dispatch.select])


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


def _explain(
    violation: Violation, merged: Mapping[str, str], action: str, checker: Checker, arguments: Arguments
) -> Iterator[str]:
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
    return _quote(value) if isinstance(value, str) else _cut(repr(value))


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"
