"""One tool definition as its vendor writes it, and where its parts stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolc.ir import Origin

ANNOTATIONS = {
    "readOnlyHint": "read_only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}


@dataclass(frozen=True, slots=True)
class Shape:
    """How one vendor writes a definition.

    inputs, outputs, examples: the keys of each, the first present counts; protobuf: those of them that hold protobuf
    JSON; flat: those that hold parameters by their names, without a schema around them. carried: keys that are known
    and kept as they are. closed: any other key is a fault, not merely unknown to us.
    """

    name: str
    inputs: tuple[str, ...]
    carried: tuple[str, ...] = ()
    examples: tuple[str, ...] = ("input_examples", "inputExamples", "examples")
    outputs: tuple[str, ...] = ()
    protobuf: tuple[str, ...] = ()
    flat: tuple[str, ...] = ()
    closed: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """Every key that the vendor documents."""
        return ("name", "description", *self.inputs, *self.examples, *self.outputs, *self.carried)


NATIVE = Shape("native", ("input",), ("hints", "results", "run"), examples=("examples",), closed=True)
ANTHROPIC = Shape(
    "anthropic",
    ("input_schema",),
    ("type", "strict", "cache_control", "defer_loading", "allowed_callers", "eager_input_streaming"),
)
OPENAI = Shape(
    "openai",
    # The second is what the Agents SDK calls it in a `FunctionTool`.
    ("parameters", "params_json_schema"),
    ("type", "strict", "defer_loading", "allowed_callers"),
    outputs=("output_schema",),
)
GEMINI = Shape(
    "gemini",
    ("parametersJsonSchema", "parameters_json_schema", "parameters"),
    ("behavior",),
    outputs=("responseJsonSchema", "response_json_schema", "response"),
    protobuf=("parameters", "response"),
)
# A tool of LangChain as pydantic dumps it; the field is named `tool_call_schema` where it is not what it was made with.
LANGCHAIN = Shape("langchain", ("args_schema", "tool_call_schema"))
# Cohere's first API; Bedrock's agents.
FLAT = Shape("flat", ("parameter_definitions", "parameters"), flat=("parameter_definitions", "parameters"))
BEDROCK = Shape("bedrock", ("inputSchema",), ("strict",))
MCP = Shape(
    "mcp",
    ("inputSchema",),
    ("title", "annotations", "icons", "_meta", "execution", "strict"),
    outputs=("outputSchema",),
)


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition as it stands in the file.

    body: the mapping that holds name and schema, at `origin`; wrapper: the other keys of the mapping around it, if any.
    namespace: the name of the group it stands in (OpenAI).
    """

    shape: Shape
    body: Mapping[str, Any]
    origin: Origin
    wrapper: Mapping[str, Any] = field(default_factory=dict)
    namespace: str = ""

    @property
    def name(self) -> str:
        """The tool's name, or an empty string."""
        name = self.body.get("name")
        return name if isinstance(name, str) else ""

    @property
    def description_key(self) -> str:
        """What the description is called; VS Code's extensions have one for people beside the one for models."""
        return "modelDescription" if "modelDescription" in self.body else "description"

    def key(self, keys: tuple[str, ...]) -> str:
        """The first of these keys that it has, or an empty string."""
        return next((key for key in keys if key in self.body), "")

    @property
    def schema(self) -> tuple[Any, Origin]:
        """The schema of the arguments as written, and its place."""
        key = self.key(self.shape.inputs)
        if not key:
            return None, self.origin
        raw, origin = self.body[key], self.origin.at(key)
        if self.shape is BEDROCK and isinstance(raw, dict):
            return raw.get("json"), origin.at("json")
        if isinstance(raw, dict) and isinstance(raw.get("jsonSchema"), dict) and "type" not in raw:  # Vercel's SDK
            return raw["jsonSchema"], origin.at("jsonSchema")
        return raw, origin

    def place(self, path: tuple[str | int, ...]) -> Origin:
        """Where a part of the operation stands, as `Operation.place` names it."""
        if not path:
            return self.origin
        if path[0] == "input":
            flat = self.key(self.shape.inputs) in self.shape.flat and path[1:2] == ("properties",)
            return self.schema[1].at(*path[2 if flat else 1 :])
        native = self.shape.closed
        holders = {
            "description": self.description_key,
            "examples": self.key(self.shape.examples),
            "output": self.key(self.shape.outputs),
            "hints": "hints" if native else "annotations",
        }
        holder = holders.get(str(path[0]), str(path[0]))
        if holder not in self.body:
            return self.origin
        vendor_names = {name: key for key, name in ANNOTATIONS.items()}
        rest = (
            [vendor_names.get(str(path[1]), path[1]), *path[2:]]
            if path[0] == "hints" and path[1:] and not native
            else path[1:]
        )
        return self.origin.at(holder, *rest)
