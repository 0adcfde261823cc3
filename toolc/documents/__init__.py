"""Reads JSON and YAML files into data, safely and without surprises.

What comes out is what JSON can say: dicts with text keys, lists, text, integers, finite floats, booleans, None. A key
twice in one mapping is an error, since one of its values would be lost. Faults are UserErrors with line and column.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from toolc import resources
from toolc.diagnostics import Report, UserError, user_error
from toolc.documents import json, lines, streams, yaml
from toolc.documents.entries import DECLARATIONS, PLACES, Refused
from toolc.documents.faults import DEEPEST, empty, fault
from toolc.documents.json import blanked
from toolc.ir import Origin

__all__ = [
    "CATALOG",
    "DECLARATIONS",
    "DEEPEST",
    "LARGEST",
    "PLACES",
    "Document",
    "Format",
    "Refused",
    "blanked",
    "decode",
    "display",
    "drafted",
    "encoding_of",
    "instead",
    "parse",
    "parse_entries",
    "parse_leniently",
    "read",
    "read_bytes",
    "read_text",
    "recognise",
]

Format = Literal["json", "yaml", "lines"]

CATALOG = "catalog:"

# Bytes of one file. The largest public API description known (Microsoft Graph) has 37 million.
LARGEST = 64 * 1024 * 1024

# Several values, each on a line of its own.
_LINES = re.compile(r"\s*\{[^\n]*\}[ \t]*\n\s*\{")
_JSON = re.compile(r"\s*(?:[{\[]|//|/\*)")

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is the beginning of this one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


_INSTEAD: ContextVar[Mapping[Path, bytes]] = ContextVar("instead", default={})  # noqa: B039 (never written to)


@dataclass(frozen=True, slots=True)
class Document:
    """A file that was read.

    path: as shown to the user, relative to the config's folder. text: with LF line ends. digest: sha256 of its bytes.
    """

    path: str
    text: str
    data: Any
    format: Format
    digest: str


def display(path: Path, root: Path) -> str:
    """The path as the user would name it: `catalog:NAME/…` in a shipped catalog, else relative to root with `/`.

    Where toolc is installed must not show in what it writes; a file outside root is shown as `../x.json`.
    """
    shipped, place = resources.data("catalogs").resolve(), path.resolve()
    if place.is_relative_to(shipped) and not place.is_relative_to(root.resolve()):
        return CATALOG + place.relative_to(shipped).as_posix()
    try:
        return Path(os.path.relpath(path, root)).as_posix()
    except ValueError:  # another drive
        return path.as_posix()


def read(path: Path, shown: str, report: Report | None = None) -> Document:
    """Read and parse a file; raises UserError.

    report: given, JSON is read as editors read theirs: comments and commas at an end are passed over. And a value in
    a list of tools that is refused costs only the entry it stands in, which is `Refused` in the data and reported.
    """
    text, digest = read_text(path, shown)
    kind = recognise(shown, text)
    if report is None or kind != "json" or not text.strip():
        return Document(shown, text, _parse(text, shown, kind), kind, digest)
    data = parse_entries(text.removeprefix("\ufeff"), shown, report)
    return Document(shown, text, data, kind, digest)


def parse_entries(text: str, shown: str, report: Report) -> Any:
    """Parse JSON as `read` does for a report; raises UserError."""
    data, refused = _json(json.parse_entries, text, shown)
    for item in refused:
        which = f"`{item.name}` is left out" if item.name else "a tool is left out"
        report.error(item.rule, f"{which}: {item.reason}", item.origin, "correct it there; the others are read")
    return data


def parse_leniently(text: str, shown: str) -> Any:
    """Parse JSON or YAML text as `read` does for a report, which has had its findings; raises UserError."""
    kind = recognise(shown, text)
    return parse_entries(text, shown, Report()) if kind == "json" else _parse(text, shown, kind)


def parse(text: str, shown: str) -> Any:
    """Parse JSON or YAML text; raises UserError."""
    return _parse(text, shown, recognise(shown, text))


def parse_json(text: str, shown: str) -> Any:
    """Parse JSON text; raises UserError."""
    return _parse(text, shown, "json")


def recognise(name: str, text: str) -> Format:
    """The format by the file's ending, or by how the text begins: JSON, lines with JSON in them, or else YAML."""
    ending = Path(name).suffix.lower()
    if ending in (".json", ".jsonc", ".har"):
        return "json"
    if ending in (".yaml", ".yml"):
        return "yaml"
    if ending in (".jsonl", ".ndjson", ".log") or _LINES.match(text) or streams.is_event_stream(text):
        return "lines"
    return "json" if _JSON.match(text) else "yaml"


