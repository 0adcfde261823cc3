"""Finds tool definitions in data of any vendor, by their shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolc.diagnostics import Report
from toolc.documents import DECLARATIONS, PLACES, Refused
from toolc.ir import Origin
from toolc.schema.walk import Path
from toolc.sources.tools.definition import (
    ANTHROPIC,
    BEDROCK,
    FLAT,
    GEMINI,
    LANGCHAIN,
    MCP,
    NATIVE,
    OPENAI,
    Definition,
    Shape,
)

# A definition that is no vendor's wrapper is recognised by the key of its schema.
_BY_KEY: tuple[tuple[str, Shape], ...] = (
    ("input_schema", ANTHROPIC),
    ("inputSchema", MCP),
    ("parametersJsonSchema", GEMINI),
    ("parameters_json_schema", GEMINI),
    ("params_json_schema", OPENAI),
    ("args_schema", LANGCHAIN),
    ("tool_call_schema", LANGCHAIN),
    ("parameter_definitions", FLAT),
    ("parameters", OPENAI),
)
_MCP_PLACES = ((), ("tools",), ("result", "tools"))


@dataclass(slots=True)
class Found:
    """What is in a file. namespaces: name → description. builtin: some tools are the vendor's own, and not deferred."""

    definitions: list[Definition] = field(default_factory=list)
    namespaces: dict[str, str] = field(default_factory=dict)
    builtin: bool = False


def lists(data: Any) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    """The lists of tools in a document, each with its place; none if it is no document with tools."""
    if isinstance(data, list):
        yield (), data
        return
    if not isinstance(data, dict):
        return
    for place, value in _values(data):
        if isinstance(value, list):
            yield place, value


