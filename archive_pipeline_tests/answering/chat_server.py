"""A server that speaks OpenAI's ``/chat/completions``, for tests: answers are prepared, requests are kept."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

STREAM = "text/event-stream; charset=utf-8"
WAIT = None  # in a body: until the server ends, or the client goes away


@dataclass(frozen=True)
class Prepared:
    """One answer: what is sent, in writes of their own; the connection closes after them."""

    body: Sequence[bytes | None] = ()
    status: int = 200
    content_type: str = STREAM
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class ChatServer:
    """What the server answers, in turn, and what it was asked."""

    url: str = ""
    answers: list[Prepared] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    is_over: threading.Event = field(default_factory=threading.Event)

    @property
    def prompts(self) -> list[str]:
        """What users said in the requests."""
        return [request["messages"][-1]["content"] for request in self.requests]


def event(text: str | None = None, finish_reason: str | None = None, **more: Any) -> bytes:
    """Return an event as OpenAI sends it."""
    choice = {"index": 0, "delta": {} if text is None else {"content": text}, "finish_reason": finish_reason}
    body = {"id": "c1", "object": "chat.completion.chunk", "choices": [choice], **more}
    return b"data: " + json.dumps(body).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"


def streamed(*texts: str, reason: str | None = "stop") -> Prepared:
    """Return a whole answer in pieces."""
    return Prepared([event(""), *map(event, texts), event(finish_reason=reason), DONE])


@contextmanager
def serve_chat(*answers: Prepared) -> Iterator[ChatServer]:
    """Run the server on a free port of the loopback interface."""
    chat = ChatServer(answers=list(answers))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            chat.requests.append({"path": self.path, **json.loads(body)})
            chat.headers.append(dict(self.headers))
            prepared = chat.answers.pop(0) if chat.answers else Prepared(status=410)
            self.send_response(prepared.status)
            for name, value in {"Content-Type": prepared.content_type, **prepared.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                for part in prepared.body:
                    if part is WAIT:
                        chat.is_over.wait()
                    else:
                        self.wfile.write(part)
                        self.wfile.flush()
            except OSError:
                return  # the client has seen enough

        def log_message(self, *_arguments: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    chat.url = f"http://127.0.0.1:{server.server_port}/v1"
    # It looks that often whether it is to end.
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield chat
    finally:
        chat.is_over.set()
        server.shutdown()
        server.server_close()
        thread.join()
