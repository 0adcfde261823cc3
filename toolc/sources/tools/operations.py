"""The operations that tool definitions become, whatever their vendor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from toolc import argv
from toolc.bind import did_you_mean
from toolc.diagnostics import Report
from toolc.hints import complete, infer_from_name
from toolc.ir import Call, Example, Hint, Hints, Opaque, Operation, Origin, Schema
from toolc.sources.tools.definition import ANNOTATIONS, MCP, NATIVE, Definition
from toolc.sources.tools.inputs import exact_input, from_parameters, from_protobuf, self_contained

HINTS = ("read_only", "destructive", "idempotent", "open_world")


def operations(
    source: str, definitions: list[Definition], report: Report, call: Callable[[str], Call] | None = None
) -> tuple[Operation, ...]:
    """The operations of the definitions, in their order; one that is unusable is reported and left out.

    call: how a tool is called, by its name; without it the user's own runtime calls it.
    """
    names = [definition.name for definition in definitions]
    first: dict[str, Origin] = {}
    found = []
    for definition in definitions:
        name = definition.name
        place = definition.origin.at("name") if "name" in definition.body else definition.origin
        if not name:
            slip = "" if "name" in definition.body else did_you_mean("name", map(str, definition.body))
            report.error("missing-name", f"a tool needs a `name`, a text that is not empty{slip}", place)
            continue
        if definition.namespace and names.count(name) > 1:
            name = f"{definition.namespace}.{name}"
        if name in first:
            report.error(
                "duplicate-name",
                f"`{name}` is defined twice; the second definition is left out",
                place,
                help=f"the first stands at {first[name].source}{first[name].pointer}; rename or remove one",
                subject=f"{source}:{name}",
            )
            continue
        first[name] = definition.origin
        operation = _Reader(definition, name, f"{source}:{name}", report).operation()
        if operation is not None:
            found.append(operation if call is None else replace(operation, call=call(name)))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads one definition and reports under its operation's id."""

    definition: Definition
    name: str
    id: str
    report: Report

    def operation(self) -> Operation | None:
        definition, shape = self.definition, self.definition.shape
        self.name_unknown_keys()
        key = definition.key(shape.inputs)
        raw, place = definition.schema
        if key in shape.flat and isinstance(raw, dict):
            raw = from_parameters(raw)
        schema = exact_input(raw, place, self.report, self.id, protobuf=key in shape.protobuf)
        if schema is None:
            return None
        if shape is MCP and not key:
            message = f"`{self.name}` says nothing of its arguments (no `inputSchema`); it is taken to have none"
            self.report.warning("missing-schema", message, definition.origin, subject=self.id)
        description = self.text(definition.description_key)
        return Operation(
            self.id,
            self.name,
            description,
            schema,
            self.run(schema.get("properties", {})) if shape is NATIVE else Opaque(),
            definition.origin,
            output=_output(definition),
            places=definition.place,
            examples=tuple(self.examples()),
            hints=complete(self.declared(), infer_from_name(self.name, description)),
            tags=(definition.namespace,) if definition.namespace else (),
            deprecated=definition.body.get("deprecated") is True,
            extra={
                **_carried(definition),
                # What a client would send without toolc: the base of its savings.
                **({"input_as_written": raw} if isinstance(raw, dict) and raw != schema else {}),
                "pointers": {"definition": definition.origin.pointer, "input": place.pointer},
            },
        )

    def examples(self) -> list[Example]:
        """Those of the definition, then those that its schema has for the arguments as a whole."""
        definition = self.definition
        key = definition.key(definition.shape.examples)
        given = definition.body.get(key)
        places = [(value, definition.origin.at(key, index)) for index, value in enumerate(_list(given))]
        if given is not None and not isinstance(given, list):
            places.append((given, definition.origin.at(key)))
        raw, place = definition.schema
        if isinstance(raw, dict):
            places += [(value, place.at("examples", index)) for index, value in enumerate(_list(raw.get("examples")))]
        found = []
        for value, where in places:
            if key == "inputExamples" and isinstance(value, dict) and set(value) == {"input"}:
                value, where = value["input"], where.at("input")  # as the Vercel SDK wraps them
            if isinstance(value, dict):
                found.append(Example(value, "authored" if definition.shape is NATIVE else "source", where))
            else:
                self.wrong_type("an example is a mapping of arguments", value, where, rule="invalid-example")
        return found

    def declared(self) -> Hints:
        """What the definition states: MCP annotations, or `hints` of the native form."""
        native = self.definition.shape is NATIVE
        holder = "hints" if native else "annotations"
        names = {name: name for name in HINTS} if native else ANNOTATIONS
        hints: dict[str, Hint] = {}
        for key, value in self.mapping(holder).items():
            place = self.definition.origin.at(holder, key)
            if key in names and isinstance(value, bool):
                hints[names[key]] = Hint(value, "declared", f"{holder}.{key}")
            elif key in names and value is not None:
                self.wrong_type(f"`{key}` is true or false", value, place)
            elif native and key not in names:
                message = f"unknown hint `{key}`{did_you_mean(str(key), names)}"
                self.report.warning("unknown-key", message, place, f"hints: {', '.join(names)}", self.id)
        if not native and "destructive" not in hints and hints.get("read_only", Hint(True)).value is False:
            # MCP: "destructiveHint … default: true", meaningful only where readOnlyHint is false. An author who wrote
            # the latter knows the scheme; of one who wrote no annotation at all, the tool's name says more.
            hints["destructive"] = Hint(True, "inferred", "MCP's default where readOnlyHint is false")
        return Hints(**hints)

    def run(self, properties: Mapping[str, Any]) -> Opaque:
        """properties: of the input, by name."""
        run = self.definition.body.get("run")
        place = self.definition.origin.at("run")
        if run is None:
            return Opaque()
        if not isinstance(run, list) or not run or not isinstance(run[0], str) or not all(map(_is_entry, run)):
            self.wrong_type("`run` is a list of texts, the program and its arguments", run, place)
            return Opaque()
        if argv.named(run[0]):
            self.wrong_type("the program in `run` is no argument of the call", run[0], place.at(0))
            return Opaque()
        for index, entry in enumerate(run):
            for name in (name for word in argv.words([entry]) for name in argv.named(word) if name not in properties):
                message = f"`run` names `{name}`, which is no argument{did_you_mean(name, properties)}"
                self.report.warning("unknown-argument", message, place.at(index), subject=self.id)
        for index, option, name in argv.unclear(run):
            if _may_begin_with_dash(properties.get(name)):
                self.report.warning(
                    "unclear-option",
                    f"whether `{option}` takes `{{{name}}}` cannot be told, so no value of it may begin with `-`",
                    place.at(index),
                    help=f'if not, insert `--` before it: {option}, --, "{{{name}}}"; '
                    f'if so, write both as one entry: [{option}, "{{{name}}}"]',
                    subject=self.id,
                )
        return Opaque(tuple(entry if isinstance(entry, str) else tuple(entry) for entry in run))

    def name_unknown_keys(self) -> None:
        """Report keys that nobody reads: all in the native form, elsewhere those that look like a slip."""
        shape, body = self.definition.shape, self.definition.body
        known = (*shape.keys, self.definition.description_key, "deprecated")
        for key in body:
            if key in known or str(key).startswith(("x-", "x_", "_")):
                continue
            slip = did_you_mean(str(key), [each for each in shape.keys if each not in body])
            if shape.closed or slip:
                self.report.warning(
                    "unknown-key",
                    f"unknown key `{key}`{slip}",
                    self.definition.origin.at(key),
                    help=f"keys of a tool: {', '.join(shape.keys)}" if shape.closed else "",
                    subject=self.id,
                )

    def text(self, key: str) -> str:
        value = self.definition.body.get(key)
        if value is None or isinstance(value, str):
            return value or ""
        self.wrong_type(f"`{key}` is a text", value, self.definition.origin.at(key))
        return ""

    def mapping(self, key: str) -> Mapping[str, Any]:
        value = self.definition.body.get(key)
        if value is None or isinstance(value, dict):
            return value or {}
        self.wrong_type(f"`{key}` is a mapping", value, self.definition.origin.at(key))
        return {}

    def wrong_type(self, expected: str, value: Any, place: Origin, rule: str = "wrong-type") -> None:
        self.report.error(rule, f"{expected}, not {value!r:.40}; it is ignored", place, subject=self.id)


