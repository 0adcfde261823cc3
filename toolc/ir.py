"""The one intermediate representation that every stage reads and returns.

Everything here is frozen. JSON Schema stays a plain dict (draft 2020-12, `$ref` only to local `$defs`), because every
consumer wants it that way; a stage that changes a schema makes a new dict and shares what it left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Schema = dict[str, Any]
Arguments = dict[str, Any]
Effect = Literal["read", "write", "destructive", "unknown"]
Tier = Literal["always", "group", "deferred"]
Basis = Literal["declared", "inferred", "unknown"]
Provenance = Literal["authored", "recorded", "source", "derived"]

# What every vendor takes as a tool name, less a leading digit or hyphen, which some refuse (November 2026).
TOOL_NAME = r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}"

EFFECTS: tuple[Effect, ...] = ("read", "write", "destructive", "unknown")


@dataclass(frozen=True, slots=True)
class Origin:
    """A place in the user's own file; line and column are worked out when a finding is printed.

    source: the file as the user would name it, relative to the folder of the config, with `/`.
    pointer: RFC 6901 into the file's data; `/table/column` in a DDL file; `` for the whole file.
    line, column: 1-based, set only where the text has no data to point into (a syntax error); else 0.
    """

    source: str
    pointer: str = ""
    line: int = 0
    column: int = 0

    def at(self, *keys: str | int) -> Origin:
        """The origin of a value below this one."""
        return Origin(self.source, self.pointer + "".join("/" + escape(str(key)) for key in keys))


def escape(key: str) -> str:
    """One reference token of an RFC 6901 pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def unescape(token: str) -> str:
    """The key that a reference token of an RFC 6901 pointer means."""
    return token.replace("~1", "/").replace("~0", "~")


@dataclass(frozen=True, slots=True)
class Hint:
    """One behaviour of an operation, how it is known, and why."""

    value: bool | None = None
    basis: Basis = "unknown"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Hints:
    """The four behaviours that MCP annotations name."""

    read_only: Hint = Hint()
    destructive: Hint = Hint()
    idempotent: Hint = Hint()
    open_world: Hint = Hint()

    @property
    def effect(self) -> Effect:
        """The safety class: a harness grants permission by it."""
        if self.read_only.value:
            return "read"
        if self.destructive.value:
            return "destructive"
        if self.destructive.value is False or self.read_only.value is False:
            return "write"
        return "unknown"


@dataclass(frozen=True, slots=True)
class Example:
    """Arguments that are known to be valid, and where they come from.

    places: argument → where its value stands, for a call put together from several places.
    """

    arguments: Arguments
    provenance: Provenance
    origin: Origin | None = None
    places: Mapping[str, Origin] = field(default_factory=dict, compare=False)

    def place(self, *path: str | int) -> Origin | None:
        """Where the value at a path of the arguments stands; None for an example that stands nowhere."""
        if path and (start := self.places.get(str(path[0]))) is not None:
            return start.at(*path[1:])
        return self.origin.at(*path) if self.origin is not None else None


# The HTTP client writes these from the request itself; a caller's value would let two requests pass as one.
CLIENT_HEADERS = frozenset({"host", "content-length", "transfer-encoding", "connection"})


@dataclass(frozen=True, slots=True)
class HttpCall:
    """How arguments become an HTTP request.

    inputs: argument name → {"in": path|query|header|cookie, "name": wire name, "style", "explode", …} or
    {"in": "body", "pointer": place in the body} ("" = the argument is the whole body); never one of CLIENT_HEADERS.
    body_required: whether a call without body arguments still sends an (empty) body.
    security: alternatives, each {scheme name: scheme}; secrets are never here.
    """

    method: str
    path: str
    server: str = ""
    inputs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    content_type: str = ""
    body_required: bool = False
    security: tuple[Mapping[str, Any], ...] = ()
    encoding: Mapping[str, Any] = field(default_factory=dict)
    kind: Literal["http"] = "http"


@dataclass(frozen=True, slots=True)
class McpCall:
    """A tool of an MCP server, by the names the server knows."""

    server: str
    tool: str
    kind: Literal["mcp"] = "mcp"


@dataclass(frozen=True, slots=True)
class SqlCall:
    """An action on a table, with all that an executor needs to run it with bound values only.

    action: list, count, get, create, update or delete; or list_tables and describe, which `texts` (table → text)
    answer without a database. schema, table: as the database writes them, to be quoted as identifiers.
    columns: property → {"name": the column, "type": of the column, in the database's own words, "form": how JSON
    stands for its values, see `sources.database.binding`}, for all that `key`, `values`, `where`, `columns` and
    `order_by` may name. key: the properties that name one row. shown: what a read without `columns` returns.
    limit, most: rows without a `limit`, and at most.
    """

    table: str = ""
    action: str = ""
    columns: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    key: tuple[str, ...] = ()
    schema: str = ""
    dialect: str = ""
    shown: tuple[str, ...] = ()
    limit: int = 0
    most: int = 0
    texts: Mapping[str, str] = field(default_factory=dict)
    kind: Literal["sql"] = "sql"


