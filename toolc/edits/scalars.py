"""Values as YAML text, in the style that stood there before where it can say them."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable
from typing import Any

from toolc import documents
from toolc.diagnostics import UserError

WIDTH = 100
_CONTENT = re.compile(r"\n( *)\S")


def key(text: str) -> str:
    """A mapping's key."""
    return _plain(text, "{}: x", {text: "x"}) or json.dumps(text, ensure_ascii=False)


def in_flow(value: Any, style: str) -> str:
    """A value between brackets."""
    if isinstance(value, str):
        quoted = _single(value) if style == "single" else ""
        plain = _plain(value, "[{}]", [value]) if style == "plain" else ""
        return plain or quoted or json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False)


def in_block(value: Any, style: str, column: int, indent: int) -> str:
    """A value after `key:` in a block whose keys stand at `column`; a mapping begins with a line end.

    indent: of the lines of the block text that stood there, 0 if none did.
    """
    if isinstance(value, dict) and value:
        margin = " " * (column + 2)
        lines = []
        for name, inner in value.items():
            rendered = in_block(inner, "plain", column + 2, 0)
            lines.append(f"\n{margin}{key(name)}:{'' if rendered.startswith(chr(10)) else ' '}{rendered}")
        return "".join(lines)
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    margin = " " * (indent or column + 2)
    attempts: dict[str, Callable[[], str]] = {
        "literal": lambda: _literal(value, margin),
        "folded": lambda: _folded(value, margin) or _literal(value, margin),
        "single": lambda: _single(value),
        "double": lambda: "",
        "plain": lambda: _plain(value, "k: {}", {"k": value}),
    }
    return attempts[style]() or json.dumps(value, ensure_ascii=False)


def indent_of_block(old: str) -> int:
    """How far the lines of a block text are indented; 0 if it has none."""
    match = _CONTENT.search(old)
    return len(match[1]) if match else 0


def _plain(text: str, form: str, data: Any) -> str:
    return text if "\n" not in text and _means(form.replace("{}", text), data) else ""


def _single(text: str) -> str:
    quoted = "'" + text.replace("'", "''") + "'"
    return quoted if "\n" not in text and _means(f"[{quoted}]", [text]) else ""


def _literal(text: str, margin: str) -> str:
    body = text.rstrip("\n")
    ends = len(text) - len(body)
    lines = [f"{margin}{line}".rstrip(" ") if not line else margin + line for line in body.split("\n")]
    written = f"|{_chomp(ends)}\n" + "\n".join(lines) + "\n" * max(ends - 1, 0)
    return written if body and _means(f"k: {written}\n", {"k": text}) else ""


def _folded(text: str, margin: str) -> str:
    body = text.rstrip("\n")
    ends = len(text) - len(body)
    wrapped = [
        f"\n{margin}".join(textwrap.wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False)) or line
        for line in body.split("\n")
    ]
    written = f">{_chomp(ends)}\n{margin}" + f"\n\n{margin}".join(wrapped) + "\n" * max(ends - 1, 0)
    return written if body and _means(f"k: {written}\n", {"k": text}) else ""


def _chomp(ends: int) -> str:
    return {0: "-", 1: ""}.get(ends, "+")


def _means(text: str, data: Any) -> bool:
    try:
        return bool(documents.parse(text, "text.yaml") == data)
    except UserError:
        return False
