"""Answers tools/list from a bundle and repeats calls: a server that shows what a harness does with its config."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

NAMES = {"read_only": "readOnlyHint", "destructive": "destructiveHint"}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("serve", choices=["serve"])
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--profile")
    parser.add_argument("--group")
    asked = parser.parse_args()
    data = json.loads((asked.bundle / "bundle.json").read_text())
    groups = [group for group in data["groups"] if asked.group in (None, group["name"])]
    tools = [entry(tool) for tool in data["tools"] if asked.group in (None, tool["group"])]
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            result = answer(message, tools, "\n".join(group["description"] for group in groups))
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


def entry(tool: dict[str, Any]) -> dict[str, Any]:
    hints = {name: tool["hints"][key]["value"] for key, name in NAMES.items() if key in tool["hints"]}
    return {
        "name": tool["name"],
        "description": tool["description"],
        "inputSchema": tool["input_schema"],
        "annotations": hints,
    }


def answer(message: dict[str, Any], tools: list[dict[str, Any]], instructions: str) -> dict[str, Any]:
    if message["method"] == "initialize":
        about = {"name": "stand-in", "version": "1"}
        version = message["params"]["protocolVersion"]
        return {
            "protocolVersion": version,
            "capabilities": {"tools": {}},
            "serverInfo": about,
            "instructions": instructions,
        }
    if message["method"] == "tools/list":
        return {"tools": tools}
    if message["method"] == "tools/call":
        seen = {
            "called": message["params"]["name"],
            "arguments": message["params"]["arguments"],
            "token": os.environ.get("SHOP_TOKEN"),
        }
        return {"content": [{"type": "text", "text": json.dumps(seen)}]}
    return {}


main()
