"""Lint rules, one a file; the file's name (with - for _) is the rule's name.

A member has a docstring with the headings of `toolc rules explain`, and

    STAGE       what it looks at: "source" (`subject.operations`: what the user wrote), "catalog" (`subject.tools`: what
                a model is given; the written tools themselves where plain files are linted), "target" (`subject.sent`)
    CATEGORY    one of `Category`
    SEVERITY    of its findings, unless `lint.levels` says another
    check       (subject) -> Iterator[Diagnostic]; with Options: (subject, options)

and where it needs them

    PRESETS     presets that it runs in; without it `default` and `strict`, and for category safety `security`; `all`
                runs everything
    VENDORED    True if its findings gate in files that the team cannot edit, too
    SILENCES    weaker rules whose findings on the same spot say the same again
    Options     frozen dataclass: its keys under `lint.options` in toolc.yaml

A finding has the exact origin (`operation.place(…)`, `tool.place(…)`) and names its tool in `subject`. Findings of one
rule with one origin, or with one `cause`, are shown once with their count; so a rule need not look for repetitions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, cast

from toolc import registry
from toolc.config import Config
from toolc.diagnostics import Diagnostic, Edit, Severity
from toolc.ir import Catalog, Example, Hints, HttpCall, Operation, Origin, Schema, Tier, escape
from toolc.limits import Limits
from toolc.lock import Lock
from toolc.schema.walk import Path, descend
from toolc.targets import Emission

if TYPE_CHECKING:
    from toolc.tokens import Counter

Stage = Literal["source", "catalog", "target"]
Category = Literal[
    "names",
    "descriptions",
    "schema",
    "cost",
    "redundancy",
    "examples",
    "safety",
    "results",
    "targets",
    "config",
]


@dataclass(frozen=True, slots=True)
class Seen:
    """One tool as a model sees it.

    operations: those it holds, in the order of its actions; args: per operation id,
    {name in the tool: original name} where they differ.
    """

    name: str
    description: str
    schema: Schema
    operations: tuple[Operation, ...]
    origins: tuple[Origin, ...]
    hints: Hints
    tier: Tier = "deferred"
    group: str = ""
    examples: tuple[Example, ...] = ()
    args: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def origin(self) -> Origin:
        """Where its first operation stands."""
        return self.origins[0]

    @property
    def related(self) -> tuple[Origin, ...]:
        """Where its other operations stand."""
        return self.origins[1:]

    def place(self, *path: str | int) -> Origin:
        """Where a part of the tool stands in the user's file, as `Operation.place`; of the first operation with it."""
        if path[:2] == ("input", "properties") and len(path) > 2:
            for operation in self.operations:
                name = self.args.get(operation.id, {}).get(str(path[2]), path[2])
                if name in operation.input.get("properties", {}):
                    return operation.place("input", "properties", name, *path[3:])
        return self.operations[0].place(*path) if len(self.operations) == 1 else self.origin


@dataclass(frozen=True, slots=True)
class Suppression:
    """One thing that lets findings of a rule pass.

    origin: where it stands. It covers the tools and operations in `names`, or what begins on a `line`, or what stands
    at or `below` a pointer of its file. used: whether it let something pass; None where its rule did not run.
    """

    rule: str
    reason: str
    origin: Origin
    names: frozenset[str] | None = None
    line: int = 0
    below: str = ""
    used: bool | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """What a rule may look at.

    config: what was asked for; `runtime_has`, `budgets`, `sources` (an mcp source's name is its server's) and more.
    plain: source files linted as they stand, without a toolc.yaml. catalog: after all passes; for plain files the
    operations alone. operations: as the user wrote them, by id; `written` gives their schemas before any change.
    tools: what a model is given, `tokens` what each costs in the canonical form. sent: target → its tools as it takes
    them (for plain files as they stand, since nothing was lowered); limits: target → what it accepts; where no target
    is named, the only one is `portable`. stubs: tokens of all stubs. lock: of the last build. targets: what is emitted,
    empty for plain files. suppressions: what may let findings pass, and reported: the names of all that was found and
    reported, both known only once all other rules have run. locked: nothing may differ from the lock.
    counts: tokens counted so far, by the id of a tool's first operation. walks: what `nodes` found so far.
    """

    config: Config
    catalog: Catalog
    tools: Sequence[Seen]
    counter: Counter
    limits: Mapping[str, Limits]
    sent: Mapping[str, Sequence[Seen]]
    lock: Lock = field(default_factory=Lock)
    stubs: int | None = None
    targets: Mapping[str, Emission] = field(default_factory=dict)
    plain: bool = False
    suppressions: Sequence[Suppression] = ()
    reported: Collection[str] = ()
    locked: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    walks: dict[int, tuple[Schema, list[tuple[Path, Schema]]]] = field(default_factory=dict)

    @property
    def operations(self) -> Iterable[Operation]:
        """What was read, sorted by id."""
        return self.catalog.operations.values()

    def nodes(self, schema: Schema) -> list[tuple[Path, Schema]]:
        """The schema and every one inside it with its path, as `walk.descend`; looked through once for all rules."""
        known = self.walks.get(id(schema))
        if known is None or known[0] is not schema:
            known = self.walks[id(schema)] = (schema, list(descend(schema)))
        return known[1]

    def tokens(self, tool: Seen) -> int:
        """Tokens of a tool in the canonical form; counted when they are first asked for."""
        key = tool.operations[0].id
        if key not in self.counts:
            self.counts[key] = self.counter.canonical(tool.name, tool.description, tool.schema)
        return self.counts[key]


