"""Requests as openapi-core reads them: it accepts each, and takes the arguments out of it again.

openapi-core knows nothing of toolc: it finds the operation by method and URL, takes the request apart, checks every
value against the description and hands out what it found, which has to be what was given. Swagger 2.0, which it does
not read, comes to it in 3.0 (swagger2.py). Formats are asserted here, though our own validator takes them as
annotations: calls whose texts fail a format are left out.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial, reduce
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import jsonschema
import pytest
import swagger2

from toolc.diagnostics import Report
from toolc.ir import HttpCall, Operation
from toolc.runtime import payload
from toolc.runtime.request import Request, RequestError, build
from toolc.schema.generate import Generator
from toolc.sources import Context, openapi

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
HOST = "https://api.example.com"
CALLS = 12  # tried for each operation
MOST = 50  # operations of one description; of more, a sample
RFC_6570 = {"label": ".", "matrix": ";"}

# What openapi-core 0.23 cannot read, by its innermost complaint.
LIMITATIONS = {
    r"EmptyQueryParameterValue": "it refuses an empty query value, which OpenAPI allows for a string",
    r"MissingRequiredRequestBody": "it takes a text of no characters for no body",
    r"InvalidSchemaValue: .*None is not one of \[": "it wants null in an enum that OpenAPI 3.0's `nullable` opens",
    r"InvalidSchemaValue: .*reference '(#/components/schemas/[^'/]*|models/[^']*)' could not be resolved": (
        "it follows any value of a discriminator as a reference, and the description has no such schema"
    ),
    r"ValueError: not an object format": "it reads no list of objects from a query, for which OpenAPI gives no form",
    r"InvalidSchemaValue: .*does not contain discriminating property": "it takes an empty discriminator for none",
    r"AttributeError: 'list' object has no attribute 'items'": "it cannot read a tuple written as a list of `items`",
}
# Refusals of ours: arguments that no safe request can be made of.
REFUSED = ("stands in the path and cannot", "is sent as a header: it cannot", "is sent as a cookie: it cannot")
REFUSED += ("an empty one is not sent",)
# Operations that openapi-core cannot read at all.
UNREADABLE = {
    **dict.fromkeys(
        ("sshKeys_get", "sshKeys_delete", "sshKeys_update"),
        "it refuses a parameter whose schema is, by reference, that of a read-only property",
    ),
    "createAttachmentForObject": "it leaves the form fields of a composed schema as text",
    "post_oauth2_revoke": "it drops a form field that is required but not described",
}


@dataclass(frozen=True)
class Description:
    """A description as openapi-core takes it, and the operations that toolc reads from it.

    unsaid: inputs that its version cannot express, as `METHOD path name`. text: the description as JSON.
    """

    spec: Any
    operations: tuple[Operation, ...]
    unsaid: frozenset[str]
    address: str
    text: str


@cache
def read(path: Path) -> Description:
    context = Context("api", path.parent, path.parent, Report())
    spec: Any = without_defaults(context.document(path.name).data)
    operations = openapi.read(openapi.Options(path.name, server=HOST), context).operations
    unsaid: set[str] = set()
    if "swagger" in spec:
        spec, unsaid = swagger2.converted(spec)
    return Description(spec, operations, frozenset(unsaid), path.as_uri(), json.dumps(spec))


def without_defaults(value: Any, names: bool = False) -> Any:
    """openapi-core would put defaults into what it reads, also those of properties that only responses have."""
    if isinstance(value, list):
        return [without_defaults(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: without_defaults(item, key in ("properties", "responses", "variables"))
        for key, item in value.items()
        if names or key != "default"
    }


def descriptions() -> list[Path]:
    own = [*sorted((ROOT / "tests/fixtures/openapi").rglob("*api.yaml")), ROOT / "catalogs/shop-api/openapi.yaml"]
    if not SHARED.is_dir():
        return own
    return own + sorted((SHARED / "cases/openapi").iterdir()) + sorted((SHARED / "corpus/openapi").iterdir())


class AsRead:
    """A request as openapi-core takes one, its parts decoded as a server does.

    names: variables of the path that openapi-core knows under a name of RFC 6570. joined: query parameters and cookies
    that are split before they are decoded.
    """

    def __init__(self, request: Request, template: str, names: Mapping[str, str], joined: frozenset[str]) -> None:
        from openapi_core.datatypes import RequestParameters
        from openapi_core.templating.paths.parsers import PathParser
        from werkzeug.datastructures import Headers, ImmutableMultiDict

        def decoded(name: str, text: str) -> tuple[str, str]:
            return (name, text) if name in joined else (name, unquote(text))

        parts = urlsplit(request.url)
        self.host_url = f"{parts.scheme}://{parts.netloc}"
        self.path = unquote(re.sub("%(?=2F|0A|0D|09|3F|23)", "%25", parts.path))  # these would end or change it
        self.method = request.method.lower()
        self.content_type = request.content_type
        self.body = request.body
        pairs = [each.partition("=") for each in parts.query.split("&") if each]
        found = PathParser(template).parse(self.path)
        self.parameters = RequestParameters(
            path={names.get(name, name): text for name, text in (found.named if found else {}).items()},
            query=ImmutableMultiDict([decoded(unquote(name), text) for name, _, text in pairs]),
            header=Headers(list(request.headers)),
            cookie=ImmutableMultiDict([decoded(name, text) for name, text in request.cookies]),
        )


def alone(description: Description, call: HttpCall) -> Any:
    """The description with one operation, at our host; credentials are not the request's business.

    Where references lead into paths, the others stay.
    """
    spec, method = description.spec, call.method.lower()
    whole = "#/paths/" in description.text
    item = {
        key: value for key, value in spec["paths"][call.path].items() if whole or key in ("parameters", "$ref", method)
    }
    if method in item:
        item[method] = {key: value for key, value in item[method].items() if key not in ("security", "servers")}
    if str(item.get("$ref")).startswith("#/") and len(item) > 1:  # openapi-core drops what stands beside it
        shared = reduce(lambda held, name: held[name], item.pop("$ref")[2:].split("/"), spec)
        item = {**shared, **item}
    path = call.path.partition("#")[0]  # some descriptions tell operations of one path apart by a fragment
    kept = {key: value for key, value in spec.items() if key not in ("security", "servers", "paths")}
    return {**kept, "servers": [{"url": HOST}], "paths": {**(spec["paths"] if whole else {}), path: item}}


class Reader:
    """openapi-core for one operation."""

    def __init__(self, description: Description, call: HttpCall) -> None:
        from openapi_core import Config, OpenAPI

        self.call = call
        media = call.content_type.partition(";")[0].lower()
        form = media.startswith("multipart/") or media == payload.FORM
        formats = set(re.findall(r'"format": "([^"]*)"', description.text))
        config = Config(
            spec_validator_cls=None,
            extra_media_type_deserializers={} if form else {media: partial(loaded, payload.is_json(media))},
            extra_format_unmarshallers=dict.fromkeys(formats, lambda value: value),
        )
        self._api = OpenAPI.from_dict(alone(description, call), base_uri=description.address, config=config)
        self._names = {
            binding["name"]: RFC_6570[binding["style"]] + binding["name"] + "*" * bool(binding.get("explode"))
            for binding in call.inputs.values()
            if binding.get("style") in RFC_6570
        }
        self._joined = frozenset(
            binding["name"]
            for binding in call.inputs.values()
            if binding["in"] in ("query", "cookie") and joins(binding)
        )

    def complaint(self, request: Request, given: Mapping[str, Any]) -> str:
        """What it has against a request, or what it reads otherwise than given; `` for neither."""
        try:
            found = self._api.unmarshal_request(
                AsRead(request, self.call.path.partition("#")[0], self._names, self._joined)
            )
        except Exception as error:  # its errors have no common root below this
            return cause(error)
        if found.errors:
            return cause(found.errors[0])
        return "; ".join(self._differences(found, given))

    def _differences(self, found: Any, given: Mapping[str, Any]) -> Iterator[str]:
        body: Any = {}
        for key, value in given.items():
            binding = self.call.inputs.get(key, {"in": "body", "pointer": f"/{key}"})
            if binding["in"] == "body":
                if binding.get("contentEncoding") == "base64":
                    value = (
                        [base64.b64decode(item) for item in value]
                        if isinstance(value, list)
                        else base64.b64decode(value)
                    )
                name = str(binding["pointer"])[1:].replace("~1", "/").replace("~0", "~")
                body = value if not binding["pointer"] else {**body, name: value}
            elif not blind(binding, value):
                held = getattr(found.parameters, binding["in"])
                if not same(held.get(binding["name"]), value):
                    yield f"`{key}` = {value!r} reads as {held.get(binding['name'])!r}"
        if body != {} and not same(found.body, body):
            yield f"the body {body!r} reads as {found.body!r}"


def joins(binding: Mapping[str, Any]) -> bool:
    return binding.get("style") in ("spaceDelimited", "pipeDelimited") or binding.get("explode") is False


def blind(binding: Mapping[str, Any], value: Any) -> bool:
    """Whether openapi-core 0.23 cannot take this value out of a request, or OpenAPI sends none for it."""
    if value in (None, [], {}) or (isinstance(value, list | dict) and not sendable(value)):
        return True
    if binding.get("style") == "spaceDelimited" and any(" " in str(item) for item in value):
        return True  # what divides the items and what stands in them cannot be told apart
    exploded = binding.get("explode", binding["in"] in ("query", "cookie"))
    if "content" in binding:
        return False
    if binding.get("style") == "deepObject":
        return not isinstance(value, dict) or any(isinstance(item, dict | list) for item in value.values())
    return exploded and isinstance(value, dict) and binding["in"] in ("query", "cookie")


def sendable(value: Any) -> bool:
    return any(item is not None for item in (value.values() if isinstance(value, dict) else value))


def same(found: Any, given: Any) -> bool:
    """Whether a value was read as it was given; null members are absent, numbers may come as their text."""
    if isinstance(given, dict):
        given = {key: item for key, item in given.items() if item is not None}
        found = {key: item for key, item in found.items() if item is not None} if isinstance(found, dict) else {}
        return all(same(found.get(key, [] if item == [] else None), item) for key, item in given.items())
    if isinstance(given, list):
        given = [item for item in given if item is not None]
        return isinstance(found, list) and len(found) == len(given) and all(map(same, found, given))
    if isinstance(given, bytes):
        return given == (found.encode("latin-1") if isinstance(found, str) else found)
    if isinstance(found, str) and not isinstance(given, str):
        return found in (json.dumps(given), str(int(given)) if isinstance(given, float) else "")
    if isinstance(found, str):
        return given in (found, unquote(found))
    return (
        type(found) in (type(given), float, int)
        and bool(found == given)
        and isinstance(given, bool) == isinstance(found, bool)
    )


def bytes_given(call: HttpCall, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments with base64 text where bytes are meant; the generator makes any text."""
    coded = {key for key, binding in call.inputs.items() if binding.get("contentEncoding") == "base64"}
    return {
        key: value if key not in coded else ["AAEC"] if isinstance(value, list) else "AAEC"
        for key, value in arguments.items()
    }


