"""Tools of databases: two a table where there are few, three for the whole database where there are many.

Columns are most of what a database costs. Up to `MOST_TABLES` tables their columns are shown: `<table>_read` and
`<table>_write`. Beyond, `<db>_schema` tells them when asked, and `<db>_read` and `<db>_write` take any: dispatch
refuses exactly what the operation of that table and action does not take. (Measured: pairs save a fifth of one tool per
operation, three tools 93 to 99.9 %.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolc import hints
from toolc.config import Config
from toolc.ir import Case, Catalog, Dispatch, Effect, Hint, Hints, Operation, Origin, Schema, Source, SqlCall, Tool
from toolc.lexicon import words
from toolc.lock import Lock
from toolc.passes.context import Context
from toolc.passes.pools import Bucket
from toolc.wording import listed, plural, sentence

MOST_TABLES = 15
MOST_ENUM = 50
ACTIONS = ("get", "list", "count", "create", "update", "delete")
SCHEMA_ACTIONS = ("list_tables", "describe")
BY_TABLE = ("action", "table")

_TEXT: Schema = {"type": "string"}
_OBJECT: Schema = {"type": "object"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_READ, _NOT = (Hint(value, "inferred", "told by the bundle itself") for value in (True, False))
_TOLD = Hints(read_only=_READ, destructive=_NOT, idempotent=_READ, open_world=_NOT)
_CONDITION = "{col, op, value}, op: = != < <= > >= like in"


@dataclass(frozen=True, slots=True)
class Made:
    """A tool of several operations; nouns and suffix: what its name is made of."""

    tool: Tool
    nouns: tuple[str, ...]
    suffix: str


def settled(catalog: Catalog, config: Config, lock: Lock) -> Catalog:
    """The catalog with operations on the schema of those databases that take the database-wide form.

    Elsewhere the tools show their columns themselves. A profile hears of its own tables only.
    """
    added: dict[str, Operation] = {}
    for source, own in _by_source(catalog):
        if config.consolidate.enabled and is_wide(source, len(set(map(_table, own))), lock, own):
            added |= on_schema(source.name, own)
    return replace(catalog, operations=dict(sorted({**catalog.operations, **added}.items()))) if added else catalog


def selectable(catalog: Catalog) -> Catalog:
    """The catalog with the operations on the schema of every database, for lists in the config that name them."""
    added: dict[str, Operation] = {}
    for source, own in _by_source(catalog):
        added |= on_schema(source.name, own)
    return replace(catalog, operations={**catalog.operations, **added})


def _by_source(catalog: Catalog) -> Iterator[tuple[Source, list[Operation]]]:
    """The operations on tables of each database."""
    for source in catalog.sources:
        found = [op for op in catalog.operations.values() if op.source == source.name and _table(op)]
        if source.type == "database" and found:
            yield source, found


def on_schema(source: str, operations: Sequence[Operation]) -> dict[str, Operation]:
    """The two operations that tell of the tables, by id; they are answered without the database."""
    tables = {_table(operation): operation for operation in sorted(operations, key=lambda op: op.extra["rank"])}
    origin, dialect = operations[0].origin, _sql(operations[0]).dialect
    names: Schema = {"type": "array", "minItems": 1, "items": {"type": "string", "enum": list(tables)}}
    search: Schema = {"type": "string", "description": "Part of a table's name or comment"}
    made = {}
    for action, text, told, properties in (
        ("list_tables", "List the tables.", "comment", {"search": search}),
        ("describe", "Describe tables: columns, types, keys.", "described", {"tables": names}),
    ):
        required = {"required": ["tables"]} if action == "describe" else {}
        schema: Schema = {"type": "object", "properties": properties, **required, "additionalProperties": False}
        call = SqlCall("", action, dialect=dialect, texts={name: op.extra[told] for name, op in tables.items()})
        key = f"{source}:{action}"
        made[key] = Operation(key, action, text, schema, call, Origin(origin.source), hints=_TOLD)
    return made


def is_wide(source: Source, tables: int, lock: Lock, operations: Sequence[Operation]) -> bool:
    """Whether the source takes the database-wide form: as the config says, else as the lock has it, else by size."""
    if source.form != "auto":
        return source.form == "database"
    pins = (lock.operations.get(operation.id) for operation in operations)
    fixed = [pin for pin in pins if pin is not None and pin.select]
    return any(pin.select == " ".join(BY_TABLE) for pin in fixed) if fixed else tables > MOST_TABLES


def make(
    source: Source,
    operations: Sequence[Operation],
    singles: Mapping[str, Tool],
    buckets: Mapping[str, Bucket],
    label: Callable[[Effect], str],
    context: Context,
) -> Iterator[Made]:
    """The tools of a database's operations that pay and are proven; what is in none of them stays apart.

    label: the safety class of an effect; buckets: by operation id.
    """
    own = [operation for operation in operations if isinstance(operation.call, SqlCall)]
    tables = {_table(operation): None for operation in own if _table(operation)}
    wide = is_wide(source, len(tables), context.lock, own)
    pools: dict[tuple[str, Bucket, str], list[Operation]] = defaultdict(list)
    for operation in own:
        place = "" if wide and _table(operation) else _table(operation) or " schema"
        pools[(place, buckets[operation.id], label(operation.hints.effect))].append(operation)
    for (place, (_, group), suffix), members in pools.items():
        if len(members) < 2 and not _pinned(members, context.lock):
            continue
        if suffix == "destructive" and {_action(operation) for operation in members} == {"delete"}:
            suffix = "delete"
        if place == " schema":
            made = Made(_schema_tool(source, members), (source.name,), "schema")
        elif place:
            nouns = tuple(part for part in (_sql(members[0]).schema, place.rpartition(".")[2]) if part)
            made = Made(_table_tool(place, members, singles), nouns, suffix)
        else:
            made = Made(_wide_tool(source, members), (group, source.name) if group else (source.name,), suffix)
        if (made_tool := _worth(made, singles, context)) is not None:
            yield replace(made, tool=made_tool)


def _pinned(members: Sequence[Operation] | Sequence[str], lock: Lock) -> bool:
    """Whether the lock has them in a merged tool, which stays even where it no longer pays: callers know its name."""
    keys = [member if isinstance(member, str) else member.id for member in members]
    return all((pin := lock.operations.get(key)) is not None and bool(pin.select) for key in keys)


def _worth(made: Made, singles: Mapping[str, Tool], context: Context) -> Tool | None:
    """The tool, with the details of its operations, if it is proven and costs less than they do apart."""
    tool, ledger = made.tool, context.ledger
    name = "_".join((*made.nouns, made.suffix))
    tokens = context.counter.canonical(name, tool.description, tool.input_schema)
    alone = sum(ledger.text[operation] for operation in tool.operations)
    if tokens >= alone and not _pinned(tool.operations, context.lock):
        ledger.unmerged[name] = f"would cost {tokens} tokens, {alone} apart"
        return None
    proof = context.prover.prove(tool)
    if not proof.holds:
        ledger.unmerged[name] = f"not proven: {proof.problems[0]}"
        context.report.note(
            "unproven-family", f"{name} stays apart: {proof.problems[0]}", tool.origins[0], subject=name
        )
        return None
    details = [f"{case.operation}: {singles[case.operation].details}" for case in tool.dispatch.cases]
    kept = [text for text in details if not text.endswith(": ")]
    return replace(tool, details="\n\n".join(kept))


def _table(operation: Operation) -> str:
    """The table of an operation as tools name it; empty for one on the schema."""
    return str(operation.extra.get("table", ""))


def _action(operation: Operation) -> str:
    return _sql(operation).action


def _sql(operation: Operation) -> SqlCall:
    """The call of an operation of a database."""
    assert isinstance(operation.call, SqlCall)
    return operation.call


def _schema_tool(source: Source, members: Sequence[Operation]) -> Tool:
    properties: Schema = {
        "action": {"type": "string", "enum": list(SCHEMA_ACTIONS)},
        "tables": {**_TEXTS, "description": "Required: describe."},
        "search": {**_TEXT, "description": "list_tables."},
    }
    about = f" of {source.title}" if source.title else ""
    return _tool(f"Tables and columns{about}.", properties, ("action",), members)


def _wide_tool(source: Source, members: Sequence[Operation]) -> Tool:
    """A tool for the same actions on many tables; the tables are named where they are read, those most used first."""
    actions = [action for action in ACTIONS if any(_action(operation) == action for operation in members)]
    ranks = {_table(operation): operation.extra["rank"] for operation in members}
    tables = sorted(ranks, key=ranks.__getitem__)
    named = {"enum": tables} if len(tables) <= MOST_ENUM and "list" in actions else {}
    properties: Schema = {"action": {"type": "string", "enum": actions}, "table": {**_TEXT, **named}}
    properties |= _shared(actions, _WIDE)
    text = f"{listed(actions).capitalize()} rows. Columns: {source.name}_schema."
    return _tool(text, properties, BY_TABLE, members)


# The parameters of all tables, each with the actions that need it and those that take it.
_WIDE: dict[str, tuple[Schema, tuple[str, ...], tuple[str, ...]]] = {
    "key": (_OBJECT, ("get", "update", "delete"), ()),
    "values": (_OBJECT, ("create", "update"), ()),
    "where": ({"type": "array", "items": _OBJECT, "description": f"{_CONDITION}."}, (), ("list", "count")),
    "columns": (_TEXTS, (), ("get", "list")),
    "order_by": ({**_TEXTS, "description": "column [desc]."}, (), ("list",)),
    "limit": ({"type": "integer"}, (), ("list",)),
    "offset": ({"type": "integer"}, (), ("list",)),
}


def _shared(actions: Sequence[str], forms: Mapping[str, tuple[Schema, tuple[str, ...], tuple[str, ...]]]) -> Schema:
    """The parameters that these actions take, each saying which of them."""
    properties: Schema = {}
    for name, (schema, needing, taking) in forms.items():
        needed = [action for action in actions if action in needing]
        takers = [action for action in actions if action in (*needing, *taking)]
        if not takers:
            continue
        said = sentence(str(schema.get("description", "")))
        if name in ("limit", "offset"):  # they go with order_by, which says it
            properties[name] = schema
            continue
        if len(needed) < len(actions) and not said.startswith("Required: "):
            who = f"Required: {', '.join(needed)}." if needed else f"{', '.join(takers)}."
            said = f"{said} {who}".strip()
        properties[name] = {**schema, "description": said} if said else schema
    return properties


def _table_tool(table: str, members: Sequence[Operation], singles: Mapping[str, Tool]) -> Tool:
    """A tool for actions on one table; it shows each column once, and dispatch knows which action takes it."""
    inputs = {_action(operation): singles[operation.id].input_schema["properties"] for operation in members}
    actions = [action for action in ACTIONS if action in inputs]
    forms = {
        name: (_values(inputs) if name == "values" else schema, needing, taking)
        for name, (_, needing, taking) in _WIDE.items()
        if (schema := next((inputs[action][name] for action in actions if name in inputs[action]), None)) is not None
    }
    properties: Schema = {"action": {"type": "string", "enum": actions}, **_shared(actions, forms)}
    text = f"{listed(actions).capitalize()} {plural(' '.join(words(table.rpartition('.')[2])))}."
    comment = str(members[0].extra.get("comment", ""))
    return _tool(f"{text} {sentence(comment)}".strip(), properties, ("action",), members)


def _values(inputs: Mapping[str, Any]) -> Schema:
    """The columns of create and update together; which of them a new row needs is said in words."""
    created = inputs.get("create", {}).get("values", {})
    updated = inputs.get("update", {}).get("values", {})
    if not updated:
        return dict(created)
    required = created.get("required", [])
    need = {"description": f"Required: create ({', '.join(required)}), update."} if required else {}
    return {"type": "object", "properties": {**updated["properties"], **created.get("properties", {})}, **need}


def _tool(text: str, properties: Schema, select: tuple[str, ...], members: Sequence[Operation]) -> Tool:
    """A tool with these parameters; its members in the order of tables and actions."""
    order = {action: index for index, action in enumerate((*SCHEMA_ACTIONS, *ACTIONS))}
    members = sorted(members, key=lambda operation: (_table(operation), order[_action(operation)]))
    cases = []
    for operation in members:
        choice = {"action": _action(operation), "table": _table(operation)}
        cases.append(Case({name: choice[name] for name in select}, operation.id))
    always = set.intersection(*(set(operation.input.get("required", ())) for operation in members))
    required = [*select, *(name for name in properties if name in always)]
    return Tool(
        name="",
        description=text,
        input_schema={"type": "object", "properties": properties, "required": required},
        dispatch=Dispatch(select, tuple(cases)),
        origins=tuple(dict.fromkeys(origin for operation in members for origin in (operation.origin,))),
        hints=hints.join([operation.hints for operation in members]),
    )
