"""Texts of parameters that several tools of a group share, said once in the group's text instead of in each tool.

For runtimes only that show the group's text together with its tools. A tool keeps the property and its schema; what its
text says of actions (`Required: update.`) stays with it, since that is its own.
"""

from __future__ import annotations

import re
from collections import Counter as Tally
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from toolc.ir import Tool
from toolc.limits import Fitted
from toolc.wording import sentence

INTRODUCTION = "Parameters shared by these tools:"
_KEY = ',"description":""'  # what goes with each text that is cut


@dataclass(frozen=True, slots=True)
class Hoisted:
    """Tools without the texts that they share, and the text for their group that says them, empty if there are none.

    taken: by tool, the parameters whose text stands in the group's now.
    """

    tools: tuple[Fitted, ...]
    text: str
    taken: tuple[tuple[str, tuple[str, ...]], ...]


def hoist(tools: Sequence[Fitted], room: int) -> Hoisted:
    """What the tools of one group share, as long as it fits into `room` characters, the largest saving first."""
    texts = [_texts(fitted) for fitted in tools]
    chosen: dict[str, str] = {}
    left = room - len(INTRODUCTION)
    saved = 0
    for saving, name, text in sorted(_shared(texts), key=lambda entry: (-entry[0], entry)):
        cost = len(_line(name, text))
        if cost <= left:
            chosen[name] = text
            left -= cost
            saved += saving
    if saved <= len(INTRODUCTION):
        return Hoisted(tuple(tools), "", ())
    cut = [_without(fitted, own, chosen) for fitted, own in zip(tools, texts, strict=True)]
    taken = tuple((fitted.tool.name, names) for fitted, names in cut if names)
    lines = "".join(_line(name, chosen[name]) for name in sorted(chosen))
    return Hoisted(tuple(fitted for fitted, _ in cut), INTRODUCTION + lines, taken)


_Texts = Mapping[str, tuple[str, str]]


def _shared(tools: Sequence[_Texts]) -> Iterator[tuple[int, str, str]]:
    """Parameters with a text that two tools or more have, by the characters that saying it once saves.

    None that some tool has without a text: that tool would be told by the group's text what its source does not say.
    A tool whose text differs keeps it.
    """
    found: dict[str, Tally[str]] = defaultdict(Tally)
    for texts in tools:
        for name, (text, _) in texts.items():
            found[name][text] += 1
    for name, counts in found.items():
        if "" not in counts:
            text = max(counts, key=lambda text: (counts[text] * len(text), text))
            saving = counts[text] * (len(text) + len(_KEY)) - len(_line(name, text))
            if counts[text] > 1 and saving > 0:
                yield saving, name, text


def _line(name: str, text: str) -> str:
    return f"\n{name}: {text}"


def _texts(fitted: Fitted) -> _Texts:
    """By parameter, its text without what it says of actions, and that; not of selectors, which are each tool's own."""
    tail = _tail(fitted.tool)
    found = {}
    for name, schema in fitted.input_schema.get("properties", {}).items():
        if name in fitted.tool.dispatch.select:
            continue
        text = schema.get("description", "") if isinstance(schema, dict) else ""
        text = text if isinstance(text, str) else ""
        match = tail.search(text) if tail is not None else None
        said, rest = (text[: match.start()], match[0]) if match is not None else (text, "")
        found[name] = sentence(said), rest
    return found


def _tail(tool: Tool) -> re.Pattern[str] | None:
    """The end of a parameter's text in a merged tool: `Required: update. Also: create.` or `create, search.`"""
    actions = {value for case in tool.dispatch.cases for value in case.when.values()}
    if not actions:
        return None
    one = "|".join(map(re.escape, sorted(actions, key=len, reverse=True)))
    some = rf"(?:{one})(?:, (?:{one}))*\."
    return re.compile(rf"(?:^|(?<=[.!?:;…] ))(?:Required: {some}(?: Also: {some})?|{some})$")


def _without(fitted: Fitted, texts: _Texts, chosen: Mapping[str, str]) -> tuple[Fitted, tuple[str, ...]]:
    names = tuple(sorted(name for name, text in chosen.items() if name in texts and texts[name][0] == text))
    if not names:
        return fitted, ()
    properties = dict(fitted.input_schema["properties"])
    for name in names:
        rest = texts[name][1]
        kept = {key: value for key, value in properties[name].items() if key != "description"}
        properties[name] = {**kept, "description": rest} if rest else kept
    return replace(fitted, input_schema={**fitted.input_schema, "properties": properties}), names
