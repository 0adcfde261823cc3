"""`toolc build`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from toolc import stamp
from toolc.cli import console
from toolc.diagnostics import Report, Severity, worst_first

# Findings shown by a build, whose summary has to fit one screen.
MOST_SHOWN = 8


@click.command("build", short_help="Compile the catalog into a bundle.")
@click.argument("config", type=click.Path(path_type=Path), default=Path("toolc.yaml"))
@click.option("--check", is_flag=True, help="Write nothing; fail and name what differs from the bundle on disk.")
@click.option("--target", "targets", multiple=True, callback=console.member("targets"), help="Emit only for these.")
@click.option("--profile", "profiles", multiple=True, help="Emit only these profiles.")
@click.option("-o", "--out", type=click.Path(path_type=Path, file_okay=False), help="Folder to write the bundle to.")
@click.option("--locked", is_flag=True, help="Fail if an input is not what toolc.lock says.")
@click.option("--strict", is_flag=True, help="Fail where a source cannot be read in part.")
@click.option("--repin", is_flag=True, help="Forget the tool and action names pinned in toolc.lock.")
@click.option("--lint", is_flag=True, help="Fail on lint findings too, before anything is written.")
def command(
    config: Path,
    check: bool,
    targets: tuple[str, ...],
    profiles: tuple[str, ...],
    out: Path | None,
    locked: bool,
    strict: bool,
    repin: bool,
    lint: bool,
) -> int:
    """Compile what CONFIG (default ./toolc.yaml) declares into a bundle.

    Nothing is written when the build fails, so an earlier bundle stays as it was.
    """
    if locked and repin:
        raise click.UsageError("--locked and --repin contradict each other")
    asked = _asked(config, out, targets, profiles, strict=strict, locked=locked, lint=lint)
    if not repin and (done := stamp.load(asked)) is not None and done.holds():
        folder = Path(os.path.relpath(done.out[0]))
        unchanged = f"{done.said}\nnothing changed since the last build → {folder.as_posix()}"
        console.out("the bundle is what the config makes" if check else unchanged)
        return 0
    report = Report()
    loaded = console.load_config(config, report)
    from toolc import lock as lock_file
    from toolc import output, pipeline
    from toolc.pipeline.summary import summary

    folder = out or loaded.root / loaded.out
    lock = loaded.root / lock_file.FILE_NAME
    fixed_before = lock.read_text(encoding="utf-8", errors="replace") if lock.is_file() else ""
    before = None if repin else pipeline.picture(loaded, folder)
    result = pipeline.build(
        loaded,
        strict=strict,
        repin=repin,
        locked=locked,
        targets=targets or None,
        profiles=profiles or None,
        lint=lint,
    )
    diagnostics = [*report.diagnostics, *result.diagnostics]
    failed = list(result.failed)
    if lint:
        diagnostics = [*report.diagnostics, *result.broken, *result.findings]
        gating = sum(finding.severity >= Severity.warning for finding in result.findings)
        failed += [f"{gating} lint findings"] if gating else []
    worst = worst_first(finding for finding in diagnostics if finding.severity >= Severity.warning)
    console.problems(worst[:MOST_SHOWN], loaded.root)
    if len(worst) > MOST_SHOWN:
        console.say(f"… and {len(worst) - MOST_SHOWN} more; `toolc lint` shows them all")
    fixed = lock_file.render(result.lock)
    if check and not failed:
        code = _compare(output.differences(result.files, folder), fixed_before, fixed, lock.name)
        if code == 0:
            pipeline.keep(asked, before, loaded, result, folder, fixed_before)
        return code
    if not failed:
        output.write(result.files, folder)
        output.write_file(lock, fixed)
        pipeline.keep(asked, before, loaded, result, folder, fixed_before)
    console.out(summary(result, folder))
    if failed:
        console.say(f"failed: {'; '.join(failed)}; nothing was written")
    return 1 if failed else 0


def _asked(
    config: Path, out: Path | None, targets: Sequence[str], profiles: Sequence[str], **options: bool
) -> list[object]:
    """What was asked for, from wherever: a build with another option is another build."""
    place = config / "toolc.yaml" if config.is_dir() else config
    return [str(place.absolute()), str(out.absolute()) if out else "", [*targets], [*profiles], sorted(options.items())]


def _compare(differences: list[str], before: str, expected: str, lock: str) -> int:
    """Say what a build would change on disk, the lock included; 1 if there is anything."""
    if before != expected:
        differences = [*differences, f"{'changed' if before else 'missing'} {lock}"]
    for line in differences:
        console.out(line)
    if differences:
        count = f"{len(differences)} file{'s differ' if len(differences) > 1 else ' differs'}"
        console.say(f"failed: {count} from what the config makes; run `toolc build`")
        return 1
    console.out("the bundle is what the config makes")
    return 0
