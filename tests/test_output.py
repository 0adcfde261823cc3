"""The one writer: all or nothing, never outside, never over what is not its own."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from toolc import output
from toolc.diagnostics import UserError
from toolc.ir import File

FORMAT = '{\n  "format": "toolc-bundle/1"\n}\n'
FIRST = [File("bundle.json", FORMAT), File("targets/x/a.json", "{}\n"), File("index.md", "# Größe 😀\n")]
SECOND = [File("bundle.json", FORMAT), File("targets/x/b.json", "[]\n")]


def tree(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in folder.rglob("*") if path.is_file()
    }


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def as_tree(files: list[File]) -> dict[str, str]:
    return {file.path: file.text for file in files}


def refused(files: list[File], folder: Path) -> str:
    with pytest.raises(UserError) as caught:
        output.write(files, folder)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.help
    return f"{diagnostic.rule}: {diagnostic.message}"


def test_a_bundle_replaces_the_one_before_it(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "bundle"
    output.write(FIRST, folder)
    assert tree(folder) == as_tree(FIRST)
    output.write(SECOND, folder)
    assert tree(folder) == as_tree(SECOND)
    assert names(folder.parent) == ["bundle"]
    assert not (folder / "targets/x/a.json").exists()
    assert folder.stat().st_mode == folder.parent.stat().st_mode  # as the user's umask has it


def test_line_ends_are_lf(tmp_path: Path) -> None:
    output.write([File("bundle.json", FORMAT), File("a.md", "a\r\nb\rc\n")], tmp_path / "bundle")
    assert (tmp_path / "bundle" / "a.md").read_bytes() == b"a\nb\nc\n"


def test_an_empty_folder_may_be_filled(tmp_path: Path) -> None:
    (tmp_path / "bundle").mkdir()
    output.write(FIRST, tmp_path / "bundle")
    assert tree(tmp_path / "bundle") == as_tree(FIRST)


def test_what_a_link_points_at_is_replaced(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "links" / "bundle"
    link.parent.mkdir()
    link.symlink_to(real)
    for files in (FIRST, SECOND):
        output.write(files, link)
        assert link.is_symlink()
        assert tree(real) == as_tree(files)
    assert names(tmp_path) == ["links", "real"]


@pytest.mark.parametrize("point", ["write_bytes", "rename to old", "rename to new"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_after_a_fault_the_old_bundle_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str, error: BaseException
) -> None:
    folder = tmp_path / "bundle"
    output.write(FIRST, folder)
    real_write, real_rename = Path.write_bytes, Path.rename

    def write_bytes(self: Path, data: bytes) -> int:
        if point == "write_bytes" and self.name == "b.json":
            real_write(self, data[:1])
            raise error
        return real_write(self, data)

    def rename(self: Path, target: Path) -> Path:
        if (point == "rename to old" and self == folder) or (point == "rename to new" and self.suffix == ".new"):
            raise error
        return real_rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", write_bytes)
        patch.setattr(Path, "rename", rename)
        expected = UserError if isinstance(error, OSError) else KeyboardInterrupt
        with pytest.raises(expected):
            output.write(SECOND, folder)
    assert tree(folder) == as_tree(FIRST)
    assert names(tmp_path) == ["bundle"]


def test_what_is_no_bundle_is_never_replaced(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "bundle.json").write_text('{"name": "some other bundler"}')
    assert "holds files that are no bundle" in refused(FIRST, project)
    assert "is a file" in refused(FIRST, project / "bundle.json")
    output.write(FIRST, tmp_path / "pages")
    (tmp_path / "pages" / ".git").mkdir()
    assert "git repository" in refused(SECOND, tmp_path / "pages")
    assert (tmp_path / "pages" / ".git").is_dir()
    assert tree(project) == {"bundle.json": '{"name": "some other bundler"}'}
    assert names(tmp_path) == ["pages", "project"]


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", "", ".", "a//b", "a\\b", "C:/x", "a\0b", "./a"])
def test_files_stay_inside_the_folder(tmp_path: Path, path: str) -> None:
    assert refused([*FIRST, File(path, "x")], tmp_path / "bundle").startswith("unsafe-output")
    assert names(tmp_path) == []


def test_no_file_is_written_twice(tmp_path: Path) -> None:
    assert "two files" in refused([*FIRST, File("index.md", "x")], tmp_path / "bundle")


@pytest.mark.parametrize(
    "files",
    [
        [File("a", "x"), File("a/b", "x")],
        [File("x" * 300, "x")],
        [File("a", "half \ud800")],
    ],
)
def test_what_cannot_be_written_is_said(tmp_path: Path, files: list[File]) -> None:
    output.write(FIRST, tmp_path / "bundle")
    message = refused(files, tmp_path / "bundle")
    assert message.startswith("unwritable-output: cannot write")
    assert tree(tmp_path / "bundle") == as_tree(FIRST)
    assert names(tmp_path) == ["bundle"]


def test_a_circle_of_links_is_said(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert refused(FIRST, tmp_path / "a" / "bundle").startswith("unwritable-output")


def test_differences_say_what_is_stale(tmp_path: Path) -> None:
    folder = tmp_path / "bundle"
    assert output.differences(SECOND, folder) == ["missing bundle.json", "missing targets/x/b.json"]
    output.write(FIRST, folder)
    (folder / ".DS_Store").write_text("x")
    assert output.differences(FIRST, folder) == []
    changed = [
        File("bundle.json", FORMAT),
        File("targets/x/a.json", "{}\n\n"),
        File("index.md", "# Größe \u202e\n"),
        File("z.md", ""),
    ]
    (folder / "old").mkdir()
    (folder / "old" / "stray\u200b.json").write_text("x")
    assert output.differences(changed, folder) == [
        "changed index.md: line 1: was `# Größe 😀`, now `# Größe \\u202e`",
        "stray old/stray\\u200b.json",
        "changed targets/x/a.json: line 3: was nothing, now ``",
        "missing z.md",
    ]


def test_differences_in_long_lines_and_odd_bytes(tmp_path: Path) -> None:
    folder = tmp_path / "bundle"
    output.write([File("a.json", "x" * 500 + "old" + "y" * 500), File("b.json", "\\udcff")], folder)
    (folder / "b.json").write_bytes(b"\xff")
    lines = output.differences([File("a.json", "x" * 500 + "new" + "y" * 500), File("b.json", "\\udcff")], folder)
    around = ("x" * 20, "y" * 37)
    assert lines == [
        f"changed a.json: line 1: was `…{around[0]}old{around[1]}…`, now `…{around[0]}new{around[1]}…`",
        "changed b.json: line 1: was `\\udcff`, now `\\udcff`",
    ]


def test_a_file_is_replaced_in_one_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "toolc.lock"
    output.write_file(path, "a\r\n")
    assert path.read_bytes() == b"a\n"
    path.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(path)
    output.write_file(link, "b\n")
    assert link.is_symlink()
    assert path.read_text() == "b\n"
    assert path.stat().st_mode & 0o777 == 0o640

    def replace(self: Path, target: Path) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(KeyboardInterrupt):
        output.write_file(path, "c\n")
    assert path.read_text() == "b\n"
    assert names(tmp_path) == ["link", "toolc.lock"]


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path, tmp_path / "file" / "toolc.lock"):
        with pytest.raises(UserError, match="cannot write"):
            output.write_file(path, "x")
    assert names(tmp_path) == ["file"]


def test_what_is_no_file_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    output.write_file(pipe, "seen\n")
    assert os.read(reader, 100) == b"seen\n"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert names(tmp_path) == ["pipe"]


def test_a_stream_that_is_open_is_written_to(tmp_path: Path) -> None:
    """`/dev/stdout` of a command whose output goes to a file: not another file of that name."""
    with (tmp_path / "out").open("wb", buffering=0) as out:
        out.write(b"before\n")
        output.write_file(Path(f"/dev/fd/{out.fileno()}"), "after\n")
    assert (tmp_path / "out").read_bytes() == b"before\nafter\n"
