"""What a toolc.yaml may hold: the hints and texts here are what is checked, and what the JSON Schema is made from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from toolc import registry
from toolc.bind import Env, bind, did_you_mean, schema_of
from toolc.diagnostics import Report
from toolc.ir import TOOL_NAME, Example, Origin, Schema
from toolc.select import Selector

SafetyClass = Literal["read", "write", "destructive"]
Preset = Literal["default", "strict", "security", "all"]
Level = Literal["error", "warning", "note", "off"]

T = TypeVar("T")

_NOWHERE = Origin("")
_NOTHING = Selector()
_FILLED_IN: dict[str, Any] = {"key": False}


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something is let pass; it has to be said."""

    text: str
    origin: Origin

    @classmethod
    def from_data(cls, data: Any, origin: Origin, report: Report) -> Reason | None:
        """Read a text that is not blank."""
        if isinstance(data, str) and data.strip():
            return cls(data.strip(), origin)
        report.error("wrong-type", "here belongs the reason, as a text", origin)
        return None

    @classmethod
    def data_schema(cls) -> Schema:
        """A text that is not blank."""
        return {"type": "string", "pattern": r"\S", "description": "The reason."}


@dataclass(frozen=True, slots=True)
class Basic:
    """A user and a password for HTTP basic authentication."""

    username: Env = field(metadata={"doc": "Environment variable with the user name."})
    password: Env = field(metadata={"doc": "Environment variable with the password."})


@dataclass(frozen=True, slots=True)
class Auth:
    """How calls to a source are authorised; secrets are named by environment variable and read by the runtime."""

    bearer: Env | None = field(
        default=None, metadata={"doc": "Environment variable with the token for `Authorization: Bearer`."}
    )
    basic: Basic | None = field(default=None, metadata={"doc": "User name and password for HTTP basic authentication."})
    headers: Mapping[str, Env] = field(
        default_factory=dict, metadata={"doc": "Header name → environment variable with its value."}
    )
    query: Mapping[str, Env] = field(
        default_factory=dict, metadata={"doc": "Query parameter → environment variable with its value."}
    )

    def to_data(self) -> dict[str, Any]:
        """JSON-ready, for the bundle: each secret by the name of its variable."""
        found: dict[str, Any] = {}
        if self.bearer is not None:
            found["bearer"] = self.bearer.env
        if self.basic is not None:
            found["basic"] = {"username": self.basic.username.env, "password": self.basic.password.env}
        for key, values in (("headers", self.headers), ("query", self.query)):
            if values:
                found[key] = {name: env.env for name, env in values.items()}
        return found


@dataclass(frozen=True, slots=True)
class HintsOverride:
    """What the team knows of an operation's behaviour; stands as declared."""

    read_only: bool | None = field(default=None, metadata={"doc": "It changes nothing."})
    destructive: bool | None = field(default=None, metadata={"doc": "It may delete or overwrite."})
    idempotent: bool | None = field(default=None, metadata={"doc": "Calling it twice does no more than once."})
    open_world: bool | None = field(default=None, metadata={"doc": "It reaches things outside the source."})


@dataclass(frozen=True, slots=True)
class ParameterOverride:
    """A better text for one parameter."""

    description: str = field(default="", metadata={"doc": "Replaces the parameter's description."})


@dataclass(frozen=True, slots=True)
class Override:
    """What replaces parts of one operation of a source, so that a source nobody can edit can be mended."""

    name: str = field(default="", metadata={"doc": "Tool name that this operation keeps, whatever else happens."})
    description: str = field(default="", metadata={"doc": "Replaces the operation's description."})
    hints: HintsOverride = field(default=HintsOverride(), metadata={"doc": "How the operation behaves."})
    examples: tuple[Mapping[str, Any], ...] = field(
        default=(), metadata={"doc": "Arguments of valid calls, added before the source's own."}
    )
    parameters: Mapping[str, ParameterOverride] = field(
        default_factory=dict, metadata={"doc": "Parameter name → what replaces parts of it."}
    )
    origin: Origin = _NOWHERE

    def __post_init__(self) -> None:
        if self.name and not re.fullmatch(TOOL_NAME, self.name):
            raise ValueError(f"`{self.name}` is no tool name: letters, digits, _ and -, no digit first, at most 64")


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """One source as the config declares it: the keys every type takes, and `options`, those of its type.

    None for descriptions, separate and vendored means the default of the type. base: the folder that paths in the
    options are relative to. origin: where the entry stands.
    """

    type: str = field(metadata={"doc": "What kind of source this is."})
    select: Selector = field(default=_NOTHING, metadata={"doc": "Which operations to take; all, if nothing is said."})
    overrides: Mapping[str, Override] = field(
        default_factory=dict, metadata={"doc": "Operation name, as the source has it → what replaces parts of it."}
    )
    descriptions: Literal["lead", "full"] | None = field(
        default=None,
        metadata={"doc": "How much text models see at first: the first sentence (default for openapi) or all of it."},
    )
    separate: tuple[SafetyClass, ...] | None = field(
        default=None,
        metadata={"doc": "Safety classes never merged with others; `destructive`, where not named, joins `write`."},
    )
    vendored: bool | None = field(
        default=None, metadata={"doc": "The team cannot edit this source, so findings in its text do not fail a check."}
    )
    auth: Auth | None = field(default=None, metadata={"doc": "How calls are authorised at run time."})
    name: str = field(default="", metadata=_FILLED_IN)
    options: Any = field(default=None, metadata=_FILLED_IN)
    base: Path = field(default=Path(), metadata=_FILLED_IN)
    origin: Origin = _NOWHERE


