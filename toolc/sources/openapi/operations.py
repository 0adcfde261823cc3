"""Operations: each endpoint of the paths with its inputs, call, hints and examples put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from toolc.ir import HttpCall, Operation, Schema
from toolc.sources.openapi import hints, names, responses, samples
from toolc.sources.openapi import security as secure
from toolc.sources.openapi.endpoints import METHODS, Endpoint, endpoints
from toolc.sources.openapi.findings import Findings, Problem
from toolc.sources.openapi.flags import settled
from toolc.sources.openapi.inputs import Body, Input
from toolc.sources.openapi.places import Place
from toolc.sources.openapi.references import References
from toolc.sources.openapi.request import Requests
from toolc.sources.openapi.schemas import Schemas
from toolc.sources.openapi.tracing import Tracer

EXTENSIONS = ("x-toolc", "x-mcp", "x-speakeasy-mcp")


class Reader:
    """Reads all operations of a description."""

    def __init__(
        self, source: str, references: References, findings: Findings, server: str, retrieved: str = ""
    ) -> None:
        self._source = source
        self._references = references
        self._findings = findings
        self._root = Place(references.root.data, references.root, "")
        self._schemas = Schemas(references, "readOnly")
        self._results = Schemas(references, "writeOnly")
        self._requests = Requests(self._schemas)
        self._security = secure.Security(references, findings)
        self._servers = secure.Servers(self._root, server, findings, retrieved)

    def operations(self) -> tuple[Operation, ...]:
        """All operations that can be called, in the order of the description."""
        entries = list(endpoints(self._references, self._findings))
        given = names.operation_names((entry.operation_id, entry.method, entry.path) for entry in entries)
        self._note_duplicates(entries, given)
        read = (self._guarded(endpoint, name) for endpoint, name in zip(entries, given, strict=True))
        return tuple(operation for operation in read if operation is not None)

    def _guarded(self, endpoint: Endpoint, name: str) -> Operation | None:
        try:
            return self._operation(endpoint, name)
        except RecursionError:
            text = "this operation is nested too deeply to be read"
            self._add(Problem("too-deep", text, endpoint.place.origin, "lost"), name, endpoint)
            return None

    def _note_duplicates(self, entries: Sequence[Endpoint], given: Sequence[str]) -> None:
        for endpoint, name in zip(entries, given, strict=True):
            if endpoint.operation_id and name != endpoint.operation_id:
                text = f"the operationId `{endpoint.operation_id}` is used more than once; this one is called `{name}`"
                self._add(
                    Problem(
                        "duplicate-operation-id",
                        text,
                        endpoint.place.at("operationId").origin,
                        "repaired",
                        "Give each operation an operationId of its own.",
                    ),
                    name,
                    endpoint,
                )

    def _add(self, problem: Problem, name: str, endpoint: Endpoint) -> None:
        self._findings.add(problem, f"{self._source}:{name}", endpoint.place.origin)

    def _operation(self, endpoint: Endpoint, name: str) -> Operation | None:
        if not isinstance(endpoint.place.value, dict):
            text = f"{endpoint.method} of `{endpoint.path}` is no mapping"
            self._add(Problem("invalid-operation", text, endpoint.place.origin, "lost"), name, endpoint)
            return None
        flagged: list[Problem] = []
        raw = settled(endpoint.place, flagged)
        extensions = {key: raw[key] for key in EXTENSIONS if key in raw}
        if _switched_off(extensions):
            text = f"`{name}` is switched off by {' and '.join(extensions)}"
            self._add(Problem("switched-off", text, endpoint.place.origin, "note"), name, endpoint)
            return None
        security = self._security.of(endpoint.place)
        request = self._requests.of(endpoint, secure.bound(security))
        if request.authorized and not security:
            security = secure.AUTHORIZATION
        inputs, body = request.inputs, request.body
        refs = frozenset[str]().union(*(item.refs for item in inputs))
        needed, inside = self._schemas.closure(refs)
        for problem in (*flagged, *request.problems, *inside, *responses.problems(self._references, endpoint.place)):
            self._add(problem, name, endpoint)
        if any(problem.weight == "lost" for problem in (*request.problems, *inside)):
            return None
        keys = names.argument_keys(tuple((item.place, item.wire) for item in inputs))
        schema = _input_schema(inputs, keys, body)
        examples, partial_examples = samples.calls(inputs, keys, body, schema.get("required", ()))
        if needed:
            schema["$defs"] = {definition: self._schemas.defs[definition] for definition in needed}
        method = endpoint.method.upper() if endpoint.method in METHODS else endpoint.method
        extra = _extra(endpoint, method, body)
        if pages := responses.pagination(self._results, endpoint.place, inputs, keys):
            extra["pagination"] = pages
        if partial_examples:
            extra["partial_examples"] = partial_examples
        pinned, description = _renamed(extensions)
        bindings = {key: item.binding for key, item in zip(keys, inputs, strict=True)}
        return Operation(
            id=f"{self._source}:{name}",
            name=name,
            description=description or _description(raw),
            input=schema,
            call=HttpCall(
                method=method,
                path=endpoint.path,
                server=self._servers.of(endpoint.place, endpoint.item),
                inputs=bindings,
                content_type=body.content_type if body is not None else "",
                body_required=body is not None and body.required,
                security=security,
                encoding=body.encoding if body is not None and body.encoding else {},
            ),
            origin=endpoint.place.origin,
            output=partial(responses.output, self._results, endpoint.place),
            places=Tracer(endpoint, bindings, self._schemas).find,
            examples=examples,
            hints=hints.declared(
                hints.infer(method, endpoint.operation_id, endpoint.path, _text(raw.get("summary"))), extensions
            ),
            tags=tuple(str(tag) for tag in raw["tags"]) if isinstance(raw.get("tags"), list) else (),
            deprecated=raw.get("deprecated") is True,
            pinned_name=pinned,
            extra=extra,
        )


def _extra(endpoint: Endpoint, method: str, body: Body | None) -> dict[str, Any]:
    """What else the source says."""
    extra: dict[str, Any] = {
        "method": method,
        "path": endpoint.path,
        "operation_id": endpoint.operation_id,
        "summary": _text(endpoint.place.value.get("summary")),
    }
    if body is not None and body.description:
        extra["body_description"] = body.description
    return extra


def _input_schema(inputs: Sequence[Input], keys: Sequence[str], body: Body | None) -> Schema:
    """The plain object that holds all inputs."""
    schema: Schema = {
        "type": "object",
        "properties": {key: item.schema for key, item in zip(keys, inputs, strict=True)},
    }
    required = [key for key, item in zip(keys, inputs, strict=True) if item.required]
    if required:
        schema["required"] = required
    if body is not None and body.keywords:
        fields = {item.wire: key for key, item in zip(keys, inputs, strict=True) if item.place == "body"}
        for keyword, value in body.keywords.items():
            if keyword == "dependentRequired":
                value = {fields.get(k, k): [fields.get(v, v) for v in names] for k, names in value.items()}
            schema[keyword] = value
    return schema


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _description(raw: Mapping[str, Any]) -> str:
    """Summary, blank line, description; one of them where it contains the other."""
    summary, description = _text(raw.get("summary")), _text(raw.get("description"))
    bare = summary.rstrip(".").lower()
    if not summary or bare in description.lower():
        return description
    return summary if not description or description.rstrip(".").lower() in bare else f"{summary}\n\n{description}"


def _switched_off(extensions: Mapping[str, Any]) -> bool:
    for extension in extensions.values():
        if extension is False:
            return True
        if isinstance(extension, dict) and (
            extension.get("enabled") is False
            or any(extension.get(key) is True for key in ("disabled", "ignore", "hidden", "exclude"))
        ):
            return True
    return False


def _renamed(extensions: Mapping[str, Any]) -> tuple[str, str]:
    """The tool name and description that an extension gives; the first to give one stands."""
    mappings = [extension for extension in extensions.values() if isinstance(extension, dict)]
    name = next((_text(mapping["name"]) for mapping in mappings if _text(mapping.get("name"))), "")
    return name, next((_text(mapping["description"]) for mapping in mappings if _text(mapping.get("description"))), "")
