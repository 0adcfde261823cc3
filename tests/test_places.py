"""A part of an operation is found in the user's own file, whatever the source looks like."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolc import config
from toolc.diagnostics import Report
from toolc.ir import Origin
from toolc.pipeline.reading import read

SPEC = """\
openapi: 3.0.3
info: {title: t, version: "1"}
paths:
  /pets/{id}:
    parameters:
      - $ref: "#/components/parameters/Id"
    post:
      operationId: updatePet
      summary: Update a pet.
      parameters:
        - {name: dry, in: query, description: Try only., schema: {type: boolean, default: no}}
      requestBody:
        content:
          application/json:
            schema: {$ref: "#/components/schemas/Pet"}
components:
  parameters:
    Id: {name: id, in: path, required: true, schema: {type: string}}
  schemas:
    Pet:
      allOf:
        - {$ref: "#/components/schemas/Named"}
        - type: object
          properties: {owner: {$ref: "#/components/schemas/Named"}}
    Named:
      type: object
      properties: {name: {type: string, maxLength: 5}}
"""
SWAGGER = """\
swagger: "2.0"
info: {title: t, version: "1"}
paths:
  /pets:
    post:
      operationId: addPet
      parameters:
        - {name: kind, in: query, type: string, enum: [cat]}
        - {name: pet, in: body, schema: {type: object, properties: {name: {type: string}}}}
"""
NATIVE = """\
tools: [{name: a, description: b, input: {type: object, properties: {x: {type: string}}}, hints: {read_only: true}}]
"""
MCP = '[{"name": "a", "inputSchema": {"type": "object", "properties": {}}, "annotations": {"readOnlyHint": true}}]'
SQL = "CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
SKILL = "---\nname: tidy\ndescription: Tidy up.\n---\nDo it.\n"

COMPONENT = "/components/schemas/Named/properties/name"
CASES = [
    ("spec.yaml", SPEC, ("name",), "/paths/~1pets~1{id}/post/operationId"),
    ("spec.yaml", SPEC, ("description",), "/paths/~1pets~1{id}/post/summary"),
    ("spec.yaml", SPEC, ("input", "properties", "id"), "/components/parameters/Id"),
    ("spec.yaml", SPEC, ("input", "properties", "id", "type"), "/components/parameters/Id/schema/type"),
    (
        "spec.yaml",
        SPEC,
        ("input", "properties", "dry", "description"),
        "/paths/~1pets~1{id}/post/parameters/0/description",
    ),
    (
        "spec.yaml",
        SPEC,
        ("input", "properties", "dry", "default"),
        "/paths/~1pets~1{id}/post/parameters/0/schema/default",
    ),
    ("spec.yaml", SPEC, ("input", "properties", "name", "maxLength"), f"{COMPONENT}/maxLength"),
    ("spec.yaml", SPEC, ("input", "$defs", "Named", "properties", "name"), COMPONENT),
    ("spec.yaml", SPEC, ("input",), "/paths/~1pets~1{id}/post"),
    ("spec.yaml", SWAGGER, ("input", "properties", "kind", "enum", 0), "/paths/~1pets/post/parameters/0/enum/0"),
    (
        "spec.yaml",
        SWAGGER,
        ("input", "properties", "pet", "properties", "name", "type"),
        "/paths/~1pets/post/parameters/1/schema/properties/name/type",
    ),
    ("tools.yaml", NATIVE, ("input", "properties", "x", "type"), "/tools/0/input/properties/x/type"),
    ("tools.yaml", NATIVE, ("hints", "read_only"), "/tools/0/hints/read_only"),
    ("tools.json", MCP, ("hints", "read_only"), "/0/annotations/readOnlyHint"),
    ("tools.json", MCP, ("description",), "/0"),
    ("shop.sql", SQL, ("input", "properties", "values", "properties", "name", "type"), "/pets/name"),
    ("SKILL.md", SKILL, ("description",), "/description"),
]


@pytest.mark.parametrize(("file", "text", "path", "pointer"), CASES)
def test_place(file: str, text: str, path: tuple[str | int, ...], pointer: str, tmp_path: Path) -> None:
    (tmp_path / file).write_text(text)
    entry = config.detect(tmp_path / file)
    assert entry is not None
    operation = next(iter(read(config.for_files([entry], tmp_path), Report()).catalog.operations.values()))
    assert operation.place(*path) == Origin(file, pointer)
