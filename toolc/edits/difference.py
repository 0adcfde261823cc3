"""Unified diffs of long texts with few changes, in linear time where the standard library's takes minutes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

CONTEXT = 3
# Lines that are looked ahead for where two texts agree again; what differs for longer is one change up to the end.
AHEAD = 300

# Lines [start, end) of the old text that became lines [start, end) of the new one.
_Change = tuple[int, int, int, int]


def unified(before: str, after: str, name: str) -> Iterator[str]:
    """The lines of the diff, none where the texts are the same."""
    old, new = before.splitlines(), after.splitlines()
    hunks = list(_hunks(list(_changes(old, new))))
    if hunks:
        yield f"--- a/{name}"
        yield f"+++ b/{name}"
    for hunk in hunks:
        yield from _shown(hunk, old, new)


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
    yield f"@@ -{_range(start, end)} +{_range(start_new, end_new)} @@"
    at = start
    for gone, gone_end, come, come_end in hunk:
        yield from (f" {line}" for line in old[at:gone])
        yield from (f"-{line}" for line in old[gone:gone_end])
        yield from (f"+{line}" for line in new[come:come_end])
        at = gone_end
    yield from (f" {line}" for line in old[at:end])


def _range(start: int, end: int) -> str:
    """First line and number of lines; a range without lines is named by the line before it."""
    return f"{start + 1 if end > start else start},{end - start}"
