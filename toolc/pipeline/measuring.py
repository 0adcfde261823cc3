"""`tokens`: what the tools of a config cost, what of it is text and what structure, and what each lever saved."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from toolc import documents, levels, registry
from toolc import lock as lock_file
from toolc.config import Config
from toolc.diagnostics import Diagnostic, Report
from toolc.ir import Catalog, Schema, Tool
from toolc.pipeline.compiling import Compiled, as_written, compile_catalog
from toolc.pipeline.linting import is_plain
from toolc.pipeline.reading import read
from toolc.rules import written
from toolc.schema.walk import rebuild
from toolc.tokens import Counter, compact

# How much of a tool is counted: all of it in the canonical form, or its line in one of the level files.
LEVELS = ("full", "signature", "stub", "name")
# What stands for free text where a tool takes that instead of JSON arguments (OpenAI).
_FREE_TEXT = "custom"

# Level → its text as a system prompt takes it.
_WHOLE: dict[str, Callable[[Catalog], str]] = {
    "name": levels.names,
    "stub": levels.stubs,
    "signature": levels.signatures,
}


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens of one tool.

    description, parameters: of its own text and of the texts in its schema; the rest is structure (names, types …).
    apart: of its operations one by one as their source has them; noise, text, merging: what each lever took off that.
    All but `tokens` and `name` are of the full level. locked: tokens in the lock, None where the tool is not in it.
    """

    name: str
    source: str
    group: str
    tokens: int
    description: int = 0
    parameters: int = 0
    apart: int = 0
    noise: int = 0
    text: int = 0
    merging: int = 0
    locked: int | None = None

    @property
    def structure(self) -> int:
        """Names, types, enums, brackets."""
        return max(self.tokens - self.description - self.parameters, 0)


@dataclass(slots=True)
class Costs:
    """What was counted. request: the other parts of captured API requests; uncounted: what in them is no text."""

    encoding: str
    level: str
    tools: list[Cost] = field(default_factory=list)
    request: Tally[str] = field(default_factory=Tally)
    uncounted: Tally[str] = field(default_factory=Tally)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def tokens(config: Config, *, encoding: str = "o200k_base", level: str = "full") -> Costs:
    """A config as it is built, plain source files as they stand; what could not be counted is told."""
    report = Report()
    plain = is_plain(config)
    inputs = read(config, report, lenient=plain)
    costs = Costs(encoding, level, diagnostics=report.diagnostics)
    with Counter(encoding) as counter:
        if plain and level == "full":
            for operation in inputs.catalog.operations.values():
                group = operation.tags[0] if operation.tags else ""
                cost = _cost(operation.name, operation.description, written(operation), counter)
                costs.tools.append(Cost(operation.name, operation.source, group, *cost, apart=cost[0]))
        else:
            lock = lock_file.Lock() if plain else lock_file.load(config.root)
            built = as_written(config) if plain else config
            compiled = compile_catalog(inputs.catalog, built, report, counter, lock)
            costs.tools += [_built(tool, compiled, lock, counter, level) for tool in compiled.catalog.tools]
            if level in _WHOLE:
                whole = counter.count(_WHOLE[level](compiled.catalog))
                costs.request["headings"] = whole - sum(cost.tokens for cost in costs.tools)
        if plain:
            _count_requests(config, counter, costs)
    return costs


def _cost(name: str, description: str, schema: Schema, counter: Counter) -> tuple[int, int, int]:
    """Tokens of all, of the description, and of the texts in the schema."""
    whole = counter.canonical(name, description, schema)
    bare = counter.canonical(name, "", schema)
    structure = counter.canonical(name, "", rebuild(schema, _without_text))
    return whole, whole - bare, bare - structure


def _without_text(schema: Schema) -> Schema:
    if not isinstance(schema.get("description"), str):
        return schema
    return {key: value for key, value in schema.items() if key != "description"}


def _built(tool: Tool, compiled: Compiled, lock: lock_file.Lock, counter: Counter, level: str) -> Cost:
    ledger, operations = compiled.ledger, tool.operations
    source = operations[0].partition(":")[0]
    pinned = lock.tools.get(tool.name)
    if level != "full":
        stub = levels.stub_in(compiled.catalog, tool)
        line = tool.name if level == "name" else stub if level == "stub" else levels.signature(tool)
        return Cost(tool.name, source, tool.group, counter.count(line))
    whole, description, parameters = _cost(tool.name, tool.description, tool.input_schema, counter)
    apart, bare, worded = (sum(step[key] for key in operations) for step in (ledger.source, ledger.noise, ledger.text))
    return Cost(
        tool.name,
        source,
        tool.group,
        whole,
        description,
        parameters,
        apart,
        apart - bare,
        bare - worded,
        worded - whole,
        pinned.tokens if pinned is not None else None,
    )


def _count_requests(config: Config, counter: Counter, costs: Costs) -> None:
    """The system prompt and messages where a source is a captured request, and the tools that take free text."""
    reader = registry.load("sources", "tools")
    for name, entry in config.sources.items():
        if entry.type != "tools":
            continue
        for path in entry.options.path:
            for _, data in reader.parts(documents.read(entry.base / path, path, Report()).data):
                for tool in _free_text_tools(data, reader):
                    costs.tools.append(_free_text(tool, name, counter, costs.level))
                texts = reader.request_parts(data)
                if texts is not None:
                    costs.request.update({part: counter.count(text) for part, text in texts.items()})
                    costs.uncounted.update(reader.uncounted_parts(data))


def _free_text_tools(data: Any, reader: Any) -> Iterator[dict[str, Any]]:
    for _, entries in reader.lists(data):
        for entry in entries:
            inner = [entry, *(entry.get("tools") or [])] if isinstance(entry, dict) else []
            yield from (tool for tool in inner if isinstance(tool, dict) and tool.get("type") == _FREE_TEXT)


def _free_text(tool: dict[str, Any], source: str, counter: Counter, level: str) -> Cost:
    """A tool without a schema: its name, description and grammar are what the model reads."""
    body = tool["custom"] if isinstance(tool.get("custom"), dict) else tool
    read_by_model = {key: body[key] for key in ("name", "description", "format") if key in body}
    name, description = str(body.get("name", "")), str(body.get("description", ""))
    if level in ("name", "stub"):
        return Cost(name, source, "", counter.count(name if level == "name" else f"{name}: {description[:80]}"))
    whole = counter.count(compact(read_by_model))
    bare = counter.count(compact({**read_by_model, "description": ""}))
    return Cost(name, source, "", whole, whole - bare, apart=whole)
