"""Operations: each endpoint of the paths with its inputs, call, hints and examples put together."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from toolc.ir import HttpCall, Operation, Schema
from toolc.sources.openapi import hints, names, responses, samples, swagger2
from toolc.sources.openapi import security as secure
from toolc.sources.openapi.body import Bodies
from toolc.sources.openapi.endpoints import METHODS, Endpoint, endpoints
from toolc.sources.openapi.findings import Findings, Problem
from toolc.sources.openapi.inputs import Body, Input
from toolc.sources.openapi.parameters import Parameters, referred
from toolc.sources.openapi.places import Place, References
from toolc.sources.openapi.schemas import Schemas

EXTENSIONS = ("x-toolc", "x-mcp", "x-speakeasy-mcp")
_VARIABLE = re.compile(r"\{([^{}/?#]+)\}")


class Reader:
    """Reads all operations of a description."""

    def __init__(self, source: str, references: References, findings: Findings, server: str) -> None:
        self._source = source
        self._references = references
        self._findings = findings
        self._root = Place(references.root.data, references.root, "")
        self._schemas = Schemas(references, "request")
        self._results = Schemas(references, "response")
        self._parameters = Parameters(self._schemas)
        self._bodies = Bodies(self._schemas)
        self._security = secure.Security(references, findings)
        self._servers = secure.Servers(self._root, server)
        self._swagger_2 = "swagger" in references.root.data

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
        raw = endpoint.place.value
        if not isinstance(raw, dict):
            text = f"{endpoint.method} of `{endpoint.path}` is no mapping"
            self._add(Problem("invalid-operation", text, endpoint.place.origin, "lost"), name, endpoint)
            return None
        extensions = {key: raw[key] for key in EXTENSIONS if key in raw}
        if _switched_off(extensions):
            text = f"`{name}` is switched off by {' and '.join(extensions)}"
            self._add(Problem("switched-off", text, endpoint.place.origin, "note"), name, endpoint)
            return None
        security = self._security.of(endpoint.place)
        inputs, body, problems = self._inputs(endpoint, secure.bound(security))
        refs = frozenset().union(*(item.refs for item in inputs)) if inputs else frozenset()
        needed, inside = self._schemas.closure(refs)
        problems += inside
        for problem in problems:
            self._add(problem, name, endpoint)
        if any(problem.weight == "lost" for problem in problems):
            return None
        keys = names.argument_keys(tuple((item.place, item.wire) for item in inputs))
        schema = _input_schema(inputs, keys, body)
        examples, partial_examples = samples.calls(inputs, keys, body, schema.get("required", ()))
        if needed:
            schema["$defs"] = {definition: self._schemas.defs[definition] for definition in needed}
        method = endpoint.method.upper() if endpoint.method in METHODS else endpoint.method
        extra: dict[str, Any] = {
            "method": method,
            "path": endpoint.path,
            "operation_id": endpoint.operation_id,
            "summary": _text(raw.get("summary")),
        }
        if body is not None:
            extra["body_required"] = body.required
            if body.description:
                extra["body_description"] = body.description
        if pages := responses.pagination(self._results, endpoint.place, inputs, keys):
            extra["pagination"] = pages
        if partial_examples:
            extra["partial_examples"] = partial_examples
        pinned, description = _renamed(extensions)
        return Operation(
            id=f"{self._source}:{name}",
            name=name,
            description=description or _description(raw),
            input=schema,
            call=HttpCall(
                method=method,
                path=endpoint.path,
                server=self._servers.of(endpoint.place, endpoint.item),
                inputs={key: item.binding for key, item in zip(keys, inputs, strict=True)},
                content_type=body.content_type if body is not None else "",
                security=security,
                encoding=body.encoding if body is not None and body.encoding else {},
            ),
            origin=endpoint.place.origin,
            output=partial(responses.output, self._results, endpoint.place),
            examples=examples,
            hints=hints.declared(
                hints.infer(method, endpoint.operation_id, endpoint.path, _text(raw.get("summary"))), extensions
            ),
            tags=tuple(str(tag) for tag in raw["tags"]) if isinstance(raw.get("tags"), list) else (),
            deprecated=raw.get("deprecated") is True,
            pinned_name=pinned,
            extra=extra,
        )

    def _inputs(
        self, endpoint: Endpoint, bound: frozenset[tuple[str, str]]
    ) -> tuple[list[Input], Body | None, list[Problem]]:
        """All inputs of an endpoint: parameters in the order of the path item and operation, then the body."""
        problems: list[Problem] = []
        inputs: list[Input] = []
        forms: list[Place] = []
        declared: set[str] = set()
        for place in self._listed(endpoint, problems, forms):
            key = self._parameters.key(place)
            if isinstance(key, Problem):
                problems.append(key)
                continue
            if key[0] == "path":
                declared.add(key[1])
            if key in bound:
                text = f"`{key[1]}` is filled in by a security scheme and not shown to the model"
                problems.append(Problem("bound-parameter", text, place.origin, "note"))
                continue
            item, found = self._parameters.read(place)
            problems += found
            if item is not None:
                inputs.append(item)
        inputs = self._match_path(endpoint, inputs, declared, problems)
        body_place = self._body_place(endpoint, forms)
        body = self._bodies.read(body_place, not inputs) if body_place is not None else None
        if isinstance(body, Problem):
            problems.append(body)
            return inputs, None, problems
        if body is not None:
            problems += body.problems
            inputs += body.inputs
        return inputs, body, problems

    def _listed(self, endpoint: Endpoint, problems: list[Problem], forms: list[Place]) -> list[Place]:
        """The parameters that hold for an endpoint: its own override those of the path item, by name and place."""
        own = endpoint.place.value.get("parameters")
        count = len(own) if isinstance(own, list) else 0
        if own is not None and not isinstance(own, list):
            text = "`parameters` has to be a list"
            problems.append(Problem("invalid-parameter", text, endpoint.place.at("parameters").origin, "lost"))
        own_places = tuple(endpoint.place.at("parameters", index) for index in range(count))
        chosen: dict[object, Place] = {}
        for layer in (endpoint.parameters, own_places):
            seen: set[object] = set()
            for place in layer:
                target = referred(place, self._schemas)
                if isinstance(target, Problem):
                    problems.append(target)
                    continue
                if self._swagger_2:
                    target = swagger2.parameter(target)
                    if isinstance(target.value, dict) and target.value.get("in") in swagger2.BODIES:
                        forms[:] = [form for form in forms if form.value.get("name") != target.value.get("name")]
                        forms.append(target)
                        continue
                key = self._parameters.key(target)
                if key in seen:
                    text = f"the parameter `{target.value['name']}` stands twice in one list; the first is used"
                    problems.append(Problem("invalid-parameter", text, place.origin, "repaired"))
                    continue
                seen.add(key)
                chosen[key] = target
        return list(chosen.values())

    def _match_path(
        self, endpoint: Endpoint, inputs: list[Input], declared: set[str], problems: list[Problem]
    ) -> list[Input]:
        """The inputs with a string for each variable of the path that no parameter declares."""
        variables = list(dict.fromkeys(_VARIABLE.findall(endpoint.path)))
        for name in variables:
            if name not in declared:
                problems.append(
                    Problem(
                        "missing-path-parameter",
                        f"no parameter declares `{{{name}}}` of the path `{endpoint.path}`; read as a required string",
                        endpoint.place.origin,
                        "repaired",
                        f"Add `{{name: {name}, in: path, required: true, schema: …}}` to its parameters.",
                    )
                )
                inputs.append(Input("path", name, {"type": "string"}, True, {"in": "path", "name": name}))
        for item in inputs:
            if item.place == "path" and item.wire not in variables:
                text = f"the path `{endpoint.path}` has no `{{{item.wire}}}`, so this parameter cannot be sent"
                problems.append(Problem("invalid-parameter", text, endpoint.place.origin, "dropped"))
        return [item for item in inputs if item.place != "path" or item.wire in variables]

    def _body_place(self, endpoint: Endpoint, forms: Sequence[Place]) -> Place | None:
        if self._swagger_2:
            return swagger2.request_body(forms, endpoint.place, self._references.root.data)
        return endpoint.place.at("requestBody") if endpoint.place.value.get("requestBody") is not None else None


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
