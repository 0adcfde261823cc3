"""Binds plain data to dataclasses, strictly, and turns their type hints into JSON Schema.

One description of what may be written serves both: the hints of a frozen dataclass. Understood are str, int, float,
bool, Any, Literal, unions, tuple[X, ...], Mapping[str, X], dataclasses, and classes that are `Bindable`. Metadata of
a field: `doc` (what the key means), `min` (least number), `one` (a single value stands for a list of one), `key: False`
(no key; the caller fills it in). A field of type Origin is no key either: it gets the place of its mapping.
A key with nothing after it, which YAML reads as null, is an empty list or mapping. A dataclass may refuse a combination
of values by raising ValueError in `__post_init__`.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import re
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar, Union, runtime_checkable

from toolc.diagnostics import Report
from toolc.ir import Origin, Schema

T = TypeVar("T")

_INVALID = object()
_SCALARS: dict[Any, tuple[str, str]] = {
    str: ("text", "string"),
    bool: ("true or false", "boolean"),
    int: ("a whole number", "integer"),
    float: ("a number", "number"),
    Path: ("a path", "string"),
}
_SEQUENCES = (tuple, list, frozenset, collections.abc.Sequence)
_MAPPINGS = (dict, collections.abc.Mapping)
# Names that an annotation may hold although its module imports them for the type checker only.
_NAMES = {"Mapping": Mapping, "Sequence": Sequence, "Path": Path, "Any": Any, "Literal": Literal, "Origin": Origin}


@runtime_checkable
class Bindable(Protocol):
    """A class that reads itself from data, because hints cannot say what it takes."""

    @classmethod
    def from_data(cls, data: Any, origin: Origin, report: Report) -> Any:
        """An instance, or None after reporting why not."""

    @classmethod
    def data_schema(cls) -> Schema:
        """The JSON Schema of what `from_data` takes."""


@dataclass(frozen=True, slots=True)
class Env:
    """A secret or an address, named by the environment variable that holds it."""

    env: str

    @classmethod
    def from_data(cls, data: Any, origin: Origin, report: Report) -> Env | None:
        """Read `{env: NAME}`; anything else may be the secret itself, so it is never repeated in the message."""
        name = data.get("env") if isinstance(data, dict) and set(data) == {"env"} else None
        if isinstance(name, str) and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and not _SECRET.match(name):
            return cls(name)
        report.error(
            "literal-secret" if isinstance(data, str) or isinstance(name, str) else "wrong-type",
            "here belongs the name of an environment variable, as `{env: NAME}`",
            origin,
            help="set the value in the environment, where toolc reads it only when it runs, and write its name here",
        )
        return None

    @classmethod
    def data_schema(cls) -> Schema:
        """`{env: NAME}`."""
        name = {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$", "description": "name of the variable"}
        return {"type": "object", "properties": {"env": name}, "required": ["env"], "additionalProperties": False}


# Well-known beginnings of keys, and long names that mix cases and digits as generated keys do.
_SECRET = re.compile(
    r"gh[opsu]_|github_pat_|sk_|xox[abp]|AKIA|ASIA|AIza|glpat_|eyJ|(?=.*[a-z])(?=.*[A-Z])(?=.*\d)\w{20,}$"
)


def nearest(word: str, candidates: Iterable[str], count: int = 3) -> tuple[str, ...]:
    """The candidates that the word may be a slip of, best first; differences of case count least."""
    pool = dict.fromkeys(candidates)
    folded: dict[str, list[str]] = {}
    for candidate in pool:
        folded.setdefault(candidate.casefold().replace("-", "_"), []).append(candidate)
    wanted = word.casefold().replace("-", "_")
    close = get_close_matches(wanted, folded, n=count, cutoff=0.6)
    likeness = {key: SequenceMatcher(None, key, wanted).ratio() for key in close}
    # What is clearly less like the word than the best would only distract from it.
    best = [key for key in close if likeness[key] > likeness[close[0]] - 0.1]
    return tuple(candidate for key in best for candidate in folded[key])[:count]


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """`; did you mean …?`, to be put after a message, or nothing."""
    close = nearest(word, candidates)
    return f"; did you mean {' or '.join(f'`{name}`' for name in close)}?" if close else ""


def bind(cls: type[T], data: Any, origin: Origin, report: Report) -> T | None:
    """The data as an instance, or None after reporting everything that is wrong with it."""
    value = _value(cls, data, origin, report, {}, "this")
    return None if value is _INVALID else typing.cast("T", value)


def bind_parts(classes: Sequence[type], data: Any, origin: Origin, report: Report) -> list[Any]:
    """One mapping whose keys belong to several dataclasses: an instance for each, None for one with errors."""
    if data is None:
        data = {}
    if not isinstance(data, dict):
        report.error("wrong-type", f"here belongs a mapping, not {_kind(data)}", origin)
        return [None for _ in classes]
    known = {key: cls for cls in reversed(classes) for key in _keys(cls)}
    for key in data:
        if key not in known:
            message = f"unknown key `{key}`{did_you_mean(str(key), known)}"
            report.error("unknown-key", message, origin.at(str(key)), help=f"known keys: {', '.join(sorted(known))}")
    return [_construct(cls, data, origin, report) for cls in classes]


def schema_of(hint: Any) -> Schema:
    """The JSON Schema (draft 2020-12) of what `bind` takes for a dataclass or another hint."""
    kind = typing.get_origin(hint)
    if hint is Any:
        return {}
    if kind is Literal:
        return {"enum": list(typing.get_args(hint))}
    if kind in (Union, types.UnionType):
        return _union_schema(typing.get_args(hint))
    if kind in _SEQUENCES:
        return {"type": ["array", "null"], "items": schema_of(typing.get_args(hint)[0])}
    if kind in _MAPPINGS:
        return {"type": ["object", "null"], "additionalProperties": schema_of(typing.get_args(hint)[1])}
    if _is_bindable(hint):
        return typing.cast("Schema", hint.data_schema())
    if dataclasses.is_dataclass(hint):
        return _object_schema((typing.cast("type", hint),))
    return {"type": _SCALARS[hint][1]}


def schema_of_parts(classes: Sequence[type]) -> Schema:
    """The JSON Schema of what `bind_parts` takes."""
    return _object_schema(classes)


@dataclass(frozen=True, slots=True)
class _Key:
    hint: Any
    metadata: Mapping[str, Any]
    required: bool
    default: Any


@cache
def _keys(cls: type) -> dict[str, _Key]:
    hints = typing.get_type_hints(cls, localns=_NAMES)
    return {
        item.name: _Key(
            hints[item.name],
            item.metadata,
            item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING,
            item.default,
        )
        for item in dataclasses.fields(cls)
        if hints[item.name] is not Origin and item.metadata.get("key", True)
    }


@cache
def _places(cls: type) -> tuple[str, ...]:
    """The fields that get the place of the mapping."""
    hints = typing.get_type_hints(cls, localns=_NAMES)
    return tuple(item.name for item in dataclasses.fields(cls) if hints[item.name] is Origin)


def _construct(cls: type, data: Mapping[str, Any], origin: Origin, report: Report) -> Any:
    values: dict[str, Any] = {}
    for name, key in _keys(cls).items():
        if name in data:
            values[name] = _value(key.hint, data[name], origin.at(name), report, key.metadata, f"`{name}`")
        elif key.required:
            values[name] = _INVALID
            report.error("missing-key", f"`{name}` is missing", origin, help=key.metadata.get("doc", ""))
    if any(value is _INVALID for value in values.values()):
        return None
    try:
        return cls(**values, **dict.fromkeys(_places(cls), origin))
    except ValueError as error:
        report.error("invalid-value", str(error), origin)
        return None


def _value(hint: Any, data: Any, origin: Origin, report: Report, metadata: Mapping[str, Any], label: str) -> Any:
    kind = typing.get_origin(hint)
    if hint is Any:
        return data
    if kind in (Union, types.UnionType):
        return _one_of(typing.get_args(hint), data, origin, report, metadata, label)
    if _is_bindable(hint):
        value = hint.from_data(data, origin, report)
        return _INVALID if value is None else value
    if dataclasses.is_dataclass(hint):
        (value,) = bind_parts((typing.cast("type", hint),), data, origin, report)
        return _INVALID if value is None else value
    if kind in _SEQUENCES and (metadata.get("one") and not isinstance(data, list | None)):
        data = [data]
    if not _fits(hint, data):
        slip = did_you_mean(data, map(str, typing.get_args(hint))) if kind is Literal and isinstance(data, str) else ""
        if isinstance(data, str) and data in map(str, typing.get_args(hint)):
            slip = ", a text: take the quotes away"
        report.error(
            "wrong-type",
            f"{label} must be {_expected(hint)}, not {_kind(data, _is_scalar(hint))}{slip}",
            origin,
            help=metadata.get("doc", "") if not slip else "",
        )
        return _INVALID
    if kind in _SEQUENCES:
        items = [
            _value(typing.get_args(hint)[0], item, origin.at(index), report, {}, f"item {index + 1} of {label}")
            for index, item in enumerate(data or ())
        ]
        if any(item is _INVALID for item in items):
            return _INVALID
        return items if kind is list else frozenset(items) if kind is frozenset else tuple(items)
    if kind in _MAPPINGS:
        pairs = {
            str(key): _value(typing.get_args(hint)[1], item, origin.at(str(key)), report, {}, f"`{key}`")
            for key, item in (data or {}).items()
        }
        return _INVALID if any(value is _INVALID for value in pairs.values()) else pairs
    if "min" in metadata and data < metadata["min"]:
        report.error("invalid-value", f"{label} must be at least {metadata['min']}, not {data}", origin)
        return _INVALID
    return Path(data) if hint is Path else data


def _one_of(
    hints: Sequence[Any], data: Any, origin: Origin, report: Report, metadata: Mapping[str, Any], label: str
) -> Any:
    """Bind to the one member of a union that data of this shape can only mean."""
    if data is None and type(None) in hints:
        return None
    members = [hint for hint in hints if hint is not type(None)]
    fitting = [hint for hint in members if _fits(hint, data)]
    if len(members) == 1 or len(fitting) == 1:
        return _value((fitting or members)[0], data, origin, report, metadata, label)
    if not fitting:
        expected = " or ".join(dict.fromkeys(_expected(hint) for hint in members))
        report.error("wrong-type", f"{label} must be {expected}, not {_kind(data)}", origin)
        return _INVALID
    attempts = []
    for hint in fitting:
        trial = Report()
        value = _value(hint, data, origin, trial, metadata, label)
        if not trial.diagnostics:
            return value
        attempts.append(trial.diagnostics)
    for diagnostic in min(attempts, key=len):
        report.add(diagnostic)
    return _INVALID


def _is_bindable(hint: Any) -> bool:
    return isinstance(hint, type) and isinstance(hint, Bindable)


def _fits(hint: Any, data: Any) -> bool:
    """Whether data has the outer shape that the hint asks for."""
    kind = typing.get_origin(hint)
    if hint is Any:
        return True
    if kind is Literal:
        return any(data == item and type(data) is type(item) for item in typing.get_args(hint))
    if kind in _SEQUENCES:
        return isinstance(data, list | None)
    if kind in _MAPPINGS or _is_bindable(hint) or dataclasses.is_dataclass(hint):
        return isinstance(data, dict | None)
    if hint is float:
        return isinstance(data, int | float) and not isinstance(data, bool)
    if hint is int:
        return isinstance(data, int) and not isinstance(data, bool)
    return isinstance(data, bool if hint is bool else str)


def _expected(hint: Any) -> str:
    kind = typing.get_origin(hint)
    if kind is Literal:
        choices = [f"`{item}`" for item in typing.get_args(hint)]
        return choices[0] if len(choices) == 1 else f"one of {', '.join(choices)}"
    if kind in _SEQUENCES:
        return "a list"
    return "a mapping" if hint not in _SCALARS else _SCALARS[hint][0]


def _is_scalar(hint: Any) -> bool:
    return hint in _SCALARS or typing.get_origin(hint) is Literal


def _kind(data: Any, echo: bool = False) -> str:
    """What data is; text is repeated only where no secret can stand, as it may be one in the wrong place."""
    if isinstance(data, str):
        return f"`{data[:60]}`" if echo else "text"
    if isinstance(data, bool | int | float):
        return f"`{str(data).lower()}`"
    return "nothing" if data is None else "a list" if isinstance(data, list) else "a mapping"


def _union_schema(hints: Sequence[Any]) -> Schema:
    members = [{"type": "null"} if hint is type(None) else schema_of(hint) for hint in hints]
    return {"anyOf": members}


def _object_schema(classes: Sequence[type]) -> Schema:
    keys = {name: key for cls in reversed(classes) for name, key in _keys(cls).items()}
    required = [name for name, key in keys.items() if key.required]
    return {
        "type": "object" if required else ["object", "null"],
        "properties": {name: _key_schema(key) for name, key in keys.items()},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def _key_schema(key: _Key) -> Schema:
    schema = schema_of(key.hint)
    if key.metadata.get("one"):
        schema = {"anyOf": [schema, schema["items"]]}
    if "min" in key.metadata:
        schema = {**schema, "minimum": key.metadata["min"]}
    if isinstance(key.default, str | int | float) and key.default != "":
        schema = {**schema, "default": key.default}
    return {"description": key.metadata["doc"], **schema} if "doc" in key.metadata else schema
