"""A model on 127.0.0.1 that answers as scripted: Anthropic's Messages API and OpenAI's two, streamed."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Call:
    """A turn in which the model calls a tool. namespace: of the tool, where the API has such."""

    tool: str
    arguments: dict[str, Any]
    namespace: str = ""


@dataclass
class Model:
    """turns: a call each; when they are used up, and to requests without tools, the model says `done`."""

    turns: Sequence[Call]
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)  # those that had tools
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, body: dict[str, Any]) -> Call | None:
        """The next turn; None for words."""
        with self.lock:
            if not body.get("tools"):
                return None
            self.requests.append(body)
            turn = len(self.requests) - 1
            return self.turns[turn] if turn < len(self.turns) else None


@contextmanager
def scripted(*turns: Call) -> Iterator[Model]:
    """A running model."""
    model = Model(turns)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send("application/json", '{"object": "list", "data": [], "models": []}')

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
            path = self.path.partition("?")[0]
            if path.endswith("/count_tokens"):
                return self._send("application/json", '{"input_tokens": 1}')
            apis = {"messages": _messages, "responses": _responses, "completions": _completions}
            events = apis[path.rpartition("/")[2]](model.answer(body))
            named = [f"event: {event['type']}\n" if "type" in event else "" for event in events]
            text = "".join(f"{name}data: {json.dumps(event)}\n\n" for name, event in zip(named, events, strict=True))
            return self._send("text/event-stream", text)

        def _send(self, kind: str, text: str) -> None:
            data = text.encode()
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    model.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield model
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _messages(call: Call | None) -> list[dict[str, Any]]:
    if call:
        block = {"type": "tool_use", "id": "toolu_1", "name": call.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": "done"}
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": []}
    message |= {"stop_reason": None, "stop_sequence": None, "usage": usage}
    stop = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": usage},
        {"type": "message_stop"},
    ]


def _responses(call: Call | None) -> list[dict[str, Any]]:
    item: dict[str, Any]
    if call:
        item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": call.tool, "status": "completed"}
        item |= {"arguments": json.dumps(call.arguments)} | ({"namespace": call.namespace} if call.namespace else {})
    else:
        content = [{"type": "output_text", "text": "done", "annotations": []}]
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    response = {"id": "resp_1", "object": "response", "created_at": 1, "model": "scripted", "usage": usage}
    return [
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {**response, "status": "completed", "output": [item]}},
    ]


def _completions(call: Call | None) -> list[dict[str, Any]]:
    delta: dict[str, Any] = {"role": "assistant"}
    if call:
        function = {"name": call.tool, "arguments": json.dumps(call.arguments)}
        delta["tool_calls"] = [{"index": 0, "id": "call_1", "type": "function", "function": function}]
    else:
        delta["content"] = "done"
    head = {"id": "c_1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    stop = "tool_calls" if call else "stop"
    return [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": stop}]},
    ]
