"""YAML text to data: the core schema of YAML 1.2, on PyYAML's parser.

Plain `true`/`false` and `null`/`~` are what they say; `no`, `on`, dates, `1_000` and `12:30` stay text. So does `0777`:
YAML 1.1 reads it as octal and YAML 1.2 as decimal, so what its writer meant is unknown, and text loses nothing.
Merge keys (`<<`) are expanded. Keys that are not text become text as they are written.

Events are turned into data here, without PyYAML's own composer and constructor: they read YAML 1.1, are recursive,
let later keys win in silence, and take about twice the time.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toolc.documents.faults import DEEPEST, MOST, empty, fault, too_deep, too_many, twice

if TYPE_CHECKING:
    from toolc.diagnostics import UserError

# What aliases may add to a file, in values (a long text counts as one for each 32 characters): 64 MB of text.
EXPANDED = 2_000_000

_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)|0o[0-7]+|0x[0-9a-fA-F]+")
_DIGITS = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_ENDLESS = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")

_TAG = "tag:yaml.org,2002:"
_TEXT_TAGS = ("!", *(_TAG + name for name in ("str", "binary", "timestamp")))
_PLAIN_TAGS = tuple(_TAG + name for name in ("null", "bool", "int", "float"))
_HOLDER_TAGS = ("!", *(_TAG + name for name in ("map", "seq", "set", "omap", "pairs")))
_MERGE = object()  # the key <<
_NOTHING = object()  # the root of a document that holds comments only


@dataclass(slots=True)
class _Open:
    """A mapping or list that is being read; size: its values so far, aliases expanded."""

    value: Any
    anchor: str | None
    key: Any = None
    keyed: bool = False
    size: int = 1
    merged: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Anchored:
    """What an alias stands for; text: a scalar as written, None for a mapping or list."""

    value: Any
    size: int
    text: str | None


def parse(text: str, shown: str) -> Any:
    """The data of the one document in the text; raises UserError with line and column."""
    import yaml

    try:
        loader = loader_class()(text)
        try:
            return _Builder(text, shown).build(loader)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        raise _broken(text, shown, error) from None
    except yaml.reader.ReaderError:
        raise _unprintable(text, shown) from None


def loader_class() -> Any:
    """PyYAML's loader over libyaml; where that is missing, its own in Python, ten times slower."""
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Builder:
    """Turns the events of one text into data."""

    def __init__(self, text: str, shown: str) -> None:
        self.text, self.shown = text, shown
        self.stack: list[_Open] = []
        self.anchors: dict[str, _Anchored | None] = {}  # None: still being read
        self.expanded = 0
        self.root: Any = None

    def build(self, loader: Any) -> Any:
        """Read all events; the loader raises what is no YAML at all."""
        import yaml

        documents = count = 0
        last = False
        while not last:
            event = loader.get_event()
            kind = type(event)
            if kind is yaml.ScalarEvent:
                self.scalar(event)
            elif kind is yaml.MappingStartEvent:
                self.open({}, event)
            elif kind is yaml.SequenceStartEvent:
                self.open([], event)
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                self.close(event)
            elif kind is yaml.AliasEvent:
                self.alias(event)
            elif kind is yaml.DocumentStartEvent:
                documents += 1
                if documents > 1:
                    advice = "Keep one, and put the others into files of their own."
                    raise self.fault(event, f"{self.shown} holds more than one YAML document", advice)
            else:
                last = kind is yaml.StreamEndEvent
            count += 1
            if count > MOST:
                raise too_many(self.shown)
        if not documents or self.root is _NOTHING:
            raise empty(self.shown)
        return self.root

    def fault(self, event: Any, message: str, advice: str, rule: str = "invalid-yaml") -> UserError:
        return fault(rule, self.text, self.shown, event.start_mark.index, message, advice)

    def scalar(self, event: Any) -> None:
        text = event.value
        plain = not event.style and event.tag is None
        if self.stack and (holder := self.stack[-1]).keyed is False and type(holder.value) is dict:
            if event.anchor is not None:
                self.anchors[event.anchor] = _Anchored(self.meaning(event, text, plain), 1, text)
            merge = text == "<<" and (plain or event.tag == _TAG + "merge")
            self.key(_MERGE if merge else text, event)
            return
        value = self.meaning(event, text, plain)
        size = 1 + len(text) // 32
        if event.anchor is not None:
            self.anchors[event.anchor] = _Anchored(value, size, text)
        if not self.stack and plain and not text:
            value = _NOTHING
        self.place(value, size, event)

    def key(self, key: Any, event: Any) -> None:
        holder = self.stack[-1]
        if key in holder.value:
            raise twice(self.text, self.shown, event.start_mark.index, key)
        holder.key, holder.keyed = key, True

    def meaning(self, event: Any, text: str, plain: bool) -> Any:
        if plain:
            return self.plain(event, text) if text in _WORDS or text[0] in "+-.0123456789" else text
        tag = event.tag
        if tag is None or tag in _TEXT_TAGS:
            return text
        if tag not in _PLAIN_TAGS:
            raise self.unknown_tag(event)
        value = self.plain(event, text)
        if tag == _TAG + "float" and type(value) is int:
            return float(value)
        kind = {"null": type(None), "bool": bool, "int": int, "float": float}[tag.removeprefix(_TAG)]
        if type(value) is not kind:
            message = f"`{_short(text)}` is no {tag.replace(_TAG, '!!')}"
            raise self.fault(event, message, "Correct the value or the tag.")
        return value

    def plain(self, event: Any, text: str) -> Any:
        """What text without quotes means in the core schema of YAML 1.2."""
        if text in _WORDS:
            return _WORDS[text]
        try:
            if _INTEGER.fullmatch(text):
                return int(text, 0)
            if _DIGITS.fullmatch(text):
                return text  # 0777
            number = float(text) if _FLOAT.fullmatch(text) else math.inf if _ENDLESS.fullmatch(text) else None
        except ValueError:  # more digits than Python converts
            number = math.inf
        if number is None:
            return text
        if math.isinf(number):
            advice = "Put it in quotes if it is text; else write a finite number."
            raise self.fault(event, f"`{_short(text)}` is not a number that JSON can carry", advice)
        return number

    def unknown_tag(self, event: Any) -> UserError:
        shown = event.tag.replace(_TAG, "!!")
        return self.fault(event, f"the tag {shown} is not known", "Remove it, or write the value in plain YAML.")

    def open(self, value: Any, event: Any) -> None:
        if event.tag is not None and event.tag not in _HOLDER_TAGS:
            raise self.unknown_tag(event)
        if len(self.stack) == DEEPEST:
            raise too_deep(self.text, self.shown, event.start_mark.index)
        if self.stack and self.stack[-1].keyed is False and type(self.stack[-1].value) is dict:
            raise self.complex_key(event)
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        self.stack.append(_Open(value, event.anchor))

    def complex_key(self, event: Any) -> UserError:
        return self.fault(event, "a key is a mapping or a list", "Keys are text; put quotes around a key like {a}.")

    def close(self, event: Any) -> None:
        done = self.stack.pop()
        value = done.value
        if done.merged:
            value = {}
            for source in done.merged:
                value.update(source)
            value.update(done.value)
        if done.anchor is not None:
            self.anchors[done.anchor] = _Anchored(value, done.size, None)
        self.place(value, done.size, event)

    def alias(self, event: Any) -> None:
        found = self.anchors.get(event.anchor)
        if found is None:
            if event.anchor in self.anchors:
                message, advice = f"*{event.anchor} stands inside what it refers to", "Break the circle."
            else:
                message, advice = f"*{event.anchor} refers to nothing", f"Write &{event.anchor} at an earlier value."
            raise self.fault(event, message, advice)
        self.expanded += found.size
        if self.expanded > EXPANDED:
            message = f"the aliases of {self.shown} stand for more than {EXPANDED:,} values"
            raise self.fault(event, message, "Write fewer aliases of aliases.", "input-limit")
        holder = self.stack[-1]
        if type(holder.value) is dict and not holder.keyed:
            if found.text is None:
                raise self.complex_key(event)
            self.key(found.text, event)
        else:
            self.place(found.value, found.size, event)

    def place(self, value: Any, size: int, event: Any) -> None:
        if not self.stack:
            self.root = value
            return
        holder = self.stack[-1]
        holder.size += size
        if type(holder.value) is list:
            holder.value.append(value)
        elif holder.key is _MERGE:
            holder.keyed = False
            self.merge(holder, value, event)
        else:
            holder.keyed = False
            holder.value[holder.key] = value

    def merge(self, holder: _Open, value: Any, event: Any) -> None:
        """Of several mappings the first that has a key gives its value; the mapping's own keys go before all."""
        sources = value if type(value) is list else [value]
        if not all(type(source) is dict for source in sources):
            advice = "Give it an alias of a mapping, or a list of such; put << in quotes if it is a name."
            raise self.fault(event, "<< merges something that is no mapping", advice)
        holder.merged.extend(reversed(sources))


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:40] + "…"


