"""Each file of the public cases gives what its head comment says; the comment is the truth, the assertions are ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from openapi_check import complaints

from toolc.diagnostics import Report, Severity
from toolc.ir import HttpCall, Operation
from toolc.schema.validator import Validator
from toolc.sources import Context, openapi

Read = dict[str, Operation]


class Cases:
    """Reads a case by its number."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, number: str, strict: bool = False) -> tuple[Read, Report]:
        path = next(self.folder.glob(f"{number}-*.yaml"))
        report = Report()
        context = Context("api", self.folder, self.folder, report, strict)
        operations = openapi.read(openapi.Options(path.name), context).operations
        assert complaints(context.document(path.name).data, operations, report.diagnostics) == []
        return {operation.name: operation for operation in operations}, report

    def one(self, number: str) -> Operation:
        operations, _ = self.read(number)
        (operation,) = operations.values()
        return operation


@pytest.fixture
def cases(shared: Path) -> Cases:
    return Cases(shared / "cases" / "openapi")


def call(operation: Operation) -> HttpCall:
    assert isinstance(operation.call, HttpCall)
    return operation.call


def properties(operation: Operation) -> dict[str, Any]:
    found: dict[str, Any] = operation.input["properties"]
    return found


def accepts(operation: Operation, arguments: dict[str, Any]) -> bool:
    return Validator(operation.input).accepts(arguments)


def test_01_a_schema_that_contains_itself_is_kept_as_a_definition(cases: Cases) -> None:
    operation = cases.one("01")
    assert operation.name == "post_comment"
    assert operation.input["$defs"]["Comment"]["properties"]["replies"]["items"] == {"$ref": "#/$defs/Comment"}
    assert accepts(operation, {"text": "a", "replies": [{"text": "b", "replies": [{"text": "c"}]}]})
    assert not accepts(operation, {"text": "a", "replies": [{"text": "b", "replies": [{}]}]})


def test_02_a_circle_through_all_of_loses_no_property(cases: Cases) -> None:
    operation = cases.one("02")
    assert {"name", "children"} <= properties(operation).keys()
    assert operation.input["required"] == ["name"]
    assert not accepts(operation, {"name": "a", "children": [{"parent": {"name": "b"}}]})
    assert accepts(operation, {"name": "a", "children": [{"name": "c", "parent": {"name": "b"}}]})


def test_05_nullable_becomes_a_type(cases: Cases) -> None:
    operations, report = cases.read("05")
    made = properties(operations["create_item"])
    assert made["size"] == {"type": ["string", "null"], "enum": ["S", "M", None]}
    assert made["note"] == {"type": ["string", "null"]}
    assert made["price"] == {"type": "number"}
    assert made["owner"] == {"allOf": [{"$ref": "#/$defs/Owner"}]}
    (warning,) = report.diagnostics
    assert warning.severity is Severity.warning
    assert warning.origin is not None
    assert warning.origin.pointer.endswith("/properties/owner")


def test_07_path_level_parameters_are_overridden_by_name_and_place(cases: Cases) -> None:
    operations, _ = cases.read("07")
    get, delete = operations["get_doc"], operations["delete_doc"]
    assert list(properties(get)) == list(properties(delete)) == ["tenant", "doc", "lang", "X-Trace"]
    assert get.input["required"] == delete.input["required"] == ["tenant", "doc"]
    assert properties(get)["lang"] == {"type": "string", "enum": ["en", "de"]}
    assert properties(delete)["lang"] == {"type": "string"}
    assert call(get).inputs["X-Trace"] == {"in": "header", "name": "X-Trace"}


def test_08_a_content_parameter_is_sent_as_json(cases: Cases) -> None:
    operation = cases.one("08")
    assert operation.input["required"] == ["filter"]
    assert properties(operation)["filter"]["required"] == ["field"]
    assert call(operation).inputs["filter"] == {"in": "query", "name": "filter", "content": "application/json"}


