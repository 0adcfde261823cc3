"""The endpoints of a description: each method of each path, through path items kept elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from toolc.bind import did_you_mean
from toolc.sources.openapi.findings import Findings, Problem, dangling
from toolc.sources.openapi.places import Place
from toolc.sources.openapi.references import DanglingError, References

_MEMBERS = frozenset({"$ref", "summary", "description", "servers", "parameters", "additionalOperations"})
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")


@dataclass(frozen=True, slots=True, eq=False)
class Endpoint:
    """One method of one path.

    item: its path item. parameters: those of the path item, weakest first. operation_id: as written, `` without one.
    """

    path: str
    method: str
    place: Place
    item: Place
    parameters: tuple[Place, ...]
    operation_id: str


def endpoints(references: References, findings: Findings) -> Iterator[Endpoint]:
    """All endpoints, in the order of the description."""
    for path, place in Place(references.root.data, references.root, "").items("paths"):
        if path.startswith("x-"):
            continue
        written, path = path, path if path.startswith("/") or not path else f"/{path}"
        if written != path:  # put behind a host as it stands, it could name another one
            text = f"the path `{written}` has to begin with `/`; read as `{path}`"
            findings.add(Problem("invalid-operation", text, place.origin, "repaired"))
        yield from _of_item(references, findings, path, place)


def _of_item(references: References, findings: Findings, path: str, place: Place) -> Iterator[Endpoint]:
    """The endpoints of a path item; beside a `$ref` (3.1) its own members come first."""
    layers = [place]
    while isinstance(layers[-1].value, dict) and "$ref" in layers[-1].value:
        try:
            target = references.resolve(str(layers[-1].value["$ref"]), layers[-1].part)
            if any(target.value is layer.value for layer in layers):
                raise DanglingError("circular-ref", "this path refers to itself")
        except DanglingError as error:
            problem = dangling(error, layers[-1])
            findings.add(
                Problem(problem.rule, f"{problem.message}; left out: {path}", problem.origin, "lost", problem.help)
            )
            break
        layers.append(target)
    if not isinstance(layers[-1].value, dict):
        text = f"the path `{path}` holds no mapping of methods; left out"
        findings.add(Problem("invalid-operation", text, layers[-1].origin, "dropped"))
        return
    parameters = tuple(
        layer.at("parameters", index)
        for layer in reversed(layers)
        if isinstance(layer.value.get("parameters"), list)
        for index in range(len(layer.value["parameters"]))
    )
    seen: set[str] = set()
    for layer in layers:
        for method, operation in _methods(findings, layer):
            if method not in seen:
                seen.add(method)
                yield Endpoint(path, method, operation, layer, parameters, _operation_id(operation.value))


def _methods(findings: Findings, item: Place) -> Iterator[tuple[str, Place]]:
    for key in item.value:
        if key in METHODS:
            yield key, item.at(key)
        elif isinstance(key, str) and key.lower() in METHODS:
            text = f"the method `{key}` has to be written in small letters; read as {key.lower()}"
            findings.add(Problem("invalid-operation", text, item.at(key).origin, "repaired"))
            yield key.lower(), item.at(key)
        elif isinstance(item.value[key], dict) and not str(key).startswith("x-") and key not in _MEMBERS:
            text = f"`{key}` is no method, and is left out{did_you_mean(str(key), METHODS)}"
            findings.add(Problem("invalid-operation", text, item.at(key).origin, "dropped"))
    yield from item.items("additionalOperations")


def _operation_id(operation: object) -> str:
    given = operation.get("operationId") if isinstance(operation, dict) else None
    return str(given).strip() if isinstance(given, str | int | float) and not isinstance(given, bool) else ""