@dataclass(frozen=True, slots=True)
class Opaque:
    """A call that the user's own runtime makes; run: an argument-list template, or empty.

    An entry of several words is an option with its values, given or left out as one.
    """

    run: tuple[str | tuple[str, ...], ...] = ()
    kind: Literal["opaque"] = "opaque"


Call = HttpCall | McpCall | SqlCall | Opaque


@dataclass(frozen=True, slots=True)
class Operation:
    """One callable thing in a source.

    id: `source:name`. name: as the source wrote it. pinned_name: the tool name an override asked for.
    input: the exact schema as the source means it, before any model-facing change; dispatch and verify use this one.
    output: gives the schema of the result when asked; response schemas are most of a spec and few targets want them.
    places: finds, when asked, where a part of the operation stands in the user's file; see `place`.
    """

    id: str
    name: str
    description: str
    input: Schema
    call: Call
    origin: Origin
    output: Callable[[], Schema | None] | None = field(default=None, compare=False)
    places: Callable[[tuple[str | int, ...]], Origin] | None = field(default=None, compare=False)
    examples: tuple[Example, ...] = ()
    hints: Hints = Hints()
    tags: tuple[str, ...] = ()
    deprecated: bool = False
    pinned_name: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The name of the source, the part of the id before the colon."""
        return self.id.partition(":")[0]

    def place(self, *path: str | int) -> Origin:
        """Where a part stands in the user's file: `name`, `description`, `input` or `hints`, and a path below it.

        Whatever the source looks like, the path is that of the operation: ("input", "properties", "size", "type"). What
        the user did not write stands at the nearest thing that holds it.
        """
        return self.origin if self.places is None else self.places(path)


@dataclass(frozen=True, slots=True)
class Case:
    """One operation of a tool: chosen by `when`, with args {merged name: original name} where they differ."""

    when: Mapping[str, str]
    operation: str
    args: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Dispatch:
    """How a call of a tool finds its operation; select is empty for a tool with one operation."""

    select: tuple[str, ...]
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Tool:
    """What a model sees; it holds one or more operations. details: text that was left out of what the model sees."""

    name: str
    description: str
    input_schema: Schema
    dispatch: Dispatch
    origins: tuple[Origin, ...]
    examples: tuple[Example, ...] = ()
    hints: Hints = Hints()
    group: str = ""
    tier: Tier = "deferred"
    details: str = ""

    @property
    def operations(self) -> tuple[str, ...]:
        """The ids of its operations, in the order of its actions."""
        return tuple(case.operation for case in self.dispatch.cases)


@dataclass(frozen=True, slots=True)
class Group:
    """Tools activated together."""

    name: str
    description: str
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Alias:
    """An old tool name that still works, with the operation's original arguments."""

    tool: str
    when: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Source:
    """What was read as one source: how it may be merged and worded, and the files it came from.

    lead: only the first sentence of long texts goes to the model. separate: safety classes never merged with others.
    vendored: the team cannot edit it, so findings in its text do not gate. tag_descriptions: what the source says of
    its tags; groups are made from them. form: of a database's tools: a few for each `table`, a few for the whole
    `database`, or by the number of tables. builtin: among them stand tools that the vendor's API brings, loaded.
    """

    name: str
    type: str
    title: str = ""
    description: str = ""
    lead: bool = False
    separate: tuple[Effect, ...] = ("read", "write")
    vendored: bool = False
    form: Literal["auto", "table", "database"] = "auto"
    tag_descriptions: Mapping[str, str] = field(default_factory=dict)
    builtin: bool = False
    files: tuple[str, ...] = ()
    operations: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """Where a bundle will be, for the targets that start `toolc serve` on it.

    folder: relative to that of toolc.yaml. profile: empty for the whole bundle.
    """

    folder: str = "bundle"
    profile: str = ""


@dataclass(frozen=True, slots=True)
class Catalog:
    """Everything the compiler knows at one point of the pipeline.

    connections: source → where calls go and how they are authorised, secrets by the name of their environment
    variable: {"auth": …} and what `connections` of the source's reader says.
    """

    name: str
    sources: tuple[Source, ...] = ()
    operations: Mapping[str, Operation] = field(default_factory=dict)
    tools: tuple[Tool, ...] = ()
    groups: tuple[Group, ...] = ()
    aliases: Mapping[str, Alias] = field(default_factory=dict)
    place: Place = Place()
    connections: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class File:
    """A file to be written: path below the output folder, with `/`, and its text (UTF-8, LF)."""

    path: str
    text: str
