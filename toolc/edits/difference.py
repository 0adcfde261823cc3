"""Unified diffs of long texts with few changes, in linear time where the standard library's takes minutes.

A text's lines are what stands between its LFs: a CR at the end of one belongs to it, as `patch` and `git apply` see it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from toolc import documents

CONTEXT = 3
# Lines that are looked ahead for where two texts agree again; what differs for longer is one change up to the end.
AHEAD = 300

# Lines [start, end) of the old text that became lines [start, end) of the new one.
_Change = tuple[int, int, int, int]


def unified(before: str, after: str, name: str) -> str:
    """The diff, whose every line ends with LF; empty where the texts are the same."""
    old, new = _lines(before), _lines(after)
    hunks = list(_hunks(list(_changes(old, new))))
    if not hunks:
        return ""
    end = "\t" if " " in name else ""  # without it, `patch` takes a name up to its first blank
    head = f"--- a/{name}{end}\n+++ b/{name}{end}\n"
    return head + "".join(line for hunk in hunks for line in _shown(hunk, old, new))


def encode_like(text: str, before: bytes) -> bytes:
    """The bytes of a text in the encoding, with the byte order mark and the line ends that a file had before.

    Where line ends were mixed, a line that stays keeps its own and a new one gets the commonest.
    """
    mark, encoding = documents.encoding_of(before)
    if b"\r" in before and "\r" in (was := before[len(mark) :].decode(encoding)):
        text = _with_ends(text, was.replace("\r\n", "\n").replace("\r", "\n"), _ends(was))
    return mark + text.encode(encoding)


def _ends(text: str) -> list[str]:
    """The line ends of a text in their order."""
    found = []
    at = 0
    while at < len(text):
        if text[at] == "\r":
            found.append("\r\n" if text.startswith("\n", at + 1) else "\r")
            at += len(found[-1])
            continue
        stop = min(place for place in (text.find("\n", at), text.find("\r", at), len(text)) if place >= 0)
        if stop < len(text) and text[stop] == "\n":
            found.append("\n")
            stop += 1
        at = stop
    return found


def _with_ends(text: str, before: str, ends: Sequence[str]) -> str:
    """The text, whose line ends are LF, with those of the lines that it has in common with the text before."""
    common = Counter(ends).most_common(1)[0][0]
    if len(set(ends)) == 1:
        return text.replace("\n", common)
    old, new = _lines(before), _lines(text)
    own = [common] * len(new)
    at = to = 0
    for gone, gone_end, come, come_end in [*_changes(old, new), (len(old), len(old), len(new), len(new))]:
        own[to:come] = ends[at:gone]
        at, to = gone_end, come_end
    pairs = zip(new, [*own, common], strict=False)
    return "".join(line[:-1] + end if line.endswith("\n") else line for line, end in pairs)


def _lines(text: str) -> list[str]:
    """The lines with their ends; the last has none where the text does not end with one."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[_Change]:
    at, to = 0, 0
    while at < len(old) or to < len(new):
        if at < len(old) and to < len(new) and old[at] == new[to]:
            at, to = at + 1, to + 1
            continue
        gone, come = _agreement(old, new, at, to)
        yield at, at + gone, to, to + come
        at, to = at + gone, to + come


def _agreement(old: Sequence[str], new: Sequence[str], at: int, to: int) -> tuple[int, int]:
    """How many lines on either side to pass until two agree again, as few as possible."""
    for total in range(1, AHEAD):
        for gone in range(total + 1):
            one, other = old[at + gone : at + gone + 2], new[to + total - gone : to + total - gone + 2]
            ended = at + gone == len(old) and to + total - gone == len(new)
            if ended or (one and one == other):
                return gone, total - gone
    return len(old) - at, len(new) - to


def _hunks(changes: Sequence[_Change]) -> Iterator[list[_Change]]:
    """Changes whose context would overlap, together."""
    hunk: list[_Change] = []
    for change in changes:
        if hunk and change[0] - hunk[-1][1] > 2 * CONTEXT:
            yield hunk
            hunk = []
        hunk.append(change)
    if hunk:
        yield hunk


def _shown(hunk: Sequence[_Change], old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    start, end = max(0, hunk[0][0] - CONTEXT), min(len(old), hunk[-1][1] + CONTEXT)
    start_new = hunk[0][2] - (hunk[0][0] - start)
    end_new = hunk[-1][3] + (end - hunk[-1][1])
    yield f"@@ -{_range(start, end)} +{_range(start_new, end_new)} @@\n"
    at = start
    for gone, gone_end, come, come_end in hunk:
        yield from (_marked(" ", line) for line in old[at:gone])
        yield from (_marked("-", line) for line in old[gone:gone_end])
        yield from (_marked("+", line) for line in new[come:come_end])
        at = gone_end
    yield from (_marked(" ", line) for line in old[at:end])


def _marked(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"


def _range(start: int, end: int) -> str:
    """First line and number of lines; a range without lines is named by the line before it."""
    return f"{start + 1 if end > start else start},{end - start}"
