"""Checks what the OpenAPI reader made of a description, by reading the description again with code of its own.

Nothing here uses the front end: it follows references, lists parameters and walks bodies itself, and compares with the
operations by method, path, place and wire name. `complaints` is empty when nothing was lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import HttpCall, Operation
from toolc.schema.validator import invalid_because

KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
VERBS = {"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}
COMBINATORS = ("anyOf", "oneOf", "allOf", "$ref", "not", "if")
DEPTH = 5
Path = tuple[str, ...]


def complaints(spec: Any, operations: Iterable[Operation], diagnostics: Iterable[Diagnostic] = ()) -> list[str]:
    """Everything that is in the description and neither in an operation nor in a diagnostic, and every broken rule."""
    found: list[str] = []
    operations = list(operations)
    lost = " ".join(d.message for d in diagnostics if d.severity is Severity.error)
    by_place = {(op.call.method.lower(), op.call.path): op for op in operations if isinstance(op.call, HttpCall)}
    found += [f"{name}: used for two operations" for name in _twice(op.id for op in operations)]
    for method, path, item, raw in endpoints(spec):
        operation = by_place.pop((method.lower(), path), None)
        label = f"{method} {path}"
        if operation is None:
            if str(raw.get("operationId", label)) not in lost:
                found.append(f"{label}: no operation and no error")
            continue
        found += [f"{label}: {text}" for text in _form(operation)]
        found += [f"{label}: {text}" for text in _inputs(spec, item, raw, operation)]
    return found + [f"{method} {path}: is not in the description" for method, path in by_place]


def endpoints(spec: Any) -> Iterator[tuple[str, str, Any, Any]]:
    """(method, path, path item, operation) of all that can be called."""
    for path, raw_item in (spec.get("paths") or {}).items():
        if path.startswith("x-"):
            continue
        item = deref(spec, raw_item)
        merged = {**item, **{key: value for key, value in raw_item.items() if key != "$ref"}}
        if item is not raw_item:
            merged["parameters"] = [*item.get("parameters", ()), *raw_item.get("parameters", ())]
        for method, raw in {**merged, **merged.get("additionalOperations", {})}.items():
            if method in VERBS or method in merged.get("additionalOperations", {}):
                yield method, path, merged, raw


def deref(spec: Any, node: Any) -> Any:
    """What a node with a local `$ref` stands for."""
    for _ in range(50):
        if not (isinstance(node, dict) and isinstance(node.get("$ref"), str) and node["$ref"].startswith("#")):
            return node
        value: Any = spec
        for token in unquote(node["$ref"][1:]).split("/")[1:]:
            key = token.replace("~1", "/").replace("~0", "~")
            value = deref(spec, value)
            value = value[int(key)] if isinstance(value, list) else value[key]
        node = value
    raise AssertionError(f"endless reference {node}")


def _form(operation: Operation) -> Iterator[str]:
    """What holds for every input, whatever the description says."""
    schema = operation.input
    if schema.get("type") != "object" or not isinstance(schema.get("properties"), dict):
        yield "the input is no plain object"
    yield from (f"{keyword} at the root" for keyword in COMBINATORS if keyword in schema)
    yield from (f"illegal key {key!r}" for key in schema.get("properties", {}) if not KEY.fullmatch(key))
    yield from (
        f"dangling {ref}" for ref in set(_refs(schema)) - {f"#/$defs/{name}" for name in schema.get("$defs", {})}
    )
    reachable = set(_refs({key: value for key, value in schema.items() if key != "$defs"}))
    queue = list(reachable)
    while queue:
        definition = schema.get("$defs", {}).get(queue.pop().removeprefix("#/$defs/"), {})
        queue += (new := set(_refs(definition)) - reachable)
        reachable |= new
    yield from (f"dead definition {name}" for name in schema.get("$defs", {}) if f"#/$defs/{name}" not in reachable)
    if reason := invalid_because(schema):
        yield f"invalid schema: {reason}"
    if isinstance(operation.call, HttpCall) and set(operation.call.inputs) != set(schema.get("properties", {})):
        yield f"inputs and properties differ: {set(operation.call.inputs) ^ set(schema.get('properties', {}))}"


def _refs(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        mapping = (
            node.get("discriminator", {}).get("mapping", {}) if isinstance(node.get("discriminator"), dict) else {}
        )
        if "propertyName" in node.get("discriminator", ()):
            yield from mapping.values()
        for key, value in node.items():
            if key not in ("enum", "const", "default", "example", "examples", "discriminator") or _is_map(node, key):
                yield from _refs(value)
    elif isinstance(node, list):
        for value in node:
            yield from _refs(value)


def _is_map(node: Any, key: str) -> bool:
    """Whether this is a mapping of properties, in which a property may have the name of a keyword."""
    return isinstance(node[key], dict) and ("type" in node[key] or "$ref" in node[key]) and key != "default"


def _twice(values: Iterable[str]) -> list[str]:
    seen: set[str] = set()
    return [value for value in values if value in seen or seen.add(value)]  # type: ignore[func-returns-value]


def _inputs(spec: Any, item: Any, raw: Any, operation: Operation) -> Iterator[str]:
    call = operation.call
    assert isinstance(call, HttpCall)
    sent = {(b["in"], b.get("name", b.get("pointer"))): name for name, b in call.inputs.items()}
    required = set(operation.input.get("required", ()))
    parameters: dict[tuple[str, str], Any] = {}
    for entry in (*(item.get("parameters") or ()), *(raw.get("parameters") or ())):
        parameter = deref(spec, entry)
        parameters[parameter.get("in"), parameter.get("name")] = parameter
    filled = {
        (scheme.get("in"), scheme.get("name"))
        for alternative in call.security
        for scheme in alternative.values()
        if scheme.get("type") == "apiKey"
    }
    for (place, wire), parameter in parameters.items():
        if place in ("body", "formData") or (place, wire) in filled:
            continue
        if place == "header" and wire.lower() in ("accept", "content-type", "authorization"):
            continue
        name = sent.pop((place, wire), None)
        if name is None:
            yield f"the {place} parameter {wire} is lost"
            continue
        if (parameter.get("required") is True or place == "path") != (name in required):
            yield f"the {place} parameter {wire}: required differs"
        content = parameter.get("content") or {}
        meant = next(iter(content.values()))["schema"] if content else parameter.get("schema", parameter)
        yield from _compare(spec, meant, operation, operation.input["properties"][name], wire)
    yield from _body(spec, raw, parameters, operation, sent)


def _body(spec: Any, raw: Any, parameters: Any, operation: Operation, sent: dict[Any, str]) -> Iterator[str]:
    call = operation.call
    assert isinstance(call, HttpCall)
    fields = {pointer: name for (place, pointer), name in sent.items() if place == "body"}
    yield from (f"{key} is sent and not in the description" for key in sent if key[0] not in ("body", "path"))
    body = deref(spec, raw.get("requestBody") or {})
    schemas = {key: deref(spec, media).get("schema") for key, media in (body.get("content") or {}).items()}
    for (place, wire), parameter in parameters.items():
        if place == "body":
            schemas = {call.content_type: parameter["schema"]}
        elif place == "formData":
            form = schemas.setdefault(call.content_type, {"type": "object", "properties": {}})
            form["properties"][wire] = {key: value for key, value in parameter.items() if key != "required"}
    if not schemas:
        if fields:
            yield f"there is no body, yet {sorted(fields)} go into it"
        return
    chosen = schemas.get(call.content_type) if call.content_type in schemas else schemas.get("*/*")
    if call.content_type.split(";")[0] not in ("application/json", *(key.split(";")[0] for key in schemas)):
        yield f"the content type {call.content_type} is not offered"
    if not fields:
        yield "the body is lost"
    elif "" in fields:
        if "xml" not in call.content_type and "base64" not in str(call.inputs[fields[""]]):
            yield from _compare(spec, chosen, operation, operation.input["properties"][fields[""]], "body")
    else:
        root = {
            "type": "object",
            "properties": {
                pointer[1:].replace("~1", "/").replace("~0", "~"): operation.input["properties"][name]
                for pointer, name in fields.items()
            },
            "additionalProperties": operation.input.get("additionalProperties"),
        }
        yield from _compare(spec, chosen, operation, root, "body")


def _compare(spec: Any, meant: Any, operation: Operation, made: Any, label: str) -> Iterator[str]:
    """Fields, at every depth, that the description has and the input has not, or with other enum values."""
    local = {"$defs": operation.input.get("$defs", {})}
    want = dict(fields_of(spec, meant))
    have = dict(fields_of(local, made))
    for path, values in want.items():
        if path not in have:
            yield f"{label}: the field {'.'.join(path)} is lost"
        elif not values <= have[path]:
            yield f"{label}: {'.'.join(path)} lost the values {sorted(map(repr, values - have[path]))[:3]}"


def fields_of(root: Any, schema: Any) -> dict[Path, set[str]]:
    """Each field path of a schema that a request may hold, with its enum values, through every combinator."""
    found: dict[Path, set[str]] = {}
    _collect(root, schema, (), (), found)
    return found


def _collect(root: Any, schema: Any, path: Path, trail: tuple[int, ...], found: dict[Path, set[str]]) -> None:
    siblings = schema if isinstance(schema, dict) else {}
    schema = deref(root, schema)
    if not isinstance(schema, dict) or id(schema) in trail or len(path) > DEPTH:
        return
    trail = (*trail, id(schema))
    values = found.setdefault(path, set())
    if isinstance(schema.get("enum"), list):
        values |= {repr(value) for value in schema["enum"]}
    if "$ref" in siblings and len(siblings) > 1 and root.get("openapi", "3.1") >= "3.1" and "swagger" not in root:
        rest = {key: value for key, value in siblings.items() if key != "$ref"}
        _collect(root, rest, path, trail, found)
    for name, child in (schema.get("properties") or {}).items():
        if not _read_only(root, child):
            _collect(root, child, (*path, str(name)), trail, found)
    for keyword in ("allOf", "anyOf", "oneOf", "prefixItems"):
        for child in schema.get(keyword) or ():
            _collect(root, child, path, trail, found)
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            _collect(root, schema[keyword], (*path, f"<{keyword}>"), trail, found)


def _read_only(root: Any, schema: Any, depth: int = 0) -> bool:
    if not isinstance(schema, dict) or depth > 8:
        return False
    target = deref(root, schema)
    return any(
        isinstance(part, dict)
        and (part.get("readOnly") is True or any(_read_only(root, item, depth + 1) for item in part.get("allOf") or ()))
        for part in (schema, target)
    )
