"""The gate for changes that break callers: each needs a reason under `accept` in the config."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from toolc.bind import did_you_mean
from toolc.changes import Change
from toolc.config import Config
from toolc.diagnostics import Report
from toolc.ir import Catalog, Operation
from toolc.lock import Lock


def unaccepted(changes: Iterable[Change], config: Config, repin: bool = False) -> dict[str, list[Change]]:
    """By operation, the breaking changes that the config does not accept.

    repin: the user asked for fresh names, so that names differ is no news; everything else still is.
    """
    found: dict[str, list[Change]] = defaultdict(list)
    for change in changes:
        if change.breaking and change.operation not in config.accept and not (repin and change.kind == "moved"):
            found[change.operation].append(change)
    return dict(found)


def report_breaking(found: dict[str, list[Change]], config: Config, catalog: Catalog, report: Report) -> None:
    """One error an operation, where it stands now, or at its source in the config if it is gone."""
    for operation, changes in found.items():
        now = catalog.operations.get(next((change.now for change in changes if change.now), operation))
        source = config.sources.get(operation.partition(":")[0])
        names_only = all(change.kind == "moved" for change in changes)
        report.error(
            "breaking-change",
            f"`{operation}`: {'; '.join(_words(change, now) for change in changes)}",
            now.origin if now is not None else source.origin if source is not None else config.origin,
            help=f'undo it, or say why it may break: accept: {{"{operation}": "…"}}'
            + ("; `toolc build --repin` takes all new names" if names_only else ""),
            subject=operation,
        )


def _words(change: Change, now: Operation | None) -> str:
    """What changed; of an effect that is not known any more, why: only the reader of the source knows."""
    if change.kind == "effect" and now is not None and now.hints.read_only.value is None and now.hints.read_only.reason:
        return f"{change.words} ({now.hints.read_only.reason}; `hints` say it)"
    return change.words


def report_unused(changes: Sequence[Change], config: Config, lock: Lock, report: Report) -> None:
    """Entries of `accept` that accept nothing: left in place, they would let the next break pass in silence."""
    used = {change.operation for change in changes if change.breaking}
    for operation, reason in config.accept.items():
        if operation not in used:
            slip = "" if operation in lock.contracts else did_you_mean(operation, used)
            report.note(
                "unused-accept",
                f"`{operation}` has no breaking change to accept{slip}",
                reason.origin,
                help="take the entry out once the build with it is committed",
                subject=operation,
            )