def loaded(is_json: bool, value: bytes, **parameters: str) -> Any:
    """Reads the types that openapi-core takes for bytes."""
    return json.loads(value) if is_json else value.decode()


def cause(error: BaseException) -> str:
    while error.__cause__ is not None:
        error = error.__cause__
    more = [str(item.message) for item in getattr(error, "schema_errors", ())]
    return f"{type(error).__name__}: {'; '.join([str(error), *more])}"


def calls(operation: Operation) -> Iterator[dict[str, Any]]:
    """Valid calls, formats included."""
    validator = jsonschema.Draft202012Validator(operation.input, format_checker=jsonschema.FormatChecker())
    return (arguments for arguments in Generator().valid_calls(operation.input) if validator.is_valid(arguments))


def complaints(description: Description, operation: Operation, call: HttpCall, right: HttpCall) -> Iterator[str]:
    """What openapi-core has against the requests of a call to an operation, limitations of its own aside.

    right: the operation's own call, by which the request is read.
    """
    reader = Reader(description, right)
    sent = 0
    for arguments in islice(calls(operation), CALLS):
        given = bytes_given(right, arguments)
        for key in [key for key in given if f"{right.method} {right.path} {key}" in description.unsaid]:
            del given[key]
        try:
            request = build(call, given)
        except RequestError as error:
            if not any(text in str(error) for text in REFUSED):
                yield f"{operation.id} {given}: {error}"
            continue
        sent += 1
        said = reader.complaint(request, given)
        if said and not any(re.match(pattern, said, re.DOTALL) for pattern in LIMITATIONS):
            yield f"{operation.id} {given}: {said}"
    if not sent:
        yield f"{operation.id}: no request could be made"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of allowEmptyValue, in the descriptions
