"""Argument lists of programs from the templates of native tools: no shell, and no value that becomes an option.

`{argument}` stands for an argument of the call, `{{` and `}}` for braces. An entry of several words is an option with
its values. Whether `--json` before a word takes it as its value is not known: only `--`, or the option in the same word
or entry, tells that a value that begins with `-` is none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Template = Sequence[str | Sequence[str]]

_PLACE = re.compile(r"\{\{|\}\}|\{([^{}]+)\}")
_OPTION = re.compile(r"-{1,2}[^-=\s{][^=\s{]*")


def named(word: str) -> list[str]:
    """The arguments that a word of a template names."""
    return [match.group(1) for match in _PLACE.finditer(word) if match.group(1)]


def alone(word: str) -> str:
    """The argument that makes up the whole word; `` for none."""
    match = _PLACE.fullmatch(word)
    return (match and match.group(1)) or ""


def words(template: Template) -> Iterator[str]:
    """All words of a template."""
    for entry in template:
        yield from [entry] if isinstance(entry, str) else entry


def unclear(template: Template) -> Iterator[tuple[int, str, str]]:
    """(index, option, argument) where the argument of a word may be the value of the option before it, or not."""
    before = ""
    for index, entry in enumerate(template):
        if entry == "--":
            return
        if isinstance(entry, str) and alone(entry) and _OPTION.fullmatch(before):
            yield index, before, alone(entry)
        before = entry if isinstance(entry, str) else ""


def filled(template: Template, arguments: Mapping[str, Any]) -> Iterator[str]:
    """The words of a template with its arguments filled in.

    A word that names arguments of which none is given is left out, and so is such an option with its values. A word
    that is a placeholder alone gives a word for each item of a list, and an option with it is repeated. Raises
    ValueError for a value that the program could take for an option.
    """
    ended = False  # by `--`, after which nothing is an option
    for entry in template:
        if not isinstance(entry, str):
            yield from _option(entry, arguments)
            continue
        for text, is_number in _word(entry, arguments):
            if text.startswith("-") and not (entry.startswith("-") or ended or is_number):
                raise ValueError(f"`{named(entry)[0]}` cannot begin with `-`: the program would take it for an option")
            yield text
        ended = ended or entry == "--"


def _word(word: str, arguments: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """The texts of a word, and whether they are numbers."""
    names = named(word)
    if names and all(arguments.get(name) is None for name in names):
        return
    if name := alone(word):
        value = arguments[name]
        for item in value if isinstance(value, list) else [value]:
            yield _text(item), isinstance(item, int | float)
    else:
        yield _PLACE.sub(lambda match: _fill(match, arguments), word), False


def _option(entry: Sequence[str], arguments: Mapping[str, Any]) -> Iterator[str]:
    names = [name for word in entry for name in named(word)]
    if names and all(arguments.get(name) is None for name in names):
        return
    for name in map(alone, entry):
        if isinstance(items := arguments.get(name), list):
            for item in items:
                yield from _option(entry, {**arguments, name: item})
            return
    for word in entry:
        yield from (text for text, _ in _word(word, arguments))


def _fill(match: re.Match[str], arguments: Mapping[str, Any]) -> str:
    if match.group(1) is None:
        return match.group(0)[0]
    value = arguments.get(match.group(1))
    return "" if value is None else _text(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
