"""Arguments against the exact schema of one operation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolc.ir import Arguments, Operation
from toolc.schema.validator import Validator, Violation


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
