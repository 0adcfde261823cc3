"""The OpenAPI reader on descriptions of our own: each shows one thing, with what the specification says of it."""

from __future__ import annotations

import base64
import json
import random
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openapi_check import complaints

from toolc.diagnostics import Report, Severity, UserError
from toolc.ir import HttpCall, Operation
from toolc.runtime import payload, request
from toolc.schema.validator import Validator
from toolc.sources import Context, Reading, openapi

FIXTURES = Path(__file__).parent / "fixtures" / "openapi"
OK = {"200": {"description": "ok"}}


class Api:
    """Writes a description to a folder of its own and reads it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.report = Report()

    def reading(self, spec: Any, checked: bool = True, **options: Any) -> Reading:
        path = self.folder / "api.json"
        path.write_text(spec if isinstance(spec, str) else json.dumps(spec), encoding="utf-8")
        self.report = Report()
        context = Context("api", self.folder, self.folder, self.report)
        reading = openapi.read(openapi.Options("api.json", **options), context)
        if checked:
            assert complaints(spec, reading.operations, self.report.diagnostics) == []
        return reading

    def read(self, paths: Any, version: str = "3.1.0", checked: bool = True, **more: Any) -> dict[str, Operation]:
        kind = {"swagger": "2.0"} if version == "2.0" else {"openapi": version}
        spec = {**kind, "info": {"title": "t", "version": "1"}, "paths": paths, **more}
        return {operation.name: operation for operation in self.reading(spec, checked).operations}

    def body(self, schema: Any, version: str = "3.1.0", required: bool = True, **more: Any) -> Operation:
        """The operation `op`, whose JSON body has this schema, with a path parameter `id` beside it."""
        body = {"required": required, "content": {"application/json": {"schema": schema}}}
        item = {
            "parameters": [path_parameter("id")],
            "put": {"operationId": "op", "requestBody": body, "responses": OK},
        }
        return self.read({"/a/{id}": item}, version, **more)["op"]

    def rules(self) -> list[str]:
        return [diagnostic.rule for diagnostic in self.report.diagnostics]


@pytest.fixture
def api(tmp_path: Path) -> Api:
    return Api(tmp_path)


def path_parameter(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def query(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": {"type": "string"}, **more}


def get(*parameters: Any, **more: Any) -> dict[str, Any]:
    return {"get": {"operationId": "op", "parameters": list(parameters), "responses": OK, **more}}


def post(content: Any, required: bool = True, **more: Any) -> dict[str, Any]:
    body = {"required": required, "content": content}
    return {"post": {"operationId": "op", "requestBody": body, "responses": OK, **more}}


def call(operation: Operation) -> HttpCall:
    assert isinstance(operation.call, HttpCall)
    return operation.call


def accepts(operation: Operation, **arguments: Any) -> bool:
    return Validator(operation.input).accepts(arguments)


# Public descriptions.


def corpus() -> list[str]:
    folder = Path(__file__).parents[2] / "shared" / "corpus" / "openapi"
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def read_corpus(shared: Path, name: str) -> tuple[Any, Reading, Report]:
    folder = shared / "corpus" / "openapi"
    report = Report()
    context = Context("api", folder, folder, report)
    return context.document(name).data, openapi.read(openapi.Options(name), context), report


@pytest.mark.parametrize("name", corpus())
def test_nothing_of_a_public_description_is_lost(shared: Path, name: str) -> None:
    spec, reading, report = read_corpus(shared, name)
    assert complaints(spec, reading.operations, report.diagnostics) == []
    assert not report.has(Severity.error)


def test_every_response_schema_of_a_public_description_is_valid(shared: Path) -> None:
    _, reading, _ = read_corpus(shared, "github.json")
    outputs = [operation.output() for operation in reading.operations if operation.output is not None]
    schemas = [schema for schema in outputs if schema is not None]
    assert len(schemas) > 800
    for schema in random.Random(7).sample(schemas, 60):
        Validator(schema)


def without(operation: Operation, name: str) -> Operation:
    """The operation as a reader that loses one input would have made it."""
    kept = {key: value for key, value in operation.input["properties"].items() if key != name}
    inputs = {key: value for key, value in call(operation).inputs.items() if key != name}
    return replace(
        operation, input={**operation.input, "properties": kept}, call=replace(call(operation), inputs=inputs)
    )


@pytest.mark.parametrize("name", ["github.json", "slack.json", "petstore-2.0.json", "train-travel-3.1.json"])
def test_the_checker_notices_every_lost_input(shared: Path, name: str) -> None:
    spec, reading, _ = read_corpus(shared, name)
    rng = random.Random(name)
    for operation in rng.sample(reading.operations, min(8, len(reading.operations))):
        here = {**spec, "paths": {call(operation).path: spec["paths"][call(operation).path]}}
        siblings = [other for other in reading.operations if call(other).path == call(operation).path]
        for lost in operation.input["properties"]:
            made = [without(operation, lost) if other is operation else other for other in siblings]
            assert any("lost" in text for text in complaints(here, made)), (operation.id, lost)


def test_the_checker_notices_a_lost_nested_field_and_a_lost_operation(api: Api) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"enum": [1, 2]}}}}}
    operation = api.body(schema)
    spec = json.loads((api.folder / "api.json").read_text())
    for nested in ({}, {"b": {"enum": [1]}}):
        broken = {**operation.input["properties"], "a": {"type": "object", "properties": nested}}
        made = replace(operation, input={**operation.input, "properties": broken})
        assert len(complaints(spec, [made])) == 1
    assert complaints(spec, []) == ["put /a/{id}: no operation and no error"]


# Names.


def test_one_name_in_several_places_stays_several_inputs(api: Api) -> None:
    body = {"application/json": {"schema": {"type": "object", "properties": {"id": {"type": "integer"}}}}}
    item = {"parameters": [path_parameter("id"), query("id"), {**query("id"), "in": "header"}], **post(body)}
    operation = api.read({"/a/{id}": item})["op"]
    assert {key: entry["in"] for key, entry in call(operation).inputs.items()} == {
        "id": "path",
        "query_id": "query",
        "header_id": "header",
        "body_id": "body",
    }
    assert operation.input["properties"]["body_id"] == {"type": "integer"}


@pytest.mark.parametrize("order", [1, -1])
def test_made_names_never_move_a_legal_one(api: Api, order: int) -> None:
    wires = ["filter[a]", "filter_a", "$top", "top", "a b", "日", "日", "x" * 70, "[]"][::order]
    operation = api.read({"/a": get(*(query(wire) for wire in dict.fromkeys(wires)))})["op"]
    names = {entry["name"]: key for key, entry in call(operation).inputs.items()}
    assert names["filter_a"] == "filter_a"
    assert names["filter[a]"] == "query_filter_a"
    assert names["top"] == "top"
    assert names["$top"] == "query_top"
    assert names["a b"] == "a_b"
    assert names["日"] == "u65e5"
    assert names["[]"] == "query"
    assert len(names["x" * 70]) == 64


def test_an_input_called_like_a_made_name_keeps_it(api: Api) -> None:
    item = {"parameters": [path_parameter("id")], **get(query("id"), query("query_id"))}
    operation = api.read({"/a/{id}": item})["op"]
    assert call(operation).inputs["query_id"]["name"] == "query_id"
    assert call(operation).inputs["query_id_2"]["name"] == "id"


def test_operation_names_do_not_depend_on_the_order_of_paths(api: Api) -> None:
    paths = {path: get() for path in ("/c", "/a", "/b")}
    forward = {name: call(o).path for name, o in api.read(paths).items()}
    backward = {name: call(o).path for name, o in api.read(dict(reversed(paths.items()))).items()}
    assert forward == backward == {"op": "/a", "op_2": "/b", "op_3": "/c"}


# Bodies.


def test_an_open_body_stays_together_beside_parameters(api: Api) -> None:
    schema = {"type": "object", "properties": {"a": {}}, "additionalProperties": {"type": "integer"}}
    operation = api.body(schema)
    assert set(operation.input["properties"]) == {"id", "body"}
    assert call(operation).inputs["body"] == {"in": "body", "pointer": ""}
    assert not accepts(operation, id="1", body={"b": "text"})


def test_an_open_body_alone_is_the_input_itself(api: Api) -> None:
    schema = {"type": "object", "properties": {"a": {}}, "additionalProperties": {"type": "integer"}}
    operation = api.read({"/a": post({"application/json": {"schema": schema}})})["op"]
    assert set(operation.input["properties"]) == {"a"}
    assert accepts(operation, a="x", b=1)
    assert not accepts(operation, b="x")


def test_a_closed_body_closes_the_input(api: Api) -> None:
    operation = api.body({"type": "object", "properties": {"a": {}}, "additionalProperties": False})
    assert accepts(operation, id="1", a=1)
    assert not accepts(operation, id="1", b=1)


def test_all_of_is_merged_where_that_is_exact(api: Api) -> None:
    base = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}
    more = {"type": "object", "properties": {"b": {"type": "integer"}}}
    operation = api.body(
        {"allOf": [{"$ref": "#/components/schemas/Base"}, more]}, components={"schemas": {"Base": base}}
    )
    assert set(operation.input["properties"]) == {"id", "a", "b"}
    assert operation.input["required"] == ["id", "a"]
    closed = {**base, "additionalProperties": False}
    operation = api.body({"allOf": [closed, more]})
    assert set(operation.input["properties"]) == {"id", "body"}  # `closed` refuses b: only together they say that


@pytest.mark.parametrize(
    "schema",
    [
        {"oneOf": [{"type": "object", "properties": {"a": {}}}, {"type": "object", "properties": {"b": {}}}]},
        {"type": "object", "properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"type": "object", "properties": {"a": {}}, "minProperties": 1},
        {"type": "object", "properties": {"a": {}}, "patternProperties": {"^x-": {}}},
        {"type": ["object", "null"], "properties": {"a": {}}},
        {"type": "array", "items": {"type": "string"}},
        True,
    ],
)
def test_a_body_that_is_more_than_its_fields_stays_whole(api: Api, schema: Any) -> None:
    operation = api.body(schema)
    assert set(operation.input["properties"]) == {"id", "body"}
    assert operation.input["required"] == ["id", "body"]


def test_required_fields_of_an_optional_body_are_needed_once_any_is_given(api: Api) -> None:
    schema = {"type": "object", "required": ["a", "b"], "properties": {"a": {}, "b": {}, "c": {}}}
    operation = api.body(schema, required=False)
    assert isinstance(operation.call, HttpCall)
    assert operation.call.body_required is False
    assert accepts(operation, id="1")
    assert accepts(operation, id="1", a=1, b=2)
    assert not accepts(operation, id="1", c=1)
    assert not accepts(operation, id="1", a=1)


def test_a_read_only_field_is_left_out_with_its_requirement(api: Api) -> None:
    stamp = {"type": "string", "readOnly": True}
    schema = {
        "allOf": [
            {"type": "object", "properties": {"at": {"$ref": "#/components/schemas/Stamp"}, "n": {}}},
            {"required": ["at", "n"]},
        ]
    }
    operation = api.body(schema, components={"schemas": {"Stamp": stamp}})
    assert set(operation.input["properties"]) == {"id", "n"}
    assert operation.input["required"] == ["id", "n"]


def test_kinds_that_extend_a_schema_with_a_discriminator_are_shown(api: Api) -> None:
    pet = {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}}}
    schemas = {
        "Pet": {**pet, "discriminator": {"propertyName": "kind", "mapping": {"cat": "Cat"}}},
        "Cat": {"allOf": [{"$ref": "#/components/schemas/Pet"}, {"properties": {"lives": {"type": "integer"}}}]},
    }
    operation = api.body({"$ref": "#/components/schemas/Pet"}, "3.0.3", components={"schemas": schemas})
    assert accepts(operation, id="1", body={"kind": "cat", "lives": 9})
    assert not accepts(operation, id="1", body={"kind": "cat", "lives": "nine"})
    assert not accepts(operation, id="1", body={"lives": 9})


def test_a_parent_that_lists_children_which_extend_it_ends(api: Api) -> None:
    schemas = {
        "Pet": {
            "type": "object",
            "properties": {"kind": {"type": "string"}},
            "oneOf": [{"$ref": "#/components/schemas/Cat"}],
        },
        "Cat": {"allOf": [{"$ref": "#/components/schemas/Pet"}], "properties": {"lives": {"type": "integer"}}},
    }
    operation = api.body({"$ref": "#/components/schemas/Pet"}, components={"schemas": schemas})
    assert accepts(operation, id="1", body={"kind": "a", "lives": 1})
    assert not accepts(operation, id="1", body={"kind": 1, "lives": 1})
    assert not accepts(operation, id="1", body={"lives": "a"})


@pytest.mark.parametrize(
    ("content_type", "schema", "argument"),
    [
        ("application/octet-stream", {}, {"type": "string", "contentEncoding": "base64"}),
        ("image/png", {"type": "string", "format": "binary"}, {"type": "string", "contentEncoding": "base64"}),
        ("text/plain", {"type": "string"}, {"type": "string"}),
        ("application/xml", {"type": "object"}, {"type": "string", "contentMediaType": "application/xml"}),
        (
            "application/octet-stream",
            {"type": "object", "properties": {"a": {"type": "string"}}},
            {"type": "string", "contentEncoding": "base64"},
        ),
        ("*/*", {"type": "integer"}, {"type": "integer"}),
    ],
)
def test_bodies_that_are_no_json(api: Api, content_type: str, schema: Any, argument: Any) -> None:
    operation = api.read({"/a": post({content_type: {"schema": schema}})})["op"]
    made = {key: value for key, value in operation.input["properties"]["body"].items() if key != "description"}
    assert made == argument
    binary = "contentEncoding" in argument
    assert ("contentEncoding" in call(operation).inputs["body"]) is binary


@pytest.mark.parametrize("schema", [{"type": "array", "items": {"type": "object"}}, {"properties": {"a": {}}}])
def test_a_table_is_sent_as_its_own_text_not_as_json(api: Api, schema: Any) -> None:
    operation = api.read({"/a": post({"text/csv": {"schema": schema}})}, checked=False)["op"]
    assert operation.input["properties"]["body"] == {"type": "string", "contentMediaType": "text/csv"}
    assert api.rules() == ["unsupported-content-type"]
    assert request.build(call(operation), {"body": "a,b\n1,2"}).body == b"a,b\n1,2"


def test_a_header_of_a_part_is_named_as_not_sent(api: Api) -> None:
    media = {
        "schema": {"type": "object", "properties": {"f": {"type": "string"}}},
        "encoding": {"f": {"headers": {"X-Kind": {"schema": {"type": "string"}}, "Content-Type": {"schema": {}}}}},
    }
    api.read({"/a": post({"multipart/form-data": media})}, checked=False)
    (found,) = api.report.diagnostics
    assert (found.rule, found.severity) == ("unsupported-part-header", Severity.error)
    assert str(found.origin and found.origin.pointer).endswith("/encoding/f/headers/X-Kind")


def test_3_2_a_description_knows_itself_by_its_address(api: Api) -> None:
    uri = "https://example.com/api.yaml"
    schema = {"$ref": f"{uri}#/components/schemas/X"}
    operations = api.read(
        {"/a": post({"application/json": {"schema": schema}})},
        "3.2.0",
        checked=False,
        components={"schemas": {"X": {"type": "object", "properties": {"x": {"type": "string"}}}}},
        **{"$self": uri},
    )
    assert set(operations["op"].input["properties"]) == {"x"}


def test_files_of_a_multipart_body_in_3_1(api: Api) -> None:
    fields = {
        "photos": {"type": "array", "items": {"contentMediaType": "image/png"}},
        "note": {"type": "string"},
    }
    operation = api.read({"/a": post({"multipart/form-data": {"schema": {"properties": fields}}})})["op"]
    assert call(operation).inputs["photos"]["contentEncoding"] == "base64"
    assert operation.input["properties"]["photos"]["items"]["contentEncoding"] == "base64"
    assert "contentEncoding" not in call(operation).inputs["note"]


# Versions.


def test_3_1_boolean_schemas_type_arrays_and_siblings_of_references(api: Api) -> None:
    schemas = {"Name": {"type": "string"}, "Any": True}
    fields = {
        "name": {"$ref": "#/components/schemas/Name", "maxLength": 3, "description": "Short."},
        "any": {"$ref": "#/components/schemas/Any"},
        "maybe": {"type": ["string", "null"]},
        "never": False,
    }
    operation = api.body({"type": "object", "properties": fields}, components={"schemas": schemas})
    assert accepts(operation, id="1", name="abc", any=[1], maybe=None)
    assert not accepts(operation, id="1", name="abcd")
    assert not accepts(operation, id="1", never=1)
    assert operation.input["properties"]["name"]["description"] == "Short."


def test_3_0_ignores_constraints_beside_a_reference_and_says_so(api: Api) -> None:
    field = {"$ref": "#/components/schemas/Name", "maxLength": 3, "description": "Short."}
    schema = {"type": "object", "properties": {"name": field}}
    operation = api.body(schema, "3.0.3", components={"schemas": {"Name": {"type": "string"}}})
    assert operation.input["properties"]["name"] == {"$ref": "#/$defs/Name", "description": "Short."}
    assert api.rules() == ["ignored-ref-sibling"]


def test_3_1_anchors_and_webhooks(api: Api) -> None:
    schemas = {"Node": {"$anchor": "node", "type": "object", "properties": {"next": {"$ref": "#node"}}}}
    operations = api.read(
        {"/a": post({"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}})},
        checked=False,
        components={"schemas": schemas},
        webhooks={"ping": {"post": {"responses": OK}}},
    )
    assert set(operations) == {"op"}
    assert accepts(operations["op"], next={"next": {}})
    assert not accepts(operations["op"], next={"next": 1})
    assert api.rules() == ["webhook-skipped"]


def test_3_1_references_to_an_id_stay_in_the_file_and_those_inside_start_there(api: Api) -> None:
    thing = {"$id": "https://example.com/thing", "type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}}
    thing["$defs"] = {"n": {"type": "integer"}}
    fields = {"a": {"$ref": "https://example.com/thing"}, "b": {"$ref": "https://example.com/thing#/$defs/n"}}
    operation = api.body(
        {"type": "object", "properties": {**fields, "c": {"$ref": "#/components/schemas/Thing"}}},
        checked=False,
        components={"schemas": {"Thing": thing}},
    )
    assert accepts(operation, id="x", a={"n": 1}, b=2, c={"n": 3})
    for wrong in ({"a": {"n": "1"}}, {"b": "2"}, {"c": {"n": "3"}}):
        assert not accepts(operation, id="x", **wrong)
    assert api.rules() == []


def test_3_1_references_of_the_whole_file_inside_a_schema_with_an_id_are_followed(api: Api) -> None:
    """Not what JSON Schema says of them, but what generators that give every schema an `$id` mean."""
    schemas: dict[str, Any] = {
        f"S{n}": {"$id": f"S{n}", "properties": {"next": {"$ref": f"#/components/schemas/S{n + 1}"}}}
        for n in range(2000)
    }
    schemas["S2000"] = {"$id": "S2000", "type": "integer"}
    operation = api.body({"$ref": "#/components/schemas/S1999"}, checked=False, components={"schemas": schemas})
    assert accepts(operation, id="x", next=1)
    assert not accepts(operation, id="x", next="1")
    assert api.rules() == []


def test_3_1_a_dynamic_reference_to_one_of_several_is_told(api: Api) -> None:
    tree = {"$dynamicAnchor": "node", "type": "object", "properties": {"kids": {"items": {"$dynamicRef": "#node"}}}}
    strict = {"$dynamicAnchor": "node", "$ref": "#/components/schemas/Tree", "unevaluatedProperties": False}
    api.body(
        {"$ref": "#/components/schemas/Strict"}, checked=False, components={"schemas": {"Tree": tree, "Strict": strict}}
    )
    assert api.rules() == ["ambiguous-ref"]
    api.body({"$ref": "#/components/schemas/Tree"}, checked=False, components={"schemas": {"Tree": tree}})
    assert api.rules() == []


@pytest.mark.parametrize("keyword", ["$ref", "$recursiveRef"])
def test_a_schema_that_refers_to_itself_by_a_bare_hash_means_itself_and_not_the_whole_description(
    api: Api, keyword: str
) -> None:
    both = {"type": "object", "properties": {"of": {"type": "array", "items": {keyword: "#"}}}, "required": ["of"]}
    wrapped = {"type": "object", "properties": {"tree": {"$recursiveAnchor": True, **both}}}
    schemas = {"Both": both, "Wrapped": wrapped}
    asked = {"properties": {"both": {"$ref": "#/components/schemas/Both"}, "here": {"items": {keyword: "#"}}}}
    operation = api.body(asked, checked=False, components={"schemas": {**schemas, "Unused": {"maxLength": 1}}})
    assert accepts(operation, id="x", both={"of": [{"of": []}]})
    assert not accepts(operation, id="x", both={"of": [{"of": [{}]}]})
    assert not accepts(operation, id="x", here=[{"both": {}}])
    assert "paths" not in json.dumps(operation.input)
    operation = api.body({"$ref": "#/components/schemas/Wrapped"}, checked=False, components={"schemas": schemas})
    assert accepts(operation, id="x", tree={"of": [{"of": []}]})
    assert accepts(operation, id="x", tree={"of": [{}]}) == (keyword == "$ref")  # `$recursiveRef` minds its anchor
    assert api.rules() == []


def test_a_discriminator_in_a_part_of_the_parents_all_of_is_no_circle(api: Api) -> None:
    kinds = {"#cat": "#/components/schemas/Cat"}
    own = {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]}
    part = {**own, "discriminator": {"propertyName": "kind", "mapping": kinds}}
    lives = {"type": "object", "properties": {"lives": {"type": "integer"}}, "required": ["lives"]}
    schemas = {
        "Thing": {"type": "object", "properties": {"id": {"type": "string"}}},
        "Pet": {"allOf": [{"$ref": "#/components/schemas/Thing"}, part]},
        "Cat": {"allOf": [{"$ref": "#/components/schemas/Pet"}, lives]},
    }
    for name in ("Pet", "Cat"):
        asked = {"properties": {"pet": {"$ref": f"#/components/schemas/{name}"}}}
        operation = api.body(asked, checked=False, components={"schemas": schemas})
        assert api.rules() == []
        assert accepts(operation, id="1", pet={"kind": "#cat", "lives": 9})
        assert not accepts(operation, id="1", pet={"kind": "#cat", "lives": "9"})
        assert not accepts(operation, id="1", pet={"lives": 9})


def test_a_body_of_bytes_with_a_structure_is_told_and_takes_no_definitions_along(api: Api) -> None:
    part = {"type": "object", "properties": {"size": {"type": "integer"}}}
    whole = {"type": "object", "properties": {"part": {"$ref": "#/components/schemas/Part"}}}
    body = {"application/octet-stream": {"schema": whole}}
    operations = api.read({"/a": post(body)}, components={"schemas": {"Part": part}})
    assert "$defs" not in operations["op"].input
    assert api.rules() == ["unsupported-content-type"]
    schemas = {"File": {"type": "string", "format": "binary"}}
    body = {"application/octet-stream": {"schema": {"$ref": "#/components/schemas/File"}}}
    assert "$defs" not in api.read({"/a": post(body)}, components={"schemas": schemas})["op"].input
    assert api.rules() == []


@pytest.mark.parametrize(
    ("parameter", "written", "value"),
    [
        ({"schema": {"type": "array", "items": {"type": "number"}}}, "61.5,23.7", [61.5, 23.7]),
        ({"schema": {"type": "array", "items": {"type": "string"}}, "style": "pipeDelimited"}, "a|b,c", ["a", "b,c"]),
        ({"schema": {"type": "integer"}}, "10", 10),
        ({"schema": {"type": "boolean"}}, "true", True),
        ({"schema": {"type": "integer"}}, "true", "true"),
        ({"schema": {"type": "integer"}}, "ten", "ten"),
        ({"schema": {"type": "string"}}, "10", "10"),
        ({"schema": {"type": ["string", "integer"]}}, "10", "10"),
    ],
)
def test_the_example_of_a_parameter_may_be_written_as_it_is_sent(
    api: Api, parameter: Any, written: str, value: Any
) -> None:
    q = {"name": "q", "in": "query", **parameter}
    given = ({"example": written}, {"examples": {"one": {"value": written}}})
    for example in given:
        operations = api.read({"/a": {"get": {"operationId": "op", "parameters": [q | example], "responses": OK}}})
        assert [item.arguments for item in operations["op"].examples] == [{"q": value}]
    q["schema"] = {**q["schema"], "example": written}  # an example of the schema is the value itself
    operations = api.read({"/a": {"get": {"operationId": "op", "parameters": [q], "responses": OK}}})
    assert [item.arguments for item in operations["op"].examples] == [{"q": written}]


def test_3_2_query_method_additional_operations_and_querystring(api: Api) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    whole = {"name": "q", "in": "querystring", "content": {"application/x-www-form-urlencoded": {"schema": schema}}}
    item = {
        "query": {"operationId": "ask", "parameters": [whole], "responses": OK},
        "additionalOperations": {"COPY": {"operationId": "copy", "responses": OK}},
    }
    operations = api.read({"/a": item}, "3.2.0", tags=[{"name": "x", "summary": "Short"}])
    assert call(operations["ask"]).method == "QUERY"
    assert operations["ask"].hints.effect == "read"
    assert call(operations["ask"]).inputs["q"] == {
        "in": "querystring",
        "name": "q",
        "content": "application/x-www-form-urlencoded",
    }
    assert call(operations["copy"]).method == "COPY"
    assert operations["copy"].hints.effect == "write"


def test_swagger_2_is_read_where_it_stands(api: Api) -> None:
    operations = api.read(
        {
            "/a/{id}": {
                "parameters": [{"$ref": "#/parameters/Id"}],
                "post": {
                    "operationId": "form",
                    "parameters": [
                        {"name": "tag", "in": "formData", "type": "array", "items": {"type": "string"}},
                        {"name": "n", "in": "formData", "type": "integer", "minimum": 1, "exclusiveMinimum": True},
                        {"name": "ids", "in": "query", "type": "array", "items": {}, "collectionFormat": "multi"},
                        {"name": "sep", "in": "query", "type": "array", "items": {}, "collectionFormat": "tsv"},
                    ],
                    "responses": {"200": {"description": "ok", "schema": {"$ref": "#/definitions/Out"}}},
                },
                "put": {
                    "operationId": "json",
                    "parameters": [{"name": "body", "in": "body", "schema": {"$ref": "#/definitions/In"}}],
                    "responses": {},
                },
            }
        },
        "2.0",
        host="x.example",
        schemes=["http", "https"],
        parameters={"Id": {"name": "id", "in": "path", "required": True, "type": "integer", "format": "int64"}},
        definitions={
            "In": {"type": "object", "properties": {"a": {"type": "string", "x-nullable": True}}},
            "Out": {"type": "object", "properties": {"b": {"type": "string"}}},
        },
        securityDefinitions={"key": {"type": "apiKey", "in": "header", "name": "X-Key"}, "user": {"type": "basic"}},
        security=[{"key": []}, {"user": []}],
    )
    form, body = operations["form"], operations["json"]
    assert form.input["properties"]["n"] == {"type": "integer", "exclusiveMinimum": 1}
    assert call(form).content_type == "application/x-www-form-urlencoded"
    assert call(form).encoding == {"tag": {"style": "form", "explode": False}}
    assert call(form).inputs["ids"] == {"in": "query", "name": "ids"}  # multi is what 3.x does by default
    assert call(form).inputs["sep"] == {"in": "query", "name": "sep", "style": "tabDelimited"}
    assert form.output is not None
    assert form.output() == {"type": "object", "properties": {"b": {"type": "string"}}}
    assert body.input["properties"] == {
        "id": {"type": "integer", "format": "int64"},
        "a": {"type": ["string", "null"]},
    }
    assert call(body).server == "https://x.example"
    assert call(body).security == (
        {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
        {"user": {"type": "http", "scheme": "basic"}},
    )


# Several files.


def read_split(root: Path, **options: Any) -> tuple[dict[str, Operation], Report, Context]:
    report = Report()
    context = Context("api", FIXTURES / "split", root, report)
    reading = openapi.read(openapi.Options("api.yaml", **options), context)
    return {operation.name: operation for operation in reading.operations}, report, context


def test_a_body_of_swagger_2_leaves_no_place_for_another_and_says_so(api: Api) -> None:
    body = {"name": "body", "in": "body", "schema": {"type": "object", "properties": {"a": {"type": "string"}}}}
    field = {"name": "f", "in": "formData", "type": "string"}
    second = {"name": "more", "in": "body", "schema": {"type": "object", "properties": {"b": {"type": "string"}}}}
    operation = api.read({"/a": {"post": {"operationId": "op", "parameters": [body, field, second]}}}, "2.0", False)[
        "op"
    ]
    assert set(operation.input["properties"]) == {"a"}
    told = [(found.origin and found.origin.pointer, found.severity) for found in api.report.diagnostics]
    assert told == [(f"/paths/~1a/post/parameters/{index}", Severity.error) for index in (1, 2)]


def test_a_description_in_many_files_is_one(api: Api) -> None:
    operations, report, context = read_split(FIXTURES)
    assert report.diagnostics == []
    order, items = operations["replaceOrder"], operations["listItems"]
    assert set(order.input["properties"]) == {"id", "X-Trace", "total", "parts"}
    total = {"amount": 1, "currency": "SEK"}
    assert accepts(order, id=1, total=total, parts=[{"total": total, "parts": []}])
    assert not accepts(order, id=1, total={"amount": 1, "currency": "USD"})
    assert accepts(items, size=[1, 2])
    assert not accepts(items, size=[1, 2, 3])  # draft 07: a tuple, and nothing after it
    assert call(order).server == "https://eu.split.example/v1"
    assert order.origin.source == "split/paths/orders.yaml"
    assert sorted(context.files) == [
        "split/api.yaml",
        "split/paths/items.yaml",
        "split/paths/orders.yaml",
        "split/schemas/order.yaml",
        "split/schemas/types.json",
    ]


def test_nothing_outside_the_config_folder_is_read_unless_named(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text('{"type": "string"}')
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link.json").symlink_to(tmp_path / "secret.json")
    targets = ["../secret.json", "%2e%2e/secret.json", str(tmp_path / "secret.json"), "link.json"]
    for target in [*targets, "file:///etc/passwd", "http://x.example/a.json", "//x.example/a.json", "a\u0000b", "."]:
        api = Api(inside)
        operations = api.read(
            {"/a": get(query("q", schema={"$ref": target})), "/b": {"get": {"responses": OK}}}, checked=False
        )
        assert set(operations) == {"get /b"}, target
        assert api.rules()[0] in ("outside-ref", "remote-ref", "unresolved-ref"), target
    allowed = Api(inside).reading(
        {"openapi": "3.1.0", "info": {}, "paths": {"/a": get(query("q", schema={"$ref": "../secret.json"}))}},
        checked=False,
        ref_folders=("..",),
    )
    assert len(allowed.operations) == 1


# What else a call needs.


def test_security_servers_and_bound_headers(api: Api) -> None:
    operations = api.read(
        {
            "/a": get(
                query("api_key"),
                query("q"),
                {**query("Accept"), "in": "header"},
                security=[{"key": []}, {}, {"login": ["a:read"]}],
                servers=[{"url": "/v2"}],
            )
        },
        servers=[{"url": "https://api.example/"}],
        components={
            "securitySchemes": {
                "key": {"type": "apiKey", "in": "query", "name": "api_key", "description": "long"},
                "login": {
                    "type": "oauth2",
                    "flows": {"clientCredentials": {"tokenUrl": "https://t.example", "scopes": {"a:read": "x"}}},
                },
            }
        },
    )
    assert set(operations["op"].input["properties"]) == {"q"}
    assert sorted(api.rules()) == ["bound-header", "bound-parameter"]
    assert call(operations["op"]).server == "https://api.example/v2"
    assert call(operations["op"]).security == (
        {"key": {"type": "apiKey", "in": "query", "name": "api_key"}},
        {},
        {
            "login": {
                "type": "oauth2",
                "flows": {"clientCredentials": {"tokenUrl": "https://t.example"}},
                "required": ["a:read"],
            }
        },
    )


def test_an_authorization_header_without_a_scheme_is_bound(api: Api) -> None:
    operation = api.read({"/a": get({**query("authorization"), "in": "header", "required": True})})["op"]
    assert operation.input["properties"] == {}
    assert call(operation).security == ({"Authorization": {"type": "apiKey", "in": "header", "name": "Authorization"}},)


@pytest.mark.parametrize("path", [".evil.example/x", "@evil.example/x", "a"])
def test_a_path_without_a_slash_does_not_change_the_host(api: Api, path: str) -> None:
    operations = api.read({path: get()}, checked=False, servers=[{"url": "https://api.example"}])
    assert call(operations["op"]).path == f"/{path}"
    assert api.rules() == ["invalid-operation"]


def test_a_base_path_without_a_slash_does_not_change_the_host(api: Api) -> None:
    operations = api.read({"/a": get()}, "2.0", host="api.example", basePath="v1/", schemes=["https"])
    assert call(operations["op"]).server == "https://api.example/v1"


def test_a_server_variable_without_a_default_is_told(api: Api) -> None:
    servers = [{"url": "https://{region}.example/{base}", "variables": {"base": {"default": "v1"}}}]
    api.read({"/a": get(), "/b": {"get": {"operationId": "b", "responses": OK}}}, servers=servers)
    (found,) = api.report.diagnostics
    assert found.rule == "open-server"
    assert "{region}" in found.message
    assert "/servers/0" in str(found.origin)


@pytest.mark.parametrize("variable", ["+rest", "rest*"])
def test_a_path_variable_of_several_segments_is_the_parameter_of_its_name(api: Api, variable: str) -> None:
    rest = {"name": "rest", "in": "path", "required": True, "schema": {"type": "string", "minLength": 2}}
    operation = api.read({f"/files/{{{variable}}}": get(rest)}, checked=False)["op"]
    assert operation.input["properties"]["rest"] == rest["schema"]
    assert api.rules() == []
    assert request.build(call(operation), {"rest": "a b/c"}).url == "/files/a%20b/c"


def test_the_server_of_the_config_stands_for_that_of_the_description(api: Api) -> None:
    spec = {"openapi": "3.1.0", "info": {}, "servers": [{"url": "https://a.example"}], "paths": {"/a": get()}}
    (operation,) = api.reading(spec, server="http://localhost:1").operations
    assert call(operation).server == "http://localhost:1"


def test_extensions_of_vendors_name_hint_and_switch_off(api: Api) -> None:
    told = {"name": "find_things", "description": "Finds.", "readOnlyHint": True}
    operations = api.read(
        {
            "/a": {"post": {"operationId": "a", "x-speakeasy-mcp": told, "responses": OK}},
            "/b": {"get": {"operationId": "b", "x-mcp": {"enabled": False}, "responses": OK}},
            "/c": {"get": {"operationId": "c", "x-toolc": {"hints": {"destructive": True}}, "responses": OK}},
        },
        checked=False,
    )
    assert set(operations) == {"a", "c"}
    assert operations["a"].pinned_name == "find_things"
    assert operations["a"].description == "Finds."
    assert operations["a"].hints.effect == "read"
    assert operations["c"].hints.destructive.basis == "declared"
    assert api.rules() == ["switched-off"]


@pytest.mark.parametrize(
    ("method", "name", "effect"),
    [
        ("get", "listThings", "read"),
        ("get", "auth_revoke", "destructive"),
        ("get", "files_remote_share", "write"),
        ("get", "views_publish", "write"),
        ("get", "channels_restrictAccess_listGroups", "read"),
        ("post", "channels_restrictAccess_removeGroup", "destructive"),
        ("get", "machines_get_destroyStatus", "read"),
        ("get", "dependency-graph/export-sbom", "read"),
        ("get", "auth_test", "read"),
        ("post", "searchThings", "write"),
        ("post", "things/bulk-remove", "destructive"),
        ("put", "thing", "write"),
        ("delete", "getThing", "destructive"),
    ],
)
def test_effects(api: Api, method: str, name: str, effect: str) -> None:
    operation = api.read({"/a": {method: {"operationId": name, "responses": OK}}})[name]
    assert operation.hints.effect == effect


def test_a_graph_of_components_does_not_blow_up(api: Api) -> None:
    """Each of 300 schemas refers to ten others: as many as there are stand in the tool, each once."""
    size, each = 300, 10
    schemas = {
        f"S{n}": {
            "type": "object",
            "description": f"part {n} " * 8,
            "properties": {f"p{k}": {"$ref": f"#/components/schemas/S{(n * each + k) % size}"} for k in range(each)},
        }
        for n in range(size)
    }
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}}}
    operation = {"operationId": "op", "requestBody": body, "responses": OK}
    found = api.read({"/a": {"post": operation}}, checked=False, components={"schemas": schemas})["op"].input
    assert len(found["$defs"]) == size
    assert len(json.dumps(found)) <= 1.2 * len(json.dumps(schemas))


def test_descriptions_say_everything_once(api: Api) -> None:
    schema = {"type": "string", "description": "A date."}
    operations = api.read(
        {
            "/a": get(query("q", description="Since when.", schema=schema), summary="List.", description="Gives all."),
            "/b": {"get": {"summary": "List all", "description": "List all things.", "responses": OK}},
        }
    )
    assert operations["op"].description == "List.\n\nGives all."
    assert operations["op"].input["properties"]["q"]["description"] == "Since when.\n\nA date."
    assert operations["get /b"].description == "List all things."


def test_pages(api: Api) -> None:
    page = {"type": "object", "properties": {"items": {}, "meta": {"properties": {"next_cursor": {"type": "string"}}}}}
    response = {"200": {"description": "ok", "content": {"application/json": {"schema": page}}}}
    operation = api.read({"/a": get(query("page[size]"), query("cursor"), responses=response)})["op"]
    assert operation.extra["pagination"] == {
        "limit": "page_size",
        "style": "cursor",
        "position": "cursor",
        "next": "/meta/next_cursor",
    }


def test_a_count_that_is_no_number_is_no_limit_of_pages(api: Api) -> None:
    number = {"type": "integer"}
    odata = [query("$count", schema={"type": "boolean"}), query("$top", schema=number), query("$skip", schema=number)]
    operation = api.read({"/a": get(*odata)})["op"]
    assert operation.extra["pagination"] == {"limit": "top", "style": "offset", "position": "skip"}
    assert "pagination" not in api.read({"/a": get(query("n"))})["op"].extra


@pytest.mark.parametrize(
    "response",
    [
        {"$ref": "#/components/responses/Gone"},
        {"description": "", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Gone"}}}},
    ],
)
def test_a_response_that_leads_nowhere_is_told_and_costs_the_output_only(api: Api, response: Any) -> None:
    operation = api.read({"/a": get(responses={"200": response})}, checked=False)["op"]
    assert operation.output is None or not callable(operation.output) or operation.output() is None
    (found,) = api.report.diagnostics
    assert (found.rule, found.severity) == ("unresolved-ref", Severity.warning)
    assert str(found.origin and found.origin.pointer).endswith("/$ref")


def test_examples_that_lack_an_argument_are_kept_apart(api: Api) -> None:
    media = {"schema": {"type": "object", "properties": {"n": {"type": "integer"}}}, "example": {"n": 1}}
    item = {"parameters": [path_parameter("id")], **post({"application/json": media})}
    operation = api.read({"/a/{id}": item})["op"]
    assert operation.examples == ()
    assert [example.arguments for example in operation.extra["partial_examples"]] == [{"n": 1}]


# Bad and hostile input.


@pytest.mark.parametrize(
    "spec",
    [
        [],
        {},
        {"openapi": "4.0.0"},
        {"swagger": "1.2"},
        {"openapi": "3.0.0", "paths": []},
        {"openapi": None, "paths": {}},
    ],
)
def test_what_is_no_description_is_refused(api: Api, spec: Any) -> None:
    with pytest.raises(UserError):
        api.reading(spec)


ODD = [None, 1, "x", [], [1], {}, {"$ref": 1}, {"$ref": "#/nowhere"}, {"$ref": "#"}, True]
PLACES: list[Callable[[Any], Any]] = [
    lambda odd: {"paths": {"/a": odd}},
    lambda odd: {"paths": {"/a": {"get": odd}}},
    lambda odd: {"paths": {"/a": {"parameters": odd, "get": {}}}},
    lambda odd: {"paths": {"/a": {"get": {"parameters": [odd]}}}},
    lambda odd: {"paths": {"/a": get({"name": "q", "in": "query", "schema": odd})}},
    lambda odd: {"paths": {"/a": get({"name": "q", "in": "query", "content": odd})}},
    lambda odd: {"paths": {"/a": get({"name": odd, "in": odd})}},
    lambda odd: {"paths": {"/a": get(query("q", style=odd, explode=odd, examples=odd, description=odd))}},
    lambda odd: {"paths": {"/a": {"post": {"requestBody": odd, "responses": odd, "tags": odd, "operationId": odd}}}},
    lambda odd: {"paths": {"/a": post(odd)}},
    lambda odd: {"paths": {"/a": post({"application/json": odd})}},
    lambda odd: {"paths": {"/a": post({"application/json": {"schema": odd, "examples": odd, "encoding": odd}})}},
    *(
        (
            lambda keyword: (
                lambda odd: {"paths": {"/a": post({"application/json": {"schema": {"type": "object", keyword: odd}}})}}
            )
        )(word)
        for word in (
            *("type", "properties", "required", "items", "allOf", "anyOf", "enum", "discriminator", "nullable"),
            *("additionalProperties", "minLength", "minimum", "pattern", "definitions", "dependencies", "description"),
        )
    ),
    lambda odd: {"paths": {"/a": get(security=odd, servers=odd)}, "security": odd, "servers": odd},
    lambda odd: {"paths": {"/a": get()}, "components": odd, "tags": odd, "info": odd, "webhooks": odd},
    lambda odd: {"paths": {"/a": get()}, "components": {"securitySchemes": odd, "schemas": odd}},
]


@pytest.mark.parametrize("version", ["2.0", "3.0.3", "3.1.0"])
def test_a_wrong_value_anywhere_costs_at_most_its_operation(api: Api, version: str) -> None:
    good = {"/good": {"get": {"operationId": "good", "responses": OK}}}
    for place in PLACES:
        for odd in ODD:
            spec: dict[str, Any] = place(odd)
            spec["paths"] = {**spec["paths"], **good}
            spec["swagger" if version == "2.0" else "openapi"] = version
            reading = api.reading(spec, checked=False)
            assert "good" in {operation.name for operation in reading.operations}
            for operation in reading.operations:
                Validator(operation.input)
                if operation.output is not None and (output := operation.output()) is not None:
                    Validator(output)


@pytest.mark.parametrize("length", [1, 2, 3, 50, 3000])
@pytest.mark.parametrize("link", ["$ref", "allOf", "anyOf", "not"])
def test_schemas_that_are_only_each_other_cost_their_operation(api: Api, length: int, link: str) -> None:
    def to(number: int) -> Any:
        reference = {"$ref": f"#/components/schemas/S{number % length}"}
        return reference if link == "$ref" else {link: reference if link == "not" else [reference]}

    schemas = {f"S{number}": to(number + 1) for number in range(length)}
    body = post({"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}})
    operations = api.read(
        {"/a": body, "/b": {"get": {"responses": OK}}}, checked=False, components={"schemas": schemas}
    )
    assert set(operations) == {"get /b"}
    assert api.rules() == ["circular-ref"]


@pytest.mark.parametrize("kind", ["parameters", "requestBodies", "pathItems", "examples"])
def test_references_that_lead_back_to_themselves(api: Api, kind: str) -> None:
    loop = {"A": {"$ref": f"#/components/{kind}/B"}, "B": {"$ref": f"#/components/{kind}/A"}}
    entry = {"$ref": f"#/components/{kind}/A"}
    item: Any = {
        "parameters": {"get": {"parameters": [entry]}},
        "requestBodies": {"post": {"requestBody": entry}},
        "pathItems": entry,
        "examples": get(query("q", examples={"a": entry})),
    }[kind]
    operations = api.read({"/a": item, "/b": {"get": {"responses": OK}}}, checked=False, components={kind: loop})
    assert "get /b" in operations
    assert api.rules() == ["circular-ref"]


def test_pointers_through_each_other_end(api: Api) -> None:
    schemas = {"A": {"$ref": "#/components/schemas/B/x"}, "B": {"$ref": "#/components/schemas/A/x"}}
    operations = api.read(
        {"/a": get(query("q", schema={"$ref": "#/components/schemas/A/x"}))},
        checked=False,
        components={"schemas": schemas},
    )
    assert operations == {}
    assert api.rules() == ["circular-ref"]


def test_a_chain_of_ten_thousand_schemas_is_followed(api: Api) -> None:
    count = 10_000
    schemas: dict[str, Any] = {
        f"S{number}": {"type": "object", "properties": {"next": {"$ref": f"#/components/schemas/S{number + 1}"}}}
        for number in range(count)
    }
    schemas[f"S{count}"] = {"type": "integer"}
    start = time.process_time()
    schema = {"$ref": "#/components/schemas/S0"}
    operations = api.read({"/a": get(query("q", schema=schema))}, checked=False, components={"schemas": schemas})
    assert len(operations["op"].input["$defs"]) == count + 1
    assert time.process_time() - start < 5


def test_a_schema_nested_beyond_reason_costs_its_operation(api: Api) -> None:
    deep: Any = {"type": "string"}
    for _ in range(120):
        deep = {"type": "array", "items": deep}
    item = post({"application/json": {"schema": deep}})
    operations = api.read({"/a": item, "/b": {"get": {"responses": OK}}}, checked=False)
    assert set(operations) == {"get /b"}
    assert api.rules() == ["too-deep"]


def test_all_of_that_multiplies_is_not_unfolded(api: Api) -> None:
    schemas: dict[str, Any] = {f"S{n}": {"allOf": [{"$ref": f"#/components/schemas/S{n + 1}"}] * 8} for n in range(40)}
    schemas["S40"] = {"type": "object", "properties": {"a": {"type": "string"}}}
    start = time.process_time()
    operations = api.read(
        {"/a": post({"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}})},
        checked=False,
        components={"schemas": schemas},
    )
    assert len(operations["op"].input["$defs"]) == 41
    assert time.process_time() - start < 2


def test_many_faults_are_found_in_linear_time(api: Api) -> None:
    fields = {f"f{n}": {"$ref": f"#/components/schemas/No{n}"} for n in range(5000)}
    start = time.process_time()
    api.read({"/a": post({"application/json": {"schema": {"properties": fields}}})}, checked=False)
    assert len(api.report.diagnostics) == 5000
    assert time.process_time() - start < 5


def test_one_fault_that_many_operations_share_is_one_finding(api: Api) -> None:
    bad = {"name": "q", "in": "query", "schema": {"$ref": "#/components/schemas/No"}}
    paths = {
        f"/p{n}": {"get": {"operationId": f"op{n}", "parameters": [{"$ref": "#/components/parameters/Q"}]}}
        for n in range(3)
    }
    assert api.read(paths, checked=False, components={"parameters": {"Q": bad}}) == {}
    (diagnostic,) = api.report.diagnostics
    assert diagnostic.origin is not None
    assert diagnostic.origin.pointer == "/components/parameters/Q/schema/$ref"
    assert diagnostic.count == 3
    assert all(name in diagnostic.message for name in ("api:op0", "api:op1", "api:op2"))


def test_components_are_shared_not_copied(api: Api) -> None:
    schemas = {"A": {"type": "object", "properties": {"b": {"$ref": "#/components/schemas/B"}}}, "B": {}, "C": {}}
    reference = {"$ref": "#/components/schemas/A"}
    paths = {f"/{n}": {"get": {"operationId": n, "parameters": [query("q", schema=reference)]}} for n in "xy"}
    operations = api.read(paths, components={"schemas": schemas})
    assert set(operations["x"].input["$defs"]) == {"A", "B"}
    assert operations["x"].input["$defs"]["A"] is operations["y"].input["$defs"]["A"]


def test_the_whole_description_is_validated_when_asked(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(api.folder / "cache"))
    spec = {"openapi": "3.1.0", "info": {"title": "t"}, "paths": {"/a": {"get": {"responses": {"200": {}}}}}}
    for _ in range(2):  # the second time from the cache
        assert len(api.reading(spec, validate_spec=True).operations) == 1
        found = [(d.rule, d.origin.pointer if d.origin else "") for d in api.report.diagnostics]
        assert ("invalid-spec", "/info") in found  # `version` is missing
    assert len(list((api.folder / "cache").rglob("openapi-*.json"))) == 1
    api.reading(spec)
    assert api.rules() == []


def test_validation_reads_no_more_than_references_may(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    def fetched(*_: Any, **__: Any) -> None:
        raise AssertionError("it reached out")

    monkeypatch.setenv("XDG_CACHE_HOME", str(api.folder / "cache"))
    # the validator reads the schemas it brings along in the same way, once
    api.reading({"openapi": "3.1.0", "info": {"title": "t"}, "paths": {}}, checked=False, validate_spec=True)
    monkeypatch.setattr("urllib.request.urlopen", fetched)
    monkeypatch.setattr("jsonschema_path.retrievers.urlopen", fetched)
    for target in ("http://x.example/a.json", "file:///etc/passwd", "../a.json"):
        spec = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {"/a": {"$ref": target}}}
        api.reading(spec, checked=False, validate_spec=True)
        assert {"invalid-spec"} < set(api.rules())
        assert "reached out" not in " ".join(diagnostic.message for diagnostic in api.report.diagnostics)
    _, report, _ = read_split(FIXTURES, validate_spec=True)
    (finding,) = report.diagnostics  # the other files were read: one of them has a tuple as draft 07 writes it
    assert "is not of type" in finding.message


# --- Swagger 2.0: lists of lists


@pytest.mark.parametrize(
    ("where", "outer", "inner", "sent"),
    [
        ("query", "multi", "csv", "a=1,2&a=3"),
        ("query", "multi", None, "a=1,2&a=3"),  # csv is the default of items too
        ("query", "pipes", "csv", "a=1,2|3"),
        ("query", "csv", "pipes", "a=1|2,3"),
        ("query", "ssv", "tsv", "a=1%092%203"),
        ("path", "pipes", "csv", "/x/1,2%7C3"),
        ("path", "csv", "ssv", "/x/1%202,3"),
        ("header", "csv", "pipes", "1|2,3"),
        ("formData", "pipes", "csv", "a=1,2|3"),
        ("formData", "multi", "ssv", "a=1%202&a=3"),
    ],
)
def test_lists_of_lists_are_written_as_each_level_says(
    where: str, outer: str, inner: str | None, sent: str, api: Api
) -> None:
    items = {"type": "array", "items": {"type": "integer"}, **({"collectionFormat": inner} if inner else {})}
    parameter = {"name": "a", "in": where, "required": True, "type": "array", "items": items, "collectionFormat": outer}
    path = "/x/{a}" if where == "path" else "/x"
    operation = {"operationId": "op", "parameters": [parameter], "responses": {"200": {"description": "ok"}}}
    found = api.read({path: {"post": operation}}, "2.0", checked=False)["op"]
    assert found.input["properties"]["a"]["items"] == {"type": "array", "items": {"type": "integer"}}
    made = request.build(call(found), {"a": [[1, 2], [3]]})
    told = {
        "query": made.url.partition("?")[2],
        "path": made.url.removeprefix(call(found).server),
        "header": dict(made.headers).get("a"),
        "formData": (made.body or b"").decode(),
    }
    assert told[where] == sent


def test_three_levels_and_texts_with_delimiters(api: Api) -> None:
    third = {"type": "array", "items": {"type": "string"}, "collectionFormat": "pipes"}
    second = {"type": "array", "items": third, "collectionFormat": "csv"}
    parameter = {"name": "a", "in": "query", "type": "array", "items": second, "collectionFormat": "multi"}
    operation = {"operationId": "op", "parameters": [parameter], "responses": {"200": {"description": "ok"}}}
    found = api.read({"/x": {"get": operation}}, "2.0", checked=False)["op"]
    url = request.build(call(found), {"a": [[["p,q", "r|s"], ["t"]], [["u"]], []]}).url
    assert url.endswith("?a=p%2Cq|r%7Cs,t&a=u&a=")


# --- OpenAPI 3.2


def test_the_default_mapping_of_a_discriminator_is_one_of_its_kinds(api: Api) -> None:
    kind = {"type": "object", "properties": {"kind": {"type": "string"}}}
    extends = {"$ref": "#/components/schemas/Pet"}
    mapping = {"propertyName": "kind", "mapping": {"cat": "Cat"}, "defaultMapping": "Other"}
    schemas = {
        "Pet": {**kind, "discriminator": mapping},
        "Cat": {"allOf": [extends, {"required": ["lives"], "properties": {"lives": {"type": "integer"}}}]},
        "Other": {"allOf": [extends, {"required": ["name"], "properties": {"name": {"type": "string"}}}]},
        "Dog": {"allOf": [extends, {"required": ["tail"], "properties": {"tail": {"type": "string"}}}]},
    }
    operation = api.body(extends, "3.2.0", checked=False, components={"schemas": schemas})
    assert accepts(operation, id="1", body={"kind": "cat", "lives": 9})
    assert accepts(operation, id="1", body={"name": "Rex"})
    assert not accepts(operation, id="1", body={"tail": "long"})  # the mapping names the kinds that there are
    found = operation.input["$defs"]["Pet"]["discriminator"]
    assert found == {"propertyName": "kind", "mapping": {"cat": "#/$defs/Cat"}, "defaultMapping": "#/$defs/Other"}
    mapping["defaultMapping"] = "#/components/schemas/Gone"
    api.body(extends, "3.2.0", checked=False, components={"schemas": schemas})
    assert [(item.rule, "Gone" in item.message) for item in api.report.diagnostics] == [("unresolved-ref", True)]


def test_relative_servers_start_at_what_the_description_calls_itself(api: Api) -> None:
    own = {"$self": "https://api.example.com/specs/one.yaml"}
    for servers, expected in (([{"url": "/v1"}], "https://api.example.com/v1"), ([], "https://api.example.com")):
        found = api.read({"/x": get()}, "3.2.0", checked=False, servers=servers, **own)["op"]
        assert call(found).server == expected


def test_a_security_scheme_keeps_where_its_metadata_is(api: Api) -> None:
    device = {"deviceAuthorizationUrl": "https://a.example/d", "tokenUrl": "https://a.example/t"}
    scheme = {
        "type": "oauth2",
        "oauth2MetadataUrl": "https://a.example/m",
        "deprecated": True,
        "flows": {"deviceAuthorization": device},
    }
    components = {"securitySchemes": {"o": {**scheme, "flows": {"deviceAuthorization": {**device, "scopes": {}}}}}}
    found = api.read({"/x": get(security=[{"o": []}])}, "3.2.0", checked=False, components=components)["op"]
    assert call(found).security == ({"o": scheme},)


def test_a_multipart_body_of_unnamed_parts_is_left_out_and_named(api: Api) -> None:
    item = {"multipart/mixed": {"itemSchema": {"type": "object"}, "itemEncoding": {"contentType": "application/json"}}}
    assert api.read({"/x": post(item)}, "3.2.0", checked=False) == {}
    assert "a list of parts cannot be sent" in api.report.diagnostics[0].message


def test_words_for_true_and_false_of_yaml_1_1_are_read_as_meant(api: Api) -> None:
    """`required: yes` is a text in YAML 1.2; whoever writes it means true."""
    flag = {"in": "query", "schema": {"type": "array", "items": {"type": "string"}}}
    body = {
        "type": "object",
        "additionalProperties": "no",
        "properties": {"n": {"type": "string", "nullable": "yes"}, "yes": {"type": "string", "enum": ["yes", "no"]}},
    }
    operation = {
        "operationId": "op",
        "deprecated": "Yes",
        "parameters": [
            {"name": "a", "required": "yes", "explode": "no", **flag},
            {"name": "b", "required": "perhaps", **flag},
        ],
        "requestBody": {"required": "on", "content": {"application/json": {"schema": body}}},
        "responses": OK,
    }
    op = api.read({"/a": {"post": operation}}, "3.0.3", checked=False)["op"]
    assert op.deprecated
    assert op.input["required"] == ["a"]
    assert op.input["properties"]["n"]["type"] == ["string", "null"]
    assert op.input["properties"]["yes"]["enum"] == ["yes", "no"]
    assert op.input["additionalProperties"] is False
    assert isinstance(op.call, HttpCall)
    assert (op.call.inputs["a"]["explode"], op.call.body_required) == (False, True)
    found = [(item.rule, item.origin and item.origin.pointer) for item in api.report.diagnostics]
    start = "/paths/~1a/post"
    schema = f"{start}/requestBody/content/application~1json/schema"
    assert found == [
        ("doubtful-flag", f"{start}/deprecated"),
        ("doubtful-flag", f"{start}/parameters/0/required"),
        ("doubtful-flag", f"{start}/parameters/0/explode"),
        ("doubtful-flag", f"{start}/parameters/1/required"),
        ("doubtful-flag", f"{start}/requestBody/required"),
        ("doubtful-schema", f"{schema}/additionalProperties"),
        ("doubtful-schema", f"{schema}/properties/n"),
    ]


def test_a_parameter_with_a_schema_and_a_content_is_named(api: Api) -> None:
    both = {"name": "b", "in": "query", "schema": {"type": "string"}, "content": {"application/json": {"schema": {}}}}
    op = api.read({"/a": {"get": {"operationId": "op", "parameters": [both], "responses": OK}}}, checked=False)["op"]
    assert op.input["properties"] == {"b": {"type": "string"}}
    assert api.rules() == ["invalid-parameter"]


@pytest.mark.parametrize(
    ("content_type", "content", "sent"),
    [
        ("image/*", b"\xff\xd8\xff\xe0", "image/jpeg"),
        ("image/*", b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        ("image/*", b"???", "image/png"),
        ("audio/*", b"RIFF\0\0\0\0WAVEfmt ", "audio/wav"),
        ("font/*", b"???", "application/octet-stream"),
    ],
)
def test_a_file_in_a_range_of_types_is_sent_as_one_of_them(
    api: Api, content_type: str, content: bytes, sent: str
) -> None:
    operation = api.read(
        {"/a": post({content_type: {"schema": {"type": "string", "format": "binary"}}})}, checked=False
    )
    made = request.build(call(operation["op"]), {"body": base64.b64encode(content).decode()})
    assert (made.body, made.content_type) == (content, sent)
    named = request.build(call(operation["op"]), {"body": payload.Upload("a.svg", b"<svg/>")})
    assert named.content_type == ("image/svg+xml" if content_type == "image/*" else sent.replace("wav", "mpeg"))


def test_a_method_that_is_none_is_told(api: Api) -> None:
    get = {"operationId": "a", "summary": "Read the a of it.", "responses": OK}
    found = api.read({"/a": {"get": get, "gett": {**get, "operationId": "b"}, "x-gett": get, "summary": "An a."}})
    assert list(found) == ["a"]
    (finding,) = api.report.diagnostics
    assert (finding.rule, finding.origin and finding.origin.pointer) == ("invalid-operation", "/paths/~1a/gett")
    assert finding.message == "`gett` is no method, and is left out; did you mean `get`?"
