"""`pull`: asks live sources, all at once, keeps what they answer in snapshots, and says what changed."""

from __future__ import annotations

import asyncio
import inspect
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from toolc import changes, documents, lock, output, registry, snapshot
from toolc.bind import did_you_mean
from toolc.changes import Change
from toolc.config import Config, SourceEntry
from toolc.diagnostics import Report, UserError, user_error
from toolc.ir import Case, Catalog, Dispatch, Tool
from toolc.lock import Lock
from toolc.pipeline.reading import placed
from toolc.schema.walk import descend
from toolc.snapshot import Snapshot
from toolc.sources import Context, Live, Reading

# What asks and what it was told, whenever one of them begins or ends; progress is shown from that.
Watch = Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class Retold:
    """Another text that models read: they obey it, so it is how a tool that was trusted is poisoned.

    operation: the id, or empty for what the server says of itself. place: the parameter it stands at, if it does.
    more: at how many other places the same was changed in the same way.
    """

    operation: str
    before: str
    now: str
    place: str = ""
    more: int = 0


@dataclass(frozen=True, slots=True)
class Pulled:
    """What became of one live thing. error: why there is no answer, and then the snapshot is as it was.

    server: what answered. written: whether the snapshot was. changes, texts: against the one before; changes is None
    where there was none.
    """

    label: str
    path: str
    server: str = ""
    operations: int = 0
    written: bool = False
    changes: tuple[Change, ...] | None = None
    texts: tuple[Retold, ...] = ()
    error: UserError | None = None


@dataclass(frozen=True, slots=True)
class Puller:
    """One live thing of one source of the config."""

    live: Live
    entry: SourceEntry
    context: Context

    @property
    def path(self) -> Path:
        """Where its snapshot is."""
        return self.context.base / self.live.snapshot


def pull(config: Config, names: Sequence[str], report: Report, watch: Watch) -> list[Pulled]:
    """Ask the live sources that are named, or all; raises UserError where there is nothing to ask."""
    pullers = _pullers(config, names, report)
    try:
        answers = asyncio.run(_ask_all(pullers, report, watch))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    return [_keep(puller, answer, report) for puller, answer in zip(pullers, answers, strict=True)]


def unpulled(config: Config) -> list[str]:
    """The labels of what is live and has no snapshot yet, so that nothing can be built; raises UserError."""
    return [puller.live.label for puller in _live(config, Report()) if not puller.path.is_file()]


def _live(config: Config, report: Report) -> Iterator[Puller]:
    """All that can be asked."""
    for name, entry in config.sources.items():
        offer = getattr(registry.load("sources", entry.type), "live", None)
        if offer is not None:
            context = Context(name, entry.base, config.root, report)
            yield from (Puller(live, entry, context) for live in offer(entry.options, context))


def _pullers(config: Config, names: Sequence[str], report: Report) -> list[Puller]:
    found = list(_live(config, report))
    known = {puller.live.label for puller in found} | {puller.entry.name for puller in found}
    for name in names:
        if name in known:
            continue
        if name in config.sources:
            message, advice = (
                f"source `{name}` is read from a file; there is nothing to pull",
                "build reads it as it is",
            )
        else:
            message = f"the config has no live source `{name}`{did_you_mean(name, known)}"
            advice = f"live sources: {', '.join(sorted(known)) or 'none'}"
        raise user_error("unknown-source", message, config.origin, advice)
    if not found:
        raise user_error(
            "nothing-live",
            "no source of the config is live, so there is nothing to pull",
            config.origin,
            help="live are sources with `command` or `url`, and files that name MCP servers",
        )
    chosen = [puller for puller in found if not names or {puller.live.label, puller.entry.name} & {*names}]
    _check_paths(chosen)
    return chosen


def _check_paths(pullers: Iterable[Puller]) -> None:
    first: dict[Path, Puller] = {}
    for puller in pullers:
        path = puller.path.resolve()
        if path in first:
            message = f"`{first[path].live.label}` and `{puller.live.label}` have the same snapshot, {puller.path.name}"
            raise user_error("conflicting-keys", message, puller.entry.origin, "give one of them another `snapshot`")
        first[path] = puller


async def _ask_all(pullers: Sequence[Puller], report: Report, watch: Watch) -> list[Snapshot | UserError]:
    """All answers, in the order of the pullers. Ended by a signal, it ends what it has started before it goes."""
    task = asyncio.current_task()
    with suppress(NotImplementedError, ValueError):  # Windows; not the main thread
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel if task else lambda: None)
    return await asyncio.gather(*(_ask(puller, report, watch) for puller in pullers))