def test_09_styles_stay_in_the_binding(cases: Cases) -> None:
    operation = cases.one("09")
    # What equals OpenAPI's default of the place and style is left out (3.0.3, Parameter Object).
    assert call(operation).inputs == {
        "m": {"in": "path", "name": "m", "style": "matrix", "explode": True},
        "ids": {"in": "query", "name": "ids", "explode": False},
        "f": {"in": "query", "name": "f", "style": "deepObject", "explode": True},
        "p": {"in": "query", "name": "p", "style": "pipeDelimited"},
        "s": {"in": "query", "name": "s", "style": "spaceDelimited"},
    }
    assert "explode" not in str(operation.input)
    assert "style" not in str(operation.input)


def test_10_files_and_parts_of_a_multipart_body(cases: Cases) -> None:
    operation = cases.one("10")
    assert operation.input["required"] == ["file"]
    assert properties(operation)["file"]["contentEncoding"] == "base64"
    assert properties(operation)["meta"]["properties"] == {"title": {"type": "string"}}
    assert call(operation).content_type == "multipart/form-data"
    assert call(operation).encoding == {"meta": {"contentType": "application/json"}}
    assert call(operation).inputs["file"]["contentEncoding"] == "base64"


def test_13_operations_without_an_id_are_named_by_method_and_path(cases: Cases) -> None:
    operations, _ = cases.read("13")
    assert set(operations) == {"get /a/c", "get /a/{x}/c", "get /a_c", "get /a-c/"}
    assert all(operation.extra["operation_id"] == "" for operation in operations.values())


@pytest.mark.parametrize(("strict", "severity"), [(False, Severity.warning), (True, Severity.error)])
def test_14_a_second_use_of_an_id_gets_a_free_number(cases: Cases, strict: bool, severity: Severity) -> None:
    operations, report = cases.read("14", strict)
    assert {name: call(operation).path for name, operation in operations.items()} == {
        "list": "/a",
        "list_2": "/c",
        "list_3": "/b",
    }
    assert [(d.rule, d.severity) for d in report.diagnostics] == [("duplicate-operation-id", severity)]


def test_15_long_ids_stay_apart(cases: Cases) -> None:
    operations, _ = cases.read("15")
    assert {call(operation).path for operation in operations.values()} == {"/one", "/two"}
    assert len(operations) == 2


def test_16_wire_names_that_no_vendor_takes_are_mapped(cases: Cases) -> None:
    operations, _ = cases.read("16")
    assert set(operations) == {"größen_lesen", "获取用户", "获取订单"}
    assert call(operations["größen_lesen"]).inputs == {
        "groesse": {"in": "query", "name": "größe"},
        "filter_name": {"in": "query", "name": "filter[name]"},
    }
    assert operations["获取用户"].description == "获取用户"


def test_18_references_with_every_escape_resolve(cases: Cases) -> None:
    operations, _ = cases.read("18")
    operation = operations["copy_pet"]
    assert accepts(operation, {"pet": {"tag": "a"}, "odd": 1})
    assert not accepts(operation, {"pet": {"tag": 1}})
    assert not accepts(operation, {"odd": "1"})


def test_20_each_direction_has_its_own_fields(cases: Cases) -> None:
    operation = cases.one("20")
    assert set(properties(operation)) == {"name", "password"}
    assert operation.input["required"] == ["name", "password"]
    assert operation.output is not None
    output = operation.output()
    assert output is not None
    assert set(output["properties"]) == {"id", "name"}
    assert output["required"] == ["id", "name"]


def test_21_the_default_response_stands_where_no_other_is_given(cases: Cases) -> None:
    operations, _ = cases.read("21")
    read, drop = operations["read_r"].output, operations["drop_r"].output
    assert read is not None
    assert drop is not None
    assert read() == {"type": "object", "properties": {"ok": {"type": "boolean"}}}
    assert drop() is None


def test_23_swagger_2_bodies_forms_and_collections(cases: Cases) -> None:
    operations, _ = cases.read("23")
    upload, put = operations["upload"], operations["put_pet"]
    assert set(properties(upload)) == {"doc", "note"}
    assert upload.input["required"] == ["doc"]
    assert properties(upload)["doc"]["contentEncoding"] == "base64"
    assert call(upload).content_type == "multipart/form-data"
    assert properties(put)["pet"] == {"$ref": "#/$defs/Pet"}
    assert put.input["$defs"]["Pet"]["required"] == ["name"]
    assert call(put).inputs["tags"] == {"in": "query", "name": "tags", "explode": False}
    assert call(put).server == call(upload).server == "https://api.example.test/v1"