_HELP = (
    ("mapping values are not allowed", "Put text that holds a colon and a blank in quotes, and check the indentation."),
    ("did not find expected key", "Check the indentation here, and the quotes and brackets of the lines above."),
    ("could not find expected ':'", "Write `key: value`; check the indentation and the quotes of the lines above."),
    ("unexpected end of stream", "A closing quote is missing."),
    ("found unknown escape character", "Double the backslash, or put the text in single quotes."),
)


def _broken(text: str, shown: str, error: Any) -> UserError:
    """What the parser says, and what most likely has to be done."""
    mark = error.problem_mark or error.context_mark
    index = mark.index if mark is not None else 0
    problem = error.problem or error.context or "it cannot be read"
    if "maximum nesting depth" in problem:
        return too_deep(text, shown, index)
    here = text[index : index + 1]
    if "cannot start any token" in problem and here == "\t":
        advice = "Indent with blanks; YAML allows no tabs there."
    elif "cannot start any token" in problem:
        advice = f"Put text that begins with {here} in quotes."
    elif "expected ',' or" in problem and error.context_mark is not None:
        opened = error.context_mark
        sign = text[opened.index : opened.index + 1]
        advice = f"Close the {sign} of line {opened.line + 1}, column {opened.column + 1}, or put the missing comma."
    else:
        advice = next((advice for words, advice in _HELP if words in problem), "Correct the YAML here.")
    return fault("invalid-yaml", text, shown, index, f"{shown} is not valid YAML: {problem}", advice)


def _unprintable(text: str, shown: str) -> UserError:
    import yaml

    found = yaml.reader.Reader.NON_PRINTABLE.search(text)
    index = found.start() if found else 0
    message = f"{shown} is not valid YAML: it holds the control character U+{ord(text[index]):04X}"
    return fault("invalid-yaml", text, shown, index, message, 'Remove it, or write it as an escape in "…".')