async def _ask(puller: Puller, report: Report, watch: Watch) -> Snapshot | UserError:
    live, own = puller.live, Report()
    watch(live.label, "asking")
    try:
        if inspect.iscoroutinefunction(live.fetch):
            answer: Snapshot = await live.fetch(own)
        else:
            answer = await asyncio.wait_for(_in_thread(live.fetch, own), live.timeout)
    except UserError as error:
        watch(live.label, "failed")
        return placed(error, puller.entry.origin)
    except TimeoutError:
        watch(live.label, "failed")
        message = f"`{live.label}` did not answer within {live.timeout} s ({live.where})"
        advice = "give it more time with `timeout: SECONDS`"
        return user_error("timeout", message, puller.entry.origin, advice)
    finally:
        report.diagnostics.extend(placed(UserError(*own.diagnostics), puller.entry.origin).diagnostics)
    watch(live.label, "answered")
    return answer


async def _in_thread(call: Callable[[Report], Any], report: Report) -> Any:
    """The result of a call that blocks; who is tired of waiting leaves it behind, and the program can still end."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def settle(result: Any, error: BaseException | None) -> None:
        if not done.done():
            done.set_result(result) if error is None else done.set_exception(error)

    def run() -> None:
        result, failure = None, None
        try:
            result = call(report)
        except BaseException as error:
            failure = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, result, failure)

    threading.Thread(target=run, daemon=True).start()
    return await done


def _keep(puller: Puller, answer: Snapshot | UserError, report: Report) -> Pulled:
    """Write the snapshot of an answer, unless the file says the same already."""
    live, path = puller.live, puller.path
    shown = documents.display(path, puller.context.root)
    if isinstance(answer, UserError):
        return Pulled(live.label, shown, error=answer)
    before = _reading(puller, Report()) if path.is_file() else None
    written = not (path.is_file() and snapshot.same(path.read_text(encoding="utf-8", errors="replace"), answer))
    if written:
        output.write_file(path, snapshot.render(answer))
    now = _reading(puller, report)
    count = len(now.operations) if now else 0
    server = " ".join(str(answer.server[key]) for key in ("name", "version") if answer.server.get(key))
    if protocol := answer.server.get("protocol"):
        server += f", protocol {protocol}"
    if before is None or now is None:
        return Pulled(live.label, shown, server, count, written)
    compared = tuple(changes.compare(_as_lock(before), _as_lock(now)))
    return Pulled(live.label, shown, server, count, written, compared, tuple(_retold(before, now)))


def _reading(puller: Puller, report: Report) -> Reading | None:
    """What a build would read in a snapshot; None where it cannot."""
    entry, context = puller.entry, puller.context
    fresh = Context(context.name, context.base, context.root, report)
    try:
        own = puller.live.read
        reading: Reading = own(fresh) if own else registry.load("sources", entry.type).read(entry.options, fresh)
    except UserError as error:
        report.diagnostics.extend(error.diagnostics)
        return None
    return reading


def _as_lock(reading: Reading) -> Lock:
    """The operations as callers of the source itself see them: each under its own name."""
    operations = {operation.id: operation for operation in reading.operations}
    tools = tuple(
        Tool(key, operation.description, operation.input, Dispatch((), (Case({}, key),)), (operation.origin,))
        for key, operation in operations.items()
    )
    return lock.of(Catalog("", (), operations, tools), {}, {})


def _retold(before: Reading, now: Reading) -> Iterator[Retold]:
    """The texts that are new where something stood before; the same change in several places is one."""
    old, known = dict(_texts(before)), {operation.id for operation in before.operations}
    found: dict[tuple[str, str], Retold] = {}
    for (operation, place), says in _texts(now):
        was = old.get((operation, place), "")
        if says == was or (operation and operation not in known):
            continue
        first = found.get((was, says))
        found[(was, says)] = replace(first, more=first.more + 1) if first else Retold(operation, was, says, place)
    yield from found.values()


def _texts(reading: Reading) -> Iterator[tuple[tuple[str, str], str]]:
    """What models read, by operation and parameter; what is told of a whole database is made of its tables."""
    if reading.source.type != "database":
        yield ("", ""), reading.source.description
    for operation in reading.operations:
        yield (operation.id, ""), operation.description
        for path, schema in descend(operation.input):
            names = [str(path[at + 1]) for at, step in enumerate(path[:-1]) if step in ("properties", "$defs")]
            place = ".".join(names) or "its input"
            for key, at in (("description", place), ("title", f"{place} (title)")):
                if isinstance(text := schema.get(key), str):
                    yield (operation.id, at), text
