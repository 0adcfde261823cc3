"""`examples propose`: a few masked examples an operation out of recorded calls, as a file to review and include."""

from __future__ import annotations

import json
from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolc.bind import did_you_mean
from toolc.diagnostics import Report
from toolc.dispatch import Dispatcher, Refusal, Resolution
from toolc.ir import Arguments, Catalog
from toolc.pipeline.recordings import Recording
from toolc.schema.masking import Masking

_HEAD = """\
# Examples from recorded calls, proposed by `toolc examples propose`. Strings that no enum fixes are placeholders, and
# so are long numbers. Read each call, put in better values where everyone may see them, commit this file, and name it
# in toolc.yaml:
#   include: [./{name}]
"""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What was found. examples: by operation id; calls: how many were understood; plain: operations whose calls say
    nothing that their types do not say."""

    examples: Mapping[str, tuple[Arguments, ...]]
    calls: int
    plain: tuple[str, ...]


def propose(
    recordings: Iterable[Recording], catalog: Catalog, report: Report, *, safe: frozenset[str], most: int
) -> Proposal:
    """At most `most` masked calls an operation, different from each other, each accepted by its exact schema."""
    names = _Names(catalog)
    masks: dict[str, Masking] = {}
    found: dict[str, Tally[str]] = {}
    plain: set[str] = set()
    calls = 0
    for recording in recordings:
        resolution = names.resolve(recording)
        if isinstance(resolution, str):
            report.warning("refused-recording", resolution, recording.origin, subject=recording.name)
            continue
        calls += 1
        key = resolution.operation
        mask = masks.setdefault(key, Masking(catalog.operations[key].input, safe))
        masked = mask.mask(resolution.arguments)
        if masked is None:
            message = f"this call of `{key}` cannot be masked so that it stays valid"
            report.warning("refused-recording", message, recording.origin, subject=recording.name)
        elif masked.telling:
            found.setdefault(key, Tally())[json.dumps(masked.arguments, ensure_ascii=False)] += 1
        else:
            plain.add(key)
    examples = {key: tuple(_diverse(found[key], most)) for key in sorted(found)}
    return Proposal(examples, calls, tuple(sorted(plain - examples.keys())))


def render(proposal: Proposal, name: str) -> str:
    """The proposal as a YAML file that a toolc.yaml can include; name: of that file."""
    import yaml

    data = {"version": 1, "examples": {key: list(calls) for key, calls in proposal.examples.items()}}
    return _HEAD.format(name=name) + yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=120)


class _Names:
    """What a recorded name may mean: a tool, an old name, an operation, each also behind a harness's prefix."""

    def __init__(self, catalog: Catalog) -> None:
        self._dispatcher = Dispatcher(catalog.tools, catalog.operations, catalog.aliases)
        self._operations: dict[str, str] = {}
        held = Tally(operation.name for operation in catalog.operations.values())
        for key, operation in catalog.operations.items():
            self._operations[key] = key
            if held[operation.name] == 1:
                self._operations[operation.name] = key
        self._sources = sorted({operation.source for operation in catalog.operations.values()})

    def resolve(self, recording: Recording) -> Resolution | str:
        """The call of an operation, or why it is none."""
        for name in self._written(recording.name):
            if name in self._operations and (recording.is_operation or not self._is_tool(name)):
                return self._direct(self._operations[name], recording.arguments)
            if self._is_tool(name):
                result = self._dispatcher.resolve(name, dict(recording.arguments))
                return result.message if isinstance(result, Refusal) else result
        known = [*self._dispatcher.tools, *self._dispatcher.aliases, *self._operations]
        return f"nothing is called `{recording.name}`{did_you_mean(recording.name, known)}"

    def _is_tool(self, name: str) -> bool:
        return name in self._dispatcher.tools or name in self._dispatcher.aliases

    def _direct(self, key: str, arguments: Mapping[str, Any]) -> Resolution | str:
        meant, violations = self._dispatcher.checker(key).check(dict(arguments))
        if not violations:
            return Resolution(key, meant)
        place = ".".join(map(str, violations[0].path))
        return f"`{key}` does not take this call: {f'{place}: ' if place else ''}{violations[0].message}"

    def _written(self, name: str) -> Iterator[str]:
        """The name, and without what harnesses put before it: `mcp__server__x`, `server_x`, `functions.x`."""
        yield name
        for mark in ("__", ".", "/", ":"):
            if mark in name:
                yield name.rpartition(mark)[2]
        for source in self._sources:
            for prefix in (f"mcp_{source}_", f"{source}_", f"{source}-"):
                if name.startswith(prefix):
                    yield name.removeprefix(prefix)


def _diverse(found: Tally[str], most: int) -> Iterator[Arguments]:
    """The commonest call first, then those that show most that no earlier one shows: a parameter, an enum value."""
    left = sorted(found, key=lambda text: (-found[text], text))
    shown: set[str] = set()
    for _ in range(most):
        news = {text: len(_features(json.loads(text)) - shown) for text in left}
        if not left or (shown and not max(news.values())):
            return
        best = left[0] if not shown else max(left, key=lambda text: (news[text], found[text]))
        left.remove(best)
        shown |= _features(json.loads(best)) | {""}
        yield json.loads(best)


def _features(value: Any, path: str = "") -> set[str]:
    """Which parameters a call uses, at any depth, and which words and switches it gives them; numbers do not differ."""
    if isinstance(value, dict):
        inner = (_features(item, f"{path}/{key}") for key, item in value.items())
        return {path, *(feature for each in inner for feature in each)}
    if isinstance(value, list):
        return {path, *(feature for item in value for feature in _features(item, f"{path}[]"))}
    return {path, f"{path}={value}"} if isinstance(value, str | bool) else {path}