def read_text(path: Path, shown: str) -> tuple[str, str]:
    """Any text file: its text with LF line ends, and the sha256 of its bytes; raises UserError."""
    try:
        data = read_bytes(path)
    except (FileNotFoundError, NotADirectoryError):
        raise _missing(path, shown) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        advice = "Name a file in it." if isinstance(error, IsADirectoryError) else "Check the path and its permissions."
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise user_error("unreadable-file", f"cannot read {shown}: {reason}", Origin(shown), advice) from None
    if len(data) > LARGEST:
        raise user_error(
            "input-limit",
            f"{shown} is larger than {LARGEST // 1024**2} MB",
            Origin(shown),
            "Split the file, or check that it is the right one.",
        )
    digest = sha256(data).hexdigest()
    text = _decoded.get(digest)
    if text is None:
        if len(_decoded) >= _KEPT:
            del _decoded[next(iter(_decoded))]
        text = _decoded[digest] = decode(data, shown)
    return text, digest


@contextmanager
def instead(contents: Mapping[Path, bytes]) -> Iterator[None]:
    """While it lasts, a file whose resolved path is a key here is read as if it held these bytes."""
    token = _INSTEAD.set(contents)
    try:
        yield
    finally:
        _INSTEAD.reset(token)


def read_bytes(path: Path) -> bytes:
    """The bytes of a file, never more than one beyond LARGEST: it may be a device without an end; raises OSError."""
    if (data := drafted(path)) is not None:
        return data
    with path.open("rb") as handle:
        return handle.read(LARGEST + 1)


def drafted(path: Path) -> bytes | None:
    """What `instead` gives for a file; None if nothing."""
    contents = _INSTEAD.get()
    return contents.get(path.resolve()) if contents else None


def encoding_of(data: bytes) -> tuple[bytes, str]:
    """The byte order mark that bytes begin with, and the encoding that it names; UTF-8 without one."""
    return next((pair for pair in _MARKS if data.startswith(pair[0])), (b"", "utf-8"))


def decode(data: bytes, shown: str) -> str:
    """The text of bytes in UTF-8, or in what their byte order mark says; line ends become LF; raises UserError."""
    mark, encoding = encoding_of(data)
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode(encoding, "replace")
        message = f"{shown} is not {encoding.upper()} text: byte 0x{error.object[error.start]:02x}"
        raise fault("unreadable-file", before, shown, len(before), message, _AS_TEXT) from None
    if (zero := text.find("\0")) >= 0:
        message = f"{shown} is a binary file: it holds a zero byte"
        raise fault("unreadable-file", text, shown, zero, message, _AS_TEXT)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


# Texts by digest: a file is read for its data and once more for places in it, and to decode 13 MB takes 0.1 s.
_KEPT = 4
_decoded: dict[str, str] = {}
_AS_TEXT = "Name a text file, or save this one as UTF-8."


def _parse(text: str, shown: str, format: Format) -> Any:
    text = text.removeprefix("\ufeff")
    if not text or text.isspace():
        raise empty(shown)
    if format == "lines":
        return lines.parse(text, shown)
    return _json(json.parse, text, shown) if format == "json" else yaml.parse(text, shown)


def _json(read: Callable[[str, str], Any], text: str, shown: str) -> Any:
    """What a reader of JSON makes of a text; its error says what the text is where that is several values."""
    try:
        return read(text, shown)
    except UserError as error:
        refusal = streams.refusal(text, shown) if error.diagnostics[0].rule == "invalid-json" else None
        raise refusal or error from None


def _missing(path: Path, shown: str) -> UserError:
    """The error for a path that does not exist, with the nearest names where it first goes wrong."""
    from difflib import get_close_matches

    place = Path(os.path.abspath(path))  # noqa: PTH100 (as the user wrote it, links unresolved)
    present = next((parent for parent in place.parents if parent.exists()), place.parent)
    rest = place.relative_to(present).parts
    try:
        names = sorted(entry.name for entry in present.iterdir())[:5000]
    except OSError:
        names = []
    folded = {name.lower(): name for name in names}
    near = [folded[name] for name in get_close_matches(rest[0].lower(), folded, n=3, cutoff=0.6)]
    above = Path(*Path(shown).parts[: -len(rest)])
    choices = [(above / name).as_posix() for name in near]
    if choices:
        advice = f"Did you mean {' or '.join(choices)}?"
    elif len(rest) > 1:
        advice = f"The folder {(above / rest[0]).as_posix()} does not exist."
    else:
        readable = [name for name in names if name.lower().endswith((".json", ".yaml", ".yml"))]
        advice = f"That folder has: {', '.join(readable[:5])}." if readable else "Check the path."
    return user_error("missing-file", f"{shown} does not exist", Origin(shown), advice)
