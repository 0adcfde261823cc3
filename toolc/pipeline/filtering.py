"""What becomes of raw findings: one a cause, none that a stronger one says already, at the levels asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from toolc.diagnostics import Diagnostic, Severity, place_order
from toolc.ir import Origin

LEVELS = {"error": Severity.error, "warning": Severity.warning, "note": Severity.note}


def collapsed(
    found: Iterable[Diagnostic], written: Callable[[Origin], Origin] = lambda origin: origin
) -> list[Diagnostic]:
    """One finding for all of one rule that have one cause, or else one place and severity; the first speaks for them.

    What has no place in a file is one finding only with those that say the same. written: where that stands in the text
    which has several places in the data.
    """
    groups: dict[tuple[object, ...], list[Diagnostic]] = {}
    for finding in found:
        spot: object = finding.cause or (finding.origin and written(finding.origin)) or finding.message
        groups.setdefault((finding.rule, finding.severity, spot), []).append(finding)
    return [_without_repeats(together(group), written) for group in groups.values()]


def _without_repeats(finding: Diagnostic, written: Callable[[Origin], Origin]) -> Diagnostic:
    """The finding without related places that are the same text as its own."""
    if not finding.related or finding.origin is None:
        return finding
    own = written(finding.origin)
    return replace(finding, related=tuple(place for place in finding.related if written(place) != own))


def together(group: Sequence[Diagnostic]) -> Diagnostic:
    """One finding for several of one cause: the first in the file, with the places of all, their number and fixes."""
    group = sorted(group, key=lambda finding: place_order(finding.origin))
    first = group[0]
    if len(group) == 1:
        return first
    places = dict.fromkeys(origin for each in group for origin in (each.origin, *each.related) if origin is not None)
    if first.origin is not None:
        places.pop(first.origin)
    fixes = [each.fix for each in group if each.fix]
    edits = {(edit.origin, edit.remove, repr(edit.value)): edit for fix in fixes for edit in fix.edits}
    fix = replace(fixes[0], edits=tuple(edits.values())) if fixes else None
    count = len({(each.subject, each.message, each.origin) for each in group})
    parts: dict[Origin | None, Diagnostic] = {}
    for each in group:
        parts.setdefault(each.origin, each)
    alone = tuple(parts.values()) if len(parts) > 1 else ()
    return replace(first, related=tuple(places), count=max(first.count, count), fix=fix, parts=alone)


def rest(finding: Diagnostic, stays: Callable[[Diagnostic], bool]) -> list[Diagnostic]:
    """The finding without those of its places that do not stay; nothing where none does."""
    parts = finding.parts or (finding,)
    left = [part for part in parts if stays(part)]
    return [finding] if len(left) == len(parts) else [together(left)] if left else []


def silenced(found: Iterable[Diagnostic], silences: Mapping[str, Iterable[str]]) -> list[Diagnostic]:
    """Without those that a stronger rule makes superfluous; silences: rule → the weaker ones.

    The spot of a finding about a tool is all that stands at, below or above its place; a finding about the list as a
    whole, which names no tool, silences at its own place and at those it relates to.
    """
    found = list(found)
    loud: dict[str, list[Diagnostic]] = {}
    for finding in found:
        for weaker in silences.get(finding.rule, ()):
            loud.setdefault(weaker, []).extend(finding.parts or (finding,))

    def is_news(finding: Diagnostic) -> bool:
        return not any(_covers(strong, finding) for strong in loud[finding.rule])

    return [left for finding in found for left in (rest(finding, is_news) if finding.rule in loud else [finding])]


def news(reported: Iterable[Diagnostic], found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """What was reported before the rules ran and no rule of the same name says of the same tool and spot again."""
    said: dict[tuple[str, str], list[Diagnostic]] = {}
    for finding in found:
        said.setdefault((finding.rule, finding.subject), []).append(finding)
    return [
        each
        for each in reported
        if not any(_nested(each.origin, other.origin) for other in said.get((each.rule, each.subject), ()))
    ]


def _covers(strong: Diagnostic, weak: Diagnostic) -> bool:
    if strong.subject:
        return weak.subject in ("", strong.subject) and any(
            _nested(one, weak.origin) for one in (strong.origin, *strong.related)
        )
    return weak.origin == strong.origin or any(
        weak.origin is not None and _within(weak.origin, place) for place in strong.related
    )


def _nested(one: Origin | None, other: Origin | None) -> bool:
    return one is not None and other is not None and (_within(one, other) or _within(other, one))


def _within(inner: Origin, outer: Origin) -> bool:
    return inner.source == outer.source and f"{inner.pointer}/".startswith(f"{outer.pointer}/")


def levelled(found: Iterable[Diagnostic], levels: Mapping[str, str]) -> Iterator[Diagnostic]:
    """With the severities that the config gives; what it switches off is left out."""
    for finding in found:
        level = levels.get(finding.rule)
        if level is None:
            yield finding
        elif level != "off":
            yield _at(finding, LEVELS[level])


def demoted(
    found: Iterable[Diagnostic], vendored: Collection[str], gating: Collection[str] = ()
) -> Iterator[Diagnostic]:
    """As notes where they stand in files that the team cannot edit: nothing gates there but the rules in `gating`."""
    for finding in found:
        place = finding.origin.source if finding.origin is not None else ""
        yield _at(finding, Severity.note) if place in vendored and finding.rule not in gating else finding


def _at(finding: Diagnostic, severity: Severity) -> Diagnostic:
    return replace(finding, severity=severity, parts=tuple(replace(part, severity=severity) for part in finding.parts))
