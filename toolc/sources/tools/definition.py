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
    JSON. carried: keys that are known and kept as they are. closed: any other key is a fault, not merely unknown to us.
    """

    name: str
    inputs: tuple[str, ...]
    carried: tuple[str, ...] = ()
    examples: tuple[str, ...] = ("input_examples", "inputExamples", "examples")
    outputs: tuple[str, ...] = ()
    protobuf: tuple[str, ...] = ()
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
    "openai", ("parameters",), ("type", "strict", "defer_loading", "allowed_callers"), outputs=("output_schema",)
)
GEMINI = Shape(
    "gemini",
    ("parametersJsonSchema", "parameters_json_schema", "parameters"),
    ("behavior",),
    outputs=("responseJsonSchema", "response_json_schema", "response"),
    protobuf=("parameters", "response"),
)
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
        return raw, origin

    def place(self, path: tuple[str | int, ...]) -> Origin:
        """Where a part of the operation stands, as `Operation.place` names it."""
        if not path:
            return self.origin
        if path[0] == "input":
            return self.schema[1].at(*path[1:])
        native = self.shape.closed
        holders = {
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
