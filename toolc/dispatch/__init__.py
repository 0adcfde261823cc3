"""Turns a call of a tool into the call of one operation, and back.

Verify and the runtime both use this module, so the proof covers the code that runs. A call is checked against the
operation's exact schema; nothing is guessed and no default is filled in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from toolc.dispatch import refusing
from toolc.dispatch.checking import Checker
from toolc.ir import Alias, Arguments, Case, Operation, Tool

__all__ = ["Dispatcher", "Refusal", "Resolution"]


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
        holders = [  # of a name that several sources have: no one's alias
            tool.name
            for tool in self.tools.values()
            if any(self.operations[case.operation].name == name for case in tool.dispatch.cases)
        ]
        known = holders or [*self.tools, *self.aliases]
        return Refusal(name, (refusing.no_tool(name, known, self.tools, arguments, exact=bool(holders)),))

    def resolve_tool(self, tool: Tool, arguments: Arguments, *, explain: bool = True) -> Resolution | Refusal:
        """As `resolve`, for a tool at hand; explain: whether a refusal says why, which costs more than refusing."""
        route = self._route(tool)
        select = tool.dispatch.select
        try:
            case = route.cases.get(tuple([arguments[name] for name in select]))
        except (KeyError, TypeError):  # missing, or a value that no text equals
            case = None
        if case is None:
            return Refusal(tool.name, tuple(refusing.no_case(tool, arguments, self.tools.values())) if explain else ())
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
                problems.append(refusing.foreign(key, tool, case, route.names))
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
                problems.extend(refusing.explain(violation, merged, action, checker, meant))
        return Refusal(name, tuple(dict.fromkeys(problems)))  # parts of an allOf may all say the same
