"""The proof that a tool lost nothing: every call of its operations is expressible and comes back as it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolc.dispatch import Dispatcher, Refusal, Resolution
from toolc.ir import Arguments, Case, HttpCall, Operation, SqlCall, Tool
from toolc.lexicon import lexicon, words
from toolc.schema.generate import Generator
from toolc.schema.subsumes import subsumes
from toolc.schema.validator import Validator

MOST_PROBLEMS = 5
# What an operation without a verb in its name may be called.
METHOD_VERBS = {
    "GET": frozenset({"get", "list"}),
    "HEAD": frozenset({"check"}),
    "POST": frozenset({"create"}),
    "PUT": frozenset({"update", "replace"}),
    "PATCH": frozenset({"update"}),
    "DELETE": frozenset({"delete"}),
}
NOTHING: Arguments = {}


@dataclass(frozen=True, slots=True)
class Proof:
    """What was checked of one tool. calls: valid ones that came back identical; refusals: invalid ones refused.

    problems: empty if proven. untested: operations of which no valid call could be made, so that only the structural
    part holds for them.
    """

    tool: str
    calls: int
    refusals: int
    problems: tuple[str, ...] = ()
    untested: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against the tool."""
        return not self.problems


class Prover:
    """Proves tools over one set of operations; keeps compiled schemas and generated values between them."""

    def __init__(self, operations: Mapping[str, Operation], dispatcher: Dispatcher | None = None) -> None:
        self.dispatcher = dispatcher or Dispatcher((), operations)
        self.operations = operations
        self._generator = Generator()
        self._valid: dict[str, list[Arguments]] = {}
        self._invalid: dict[str, list[Arguments]] = {}

    def prove(self, tool: Tool) -> Proof:
        """Structure first, then calls; stops at a handful of problems."""
        problems: list[str] = []
        try:
            accepts = Validator(tool.input_schema).accepts
        except ValueError as error:
            return Proof(tool.name, 0, 0, (f"its schema is invalid: {error}",))
        problems.extend(_structure(tool, self.operations))
        calls = refusals = 0
        untested = []
        for case in tool.dispatch.cases:
            valid = self.valid_calls(case.operation)
            if not valid:
                untested.append(case.operation)
            for arguments in valid:
                problems.extend(self._round_trip(tool, case, arguments, accepts))
                calls += 1
            for wrong in self._wrong_calls(tool, case, valid[0] if valid else NOTHING):
                refusals += 1
                if isinstance(result := self.dispatcher.resolve_tool(tool, wrong, explain=False), Resolution):
                    problems.append(f"{case.operation}: {_short(wrong)} is invalid but goes to {result.operation}")
            if len(problems) >= MOST_PROBLEMS:
                break
        if tool.dispatch.select:
            for wrong in _wrong_choices(tool):
                refusals += 1
                if isinstance(self.dispatcher.resolve_tool(tool, wrong, explain=False), Resolution):
                    problems.append(f"{_short(wrong)} names no action but was accepted")
        return Proof(tool.name, calls, refusals, tuple(problems[:MOST_PROBLEMS]), tuple(untested))

    def valid_calls(self, operation: str) -> list[Arguments]:
        """Generated calls that the operation's exact schema accepts."""
        if operation not in self._valid:
            checker = self.dispatcher.checker(operation)
            accepts = checker.validator.accepts
            self._valid[operation] = [
                arguments
                for arguments in self._generator.valid_calls(checker.operation.input)
                # a null that means absent does not come back, so it is no original call
                if accepts(arguments)
            ]
        return self._valid[operation]

    def invalid_calls(self, operation: str) -> list[Arguments]:
        """Generated calls that the operation's exact schema refuses."""
        if operation not in self._invalid:
            checker = self.dispatcher.checker(operation)
            accepts = checker.validator.accepts
            valid = self.valid_calls(operation)
            candidates = self._generator.invalid_calls(checker.operation.input, valid[0] if valid else NOTHING)
            self._invalid[operation] = [arguments for arguments in candidates if not accepts(arguments)]
        return self._invalid[operation]

    def _round_trip(self, tool: Tool, case: Case, arguments: Arguments, accepts: Any) -> Iterator[str]:
        expressed = self.dispatcher.express(tool, case.operation, arguments)
        if not accepts(expressed):
            yield f"{case.operation}: the tool's schema refuses {_short(expressed)}"
        result = self.dispatcher.resolve_tool(tool, expressed)
        if isinstance(result, Refusal):
            yield f"{case.operation}: dispatch refuses {_short(expressed)}: {result.message}"
        elif result.operation != case.operation:
            yield f"{case.operation}: {_short(expressed)} goes to {result.operation}"
        elif result.arguments != arguments:
            yield f"{case.operation}: {_short(arguments)} comes back as {_short(result.arguments)}"

    def _wrong_calls(self, tool: Tool, case: Case, valid: Arguments) -> Iterator[Arguments]:
        """Invalid original calls under the tool's names, and a valid one with another action's parameter."""
        for wrong in self.invalid_calls(case.operation):
            yield self.dispatcher.express(tool, case.operation, wrong)
        own = {name: merged for merged, name in case.args.items()}
        taken = {own.get(name, name) for name in self.operations[case.operation].input.get("properties", {})}
        if tool.dispatch.select and valid is not NOTHING:
            expressed = self.dispatcher.express(tool, case.operation, valid)
            for foreign in tool.input_schema.get("properties", {}):
                if foreign not in taken and foreign not in tool.dispatch.select:
                    yield {**expressed, foreign: "toolc probe"}


