"""What `diff` found, as text for one screen and as Markdown for a comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from toolc.changes import KINDS, Change
from toolc.levels import fill, one_line
from toolc.pipeline.comparing import Comparison, Wording

MOST_BREAKS = 12  # operations of which the text tells each; the JSON tells all
MOST_WORDINGS = 4
MOST_ACCEPTS = 12
MOST_NAMED = 3
MOST_ROWS = 60  # of the Markdown, which may not be longer than a comment may
EXCERPT = 60


def text(found: Comparison) -> str:
    """What breaks callers first, then all else by kind, tokens, and what to do."""
    broken = [change for change in found.changes if change.breaking and change.operation not in found.accepted]
    accepted = [change for change in found.changes if change.breaking and change.operation in found.accepted]
    lines = [f"{found.name} against {found.against.shown}: {_verdict(found)}"]
    lines += [f"note: {remark}" for remark in found.against.remarks]
    lines += _rows("breaks callers", broken)
    lines += _rows("breaks callers, accepted", accepted, found.accepted)
    lines += _others(found)
    lines += _tokens(found)
    if broken:
        lines += ["", "undo it, or say in toolc.yaml why it may break:", "  accept:"]
        lines += [f'    "{operation}": "…"' for operation in found.broken[:MOST_ACCEPTS]]
        lines += ["    …"] if len(found.broken) > MOST_ACCEPTS else []
        if any(change.kind == "moved" for change in broken):
            lines.append("names that differ are taken by `toolc build --repin`")
    return "\n".join(lines)


def _verdict(found: Comparison) -> str:
    if not found.changes:
        return "nothing changed for callers"
    breaking = {change.operation for change in found.changes if change.breaking}
    accepted = f", {len(breaking & found.accepted.keys())} of them accepted" if breaking & found.accepted.keys() else ""
    other = len({change.operation for change in found.changes} - breaking)
    broken = f"{len(breaking)} operations break callers{accepted}" if breaking else "nothing breaks callers"
    return f"{broken}; {other} other changed"


def _rows(title: str, changes: Sequence[Change], reasons: Mapping[str, str] | None = None) -> list[str]:
    """An operation a line, with all that changed about it."""
    by_operation: dict[str, list[str]] = {}
    for change in changes:
        by_operation.setdefault(change.operation, []).append(change.words)
    if not by_operation:
        return []
    shown = list(by_operation.items())[:MOST_BREAKS]
    width = min(40, max(len(operation) for operation, _ in shown))
    lines = ["", f"{title} ({len(by_operation)}):"]
    for operation, words in shown:
        said = "; ".join(words[:MOST_NAMED]) + (f"; {len(words) - MOST_NAMED} more" if len(words) > MOST_NAMED else "")
        reason = f" — {reasons[operation]}" if reasons else ""
        lines.append(f"  {operation.ljust(width)}  {said}{reason}")
    left = len(by_operation) - len(shown)
    return [*lines, f"  … and {left} more; `--format json` tells all"] if left else lines


def _others(found: Comparison) -> list[str]:
    lines = []
    for kind in KINDS:
        here = [change for change in found.changes if change.kind == kind and not change.breaking]
        if here:
            told = kind in ("effect", "renamed", "moved")
            names = [f"{change.operation} ({change.words})" if told else change.operation for change in here]
            lines.append(f"  {kind.ljust(8)} {len(here):>4}  {_few(names)}")
        if kind == "text":
            lines += [f"    {_wording(wording)}" for wording in found.wordings[:MOST_WORDINGS]]
            if len(found.wordings) > MOST_WORDINGS:
                lines.append(f"    … and {len(found.wordings) - MOST_WORDINGS} more texts")
    gone, new = found.tools
    lines += [
        f"  {'tools'.ljust(8)} {len(names):>4}  {what}: {_few(names)}"
        for what, names in (("gone", gone), ("new", new))
        if names
    ]
    return ["", "other changes (read changed texts: models do what they say):", *lines] if lines else []


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")


def _wording(wording: Wording) -> str:
    before, after = _apart(one_line(wording.before), one_line(wording.after))
    place = f" {wording.place}" if wording.place else ""
    return f"{wording.operation}{place}: {before} → {after}"


def _apart(before: str, after: str) -> tuple[str, str]:
    """Both texts, cut around the place where they begin to differ."""
    at = next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after)))
    start = max(0, at - EXCERPT // 3)

    def cut(words: str) -> str:
        end = start + EXCERPT
        piece = words[start:end]
        return f'"{"…" if start else ""}{piece}{"…" if end < len(words) else ""}"' if words else "nothing"

    return cut(before), cut(after)


def _tokens(found: Comparison) -> list[str]:
    rows = [("", "before", "after", "")]
    for what, before, after in found.tokens:
        if before is not None and before != after:
            rows.append((what, f"{before:,}", f"{after:,}", f"{after - before:+,}"))
    if len(rows) == 1:
        return ["", "tokens: as before"]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for what, *figures in rows:
        cells = [figure.rjust(width) for figure, width in zip(figures, widths[1:], strict=True)]
        lines.append(f"  {'  '.join([what.ljust(widths[0]), *cells])}".rstrip())
    return ["", "tokens (o200k_base)", *lines]


def markdown(found: Comparison) -> str:
    """A comment for a pull request; everything that comes from sources is escaped."""
    broken = [change for change in found.changes if change.breaking]
    others = [change for change in found.changes if not change.breaking]
    return fill(
        "diff.md.j2",
        name=_plain(found.name),
        against=_plain(found.against.shown),
        verdict=_plain(_verdict(found)),
        remarks=[_plain(remark) for remark in found.against.remarks],
        breaking=[_row(change, found.accepted.get(change.operation, "")) for change in broken[:MOST_ROWS]],
        more_breaking=max(0, len(broken) - MOST_ROWS),
        others=[_row(change, "") for change in others[:MOST_ROWS]],
        other_count=len(others),
        more_others=max(0, len(others) - MOST_ROWS),
        wordings=[
            {
                "operation": _code(wording.operation),
                "place": _code(wording.place) if wording.place else "description",
                "before": _code(_apart(one_line(wording.before), one_line(wording.after))[0]),
                "after": _code(_apart(one_line(wording.before), one_line(wording.after))[1]),
            }
            for wording in found.wordings[:MOST_ROWS]
        ],
        more_wordings=max(0, len(found.wordings) - MOST_ROWS),
        tokens=[
            {
                "what": _plain(what),
                "before": "?" if was is None else f"{was:,}",
                "after": f"{now:,}",
                "by": "" if was is None else f"{now - was:+,}",
            }
            for what, was, now in found.tokens
        ],
        failed=bool(found.broken),
        first=_code(f'accept: {{"{found.broken[0]}": "…"}}') if found.broken else "",
    )


def _row(change: Change, reason: str) -> dict[str, str]:
    return {
        "operation": _code(change.operation),
        "kind": change.kind,
        "words": _plain(change.words),
        "reason": _plain(reason),
    }


def _plain(words: str) -> str:
    """Our words with names of theirs between backticks, which become code; nothing in it is markup or a mention."""
    parts = re.split(r"`([^`]*)`", one_line(words))
    return "".join(_code(part) if index % 2 else _escaped(part) for index, part in enumerate(parts))


def _code(words: str) -> str:
    """A code span, in which nothing is markup; only a bar would still end the cell of a table."""
    plain = one_line(words).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall("`+", plain)), default=0) + 1)
    pad = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{pad}{plain}{pad}{fence}" if plain else ""


def _escaped(words: str) -> str:
    """Every sign that Markdown or HTML could read as markup or mention, as a character reference."""
    return re.sub(r"[&<>\\`*_\[\]{}#!|~$^@]|(?<=www)\.|:(?=//)", lambda sign: f"&#{ord(sign[0])};", words)
