"""`toolc pull`."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolc.cli import console
from toolc.diagnostics import Report
from toolc.position.visible import visible

if TYPE_CHECKING:
    from toolc.pipeline.pulling import Pulled, Retold

# Operations named of each kind of change; characters shown of a text that is another, and of what stands before it.
_MOST_NAMED = 8
_EXCERPT = 300
_BEFORE = 40


@click.command("pull", short_help="Ask live sources and keep what they answer.")
@click.argument("sources", metavar="[SOURCE]...", nargs=-1)
@click.option(
    "-c", "--config", type=click.Path(path_type=Path), default=Path("toolc.yaml"), help="The config (./toolc.yaml)."
)
def command(sources: tuple[str, ...], config: Path) -> int:
    """Ask live sources (all, or each SOURCE) and keep what they answer in snapshots, which builds read.

    All are asked at once, and one that fails stops no other. What changed since the last pull is shown, with each
    text that differs: whoever changes what a model is told of a tool changes what it does.
    """
    report = Report()
    loaded = console.load_config(config, report)
    from toolc.pipeline.pulling import pull

    progress = _Progress()
    try:
        pulled = pull(loaded, sources, report, progress.see)
    finally:
        progress.clear()
    failures = [diagnostic for item in pulled if item.error for diagnostic in item.error.diagnostics]
    console.problems([*report.diagnostics, *failures], loaded.root)
    for item in pulled:
        for line in _lines(item):
            console.out(line)
    failed = [item.label for item in pulled if item.error]
    if failed:
        console.say(
            f"failed: no answer from {', '.join(failed)}; snapshots of before, if there are any, stay as they were"
        )
        return 1
    where = "" if config == Path("toolc.yaml") else f" {config.as_posix()}"
    console.out(f"next: toolc build{where}" if any(item.written for item in pulled) else "nothing changed")
    return 0


class _Progress:
    """One line on a terminal that says who has not answered yet; nothing elsewhere."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"  # which cannot clear a line
        self._states: dict[str, str] = {}

    def see(self, label: str, state: str) -> None:
        """Take note of what one of them does now."""
        self._states[label] = state
        waiting = [name for name, now in self._states.items() if now == "asking"]
        if self._shown:
            done = len(self._states) - len(waiting)
            names = ", ".join(waiting[:4]) + (" …" if len(waiting) > 4 else "")
            text = f"{done} of {len(self._states)} answered" + (f", waiting for {names}" if waiting else "")
            click.echo(f"\r\x1b[2K{visible(text)}", err=True, nl=False)

    def clear(self) -> None:
        """Take the line away."""
        if self._shown and self._states:
            click.echo("\r\x1b[2K", err=True, nl=False)


def _lines(item: Pulled) -> Iterator[str]:
    """What is told of one of them."""
    if item.error:
        return
    state = "wrote" if item.written else "unchanged"
    of = f" of {item.server}" if item.server else ""
    yield f"{item.label}: {item.operations} operation{'s' * (item.operations != 1)}{of}; {state} {item.path}"
    kinds: dict[tuple[str, bool], list[str]] = defaultdict(list)
    for change in item.changes or ():
        name = change.operation.partition(":")[2]
        said = name if change.kind in ("added", "removed", "text") else f"{name} {change.words}"
        kinds[(_KINDS.get(change.kind, "changed"), change.breaking)].append(said)
    for (kind, breaking), names in kinds.items():
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        mark = " (breaking)" if breaking else ""
        yield f"  {kind}{mark}: {'; '.join(names[:_MOST_NAMED])}{more}"
    for text in item.texts[:_MOST_NAMED]:
        before, now = _excerpts(text.before, text.now)
        yield f"  ! {_about(text)} described otherwise; read it before you trust it again"
        yield f"    was: {before}"
        yield f"    now: {now}"
    if (left := len(item.texts) - _MOST_NAMED) > 0:
        yield f"  ! {left} more texts are others; compare {item.path} with the one before"


def _about(text: Retold) -> str:
    name = text.operation.partition(":")[2] or "the server itself"
    place = f" `{text.place}`" if text.place else ""
    return f"{name}{place} and {text.more} more are" if text.more else f"{name}{place} is"


_KINDS = {"added": "added", "removed": "removed", "renamed": "renamed", "text": "other texts"}


def _excerpts(before: str, now: str) -> tuple[str, str]:
    """Both texts from shortly before they differ to where they are the same again, each in one line."""
    at = _common(before, now)
    same = _common(before[at:][::-1], now[at:][::-1])
    start = max(0, at - _BEFORE)
    return _excerpt(before, start, len(before) - same), _excerpt(now, start, len(now) - same)


def _common(one: str, other: str) -> int:
    """How many characters at the beginning are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (left, right) in pairs if left != right), min(len(one), len(other)))


def _excerpt(text: str, start: int, end: int) -> str:
    end = min(len(text), end + _BEFORE)
    left = end - start - _EXCERPT
    part = " ".join(text[start : min(end, start + _EXCERPT)].split())
    behind = f"… ({left:,} characters more)" if left > 0 else "…" if end < len(text) else ""
    return f"{'…' if start else ''}{part}{behind}" or "(nothing)"
