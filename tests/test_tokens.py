"""Token counts: exact, offline, and kept between runs without ever being wrong."""

from __future__ import annotations

import gzip
import hashlib
import inspect
import multiprocessing
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolc.diagnostics import UserError
from toolc.resources import PACKAGE, cache_folder
from toolc.tokens import Counter, compact, counts
from toolc.tokens.encodings import ENCODINGS, Engine

NAMES = sorted(ENCODINGS)

# What splits differently in the two patterns, or has no obvious class: blanks of all kinds, line ends, marks, joiners.
SIGNS = [
    *" \t\n\r\x0b\x1c\x85\xa0\u2028\u3000",
    *"aBßǅʰ一é",
    *"19١²",
    *"./(_'\"",
    "e\u0301",
    "\u200b",
    "😀",
    "👨‍👩‍👧",
    "🇩🇪",
]
SIGNS += ["'s", "'LL", "\r\n", "<|endoftext|>", "<|fim_prefix|>", "\ufeff", "\u202e", "\ud800"]
TEXTS = st.lists(st.tuples(st.sampled_from(SIGNS), st.sampled_from([1, 1, 1, 2, 3, 9])), max_size=14).map(
    lambda parts: "".join(sign * times for sign, times in parts)
)


@pytest.fixture(scope="module")
def references() -> dict[str, Any]:
    """tiktoken's own encodings, from its own definitions; only the download is replaced by our files."""
    tiktoken = pytest.importorskip("tiktoken")
    from tiktoken_ext import openai_public

    def load(url: str, expected_hash: str) -> dict[bytes, int]:
        from base64 import b64decode

        data = gzip.decompress((PACKAGE / "vocab" / f"{Path(url).name}.gz").read_bytes())
        assert hashlib.sha256(data).hexdigest() == expected_hash
        return {b64decode(line.split()[0]): int(line.split()[1]) for line in data.splitlines()}

    kept = openai_public.load_tiktoken_bpe
    openai_public.load_tiktoken_bpe = load
    try:
        return {name: tiktoken.Encoding(**openai_public.ENCODING_CONSTRUCTORS[name]()) for name in NAMES}
    finally:
        openai_public.load_tiktoken_bpe = kept


@pytest.fixture(scope="module")
def engines() -> dict[str, SimpleNamespace]:
    """Ours: as it is, and with the way around endless blanks taken from two blanks on."""
    return {name: SimpleNamespace(plain=Engine(name), around=Engine(name, longest_blank=2)) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_definitions_are_those_of_tiktoken(references: dict[str, Any], name: str) -> None:
    from tiktoken_ext import openai_public

    assert references[name]._pat_str == ENCODINGS[name].pattern
    assert ENCODINGS[name].sha256 in inspect.getsource(openai_public)


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None)
@given(text=TEXTS)
def test_counts_are_those_of_tiktoken(
    references: dict[str, Any], engines: dict[str, Any], name: str, text: str
) -> None:
    expected = len(references[name].encode_ordinary(text))
    assert engines[name].plain.count(text) == expected
    assert engines[name].around.count(text) == expected


@pytest.mark.parametrize("name", NAMES)
def test_endless_blanks_are_counted(engines: dict[str, Any], name: str) -> None:
    # tiktoken itself panics on a million blanks before a letter. The longest blank token of both vocabularies is 128
    # blanks, and the last blank goes with the letter.
    assert engines[name].plain.count("\n" + " " * 1_024_000 + " x") == 1 + 8_000 + 1


def test_known_counts() -> None:
    # "hello world" is two tokens in tiktoken's README; a special token is one, but seven as text: < | endo ft ext | >
    with Counter("cl100k_base", cache=None) as counter:
        assert [counter.count(text) for text in ("", "hello world", "<|endoftext|>")] == [0, 2, 7]
        assert counter.canonical("a", "b", {"type": "object"}) == counter.count(
            '{"name":"a","description":"b","input_schema":{"type":"object"}}'
        )


def test_compact_is_json_without_blanks() -> None:
    assert compact({"b": [1, "é😀"], "a": None}) == '{"b":[1,"é😀"],"a":null}'


def test_an_unknown_encoding_names_the_known() -> None:
    with pytest.raises(UserError) as caught:
        Counter("p50k_base")
    assert caught.value.diagnostics[0].help == "Choose o200k_base or cl100k_base."


def test_a_damaged_vocabulary_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolc.tokens import encodings

    monkeypatch.setattr(encodings, "PACKAGE", tmp_path)
    with pytest.raises(UserError, match="missing or damaged"):
        Engine("o200k_base")
    (tmp_path / "vocab").mkdir()
    (tmp_path / "vocab" / "o200k_base.tiktoken.gz").write_bytes(gzip.compress(b"YQ== 0\n"))
    with pytest.raises(UserError, match="missing or damaged"):
        Engine("o200k_base")


class Fixed:
    """Stands for the engine: counts letters, and how often it was asked."""

    asked = 0

    def __init__(self, encoding: str) -> None:
        pass

    def count(self, text: str) -> int:
        Fixed.asked += 1
        return len(text)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> type[Fixed]:
    monkeypatch.setattr("toolc.tokens.engine", Fixed)
    Fixed.asked = 0
    return Fixed


def count_all(cache: Path | None, texts: list[str], encoding: str = "o200k_base") -> list[int]:
    with Counter(encoding, cache) as counter:
        return [counter.count(text) for text in texts]


