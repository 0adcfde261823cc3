"""What the README shows, as it stands there: the config and its snippets, and the loop against a scripted model."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from bundles import built
from shop import served
from starlette.requests import Request
from starlette.responses import JSONResponse

from toolc import config
from toolc.diagnostics import Report


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


# Operations that the README's selectors name.
OPERATIONS = ("issues/create", "issues/create-comment", "issues/delete-comment", "pulls/merge")
LIVE = ("files", "team", "crm")


def test_the_config_builds_with_every_snippet(tmp_path: Path, root: Path) -> None:
    readme = (root / "README.md").read_text()
    found = re.findall(r"```yaml\n(.*?)```", readme, re.DOTALL)
    whole, *snippets = (yaml.safe_load(block) for block in found if not block.startswith(("# .github", "# .pre")))
    sources = whole["sources"]
    for key, value in ((key, value) for snippet in snippets for key, value in snippet.items()):
        entry, holder = (sources.get(key, {}), sources) if "type" in value else ({}, whole)
        holder[key] = {**entry, **value}
    paths = {
        f"/{name}": {"post": {"operationId": name, "tags": [name.split("/")[0]], "responses": {}}}
        for name in OPERATIONS
    }
    spec = {"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": paths}
    tools = json.dumps({"tools": [{"name": "find", "description": "Find it.", "inputSchema": {"type": "object"}}]})
    comment = re.search(r"```sql\n(.*?)```", readme, re.DOTALL)
    assert comment
    files = {
        sources["github"]["path"]: json.dumps(spec),
        "lists/figma.json": tools,
        "tools/own.yaml": tools,
        "schema.sql": f"CREATE TABLE person (id int PRIMARY KEY, email text NOT NULL UNIQUE);\n{comment.group(1)}",
        "skills/x/SKILL.md": "---\nname: x\ndescription: About x.\n---\n",
    }
    for place, text in files.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text)
    (tmp_path / "toolc.yaml").write_text(yaml.safe_dump(whole))
    assert config.load(tmp_path / "toolc.yaml", Report()).sources.keys() >= set(LIVE)
    for name in LIVE:
        del sources[name]
    bundle = built(tmp_path, **{key: value for key, value in whole.items() if key not in ("version", "name")})
    assert {"issue_create", "contact_read", "memory_write"} <= {tool.name for tool in bundle.catalog.tools}
    assert set(whole["targets"]) == {path.name for path in (tmp_path / "bundle/targets").iterdir()}


def workflow(root: Path) -> list[dict[str, Any]]:
    """The steps of the job in the workflow that the README shows."""
    (text,) = re.findall(r"```yaml\n(# \.github/workflows/.*?)```", (root / "README.md").read_text(), re.DOTALL)
    data = yaml.safe_load(text)
    assert data["permissions"] == {"contents": "read", "security-events": "write", "pull-requests": "write"}
    steps: list[dict[str, Any]] = data["jobs"]["toolc"]["steps"]
    return steps


@pytest.fixture
def runner(tmp_path: Path, root: Path) -> Callable[[str], subprocess.CompletedProcess[str]]:
    """Runs the step of the workflow that begins with some words, as the runner does, in a pull request's checkout."""
    programs = tmp_path / "bin"
    programs.mkdir()
    stubs = {
        "toolc": f'exec "{sys.executable}" -m toolc "$@"',
        "gh": 'printf "%s\\n" "$*" > gh.args; cat "${@: -1}" > comment.md',
    }
    for name, line in stubs.items():
        (programs / name).write_text(f"#!/bin/bash\n{line}\n")
        (programs / name).chmod(0o755)
    work = tmp_path / "work"
    environment = {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(root),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GITHUB_WORKSPACE": str(work),
        "GITHUB_BASE_REF": "main",
        "PR": "7",
    }

    def run(command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["bash", "-e", "-c", command], cwd=work, env=environment, capture_output=True, text=True)

    work.mkdir()
    (work / "tools.yaml").write_text("tools: [{name: pull, description: Fetch new mail., input: {type: object}}]\n")
    (work / "toolc.yaml").write_text("version: 1\nname: t\nsources: {core: {type: tools, path: tools.yaml}}\n")
    made = run(
        "git init -qb main && toolc build && git add -A && git -c user.name=n -c user.email=n@e commit -qm x"
        " && git update-ref refs/remotes/origin/main HEAD"
    )
    assert made.returncode == 0, made.stderr
    steps = [step["run"] for step in workflow(root) if "run" in step]
    return lambda words: run(next(step for step in steps if step.startswith(words)))


def test_the_workflow_runs(runner: Any, tmp_path: Path) -> None:
    work = tmp_path / "work"
    assert runner("toolc build --check").returncode == 0
    assert runner("toolc lint").returncode == 0
    assert json.loads((work / "toolc.sarif").read_text())["runs"][0]["results"] == []
    assert runner("toolc diff").returncode == 0
    (work / "tools.yaml").write_text("tools: [{name: push, input: {type: object}}]\n")
    assert runner("toolc build --check").returncode == 1
    linted = runner("toolc lint")
    assert linted.returncode == 1
    assert linted.stdout.startswith("::error file=tools.yaml,line=1,col=9,title=toolc missing-description::")
    (result, *_) = json.loads((work / "toolc.sarif").read_text())["runs"][0]["results"]
    assert result["ruleId"] == "missing-description"


def test_the_workflow_comments_a_change_that_breaks_callers(runner: Any, tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "tools.yaml").write_text("tools: [{name: push, description: Send mail., input: {type: object}}]\n")
    compared = runner("toolc diff")
    assert compared.returncode == 0, compared.stderr
    assert "core:pull" in (work / "comment.md").read_text()
    assert (work / "gh.args").read_text() == "pr comment 7 --edit-last --create-if-none --body-file diff.md\n"
    (work / "comment.md").unlink()
    (work / "toolc.yaml").write_text("version: 1\nnome: t\n")
    assert runner("toolc diff").returncode != 0  # no comment about a diff that could not be made
    assert not (work / "comment.md").exists()