def _structure(tool: Tool, operations: Mapping[str, Operation]) -> Iterator[str]:
    """What can be said without a call: each exact property schema fits in, required sets and renames invert."""
    select = set(tool.dispatch.select)
    properties = tool.input_schema.get("properties", {})
    required = set(tool.input_schema.get("required", ()))
    seen = set()
    for case in tool.dispatch.cases:
        key = tuple(sorted(case.when.items()))
        if key in seen or set(case.when) != select:
            yield f"{case.operation}: its selector {dict(case.when)} is ambiguous"
        seen.add(key)
        operation = operations.get(case.operation)
        if operation is None:
            yield f"{case.operation}: there is no such operation"
            continue
        yield from _case_structure(tool, case, operation, properties, required - select)
        if select and not _speaks_of(case, operation):
            yield f"{case.operation}: its action {' '.join(case.when.values())} speaks of something else"


def _speaks_of(case: Case, operation: Operation) -> bool:
    """Whether an action's verb is one of its operation's: `lock` must never lead to unlock."""
    call = operation.call
    if isinstance(call, SqlCall):
        # two tables may take the same columns, so that no call could show a swap
        chosen = ".".join(case.when[name] for name in ("table", "action") if name in case.when)
        return f".{operation.name}".endswith(f".{chosen}")
    spoken = _verbs(" ".join(case.when.values()))
    own = _verbs(operation.name)
    if isinstance(call, HttpCall):
        own |= _verbs(call.path) | METHOD_VERBS.get(call.method.upper(), frozenset())
        # a POST to one thing, named by no other verb than that, may change it
        if words(operation.name)[:1] == ("post",) and call.path.endswith("}"):
            own |= {"update"}
    return not spoken or not own or bool(spoken & own)


def _verbs(name: str) -> set[str]:
    known, parts = lexicon(), words(name)
    return {found.verb.name for start in range(len(parts)) if (found := known.at(parts, start)) is not None}


def _case_structure(
    tool: Tool, case: Case, operation: Operation, properties: Mapping[str, Any], required: set[str]
) -> Iterator[str]:
    own = operation.input.get("properties", {})
    merged = {name: key for key, name in case.args.items()}
    if len(merged) != len(case.args) or not set(merged) <= set(own):
        yield f"{case.operation}: its renames {dict(case.args)} cannot be inverted"
    names = {name: merged.get(name, name) for name in own}
    if len(set(names.values())) != len(names) or set(names.values()) & set(tool.dispatch.select):
        yield f"{case.operation}: two of its parameters have one name"
    exact_required = {names.get(name, name) for name in operation.input.get("required", ())}
    if not required <= exact_required:
        yield f"{case.operation}: {', '.join(sorted(required - exact_required))} became required"
    for name, schema in own.items():
        if names[name] not in properties:
            yield f"{case.operation}: {name} is missing"
            continue
        general = properties[names[name]]
        answer = subsumes(general, schema, tool.input_schema.get("$defs"), operation.input.get("$defs"))
        if answer != "yes":
            yield f"{case.operation}: {name} is not shown to fit ({answer})"


def _wrong_choices(tool: Tool) -> Iterable[Arguments]:
    first = tool.dispatch.cases[0].when
    for select in tool.dispatch.select:
        yield {key: value for key, value in first.items() if key != select}
        yield {**first, select: "toolc probe"}


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else text[:199] + "…"
