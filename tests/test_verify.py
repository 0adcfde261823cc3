"""The proof has to notice: faults seeded into merge and dispatch, each of which loses something."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from toolc.dispatch import Dispatcher, Refusal, Resolution
from toolc.dispatch.checking import Checker
from toolc.ir import Arguments, Case, Dispatch, Opaque, Operation, Origin, Schema, Tool
from toolc.lexicon import lexicon
from toolc.merge import Part, merge
from toolc.schema.identity import Fingerprints
from toolc.verify import Prover

ORIGIN = Origin("tools.yaml")


def operation(name: str, properties: Schema, required: list[str]) -> Operation:
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return Operation(f"s:{name}", name, f"{name}.", schema, Opaque(), ORIGIN)


TEXT: Schema = {"type": "string"}
CREATE = operation(
    "create",
    {
        "title": {"type": "string", "minLength": 1, "maxLength": 40},
        "format": {"type": "string", "enum": ["md", "html"]},
        "owner": TEXT,
        "labels": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string", "maxLength": 8}},
                "required": ["name"],
            },
        },
    },
    ["title"],
)
EXPORT = operation(
    "export",
    {
        "format": {"type": "string", "enum": ["csv", "json"]},
        "owner": TEXT,
        "since": TEXT,
        "limit": {"type": "integer", "minimum": 1, "maximum": 50},
        "code": {"type": "string", "pattern": "^[a-z]{3}$"},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "maxItems": 3},
        "note": {"type": ["string", "null"]},
        "area": {
            "type": "object",
            "properties": {"x": {"type": "number"}, "y": {"type": "number"}},
            "required": ["x"],
            "additionalProperties": False,
        },
    },
    ["format"],
)
UPDATE = operation(
    "update", {"id": {"type": "integer"}, "title": {"type": "string", "minLength": 1, "maxLength": 40}}, ["id"]
)
OPERATIONS = {operation.id: operation for operation in (CREATE, EXPORT, UPDATE)}


def single(operation: Operation) -> Tool:
    dispatch = Dispatch((), (Case({}, operation.id),))
    return Tool(operation.name, operation.description, operation.input, dispatch, (ORIGIN,))


def merged() -> Tool:
    parts = [Part(o.name, o.name, single(o), o) for o in OPERATIONS.values()]
    return merge("doc_write", ("doc",), "", parts, lexicon(), Fingerprints())


def test_the_sound_tool_is_proven() -> None:
    proof = Prover(OPERATIONS).prove(merged())
    assert proof.problems == ()
    assert proof.untested == ()
    # every enum value, both bounds of limit and each operation's optionals need more than a call or two
    assert proof.calls >= 12
    assert proof.refusals >= 12


def case_of(tool: Tool, action: str) -> Case:
    return next(case for case in tool.dispatch.cases if case.when["action"] == action)


def with_case(tool: Tool, action: str, **changes: Any) -> Tool:
    cases = tuple(replace(c, **changes) if c.when["action"] == action else c for c in tool.dispatch.cases)
    return replace(tool, dispatch=replace(tool.dispatch, cases=cases))


def with_property(tool: Tool, name: str, schema: Schema) -> Tool:
    properties = {**tool.input_schema["properties"], name: schema}
    return replace(tool, input_schema={**tool.input_schema, "properties": properties})


def swapped_rename(tool: Tool) -> Tool:
    return with_case(tool, "export", args={"export_format": "owner", "owner": "format"})


def dropped_rename(tool: Tool) -> Tool:
    return with_case(tool, "export", args={})


def wrong_operation(tool: Tool) -> Tool:
    update, create = case_of(tool, "update"), case_of(tool, "create")
    return with_case(with_case(tool, "update", operation=create.operation), "create", operation=update.operation)


def lost_nested_constraint_turned_around(tool: Tool) -> Tool:
    items = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 2}}, "required": ["name"]}
    return with_property(tool, "labels", {"type": "array", "items": items})


def narrowed_bound(tool: Tool) -> Tool:
    return with_property(tool, "limit", {"type": "integer", "minimum": 1, "maximum": 49})


def lost_enum_value(tool: Tool) -> Tool:
    return with_property(tool, "export_format", {"type": "string", "enum": ["csv"]})


def lost_property(tool: Tool) -> Tool:
    properties = {key: value for key, value in tool.input_schema["properties"].items() if key != "since"}
    return replace(tool, input_schema={**tool.input_schema, "properties": properties, "additionalProperties": False})


def made_required(tool: Tool) -> Tool:
    return replace(tool, input_schema={**tool.input_schema, "required": ["action", "owner"]})


def lost_action(tool: Tool) -> Tool:
    return with_property(tool, "action", {"type": "string", "enum": ["create", "update"]})


def one_action_twice(tool: Tool) -> Tool:
    return with_case(tool, "update", when={"action": "create"})


def no_nested_objects(tool: Tool) -> Tool:
    return with_property(tool, "labels", {"type": "array", "items": {"type": "string"}})


TOOL_FAULTS = [
    swapped_rename,
    dropped_rename,
    wrong_operation,
    lost_nested_constraint_turned_around,
    narrowed_bound,
    lost_enum_value,
    lost_property,
    made_required,
    lost_action,
    one_action_twice,
    no_nested_objects,
]


@pytest.mark.parametrize("fault", TOOL_FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_in_the_merged_tool_is_caught(fault: Callable[[Tool], Tool]) -> None:
    assert not Prover(OPERATIONS).prove(fault(merged())).holds


def ignores_required(violations: list[Any], arguments: Arguments) -> list[Any]:
    return [violation for violation in violations if violation.keyword != "required"]


def ignores_bounds(violations: list[Any], arguments: Arguments) -> list[Any]:
    return [violation for violation in violations if violation.keyword not in ("minimum", "maximum")]


def ignores_lengths(violations: list[Any], arguments: Arguments) -> list[Any]:
    return [violation for violation in violations if violation.keyword not in ("minLength", "maxLength")]


def ignores_enums(violations: list[Any], arguments: Arguments) -> list[Any]:
    return [violation for violation in violations if violation.keyword != "enum"]


def ignores_what_is_nested(violations: list[Any], arguments: Arguments) -> list[Any]:
    return [violation for violation in violations if len(violation.path) < 2]


def ignores_types(violations: list[Any], arguments: Arguments) -> list[Any]:
    return [violation for violation in violations if violation.keyword != "type"]


def ignores_nested_required(violations: list[Any], arguments: Arguments) -> list[Any]:
    return [violation for violation in violations if violation.keyword != "required" or not violation.path]


def ignores_patterns(violations: list[Any], arguments: Arguments) -> list[Any]:
    return [violation for violation in violations if violation.keyword != "pattern"]


def ignores_repeated_items(violations: list[Any], arguments: Arguments) -> list[Any]:
    return [violation for violation in violations if violation.keyword != "uniqueItems"]


def ignores_the_number_of_items(violations: list[Any], arguments: Arguments) -> list[Any]:
    return [violation for violation in violations if violation.keyword != "maxItems"]


BLIND = [
    ignores_required,
    ignores_nested_required,
    ignores_bounds,
    ignores_lengths,
    ignores_enums,
    ignores_patterns,
    ignores_repeated_items,
    ignores_the_number_of_items,
    ignores_what_is_nested,
    ignores_types,
]


@pytest.mark.parametrize(
    "blind",
    BLIND,
    ids=lambda blind: blind.__name__,
)
def test_a_dispatch_that_checks_less_is_caught(blind: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    sound = Checker.check

    def check(self: Any, arguments: Arguments) -> Any:
        meant, violations = sound(self, arguments)
        return meant, blind(violations, arguments)

    monkeypatch.setattr(Checker, "check", check)
    assert not Prover(OPERATIONS).prove(merged()).holds


def fills_in_defaults(result: Resolution) -> Resolution:
    return replace(result, arguments={"owner": "me", **result.arguments})


def drops_falsy_values(result: Resolution) -> Resolution:
    return replace(result, arguments={key: value for key, value in result.arguments.items() if value or value == 0})


def drops_empty_lists(result: Resolution) -> Resolution:
    return replace(result, arguments={key: value for key, value in result.arguments.items() if value != []})


def turns_numbers_into_text(result: Resolution) -> Resolution:
    arguments = {key: str(value) if isinstance(value, int) else value for key, value in result.arguments.items()}
    return replace(result, arguments=arguments)


def on_all(change: Callable[[Any], Any]) -> Callable[[Resolution], Resolution]:
    def fault(result: Resolution) -> Resolution:
        return replace(result, arguments={key: change(value) for key, value in result.arguments.items()})

    return fault


def drops_nulls(result: Resolution) -> Resolution:
    return replace(result, arguments={key: value for key, value in result.arguments.items() if value is not None})


strips_text = on_all(lambda value: value.strip() if isinstance(value, str) else value)
lowers_text = on_all(lambda value: value.lower() if isinstance(value, str) else value)
cuts_text = on_all(lambda value: value[:20] if isinstance(value, str) else value)
sorts_lists = on_all(lambda value: sorted(value, key=str) if isinstance(value, list) else value)
cuts_lists = on_all(lambda value: value[:1] if isinstance(value, list) else value)
empties_objects = on_all(lambda value: {} if isinstance(value, dict) else value)


def goes_to_the_first_operation(result: Resolution) -> Resolution:
    return replace(result, operation="s:create")


CHANGES = {
    "fills in defaults": fills_in_defaults,
    "drops falsy values": drops_falsy_values,
    "drops empty lists": drops_empty_lists,
    "drops nulls": drops_nulls,
    "turns numbers into text": turns_numbers_into_text,
    "strips text": strips_text,
    "lowers text": lowers_text,
    "cuts text": cuts_text,
    "sorts lists": sorts_lists,
    "cuts lists": cuts_lists,
    "empties objects": empties_objects,
    "goes to the first operation": goes_to_the_first_operation,
}


@pytest.mark.parametrize(
    "fault",
    CHANGES.values(),
    ids=CHANGES,
)
def test_a_dispatch_that_changes_calls_is_caught(
    fault: Callable[[Resolution], Resolution], monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = Dispatcher.resolve_tool

    def resolve_tool(self: Dispatcher, *args: Any, **options: Any) -> Resolution | Refusal:
        result = sound(self, *args, **options)
        return fault(result) if isinstance(result, Resolution) else result

    monkeypatch.setattr(Dispatcher, "resolve_tool", resolve_tool)
    assert not Prover(OPERATIONS).prove(merged()).holds


def test_a_dispatch_that_takes_another_actions_parameter_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    from toolc import dispatch

    sound = Dispatcher.resolve_tool

    def resolve_tool(self: Dispatcher, tool: Tool, arguments: Arguments, **options: Any) -> Resolution | Refusal:
        case = next((c for c in tool.dispatch.cases if c.when.items() <= arguments.items()), None)
        if case is None:
            return sound(self, tool, arguments, **options)
        own = dispatch._Route(tool, self.checker).names[case.operation]
        kept = {key: value for key, value in arguments.items() if key in own or key in tool.dispatch.select}
        return sound(self, tool, kept, **options)

    monkeypatch.setattr(Dispatcher, "resolve_tool", resolve_tool)
    assert not Prover(OPERATIONS).prove(merged()).holds


def reads_numbers_from_text(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value.isdecimal() else value


def reads_json_from_text(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) and value[:1] in "[{" and value else value


def takes_one_for_a_list(value: Any) -> Any:
    return [value] if isinstance(value, dict) and "name" in value else value


def takes_the_only_item(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 and isinstance(value[0], int) else value


@pytest.mark.parametrize(
    "kind",
    [reads_numbers_from_text, reads_json_from_text, takes_one_for_a_list, takes_the_only_item],
    ids=lambda kind: kind.__name__,
)
def test_a_dispatch_that_takes_what_is_not_meant_is_caught(
    kind: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = Checker.check

    def check(self: Any, arguments: Arguments) -> Any:
        return sound(self, {key: kind(value) for key, value in arguments.items()})

    monkeypatch.setattr(Checker, "check", check)
    assert not Prover(OPERATIONS).prove(merged()).holds


def test_a_dispatch_that_goes_on_without_an_action_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = Dispatcher.resolve_tool

    def resolve_tool(self: Dispatcher, tool: Tool, arguments: Arguments, **options: Any) -> Resolution | Refusal:
        known = {case.when["action"] for case in tool.dispatch.cases}
        action = arguments.get("action") if arguments.get("action") in known else "create"
        return sound(self, tool, {"title": "t", **arguments, "action": action}, **options)

    monkeypatch.setattr(Dispatcher, "resolve_tool", resolve_tool)
    assert not Prover(OPERATIONS).prove(merged()).holds


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "null"),
        (True, "true"),
        ({"a": [1.5, "é"]}, '{"a": [1.5, "é"]}'),
        ("creat", "`creat`"),
        (b"x", "\"b'x'\""),
    ],
)
def test_a_refused_value_is_said_as_json_has_it(value: Any, said: str) -> None:
    refused = Dispatcher([merged()], OPERATIONS).resolve("doc_write", {"action": value})
    assert isinstance(refused, Refusal)
    assert refused.message.startswith(f"doc_write: `action` cannot be {said}.")