def test_what_was_counted_is_not_counted_again(tmp_path: Path, engine: type[Fixed]) -> None:
    texts = ["a", "bb", "a", "\ud800"]
    assert count_all(tmp_path / "new" / "cache", texts) == [1, 2, 1, 1]
    assert engine.asked == 3
    assert count_all(tmp_path / "new" / "cache", texts) == [1, 2, 1, 1]
    assert engine.asked == 3
    count_all(tmp_path / "new" / "cache", texts, "cl100k_base")
    assert engine.asked == 6
    assert count_all(None, ["a"]) == [1]
    assert engine.asked == 7


@pytest.mark.parametrize("cut", [1, 23, 24, 25, 60])
def test_a_torn_file_costs_only_what_is_torn(tmp_path: Path, engine: type[Fixed], cut: int) -> None:
    texts = ["a", "bb", "ccc"]
    count_all(tmp_path, texts)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-cut])
    assert count_all(tmp_path, texts) == [1, 2, 3]
    assert path.stat().st_size == 3 * 24
    engine.asked = 0
    assert count_all(tmp_path, texts) == [1, 2, 3]
    assert engine.asked == 0


def test_no_damaged_byte_makes_a_count_wrong(tmp_path: Path, engine: type[Fixed]) -> None:
    texts = ["a", "bb", "ccc"]
    count_all(tmp_path, texts)
    (path,) = tmp_path.iterdir()
    sound = path.read_bytes()
    for index in range(len(sound)):
        path.write_bytes(sound[:index] + bytes([sound[index] ^ 0x41]) + sound[index + 1 :])
        assert count_all(tmp_path, texts) == [1, 2, 3]
        assert count_all(tmp_path, texts) == [1, 2, 3]
    path.write_bytes(b"garbage " * 1000)
    assert count_all(tmp_path, texts) == [1, 2, 3]


@pytest.mark.parametrize("kind", ["file instead of folder", "folder instead of file", "read-only"])
@pytest.mark.usefixtures("engine")
def test_a_cache_that_cannot_be_used_is_no_fault(tmp_path: Path, kind: str) -> None:
    cache = tmp_path / "cache"
    if kind == "file instead of folder":
        cache.write_text("x")
    elif kind == "folder instead of file":
        (cache / "tokens-o200k_base.bin").mkdir(parents=True)
    else:
        cache.mkdir(mode=0o500)
    assert count_all(cache, ["a", "bb"]) == [1, 2]
    assert count_all(cache, ["a", "bb"]) == [1, 2]


def test_the_file_stays_small_and_keeps_the_newest(
    tmp_path: Path, engine: type[Fixed], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts, "MOST", 10)
    for start in range(0, 40, 4):
        count_all(tmp_path, [f"text {number}" for number in range(start, start + 4)])
    (path,) = tmp_path.iterdir()
    assert path.stat().st_size <= 10 * 24
    engine.asked = 0
    count_all(tmp_path, [f"text {number}" for number in range(36, 40)])
    assert engine.asked == 0
    count_all(tmp_path, [f"more {number}" for number in range(50)])
    assert path.stat().st_size <= 10 * 24


def _count_some(cache: Path, start: int) -> None:
    file = counts.CountFile(cache / "tokens.bin")
    for number in range(start, start + 300):
        file.add(file.key(str(number)), number)
        if number % 10 == 9:
            file.save()


def test_several_processes_share_the_file(tmp_path: Path) -> None:
    processes = multiprocessing.get_context("spawn")
    workers = [processes.Process(target=_count_some, args=(tmp_path, 1000 * number)) for number in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    file = counts.CountFile(tmp_path / "tokens.bin")
    expected = [1000 * worker + number for worker in range(3) for number in range(300)]
    assert [file.get(file.key(str(number))) for number in expected] == expected


def test_the_cache_is_in_the_users_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("TOOLC_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "toolc"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == tmp_path / ".cache" / "toolc"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "toolc"
    monkeypatch.setenv("TOOLC_CACHE_DIR", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"


def test_a_first_count_needs_no_network_and_a_second_no_tiktoken(tmp_path: Path) -> None:
    code = """
import socket, sys
def refuse(*args, **kwargs): raise AssertionError("network")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from toolc.tokens import Counter
with Counter() as counter:
    print(counter.count("hello world"), "tiktoken" in sys.modules, "requests" in sys.modules)
"""
    # A plugin that declares a known encoding breaks tiktoken.get_encoding; ours must not care.
    plugin = tmp_path / "tiktoken_ext"
    plugin.mkdir()
    (plugin / "again.py").write_text("ENCODING_CONSTRUCTORS = {'o200k_base': None}\n")
    paths = os.pathsep.join([str(tmp_path), str(PACKAGE.parent)])
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": paths, "TOOLC_CACHE_DIR": str(tmp_path / "cache")}

    def run() -> str:
        command = [sys.executable, "-c", code]
        return subprocess.run(command, env=environment, cwd=tmp_path, text=True, capture_output=True, check=True).stdout

    assert run() == "2 True False\n"
    assert run() == "2 False False\n"


@pytest.mark.parametrize("name", NAMES)
def test_vocabularies_are_packed_without_a_time_stamp(name: str) -> None:
    data = (PACKAGE / "vocab" / f"{name}.tiktoken.gz").read_bytes()
    assert data[4:8] == b"\0\0\0\0"
    readme = (PACKAGE / "vocab" / "README.md").read_text()
    assert re.search(rf"{name}.tiktoken \| {ENCODINGS[name].sha256}", readme)