def written(operation: Operation) -> Schema:
    """The input schema as its author wrote it, in whatever dialect; for OpenAPI what the reader made of it."""
    schema: Schema = operation.extra.get("input_as_written", operation.input)
    return schema


@dataclass(frozen=True, slots=True)
class Rule:
    """What a member says of itself."""

    name: str
    stage: Stage
    category: Category
    severity: Severity
    presets: tuple[str, ...]
    silences: tuple[str, ...]
    vendored: bool
    options: type[Any] | None
    check: Callable[..., Iterable[Diagnostic]]
    text: str

    @property
    def summary(self) -> str:
        """What it finds, in a line."""
        return self.text.strip().split("\n")[0]


def load(name: str) -> Rule:
    """Import one of `registry.names("rules")`."""
    module = registry.load("rules", name)
    usual = ("default", "strict", *(["security"] if module.CATEGORY == "safety" else []))
    return Rule(
        name,
        module.STAGE,
        cast("Category", module.CATEGORY),
        module.SEVERITY,
        tuple(getattr(module, "PRESETS", usual)),
        tuple(getattr(module, "SILENCES", ())),
        getattr(module, "VENDORED", False),
        getattr(module, "Options", None),
        module.check,
        module.__doc__ or "",
    )


def spoken(path: Path, owner: str) -> str:
    """How a message names a part of a schema: `` `size` of `resize` ``; for the whole schema its owner alone.

    path: as `Subject.nodes` gives it. The part is the last property or definition on it: no reader knows what `items`
    or `1` is.
    """
    name, steps = "", iter(path)
    for step in steps:
        if step in ("properties", "patternProperties", "$defs", "definitions"):
            name = str(next(steps, name))
    return f"`{name}` of `{owner}`" if name else f"`{owner}`"


def in_order(tools: Iterable[Seen]) -> list[Seen]:
    """The tools in the order in which they stand in their files: of two that clash, the later one is to change."""

    def place(tool: Seen) -> tuple[str, list[tuple[int, str]]]:
        steps = tool.origin.pointer.split("/")
        return tool.origin.source, [(int(step), "") if step.isdigit() else (-1, step) for step in steps]

    return sorted(tools, key=place)


def list_place(tools: Sequence[Seen]) -> Origin:
    """Where the list stands that holds these tools; the file, where they stand in several lists."""
    pointers = {(tool.origin.source, tool.origin.pointer.rpartition("/")[0]) for tool in tools}
    return Origin(*pointers.pop()) if len(pointers) == 1 else Origin(tools[0].origin.source)


def text_edits(tool: Seen, path: tuple[str | int, ...], old: str, new: str) -> tuple[Edit, ...]:
    """The edit that changes a text where the user wrote it; none where what is shown is not what stands there.

    path: as `Operation.place` takes it. A merged or shortened text cannot be written back.
    """
    operation = tool.operations[0]
    place = operation.place(*path)
    if len(tool.operations) > 1 or not is_exact(place, path[-1]):
        return ()
    if path == ("description",):
        if old.strip() != operation.description.strip():
            return ()
        # the reader puts an endpoint's summary before its description
        summary = f"{operation.extra.get('summary', '')}\n\n"
        if isinstance(operation.call, HttpCall) and len(summary) > 2 and old.startswith(summary):
            if not new.startswith(summary):
                return ()
            new = new.removeprefix(summary)
        return (Edit(place, new),)
    here: Any = written(operation) if tool.schema is written(operation) else operation.input
    for key in path[1:]:
        if not isinstance(here, dict | list) or (isinstance(here, dict) and key not in here):
            return ()
        here = here[key]  # type: ignore[index]
    return (Edit(place, new),) if here == old else ()


def is_exact(place: Origin, key: str | int) -> bool:
    """Whether a place is that of the key itself, and not of the nearest thing that holds it."""
    return place.pointer.endswith(f"/{escape(str(key))}")
