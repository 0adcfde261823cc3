"""Security requirements and servers: what a call needs beside its arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin

from toolc.sources.openapi.findings import Findings, Problem
from toolc.sources.openapi.places import Place
from toolc.sources.openapi.references import DanglingError, References

Requirement = Mapping[str, Mapping[str, Any]]
# An operation that declares the header as a parameter, and no scheme, is authorized by it all the same.
AUTHORIZATION: tuple[Requirement, ...] = (
    {"Authorization": {"type": "apiKey", "in": "header", "name": "Authorization"}},
)
_KEPT = (
    "type",
    "in",
    "name",
    "scheme",
    "bearerFormat",
    "flow",
    "flows",
    "openIdConnectUrl",
    "authorizationUrl",
    "tokenUrl",
    "oauth2MetadataUrl",
    "deprecated",
)


class Security:
    """The security schemes of a description, and the requirements made of them."""

    def __init__(self, references: References, findings: Findings) -> None:
        self._findings = findings
        self._root = Place(references.root.data, references.root, "")
        self._schemes: dict[str, Mapping[str, Any]] = {}
        for place in (self._root.at("components").items("securitySchemes"), self._root.items("securityDefinitions")):
            for name, scheme in place:
                self._read(name, scheme, references)
        self._default = self._alternatives(self._root.at("security"))

    def of(self, operation: Place) -> tuple[Requirement, ...]:
        """The alternatives that one operation accepts; an empty one means: nothing needed."""
        if isinstance(operation.value, dict) and "security" in operation.value:
            return self._alternatives(operation.at("security"))
        return self._default

    def _read(self, name: str, place: Place, references: References) -> None:
        try:
            raw = references.follow(place).value
        except DanglingError as error:
            self._findings.add(Problem(error.rule, error.message, place.origin, "repaired", error.help))
            return
        if isinstance(raw, dict):
            scheme = {key: raw[key] for key in _KEPT if key in raw}
            if isinstance(flows := scheme.get("flows"), dict):
                scheme["flows"] = {key: _without_scopes(flow) for key, flow in flows.items()}
            if scheme.get("type") == "basic":  # Swagger 2.0
                scheme = {"type": "http", "scheme": "basic"}
            self._schemes[name] = scheme

    def _alternatives(self, place: Place) -> tuple[Requirement, ...]:
        if not isinstance(place.value, list):
            return ()
        found: list[Requirement] = []
        for index, alternative in enumerate(place.value):
            if not isinstance(alternative, dict):
                continue
            requirement: dict[str, Mapping[str, Any]] = {}
            for name, scopes in alternative.items():
                scheme = self._schemes.get(str(name))
                if scheme is None:
                    text = f"the security scheme `{name}` is not declared; the call is made without it"
                    self._findings.add(Problem("unknown-security", text, place.at(index).origin, "repaired"))
                    continue
                requirement[str(name)] = {**scheme, "required": scopes} if scopes else scheme
            found.append(requirement)
        return tuple(found)


def _without_scopes(flow: object) -> object:
    """A flow without the list of all scopes there are; each operation says which it needs."""
    return {key: value for key, value in flow.items() if key != "scopes"} if isinstance(flow, dict) else flow


def bound(requirements: tuple[Requirement, ...]) -> frozenset[tuple[str, str]]:
    """(place, name) of the parameters that the security schemes fill in."""
    return frozenset(
        (
            str(scheme.get("in")),
            str(scheme.get("name")).lower() if scheme.get("in") == "header" else str(scheme.get("name")),
        )
        for requirement in requirements
        for scheme in requirement.values()
        if scheme.get("type") == "apiKey"
    )


class Servers:
    """The base URL of each operation.

    given: what toolc.yaml says instead of the description's own. retrieved: where the description was fetched or says
    that it is, which its relative URLs are relative to (OpenAPI 3.1, 4.6; 3.2, `$self`).
    """

    def __init__(self, root: Place, given: str, findings: Findings, retrieved: str = "") -> None:
        self._findings = findings
        own = _swagger_2(root.value) if "swagger" in root.value else "" if given else self._first(root)
        if retrieved and "://" not in own:
            own = urljoin(retrieved, own or "/").rstrip("/")
        self._root = given or own

    def of(self, *places: Place) -> str:
        """The base URL: of the innermost place that names servers of its own, else of the description."""
        for place in places:
            if isinstance(place.value, dict) and (own := self._first(place)):
                return urljoin(self._root, own) if self._root and "://" not in own else own
        return self._root

    def _first(self, holder: Place) -> str:
        """The first server that a place names, its variables at their defaults; `` if it names none."""
        servers = holder.value.get("servers")
        if not isinstance(servers, list) or not servers or not isinstance(servers[0], dict):
            return ""
        url = str(servers[0].get("url", ""))
        variables = servers[0].get("variables")
        for name, variable in variables.items() if isinstance(variables, dict) else ():
            if isinstance(variable, dict) and "default" in variable:
                url = url.replace("{" + str(name) + "}", str(variable["default"]))
        if left := re.findall(r"\{[^{}]*\}", url):
            text = f"{', '.join(left)} of the server `{url}` has no default, so no call can be made as it stands"
            advice = "Give the variable a `default`, or set `server` of this source in toolc.yaml."
            self._findings.add(Problem("open-server", text, holder.at("servers", 0).origin, "repaired", advice))
        return "" if url == "/" else url.rstrip("/")


def _swagger_2(root: Mapping[str, Any]) -> str:
    schemes = root.get("schemes")
    offered = [str(scheme) for scheme in schemes] if isinstance(schemes, list) else []
    scheme = "https" if "https" in offered or not offered else offered[0]
    host = str(root.get("host") or "")
    path = str(root.get("basePath") or "").strip("/")
    path = f"/{path}" if path else ""
    return f"{scheme}://{host}{path}" if host else path
