"""What lets findings pass, with its reason: `lint.allow` in toolc.yaml, `x-toolc-allow` beside a tool, and comments.

`x-toolc-allow: {rule: reason}` covers the object it stands in with all that is below it. A comment
`# toolc: allow rule -- reason` (in SQL `-- toolc: allow …`) covers what begins on its line, or on the next one where it
has a line of its own, with all that is below it. Vendored files cannot let anything pass: whoever wrote them is not who
answers for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from toolc import documents
from toolc.config import Config
from toolc.diagnostics import Diagnostic
from toolc.ir import Origin, escape
from toolc.pipeline.filtering import together
from toolc.position import Locator
from toolc.rules import Subject, Suppression
from toolc.select import select

KEY = "x-toolc-allow"
_COMMENT = re.compile(
    r"(?:#|--)[ \t]*toolc:[ \t]*allow[ \t]+(?P<rule>[\w-]+)(?:[ \t]*(?:--|:|—|–)[ \t]*(?P<reason>.*))?"
)


def collect(subject: Subject, locator: Locator) -> list[Suppression]:
    """All that may let a finding pass: from the config, and from the files that the tools stand in."""
    own = [source for source in subject.catalog.sources if not source.vendored]
    files = dict.fromkeys(file for source in own for file in source.files)
    return [*_of_config(subject.config, subject), *(each for file in files for each in _of_file(file, locator))]


def _of_config(config: Config, subject: Subject) -> Iterator[Suppression]:
    holders = {operation.id: tool.name for tool in subject.tools for operation in tool.operations}
    for entry, reasons in config.lint.allow.items():
        chosen = select(subject.operations, [entry]).ids
        names = frozenset(name for key in chosen for name in (key, key.partition(":")[2], holders.get(key, key)))
        for rule, reason in reasons.items():
            yield Suppression(rule, reason.text, reason.origin, names=names)


def _of_file(file: str, locator: Locator) -> Iterator[Suppression]:
    text = locator.text(file)
    if KEY in text:
        yield from _keys(documents.parse_leniently(text, file), Origin(file))
    if documents.recognise(file, text) not in ("json", "lines") and "toolc:" in text:
        yield from _comments(file, text)


def _keys(data: Any, origin: Origin) -> Iterator[Suppression]:
    stack = [(data, "")]
    while stack:
        value, pointer = stack.pop()
        if isinstance(value, list):
            stack += [(item, f"{pointer}/{index}") for index, item in enumerate(value)]
        elif isinstance(value, dict):
            stack += [(item, f"{pointer}/{escape(str(key))}") for key, item in value.items() if key != KEY]
            allowed = value.get(KEY)
            for rule, reason in allowed.items() if isinstance(allowed, dict) else ():
                place = Origin(origin.source, pointer).at(KEY, str(rule))
                said = reason.strip() if isinstance(reason, str) else ""
                yield Suppression(str(rule), said, place, below=pointer)


def _comments(file: str, text: str) -> Iterator[Suppression]:
    lines = text.split("\n")
    inside = None
    for number, line in enumerate(lines, 1):
        match = _COMMENT.search(line)
        if match is None:
            continue
        inside = _in_scalars(file, text) if inside is None else inside
        at = sum(len(each) + 1 for each in lines[: number - 1]) + match.start()
        if any(start <= at < end for start, end in inside):
            continue
        alone = not line[: match.start()].strip()
        place = Origin(file, "", number, match.start() + 1)
        covered = _next_line(lines, number) if alone else number
        yield Suppression(match["rule"], (match["reason"] or "").strip(), place, line=covered)


def _next_line(lines: Sequence[str], number: int) -> int:
    """The first line after this one that holds more than a comment."""
    rest = enumerate(lines[number:], number + 1)
    return next((at for at, line in rest if line.strip() and not line.lstrip().startswith(("#", "--"))), number)


def _in_scalars(file: str, text: str) -> list[tuple[int, int]]:
    """Where in YAML texts stand, in which a comment is none."""
    if file.endswith((".sql", ".ddl", ".md")):
        return []
    import yaml

    try:
        tokens = [token for token in yaml.scan(text) if isinstance(token, yaml.ScalarToken)]
    except (yaml.YAMLError, RecursionError):
        return []
    return [(token.start_mark.index, token.end_mark.index) for token in tokens]


def applied(
    found: Iterable[Diagnostic], suppressions: Sequence[Suppression], locator: Locator
) -> tuple[list[Diagnostic], list[tuple[Diagnostic, Suppression]], set[int]]:
    """The findings that stay, those let pass with what let them, and the indexes of the suppressions that did so."""
    by_rule: dict[str, list[int]] = {}
    for index, suppression in enumerate(suppressions):
        if suppression.reason:
            by_rule.setdefault(suppression.rule, []).append(index)
    kept: list[Diagnostic] = []
    passed: list[tuple[Diagnostic, Suppression]] = []
    used: set[int] = set()
    for finding in found:
        rules = by_rule.get(finding.rule, ())
        left: list[Diagnostic] = []
        let: dict[int, list[Diagnostic]] = {}
        for part in finding.parts or (finding,):
            fitting = [index for index in rules if _fits(suppressions[index], part, locator)]
            if fitting:
                let.setdefault(fitting[0], []).append(part)
                used.update(fitting)
            else:
                left.append(part)
        passed += [(together(parts), suppressions[index]) for index, parts in let.items()]
        if left:
            kept.append(together(left) if let else finding)
    return kept, passed, used


def _fits(suppression: Suppression, finding: Diagnostic, locator: Locator) -> bool:
    if suppression.names is not None:
        return finding.subject in suppression.names
    origin = finding.origin
    if origin is None or origin.source != suppression.origin.source:
        return False
    if suppression.line:
        return any(locator.place(place)[0] == suppression.line for place in _upwards(origin))
    return f"{origin.pointer}/".startswith(f"{suppression.below}/")


def _upwards(origin: Origin) -> Iterator[Origin]:
    """The place itself and all that hold it, without the whole file."""
    yield origin
    pointer = origin.pointer.rpartition("/")[0]
    while pointer:
        yield Origin(origin.source, pointer)
        pointer = pointer.rpartition("/")[0]
