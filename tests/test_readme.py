"""The loop in the README, as it stands there, against a model that follows a script."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from bundles import built
from shop import served
from starlette.requests import Request
from starlette.responses import JSONResponse


def test_the_loop_runs(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    found = re.search(r"<!-- loop: .*? -->\n```python\n(.*?)```", (root / "README.md").read_text(), re.DOTALL)
    assert found
    tool = {
        "name": "find_books",
        "description": "Find books by words in the title.",
        "input": {"type": "object", "properties": {"words": {"type": "string"}}, "required": ["words"]},
        "run": [sys.executable, "-c", "import sys; print('A book about ' + sys.argv[1])", "{words}"],
    }
    (tmp_path / "tools.json").write_text(json.dumps({"tools": [tool]}))
    built(tmp_path, sources={"books": {"type": "tools", "path": "tools.json"}}, targets={"anthropic": {}})
    asked: list[dict[str, Any]] = []
    turns = [{"word": "bees"}, {"words": "bees"}, "There is one."]

    async def model(scope: Any, receive: Any, send: Any) -> None:
        asked.append(await Request(scope, receive).json())
        turn = turns[len(asked) - 1]
        text = {"type": "text", "text": turn}
        use = {"type": "tool_use", "id": f"t{len(asked)}", "name": "find_books", "input": turn}
        answer = {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "scripted",
            "content": [text if isinstance(turn, str) else use],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        await JSONResponse(answer)(scope, receive, send)

    monkeypatch.chdir(tmp_path)
    with served(model) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
        names: dict[str, Any] = {}
        exec(compile(found.group(1), "README.md", "exec"), names)
        names["client"].close()
    assert capsys.readouterr().out == "There is one.\n"
    assert [tool["name"] for tool in asked[0]["tools"]] == ["tool_search_tool_regex", "find_books"]
    wrong, right = (request["messages"][-1]["content"][0] for request in asked[1:])
    assert (wrong["is_error"], right["is_error"]) == (True, False)
    assert wrong["content"] == "find_books: `words` is required."
    assert right["content"] == "A book about bees"