@dataclass(frozen=True, slots=True)
class Consolidate:
    """How operations are merged into tools."""

    enabled: bool = field(default=True, metadata={"doc": "Whether operations are merged at all."})
    max_actions: int = field(default=12, metadata={"doc": "Most operations in one tool.", "min": 2})
    max_params: int = field(default=25, metadata={"doc": "Most parameters of one merged tool.", "min": 1})
    keep: Selector = field(default=_NOTHING, metadata={"doc": "Operations that always stay tools of their own."})
    families: Mapping[str, Selector] = field(
        default_factory=dict, metadata={"doc": "Label → operations that may become one tool per safety class."}
    )


@dataclass(frozen=True, slots=True)
class GroupEntry:
    """Tools that are activated together."""

    select: Selector = field(metadata={"doc": "Operations whose tools belong to the group."})
    description: str = field(default="", metadata={"doc": "What the group is for, in a few words; shown in the index."})
    origin: Origin = _NOWHERE


@dataclass(frozen=True, slots=True)
class Budget:
    """Most tokens for parts of what is emitted; None = no limit. A build that exceeds one fails."""

    always: int | None = field(
        default=None, metadata={"doc": "All tools that are loaded from the start, together.", "min": 0}
    )
    tool: int | None = field(default=None, metadata={"doc": "Any one tool.", "min": 0})
    stubs: int | None = field(default=None, metadata={"doc": "All stubs together.", "min": 0})
    group: int | None = field(default=None, metadata={"doc": "All tools of any one group.", "min": 0})


@dataclass(frozen=True, slots=True)
class Budgets:
    """Budgets in the canonical form (`general`) and in what single targets emit."""

    general: Budget = Budget()
    targets: Mapping[str, Budget] = field(default_factory=dict)
    origin: Origin = _NOWHERE

    @classmethod
    def from_data(cls, data: Any, origin: Origin, report: Report) -> Budgets | None:
        """Read a mapping of the keys of a budget, and of targets to a budget of their own."""
        targets = registry.names("targets")
        items = data if isinstance(data, dict) else {}
        own = bind(Budget, {k: v for k, v in items.items() if k not in targets} if items else data, origin, report)
        each = {name: bind(Budget, items[name], origin.at(name), report) for name in items if name in targets}
        valid = {name: budget for name, budget in each.items() if budget is not None}
        return None if own is None or len(valid) < len(each) else cls(own, valid, origin)

    @classmethod
    def data_schema(cls) -> Schema:
        """The keys of a budget, and every target."""
        own = schema_of(Budget)
        each = {name: {"description": f"Budgets in what `{name}` emits.", **own} for name in registry.names("targets")}
        return {**own, "properties": {**own["properties"], **each}}


@dataclass(frozen=True, slots=True)
class Profile:
    """A named subset of the catalog for one agent.

    What it extends is already taken in: its entries stand first, and its `max_effect` and `budgets` hold where
    none were given.
    """

    select: Selector = field(
        default=_NOTHING, metadata={"doc": "Operations that belong to the profile; all, if nothing is said."}
    )
    max_effect: SafetyClass | None = field(
        default=None, metadata={"doc": "Leaves out every operation with a worse effect."}
    )
    extends: str = field(default="", metadata={"doc": "Name of a profile to start from."})
    allow: Selector = field(
        default=_NOTHING, metadata={"doc": "Operations taken in although `select` or `max_effect` leaves them out."}
    )
    budgets: Budgets = field(
        default=Budgets(), metadata={"doc": "Most tokens for what this profile holds, beside those of the whole."}
    )
    origin: Origin = _NOWHERE