def _values(data: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """What stands where lists of tools do."""
    for place in PLACES:
        value: Any = data
        for key in place:
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            yield place, value


def entries(data: Any) -> Iterator[tuple[Path, Any]]:
    """Every entry of the lists of tools in a document, each with its place.

    Instead of a list may stand a mapping: one tool (Gemini's, whose API takes one for a list), or tools by their names
    (Vercel's SDK).
    """
    for place, listed in lists(data):
        for index, entry in enumerate(listed):
            yield (*place, index), entry
    for place, value in _values(data) if isinstance(data, dict) else ():
        if not isinstance(value, dict) or place in _MCP_PLACES[2:]:  # of MCP's answer, where it is a fault
            continue
        if any(isinstance(value.get(key), list) for key in DECLARATIONS):
            yield place, value
        elif value and all(isinstance(each, dict) and is_tool({"name": "x", **each}) for each in value.values()):
            for name, each in value.items():
                yield (*place, name), {**each, "name": name}


def is_tool(data: Any) -> bool:
    """Whether data is certainly a tool definition; a name and a description alone are found in other files too."""
    if not isinstance(data, dict):
        return False
    if isinstance(data.get("toolSpec"), dict) or any(isinstance(data.get(key), list) for key in DECLARATIONS):
        return True
    if data.get("type") in ("function", "namespace"):
        return bool(_name(data) or _name(data.get("function")))
    return bool(_name(data)) and any(isinstance(data.get(key), dict) for key in ("input", *dict(_BY_KEY)))


def is_mcp_list(data: Any) -> bool:
    """Whether data is what an MCP server answers to `tools/list`, or the bare array of its tools."""
    for place, listed in lists(data):
        read = [entry for entry in listed if not isinstance(entry, Refused)]
        if place not in _MCP_PLACES or not read:
            return False
        return all(isinstance(entry, dict) and "inputSchema" in entry for entry in read)
    return False


def find(data: Any, origin: Origin, report: Report) -> Found | None:
    """Every definition in a document, in its order; None if the document is none with tools."""
    found = Found()
    if is_tool(data):
        _entry(data, origin, found, report)
        return found
    everything = list(entries(data))
    for place, entry in everything:
        _entry(entry, origin.at(*place), found, report)
    return found if everything or any(lists(data)) else None


def _entry(entry: Any, origin: Origin, found: Found, report: Report, namespace: str = "") -> None:
    """One entry of a list of tools: a definition, a group of them, or a tool that the vendor brings itself."""
    if isinstance(entry, Refused):
        return
    if not isinstance(entry, dict):
        report.error("wrong-type", f"a tool is a mapping, not {entry!r:.40}", origin)
        return
    declarations = next((key for key in DECLARATIONS if key in entry), None)
    if declarations is not None:
        _gemini(entry, declarations, origin, found, report)
    elif isinstance(spec := entry.get("toolSpec"), dict):
        found.definitions.append(Definition(BEDROCK, spec, origin.at("toolSpec")))
        _builtin({key: value for key, value in entry.items() if key != "toolSpec"}, origin, found, report)
    elif isinstance(function := entry.get("function"), dict):
        wrapper = {key: value for key, value in entry.items() if key != "function"}
        found.definitions.append(Definition(OPENAI, function, origin.at("function"), wrapper, namespace))
    elif entry.get("type") == "namespace":
        _namespace(entry, origin, found, report)
    elif (shape := _shape(entry)) is not None:
        found.definitions.append(Definition(shape, entry, origin, namespace=namespace))
    elif entry.get("type") == "custom":
        name = _name(entry) or _name(entry.get("custom"))
        message = f"`{name}` takes free text instead of JSON arguments, so it has no schema to work on; it is left out"
        report.warning("free-text-tool", message, origin)
    else:
        _builtin(entry, origin, found, report)


def _shape(entry: Mapping[str, Any]) -> Shape | None:
    """Whose form a plain definition has; None if it is one that the vendor brings itself."""
    for key, shape in _BY_KEY:
        if key in entry:
            schema = entry[key]
            if key != "parameters" or not isinstance(schema, dict):
                return shape
            return GEMINI if str(schema.get("type", "")).isupper() else FLAT if _is_flat(schema) else shape
    kind = entry.get("type")
    if isinstance(kind, str):
        return OPENAI if kind == "function" else None
    if entry and "name" not in entry and all(isinstance(value, dict) for value in entry.values()):
        return None  # {"googleSearch": {}}, {"cachePoint": {…}}
    return MCP if "annotations" in entry or "outputSchema" in entry else NATIVE


def _is_flat(schema: Mapping[str, Any]) -> bool:
    """Whether parameters stand by their names, as in Bedrock's agents: `required` is said of each."""
    each = [value for value in schema.values() if isinstance(value, dict)]
    return len(each) == len(schema) > 0 and any(isinstance(value.get("required"), bool) for value in each)


def _gemini(entry: Mapping[str, Any], key: str, origin: Origin, found: Found, report: Report) -> None:
    declarations = entry[key]
    if not isinstance(declarations, list):
        report.error("wrong-type", f"`{key}` is a list, not {declarations!r:.40}", origin.at(key))
        declarations = []
    for index, declaration in enumerate(declarations):
        place = origin.at(key, index)
        if isinstance(declaration, dict):
            found.definitions.append(Definition(GEMINI, declaration, place))
        elif not isinstance(declaration, Refused):
            report.error("wrong-type", f"a function declaration is a mapping, not {declaration!r:.40}", place)
    _builtin({name: value for name, value in entry.items() if name != key and value is not None}, origin, found, report)


def _namespace(entry: Mapping[str, Any], origin: Origin, found: Found, report: Report) -> None:
    name, tools = _name(entry), entry.get("tools")
    description = entry.get("description")
    found.namespaces[name] = description if isinstance(description, str) else ""
    if not isinstance(tools, list):
        report.error("wrong-type", f"`tools` of a namespace is a list, not {tools!r:.40}", origin.at("tools"))
        return
    for index, inner in enumerate(tools):
        _entry(inner, origin.at("tools", index), found, report, namespace=name)


def _builtin(entry: Mapping[str, Any], origin: Origin, found: Found, report: Report) -> None:
    """Note what the vendor's API does itself: it has no definition that could be compiled."""
    kind = entry.get("type")
    for name in [kind] if isinstance(kind, str) else entry:
        found.builtin |= entry.get("defer_loading") is not True
        report.note("builtin-tool", f"`{name}` is built into the vendor's API and stays as it is", origin)


def _name(entry: Any) -> str:
    name = entry.get("name") if isinstance(entry, dict) else None
    return name if isinstance(name, str) else ""