@pytest.mark.parametrize("path", descriptions(), ids=lambda path: path.name)
def test_an_independent_reader_accepts_the_requests(path: Path) -> None:
    description = read(path)
    found: list[str] = []
    for operation in description.operations[:: len(description.operations) // MOST + 1]:
        if operation.name in UNREADABLE:
            continue
        assert isinstance(operation.call, HttpCall)
        call = replace(operation.call, server=HOST)
        found += complaints(description, operation, call, call)
    assert found == [], "\n".join(found)


# Faults in a call: an input under another name, in another place, in another form; another path, method or type.


def faults(operation: Operation, unsaid: frozenset[str]) -> Iterator[tuple[str, HttpCall]]:
    call = operation.call
    assert isinstance(call, HttpCall)
    call = replace(call, server=HOST)
    yield "method", replace(call, method="DELETE" if call.method != "DELETE" else "PATCH")
    yield "path", replace(call, path=f"{call.path}/x")
    if call.content_type:
        yield "content type", replace(call, content_type="application/x-unknown")
    for key, binding in call.inputs.items():
        if f"{call.method} {call.path} {key}" in unsaid:
            continue
        for name, changed in wrong(key, dict(binding), operation.input):
            yield f"{key}: {name}", replace(call, inputs={**call.inputs, key: changed})
    bodies = [key for key, binding in call.inputs.items() if binding["in"] == "body"]
    if len(bodies) > 1:
        first, second = bodies[:2]
        swapped = {first: call.inputs[second], second: call.inputs[first]}
        yield f"{first} and {second} exchanged", replace(call, inputs={**call.inputs, **swapped})


def wrong(key: str, binding: dict[str, Any], schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if binding["in"] == "body":
        if binding["pointer"]:
            yield "another field", {**binding, "pointer": binding["pointer"] + "x"}
        return
    yield "another name", {**binding, "name": binding["name"] + "x"}
    if binding["in"] != "path":
        yield "another place", {**binding, "in": "header" if binding["in"] == "query" else "query"}
    # Without a style, a list in a path or header is written the same with explode and without.
    styled = "style" in binding or binding["in"] in ("query", "cookie")
    if schema["properties"][key].get("type") == "array" and "content" not in binding and styled:
        explode = binding.get("explode", binding["in"] == "query" and "style" not in binding)
        yield "joined otherwise", {**binding, "explode": not explode}
        if binding["in"] == "query":
            yield "another delimiter", {**binding, "style": "tabDelimited", "explode": False}


@pytest.mark.parametrize(
    "name",
    [
        "tests/fixtures/openapi/styles_api.yaml",
        "tests/fixtures/openapi/swagger2_api.yaml",
        "catalogs/shop-api/openapi.yaml",
    ],
)
def test_the_reader_notices_every_fault(name: str) -> None:
    description = read(ROOT / name)
    missed = []
    for operation in description.operations:
        for fault, call in faults(operation, description.unsaid):
            right = replace(operation.call, server=HOST)
            if next(complaints(description, operation, call, right), None) is None:
                missed.append(f"{operation.id}: {fault}")
    assert missed == [], "\n".join(missed)
