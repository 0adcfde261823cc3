"""Logs: text of which lines hold JSON (JSON Lines), after a time or a level, or behind `data:` of an event stream."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from toolc.diagnostics import UserError
from toolc.documents import json
from toolc.ir import Origin

_START = re.compile(r"[{\[]")
_TRIES = 5  # brackets before the JSON of a line, as in `[info] {…}`


def parse(text: str, shown: str) -> list[Any]:
    """The data of each line that holds some; raises UserError for what is JSON that is refused."""
    return [data for _, _, data in _documents(text, shown)]


def starts(text: str) -> list[int]:
    """Where the JSON of each such line begins."""
    return [start for start, _, _ in _documents(text, "")]


def _documents(text: str, shown: str) -> Iterator[tuple[int, int, Any]]:
    at = 0
    for number, line in enumerate(text.split("\n"), 1):
        for match in list(_START.finditer(line))[:_TRIES] if line.rstrip()[-1:] in ("}", "]") else ():
            try:
                yield at + match.start(), number, json.parse(line[match.start() :].rstrip(), shown)
                break
            except UserError as error:
                found = error.diagnostics[0]
                if found.rule != "invalid-json" and shown:
                    column = match.start() + (found.origin.column if found.origin else 1)
                    raise UserError(replace(found, origin=Origin(shown, "", number, column))) from None
        at += len(line) + 1