def test_25_yaml_words_stay_what_the_author_wrote(cases: Cases) -> None:
    operation = cases.one("25")
    made = properties(operation)
    assert made["country"]["enum"] == ["NO", "DE", "ON"]
    assert made["on"] == {"type": "boolean"}
    assert made["since"]["default"] == "2024-01-31"
    assert made["limit"] == {"type": "integer", "default": 10}
    assert made["offset"] == {"type": "integer", "default": 0}


def test_26_a_huge_enum_is_whole(cases: Cases) -> None:
    assert len(properties(cases.one("26"))["zone"]["enum"]) == 400


def test_28_json_is_preferred_and_what_is_dropped_is_named(cases: Cases) -> None:
    operations, report = cases.read("28")
    patch, put = operations["patch_t"], operations["put_t"]
    assert call(patch).content_type == "application/json; charset=utf-8"
    assert set(properties(patch)) == {"c"}
    assert properties(put) == {"body": {"type": "string"}}
    assert call(put).content_type == "text/csv"
    assert put.examples[0].arguments == {"body": "a,b\n1,2"}
    (note,) = report.diagnostics
    assert note.rule == "dropped-content-type"
    assert "application/xml" in note.message
    assert "application/merge-patch+json" in note.message


def test_30_examples_are_whole_calls(cases: Cases) -> None:
    operations, report = cases.read("30")
    examples = [example.arguments for example in operations["order"].examples]
    assert examples == [
        {"shop": "berlin", "sku": "A-1", "qty": 1},
        {"shop": "berlin", "sku": "B-7", "qty": 3},
        {"shop": "berlin", "sku": "C-1", "qty": "many"},  # a later pass finds that it is invalid
    ]
    assert [d.rule for d in report.diagnostics] == ["external-example"]


def test_31_a_crud_group_shares_its_path_and_knows_its_effects(cases: Cases) -> None:
    operations, _ = cases.read("31")
    assert {name: operation.hints.effect for name, operation in operations.items()} == {
        "listNotes": "read",
        "createNote": "write",
        "getNote": "read",
        "updateNote": "write",
        "deleteNote": "destructive",
    }
    update = operations["updateNote"]
    assert update.input["required"] == ["id"]
    assert accepts(update, {"id": "a"})  # the body of updateNote is optional …
    assert not accepts(update, {"id": "a", "pinned": True})  # … and once there, needs its text
    assert accepts(update, {"id": "a", "pinned": True, "text": "b"})


@pytest.mark.parametrize("strict", [False, True])
def test_33_a_bad_operation_costs_itself_and_all_its_faults_are_named(cases: Cases, strict: bool) -> None:
    operations, report = cases.read("33", strict)
    assert set(operations) == {"ok_op"}
    found = {
        (d.rule, d.origin.pointer.removeprefix("/paths/~1bad~1{id}~1{k}/post")): d
        for d in report.diagnostics
        if d.origin
    }
    assert set(found) == {
        ("unresolved-ref", "/requestBody/content/application~1json/schema/$ref"),
        ("missing-path-parameter", ""),
        ("invalid-parameter", "/parameters/0/required"),
        ("invalid-parameter", "/parameters/1/in"),
    }
    errors = {rule for (rule, _), d in found.items() if d.severity is Severity.error}
    assert errors == ({rule for rule, _ in found} if strict else {"unresolved-ref", "invalid-parameter"})


def test_34_a_path_item_elsewhere_is_followed(cases: Cases) -> None:
    operations, _ = cases.read("34")
    assert set(operations) == {"get_a", "get_a_2"}
    assert properties(operations["get_a"]) == {}
    assert call(operations["get_a_2"]).path == "/b"
    assert properties(operations["get_a_2"]) == {"q": {"type": "string"}}
