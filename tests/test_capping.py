"""One rule for how much of an answer is handed on, whatever carried the call out, and how to go on in it."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bundles import built
from shop import served
from starlette.responses import Response
from test_call_http import ASK, answering, api
from test_call_mcp import READ, SERVER, WRITE, snapshot
from test_call_opaque import tools

from toolc.runtime import Executor, Result, Settings
from toolc.runtime.capping import Portion, capped, sound

MOST = 1000
TEXT = "".join(f"{number:04}aä€😀" for number in range(700))  # 14 bytes each: cuts fall into characters


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def read_on(executor: Executor, name: str, arguments: dict[str, Any]) -> Iterator[str]:
    """The texts of all portions of an answer, without the note that tells where to go on."""
    offset = 0
    while True:
        result = executor.call(name, {**arguments, **({"_offset": offset} if offset else {})})
        assert not result.is_error, result.text
        *texts, note = [str(block["text"]) for block in result.content]
        going_on = re.search(r'^\[cut after [\d,]+.* call again with "_offset": (\d+)\]$', note)
        yield from texts if going_on else [*texts, note]
        if not going_on:
            return
        assert offset < int(going_on[1])
        assert sum(len(words.encode()) for words in texts if not words.startswith("HTTP 200")) <= MOST
        offset = int(going_on[1])


def test_a_long_http_answer_is_read_in_portions(tmp_path: Path) -> None:
    ask = json.loads(json.dumps(ASK))
    ask["paths"]["/"]["post"] = {"operationId": "add", "responses": {"200": {"description": "ok"}}}
    with served(answering(lambda _: Response(TEXT, media_type="text/plain", headers={"ETag": '"7"'}))) as url:
        bundle = api(tmp_path, url, ask)
        names = {tool.origins[0].pointer.split("/")[-1]: tool.name for tool in bundle.catalog.tools}
        with Executor(bundle, settings=Settings(most_bytes=MOST)) as executor:
            texts = list(read_on(executor, names["get"], {}))
            written = executor.call(names["post"], {"_offset": 5})
            once = executor.call(names["post"], {})
            wrong = [executor.call(names["get"], {"_offset": at}) for at in ("x", -1, True, math.nan, math.inf)]
            beyond = executor.call(names["get"], {"_offset": 10**12})
    assert "".join(part for part in texts if not part.startswith("HTTP 200")) == TEXT
    assert 'ETag: "7"' in texts[1]  # said with each portion, however much is cut
    assert "does more than read" in written.text
    assert written.is_error
    assert "_offset" not in once.text
    assert "cut after" in once.text
    assert [(each.text, each.is_error) for each in wrong] == [
        ("`_offset` is the number that the answer before named.", True)
    ] * 5
    assert not beyond.is_error


def test_the_output_of_a_program_is_read_in_portions(tmp_path: Path) -> None:
    code = f"print({TEXT!r}, end='')"
    tool = {"name": "long", "description": "Long.", "input": {"type": "object"}, "hints": {"read_only": True}}
    with tools(tmp_path, {**tool, "run": [sys.executable, "-X", "utf8", "-c", code]}) as executor:
        executor._surroundings = executor._surroundings.__class__(  # the same, with a small cap
            Settings(most_bytes=MOST), *[getattr(executor._surroundings, name) for name in SURROUNDINGS]
        )
        assert "".join(read_on(executor, "long", {})) == TEXT


SURROUNDINGS = ("secrets", "files", "root", "hidden", "warn")


@pytest.fixture
def upstream(tmp_path: Path) -> Iterator[Executor]:
    names = {"give": READ, "raw": READ, "add": WRITE}
    snapshot(tmp_path, [{"name": name, "inputSchema": {"type": "object"}, **hints} for name, hints in names.items()])
    source = {"type": "mcp", "snapshot": "list.json", "command": sys.executable, "args": [str(SERVER)]}
    bundle = built(tmp_path, sources={"up": source}, consolidate={"enabled": False})
    with Executor(bundle, settings=Settings(60, MOST)) as executor:
        yield executor


def size(result: Result) -> int:
    return len(json.dumps(result.to_data()))


def test_a_long_answer_of_an_upstream_server_is_read_in_portions(upstream: Executor) -> None:
    given = {"content": [text(TEXT[:3000]), text(""), text(TEXT[3000:])]}
    assert "".join(read_on(upstream, "give", {"result": given})) == TEXT


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"content": [text("x")], "times": 50_000}, "[cut after"),
        ({"content": [text("")], "times": 50_000}, "[only 1,000 of 50,000 parts]"),
        ({"content": [{"type": "image", "data": "iVBORw==" * 1000, "mimeType": "image/png"}]}, "(image/png of 6,000 b"),
        ({"content": [], "structuredContent": {"a": "x" * 5000}}, "[cut after 1,000 of 5,008 bytes"),
        ({"content": [text("hi")], "structuredContent": {"a": "x" * 5000}}, "hi\n[without structured content and meta"),
        ({"content": [text("hi")], "_meta": {"a": "x" * 5000}}, "hi\n[without structured content and metadata of 5,0"),
        ({"content": [{**text("hi"), "_meta": {"a": "x" * 5000}}]}, "hi"),
        (
            {"content": [{"type": "resource", "resource": {"uri": "a:b", "text": "x" * 5000}}]},
            "(resource of 5,0",
        ),
    ],
)
def test_no_part_of_an_answer_of_an_upstream_server_is_without_end(
    given: dict[str, Any], said: str, upstream: Executor
) -> None:
    times = given.pop("times", 1)
    result = upstream.call("give", {"result": given, "times": times} if times > 1 else {"result": given})
    assert not result.is_error
    assert said in result.text
    assert size(result) < 50_000


def test_what_fits_passes_as_it_is(upstream: Executor) -> None:
    given = {"content": [{**text("hi"), "_meta": {"a": 1}}], "structuredContent": {"a": [1.5, None]}, "_meta": {"b": 2}}
    result = upstream.call("give", {"result": given})
    assert result.to_data() == {**given, "isError": False}


@pytest.mark.parametrize(
    "answer",
    [
        '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"\\ud800x"}]}}',
        '{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"a":NaN,"b":1e999,"c":"\\udc00"}}}',
        '{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"a":' + "[" * 150 + "]" * 150 + "}}}",
        '{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"a":' + "[" * 900 + "]" * 900 + "}}}",
        '{"jsonrpc":"2.0","id":ID,"result":{"content":' + "[" * 9000 + "]" * 9000 + "}}",
        '{"jsonrpc":"2.0","id":ID,"result":7}',
        '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text"}]}}',
        '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"a","_meta":{"a":'
        + "[" * 150
        + "]" * 150
        + "}}]}}",
        '{"jsonrpc":"2.0","id":ID,"error":{"code":1,"message":"' + "x" * 5000 + '"}}',
    ],
)
def test_whatever_an_upstream_server_answers_a_reader_of_json_can_read(
    answer: str, tmp_path: Path, upstream: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = Executor(upstream.bundle, settings=Settings(10, MOST))
    with quick as executor:
        result = executor.call("raw", {"answer": answer})
        again = executor.call("give", {"result": {"content": [text("still here")]}})
    line = json.dumps(result.to_data(), ensure_ascii=False, allow_nan=False).encode()
    assert result.text
    assert len(line) < 3 * MOST
    assert again.text == "still here"


def test_a_secret_is_not_cut_in_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "s3cr3t-0123456789"
    monkeypatch.setenv("API_KEY", secret)
    body = "x" * (MOST - 8) + secret + "y" * 5000
    with (
        served(answering(lambda _: Response(body, media_type="text/plain"))) as url,
        Executor(
            api(tmp_path, url, ASK, auth={"query": {"key": {"env": "API_KEY"}}}), settings=Settings(most_bytes=MOST)
        ) as executor,
    ):
        texts = list(read_on(executor, "ask", {}))
    assert "".join(texts) == body.replace(secret, "***")


def test_an_offset_inside_of_blocks_that_are_not_text() -> None:
    image = {"type": "image", "data": "iVBO" * 100, "mimeType": "image/png"}  # 300 bytes
    result = Result((text("a" * 800), image, text("b" * 800)))
    first = capped(result, Portion(0, MOST, True))
    assert [block["type"] for block in first.content] == ["text", "text"]
    assert first.content[1]["text"].endswith('"_offset": 800]')
    second = capped(result, Portion(800, MOST, True))
    assert second.content[:2] == (image, text("b" * 700))
    assert capped(result, Portion(1800, MOST, True)).content == (text("b" * 100),)
    assert sound(result) is result
