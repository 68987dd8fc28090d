"""A server that speaks OpenAI's protocol of chat completions, whole and streamed, and counts what it is asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class ChatServer(ThreadingHTTPServer):
    """Answers a question the same each time, but for those that ask it to invent; every answer names the question."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def answer(self, request: dict[str, Any]) -> str:
        self.requests.append(request)
        question = request["messages"][-1]["content"]
        number = len(self.requests) if question.startswith("Invent") else 0
        fixed = ", exactly" if request.get("temperature") == 0 else ""
        return f"To {question!r}: {number}{fixed}"


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = self.server.answer(request)
        usage = {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}
        whole = {"id": "c", "created": 1, "model": request["model"], "usage": usage}
        if request.get("stream"):
            deltas = [{"role": "assistant", "content": ""}, {"content": text[:5]}, {"content": text[5:]}]
            choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
            chunks = [{**whole, "usage": None, "choices": [choice]} for choice in choices]
            chunks.append({**whole, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
            chunks.append({**whole, "choices": []})
            lines = [json.dumps({**chunk, "object": "chat.completion.chunk"}) for chunk in chunks]
            self._send("text/event-stream", "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]))
        else:
            message = {"role": "assistant", "content": text}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            self._send("application/json", json.dumps({**whole, "object": "chat.completion", "choices": [choice]}))

    def _send(self, content_type: str, body: str) -> None:
        content = body.encode()
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    """Serve until the end of the block."""
    server = ChatServer()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