@dataclass(frozen=True, slots=True)
class TargetEntry:
    """One runtime to emit for; options: the `Options` of its module. base, origin: as in SourceEntry."""

    name: str
    options: Any
    base: Path
    origin: Origin


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """Options of single rules, each an instance of the `Options` of its module."""

    given: Mapping[str, Any] = field(default_factory=dict)

    def of(self, rule: str, options: type[T]) -> T:
        """What was given for a rule, else its defaults."""
        found: T = self.given.get(rule) or options()
        return found

    @classmethod
    def from_data(cls, data: Any, origin: Origin, report: Report) -> RuleOptions | None:
        """Read a mapping of rules to the keys of their options."""
        if not isinstance(data, dict | None):
            report.error("wrong-type", "here belongs a mapping of rules to their options", origin)
            return None
        known = _rules_with_options()
        read: dict[str, Any] = {}
        for rule, keys in (data or {}).items():
            if rule in known:
                read[rule] = bind(known[rule], keys, origin.at(rule), report)
                continue
            slip = did_you_mean(str(rule), known)
            message = f"`{rule}` is no rule with options{slip}"
            report.error("unknown-key", message, origin.at(str(rule)), help=f"rules with options: {', '.join(known)}")
        return cls(read) if None not in read.values() and len(read) == len(data or {}) else None

    @classmethod
    def data_schema(cls) -> Schema:
        """Every rule that has options."""
        each = {
            rule: {"description": f"Options of the rule `{rule}`.", **schema_of(options)}
            for rule, options in _rules_with_options().items()
        }
        return {"type": ["object", "null"], "properties": each, "additionalProperties": False}


def _rules_with_options() -> dict[str, type[Any]]:
    found = {name: getattr(registry.load("rules", name), "Options", None) for name in registry.names("rules")}
    return {name: options for name, options in found.items() if options is not None}


@dataclass(frozen=True, slots=True)
class Lint:
    """Which rules run, how hard, and what is let pass.

    named: what `ignore` and `levels` name, with its place: rules and findings of readers.
    """

    preset: Preset = field(default="default", metadata={"doc": "Which rules run before the keys below change that."})
    ignore: tuple[str, ...] = field(default=(), metadata={"doc": "Rules that do not run."})
    levels: Mapping[str, Level] = field(default_factory=dict, metadata={"doc": "Rule → severity of its findings."})
    allow: Mapping[str, Mapping[str, Reason]] = field(
        default_factory=dict, metadata={"doc": "Selector → rule → why its findings are let pass."}
    )
    options: RuleOptions = field(default=RuleOptions(), metadata={"doc": "Rule → its own options."})
    named: tuple[tuple[str, Origin], ...] = field(default=(), metadata={"key": False})


@dataclass(frozen=True, slots=True)
class Config:
    """Everything a build was asked to do.

    root: the folder of the config, which paths shown to the user are relative to. files: digest of every config file
    read, by the path shown. origin: the config file.
    """

    name: str
    root: Path
    origin: Origin
    sources: Mapping[str, SourceEntry]
    out: str = "bundle"
    consolidate: Consolidate = Consolidate()
    always: Selector = _NOTHING
    groups: Mapping[str, GroupEntry] = field(default_factory=dict)
    accept: Mapping[str, Reason] = field(default_factory=dict)
    examples: Mapping[str, tuple[Example, ...]] = field(default_factory=dict)
    profiles: Mapping[str, Profile] = field(default_factory=dict)
    budgets: Budgets = Budgets()
    runtime_has: tuple[str, ...] = ()
    targets: Mapping[str, TargetEntry] = field(default_factory=dict)
    lint: Lint = Lint()
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one file, before what it includes is merged in."""

    version: Literal[1] = field(metadata={"doc": "Version of this format: 1."})
    name: str = field(default="", metadata={"doc": "Name of the catalog; needed in the file that is built."})
    include: tuple[str, ...] = field(
        default=(), metadata={"doc": "Catalogs to take in: `catalog:NAME` or the path of another toolc.yaml."}
    )
    out: str = field(default="bundle", metadata={"doc": "Folder that the bundle is written to."})
    sources: Mapping[str, Any] = field(default_factory=dict, metadata={"doc": "Name → where operations come from."})
    consolidate: Consolidate = field(default=Consolidate(), metadata={"doc": "How operations are merged into tools."})
    always: Selector = field(default=_NOTHING, metadata={"doc": "Operations whose tools are loaded from the start."})
    groups: Mapping[str, GroupEntry] = field(
        default_factory=dict, metadata={"doc": "Name → tools that are activated together."}
    )
    examples: Mapping[str, tuple[Mapping[str, Any], ...]] = field(
        default_factory=dict,
        metadata={"doc": "Operation id → arguments of recorded calls, as `toolc examples propose` writes them."},
    )
    accept: Mapping[str, Reason] = field(
        default_factory=dict, metadata={"doc": "Operation id → why its breaking change is accepted."}
    )
    profiles: Mapping[str, Profile] = field(
        default_factory=dict, metadata={"doc": "Name → a subset of the catalog for one agent."}
    )
    budgets: Budgets = field(default=Budgets(), metadata={"doc": "Most tokens; a build that exceeds one fails."})
    runtime_has: tuple[str, ...] = field(
        default=(), metadata={"doc": "Programs that the agent's runtime offers anyway."}
    )
    targets: Mapping[str, Any] = field(default_factory=dict, metadata={"doc": "Runtime to emit for → its options."})
    lint: Lint = field(default=Lint(), metadata={"doc": "Which rules run, how hard, and what is let pass."})