def _output(definition: Definition) -> Callable[[], Schema | None] | None:
    """Reads the schema of the result when asked; what is wrong with it is nothing that a model would see."""
    key = definition.key(definition.shape.outputs)
    raw = definition.body.get(key)
    if not isinstance(raw, dict):
        return None
    protobuf = key in definition.shape.protobuf

    def read() -> Schema | None:
        written = from_protobuf(raw) if protobuf else raw
        return self_contained(written, definition.origin.at(key), Report(), "", nullable=protobuf)

    return read


def _carried(definition: Definition) -> dict[str, Any]:
    """Everything that no field of an operation holds, under its own key."""
    shape, body = definition.shape, definition.body
    # What lets findings pass speaks to the linter alone.
    read = {
        "name",
        "description",
        "deprecated",
        "x-toolc-allow",
        definition.description_key,
        *map(definition.key, (shape.inputs, shape.outputs, shape.examples)),
    }
    if shape is NATIVE:
        read |= {"hints", "run"}
    extra = {str(key): value for key, value in {**definition.wrapper, **body}.items() if key not in read}
    if extra.get("type") == "function":
        del extra["type"]
    if isinstance(annotations := extra.get("annotations"), dict):
        extra["annotations"] = {key: value for key, value in annotations.items() if key not in ANNOTATIONS}
    return {key: value for key, value in extra.items() if value not in (None, {})}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_entry(entry: Any) -> bool:
    """Whether it may stand in `run`: a word, or an option with its values."""
    return isinstance(entry, str) or (
        isinstance(entry, list) and bool(entry) and all(isinstance(w, str) for w in entry)
    )


def _may_begin_with_dash(schema: Any) -> bool:
    """Whether an argument may be a text, or a list of texts, that begins with `-`."""
    if not isinstance(schema, dict):
        return True
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if isinstance(values, list):
        return any(isinstance(value, str) and value.startswith("-") for value in values)
    types = schema.get("type", "string")
    if "array" in types and "string" not in types:
        return _may_begin_with_dash(schema.get("items"))
    return "string" in types
