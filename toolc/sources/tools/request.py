"""The text of a captured API request beside its tools, as a model reads it.

Known are the request bodies of Anthropic (Messages), OpenAI (chat and Responses), Gemini (generateContent) and Bedrock
(Converse). Their content blocks differ in names only, so one walk serves all.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

SYSTEM_ROLES = ("system", "developer")
_SYSTEM_KEYS = ("system", "instructions", "systemInstruction", "system_instruction")
_MESSAGE_KEYS = ("messages", "contents", "input")
# Keys whose presence beside a text `input` tells a Responses request from other data.
_REQUEST_KEYS = frozenset({"model", "instructions", "tools", "previous_response_id"})

_TURN_KEYS = frozenset({"role", "parts", "content", "type"})

# Blocks that are no text: by the value of `type`, or by the key that holds them (Gemini, Bedrock).
_BINARY_TYPES = (
    *("image", "image_url", "input_image", "input_audio", "audio", "document", "file", "input_file"),
    *("container_upload", "redacted_thinking", "computer_screenshot"),
)
_BINARY_KEYS = {
    "inlineData": "inline data",
    "inline_data": "inline data",
    "fileData": "file",
    "file_data": "file",
    "image": "image",
    "document": "document",
    "video": "video",
    "audio": "audio",
    "redactedContent": "redacted thinking",
    "encrypted_content": "encrypted reasoning",
}
# Keys that hold what a model reads, in the order in which it stands in a block.
_TEXT_KEYS = ("name", "title", "context", "text", "thinking", "refusal", "summary")
_NESTED_KEYS = (
    "content",
    "parts",
    "function",
    "tool_calls",
    "function_call",
    "functionCall",
    "functionResponse",
    "toolUse",
    "toolResult",
    "reasoningContent",
    "reasoningText",
    "executableCode",
    "codeExecutionResult",
    "code",
    "output",
    "source",
)
_JSON_KEYS = ("input", "arguments", "args", "response", "json", "action")


def request_parts(data: Any) -> dict[str, str] | None:
    """The texts of a request beside its tools: `system` and `messages`; None if the data is no request."""
    found = _read(data)
    return None if found is None else found[0]


def uncounted_parts(data: Any) -> dict[str, int]:
    """What a request holds that is no text, and how often: {"image": 2}; it has tokens that nobody can count here."""
    found = _read(data)
    return {} if found is None else dict(sorted(found[1].items()))


def _read(data: Any) -> tuple[dict[str, str], Counter[str]] | None:
    if not isinstance(data, dict) or not any(_speaks(data, data.get(key)) for key in _MESSAGE_KEYS):
        return None
    uncounted: Counter[str] = Counter()
    system = [_text(data[key], uncounted) for key in _SYSTEM_KEYS if data.get(key)]
    messages: list[str] = []
    for key in _MESSAGE_KEYS:
        value = data.get(key)
        for message in value if isinstance(value, list) else [value]:
            role = message.get("role") if isinstance(message, dict) else None
            (system if role in SYSTEM_ROLES else messages).append(_text(message, uncounted))
    return {"system": _joined(system), "messages": _joined(messages)}, uncounted


def _speaks(data: dict[str, Any], value: Any) -> bool:
    """Whether the value is what a request sends to the model."""
    if isinstance(value, str):
        return not _REQUEST_KEYS.isdisjoint(data)
    turns = value if isinstance(value, list) else []
    return bool(turns) and all(isinstance(item, dict) and _TURN_KEYS & item.keys() for item in turns)


def _text(value: Any, uncounted: Counter[str]) -> str:
    """The text of a message, a block, or a list of blocks."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return _joined([_text(item, uncounted) for item in value])
    if not isinstance(value, dict):
        return "" if value is None else json.dumps(value)
    kind = value.get("type")
    if kind in _BINARY_TYPES and not _holds_text(value):
        uncounted[str(kind)] += 1
        return ""
    pieces = [_text(value[key], uncounted) for key in _TEXT_KEYS if key in value]
    for key, item in value.items():
        if key in _NESTED_KEYS or (key == "data" and kind == "text"):
            pieces.append(_text(item, uncounted))
        elif key in _JSON_KEYS:
            pieces.append(
                item if isinstance(item, str) else json.dumps(item, ensure_ascii=False, separators=(",", ":"))
            )
        elif key in _BINARY_KEYS and item:
            uncounted[_BINARY_KEYS[key]] += 1
    return _joined(pieces)


def _holds_text(block: dict[str, Any]) -> bool:
    """Whether a document block (Anthropic) holds plain text rather than a file."""
    source = block.get("source")
    return isinstance(source, dict) and source.get("type") in ("text", "content")


def _joined(pieces: list[str]) -> str:
    return "\n".join(piece for piece in pieces if piece)
