"""The written form of a catalog, `toolc-bundle/1`: JSON-ready dicts out of the IR and back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from toolc.diagnostics import user_error
from toolc.ir import (
    Alias,
    Call,
    Case,
    Catalog,
    Dispatch,
    Example,
    Group,
    Hint,
    Hints,
    HttpCall,
    McpCall,
    Opaque,
    Operation,
    Origin,
    Schema,
    SqlCall,
    Tool,
)
from toolc.schema.validator import Validator, invalid_because

FORMAT = "toolc-bundle/1"
FILE_NAME = "bundle.json"
# What a server lists, apart, as it is wanted before the rest is read.
SERVED = "serve.json"
SERVED_FORMAT = "toolc-serve/1"
CALLS: dict[str, type[Call]] = {"http": HttpCall, "mcp": McpCall, "sql": SqlCall, "opaque": Opaque}

_VARIABLE = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)")
_TEXT = {"type": "string"}
_TEXTS = {"type": "object", "additionalProperties": _TEXT}
_INPUT = {
    "type": "object",
    "properties": {
        "properties": {"type": "object"},
        "required": {"type": "array", "items": _TEXT},
        "$defs": {"type": "object"},
    },
}
# What `decode`, dispatch and the commands rely on; unknown keys are left alone.
SHAPE: Schema = {
    "type": "object",
    "required": ["format", "operations", "tools"],
    "properties": {
        "format": {"const": FORMAT},
        "name": _TEXT,
        "connections": {"type": "object", "additionalProperties": {"type": "object"}},
        "groups": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "description", "tools"],
                "properties": {"name": _TEXT, "description": _TEXT, "tools": {"type": "array", "items": _TEXT}},
            },
        },
        "aliases": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "required": ["tool", "when"],
                "properties": {"tool": _TEXT, "when": _TEXTS},
            },
        },
        "operations": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "name", "input", "call"],
                "properties": {
                    "id": _TEXT,
                    "name": _TEXT,
                    "description": _TEXT,
                    "input": _INPUT,
                    "hints": {"type": "object"},
                    "origin": {"type": "object", "required": ["source", "pointer"]},
                    "call": {"type": "object", "required": ["kind"], "properties": {"kind": {"enum": [*CALLS]}}},
                },
            },
        },
        "tools": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "description", "input_schema", "dispatch"],
                "properties": {
                    "name": _TEXT,
                    "description": _TEXT,
                    "input_schema": _INPUT,
                    "details": _TEXT,
                    "group": _TEXT,
                    "tier": {"enum": ["always", "group", "deferred"]},
                    "dispatch": {
                        "type": "object",
                        "required": ["select", "cases"],
                        "properties": {
                            "select": {"type": "array", "items": _TEXT},
                            "cases": {
                                "type": "array",
                                "minItems": 1,
                                "items": {
                                    "type": "object",
                                    "required": ["when", "operation"],
                                    "properties": {"when": _TEXTS, "operation": _TEXT, "args": _TEXTS},
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}


def encode(catalog: Catalog) -> dict[str, Any]:
    """The connections, groups, aliases, operations and tools of `bundle.json`, sorted; the caller adds figures."""
    held = {operation.source for operation in catalog.operations.values()}
    return {
        "connections": {name: catalog.connections[name] for name in sorted(held & catalog.connections.keys())},
        "groups": [{"name": g.name, "description": g.description, "tools": list(g.tools)} for g in catalog.groups],
        "aliases": {
            name: {"tool": alias.tool, "when": dict(alias.when)} for name, alias in sorted(catalog.aliases.items())
        },
        "operations": [encode_operation(catalog.operations[key]) for key in sorted(catalog.operations)],
        "tools": [encode_tool(tool) for tool in sorted(catalog.tools, key=lambda tool: tool.name)],
    }


def variables(connections: Any, named: bool = False) -> Iterator[str]:
    """The environment variables that connections name: all of `auth`, each `{"env": NAME}`, each `${env:NAME}`."""
    if isinstance(connections, Mapping):
        for key, item in connections.items():
            yield from variables(item, named or key == "auth" or (key == "env" and isinstance(item, str)))
    elif isinstance(connections, list | tuple):
        for item in connections:
            yield from variables(item, named)
    elif isinstance(connections, str):
        yield from (connections,) if named else _VARIABLE.findall(connections)


def load(folder: Path) -> Catalog:
    """The catalog of a bundle folder; raises UserError for a folder that is none."""
    path = folder / FILE_NAME
    try:
        return read(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        message = f"{folder.as_posix()} holds no {FILE_NAME}"
        raise user_error("missing-file", message, help="run `toolc build` first") from None
    except (OSError, ValueError, RecursionError) as error:
        message = f"{path.as_posix()} is no bundle that can be read: {error}"
        raise user_error("invalid-bundle", message, help="build it again") from None


def read(data: Any) -> Catalog:
    """The catalog of a `bundle.json` of unknown origin; raises ValueError, saying what is wrong with it."""
    problems = Validator(SHAPE).violations(data)
    if problems:
        place = "/".join(map(str, problems[0].path))
        raise ValueError(f"{f'{place}: ' if place else ''}{problems[0].message[:200]}")
    for item in [*data["operations"], *data["tools"]]:
        schema = item["input"] if "input" in item else item["input_schema"]
        if reason := invalid_because(schema):
            raise ValueError(f"the schema of `{item.get('id') or item['name']}` is invalid: {reason[:200]}")
    try:
        catalog = decode(data)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"a part is missing or of a wrong type: {error}") from None
    names = {tool.name for tool in catalog.tools}
    for tool in catalog.tools:
        declared = tool.input_schema.get("properties", {})
        if any(not isinstance(declared.get(select), dict) for select in tool.dispatch.select):
            raise ValueError(f"`{tool.name}` does not declare its selectors")
        for case in tool.dispatch.cases:
            if case.operation not in catalog.operations:
                raise ValueError(f"`{tool.name}` leads to `{case.operation}`, which is not in the bundle")
            if set(case.when) != set(tool.dispatch.select):
                raise ValueError(f"a case of `{tool.name}` does not name its selectors")
    for name, alias in catalog.aliases.items():
        if alias.tool not in names:
            raise ValueError(f"alias `{name}` leads to `{alias.tool}`, which is not in the bundle")
    return catalog


def decode(data: Mapping[str, Any]) -> Catalog:
    """The catalog of data in the form of `encode`; raises KeyError or TypeError for what is none."""
    return Catalog(
        name=data.get("name", ""),
        operations={item["id"]: decode_operation(item) for item in data["operations"]},
        tools=tuple(decode_tool(item) for item in data["tools"]),
        groups=tuple(Group(g["name"], g["description"], tuple(g["tools"])) for g in data.get("groups", ())),
        aliases={name: Alias(item["tool"], item["when"]) for name, item in data.get("aliases", {}).items()},
        connections=data.get("connections", {}),
    )


def encode_operation(operation: Operation) -> dict[str, Any]:
    """One entry of `operations`."""
    return {
        "id": operation.id,
        "source": operation.source,
        "name": operation.name,
        "description": operation.description,
        "input": operation.input,
        "hints": encode_hints(operation.hints),
        "origin": _encode_origin(operation.origin),
        "call": _encode_call(operation.call),
    } | ({"deprecated": True} if operation.deprecated else {})


def decode_operation(item: Mapping[str, Any]) -> Operation:
    """The operation of one entry."""
    return Operation(
        id=item["id"],
        name=item["name"],
        description=item.get("description", ""),
        input=item["input"],
        call=_decode_call(item["call"]),
        origin=_decode_origin(item.get("origin")),
        hints=_decode_hints(item.get("hints", {})),
        deprecated=item.get("deprecated", False),
    )


def encode_tool(tool: Tool) -> dict[str, Any]:
    """One entry of `tools`."""
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.input_schema,
        "dispatch": {
            "select": list(tool.dispatch.select),
            "cases": [
                {"when": dict(case.when), "operation": case.operation}
                | ({"args": dict(case.args)} if case.args else {})
                for case in tool.dispatch.cases
            ],
        },
        "examples": [{"arguments": e.arguments, "provenance": e.provenance} for e in tool.examples],
        "hints": encode_hints(tool.hints),
        "tier": tool.tier,
        "group": tool.group,
        "origins": [_encode_origin(origin) for origin in tool.origins],
        "details": tool.details,
    }


def decode_tool(item: Mapping[str, Any]) -> Tool:
    """The tool of one entry."""
    dispatch = item["dispatch"]
    return Tool(
        name=item["name"],
        description=item["description"],
        input_schema=item["input_schema"],
        dispatch=Dispatch(
            tuple(dispatch["select"]),
            tuple(Case(case["when"], case["operation"], case.get("args", {})) for case in dispatch["cases"]),
        ),
        origins=tuple(_decode_origin(origin) for origin in item.get("origins", ())),
        examples=tuple(Example(e["arguments"], e["provenance"]) for e in item.get("examples", ())),
        hints=_decode_hints(item.get("hints", {})),
        group=item.get("group", ""),
        tier=item.get("tier", "deferred"),
        details=item.get("details", ""),
    )


def encode_hints(hints: Hints) -> dict[str, Any]:
    """The hints that are known, each with its basis and reason."""
    known = {field.name: getattr(hints, field.name) for field in fields(hints)}
    return {name: asdict(hint) for name, hint in known.items() if hint.value is not None}


def _decode_hints(item: Mapping[str, Any]) -> Hints:
    return Hints(**{name: Hint(**hint) for name, hint in item.items()})


def _encode_origin(origin: Origin) -> dict[str, Any]:
    return {"source": origin.source, "pointer": origin.pointer}


def _decode_origin(item: Mapping[str, Any] | None) -> Origin:
    return Origin(item["source"], item["pointer"]) if item else Origin("")


def _encode_call(call: Call) -> dict[str, Any]:
    """The call without the parts that say nothing, kind first."""
    values = {field.name: getattr(call, field.name) for field in fields(call)}
    kind = values.pop("kind")
    return {"kind": kind} | {
        name: list(value) if isinstance(value, tuple) else value for name, value in values.items() if value
    }


def _decode_call(item: Mapping[str, Any]) -> Call:
    kind = CALLS[item["kind"]]
    known = {field.name for field in fields(kind)} - {"kind"}
    values: dict[str, Any] = {
        name: tuple(tuple(part) if isinstance(part, list) else part for part in value)
        if isinstance(value, list)
        else value
        for name, value in item.items()
        if name in known
    }
    return kind(**values)
