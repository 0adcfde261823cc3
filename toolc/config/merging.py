"""Puts the files of a config together, included ones before the file that includes them.

Named things (sources, groups, profiles, accept, examples, targets, families, lint levels and allowances) are merged by
name, and a name that stands twice is an error; targets with equal options are no clash. Lists (always, keep,
runtime_has, ignore) are appended. Single settings (budgets, caps, preset) are those of the file that is built, else the
included one's; two included files that disagree are an error. `name` and `out` are never taken from an included file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial, reduce
from operator import add
from pathlib import Path
from typing import Any, TypeVar

from toolc import registry
from toolc.bind import bind, bind_parts, did_you_mean
from toolc.config.model import (
    Budget,
    Budgets,
    Config,
    Consolidate,
    Keys,
    Lint,
    Profile,
    RuleOptions,
    SourceEntry,
    TargetEntry,
)
from toolc.diagnostics import Diagnostic, Report, Severity
from toolc.ir import Example, Origin
from toolc.select import KEYWORDS, Selector

T = TypeVar("T")

# Names become parts of ids, tool names and folders, so they are kept to what all of those take.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,47}")


@dataclass(frozen=True, slots=True)
class Layer:
    """One file: its keys, its data, the folder it stands in, and how it is shown."""

    keys: Keys
    data: Mapping[str, Any]
    base: Path
    origin: Origin

    def at(self, path: tuple[str, ...]) -> Any:
        """The value that stands at a path of keys, or None if the file does not say."""
        value: Any = self.data
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        return value


def assemble(layers: list[Layer], root: Path, files: Mapping[str, str], report: Report) -> Config:
    """The config that the files make together; the last one is the file that is built."""
    built = layers[-1]
    _check_name(built, report)
    _check_out(built, report)
    config = Config(
        name=built.keys.name,
        root=root,
        origin=built.origin,
        sources=_merged(layers, ("sources",), lambda layer: _sources(layer, report), report),
        out=built.keys.out,
        consolidate=_consolidate(layers, report),
        always=_joined(layer.keys.always for layer in layers),
        groups=_merged(layers, ("groups",), lambda layer: _plain_names(layer, "groups", report), report),
        accept=_merged(layers, ("accept",), lambda layer: layer.keys.accept, report),
        examples=_merged(layers, ("examples",), _examples, report),
        profiles=_extended(
            _merged(layers, ("profiles",), lambda layer: _plain_names(layer, "profiles", report), report), report
        ),
        budgets=_budgets(layers, report),
        runtime_has=_unique(item for layer in layers for item in layer.keys.runtime_has),
        targets=_merged(layers, ("targets",), lambda layer: _targets(layer, report), report),
        lint=_lint(layers, report),
        files=dict(sorted(files.items())),
    )
    if not any(layer.at(("sources",)) for layer in layers):
        report.error("missing-key", "there are no sources", built.origin, help="name at least one under `sources`")
    for name in config.budgets.targets.keys() - config.targets.keys():
        place = config.budgets.origin.at(name)
        report.note("unused-budget", f"there is a budget for `{name}`, which is no target here", place)
    return config


def _examples(layer: Layer) -> dict[str, tuple[Example, ...]]:
    place = layer.origin.at("examples")
    return {
        key: tuple(Example(dict(call), "recorded", place.at(key, index)) for index, call in enumerate(calls))
        for key, calls in layer.keys.examples.items()
    }


def _check_name(built: Layer, report: Report) -> None:
    name = built.keys.name
    advice = "name the catalog with letters, digits, `.`, `_` and `-`, at most 64"
    if built.at(("name",)) in (None, ""):
        report.error("missing-key", "`name` is missing", built.origin, help=advice)
    elif name and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name):
        report.error("invalid-value", f"`{name}` is no name for a catalog", built.origin.at("name"), help=advice)


def _check_out(built: Layer, report: Report) -> None:
    folder = built.base.resolve()
    if (folder / built.keys.out).resolve() in (folder, *folder.parents):
        message = f"`out: {built.keys.out}` would replace the folder that the config stands in"
        report.error("invalid-value", message, built.origin.at("out"), help="name a folder of its own, as `bundle`")


def _merged(
    layers: list[Layer], path: tuple[str, ...], values: Callable[[Layer], Mapping[str, T]], report: Report
) -> dict[str, T]:
    """What all files say under a key that maps names to things; path: where it stands."""
    found: dict[str, T] = {}
    first: dict[str, Layer] = {}
    for layer in layers:
        for name, value in values(layer).items():
            if name not in first:
                found[name], first[name] = value, layer
                continue
            here, there = layer.at((*path, name)) or {}, first[name].at((*path, name)) or {}
            if path != ("targets",) or here != there:
                other = first[name].origin.at(*path, name)
                message = f"`{name}` stands under `{'.'.join(path)}` in {other.source} too"
                place = layer.origin.at(*path, name)
                advice = "rename one of them, or leave it out"
                report.add(Diagnostic("defined-twice", Severity.error, message, place, (other,), advice))
    return found


def _setting(layers: list[Layer], path: tuple[str, ...], report: Report) -> Layer | None:
    """The file whose word counts for a single setting; None if no file says anything."""
    speaking = [layer for layer in layers if layer.at(path) is not None]
    if not speaking or speaking[-1] is layers[-1]:
        return speaking[-1] if speaking else None
    first, *others = speaking
    for layer in others:
        if layer.at(path) != first.at(path):
            message = f"`{'.'.join(path)}` is not the same in {first.origin.source}"
            place, other = layer.origin.at(*path), first.origin.at(*path)
            advice = f"set it in {layers[-1].origin.source}: what stands there counts"
            report.add(Diagnostic("defined-twice", Severity.error, message, place, (other,), advice))
    return first


def _joined(selectors: Iterable[Selector]) -> Selector:
    return reduce(add, selectors, Selector())


def _unique(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))


def _is_name(name: str, origin: Origin, report: Report) -> bool:
    if _NAME.fullmatch(name):
        return True
    advice = "letters, digits, `_` and `-`, no digit first, at most 48"
    report.error("invalid-value", f"`{name}` cannot be a name here", origin, help=advice)
    return False


def _plain_names(layer: Layer, key: str, report: Report) -> Mapping[str, Any]:
    """What one file says under a key whose names are made part of other names."""
    things: Mapping[str, Any] = getattr(layer.keys, key)
    return {name: value for name, value in things.items() if _is_name(name, layer.origin.at(key, name), report)}


def _sources(layer: Layer, report: Report) -> dict[str, SourceEntry]:
    entries = {}
    for name, data in _plain_names(layer, "sources", report).items():
        origin = layer.origin.at("sources", name)
        if name in KEYWORDS:
            message = f"`{name}` means something in selectors, so no source can be called that"
            report.error("invalid-value", message, origin, help="give the source another name")
        elif (entry := source_entry(name, data, layer.base, origin, report)) is not None:
            entries[name] = entry
    return entries


def source_entry(name: str, data: Any, base: Path, origin: Origin, report: Report) -> SourceEntry | None:
    """One source from the data under its name, or None after reporting everything that is wrong with it."""
    known = registry.names("sources")
    kind = data.get("type") if isinstance(data, dict) else None
    if not isinstance(data, dict):
        report.error(
            "wrong-type", f"`{name}` must be a mapping", origin, help="as in `{type: openapi, path: api.yaml}`"
        )
    elif kind is None:
        report.error("missing-key", "`type` is missing", origin, help=f"types are {', '.join(known)}")
    elif kind not in known:
        message = f"`{kind}` is no type of source{did_you_mean(str(kind), known)}"
        report.error("unknown-type", message, origin.at("type"), help=f"types are {', '.join(known)}")
    else:
        options_class = registry.load("sources", kind).Options
        entry, options = bind_parts((SourceEntry, options_class), data, origin, report)
        if entry is not None and options is not None:
            filled: SourceEntry = replace(entry, name=name, options=options, base=base)
            return filled
    return None


def _targets(layer: Layer, report: Report) -> dict[str, TargetEntry]:
    known = registry.names("targets")
    entries = {}
    for name, data in layer.keys.targets.items():
        origin = layer.origin.at("targets", name)
        if name not in known:
            message = f"`{name}` is no target{did_you_mean(name, known)}"
            report.error("unknown-target", message, origin, help=f"targets are {', '.join(known)}")
        elif (options := bind(registry.load("targets", name).Options, data, origin, report)) is not None:
            entries[name] = TargetEntry(name, options, layer.base, origin)
    return entries


def _consolidate(layers: list[Layer], report: Report) -> Consolidate:
    settings = {}
    for key in ("enabled", "max_actions", "max_params"):
        layer = _setting(layers, ("consolidate", key), report)
        if layer is not None:
            settings[key] = getattr(layer.keys.consolidate, key)
    families = _merged(layers, ("consolidate", "families"), lambda layer: layer.keys.consolidate.families, report)
    for layer in layers:
        for name in layer.keys.consolidate.families:
            _is_name(name, layer.origin.at("consolidate", "families", name), report)
    keep = _joined(layer.keys.consolidate.keep for layer in layers)
    return Consolidate(**settings, keep=keep, families=families)


def _budgets(layers: list[Layer], report: Report) -> Budgets:
    def budget(path: tuple[str, ...], of: Callable[[Layer], Budget]) -> Budget:
        speaking = {item.name: _setting(layers, (*path, item.name), report) for item in fields(Budget)}
        return Budget(**{key: getattr(of(layer), key) for key, layer in speaking.items() if layer is not None})

    names = sorted({name for layer in layers for name in layer.keys.budgets.targets})
    return Budgets(
        budget(("budgets",), lambda layer: layer.keys.budgets.general),
        {name: budget(("budgets", name), partial(_target_budget, name)) for name in names},
        layers[-1].origin.at("budgets"),
    )


def _target_budget(name: str, layer: Layer) -> Budget:
    return layer.keys.budgets.targets[name]


def _extended(profiles: dict[str, Profile], report: Report) -> dict[str, Profile]:
    """The profiles with what each extends taken in; what is wrong with a chain is told once, where it is written."""
    done: dict[str, Profile] = {}

    def resolve(name: str, chain: tuple[str, ...]) -> Profile:
        if name in done:
            return done[name]
        profile = profiles[name]
        place = profile.origin.at("extends")
        if profile.extends in (*chain, name):
            ring = [*chain[chain.index(profile.extends) :], name] if profile.extends != name else [name]
            report.error("profile-cycle", f"`{name}` extends itself: {' → '.join([*ring, ring[0]])}", place)
        elif profile.extends and profile.extends not in profiles:
            others = [other for other in profiles if other != name]
            message = f"`{profile.extends}` is no profile{did_you_mean(profile.extends, others)}"
            known = f"the others are {', '.join(others)}" if others else "there is no other"
            report.error("unknown-profile", message, place, help=known)
        elif profile.extends:
            parent = resolve(profile.extends, (*chain, name))
            profile = replace(
                profile,
                select=parent.select + profile.select,
                allow=parent.allow + profile.allow,
                max_effect=profile.max_effect or parent.max_effect,
                budgets=profile.budgets if profile.budgets != Budgets() else parent.budgets,
            )
        done[name] = profile
        return profile

    for name in profiles:
        allow = resolve(name, ()).allow
        if allow.entries and all(entry.startswith("!") for entry in allow.entries):
            # elsewhere a list of only `!` means everything but; here that would lift max_effect for all the rest
            message = f"`allow` of `{name}` names nothing that it takes in, only what not"
            report.error("invalid-selector", message, allow.origins[0], help="name what to allow; the rest stays out")
    return {name: done[name] for name in profiles}


def _lint(layers: list[Layer], report: Report) -> Lint:
    preset = _setting(layers, ("lint", "preset"), report)
    levels = _merged(layers, ("lint", "levels"), lambda layer: layer.keys.lint.levels, report)
    allow = _merged(layers, ("lint", "allow"), lambda layer: layer.keys.lint.allow, report)
    for layer in layers:
        for selector in layer.keys.lint.allow:
            Selector.from_data(selector, layer.origin.at("lint", "allow", selector), report)
    ignore = _unique(rule for layer in layers for rule in layer.keys.lint.ignore)
    named = tuple(pair for layer in layers for pair in _rules_named(layer))
    options = _merged(layers, ("lint", "options"), lambda layer: layer.keys.lint.options.given, report)
    chosen = preset.keys.lint.preset if preset else Lint().preset
    return Lint(chosen, ignore, levels, allow, RuleOptions(options), named)


def _rules_named(layer: Layer) -> Iterator[tuple[str, Origin]]:
    # not judged here: the lint rule `unknown-rule` knows what readers reported, which has no list
    lint, origin = layer.keys.lint, layer.origin.at("lint")
    for index, rule in enumerate(lint.ignore):
        yield rule, origin.at("ignore", index)
    for rule in lint.levels:
        yield rule, origin.at("levels", rule)
