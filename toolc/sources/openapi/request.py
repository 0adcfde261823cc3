"""All that a caller may give for one endpoint: its parameters and its body."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from toolc.sources.openapi import swagger2
from toolc.sources.openapi.body import Bodies
from toolc.sources.openapi.endpoints import Endpoint
from toolc.sources.openapi.findings import Problem
from toolc.sources.openapi.inputs import Body, Input
from toolc.sources.openapi.parameters import Parameters, referred
from toolc.sources.openapi.places import Place
from toolc.sources.openapi.schemas import Schemas

_ONE_BODY = "An operation has one `body` parameter or several of `formData`, never both."
_VARIABLE = re.compile(r"\{([^{}/?#]+)\}")


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """The inputs of one endpoint, those of the body last; authorized: it declares an Authorization header itself."""

    inputs: tuple[Input, ...]
    body: Body | None
    problems: tuple[Problem, ...]
    authorized: bool


class Requests:
    """Reads requests; parameters and bodies that several share are read once."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._parameters = Parameters(schemas)
        self._bodies = Bodies(schemas)
        self._swagger_2 = "swagger" in schemas.references.root.data

    def of(self, endpoint: Endpoint, bound: frozenset[tuple[str, str]]) -> Request:
        """All inputs of an endpoint: parameters in the order of the path item and operation, then the body.

        bound: (place, name) of the parameters that security schemes fill in.
        """
        problems: list[Problem] = []
        inputs: list[Input] = []
        forms: list[Place] = []
        declared: set[str] = set()
        authorized = False
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
            authorized = authorized or key == ("header", "authorization")
            item, found = self._parameters.read(place)
            problems += found
            if item is not None:
                inputs.append(item)
        inputs = self._match_path(endpoint, inputs, declared, problems)
        for place in swagger2.unsendable(forms):
            text = f"`{place.value.get('name')}` cannot be sent beside the body that another parameter gives"
            problems.append(Problem("invalid-parameter", text, place.origin, "dropped", _ONE_BODY))
        body_place = self._body_place(endpoint, forms)
        body = self._bodies.read(body_place, not inputs) if body_place is not None else None
        if isinstance(body, Problem):
            problems.append(body)
            body = None
        if body is not None:
            problems += body.problems
            inputs += body.inputs
        return Request(tuple(inputs), body, tuple(problems), authorized)

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
                    if swagger2.is_body(target):
                        forms[:] = [form for form in forms if not swagger2.same(form, target)]
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
        spread = {name.strip("+*"): name for name in variables if name != name.strip("+*")}
        inputs = [_spread(item, spread) for item in inputs]
        declared = {spread.get(name, name) if name not in variables else name for name in declared}
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
            if item.place == "path" and item.binding["name"] not in variables:
                text = f"the path `{endpoint.path}` has no `{{{item.wire}}}`, so this parameter cannot be sent"
                problems.append(Problem("invalid-parameter", text, endpoint.place.origin, "dropped"))
        return [item for item in inputs if item.place != "path" or item.binding["name"] in variables]

    def _body_place(self, endpoint: Endpoint, forms: Sequence[Place]) -> Place | None:
        if self._swagger_2:
            return swagger2.request_body(forms, endpoint.place, self._schemas.references.root.data)
        return endpoint.place.at("requestBody") if endpoint.place.value.get("requestBody") is not None else None


def _spread(item: Input, spread: Mapping[str, str]) -> Input:
    """The input with the variable as the path has it: `{+name}` and `{name*}` take several segments (RFC 6570)."""
    if item.place != "path" or item.wire not in spread:
        return item
    return replace(item, binding={**item.binding, "name": spread[item.wire], "allowReserved": True})
